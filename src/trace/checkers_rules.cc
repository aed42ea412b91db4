// checkers_rules.cc: whether each process acts by its rules. A replica of each takes the same steps
// (replica.h); its first difference ends the judgement of that process.
#include <optional>
#include <utility>
#include <vector>

#include "trace/checkers.h"
#include "trace/replica.h"

namespace bully {

namespace {

// One life of a process.
struct Played {
  std::optional<Replica> replica;
  bool is_of_this_version = false;
  std::size_t event = no_record;  // the line of the event that it handles
};

}  // namespace

void check_rules(const CheckedRun& run) {
  std::vector<Played> lives(run.timeline.incarnations.size());
  Reason older{"older", {}, {}};
  Reason other{"other_version", {}, {}};
  for (const auto& [i, line] : run.trace.records) {
    // Where a script loses messages, its player writes that.
    const bool is_own = line.n > 0 || line.event == TraceEvent::lost;
    Played& life = lives[run.timeline.incarnation_of[i]];
    if (Replica::can_begin(line)) {
      life.replica.emplace(line);
      life.is_of_this_version = line.given->core == core_version();
    } else if (line.event == TraceEvent::start) {
      older.add(line.node, i);
    }
    if (!is_own || !life.replica) continue;
    const std::optional<Difference> difference = life.replica->take(line);
    if (Replica::begins_step(line)) life.event = i;
    if (!difference) {
      if (life.event == i) run.test(properties::by_rules);
      continue;
    }
    life.replica.reset();
    if (!life.is_of_this_version) {
      other.add(line.node, i);
      continue;
    }
    std::vector<std::size_t> shown_by = {i};
    if (life.event != no_record && life.event != i) shown_by.insert(shown_by.begin(), life.event);
    Violation violation{&properties::by_rules, "not_by_rules", line.node, line.node,
                        std::move(shown_by)};
    if (difference->due) violation.due = std::make_shared<const Record>(*difference->due);
    violation.rule = difference->rule;
    run.report.violations.push_back(std::move(violation));
  }
  run.doubt(std::move(older));
  run.doubt(std::move(other));
}

}  // namespace bully
