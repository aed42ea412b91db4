// verdict.cc: the decisive facts that a trace lacks; and the verdict.
#include "verdict/verdict.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace bully {

namespace {

std::vector<const Algorithm*> algorithms_of(const Trace& trace) {
  std::vector<const Algorithm*> found;
  for (const Record& record : trace.records) {
    if (record.event != TraceEvent::start || record.algorithm.empty()) continue;
    const Algorithm* one = &algorithm_named(record.algorithm);
    if (std::ranges::find(found, one) == found.end()) found.push_back(one);
  }
  return found;
}

// The processes that end within the trace's last moments, all by leaving or all by being killed, as
// a cluster is taken down: its outcome is left open. The first of these ends, and whose they
// are.
struct Closing {
  std::size_t first = no_record;
  std::set<NodeId> nodes = {};
};

Closing closing_of(const Trace& trace, std::int64_t arrive_ns) {
  Closing closing;
  std::optional<std::int64_t> last_ns;
  for (std::size_t i = trace.records.size(); i-- > 0;) {
    const Record& record = trace.records[i];
    if (record.event == TraceEvent::start) break;
    if (!ends_life(record)) continue;
    if (!last_ns) last_ns = record.t_ns;
    const bool is_same =
        closing.nodes.empty() || record.event == trace.records[closing.first].event;
    if (!is_same || *last_ns - record.t_ns > arrive_ns) break;
    closing.first = i;
    closing.nodes.insert(record.node);
  }
  return closing;
}

// True if it is evidence: a process that is left alone has no victory.
bool has_ended(const Election& election) {
  return election.is_over && election.winner && (election.won || election.survivors.size() > 1);
}

void add(std::vector<Reason>& reasons, Reason reason) {
  if (!reason.nodes.empty()) reasons.push_back(std::move(reason));
}

// Where the trace ends: the processes of which something is still to come.
void find_open_ends(const History& history, std::vector<Reason>& reasons) {
  Reason open_end{"open_end"};
  Reason disagree{"disagree"};
  Reason disturbed{"disturbed"};
  std::set<NodeId> followed;
  for (const NodeId node : history.nodes()) {
    const Life& life = *history.life(node);
    if (life.is_over() || life.observed) continue;
    if (life.paused || life.side > 0) {
      disturbed.nodes.push_back(node);
      if (life.paused) disturbed.records.push_back(life.paused->record);
    }
    if (!life.is_present()) continue;
    const std::optional<NodeId> coordinator = life.now.coordinator;
    const Life* other = coordinator ? history.life(*coordinator) : nullptr;
    const bool is_lost = other != nullptr && (other->is_over() || other->gone);
    if (!coordinator || is_lost) {
      open_end.nodes.push_back(node);
      open_end.records.push_back(life.last_own.record);
    } else {
      followed.insert(*coordinator);
      disagree.nodes.push_back(node);
    }
  }
  add(reasons, std::move(open_end));
  if (followed.size() > 1) add(reasons, std::move(disagree));
  add(reasons, std::move(disturbed));
}

// Messages that live processes never received.
void find_in_flight(const History& history, std::vector<Reason>& reasons) {
  Reason in_flight{"in_flight"};
  std::set<NodeId> receivers;
  for (const auto& [sent, message] : history.in_flight()) {
    const bool is_awaited = message.type.is_of_election() && message.receiver &&
                            history.lives()[*message.receiver].is_present();
    if (!is_awaited || !receivers.insert(message.to).second) continue;
    in_flight.nodes.push_back(message.to);
    in_flight.records.push_back(sent);
  }
  add(reasons, std::move(in_flight));
}

void find_damage(const History& history, std::vector<Reason>& reasons) {
  std::set<NodeId> named;
  Reason unnumbered{"unnumbered"};
  for (const Life& life : history.lives()) {
    if (!life.damage || !named.insert(life.node).second) continue;
    if (life.damage->kind == Damage::Kind::unnumbered) {
      unnumbered.nodes.push_back(life.node);
      unnumbered.records.push_back(life.damage->record);
      continue;
    }
    const bool is_missing = life.damage->kind == Damage::Kind::missing;
    reasons.push_back({is_missing ? Doubt("line_missing") : Doubt("line_repeated"),
                       {life.node},
                       {life.damage->record},
                       life.damage->line});
  }
  add(reasons, std::move(unnumbered));
}

void find_doubts(const Trace& trace, Report& report, const std::vector<Reason>& at_end) {
  const History& history = report.history;
  std::vector<Reason>& reasons = report.reasons;
  if (trace.records.empty()) reasons.push_back({"empty"});
  if (!trace.cut.empty()) reasons.push_back({"cut_line"});
  find_damage(history, reasons);
  add(reasons, {"names_only", history.names_only()});
  Reason observed{"observed"};
  Reason mixed{"mixed"};
  std::set<const Algorithm*> seen;
  for (const Life& life : history.lives()) {
    if (life.observed) observed.nodes.push_back(life.node);
    if (!seen.insert(life.algorithm).second || life.algorithm == nullptr) continue;
    mixed.nodes.push_back(life.node);
    mixed.records.push_back(life.first.record);
  }
  const std::set<NodeId> each(observed.nodes.begin(), observed.nodes.end());
  observed.nodes.assign(each.begin(), each.end());
  add(reasons, std::move(observed));
  if (mixed.nodes.size() > 1) add(reasons, std::move(mixed));
  for (const Violation& one : report.by_word_only) {
    reasons.push_back({"word", {one.node, one.other}, one.records});
  }
  Reason unsent{"unsent"};
  for (const auto& [sender, receipt] : report.found.unsent) {
    if (unsent.records.size() == most_violations) break;
    unsent.nodes.push_back(sender);
    unsent.records.push_back(receipt);
  }
  add(reasons, std::move(unsent));
  reasons.insert(reasons.end(), at_end.begin(), at_end.end());
  find_in_flight(history, reasons);
  const bool is_shown = std::ranges::any_of(history.elections().all(), has_ended);
  if (!is_shown && !trace.records.empty()) reasons.push_back({"no_election"});
}

// The violations that the generous reading does not show.
std::vector<Violation> in_addition(const Findings& strict, const Findings& generous) {
  std::vector<Violation> found;
  for (const Violation& one : strict.violations) {
    const auto is_it = [&](const Violation& other) {
      return other.property == one.property && other.node == one.node && other.other == one.other;
    };
    if (std::ranges::none_of(generous.violations, is_it)) found.push_back(one);
  }
  return found;
}

}  // namespace

