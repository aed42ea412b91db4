// checkers_rules.cc: whether each process acts by its rules. A replica of each takes the same steps
// (../trace/replica.h); its first difference ends the judgement of that process.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "trace/replica.h"
#include "verdict/checkers.h"

namespace bully {

namespace {

// The latest incarnation of a process, with the replica that takes its steps: the rules decide
// here, so a belief is too little.
struct Replayed {
  std::size_t incarnation = no_record;
  std::unique_ptr<Replica> replica = nullptr;
  bool is_of_this_version = false;
  std::size_t event = no_record;  // the line of the event that it handles
  std::uint8_t timed_out = 0;     // elections in a row
  std::int64_t long_wait_ns = 0;  // its latest in LongWaits
};

void accuse(const CheckedRun& run, const Replayed& life, std::size_t i, Difference difference) {
  const NodeId node = run.at(i).node;
  std::vector<std::size_t> shown_by = {i};
  if (life.event != no_record && life.event != i) shown_by.insert(shown_by.begin(), life.event);
  Violation violation{&properties::by_rules, "not_by_rules", node, node, std::move(shown_by)};
  if (difference.due) violation.due = std::make_shared<const Record>(*std::move(difference.due));
  violation.rule = difference.rule;
  run.report.violations.push_back(std::move(violation));
}

// The processes that live on though the trace ends in the middle of a step of theirs.
Reason find_steps_cut_off(const CheckedRun& run, std::map<NodeId, Replayed>& lives) {
  Reason in_step{"in_step", {}, {}};
  for (auto& [node, replayed] : lives) {
    const Incarnation& life = run.timeline.incarnations[replayed.incarnation];
    if (life.shown_dead == no_record && replayed.replica && replayed.replica->is_in_step()) {
      in_step.add(node, life.last);
    }
  }
  return in_step;
}

// `other`: the lives of another version that differ.
void take(const CheckedRun& run, Replayed& life, std::size_t i, const Record& line, Reason& other) {
  std::optional<Difference> difference = life.replica->take(line);
  // A line that is still due belongs to the step before.
  const bool begins = Replica::begins_step(line) && !(difference && difference->due);
  if (begins) life.event = i;
  if (!difference) {
    if (begins) run.test(properties::by_rules);
    return;
  }
  life.replica.reset();
  if (life.is_of_this_version) {
    accuse(run, life, i, *std::move(difference));
  } else {
    other.add(line.node, i);
  }
}

// Where no replica shows how long a process waits: it doubles its wait at each election that times
// out, at most as often as any of this program's elections does.
constexpr std::uint8_t most_doublings = 6;

// How long the process may wait after record `i`.
void note_wait(const CheckedRun& run, Replayed& life, std::size_t i, const Record& line) {
  const Waits& waits = run.timeline.incarnations[life.incarnation].waits;
  if (line.event == TraceEvent::coordinator) life.timed_out = 0;
  if (line.event == TraceEvent::timeout && line.timer == timer_name(Timer::coordinator)) {
    life.timed_out = std::min<std::uint8_t>(life.timed_out + 1U, most_doublings);
  }
  std::int64_t wait_ns = life.replica
                             ? life.replica->longest_wait_ns()
                             : wait_range({Timer::coordinator, life.timed_out},
                                          waits.answer_timeout_ns, waits.coordinator_timeout_ns)
                                   .second;
  const auto decide_ns = [&](std::int64_t ns) {
    return time_to_decide_ns(run.timeline, waits, ns);
  };
  if (decide_ns(wait_ns) == decide_ns(0)) wait_ns = 0;
  if (std::exchange(life.long_wait_ns, wait_ns) != wait_ns) run.long_waits[i] = wait_ns;
}

}  // namespace

void check_rules(const CheckedRun& run) {
  std::map<NodeId, Replayed> lives;
  Reason other{"other_version", {}, {}};
  Reason early{"early", {}, {}};
  for (std::size_t i = 0; i < run.trace.records.size(); ++i) {
    const Record& line = run.trace.records[i];
    // Where a script loses messages, its player writes that.
    const bool is_own = line.n > 0 || line.event == TraceEvent::lost;
    Replayed& life = lives[line.node];
    const std::size_t incarnation = run.timeline.incarnation_of[i];
    if (life.incarnation != incarnation) life = {.incarnation = incarnation};
    if (line.n > 0 && Replica::can_begin(line)) {
      life.replica = std::make_unique<Replica>(line);
      life.is_of_this_version = line.given->core == core_version() &&
                                line.algorithm == algorithm_named(line.algorithm).signed_name();
    }
    if (is_own && life.replica) {
      if (life.replica->is_early(line)) early.add(line.node, i);
      take(run, life, i, line, other);
    }
    note_wait(run, life, i, line);
  }
  run.doubt(find_steps_cut_off(run, lives));
  run.doubt(std::move(other));
  run.doubt(std::move(early));
}

}  // namespace bully
