#include "node/watchers.h"

#include <poll.h>

#include <algorithm>
#include <utility>

namespace bully {

void Watchers::hold(Descriptor connection) {
  if (held_.size() >= next_check_) drop_closed();
  if (held_.size() < most_) held_.push_back(std::move(connection));
}

// Followers that have gone leave their connections behind. Looked for each time that the number has
// doubled: never often, and never too late.
void Watchers::drop_closed() {
  std::vector<pollfd> polled;
  for (const Descriptor& connection : held_) polled.push_back({connection.get(), 0, 0});
  poll(polled.data(), static_cast<nfds_t>(polled.size()), 0);
  std::size_t i = 0;
  std::erase_if(held_, [&](const Descriptor&) { return polled[i++].revents != 0; });
  next_check_ = std::max(least_to_check, 2 * held_.size());
}

}  // namespace bully
