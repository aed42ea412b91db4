// verdict.cc: the decisive facts that a trace lacks; and the verdict.
#include "verdict/verdict.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace bully {

namespace {

// The processes that end within the trace's last moments, all by leaving or all by being killed, as
// a cluster is taken down: its outcome is left open. The first of these ends, and whose they
// are.
struct Closing {
  std::size_t first = no_record;
  std::set<NodeId> nodes = {};
  bool others_go_on = false;  // another process still has something to tell
};

Closing closing_of(const Trace& trace, std::int64_t arrive_ns) {
  Closing closing;
  std::optional<std::int64_t> last_ns;
  std::map<NodeId, std::size_t> last_lines;
  for (std::size_t i = trace.records.size(); i-- > 0;) {
    const Record& record = trace.records[i];
    if (record.event == TraceEvent::start) break;
    const bool is_line = record.n > 0 || record.event == TraceEvent::end;
    if (is_line) last_lines.try_emplace(record.node, i);
    if (!ends_life(record)) continue;
    if (!last_ns) last_ns = record.t_ns;
    const bool is_same =
        closing.nodes.empty() || record.event == trace.records[closing.first].event;
    if (!is_same || *last_ns - record.t_ns > arrive_ns) break;
    closing.first = i;
    closing.nodes.insert(record.node);
  }
  closing.others_go_on = std::ranges::any_of(last_lines, [&](const auto& last) {
    return last.second > closing.first && !closing.nodes.contains(last.first);
  });
  return closing;
}

// True if it is evidence: a process that is left alone has no victory.
bool has_ended(const Election& election) {
  return election.is_over && election.winner && (election.won || election.survivors.size() > 1);
}

// The one reason of this kind concerns this process as well, as its record shows.
void add(std::vector<Reason>& reasons, Doubt doubt, NodeId node, std::size_t record) {
  auto found = std::ranges::find(reasons, doubt, &Reason::doubt);
  if (found == reasons.end()) found = reasons.insert(found, {doubt});
  found->nodes.push_back(node);
  found->records.push_back(record);
}

// Where the trace ends: the processes of which something is still to come.
void find_open_ends(const History& history, std::vector<Reason>& reasons) {
  Reason disturbed{"disturbed"};
  Reason disagree{"disagree"};
  std::set<NodeId> followed;
  for (const NodeId node : history.nodes()) {
    const Life& life = *history.life(node);
    if (life.is_over() || life.observed) continue;
    if (life.paused || life.side > 0) disturbed.nodes.push_back(node);
    if (life.paused) disturbed.records.push_back(life.paused->record);
    if (history.is_undecided(life)) {
      add(reasons, "open_end", node, life.last_own.record);
    } else if (life.is_present()) {
      followed.insert(*life.now.coordinator);
      disagree.nodes.push_back(node);
    }
  }
  if (followed.size() > 1) reasons.push_back(disagree);
  if (!disturbed.nodes.empty()) reasons.push_back(disturbed);
}

// Messages that live processes never received.
void find_in_flight(const History& history, std::vector<Reason>& reasons) {
  std::set<NodeId> receivers;
  for (const auto& [sent, message] : history.in_flight()) {
    const bool is_first = history.is_awaited(message) && receivers.insert(message.to).second;
    if (is_first) add(reasons, "in_flight", message.to, sent);
  }
}

void find_damage(const History& history, std::vector<Reason>& reasons) {
  std::set<NodeId> named;
  for (const Life& life : history.lives()) {
    if (!life.damage || !named.insert(life.node).second) continue;
    const auto& [kind, record, line] = *life.damage;
    if (kind == DamageKind("unnumbered")) {
      add(reasons, "unnumbered", life.node, record);
    } else {
      reasons.push_back({Doubt::named(kind.name()), {life.node}, {record}, line});
    }
  }
}

// Processes of which the trace shows too little: they are only named, or were recorded from
// outside, or speak another language than the others.
void find_strangers(const History& history, std::vector<Reason>& reasons) {
  const std::vector<NodeId> names_only = history.names_only();
  if (!names_only.empty()) reasons.push_back({"names_only", names_only});
  std::set<NodeId> observed;
  std::set<const Algorithm*> spoken;
  for (const Life& life : history.lives()) {
    if (life.observed) observed.insert(life.node);
    const bool is_new = life.algorithm != nullptr && spoken.insert(life.algorithm).second;
    if (history.is_mixed() && is_new) add(reasons, "mixed", life.node, life.first.record);
  }
  if (!observed.empty()) reasons.push_back({"observed", {observed.begin(), observed.end()}});
}

// `by_word`: the violations of the strict reading alone.
void find_doubts(const Trace& trace, const std::vector<Violation>& by_word, Report& report) {
  const History& history = report.history;
  std::vector<Reason>& reasons = report.reasons;
  if (trace.records.empty()) reasons.push_back({"empty"});
  if (!trace.cut.empty()) reasons.push_back({"cut_line"});
  find_damage(history, reasons);
  find_strangers(history, reasons);
  for (const Violation& one : by_word) {
    reasons.push_back({"word", {one.node, one.other}, one.records, {}, one});
  }
  std::size_t unsent = 0;
  for (const auto& [sender, receipt] : report.found.unsent) {
    if (unsent++ < most_violations) add(reasons, "unsent", sender, receipt);
  }
  find_in_flight(history, reasons);
  const bool is_shown = std::ranges::any_of(history.elections().all(), has_ended);
  if (!is_shown && !trace.records.empty()) reasons.push_back({"no_election"});
  std::ranges::stable_sort(reasons, {}, &Reason::doubt);
}

// The violations that the generous reading does not show.
std::vector<Violation> in_addition(const Findings& strict, const Findings& generous) {
  const auto is_new = [&](const Violation& one) {
    return std::ranges::none_of(generous.violations, [&](const Violation& other) {
      return other.property == one.property && other.node == one.node && other.other == one.other;
    });
  };
  return list_of(strict.violations, is_new, std::identity());
}

}  // namespace

