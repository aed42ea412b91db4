// outbox.h: the sending side of the wire. One message a connection: connect, send, close.
//
// A peer whose backlog is full is tried again shortly, until the message's deadline, while all
// other messages go on. Messages to one peer leave in the order in which they were given (the
// links are FIFO). Nothing here waits. The observer may send more while it is told of a message.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>

#include "election/message.h"
#include "election/participant.h"
#include "node/clock.h"
#include "node/directory.h"

namespace bully {

// Whoever wants to know what became of a message that had to wait.
class SendObserver {
 public:
  virtual ~SendObserver() = default;
  // It was given up: there is no process behind the peer's name any more, or the deadline is over.
  virtual void on_lost(NodeId to, const Message& message, Loss loss) = 0;
};

class Outbox {
 public:
  // `patience`: from the giving of a message to its deadline; in a crowd it is longer.
  Outbox(const Directory& directory, SendObserver& observer, Duration patience)
      : directory_(directory), observer_(observer), patience_(patience) {}

  enum class Fate : std::uint8_t { sent, gone, waits };

  // Sends now, or as soon as the peer can take it; not where there is no process behind its name.
  Fate send(NodeId to, const Message& message, Time now);
  // Tries again what is due, and gives up what is too late.
  void retry(Time now);
  // When retry() should be called next, or `never`.
  Time next_deadline() const { return waiting_.empty() ? never : next_try_; }

 private:
  struct Waiting {
    Message message;
    Time since;
  };
  // Nothing is sent to a peer while another message to it still waits.
  using Queue = std::deque<Waiting>;
  Fate try_to_send(NodeId to, const Message& message) const;
  void retry(NodeId to, Queue& queue, Time now);
  Time deadline_of(const Waiting& waiting);

  const Directory& directory_;
  SendObserver& observer_;
  Duration patience_;
  std::map<NodeId, Queue> waiting_;
  std::optional<Duration> crowd_;  // how much longer than its patience, since it last tried again
  Time next_try_ = never;
  Time in_vain_since_ = never;
};

}  // namespace bully
