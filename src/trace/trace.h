// trace.h: the one writer and the one reader of records: JSON Lines, one object a line.
//
// A line has a message's fields and a state's variables only if there are any. A process's own
// start names its algorithm and its waits; that of a recorder names the algorithm if it is known.
// The first field on the wire has the key `subject` and the second `epoch`, whatever their names; a
// third, a fourth and a list of ids have their names as keys, which differ from a record's other
// keys.
//
// The reader merges the traces of several nodes; nodes may also share one. It skips a line that a
// crash has cut off, at the end or where another process goes on, and reports it; any other damage
// is an error with file and line.
// This unit never judges.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/problem.h"
#include "trace/environment.h"

namespace bully {

struct EventFields {
  std::string_view name;  // of the event, in a trace
  // Its word, if it has one, and the word's key in a trace.
  std::string_view Record::*word = nullptr;
  std::string_view key = {};
  bool has_coordinator = false;
};

// In the order of TraceEvent. Messages also have their fields, and a state its variables.
inline constexpr std::array<EventFields, trace_event_count> event_fields = {{
    {"start", &Record::algorithm, "algorithm"},
    {"send"},
    {"receive"},
    {"lost", &Record::reason, "reason"},
    {"wait", &Record::timer, "timer"},
    {"timeout", &Record::timer, "timer"},
    {"suspect", &Record::reason, "reason", true},
    {"state", &Record::state, "state"},
    {"coordinator", nullptr, {}, true},
    {"drop", &Record::reason, "reason"},
    {"stop"},
    {"crash"},
    {"rule", &Record::rule, "rule"},
    {"pause"},
    {"resume"},
    {"end"},
    {"partition"},
    {"heal"},
    {"step", &Record::reason, "reason", true},
}};

// The times of a start, by key.
using WaitsField = std::pair<std::string_view, std::int64_t Waits::*>;
inline constexpr std::array<WaitsField, 5> waits_fields = {{
    {"ping_interval_ns", &Waits::ping_interval_ns},
    {"ping_timeout_ns", &Waits::ping_timeout_ns},
    {"answer_timeout_ns", &Waits::answer_timeout_ns},
    {"coordinator_timeout_ns", &Waits::coordinator_timeout_ns},
    {"pace_ns", &Waits::pace_ns},
}};

inline const EventFields& fields_of(TraceEvent event) {
  return event_fields.at(static_cast<std::size_t>(event));
}

// With its newline.
std::string trace_line(const Record& record);

struct Trace {
  struct File {
    std::string name;
    std::uint32_t lines_before = 0;  // in the files before it
  };

  // From the earliest; equal times stay in the order of their lines.
  std::vector<Record> records;
  std::vector<File> files;
  // The files in which a line was cut off.
  std::vector<std::string> cut;

  // The place from which records[i] was read, as "FILE:LINE".
  std::string source(std::size_t i) const;
};

struct TraceError : std::exception {
  TraceError(std::string where, Problem why) : place(std::move(where)), problem(std::move(why)) {}
  const char* what() const noexcept override { return place.c_str(); }

  std::string place;  // "FILE:LINE"; empty for a line alone
  Problem problem;
};

// All records are held in memory, about 1 GB for as many bytes as this.
inline constexpr std::uint64_t most_trace_bytes = 300'000'000;

// The traces have more bytes, in all, than may be read.
struct TraceTooLarge : std::exception {
  explicit TraceTooLarge(std::uint64_t size) : bytes(size) {}
  std::uint64_t bytes;  // in all; of a pipe, as far as it was read
};

// Of all files among these: the size of a pipe is not known before its end.
std::uint64_t bytes_of(const std::vector<std::string>& paths);

// The record of `line` (without its newline). Throws TraceError.
Record parse_trace_line(std::string_view line);

// Reads and merges files. Throws TraceError; TraceTooLarge, before the first file is read if the
// files show it; or std::system_error naming the file.
Trace read_traces(const std::vector<std::string>& paths,
                  std::uint64_t most_bytes = most_trace_bytes);
// The same for a text in memory, with `name` as its file.
Trace parse_trace(std::string_view text, const std::string& name);

// A trace for each cluster, by their first starts, with the line numbers and files of the whole:
// processes of one directory are a cluster, and may share a file with the processes of another. A
// start says to which cluster the following lines of its process belong; starts that do not say it
// (of a simulation) are one cluster. A line without a start belongs to that of the process's id, if
// any is known by then, or else to the first. A recorder's lines of a process that has written a
// trace itself are left out: they would be there twice.
std::vector<Trace> clusters_of(Trace trace);

}  // namespace bully
