// How fast the simulator delivers messages, and how much memory the largest election takes.
//
//   sim_bench [NODES...]     by default 100 10000; all of them detect at once
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "sim/world.h"

namespace {

// Elections are held until about `messages` have been delivered, each from the same start.
void measure(bully::NodeId nodes, std::uint64_t messages, bully::Delay delay, const char* name) {
  std::uint64_t delivered = 0;
  std::uint64_t sent = 0;
  std::uint64_t elections = 0;
  const auto begin = std::chrono::steady_clock::now();
  while (delivered < messages) {
    bully::WorldOptions options;
    options.seed = elections + 1;
    options.delay = delay;
    options.detection = bully::Detector::off;
    bully::World world(options);
    world.preset(bully::one_to(nodes));
    world.crash(nodes);
    for (bully::NodeId id = 1; id < nodes; ++id) world.suspect(id);
    world.run_until_quiescent(std::chrono::minutes(10));
    if (!world.agreed()) std::abort();
    delivered += election_total(world.delivered());
    for (const auto& [type, count] : world.sent()) sent += count;
    ++elections;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "n=%-6llu %-11s elections %-6llu sent %-10llu delivered %-10llu %.1f s  %.2f M/s  "
      "peak %ld MiB\n",
      static_cast<unsigned long long>(nodes), name, static_cast<unsigned long long>(elections),
      static_cast<unsigned long long>(sent), static_cast<unsigned long long>(delivered),
      took.count(), static_cast<double>(delivered) / took.count() / 1e6, usage.ru_maxrss / 1024);
}

}  // namespace

int main(int argc, char** argv) {
  using std::chrono::milliseconds;
  const bully::Delay fixed;
  const bully::Delay uniform{bully::Delay::Shape::uniform, milliseconds(1), milliseconds(5)};
  std::vector<bully::NodeId> sizes;
  for (int i = 1; i < argc; ++i) sizes.push_back(std::strtoull(argv[i], nullptr, 10));
  if (sizes.empty()) sizes = {100, 10000};
  for (const bully::NodeId nodes : sizes) {
    const std::uint64_t messages = nodes < 1000 ? 10'000'000 : 1;
    measure(nodes, messages, fixed, "fixed");
    measure(nodes, messages, uniform, "uniform");
  }
}
