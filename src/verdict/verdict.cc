// verdict.cc: a run's doubts, its broken promises, and the promises that it does not owe.
#include "verdict/verdict.h"

#include <algorithm>
#include <utility>

#include "verdict/checkers.h"

namespace bully {

namespace {

using Checker = std::pair<const Property*, void (*)(const CheckedRun&)>;
constexpr auto checkers = std::to_array<Checker>({
    {&properties::by_rules, check_rules},
    {&properties::by_rules, check_findings},
    {&properties::ends, check_endings},
    {&properties::ends, check_settling},
    {&properties::sent, check_receipts},
    {&properties::fifo, check_fifo},
    {&properties::within_bound, check_bound},
});

// The properties to check if all nodes run `algorithm`; or, with null, different ones.
std::vector<const Property*> judged_properties(const Algorithm* algorithm) {
  if (algorithm == nullptr) return {&properties::by_rules, &properties::sent};
  std::vector<const Property*> judged = {&properties::by_rules};
  for (const Property* property : algorithm->properties) {
    const bool has_checker = std::ranges::count(checkers, property, &Checker::first) > 0;
    if (has_checker || property->holds != nullptr) judged.push_back(property);
  }
  return judged;
}

// True if it is evidence: processes took part, and agreed. A process left alone has no victory.
bool has_ended(const Election& election) {
  const bool is_shown = election.won_record || election.survivors.size() > 1;
  return election.took_place && election.settled_record && election.winner && is_shown;
}

void find_doubts(const CheckedRun& run) {
  std::vector<Reason>& reasons = run.report.reasons;
  if (run.trace.records.empty()) reasons.push_back({"empty", {}, {}});
  Reason mixed{"mixed", {}, {}};  // the place where each algorithm first started
  Reason headless{"no_beginning", {}, {}};
  std::set<std::string_view> seen;
  for (const Incarnation& incarnation : run.timeline.incarnations) {
    const std::string_view name = run.at(incarnation.first).algorithm;
    const auto algorithm = name.empty() ? default_algorithm().name : name;
    if (incarnation.begins && !seen.insert(algorithm).second) continue;
    (incarnation.begins ? mixed : headless).add(incarnation.node, incarnation.first);
  }
  if (!run.trace.cut.empty()) reasons.push_back({"cut_line", {}, {}});
  if (run.timeline.algorithms.size() > 1) reasons.push_back(std::move(mixed));
  const std::vector<Election>& elections = run.report.elections;
  if (std::ranges::none_of(elections, has_ended) && !run.trace.records.empty()) {
    reasons.push_back({"no_election", {}, {}});
  }
  if (!elections.empty() && !elections.back().settled_record) {
    reasons.push_back(
        {"mid_election", {}, {elections.back().first_record, elections.back().last_record}});
  }
  run.doubt({"names_only", run.timeline.names_only, {}});
  run.doubt(std::move(headless));
}

// Of a process that has not all its lines, or too little in them, nobody knows what it should do.
constexpr auto damages =
    std::to_array<Doubt>({"line_missing", "line_repeated", "line_moved", "no_beginning"});

// A process without a trace may have been stopped, or alone have shown that another was.
constexpr auto blind_spots = std::to_array<Doubt>({"names_only", "untraced", "contradiction"});

void withdraw_what_nothing_shows(Report& report) {
  const auto has_any = [&](const auto& doubts) {
    return std::ranges::find_first_of(report.reasons, doubts, {}, &Reason::doubt) !=
           report.reasons.end();
  };
  if (has_any(damages)) report.violations.clear();
  if (!has_any(blind_spots)) return;
  std::erase_if(report.violations, [](const Violation& violation) {
    return std::ranges::any_of(assumptions, [&](Assumption assumption) {
      return violation.property->assumes.has(assumption);
    });
  });
}

void find_not_promised(const CheckedRun& run) {
  std::vector<const Property*>& judged = run.report.properties;
  for (const Assumption assumption : assumptions) {
    const auto assumes = [assumption](const Property* property) {
      return property->assumes.has(assumption);
    };
    if (std::ranges::none_of(judged, assumes)) continue;
    const auto shown_by = shown_broken(run, assumption);
    if (!shown_by) continue;
    for (const Property* property : judged) {
      if (assumes(property)) run.report.not_promised.push_back({property, assumption, *shown_by});
    }
    std::erase_if(judged, assumes);
  }
}

// Nodes, and the same in the form in which a property looks at them.
struct Watched {
  Snapshots nodes = {};
  std::vector<const Snapshot*> all = {};

