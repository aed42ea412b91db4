#include "trace/clusters.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace bully {

std::vector<Trace> clusters_of(Trace trace) {
  using Identity = std::optional<std::uint64_t>;
  std::vector<Identity> identities;
  std::map<std::pair<NodeId, std::int64_t>, std::size_t> of_process;  // by id and PID
  std::map<NodeId, std::size_t> of_id;                                // its latest process
  std::vector<std::size_t> of_line;
  of_line.reserve(trace.records.size());
  for (const auto& [i, record] : trace.records) {
    if (record.event == TraceEvent::start) {
      const Identity identity = record.given == nullptr ? Identity() : record.given->cluster;
      const auto found = std::ranges::find(identities, identity);
      const auto cluster = static_cast<std::size_t>(found - identities.begin());
      if (found == identities.end()) identities.push_back(identity);
      of_process[{record.node, record.pid}] = of_id[record.node] = cluster;
    }
    const auto process = of_process.find({record.node, record.pid});
    const auto id = of_id.find(record.node);
    if (process != of_process.end()) {
      of_line.push_back(process->second);
    } else {
      of_line.push_back(id == of_id.end() ? 0 : id->second);
    }
  }
  std::vector<Trace> clusters;
  if (identities.size() < 2) {
    clusters.push_back(std::move(trace));
    return clusters;
  }
  clusters.resize(identities.size());
  for (Trace& cluster : clusters) {
    cluster.files = trace.files;
    cluster.cut = trace.cut;
  }
  for (const auto& [i, record] : trace.records) {
    clusters[of_line[i]].records.add(record, trace.records.line_of(i));
  }
  return clusters;
}

}  // namespace bully
