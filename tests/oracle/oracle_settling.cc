// oracle_settling.cc: that all agree once nothing disturbs them any more, as the oracle sees it.
#include <map>
#include <set>

#include "oracle/oracle_run.h"

namespace bully::oracle {

namespace {

// Whether a later line shows that it was alive after line `i`, and it could act.
bool is_there(const Run& run, const Life& life, Index i) {
  return run.is_alive(life, i) && life.last() > i && !run.is_paused(life, i);
}

bool agree(const Run& run, Index i) {
  std::optional<NodeId> agreed;
  for (const Life& life : run.lives) {
    if (!is_there(run, life, i)) continue;
    const std::optional<NodeId> whom = run.standing(life, i).coordinator;
    if (!run.is_settled(life, i) || (agreed && agreed != whom)) return false;
    agreed = whom;
  }
  return true;
}

bool disturbs(const Run& run, Index i) {
  const Record& record = run.records[i];
  const bool ends = record.event == TraceEvent::start || record.event == TraceEvent::leave;
  const bool is_lost = record.event == TraceEvent::lost && record.reason != "gone";
  if (ends || is_lost || is_act(record)) return true;
  const bool is_down = record.reason == "down" || record.reason == "hung";
  if (record.event != TraceEvent::suspect || !is_down) return false;
  const Life* suspected = run.latest(*record.coordinator, i);
  return suspected != nullptr && suspected->last() > i;
}

// Whether the message that arrives in line `i` left after line `j`.
bool is_sent_after(const Run& run, Index i, Index j) {
  const Record& receipt = run.records[i];
  for (Index k = i; k-- > j;) {
    const Record& sent = run.records[k];
    if (sent.event == TraceEvent::send && sent.from == receipt.from && sent.to == receipt.to &&
        sent.type == receipt.type && sent.number == receipt.number)
      return true;
  }
  return false;
}

}  // namespace

// While nothing begins, ends, is stopped, suspected wrongly or lost, all agree within the time that
// noticing and an election may take, and before anybody has begun an election again and again.
std::string never_settled(const Run& run) {
  for (const Life& life : run.lives) {
    if (!life.has_detector) return {};
  }
  std::map<NodeId, int> begun;
  std::set<NodeId> ids;
  for (const Life& life : run.lives) ids.insert(life.node);
  std::map<std::pair<NodeId, NodeId>, Index> cut;  // and when a message was lost there
  Index calm = 0;
  for (Index i = 0; i < run.records.size(); ++i) {
    const Record& record = run.records[i];
    const std::string where = std::to_string(record.node) + " at " + std::to_string(i + 1);
    if (i > 0 && run.t(i) - run.t(calm) > run.agree_ns && !agree(run, i - 1))
      return "ends, never settled: " + where;
    const StateKind* state =
        record.event == TraceEvent::state ? state_of(*run.algorithm, record.state) : nullptr;
    const bool begins = state != nullptr && state->role == StateRole::asking;
    if (begins && ++begun[record.node] > 16 + 4 * static_cast<int>(ids.size()))
      return "ends, begun again and again: " + where;
    const std::pair link(record.from, record.to);
    if (record.event == TraceEvent::lost && record.reason == "partition") cut[link] = i;
    if (record.event == TraceEvent::receive && cut.contains(link) &&
        is_sent_after(run, i, cut[link]))
      cut.clear();
    std::erase_if(cut, [&](const auto& each) {
      return run.alive(each.first.first, i) == nullptr ||
             run.alive(each.first.second, i) == nullptr;
    });
    if (cut.empty() && !disturbs(run, i) && !agree(run, i)) continue;
    calm = i;
    begun.clear();
  }
  return {};
}

}  // namespace bully::oracle
