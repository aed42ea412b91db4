// participant.h: one process's part in an election, the same in every environment.
//
// An event goes in. The protocol's actions go to the environment (a real process, the simulator, a
// test), with a record of everything that happened: the event, each message, each change of state.
// So a real run and a simulated run record the same steps in the same order.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "election/protocol.h"
#include "election/record.h"

namespace bully {

enum class Loss : std::uint8_t {
  none,       // not lost: it is in flight
  gone,       // no process is behind the address
  deadline,   // the receiver did not take it in time
  chance,     // the network lost it
  partition,  // the network is cut there
  oversize,   // it exceeds the limit for messages: no receiver would read it
};

// Records: `self` sent `message` to `to`; it was lost, with the reason "gone", "deadline", "loss",
// "partition" or "oversize"; `self` received it.
Record sent_message(NodeId to, const Message& message);
Record lost_message(NodeId to, const Message& message, Loss loss);
Record receipt_of(const Message& message, NodeId self);

// The process that the caller should watch for a participant, if any.
struct WatchTarget {
  std::optional<NodeId> whom = std::nullopt;
  // The target is its coordinator: then the target's own coordinator matters.
  bool as_coordinator = false;

  bool operator==(const WatchTarget&) const = default;
};

// Carries out a participant's actions, and receives its records.
class Environment {
 public:
  virtual ~Environment() = default;
  virtual Loss send(NodeId to, const Message& message) = 0;
  virtual void start_timer(const StartTimer& action) = 0;
  virtual void stop_timer(Timer timer) = 0;
  virtual void watch(const WatchTarget& watch) = 0;  // from now on
  // False if no one reads the records: then they are not even made.
  virtual bool has_reader() const { return true; }
  // Takes a record with every field set but the time and the PID.
  virtual void record(Record record) = 0;
  // Shows the records so far: called before messages that leave together.
  virtual void flush() {}
  // True if each message leaves by itself, and is recorded when it does. await_turn() then runs
  // before each.
  virtual bool is_paced() const { return false; }
  virtual void await_turn() {}

 private:
  friend class Participant;
  // The actions of the present event. Kept here, since one environment may serve ten thousand
  // participants.
  Actions actions_;
  std::vector<NodeId> gone_;
  bool is_handling_ = false;
};

class Participant {
 public:
  // `algorithm`: its name, for the trace. The first message has the number `last_number` + 1.
  explicit Participant(std::unique_ptr<Protocol> protocol, std::string_view algorithm = {},
                       std::uint64_t last_number = 0)
      : protocol_(std::move(protocol)), algorithm_(algorithm), last_number_(last_number) {}

  // Handles one event, and every PeerGone that follows from it.
  void handle(const Event& event, const Peers& peers, Environment& environment);
  // Takes back a message in flight: it is lost. If its receiver is gone, the protocol gets
  // PeerGone, after the present event if there is one.
  void lose(NodeId to, const Message& message, Loss loss, const Peers& peers,
            Environment& environment);
  // Takes the protocol's present state as already recorded: the process is in the midst of its
  // life.
  void recall();
  // Records that the process leaves.
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
  // As last given to the environment.
  std::string_view state_;
  std::optional<NodeId> coordinator_;
  Variables variables_;
  WatchTarget watch_;
};

}  // namespace bully
