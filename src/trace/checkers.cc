#include "trace/checkers.h"

#include <algorithm>
#include <array>
#include <map>

namespace bully {

namespace {

void sort_out(std::vector<NodeId>& nodes) {
  std::ranges::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

// Checks each receipt without a sending, if the trace would have its sender's sendings.
void check_receipts(const CheckedRun& run) {
  const Timeline& timeline = run.timeline;
  std::vector<Reason>& reasons = run.report.reasons;
  // The sending may be among its sender's missing first lines.
  const std::set<NodeId> headless = nodes_without_beginning(timeline);
  // It may also be from an untraced process that came after all lines of the traced one.
  Reason untraced{"untraced", {}, {}};
  Reason strangers{"names_only", {}, {}};  // processes that use the name of a node
  for (const auto& [i, record] : run.trace.records) {
    const bool is_receipt = record.event == TraceEvent::receive;
    if (timeline.partner[i] != no_record) {
      if (is_receipt && is_about_election(record)) run.test(properties::sent);
      continue;
    }
    if (!is_receipt && record.event != TraceEvent::lost) continue;
    const bool is_known = std::ranges::binary_search(timeline.nodes, record.from);
    if (is_about_ping(record) || !is_known) continue;
    if (!is_receipt) {
      reasons.push_back({"contradiction", {record.node}, {i}});
      continue;
    }
    if (record.number && headless.contains(record.from)) continue;
    const Incarnation* sender = incarnation_at(timeline, record.from, i);
    const bool had_ended = sender != nullptr && sender->last_sign < i;
    if (!record.number) {
      strangers.add(record.from, i);
    } else if (had_ended) {
      untraced.add(record.from, i);
    } else {
      run.violation(properties::sent, "not_sent", record.node, record.from, {i});
    }
  }
  for (Reason* reason : {&untraced, &strangers}) {
    sort_out(reason->nodes);
    run.doubt(std::move(*reason));
  }
}

// [Tan95] A process that gets an ELECTION from a lower one sends ANSWER back. The k-th ANSWER of an
// incarnation to a node belongs to the k-th ELECTION from that node.
void check_answers(const CheckedRun& run) {
  // By incarnation and sender.
  std::map<std::pair<std::size_t, NodeId>, std::vector<std::size_t>> open;
  for (const auto& [i, record] : run.trace.records) {
    const std::size_t incarnation = run.timeline.incarnation_of[i];
    if (record.type->role == Role::asks && record.event == TraceEvent::receive &&
        run.prefers(record.node, record.from)) {
      open[{incarnation, record.from}].push_back(i);
      run.test(properties::answered);
    } else if (record.type->role == Role::answers && record.event == TraceEvent::send) {
      std::vector<std::size_t>& asked = open[{incarnation, record.to}];
      if (!asked.empty()) asked.erase(asked.begin());
    }
  }
  // A node that took another step was live, and had the time to answer. Otherwise it died at that
  // point, or the trace ends too early to show it.
  for (const auto& [from, receipts] : open) {
    const Incarnation& incarnation = run.timeline.incarnations[from.first];
    for (const std::size_t receipt : receipts) {
      if (incarnation.last_step > receipt) {
        run.violation(properties::answered, "not_answered", incarnation.node, from.second,
                      {receipt, incarnation.last});
      } else if (incarnation.gone == no_record) {
        run.report.reasons.push_back({"end_of_answer", {incarnation.node}, {receipt}});
      }
    }
  }
}

}  // namespace

bool is_step(const Record& record) {
  return !is_about_ping(record) && record.event != TraceEvent::rule && !is_act_on(record);
}

bool suspects_silence(const Record& record) {
  return record.event == TraceEvent::suspect &&
         (record.reason == "down" || record.reason == "hung");
}

bool disturbs_all(const Record& record) {
  return is_act_on(record) || record.event == TraceEvent::start ||
         record.event == TraceEvent::stop ||
         (record.event == TraceEvent::lost && record.reason != "gone");
}

std::set<NodeId> nodes_without_beginning(const Timeline& timeline) {
  std::set<NodeId> nodes;
  for (const Incarnation& incarnation : timeline.incarnations) {
    if (!incarnation.begins) nodes.insert(incarnation.node);
  }
  return nodes;
}

std::span<const Checker> checkers() {
  static constexpr auto all = std::to_array<Checker>({
      {&properties::by_rules, check_rules},
      {&properties::by_rules, check_findings},
      {&properties::ends, check_endings},
      {&properties::ends, check_settling},
      {&properties::sent, check_receipts},
      {&properties::answered, check_answers},
      {&properties::fifo, check_fifo},
      {&properties::within_bound, check_bound},
  });
  return all;
}

}  // namespace bully
