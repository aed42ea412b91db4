// traces.h: the traces that a command reads and writes, as a user names them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "election/record.h"
#include "stage/trace_file.h"
#include "terminal/invocation.h"

namespace bully {

// $BULLY_TRACE, empty if it is not set.
std::string standard_trace();
// A warning if the trace has content already, which the user may not want in a new run; or nothing.
std::string words_if_appended(const std::string& trace, const Invocation& invocation);
// Throws UsageError: these traces have too many `bytes`. It has a command that takes as many as can
// be read: their beginning, for a later part lacks the messages sent before it.
[[noreturn]] void fail_as_too_large(const std::vector<std::string>& traces, std::uint64_t bytes,
                                    const Invocation& invocation);
// The trace to write; nothing if `path` is empty. Throws SetupError.
std::optional<TraceFile> open_trace(const std::string& path);

// Passes records on to `shown`, unless null, and to the trace at `path`, unless empty.
class TeeSink : public Sink {
 public:
  TeeSink(Sink* shown, const std::string& path) : shown_(shown), trace_(open_trace(path)) {}
  void record(const Record& record) override {
    if (shown_ != nullptr) shown_->record(record);
    if (trace_) trace_->record(record);
  }
  void flush() override {
    if (shown_ != nullptr) shown_->flush();
  }
  // True if the trace ended early; then reports that on standard error.
  bool has_failed(const Invocation& invocation) const;
  // The exit status of a command that judges a run: a trace that ended early leaves a right one
  // without its record.
  int status_of_run(bool is_right, const Invocation& invocation) const;

 private:
  Sink* shown_;
  std::optional<TraceFile> trace_;
};

}  // namespace bully
