// commands.h: the subcommands, one file each: it parses its options, calls a room, and prints.
// Each returns the process's exit status, and may throw UsageError or SetupError.
#pragma once

#include "commands/options.h"

namespace bully {

inline constexpr std::string_view version = "1.0.0";

enum ExitStatus : int {
  exit_ok = 0,
  exit_failed = 1,
  exit_usage = 2,
  exit_unknown = 2,  // of a command that judges: neither right nor wrong
};
// Ended by a signal: this, and the signal's number, as shells say it.
inline constexpr int exit_by_signal = 128;

// How much memory reading a trace may take: what --memory counts in.
inline constexpr std::uint64_t mib = std::uint64_t{1} << 20;
inline constexpr std::uint64_t most_memory_mib = std::uint64_t{1} << 18;
// In check.cc: why these traces are not read, and what to do.
class TraceTooLarge;
std::string too_large_words(const TraceTooLarge& error, std::uint64_t memory_mib,
                            Language language);

int run_node(const Invocation& invocation);
int run_ps(const Invocation& invocation);
int run_scenario(const Invocation& invocation);
int run_simulate(const Invocation& invocation);
int run_verify(const Invocation& invocation);
int run_check(const Invocation& invocation);
int run_diagram(const Invocation& invocation);
int run_watch(const Invocation& invocation);
int run_kill(const Invocation& invocation);
int run_compare(const Invocation& invocation);
int run_guard(const Invocation& invocation);

}  // namespace bully
