// vector_clocks.h: what happened before what in a trace [Lamport 1978], to compare pictures with.
#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include "trace/elections.h"

namespace bully {

// A vector clock for each record: what of each node had happened when it did. A node that comes
// back goes on with the clock it had: one line in a diagram is one node.
class VectorClocks {
 public:
  explicit VectorClocks(const Trace& trace);

  // The nodes that have records, from the lowest: clock(i)[k] counts the records of nodes()[k].
  const std::vector<NodeId>& nodes() const { return nodes_; }
  std::span<const std::uint32_t> clock(std::size_t record) const;
  bool happened_before(std::size_t a, std::size_t b) const;

 private:
  std::vector<NodeId> nodes_;
  std::vector<std::size_t> line_;      // of each record: which of nodes_
  std::vector<std::uint32_t> clocks_;  // records × nodes
};

inline VectorClocks::VectorClocks(const Trace& trace) {
  const Timeline timeline = timeline_of(trace);
  std::map<NodeId, std::size_t> lines;
  for (const auto& [i, record] : trace.records) lines.emplace(record.node, 0);
  for (auto& [node, line] : lines) {
    line = nodes_.size();
    nodes_.push_back(node);
  }
  const std::size_t width = nodes_.size();
  clocks_.resize(trace.records.size() * width);
  std::vector<std::size_t> previous(width, no_record);
  const auto merge = [&](std::size_t into, std::size_t from) {
    for (std::size_t k = 0; k < width; ++k) {
      std::uint32_t& mine = clocks_[into * width + k];
      mine = std::max(mine, clocks_[from * width + k]);
    }
  };
  for (const auto& [i, record] : trace.records) {
    const std::size_t line = lines.at(record.node);
    line_.push_back(line);
    if (previous[line] != no_record) merge(i, previous[line]);
    // That a message was lost is learned from the kernel, not from the message.
    if (record.event == TraceEvent::receive && timeline.partner[i] != no_record) {
      merge(i, timeline.partner[i]);
    }
    ++clocks_[i * width + line];
    previous[line] = i;
  }
}

inline std::span<const std::uint32_t> VectorClocks::clock(std::size_t record) const {
  return {clocks_.data() + record * nodes_.size(), nodes_.size()};
}

inline bool VectorClocks::happened_before(std::size_t a, std::size_t b) const {
  const std::size_t line = line_[a];
  return a != b && clock(a)[line] <= clock(b)[line];
}

}  // namespace bully