std::vector<const Property*> judged_properties(const Algorithm& algorithm) {
  using namespace properties;
  const auto promises = [&](const Property* property) {
    return std::ranges::find(algorithm.properties, property) != algorithm.properties.end();
  };
  const auto is_judged = [&](const Property* property) {
    if (property == &answers) return !algorithm.answers.empty();
    if (property == &agreement) return promises(&highest_live) || promises(&lowest_live);
    return property == &sent || property == &arrives || promises(property);
  };
  const std::array in_order = {&never_lower,     &never_higher, &sent, &arrives,   &answers,
                               &one_coordinator, &highest_wins, &ends, &agreement, &fifo,
                               &within_bound};
  std::vector<const Property*> judged = list_of(in_order, is_judged, std::identity());
  for (const Property* property : algorithm.properties) {
    const bool is_new = std::ranges::find(judged, property) == judged.end();
    if (is_new && property->moment == Property::Moment::every) judged.push_back(property);
  }
  return judged;
}

std::string_view name_of(RunVerdict verdict) {
  constexpr std::string_view names[] = {"RIGHT", "VIOLATED", "INCONCLUSIVE"};
  return names[static_cast<std::size_t>(verdict)];
}

Report check_trace(const Trace& trace) {
  const Algorithm& algorithm = algorithm_of(trace);
  Report report{.history = History(algorithm), .properties = judged_properties(algorithm)};
  History& history = report.history;
  Judge generous(history, Reading::generous, report.properties);
  Judge strict(history, Reading::strict, report.properties);

  std::optional<Closing> closing;
  bool is_closed = false;
  for (std::size_t i = 0; i < trace.records.size(); ++i) {
    const Record& record = trace.records[i];
    if (!closing && ends_life(record)) closing = closing_of(trace, history.arrive_ns());
    if (closing && closing->first == i) {
      const auto is_absent = [&](NodeId node) {
        return !history.life(node)->is_present() || closing->nodes.contains(node);
      };
      is_closed = !closing->others_go_on && std::ranges::all_of(history.nodes(), is_absent);
      if (is_closed) find_open_ends(history, report.reasons);
    }
    generous.before(record, i);
    strict.before(record, i);
    history.take(record, i);
    generous.after(record, i);
    strict.after(record, i);
  }
  if (!is_closed) find_open_ends(history, report.reasons);
  report.found = std::move(generous).findings();
  find_doubts(trace, in_addition(std::move(strict).findings(), report.found), report);

  const auto place_of = [&](const Violation& one) {
    return std::pair(std::ranges::find(report.properties, one.property), one.t_ns);
  };
  std::ranges::stable_sort(report.found.violations, {}, place_of);
  if (!report.found.violations.empty()) {
    report.verdict = RunVerdict::violated;
  } else if (report.reasons.empty()) {
    report.verdict = RunVerdict::right;
  }
  return report;
}

}  // namespace bully
