// How fast `bully verify` explores, and in how much memory. Beside it, where spin and a C compiler
// are installed, spin's rate on a small ring of its own.
//
// Build: see tests/bench/explorer_bench.sh, which runs both. Exit 1 if a target is missed.

#include <chrono>
#include <cstdio>

#include "election/bully.h"
#include "explorer/explorer.h"
#include "view/exploration_report.h"

namespace bully {
namespace {

constexpr double min_states_per_second = 500'000;
constexpr double max_index_bytes = 64;

// Whether the targets are met.
bool measure(const ExploreOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const ExploreResult result = explore(options, make_protocol<Bully>);
  const auto elapsed = std::chrono::steady_clock::now() - begin;
  std::fputs(explore_report(options, result, elapsed, Language::english).c_str(), stdout);
  const auto states = static_cast<double>(result.states);
  const double rate = states / std::chrono::duration<double>(elapsed).count();
  const double index_bytes = static_cast<double>(result.index_bytes) / states;
  const bool met = rate >= min_states_per_second && index_bytes <= max_index_bytes;
  std::printf("  %-16s%s\n\n", "targets",
              met ? "met" : "MISSED: at least 500,000 states/s, at most 64 bytes");
  return met && result.verdict != Verdict::violated;
}

int run() {
  const bool first = measure({.crashes = 2, .restarts = 1, .timing = Timing::asynchronous});
  const bool second = measure({.nodes = 4,
                               .crashes = 1,
                               .restarts = 1,
                               .reduction = Bully::forget_idle_words,
                               .max_states = 5'000'000});
  return first && second ? 0 : 1;
}

}  // namespace
}  // namespace bully

int main() {
  return bully::run();
}
