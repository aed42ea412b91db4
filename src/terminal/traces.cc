// traces.cc: opens traces, and reports damage.
#include "terminal/traces.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/list.h"
#include "base/text.h"
#include "node/system.h"
#include "terminal/invocation.h"
#include "terminal/output.h"
#include "trace/trace.h"

namespace bully {

std::string standard_trace() {
  const char* path = std::getenv("BULLY_TRACE");
  return path == nullptr ? "" : path;
}

std::string words_if_appended(const std::string& trace, const Invocation& invocation) {
  std::error_code ignored;
  const auto size = std::filesystem::file_size(trace, ignored);
  return !ignored && size > 0 ? invocation.say(Text::trace_appended, {trace}) : "";
}

void fail_as_too_large(const std::vector<std::string>& traces, std::uint64_t bytes,
                       const Invocation& invocation) {
  const std::string files = joined(traces, " ", in_quotes);
  const std::string most = "head -c " + std::to_string(most_trace_bytes);
  // Several are merged, by the time with which each line begins. The last line of the part is cut.
  const std::string part =
      traces.size() == 1 ? most + ' ' + files : "sort -s -t: -k2n " + files + " | " + most;
  const auto megabytes = [&](std::uint64_t number) {
    return grouped(number / 1'000'000, invocation.language);
  };
  invocation.fail(Text::error_trace_too_large,
                  {joined(traces, ", "), megabytes(bytes), megabytes(most_trace_bytes),
                   part + " | sed '$d' >part.jsonl"});
}

std::optional<TraceFile> open_trace(const std::string& path) {
  return path.empty() ? std::nullopt : std::optional<TraceFile>(std::in_place, path);
}

bool TeeSink::has_failed(const Invocation& invocation) const {
  if (!trace_ || trace_->error() == 0) return false;
  complain(
      invocation.say(Text::log_trace_ended, {error_words(trace_->error(), invocation.language)}));
  return true;
}

int TeeSink::status_of_run(bool is_right, const Invocation& invocation) const {
  const bool is_unrecorded = has_failed(invocation);
  return !is_right ? exit_failed : is_unrecorded ? exit_unknown : exit_ok;
}

}  // namespace bully
