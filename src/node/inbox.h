// inbox.h: the receiving side of the wire. Accepts connections and takes one message from each.
//
// No connection waits for another: none is ever read with blocking, and one that is silent, or
// sends a byte at a time, is dropped when its time is over. A message is complete when its sender
// has closed, or half-closed, the connection.
//
// What one process sends is delivered in the order of sending (links are FIFO), though each message
// has its own connection: it closes one before it opens the next, the kernel hands them over in the
// order of opening, and they are read in that order. See receive() for what that takes.
//
// It never interprets a message beyond its wire form. Read next: node.h.
#pragma once

#include <poll.h>

#include <deque>
#include <string_view>
#include <utility>
#include <vector>

#include "election/message.h"
#include "node/clock.h"
#include "node/descriptor.h"

namespace bully {

// Whoever the messages are for.
class Recipient {
 public:
  virtual ~Recipient() = default;
  // `connection` still is open for a reply, and is closed when it is destroyed.
  virtual void on_message(const Message& message, Descriptor connection) = 0;
  // What came was no message. `reason`: "empty", "malformed", "oversize", "deadline", "reset", or
  // "crowded" (too many connections were waiting at once; this was the oldest).
  virtual void on_dropped(std::string_view reason) = 0;
};

class Inbox {
 public:
  // At most `max_waiting` connections are open at a time; one, if that is 0.
  Inbox(Recipient& recipient, std::size_t max_waiting);

  // Takes over a listening socket, or lets go of the last one.
  void listen_on(Descriptor listener) { listener_ = std::move(listener); }
  // Sees to it that the listening socket is closed before `held` when this process is killed.
  void close_before(const Descriptor& held);

  // Appends what to wait for: the listener first, then every unfinished connection.
  void add_to(std::vector<pollfd>& polled) const;
  // When the next unfinished connection's time is over, or accepting is tried again, or `never`.
  Time next_deadline() const;
  // Accepts what waits (bounded), reads what is there to be read, delivers every message that is
  // complete, and drops what has timed out. `ready`: the entries that add_to appended, after poll.
  // `patience`: how long what is accepted now may take to be complete.
  void receive(const pollfd* ready, Time now, Duration patience);

  // For a forked child, which must not keep what it inherited.
  void close_all();

 private:
  struct Unfinished {
    Unfinished(Descriptor taken, Time until) : connection(std::move(taken)), deadline(until) {}
    Descriptor connection;
    Time deadline;
    std::size_t size = 0;
    char bytes[max_message_bytes + 1] = {};
  };

  // At most `left` of them. Whether there may be more, for which there is no room.
  bool accept_waiting(int& left, Time now, Duration patience);
  void read_all();
  // Whether the connection is done with: its message delivered, or dropped.
  bool read_from(Unfinished& unfinished);
  bool drop(std::string_view reason);
  void deliver(Unfinished& unfinished);
  void drop_oldest();

  Recipient& recipient_;
  std::size_t max_waiting_;
  Descriptor listener_;
  std::deque<Unfinished> unfinished_;  // in the order of acceptance
  // No descriptor was left to accept with, nor any to be had by dropping: until then nobody looks.
  Time exhausted_until_ = never;
};

}  // namespace bully
