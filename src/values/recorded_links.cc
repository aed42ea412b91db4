// recorded_links.cc: the state of each link, from the records of a recorder.
#include "values/recorded_links.h"

namespace bully {

namespace {

// A process as the lines name it: a recorder knows no PIDs.
using Teller = std::pair<NodeId, std::int64_t>;

void take(Links& links, const Record& record) {
  if (environment_of(record).said) {
    std::vector<NodeId>& named = links.named[record.node];
    if (named.empty() || named.back() != record.coordinator) named.push_back(*record.coordinator);
  }
  if (record.event != TraceEvent::send || !is_about_election(record)) return;
  ++links.sent[record.from][record.type];
  ++links.all[record.type];
  if (winner_in(record) == record.from) links.announced[record.from].insert(record.to);
}

}  // namespace

std::optional<Links> links_of(const Trace& trace) {
  std::set<NodeId> observed;
  std::set<Teller> tellers;  // of their own lines
  for (const auto& [i, record] : trace.records) {
    if (record.event != TraceEvent::start) continue;
    if (environment_of(record).observed) {
      observed.insert(record.node);
    } else {
      tellers.emplace(record.node, record.pid);
    }
  }
  if (observed.empty()) return std::nullopt;
  Links links{.observed = {observed.begin(), observed.end()}};
  for (const auto& [i, record] : trace.records) {
    if (!tellers.contains({record.node, record.pid})) take(links, record);
  }
  return links;
}

}  // namespace bully
