// verdict.h: the verdict on a run, by the properties that its kind of election promises.
//
// The nodes' algorithm decides which properties (../election/algorithm.h).
//
// Only proof from the trace counts. A property is broken if lines of the trace show it, whatever a
// killed or stopped process might have written as well. A run is right if each process's end leaves
// no doubt, and at least one election began and ended. If the decisive lines are missing, the
// verdict is INCONCLUSIVE, with reasons. A temporary state, such as two coordinators until they
// detect each other, breaks nothing.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>

#include "base/list.h"
#include "trace/elections.h"
#include "trace/figures.h"

namespace bully {

// The kind of a violation: `node` has done it, `other` is the process concerned.
inline constexpr auto violation_names = std::to_array<std::string_view>({
    "all_follow_a_lower",    // all follow node, although other is higher and live
    "never_decided",         // node started an election, and it had no result
    "stood_still",           // node was in an election, and took no step in it for too long
    "never_settled",         // node and the others did not agree, though nothing disturbed them
    "stayed_with_the_dead",  // node kept following other, which was gone
    "not_sent",              // node received a message that other did not send
    "overtaken",             // node received a message of other before an earlier one
    "more_than_bound",       // the election that node noticed and other won exceeds the bound
    "not_kept",              // at that moment, right after a step of node
    "not_by_rules",          // node did something else in a step than its rules do: Violation::due
});
using ViolationKind = OneOf<violation_names>;

struct Violation {
  const Property* property = &properties::sent;
  ViolationKind kind = "not_sent";
  NodeId node = 0;
  NodeId other = 0;
  std::vector<std::size_t> records;  // the lines that show it: indexes into Trace::records
  // not_by_rules: the line due in place of the last one. Null: none. And the rule by which
  // the process acts there, if there is one.
  std::shared_ptr<const Record> due = nullptr;
  const Rule* rule = nullptr;
};

// The reason why a trace is inconclusive.
inline constexpr auto doubt_names = std::to_array<std::string_view>({
    "empty",         // it has no record
    "mid_election",  // the trace ends before an election does
    "names_only",    // nodes that take part have no trace: the example's, say
    "no_beginning",  // a node's first lines are missing
    "in_step",       // the lines of a live node end in the middle of a step
    "cut_line",      // a line was cut off, and its content is unknown
    // By a process's own count of its lines:
    "line_missing",   // one is missing
    "line_repeated",  // one is there twice
    "line_moved",     // one is not in its place
    "other_version",  // another version wrote a node's lines, and they differ from its rules here
    "unfounded",      // a node found another gone, which lived on, or deposed, which was not
    "early",          // a node's timer expired before its time
    "mixed",          // nodes ran different algorithms, and could not understand each other
    "observed",       // nodes were recorded from outside: their states and timeouts are unknown
    "open_end",   // a node's lines stop while it follows a lost coordinator, or is in an election
    "unwatched",  // no detector could report that a coordinator was gone: controlled nodes, say
    "contradiction",  // lines exclude each other: a message was lost or received before it was sent
    "untraced",       // a node may have come back without a trace, and sent messages
    "in_flight",      // a message was sent to a node, and neither received nor lost
    "no_election",    // no election began and ended
});
using Doubt = OneOf<doubt_names>;
struct Reason {
  Doubt doubt = "empty";
  std::vector<NodeId> nodes;
  std::vector<std::size_t> records;
  std::optional<std::uint64_t> line = std::nullopt;  // which of the process's own

  void add(NodeId node, std::size_t record) {
    nodes.push_back(node);
    records.push_back(record);
  }
};

enum class RunVerdict : std::uint8_t { right, violated, cannot_tell };
std::string_view name_of(RunVerdict verdict);

// A property that this run does not promise: record `shown_by` shows that an assumption does not
// hold.
struct NotPromised {
  const Property* property = nullptr;
  Assumption assumption = {};
  std::size_t shown_by = 0;
};

// All elections are judged; as many are worth a paragraph.
inline constexpr std::size_t most_described = 10'000;

struct Report {
  RunVerdict verdict = RunVerdict::cannot_tell;
  std::vector<Violation> violations;  // by property, then by time
  std::vector<Reason> reasons;        // the reasons for doubt; may accompany violations
  std::vector<Election> elections;
  std::vector<Figures> figures;  // figures[k] belongs to elections[k]; of the first most_described
  Timeline timeline;
  std::vector<const Property*> properties;  // that were checked
  std::vector<NotPromised> not_promised;    // not among the `properties`
  // The number of tests of each property; absent if none.
  std::map<const Property*, std::uint64_t> tested;
};

// Checks `trace`. Never fails.
Report check_trace(const Trace& trace);

}  // namespace bully
