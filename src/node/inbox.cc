#include "node/inbox.h"

#include <sys/socket.h>

#include <cerrno>

#include "node/pipe.h"

namespace bully {

namespace {

// From a connection's acceptance to the end of its message. Peers write theirs with one send.
constexpr Duration max_trickle = std::chrono::seconds(1);

// How many connections are accepted at a time before timers get their turn: a full backlog, so that
// what had arrived before a timer expired is handled before it.
constexpr int max_accepted_at_once = 4096;

}  // namespace

Inbox::Inbox(Recipient& recipient, std::size_t max_waiting)
    : recipient_(recipient), max_waiting_(max_waiting) {}

void Inbox::add_to(std::vector<pollfd>& polled) const {
  polled.push_back({listener_.get(), POLLIN, 0});
  for (const Unfinished& waiting : unfinished_) {
    polled.push_back({waiting.connection.get(), POLLIN, 0});
  }
}

Time Inbox::next_deadline() const {
  return unfinished_.empty() ? never : unfinished_.front().deadline;
}

void Inbox::receive(const pollfd* ready, Time now) {
  const bool listener_ready = ready[0].revents != 0;
  std::size_t i = 1;
  std::erase_if(unfinished_, [&](Unfinished& waiting) {
    if (ready[i++].revents != 0 && read_from(waiting)) return true;
    return waiting.deadline <= now && drop("deadline");
  });
  if (listener_ready) accept_waiting(now);
}

void Inbox::accept_waiting(Time now) {
  for (int i = 0; i < max_accepted_at_once && listener_; ++i) {
    Unfinished fresh(Descriptor(accept(listener_.get(), nullptr, nullptr)), now + max_trickle);
    if (!fresh.connection) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      // No descriptor is left: the connection that has been silent longest makes room.
      if ((errno == EMFILE || errno == ENFILE) && !unfinished_.empty()) {
        drop_oldest();
        continue;
      }
      return;
    }
    set_close_on_exec(fresh.connection.get());
    if (read_from(fresh)) continue;
    if (unfinished_.size() >= max_waiting_) drop_oldest();
    unfinished_.push_back(std::move(fresh));
  }
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
