// verdict.h: the verdict on a run: right, violated, or inconclusive.
//
// Two judges (judge.h) go through the history of the run (../history/history.h): a violation that
// even the generous reading shows is one. The run is inconclusive if something is wrong in the
// strict reading only, or something decisive is not there. It is right if nothing of that is so.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "base/list.h"
#include "history/history.h"
#include "trace/trace.h"
#include "verdict/judge.h"

namespace bully {

// The reason why a trace is inconclusive.
inline constexpr auto doubt_names = std::to_array<std::string_view>({
    "empty",          // it has no record
    "cut_line",       // a line was cut off, and its content is unknown
    "line_missing",   // by a process's own count of its lines, one is missing,
    "line_repeated",  // or there twice,
    "unnumbered",     // or has no number
    "names_only",     // processes that take part have no trace: the example's, say
    "observed",       // processes were recorded from outside: their states and timeouts are unknown
    "mixed",          // processes ran different algorithms, and could not understand each other
    "word",           // a violation, unless a process was stopped or silent, as no record shows
    "unsent",         // a process received a message after the last line of its sender
    "open_end",       // a process's lines stop while it follows a lost coordinator, or takes part
    "in_flight",      // a message to a live process neither came nor was lost
    "disagree",       // live processes follow different coordinators where the trace ends
    "disturbed",      // the trace ends before a stop, or a cut of the network
    "no_election",    // no election began and ended
});
using Doubt = OneOf<doubt_names>;
struct Reason {
  Doubt doubt = "empty";
  std::vector<NodeId> nodes = {};
  std::vector<std::size_t> records = {};
  std::optional<std::uint64_t> line = std::nullopt;   // which of the process's own
  std::optional<Violation> violation = std::nullopt;  // by a process's word
};

enum class RunVerdict : std::uint8_t { right, violated, cannot_tell };
std::string_view name_of(RunVerdict verdict);

struct Report {
  RunVerdict verdict = RunVerdict::cannot_tell;
  History history;
  Findings found = {};                           // in the generous reading
  std::vector<Reason> reasons = {};              // for doubt; may accompany violations
  std::vector<const Property*> properties = {};  // that were judged
};

// The properties that are judged of processes with this algorithm, in the order of a report. Once
// others run as well, only `sent` and `arrives` are.
std::vector<const Property*> judged_properties(const Algorithm& algorithm);

// Checks `trace`. Never fails.
Report check_trace(const Trace& trace);

}  // namespace bully
