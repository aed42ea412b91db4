// The slowest of many elections: what real nodes take at worst, beside what the machine itself
// takes at worst for the work.
//
//   tail_bench [ELECTIONS]     by default 1000 with 9 nodes, and as many with 100
//
// real_bench tells the usual, and holds it against a bar. Here is none: the worst of a thousand is
// whatever else the machine had to do.
#include <signal.h>

#include <algorithm>
#include <cstdio>

#include "election/algorithm.h"
#include "election/bully.h"
#include "support/floors.h"
#include "support/scratch.h"
#include "support/timed_election.h"

namespace bully {
namespace {

// In seconds. The 99th percentile: as much as 99 of 100 take at most.
void row(const char* figure, std::vector<double> values) {
  std::ranges::sort(values);
  const auto ms = [&](std::size_t percent) {
    const std::size_t rank = (values.size() * percent + 99) / 100;
    return values[rank - 1] * 1000;
  };
  std::printf("%-48s %8.2f %8.2f %8.2f ms\n", figure, ms(50), ms(99), ms(100));
  std::fflush(stdout);
}

void few(int elections) {
  constexpr NodeId nodes = 9;
  std::vector<double> times;
  std::vector<double> told;
  Arena arena({"--detector=eof"});
  for (const Traced& election : traced_elections(arena, nodes, elections)) {
    times.push_back(election.last_follows);
    told.push_back(election.first_told);
  }
  row("tail-9: SIGKILL to all follow", times);
  row("  of it until the first is told", told);
  row("  an idle process's death", bare_deaths(elections));
}

void many(int elections) {
  constexpr NodeId nodes = 100;
  std::vector<double> times;
  // What the worst case takes, in which all detect before any hears COORDINATOR, from each of as
  // many bare processes to each.
  const auto most = static_cast<double>(election_total(bully_algorithm().bound(nodes)));
  std::vector<double> exchanges;
  Untraced worst;
  Arena arena({"--detector=eof"});
  start_all(arena, nodes);
  for (int i = 0; i < elections; ++i) {
    all_follow(arena, nodes);
    const double exchange = bare_exchange(arena.path(), static_cast<int>(nodes));
    const Untraced election = untraced_election(arena, nodes);
    times.push_back(election.time);
    exchanges.push_back(exchange * most);
    if (election.time > worst.time) worst = election;
    arena.start(nodes);
  }
  row("tail-100: SIGKILL to all follow", times);
  row("  the most messages, from each process to each", exchanges);
  std::printf("  the worst: %.0f messages; the killed process had ended after %.2f ms\n",
              worst.messages, worst.ended * 1000);
}

}  // namespace
}  // namespace bully

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  bully::guard_this_program();
  const int elections = argc > 1 ? std::atoi(argv[1]) : 1000;
  if (elections < 1) {
    std::fputs("tail_bench: ELECTIONS must be at least 1\n", stderr);
    return 2;
  }
  std::printf("%-48s %8s %8s %8s    of %d\n", "figure", "median", "99th %", "worst", elections);
  bully::few(elections);
  bully::many(elections);
}
