#include "node/pipe.h"

#include <fcntl.h>

#include <cerrno>
#include <string>

#include "node/setup_error.h"

namespace bully {

void set_close_on_exec(int fd) {
  fcntl(fd, F_SETFD, fcntl(fd, F_GETFD) | FD_CLOEXEC);
}
void set_non_blocking(int fd) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

Pipe make_pipe(const char* purpose) {
  int ends[2];
  if (pipe(ends) != 0) {
    throw SetupError(errno, std::string("pipe ") + purpose, advice_for(errno, Advice::none));
  }
  for (const int end : ends) {
    set_close_on_exec(end);
    set_non_blocking(end);
  }
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

}  // namespace bully
