// writer.h: the one writer of the trace, JSON Lines: one object, one line, one write(2).
//
// A message's subject and epoch, and a state's variables, stand only where there are any; a start
// names its algorithm where the world that records it knows the name.
// Read next: record.h for what a line says.
#pragma once

#include <string>

#include "election/record.h"

namespace bully {

// The `event` of a trace line, and back.
std::string_view trace_event_name(TraceEvent event);
std::optional<TraceEvent> trace_event(std::string_view name);

// `record` as a line of the trace, its newline included.
std::string trace_line(const Record& record);

// Appends each record to a file, one whole line per write, so that many processes can share it.
class TraceFile : public Sink {
 public:
  // Opens or creates `path` for appending. It never waits, not even for a FIFO's reader. Throws
  // std::system_error naming the file.
  explicit TraceFile(const std::string& path);
  ~TraceFile() override;
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  // A line that cannot be written (the disk is full) ends the trace; the node goes on.
  void record(const Record& record) override;
  // The errno with which the trace ended, or 0.
  int error() const { return error_; }

 private:
  int fd_;
  int error_ = 0;
};

}  // namespace bully
