#include "node/inbox.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "node/unix_socket.h"

namespace bully {

namespace {

// How many connections are accepted at a time before timers get their turn: a full backlog, so that
// what had arrived before a timer expired is handled before it.
constexpr int max_accepted_at_once = 4096;

// Where the system has no descriptor for a connection that waits, poll would say at once, again and
// again, that it waits.
constexpr Duration exhausted_pause = std::chrono::milliseconds(20);

}  // namespace

Inbox::Inbox(Recipient& recipient, std::size_t max_waiting)
    : recipient_(recipient), max_waiting_(std::max<std::size_t>(max_waiting, 1)) {}

// Linux closes what a killed process had open from the highest number to the lowest, and other
// processes run in between: those that see a held connection end would still get into the backlog,
// and wait there, in a crowd for hundreds of milliseconds, until the dying one has its turn again.
// Other systems begin with the lowest; the listening socket has one of those.
void Inbox::close_before([[maybe_unused]] const Descriptor& held) {
#ifdef __linux__
  const int number = held.get();
  for (const int least : {2 * number, number + 1}) {  // the limit may be below the first
    if (listener_.get() > number) return;
    Descriptor moved(fcntl(listener_.get(), F_DUPFD_CLOEXEC, least));
    if (moved) listener_ = std::move(moved);
  }
#endif
}

void Inbox::add_to(std::vector<pollfd>& polled) const {
  const bool accepts = exhausted_until_ == never;
  polled.push_back({listener_.get(), static_cast<short>(accepts ? POLLIN : 0), 0});
  for (const Unfinished& waiting : unfinished_) {
    polled.push_back({waiting.connection.get(), POLLIN, 0});
  }
}

Time Inbox::next_deadline() const {
  return std::min(exhausted_until_, unfinished_.empty() ? never : unfinished_.front().deadline);
}

void Inbox::receive(const pollfd* ready, Time now, Duration patience) {
  if (now >= exhausted_until_) exhausted_until_ = never;
  const bool some_ready = std::any_of(ready, ready + 1 + unfinished_.size(),
                                      [](const pollfd& entry) { return entry.revents != 0; });
  bool more = ready[0].revents != 0;
  int left = max_accepted_at_once;
  while (some_ready) {
    // First all are accepted, and then all are read, in that order. By then, whatever the sender of
    // an accepted connection had said on earlier ones is complete. What poll saw would not do: it
    // looked before, at one after the other.
    more = more && accept_waiting(left, now, patience);
    const std::size_t open = unfinished_.size();
    read_all();
    if (!more) break;
    // Those that have been silent longest make room, a quarter at a time.
    const std::size_t kept = open - std::max<std::size_t>(open / 4, 1);
    while (unfinished_.size() > kept) drop_oldest();
  }
  std::erase_if(unfinished_, [&](const Unfinished& waiting) {
    return waiting.deadline <= now && drop("deadline");
  });
}

bool Inbox::accept_waiting(int& left, Time now, Duration patience) {
  while (listener_ && unfinished_.size() < max_waiting_) {
    if (left-- <= 0) return false;
    Descriptor fresh = accept_from(listener_);
    if (!fresh && errno != EMFILE && errno != ENFILE) return false;  // nobody waits any more
    if (!fresh && unfinished_.empty()) exhausted_until_ = now + exhausted_pause;
    if (!fresh) return !unfinished_.empty();
    unfinished_.emplace_back(std::move(fresh), now + patience);
  }
  return bool(listener_);
}

void Inbox::read_all() {
  std::erase_if(unfinished_, [this](Unfinished& waiting) { return read_from(waiting); });
}

bool Inbox::read_from(Unfinished& unfinished) {
  while (true) {
    const ssize_t got = recv(unfinished.connection.get(), unfinished.bytes + unfinished.size,
                             sizeof unfinished.bytes - unfinished.size, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
    if (got < 0) return drop("reset");
    if (got == 0) {
      deliver(unfinished);
      return true;
    }
    unfinished.size += static_cast<std::size_t>(got);
    if (unfinished.size > max_message_bytes) return drop("oversize");
  }
}

void Inbox::deliver(Unfinished& unfinished) {
  if (unfinished.size == 0) {
    drop("empty");
  } else if (const auto message = decode({unfinished.bytes, unfinished.size})) {
    recipient_.on_message(*message, std::move(unfinished.connection));
  } else {
    drop("malformed");
  }
}

bool Inbox::drop(std::string_view reason) {
  recipient_.on_dropped(reason);
  return true;
}

void Inbox::drop_oldest() {
  unfinished_.pop_front();
  drop("crowded");
}

void Inbox::close_all() {
  listener_.reset();
  unfinished_.clear();
}

}  // namespace bully
