// trace_file.h: the trace of processes that run: a file to which one writes, or that one follows.
// For a finished trace see ../trace/trace.h.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "node/system.h"
#include "trace/trace.h"

namespace bully {

// Appends each record to a file, one whole line per write(2), so that many processes can share it.
class TraceFile : public Sink {
 public:
  // Opens or creates `path` for appending. It never waits, not even for a FIFO's reader. Throws
  // SetupError.
  explicit TraceFile(const std::string& path);

  // A line that cannot be written (the disk is full) ends the trace; the node goes on.
  void record(const Record& record) override;
  // The errno with which the trace ended, or 0.
  int error() const { return error_; }

 private:
  Descriptor file_;
  int error_ = 0;
};

// The lines added to a trace since the last look, while other processes write it; also if the file
// is emptied, or removed and made again.
class TraceTail {
 public:
  // If the file is missing: make it, empty; or wait for a file with that name. Throws SetupError.
  enum class Missing : std::uint8_t { make, await };
  explicit TraceTail(const std::string& path, Missing missing = Missing::make);
  bool is_there() const { return static_cast<bool>(file_); }
  const std::string& path() const { return path_; }

  // The records of all complete lines, in the file's order. An invalid line, as a writer that
  // crashed may leave it, is skipped.
  std::vector<Record> next();
  const std::optional<TraceError>& damage() const { return damage_; }

 private:
  void read_on(std::vector<Record>& records);
  // True if the file must be read from its beginning: it was emptied, or another file has its name.
  bool begins_anew();

  std::string path_;
  Descriptor file_;
  std::uint32_t lines_ = 0;
  std::string rest_;  // of a line that is not complete yet
  std::optional<TraceError> damage_;
};

}  // namespace bully
