#include "trace/clusters.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace bully {

std::vector<Trace> clusters_of(Trace trace) {
  using Identity = std::optional<std::uint64_t>;
  std::vector<Identity> identities;
  const auto number_of = [&](const Record& start) {
    const Identity identity = start.given == nullptr ? Identity() : start.given->cluster;
    const auto found = std::ranges::find(identities, identity);
    if (found == identities.end()) identities.push_back(identity);
    return static_cast<std::size_t>(found - identities.begin());
  };
  for (const auto& [i, record] : trace.records) {
    if (record.event == TraceEvent::start) number_of(record);
  }
  std::vector<Trace> clusters(std::max(identities.size(), std::size_t{1}));
  if (clusters.size() == 1) {
    clusters.front() = std::move(trace);
    return clusters;
  }
  for (Trace& cluster : clusters) {
    cluster.files = trace.files;
    cluster.cut = trace.cut;
  }
  std::map<std::pair<NodeId, std::int64_t>, std::size_t> of_process;  // by id and PID
  std::map<NodeId, std::size_t> of_id;                                // its latest process
  for (const auto& [i, record] : trace.records) {
    const std::pair process(record.node, record.pid);
    if (record.event == TraceEvent::start) {
      of_process[process] = of_id[record.node] = number_of(record);
    }
    // Others who write about a process may not know its PID.
    const auto found = of_process.find(process);
    const std::size_t cluster = found == of_process.end() ? of_id[record.node] : found->second;
    clusters[cluster].records.add(record, trace.records.line_of(i));
  }
  return clusters;
}

}  // namespace bully
