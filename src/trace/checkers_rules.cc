// checkers_rules.cc: whether each process acts by its rules. A replica of each takes the same steps
// (replica.h); its first difference ends the judgement of that process.
#include <algorithm>
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
  std::size_t event = no_record;  // the line of the event that it handles
};

}  // namespace

void check_rules(const CheckedRun& run) {
  std::vector<Played> lives(run.timeline.incarnations.size());
  Reason older{"older", {}, {}};
  for (const Incarnation& life : run.timeline.incarnations) {
    const Record& first = run.at(life.first);
    const bool is_start = first.event == TraceEvent::start;
    if (is_start && !Replica::can_begin(first)) older.add(life.node, life.first);
  }
  run.doubt(std::move(older));
  for (const auto& [i, line] : run.trace.records) {
    // Where a script loses messages, its player writes that.
    const bool is_own = line.n > 0 || line.event == TraceEvent::lost;
    if (!is_own) continue;
    auto& [replica, event] = lives[run.timeline.incarnation_of[i]];
    if (Replica::can_begin(line)) replica.emplace(line);
    if (!replica) continue;
    const std::optional<Difference> difference = replica->take(line);
    if (Replica::begins_step(line)) event = i;
    if (!difference) {
      if (event == i) run.test(properties::by_rules);
      continue;
    }
    std::vector<std::size_t> shown_by = {i};
    if (event != no_record && event != i) shown_by.insert(shown_by.begin(), event);
    Violation violation{&properties::by_rules, "not_by_rules", line.node, line.node,
                        std::move(shown_by)};
    if (difference->due) violation.due = std::make_shared<const Record>(*difference->due);
    violation.rule = difference->rule;
    run.report.violations.push_back(std::move(violation));
    replica.reset();
  }
}

}  // namespace bully
