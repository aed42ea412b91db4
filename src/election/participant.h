// participant.h: one process's part in an election, the same in every environment.
//
// An event goes in, and outputs come out, in order: the protocol's actions, with a record of
// everything that happened: the event, each message, each change of state. They stand in a queue of
// the world (a real process, the simulator, a test), which carries them out. So a real run and a
// simulated run record the same steps in the same order.
//
// The world's duties, beside those for a protocol (protocol.h):
//   1. Take one output after the other from the queue, and carry it out. Nothing else happens to
//      the process meanwhile: the next event comes when the queue is empty.
//   2. When a message is lost, record that at once, and tell the queue if its receiver is gone.
//      When a timer is started, record the wait: only the world knows how long it may last.
//   3. When the queue is empty, first call handle_gone() until no peer is left that is gone, with
//      the same peers as the event before; and carry out the outputs. Then show the records.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

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
  // It has arrived, and its receiver does not take it:
  crowded,  // too many others wait there for their turn
  foreign,  // it is of another algorithm
  self,     // its sender uses the receiver's own id
};
inline constexpr std::array<std::string_view, 9> loss_names = {
    "", "gone", "deadline", "loss", "partition", "oversize", "crowded", "foreign", "self"};

// Records: a message was sent to `to`; it was lost, with the reason of that name; `self` received
// it; `self` has started a timer.
Record sent_message(NodeId to, const Message& message);
Record lost_message(NodeId to, const Message& message, Loss loss);
Record receipt_of(const Message& message, NodeId self);
Record started_wait(NodeId self, Timer timer, std::optional<std::int64_t> longest_ns);

// The process that the caller should watch for a participant, if any.
struct WatchTarget {
  std::optional<NodeId> whom = std::nullopt;
  // The target is its coordinator: then the target's own coordinator matters.
  bool as_coordinator = false;

  bool operator==(const WatchTarget&) const = default;
};

// Messages that leave together follow: the records so far are to be shown first.
struct Flush {};
// With a pace: a message follows, before which the process pauses. After a message that found
// nobody it does not: a thousand names of the dead would take it longer than any wait.
struct Pause {};
// A record has every field set but the time and the PID: the world adds them as it carries it out.
using Output =
    std::variant<Send, StartTimer, StopTimer, WatchTarget, Flush, Pause, std::unique_ptr<Record>>;

// What is still to be carried out of a process's step. One queue may serve ten thousand processes,
// if the world carries out all of it at once.
class Outputs {
 public:
  // `has_reader`: whether anyone reads the records; otherwise they are not even made. `is_paced`:
  // whether each message leaves by itself, after a pause, and is recorded when it does.
  explicit Outputs(bool has_reader = true, bool is_paced = false);
  ~Outputs();
  Outputs(Outputs&& other) noexcept;

  bool empty() const { return next_ == queue_.size(); }
  // The next output, from now on taken; null if there is none. Valid until the next step.
  Output* take();
  // No process is behind this peer's address.
  void add_gone(NodeId peer);
  // Such a peer, in the order of adding, from now on taken.
  std::optional<NodeId> take_gone();
  // Nothing is left: no output, and no peer that is gone.
  bool is_done() const { return empty() && gone_.empty(); }

 private:
  friend class Participant;
  void record(Record record);

  bool has_reader_;
  bool is_paced_;
  std::vector<Output> queue_;
  std::size_t next_ = 0;
  std::deque<NodeId> gone_;
  bool found_nobody_ = false;  // the latest message, in this step or the one before it
  Actions actions_;            // of a step; kept for its memory
};

class Participant {
 public:
  // `algorithm`: its name, for the trace. The first message has the number `last_number` + 1.
  explicit Participant(std::unique_ptr<Protocol> protocol, std::string_view algorithm = {},
                       std::uint64_t last_number = 0)
      : protocol_(std::move(protocol)), algorithm_(algorithm), last_number_(last_number) {}

  // The step with this event. REQUIRES: outputs.empty().
  void handle(const Event& event, const Peers& peers, Outputs& outputs);
  // The step with PeerGone for the next peer that is gone. False: there is none.
  bool handle_gone(const Peers& peers, Outputs& outputs);
  // Takes the protocol's present state as already recorded: the process is in the midst of its
  // life.
  void recall();

  const Protocol& protocol() const { return *protocol_; }
  std::uint64_t last_number() const { return last_number_; }

 private:
  Actions::iterator send_run(Actions::iterator first, Outputs& outputs);
  Record record_of(const Event& event) const;
  void step_and_record(const Event& event, const Peers& peers, Outputs& outputs);
  void record_change(Outputs& outputs);
  WatchTarget target() const;

  std::unique_ptr<Protocol> protocol_;
  std::string_view algorithm_;
  std::uint64_t last_number_;
  // As last recorded, and as last told to the world.
  std::string_view state_;
  std::optional<NodeId> coordinator_;
  Variables variables_;
  WatchTarget watch_;
};

}  // namespace bully
