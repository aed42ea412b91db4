#include "node/outbox.h"

#include <algorithm>
#include <utility>

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

bool Outbox::try_to_send(NodeId to, const Message& message) {
  const Connection connection = connect_to(directory_.socket_path(to));
  if (connection.reach == Reach::gone) {
    observer_.on_gone(to, message);
    return true;
  }
  // A peer that closes between our connect and our send is dying: the next try will tell.
  return connection.reach == Reach::reached && send_once(connection.descriptor, encode(message));
}

void Outbox::send(NodeId to, const Message& message, Time now) {
  const auto queue = waiting_.find(to);
  if (queue == waiting_.end() && try_to_send(to, message)) return;
  if (waiting_.empty()) {
    in_vain_since_ = now;
    next_try_ = now + retry_interval;
  }
  std::deque<Waiting>& waiting = waiting_[to];
  waiting.push_back({message, now + patience_ + crowd_time(directory_.last_count())});
  if (waiting.size() <= max_waiting_per_peer) return;
  const Message oldest = waiting.front().message;
  waiting.pop_front();
  observer_.on_deadline(to, oldest);
}

void Outbox::retry(Time now) {
  if (now < next_deadline()) return;
  // The observer may send more: work on what was waiting, then merge.
  auto due = std::exchange(waiting_, {});
  for (auto& [to, queue] : due) {
    while (!queue.empty() && try_to_send(to, queue.front().message)) {
      queue.pop_front();
      in_vain_since_ = now;
    }
    while (!queue.empty() && queue.front().deadline <= now) {
      const Message late = queue.front().message;
      queue.pop_front();
      observer_.on_deadline(to, late);
    }
    std::deque<Waiting>& newer = waiting_[to];
    newer.insert(newer.begin(), queue.begin(), queue.end());
    if (newer.empty()) waiting_.erase(to);
  }
  next_try_ = now + std::max(retry_interval, (now - in_vain_since_) / retry_part);
}

}  // namespace bully
