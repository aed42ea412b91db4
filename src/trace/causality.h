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

// For each record the number of something that belongs to it, in half of the memory.
class Indexes {
 public:
  std::size_t operator[](std::size_t i) const {
    return indexes_[i] == none ? no_record : indexes_[i];
  }
  std::size_t size() const { return indexes_.size(); }
  void set(std::size_t i, std::size_t value) { indexes_[i] = packed(value); }
  void push_back(std::size_t value) { indexes_.push_back(packed(value)); }
  void reserve(std::size_t size) { indexes_.reserve(size); }
  void fill(std::size_t size) { indexes_.assign(size, none); }

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFF;
  static std::uint32_t packed(std::size_t value) {
    return value == no_record ? none : static_cast<std::uint32_t>(value);
  }
  std::vector<std::uint32_t> indexes_;
};

struct Causality {
  // partner[i], for a send: its receipt, or the record that says that it was lost; for a receive or
  // a lost: its sending. no_record where there is none, and for every other event.
  Indexes partner;
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
