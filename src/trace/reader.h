// reader.h: the one reader of the trace. Lines in, records out, ordered by time.
//
// Traces of several nodes, or one that all share, are merged. A last line that was cut off, as a
// crash may leave it, is skipped and said; any other damage is an error with file and line.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "trace/record.h"

namespace bully {

struct Trace {
  // From the earliest; of equal times, in the order in which they stood.
  std::vector<Record> records;
  // sources[i]: where records[i] was read, as "FILE:LINE".
  std::vector<std::string> sources;
  // The files whose last line was cut off.
  std::vector<std::string> cut;
};

// Damage: what() says "FILE:LINE: why".
class TraceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The record that `line` (without its newline) is. Throws TraceError, whose what() only says why.
Record parse_trace_line(std::string_view line);

// All that is in a file, as bytes. Throws std::system_error naming it.
std::string read_file(const std::string& path);

// Reads and merges files. Throws TraceError, or std::system_error naming the file.
Trace read_traces(const std::vector<std::string>& paths);
// The same for a text that is at hand; `name` stands for the file.
Trace parse_trace(std::string_view text, const std::string& name);

}  // namespace bully
