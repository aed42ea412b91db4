// A hundred thousand elections under random faults: do all of them end in agreement?
//
//   sweep_bench [SEEDS]      by default 100000. Exit status 1 where one does not.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "sim/experiments.h"

int main(int argc, char** argv) {
  using std::chrono::milliseconds;
  bully::SweepOptions options{.nodes = 6, .crashes = 4, .restarts = 3, .pauses = 3, .world = {}};
  options.seeds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000;
  options.world.loss_ppm = 50'000;
  options.world.delay = {bully::Delay::Shape::long_tailed, milliseconds(1), milliseconds(800)};

  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t failed = 0;
  std::chrono::nanoseconds longest{};
  for (std::uint64_t seed = 1; seed <= options.seeds; ++seed) {
    const bully::SweepRun run = bully::sweep_one(options, seed);
    longest = std::max(longest, run.time_to_agree);
    if (!run.agreed && ++failed <= 10) {
      std::printf("seed %llu: no agreement\n", static_cast<unsigned long long>(run.seed));
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("%llu runs, %llu without agreement, slowest %.3f s after the last fault; %.1f s\n",
              static_cast<unsigned long long>(options.seeds),
              static_cast<unsigned long long>(failed),
              std::chrono::duration<double>(longest).count(), took.count());
  return failed == 0 ? 0 : 1;
}
