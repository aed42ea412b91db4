// links.cc: reads messages within their limits, and sends some without waiting for a full backlog.
#include "node/links.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "node/beyond_posix.h"
#include "node/status_reply.h"

namespace bully {

namespace {

// The number of connections accepted before timers get their turn: a full backlog, so that messages
// that arrived before a timer expired are handled before it.
constexpr int max_accepted_at_once = 4096;

// Without a pause, poll would report again and again a connection that the system cannot give: no
// descriptor is left, say.
constexpr Duration exhausted_pause = std::chrono::milliseconds(20);

// How often held connections are checked: a poll of a thousand takes a tenth of a millisecond.
constexpr Duration held_check = std::chrono::seconds(1);

// A full backlog empties as fast as its owner reads. No event reports it, so the node has to try:
// soon at first, later after a part of the time without success, to leave the owner the processor.
constexpr Duration retry_interval = std::chrono::milliseconds(2);
constexpr int retry_part = 16;

// Beyond this, the peer's oldest message is given up: no queue grows without bound.
constexpr std::size_t max_waiting_per_peer = 64;

// The number of unfinished connections; in a larger crowd the oldest is dropped, and its message
// lost.
constexpr std::size_t max_unfinished = 512;
constexpr std::size_t min_unfinished = 4;

// The descriptors that a node opens after its signals, its directory and its trace: the listener
// and an end of each of the monitor's pipes. For a moment at most five more, to publish itself
// again.
constexpr std::size_t own_descriptors = 3;
constexpr std::size_t passing_descriptors = 5;

}  // namespace

std::optional<Message> decode_received(std::string_view bytes) {
  const std::optional<Message> message = decode(bytes);
  return message ? message : decode(bytes, messages::status);
}

DescriptorShares share_descriptors() {
  const std::size_t limit = raise_descriptor_limit();
  const std::size_t own = count_open_descriptors(limit) + own_descriptors + passing_descriptors;
  const std::size_t needed = own + min_unfinished;
  if (limit < needed) {
    throw SetupError(EMFILE, "open " + std::to_string(needed) + " descriptors",
                     Advice::raise_descriptors);
  }
  const std::size_t left = limit - own;
  const std::size_t unfinished = std::clamp(left / 3, min_unfinished, max_unfinished);
  return {unfinished, left - unfinished};
}

void Inbox::hold(Descriptor connection, Time now) {
  close_before(connection);
  if (held_.size() >= most_.held) return;
  if (held_.empty()) check_held_at_ = now + held_check;
  held_.push_back(std::move(connection));
}

// The listener's number stays above that of every held connection. Linux closes the descriptors of
// a killed process from the highest number to the lowest, and other processes run in between: if a
// held connection ended first, the monitor at its other end would report the death, and the
// messages of the election that follows would still enter the dead process's backlog. Their senders
// would wait for it, in a crowd for hundreds of milliseconds, and not learn that it is gone. With
// the listener closed first, those messages are refused at once. Other systems close from the
// lowest up, and the listener's number is low.
void Inbox::close_before(const Descriptor& held) {
  if (!highest_is_closed_first) return;
  const int number = held.get();
  for (const int least : {2 * number, number + 1}) {  // the limit may be below the first
    if (listener_.get() > number) return;
    Descriptor moved(fcntl(listener_.get(), F_DUPFD_CLOEXEC, least));
    if (moved) listener_ = std::move(moved);
  }
}

void Inbox::drop_ended(Time now) {
  std::vector<pollfd> polled;
  for (const Descriptor& connection : held_) polled.push_back({connection.get(), 0, 0});
  poll(polled.data(), static_cast<nfds_t>(polled.size()), 0);
  std::size_t i = 0;
  erase_in_order(held_, [&](const Descriptor&) { return polled[i++].revents != 0; });
  check_held_at_ = held_.empty() ? never : now + held_check;
}

void Inbox::add_to(std::vector<pollfd>& polled) const {
  const bool accepts = exhausted_until_ == never;
  polled.push_back({listener_.get(), static_cast<short>(accepts ? POLLIN : 0), 0});
  for (const Unfinished& waiting : unfinished_) {
    polled.push_back({waiting.connection.get(), POLLIN, 0});
  }
}

Time Inbox::next_deadline() const {
  const Time first = unfinished_.empty() ? never : unfinished_.front().deadline;
  return std::min({exhausted_until_, check_held_at_, first});
}

void Inbox::receive(const pollfd* ready, Time now, Duration patience) {
  if (now >= exhausted_until_) exhausted_until_ = never;
  if (now >= check_held_at_) drop_ended(now);
  const bool some_ready = std::any_of(ready, ready + 1 + unfinished_.size(),
                                      [](const pollfd& entry) { return entry.revents != 0; });
  bool more = ready[0].revents != 0;
  int left = max_accepted_at_once;
  while (some_ready) {
    // First all connections are accepted, and then all are read, in that order. By then, all
    // earlier messages of an accepted connection's sender are complete. The result of poll would
    // not do: it looked earlier, at one connection after the other.
    more = more && accept_waiting(left, now, patience);
    const std::size_t open = unfinished_.size();
    erase_in_order(unfinished_, [&](Unfinished& waiting) { return read_from(waiting, now); });
    if (!more) break;
    const std::size_t kept = open - std::max<std::size_t>(open / 4, 1);
    while (unfinished_.size() > kept) {
      const std::string bytes = std::move(unfinished_.front().bytes);
      unfinished_.pop_front();
      drop("crowded", bytes);
    }
  }
  erase_in_order(unfinished_, [&](const Unfinished& waiting) {
    return waiting.deadline <= now && drop("deadline", waiting.bytes);
  });
}

bool Inbox::accept_waiting(int& left, Time now, Duration patience) {
  while (unfinished_.size() < std::max<std::size_t>(most_.unfinished, 1)) {
    if (left-- <= 0) return false;
    Descriptor fresh = accept_from(listener_);
    if (!fresh) {
      if (would_block()) return false;  // no connection waits any more
      const bool can_free_one = (errno == EMFILE || errno == ENFILE) && !unfinished_.empty();
      if (!can_free_one) exhausted_until_ = now + exhausted_pause;
      return can_free_one;
    }
    unfinished_.push_back({std::move(fresh), now + patience});
  }
  return true;
}

bool Inbox::read_from(Unfinished& unfinished, Time now) {
  std::string& bytes = unfinished.bytes;
  Incoming incoming = Incoming::some;
  while ((incoming = read_some(unfinished.connection, bytes)) == Incoming::some) {
    if (bytes.size() > max_message_bytes && bytes.size() > longest_message(bytes)) {
      return drop("oversize", bytes);
    }
  }
  if (incoming == Incoming::nothing) return false;
  if (incoming == Incoming::failed) return drop("reset", bytes);
  if (bytes.empty()) return drop("empty", bytes);
  const auto message = decode_received(bytes);
  if (!message) return drop("malformed", bytes);
  Descriptor connection = std::move(unfinished.connection);
  recipient_.on_message(*message, connection);
  const auto ping = decode(bytes, messages::held_ping);
  if (ping && ping->has(fields::hold_open)) hold(std::move(connection), now);
  return true;
}

bool Inbox::drop(std::string_view reason, std::string_view bytes) {
  recipient_.on_dropped(reason, bytes);
  return true;
}

void Inbox::close_all() {
  listener_.reset();
  unfinished_.clear();
  held_.clear();
}

Reach Outbox::try_to_send(NodeId to, const Message& message) const {
  const Connection connection = connect_to(directory_.socket_path(to));
  if (connection.reach == Reach::foreign) return Reach::gone;
  if (connection.reach != Reach::reached) return connection.reach;
  // A peer that closes between this connect and this send is dying: the next try will show it.
  return send_once(connection.descriptor, encode(message)) ? Reach::reached : Reach::busy;
}

void Outbox::send(NodeId to, const Message& message, Time now) {
  if (!waiting_.contains(to)) {
    const Reach reach = try_to_send(to, message);
    if (reach == Reach::gone) on_lost_(to, message, Loss::gone);
    if (reach != Reach::busy) return;
  }
  if (waiting_.empty()) {
    no_progress_since_ = now;
    next_try_ = now + retry_interval;
  }
  Queue& queue = waiting_[to];
  queue.push_back({message, now});
  if (queue.size() <= max_waiting_per_peer) return;
  on_lost_(to, queue.front().message, Loss::deadline);
  queue.pop_front();
}

// Counts the processes only for a message that seems too late: counting takes time.
bool Outbox::is_late(const Waiting& waiting, Time now) {
  if (waiting.since + patience_ > now) return false;
  if (!crowd_) crowd_ = crowd_time(directory_.living().size());
  return waiting.since + patience_ + *crowd_ <= now;
}

void Outbox::retry(Time now) {
  if (now < next_deadline()) return;
  crowd_.reset();
  for (auto& [to, queue] : waiting_) retry(to, queue, now);
  std::erase_if(waiting_, [](const auto& peer) { return peer.second.empty(); });
  next_try_ = now + std::max(retry_interval, (now - no_progress_since_) / retry_part);
}

void Outbox::retry(NodeId to, Queue& queue, Time now) {
  for (; !queue.empty(); queue.pop_front()) {
    const Waiting& next = queue.front();
    const Reach reach = try_to_send(to, next.message);
    const bool busy = reach == Reach::busy;
    if (busy && !is_late(next, now)) return;
    if (reach != Reach::reached) on_lost_(to, next.message, busy ? Loss::deadline : Loss::gone);
    if (!busy) no_progress_since_ = now;
  }
}

}  // namespace bully