std::vector<const Property*> judged_properties(const std::vector<const Algorithm*>& algorithms) {
  std::vector<const Property*> judged = {&properties::sent, &properties::arrives};
  if (algorithms.size() > 1) return judged;
  const Algorithm& algorithm = *algorithms.front();
  const auto promises = [&](const Property& property) {
    return std::ranges::find(algorithm.properties, &property) != algorithm.properties.end();
  };
  if (!algorithm.answers.empty()) judged.push_back(&properties::answers);
  for (const Property* property :
       {&properties::one_coordinator, &properties::highest_wins, &properties::ends}) {
    if (promises(*property)) judged.push_back(property);
  }
  if (promises(properties::highest_live) || promises(properties::lowest_live)) {
    judged.push_back(&properties::agreement);
  }
  for (const Property* property : {&properties::fifo, &properties::within_bound}) {
    if (promises(*property)) judged.push_back(property);
  }
  for (const Property* property : algorithm.properties) {
    if (property->moment != Property::Moment::every) continue;
    const bool is_first =
        property == &properties::never_lower || property == &properties::never_higher;
    judged.insert(is_first ? judged.begin() : judged.end(), property);
  }
  return judged;
}

std::string_view name_of(RunVerdict verdict) {
  constexpr std::string_view names[] = {"RIGHT", "VIOLATED", "INCONCLUSIVE"};
  return names[static_cast<std::size_t>(verdict)];
}

Report check_trace(const Trace& trace) {
  const Algorithm& first = algorithm_of(trace);
  std::vector<const Algorithm*> algorithms = algorithms_of(trace);
  if (algorithms.empty()) algorithms = {&first};
  Report report{.history = History(first), .properties = judged_properties(algorithms)};
  History& history = report.history;
  Judge generous(history, Reading::generous, report.properties);
  Judge strict(history, Reading::strict, report.properties);

  std::optional<Closing> closing;
  std::optional<std::vector<Reason>> at_end;
  for (std::size_t i = 0; i < trace.records.size(); ++i) {
    const Record& record = trace.records[i];
    if (!closing && ends_life(record)) closing = closing_of(trace, history.arrive_ns());
    if (closing && closing->first == i) {
      const auto is_closed = [&](NodeId node) {
        return !history.life(node)->is_present() || closing->nodes.contains(node);
      };
      if (std::ranges::all_of(history.nodes(), is_closed)) {
        find_open_ends(history, at_end.emplace());
      }
    }
    generous.before(record, i);
    strict.before(record, i);
    history.take(record, i);
    generous.after(record, i);
    strict.after(record, i);
  }
  if (!at_end) find_open_ends(history, at_end.emplace());
  report.found = std::move(generous).findings();
  report.by_word_only = in_addition(std::move(strict).findings(), report.found);
  find_doubts(trace, report, *at_end);

  const auto place_of = [&](const Violation& one) {
    return std::pair(std::ranges::find(report.properties, one.property), one.t_ns);
  };
  std::ranges::stable_sort(report.found.violations, {}, place_of);
  std::ranges::stable_sort(report.reasons, {}, &Reason::doubt);
  if (!report.found.violations.empty()) {
    report.verdict = RunVerdict::violated;
  } else if (report.reasons.empty()) {
    report.verdict = RunVerdict::right;
  }
  return report;
}

}  // namespace bully
