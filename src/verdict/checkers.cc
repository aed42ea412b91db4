// checkers.cc: whether all lines are there, and the network keeps its promises; and questions of
// several checkers to a record.
#include "verdict/checkers.h"

#include <algorithm>
#include <map>
#include <utility>

namespace bully {

// Each process counts the lines of its steps, from 1 at its start (Record::n). Other lines need no
// number.
void find_damage(const CheckedRun& run) {
  // A life's lines: the number that is due, and the reason for doubt, once another has come.
  struct Count {
    std::uint64_t due = 1;
    std::optional<Reason> damage = std::nullopt;
    bool is_counted = false;
  };
  std::vector<Count> counts(run.timeline.incarnations.size());
  for (const auto& [i, record] : run.trace.records) {
    auto& [due, damage, is_counted] = counts[run.timeline.incarnation_of[i]];
    is_counted = is_counted || record.n > 0;
    if (!is_counted || (record.n == 0 && !is_of_step(record))) continue;
    if (damage) {
      if (record.n == due) damage->doubt = "line_moved";
    } else if (record.n == due) {
      ++due;
    } else {
      const bool is_repeated = record.n > 0 && record.n < due;
      damage = {is_repeated ? Doubt("line_repeated") : Doubt("line_missing"),
                {record.node},
                {i},
                is_repeated ? record.n : due};
      if (is_repeated) due = 0;  // it has come already
    }
  }
  for (const Count& count : counts) {
    if (count.damage) run.doubt(*count.damage);
  }
}

void CheckedRun::test(const Property& property, std::uint64_t times) const {
  if (times > 0) report.tested[&property] += times;
}

void CheckedRun::violation(const Property& property, ViolationKind kind, NodeId node, NodeId other,
                           std::vector<std::size_t> records) const {
  if (std::ranges::find(report.properties, &property) == report.properties.end()) return;
  report.violations.push_back({&property, kind, node, other, std::move(records)});
}

void CheckedRun::doubt(Reason reason) const {
  if (reason.nodes.empty()) return;
  const std::set<NodeId> nodes(reason.nodes.begin(), reason.nodes.end());
  reason.nodes.assign(nodes.begin(), nodes.end());
  report.reasons.push_back(std::move(reason));
}

void check_receipts(const CheckedRun& run) {
  const Timeline& timeline = run.timeline;
  std::vector<Reason>& reasons = run.report.reasons;
  std::map<MessageName, std::size_t> open;  // the latest sending without a receipt or a loss
  for (const auto& [i, record] : run.trace.records) {
    const bool is_open = timeline.partner[i] == no_record;
    if (record.event == TraceEvent::send && is_open) open[name_of_message(record)] = i;
  }
  // It may be from a life of the sender that left no trace: before the one in it, or after.
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
    const auto sent = open.find(name_of_message(record));
    // Where the sending comes after its receipt, somebody has exchanged the lines.
    if (!is_receipt || (sent != open.end() && sent->second > i)) {
      reasons.push_back({"contradiction", {record.node}, {i}});
      continue;
    }
    const Incarnation* sender = incarnation_at(timeline, record.from, i);
    // Others may have written of acts on a process that has no trace.
    const bool is_there = sender != nullptr && sender->last_step != no_record &&
                          sender->last_sign > i && sender->gone > i;
    if (!record.number) {
      strangers.add(record.from, i);
    } else if (!is_there) {
      untraced.add(record.from, i);
    } else {
      run.violation(properties::sent, "not_sent", record.node, record.from, {i});
    }
  }
  run.doubt(std::move(untraced));
  run.doubt(std::move(strangers));
}

// [DKR82] Links are FIFO: messages from one process to another arrive in the order of sending.
void check_fifo(const CheckedRun& run) {
  struct Arrival {
    std::size_t sending;
    std::size_t receipt;
  };
  // By the incarnations of sender and receiver: the latest sent message that has arrived.
  std::map<std::pair<std::size_t, std::size_t>, Arrival> latest;
  const Timeline& timeline = run.timeline;
  for (const auto& [i, record] : run.trace.records) {
    const std::size_t sending = timeline.partner[i];
    if (record.event != TraceEvent::receive || !is_about_election(record)) continue;
    if (sending == no_record) continue;
    const std::pair link(timeline.incarnation_of[sending], timeline.incarnation_of[i]);
    const auto [found, is_first] = latest.try_emplace(link, Arrival{sending, i});
    Arrival& last = found->second;
    if (!is_first) run.test(properties::fifo);
    if (last.sending > sending) {
      run.violation(properties::fifo, "overtaken", record.node, record.from,
                    {sending, last.sending, last.receipt, i});
    } else {
      last = {sending, i};
    }
  }
}

bool suspects_silence(const Record& record) {
  return record.event == TraceEvent::suspect &&
         (record.reason == "down" || record.reason == "hung");
}

}  // namespace bully
