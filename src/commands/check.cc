// check.cc: `bully check [TRACE…]`, the verdict on a recorded run.
#include "view/check.h"

#include <cstdlib>

#include "commands/commands.h"
#include "commands/terminal.h"

namespace bully {

namespace {

// The exit status says the verdict. Wrong usage exits with 2 as well: nothing can be told either.
int exit_status(RunVerdict verdict) {
  switch (verdict) {
    case RunVerdict::right:
      return 0;
    case RunVerdict::violated:
      return 1;
    case RunVerdict::cannot_tell:
      return 2;
  }
  return exit_failed;
}

// A trace that cannot be read has no verdict. It must not exit with 1, which is one.
Trace read(const std::vector<std::string>& paths, std::uint64_t memory_mib, Language language) {
  try {
    return read_traces(paths, memory_mib * mib);
  } catch (const TraceTooLarge& error) {
    throw UsageError(too_large_words(error, memory_mib, language));
  } catch (const std::exception& error) {
    throw UsageError(error.what());
  }
}

}  // namespace

std::string too_large_words(const TraceTooLarge& error, std::uint64_t memory_mib,
                            Language language) {
  const auto in_mib = [](std::uint64_t bytes) { return std::to_string((bytes + mib - 1) / mib); };
  return text(Text::error_trace_too_large, language,
              {error.what(), in_mib(error.size_bytes), in_mib(error.memory_bytes),
               std::to_string(memory_mib)});
}

int run_check(const Invocation& invocation) {
  const Language language = invocation.language;
  std::vector<std::string> paths;
  bool json = false;
  bool help = false;
  std::size_t color = 0;
  std::uint64_t memory_mib = standard_memory_bytes / mib;
  Options options(language);
  options.group(Text::help_other_options);
  options.flag("--json", json, Text::option_json_object);
  options.number("--memory", memory_mib, 1, most_memory_mib, Text::option_memory);
  options.language();
  options.choice("--color", {"auto", "always", "never"}, color, Text::option_color);
  options.flag("--help", help, Text::option_help);
  options.argument([&](const std::string& path) { paths.push_back(path); });
  options.parse(invocation.arguments);
  if (help) {
    write_to_stdout(
        options.page("bully check [TRACE…]", Text::help_check_intro, Text::help_check_exit));
    return exit_ok;
  }
  if (const char* standard = std::getenv("BULLY_TRACE"); paths.empty() && standard != nullptr) {
    if (*standard != '\0') paths.emplace_back(standard);
  }
  if (paths.empty()) options.fail(Text::check_needs_trace, {});
  const Trace trace = read(paths, memory_mib, language);
  const Report report = judge(trace);
  write_to_stdout(json ? check_json(trace, report)
                       : check_report(trace, report, language, use_color(color)));
  return exit_status(report.verdict);
}

}  // namespace bully
