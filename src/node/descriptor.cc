#include "node/descriptor.h"

#include <limits.h>
#include <poll.h>
#include <sys/resource.h>

#include <algorithm>
#include <vector>

namespace bully {

std::size_t raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return _POSIX_OPEN_MAX;
  const rlimit raised{limit.rlim_max, limit.rlim_max};
  if (limit.rlim_cur < limit.rlim_max && setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  return static_cast<std::size_t>(std::min<rlim_t>(limit.rlim_cur, 1 << 20));
}

std::size_t count_descriptors(std::size_t limit) {
  constexpr std::size_t most = 1024;
  std::vector<pollfd> asked(std::min(limit, most));
  for (std::size_t fd = 0; fd < asked.size(); ++fd) asked[fd] = {static_cast<int>(fd), 0, 0};
  if (poll(asked.data(), static_cast<nfds_t>(asked.size()), 0) < 0) return 0;
  return static_cast<std::size_t>(
      std::count_if(asked.begin(), asked.end(),
                    [](const pollfd& entry) { return (entry.revents & POLLNVAL) == 0; }));
}

}  // namespace bully
