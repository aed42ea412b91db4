// link_proxy_flow.cc: passes bytes from one end of a connection to the other, without waiting.
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "wire/link_proxy.h"

namespace bully {

// True if the other side has closed it; half-closing does not count.
bool LinkProxy::End::has_been_closed() {
  pollfd polled{descriptor.get(), 0, 0};
  is_closed = is_closed || (poll(&polled, 1, 0) > 0 && (polled.revents & POLLHUP) != 0);
  return is_closed;
}

void LinkProxy::Flow::take_from(End& source) {
  char some[4096];
  while (!has_ended && bytes.size() < most_bytes) {
    const ssize_t got = recv(source.descriptor.get(), some, sizeof some, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got > 0) bytes.append(some, static_cast<std::size_t>(got));
    if (got == sizeof some) continue;
    // Usually there is no more.
    has_ended =
        got > 0 ? source.has_been_closed() : got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
    return;
  }
}

// REQUIRES: the content of `bytes` has been read from `source`.
void LinkProxy::Flow::give_to(const End& target, const End& source) {
  while (!bytes.empty()) {
    const ssize_t gone = send(target.descriptor.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (gone < 0 && errno == EINTR) continue;
    if (gone < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (gone < 0) has_ended = true;  // no process reads it any more
    bytes.erase(0, gone < 0 ? bytes.size() : static_cast<std::size_t>(gone));
  }
  if (!has_ended || std::exchange(is_finished, true) || source.is_closed) return;
  shutdown(target.descriptor.get(), SHUT_WR);
}

}  // namespace bully
