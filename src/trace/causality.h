// causality.h: which receipt belongs to which sending, and what happened before what [Lamport
// 1978].
//
// A message is known by sender, receiver, type and the sender's number. A node that comes back
// under its old id counts from 1 again: then its lives and the time decide (lives.h). Records that
// belong together are found by this unit alone; it never judges whether one should be there.
// Read next: verdict.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/reader.h"

namespace bully {

// "No such record."
inline constexpr std::size_t no_record = static_cast<std::size_t>(-1);

struct Causality {
  // partner[i], for a send: its receipt, or the record that says that it was lost; for a receive or
  // a lost: its sending. no_record where there is none, and for every other event.
  std::vector<std::size_t> partner;
  // The receipts and losses without a sending, by time; pings among them only where their sender
  // records its pings.
  std::vector<std::size_t> unpaired;
};

// Pairs the messages of `trace`. A receipt never stands before its sending. Never fails.
Causality pair_messages(const Trace& trace);

// A vector clock for each record: what of each node had happened when it did. A node that comes
// back goes on with the clock it had: one line in a diagram is one node.
class VectorClocks {
 public:
  VectorClocks(const Trace& trace, const Causality& pairs);

  // The nodes that have records, from the lowest: clock(i)[k] counts the records of nodes()[k].
  const std::vector<NodeId>& nodes() const { return nodes_; }
  std::span<const std::uint32_t> clock(std::size_t record) const;
  // Whether record `a` happened before record `b`: what happened at `a` could have been known
  // there.
  bool happened_before(std::size_t a, std::size_t b) const;

 private:
  std::vector<NodeId> nodes_;
  std::vector<std::size_t> line_;      // of each record: which of nodes_
  std::vector<std::uint32_t> clocks_;  // records × nodes
};

}  // namespace bully
