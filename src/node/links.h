// links.h: both sides of the wire. Each connection carries one message: connect, send, close.
//
// The inbox accepts connections and takes one message from each, complete when its sender has
// closed, or half-closed, the connection. Reading never blocks: a connection that is silent, or
// sends a byte at a time, is dropped when its time is over, and delays no other.
//
// The outbox tries a peer whose backlog is full again shortly, until the message's deadline, while
// all other messages go on. Neither side waits or interprets a message.
//
// Links are FIFO. Messages to one peer leave in the order in which they were given; each connection
// is closed before the next is opened; the kernel hands them over in that order, and the inbox
// reads them in that order: see Inbox::receive().
#pragma once

#include <poll.h>

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "election/message.h"
#include "election/participant.h"
#include "node/directory.h"
#include "node/system.h"

namespace bully {

namespace fields {
inline constexpr Field hold_open{"hold-open", Field::Meaning::flag};
}  // namespace fields

namespace messages {
// A ping whose sender asks to keep the connection open, to learn of a death (`--detector=eof`). To
// its receiver it is a ping.
inline constexpr MessageKind held_ping{"1", "ping", Role::none, {&fields::hold_open}};
}  // namespace messages

// The message that came in on a connection: one of known_messages(), or a status query.
std::optional<Message> decode_received(std::string_view bytes);

// std::erase_if for a predicate with an effect, such as delivering a message. The standard promises
// neither the order in which std::erase_if calls its predicate, nor that the elements are still in
// their places then: FIFO links cannot rest on it.
template <typename Sequence, typename IsDone>
void erase_in_order(Sequence& sequence, IsDone is_done) {
  auto kept = sequence.begin();
  for (auto at = sequence.begin(); at != sequence.end(); ++at) {
    if (is_done(*at)) continue;
    if (kept != at) *kept = std::move(*at);
    ++kept;
  }
  sequence.erase(kept, sequence.end());
}

class Recipient {
 public:
  virtual ~Recipient() = default;
  // `connection` is still open for a reply. Unless it is taken, or held, it is closed after that.
  virtual void on_message(const Message& message, Descriptor& connection) = 0;
  // The connection carried no message. `reason`: "empty", "malformed", "oversize", "deadline",
  // "reset", or "crowded": too many connections, or messages, were waiting at once. `bytes`: what
  // it carried, as far as it was read.
  virtual void on_dropped(std::string_view reason, std::string_view bytes) = 0;
};

// The descriptors reserved for connections that others have opened.
struct DescriptorShares {
  std::size_t unfinished = 1;  // not complete yet; at least one
  std::size_t held = 0;        // kept open for other nodes' monitors
};

// A third of the descriptors that the node can spare is for unfinished connections, the rest for
// held ones. A monitor whose connection is not held goes on as with `--detector=ping`. Throws
// SetupError if not even that is possible.
DescriptorShares share_descriptors();

class Inbox {
 public:
  Inbox(Recipient& recipient, DescriptorShares most) : recipient_(recipient), most_(most) {}

  void listen_on(Descriptor listener) { listener_ = std::move(listener); }

  // Appends the descriptors to poll: the listener, then every unfinished connection.
  void add_to(std::vector<pollfd>& polled) const;
  // The next time when an unfinished connection's time is over, accepting is tried again or held
  // connections are checked, or `never`.
  Time next_deadline() const;
  // Accepts waiting connections (a bounded number), reads, delivers every complete message, and
  // drops the connections that have timed out. `ready`: the entries that add_to appended, after
  // poll. `patience`: the time for a connection accepted now to be complete.
  void receive(const pollfd* ready, Time now, Duration patience);

  // For a forked child, which must not keep inherited connections; and for a node that leaves.
  void close_all();

 private:
  struct Unfinished {
    Descriptor connection;
    Time deadline;
    std::string bytes = {};
  };

  // Keeps the connection of another node's monitor open, so that the kernel reports this process's
  // death to it at once. It is never read. A connection beyond the share is closed; the monitor
  // asks again with its next ping.
  void hold(Descriptor connection, Time now);
  void close_before(const Descriptor& held);
  // Closes the held connections of monitors that are gone.
  void drop_ended(Time now);
  // Accepts at most `left` connections. True if there may be more, for which there is no room.
  bool accept_waiting(int& left, Time now, Duration patience);
  // True if the connection is finished: its message delivered, or dropped.
  bool read_from(Unfinished& unfinished, Time now);
  bool drop(std::string_view reason, std::string_view bytes);

  Recipient& recipient_;
  DescriptorShares most_;
  Descriptor listener_;
  std::deque<Unfinished> unfinished_;  // in the order of acceptance
  // Nothing is accepted until then: the system refused, and dropping could not help.
  Time exhausted_until_ = never;
  std::vector<Descriptor> held_;
  Time check_held_at_ = never;
};

class Outbox {
 public:
  // `usual_patience`: the time from sending a message to its deadline; in a crowd it is longer.
  // `on_lost` gets each message that is lost: its receiver is gone, or it had to wait too long. It
  // sends none.
  using OnLost = std::function<void(NodeId to, const Message& message, Loss loss)>;
  Outbox(const Directory& directory, Duration usual_patience, OnLost on_lost)
      : directory_(directory), patience_(usual_patience), on_lost_(std::move(on_lost)) {}

  // A message that the peer cannot take now is queued.
  void send(NodeId to, const Message& message, Time now);
  void retry(Time now);
  Time next_deadline() const { return waiting_.empty() ? never : next_try_; }

 private:
  struct Waiting {
    Message message;
    Time since;
  };
  // Nothing is sent to a peer while another message to it still waits.
  using Queue = std::deque<Waiting>;
  Reach try_to_send(NodeId to, const Message& message) const;
  void retry(NodeId to, Queue& queue, Time now);
  bool is_late(const Waiting& waiting, Time now);

  const Directory& directory_;
  Duration patience_;
  OnLost on_lost_;
  std::map<NodeId, Queue> waiting_;
  std::optional<Duration> crowd_;  // the extra patience, since it last tried again
  Time next_try_ = never;
  Time no_progress_since_ = never;
};

}  // namespace bully
