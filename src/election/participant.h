// participant.h: one process's part in an election, with all that is the same in every world.
//
// An event goes in. What the protocol wants done goes to the carrier (a real process, the
// simulator, a test), and with it a record of everything that happened: the event, each message,
// each change of state. So a real run and a simulated one record the same steps in the same order.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "election/protocol.h"
#include "election/record.h"

namespace bully {

enum class Loss : std::uint8_t {
  none,       // it is on its way
  gone,       // there is no process behind the address
  deadline,   // the receiver did not take it in time
  chance,     // the network lost it
  partition,  // the network is cut there
  oversize,   // it is longer than any message: nobody would read it
};

// That `message` to `to` was sent, as its sender records it; that it was lost, for the reason
// "gone", "deadline", "loss", "partition" or "oversize"; and that `self` received it.
Record sent_message(NodeId to, const Message& message);
Record lost_message(NodeId to, const Message& message, Loss loss);
Record receipt_of(const Message& message, NodeId self);

// Whom a participant wants to be watched, if anybody.
struct WatchTarget {
  std::optional<NodeId> whom = std::nullopt;
  // As its coordinator, now or soon: then it matters whom that one follows, and in which group.
  bool as_coordinator = false;
  std::optional<Group> group = std::nullopt;  // its own

  bool operator==(const WatchTarget&) const = default;
};

// What carries out the actions of a participant, and hears what happened.
class Environment {
 public:
  virtual ~Environment() = default;
  virtual Loss send(NodeId to, const Message& message) = 0;
  virtual void start_timer(const StartTimer& action) = 0;
  virtual void stop_timer(Timer timer) = 0;
  virtual void watch(const WatchTarget& watch) = 0;  // from now on
  // Whether anybody reads the records; they are not even made if nobody does.
  virtual bool has_reader() const { return true; }
  // Everything but the time and the PID is filled in.
  virtual void record(Record record) = 0;
  // What was recorded may be shown now: before messages that leave together do.
  virtual void flush() {}
  // Whether each message is to leave by itself, and to be recorded when it does; and what comes
  // before it then.
  virtual bool is_paced() const { return false; }
  virtual void await_turn() {}

 private:
  friend class Participant;
  // Of the event that is being handled. Kept here, since one carrier may serve ten thousand.
  Actions actions_;
  std::vector<NodeId> gone_;
  bool is_handling_ = false;
};

class Participant {
 public:
  // `algorithm`: its name, for the trace. Messages are numbered from `last_number` + 1.
  explicit Participant(std::unique_ptr<Protocol> protocol, std::string_view algorithm = {},
                       std::uint64_t last_number = 0)
      : protocol_(std::move(protocol)), algorithm_(algorithm), last_number_(last_number) {}

  // One event, and every PeerGone that follows from it.
  void handle(const Event& event, const Peers& peers, Environment& environment);
  // A message that was on its way is lost after all. If its receiver is gone, the protocol learns
  // that; while an event is being handled, after it.
  void lose(NodeId to, const Message& message, Loss loss, const Peers& peers,
            Environment& environment);
  // All that the protocol is now has been told already: it is in the midst of its life.
  void recall();
  // It leaves: the last record.
  void leave(Environment& environment) const;

  const Protocol& protocol() const { return *protocol_; }
  std::uint64_t last_number() const { return last_number_; }

 private:
  void step(const Event& event, const Peers& peers, Environment& environment);
  void step_all_gone(const Peers& peers, Environment& environment);
  Actions::iterator send_run(Actions::iterator first, const Peers& peers, Environment& environment);
  void record_event(const Event& event, Environment& environment) const;
  void record_finding(const Event& event, Environment& environment) const;
  void record_change(Environment& environment);
  WatchTarget target() const;

  std::unique_ptr<Protocol> protocol_;
  std::string_view algorithm_;
  std::uint64_t last_number_;
  // As the carrier was told last.
  std::string_view state_;
  std::optional<NodeId> coordinator_;
  Variables variables_;
  std::optional<Group> group_;
  WatchTarget watch_;
};

}  // namespace bully
