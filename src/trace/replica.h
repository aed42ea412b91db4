// replica.h: a process played once more, from the lines that it wrote.
//
// A protocol is a pure machine (../election/protocol.h): the same events, with the same peers, give
// the same actions. A process's lines hold its events and its deeds. So a replica takes the events,
// does the same, and compares the lines that follow with its own, one by one. A different line is
// a step that the rules do not take.
//
// It believes the events: whether a message was sent, or a suspicion was right, other lines show.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "election/algorithm.h"
#include "election/participant.h"
#include "election/peers_in_step.h"
#include "trace/environment.h"

namespace bully {

// A line that the rules do not allow there.
struct Difference {
  // The line due in its place: of the same event if only its values differ. Nothing: none was due,
  // until something happens to the process.
  std::optional<Record> due = std::nullopt;
  // By which it acts in this step, if it has come to one.
  const Rule* rule = nullptr;
};

// One life of a process: from its start to its end.
class Replica {
 public:
  // `start`: its first line, of which only the algorithm, its variant, the id and the pace count
  // here.
  // REQUIRES: can_begin(start).
  explicit Replica(const Record& start);

  // Whether this is a start that the process itself wrote, not a recorder.
  static bool can_begin(const Record& start);

  // Whether a step begins with this line, if it is a process's own: its event, or the loss of a
  // message to a peer that is gone.
  static bool begins_step(const Record& line);

  // Takes the next line that the process wrote (Record::n > 0), also the first, or the loss of a
  // message that it sent. After a difference it cannot go on.
  std::optional<Difference> take(const Record& line);

  // Whether this is a timeout before its time, counted from the first line of the step that started
  // the timer. Ask before take().
  bool is_early(const Record& line) const;

  // The longest wait of the timers that run; 0: none does. Ask after take().
  std::int64_t longest_wait_ns();

  // Whether its lines end in the middle of a step.
  bool is_in_step() { return due() != nullptr; }

 private:
  // The next record that its step makes; null if the step is done.
  const Record* due();
  std::optional<Difference> compare(const Record& line);
  bool is_equal(const Record& line, const Record& due);
  bool is_due(const Event& event);
  void begin_step(const Record& line, const Event& event);
  bool handle_gone(const Record& line);

  Waits waits_;
  KnownPeers peers_;
  Outputs outputs_;
  Participant participant_;
  // Of a timer that runs: when the step began that started it, and how long it may take.
  struct Running {
    std::int64_t since_ns;
    std::int64_t shortest_ns;
    std::int64_t longest_ns;
  };
  std::array<std::optional<Running>, timer_count> running_{};
  std::int64_t step_ns_ = 0;  // when the step began
  std::unique_ptr<Record> due_;
  const Rule* rule_ = nullptr;  // of this step
  // Messages that an earlier life of this process has sent.
  std::optional<std::uint64_t> sent_before_;
};

}  // namespace bully
