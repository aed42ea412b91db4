// reader.h: the one reader of the trace. Lines in, records out, ordered by time.
//
// Traces of several nodes, or one that all share, are merged. A last line that was cut off, as a
// crash may leave it, is skipped and said; any other damage is an error with file and line.
// A trace may be larger than the memory there is: it is never held as text, and what judging its
// records will take is estimated from its first lines on.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "trace/records.h"

namespace bully {

struct Trace {
  struct File {
    std::string name;
    std::uint32_t lines_before = 0;  // in the files before it
  };

  // From the earliest; of equal times, in the order in which they stood.
  Records records;
  std::vector<File> files;
  // The files whose last line was cut off.
  std::vector<std::string> cut;

  // Where records[i] was read, as "FILE:LINE".
  std::string source(std::size_t i) const;
};

// Damage: what() says "FILE:LINE: why".
class TraceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Judging these traces would take more memory than it may.
class TraceTooLarge : public std::runtime_error {
 public:
  TraceTooLarge(const std::string& file, std::uint64_t size, std::uint64_t memory)
      : std::runtime_error(file), size_bytes(size), memory_bytes(memory) {}
  std::uint64_t size_bytes;    // of all of them; of a pipe, what has been read
  std::uint64_t memory_bytes;  // estimated
};

// What reading and judging takes of memory for each record, measured on runs of all algorithms; and
// how much it may take where nothing else is asked for.
inline constexpr std::uint64_t judged_record_bytes = 90;
inline constexpr std::uint64_t standard_memory_bytes = std::uint64_t{1} << 30;

// The record that `line` (without its newline) is. Throws TraceError, whose what() only says why.
Record parse_trace_line(std::string_view line);

// All that is in a file, as bytes. Throws std::system_error naming it.
std::string read_file(const std::string& path);

// Reads and merges files. Throws TraceError, TraceTooLarge whose what() is the file at which that
// showed, or std::system_error naming the file.
Trace read_traces(const std::vector<std::string>& paths,
                  std::uint64_t memory_bytes = standard_memory_bytes);
// The same for a text that is at hand; `name` stands for the file.
Trace parse_trace(std::string_view text, const std::string& name);

}  // namespace bully
