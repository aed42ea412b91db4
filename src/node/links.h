// links.h: both sides of the wire. One message a connection: connect, send, close.
//
// The inbox accepts connections and takes one message from each, complete when its sender has
// closed, or half-closed, the connection. None is read with blocking: a connection that is silent,
// or sends a byte at a time, is dropped when its time is over, and keeps no other waiting.
//
// The outbox tries a peer whose backlog is full again shortly, until the message's deadline, while
// all other messages go on. Nothing here waits, and nothing interprets a message.
//
// Links are FIFO. Messages to one peer leave in the order in which they were given; each connection
// is closed before the next is opened; the kernel hands them over in that order, in which they are
// read: see Inbox::receive().
#pragma once

#include <poll.h>

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "election/message.h"
#include "election/participant.h"
#include "node/directory.h"
#include "node/system.h"

namespace bully {

class Recipient {
 public:
  virtual ~Recipient() = default;
  // `connection` is still open for a reply.
  virtual void on_message(const Message& message, Descriptor connection) = 0;
  // What came was no message. `reason`: "empty", "malformed", "oversize", "deadline", "reset", or
  // "crowded" (too many connections were waiting at once; this was the oldest).
  virtual void on_dropped(std::string_view reason) = 0;
};

// How many descriptors are spent on connections that others have opened.
struct DescriptorShares {
  std::size_t unfinished = 1;  // that have not said everything yet; at least one
  std::size_t held = 0;        // kept open for other nodes' monitors
};

// A third of what the node does not need for itself is for connections that have not said anything
// yet; the rest for those that are held. A monitor whose connection is not held goes on as with
// `--detector=ping`. Throws SetupError if not even that is possible.
DescriptorShares share_descriptors();

class Inbox {
 public:
  Inbox(Recipient& recipient, DescriptorShares most) : recipient_(recipient), most_(most) {}

  void listen_on(Descriptor listener) { listener_ = std::move(listener); }
  // Keeps the connection of another node's monitor open, so that the kernel tells it of this
  // process's death at once (`--detector=eof`). Nothing is read from it. One too many is closed.
  void hold(Descriptor connection);

  // Appends what to wait for: the listener, then every unfinished connection.
  void add_to(std::vector<pollfd>& polled) const;
  // When the next unfinished connection's time is over, or accepting is tried again, or `never`.
  Time next_deadline() const;
  // Accepts what waits (bounded), reads what is there, delivers every complete message, and drops
  // what has timed out. `ready`: the entries that add_to appended, after poll. `patience`: how long
  // what is accepted now may take to be complete.
  void receive(const pollfd* ready, Time now, Duration patience);

  // For a forked child, which must not keep what it inherited.
  void close_all();

 private:
  struct Unfinished {
    Descriptor connection;
    Time deadline;
    std::string bytes = {};
  };

  void close_before(const Descriptor& held);
  void drop_ended();
  // At most `left` of them. Whether there may be more, for which there is no room.
  bool accept_waiting(int& left, Time now, Duration patience);
  // Whether the connection is done with: its message delivered, or dropped.
  bool read_from(Unfinished& unfinished);
  bool drop(std::string_view reason);

  static constexpr std::size_t min_to_check = 16;

  Recipient& recipient_;
  DescriptorShares most_;
  Descriptor listener_;
  std::deque<Unfinished> unfinished_;  // in the order of acceptance
  // Until then nothing is accepted: no descriptor was left for it, nor any to be had by dropping.
  Time exhausted_until_ = never;
  std::vector<Descriptor> held_;
  std::size_t next_check_ = min_to_check;  // when so many are held
};

class Outbox {
 public:
  // `usual_patience`: from the giving of a message to its deadline; in a crowd it is longer.
  // `on_lost` hears of each message that had to wait and was given up: its receiver is gone, or it
  // is too late. More may be sent from there.
  using OnLost = std::function<void(NodeId to, const Message& message, Loss loss)>;
  Outbox(const Directory& directory, Duration usual_patience, OnLost on_lost)
      : directory_(directory), patience_(usual_patience), on_lost_(std::move(on_lost)) {}

  // `none`: sent, or to be sent as soon as the peer can take it. `gone`: no process has its name.
  Loss send(NodeId to, const Message& message, Time now);
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
  std::optional<Duration> crowd_;  // how much longer than its patience, since it last tried again
  Time next_try_ = never;
  Time no_progress_since_ = never;
};

}  // namespace bully
