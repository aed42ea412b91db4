// checkers_rules.cc: whether each process acts by its rules. A replica of each takes the same steps
// (../trace/replica.h); its first difference ends the judgement of that process.
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

}  // namespace

void check_rules(const CheckedRun& run) {
  std::map<NodeId, Replayed> lives;
  Reason older{"older", {}, {}};
  Reason other{"other_version", {}, {}};
  Reason early{"early", {}, {}};
  for (const auto& [i, line] : run.trace.records) {
    // Where a script loses messages, its player writes that.
    const bool is_own = line.n > 0 || line.event == TraceEvent::lost;
    Replayed& life = lives[line.node];
    const std::size_t incarnation = run.timeline.incarnation_of[i];
    if (life.incarnation != incarnation) life = {.incarnation = incarnation};
    if (line.n > 0 && Replica::can_begin(line)) {
      life.replica = std::make_unique<Replica>(line);
      life.is_of_this_version = line.given->core == core_version() &&
                                line.algorithm == algorithm_named(line.algorithm).signed_name();
    } else if (line.event == TraceEvent::start) {
      older.add(line.node, i);
    }
    if (!is_own || !life.replica) continue;
    if (life.replica->is_early(line)) early.add(line.node, i);
    const std::optional<Difference> difference = life.replica->take(line);
    // A line that is still due belongs to the step before.
    const bool begins = Replica::begins_step(line) && !(difference && difference->due);
    if (begins) life.event = i;
    if (!difference) {
      if (begins) run.test(properties::by_rules);
      continue;
    }
    life.replica.reset();
    if (life.is_of_this_version) {
      accuse(run, life, i, *difference);
    } else {
      other.add(line.node, i);
    }
  }
  run.doubt(find_steps_cut_off(run, lives));
  run.doubt(std::move(older));
  run.doubt(std::move(other));
  run.doubt(std::move(early));
}

}  // namespace bully
