// script_text.h: steps and their parts in the words of a script. script.h reads them.
#pragma once

#include <array>
#include <chrono>
#include <span>
#include <string>
#include <string_view>

#include "values/script_step.h"

namespace bully {

// The script's word for an event ("crash"). REQUIRES: the verb comes before `say`.
constexpr std::string_view word_of(Verb verb) {
  constexpr std::array<std::string_view, static_cast<std::size_t>(Verb::say)> words = {
      "deliver", "expire", "suspect", "restart", "crash",  "check", "nodes",
      "start",   "leave",  "ring",    "pause",   "resume", "slow",  "partition",
      "cut",     "heal",   "loss",    "run",     "hold",   "drop",  "count"};
  return words.at(static_cast<std::size_t>(verb));
}
// The step as a line of a script. REQUIRES: its verb comes before `say`.
std::string line_of(const Step& step);
// "250ms", "2s": in whole milliseconds, or in seconds.
std::string duration_text(std::chrono::nanoseconds duration);
// "E 4 A 3 C 3 all 10": the messages of an election, by type, as a script expects them.
std::string counts_text(const MessageCounts& sent, const Algorithm& algorithm);
// " 1 3..5 7"
std::string ranges_of(std::span<const NodeId> ids);

}  // namespace bully
