#include "node/outbox.h"

#include <algorithm>
#include <iterator>

#include "node/unix_socket.h"

namespace bully {

namespace {

// A full backlog empties as fast as its owner reads; nothing tells when, so it has to be tried. At
// first soon; later after a part of the time tried in vain, to leave the owner the processor.
constexpr Duration retry_interval = std::chrono::milliseconds(2);
constexpr int retry_part = 16;

// More than this many for one peer and the oldest is given up: nothing grows without bound.
constexpr std::size_t max_waiting_per_peer = 64;

}  // namespace

Outbox::Fate Outbox::try_to_send(NodeId to, const Message& message) const {
  const Connection connection = connect_to(directory_.socket_path(to));
  if (connection.reach == Reach::gone || connection.reach == Reach::foreign) return Fate::gone;
  if (connection.reach == Reach::busy) return Fate::waits;
  // A peer that closes between our connect and our send is dying: the next try will tell.
  return send_once(connection.descriptor, encode(message)) ? Fate::sent : Fate::waits;
}

Outbox::Fate Outbox::send(NodeId to, const Message& message, Time now) {
  if (!waiting_.contains(to)) {
    const Fate fate = try_to_send(to, message);
    if (fate != Fate::waits) return fate;
  }
  if (waiting_.empty()) {
    in_vain_since_ = now;
    next_try_ = now + retry_interval;
  }
  Queue& queue = waiting_[to];
  queue.push_back({message, now});
  if (queue.size() <= max_waiting_per_peer) return Fate::waits;
  const Message oldest = queue.front().message;
  queue.pop_front();
  observer_.on_lost(to, oldest, Loss::deadline);
  return Fate::waits;
}

// How many there are is looked at only for a message that seems too late: it takes time.
Time Outbox::deadline_of(const Waiting& waiting) {
  if (!crowd_) crowd_ = crowd_time(directory_.living_count());
  return waiting.since + patience_ + *crowd_;
}

void Outbox::retry(Time now) {
  if (now < next_deadline()) return;
  crowd_.reset();
  // Whatever the observer sends meanwhile queues up behind what waits; for another peer, it may
  // make a queue of its own. No queue goes before its turn here.
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    retry(at->first, at->second, now);
    at = at->second.empty() ? waiting_.erase(at) : std::next(at);
  }
  next_try_ = now + std::max(retry_interval, (now - in_vain_since_) / retry_part);
}

// What is sent to this peer while this runs is left for the next time.
void Outbox::retry(NodeId to, Queue& queue, Time now) {
  for (std::size_t left = queue.size(); left > 0; --left) {
    const Waiting next = queue.front();
    const Fate fate = try_to_send(to, next.message);
    const bool late = fate == Fate::waits && next.since + patience_ <= now;
    if (fate == Fate::waits && (!late || deadline_of(next) > now)) return;
    queue.pop_front();
    if (fate == Fate::gone) observer_.on_lost(to, next.message, Loss::gone);
    if (late) observer_.on_lost(to, next.message, Loss::deadline);
    if (!late) in_vain_since_ = now;
  }
}

}  // namespace bully