  Snapshot& operator[](NodeId id) {
    const auto [found, is_new] = nodes.try_emplace(id);
    if (is_new) all.push_back(&found->second);
    return found->second;
  }
};

// Whether the record, of a state or a coordinator, could have broken the property.
bool is_at_stake(const Property& property, const Record& record, const Watched& watched) {
  if (property.is_at_stake == nullptr) return true;
  return record.event == TraceEvent::coordinator &&
         property.is_at_stake(watched.nodes.at(record.node), watched.all);
}

void check_end(const CheckedRun& run, const Property& property, const Election& election) {
  if (!election.winner || !election.settled_record) return;
  if (election.took_place) run.test(property);
  std::vector<NodeId> ids = election.survivors;
  ids.push_back(*election.winner);  // the trace may not show it
  Watched nodes;
  for (const NodeId id : ids) {
    nodes[id] = {.id = id, .condition = Condition::running, .coordinator = election.winner};
  }
  if (property.holds(run.algorithm, nodes.all)) return;
  // Counts only if the process that should have won has taken a step since the election began.
  const NodeId other = run.algorithm.preferred_of(ids);
  const Incarnation* incarnation = incarnation_at(run.timeline, other, *election.settled_record);
  if (incarnation == nullptr || incarnation->last < election.first_record) return;
  run.violation(property, "all_follow_a_lower", *election.winner, other,
                {*election.settled_record, incarnation->last});
}

// It must hold whenever a process has taken a step.
void check_every_moment(const CheckedRun& run, const Property& property) {
  Watched nodes;
  bool held = true;
  auto end = run.timeline.ends.begin();
  for (std::size_t i = 0; i < run.trace.records.size(); ++i) {
    const Record& record = run.trace.records[i];
    for (; end != run.timeline.ends.end() && end->first == i; ++end) {
      const NodeId gone = run.timeline.incarnations[end->second].node;
      nodes[gone] = crashed_snapshot(gone);
    }
    Snapshot& node = nodes[record.node];
    learn(node, record);
    if (record.event != TraceEvent::state && record.event != TraceEvent::coordinator) continue;
    if (is_at_stake(property, record, nodes)) run.test(property);
    const bool was_held = std::exchange(held, property.holds(run.algorithm, nodes.all));
    if (held || !was_held) continue;
    run.violation(property, "not_kept", record.node, node.coordinator.value_or(record.node), {i});
  }
}

void run_checkers(const CheckedRun& run) {
  const std::vector<const Property*>& owed = run.report.properties;
  for (const auto& [property, check] : checkers) {
    if (std::ranges::count(owed, property) > 0) check(run);
  }
  const auto ended = std::ranges::count_if(run.report.elections, has_ended);
  run.test(properties::ends, static_cast<std::uint64_t>(ended));
  for (const Property* property : owed) {
    if (property->holds == nullptr) continue;
    if (property->moment == Property::Moment::every) {
      check_every_moment(run, *property);
      continue;
    }
    for (const Election& election : run.report.elections) check_end(run, *property, election);
  }
}

}  // namespace

std::string_view name_of(RunVerdict verdict) {
  constexpr std::string_view names[] = {"RIGHT", "VIOLATED", "INCONCLUSIVE"};
  return names[static_cast<std::size_t>(verdict)];
}

Report check_trace(const Trace& trace) {
  Report report;
  report.timeline = timeline_of(trace);
  const Timeline& timeline = report.timeline;
  const Algorithm* algorithm = timeline.algorithm();
  std::set<NodeId> observed;
  for (const Incarnation& incarnation : timeline.incarnations) {
    const Record& first = trace.records[incarnation.first];
    if (environment_of(first).observed) observed.insert(incarnation.node);
  }
  if (!observed.empty()) {
    report.reasons.push_back({"observed", {observed.begin(), observed.end()}, {}});
    return report;
  }
  report.properties = judged_properties(algorithm);
  report.elections = elections_of(trace, timeline);
  for (const Election& election : report.elections) {
    if (report.figures.size() == most_described) break;
    report.figures.push_back(figures_of(trace, timeline, election));
  }
  LongWaits long_waits;
  const CheckedRun run{trace, timeline, report,
                       algorithm == nullptr ? default_algorithm() : *algorithm, long_waits};
  find_not_promised(run);
  run_checkers(run);
  find_damage(run);
  find_doubts(run);
  withdraw_what_nothing_shows(report);

  const auto place_of = [&](const Violation& violation) {
    return std::pair(std::ranges::find(report.properties, violation.property),
                     violation.records.front());
  };
  std::ranges::stable_sort(report.violations, {}, place_of);
  std::ranges::stable_sort(report.reasons, {}, &Reason::doubt);
  if (!report.violations.empty()) {
    report.verdict = RunVerdict::violated;
  } else if (report.reasons.empty()) {
    report.verdict = RunVerdict::right;
  }
  return report;
}

}  // namespace bully
