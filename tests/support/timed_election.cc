#include "support/timed_election.h"

#include <unistd.h>

#include <algorithm>
#include <set>

#include "base/json.h"
#include "base/layout.h"
#include "election/algorithm.h"
#include "words/names.h"

namespace bully {

double seconds_of(Duration time) {
  return std::chrono::duration<double>(time).count();
}

void start_all(Arena& arena, NodeId nodes, const Arguments& options) {
  for (NodeId id = 1; id <= nodes; ++id) arena.start(id, options);
}

bool all_follow(const Arena& arena, NodeId coordinator) {
  const std::vector<NodeId> nodes = arena.nodes();
  return std::ranges::all_of(nodes, [&](NodeId id) {
    return wait_until(
        [&] {
          const auto status = arena.ask(id);
          return status && status->coordinator == coordinator;
        },
        very_patient);
  });
}

void start_and_agree(Arena& arena, NodeId nodes, const Arguments& options) {
  start_all(arena, nodes, options);
  all_follow(arena, nodes);
}

std::uint64_t messages_of(const Arena& arena) {
  std::uint64_t all = 0;
  for (const NodeId id : arena.nodes()) {
    if (const auto status = arena.ask(id)) all += election_total(status->sent);
  }
  return all;
}

namespace {

Traced traced_election(Arena& arena, NodeId victim) {
  const NodeId heir = victim - 1;
  // What was before is of no interest, and would be read again and again.
  if (truncate(arena.trace().c_str(), 0) != 0) return {};
  const Time killed = monotonic_now();
  arena.kill(victim);
  Time first = never;
  Time last{};
  std::set<NodeId> following;
  wait_until(
      [&] {
        following.clear();
        for (const std::string& line : lines_in(contents(arena.trace()))) {
          const auto json = parse_json(line);
          if (!json) continue;
          const Time time((*json)["t"].as_signed().value_or(0));
          if ((*json)["event"].text == "suspect") first = std::min(first, time);
          if ((*json)["coordinator"].as_unsigned() != heir) continue;
          if ((*json)["event"].text != "coordinator") continue;
          following.insert((*json)["node"].as_unsigned().value_or(0));
          last = time;
        }
        return following.size() == arena.nodes().size();
      },
      very_patient);
  return {seconds_of(first - killed), seconds_of(last - killed)};
}

}  // namespace

std::vector<Traced> traced_elections(Arena& arena, NodeId nodes, int count) {
  const Arguments traced = {"--trace=" + arena.trace()};
  start_all(arena, nodes, traced);
  std::vector<Traced> elections;
  for (int i = 0; i < count; ++i) {
    all_follow(arena, nodes);
    elections.push_back(traced_election(arena, nodes));
    arena.start(nodes, traced);
  }
  return elections;
}

Untraced untraced_election(Arena& arena, NodeId victim) {
  const std::uint64_t before = messages_of(arena);
  const auto dead = arena.ask(victim);
  const std::uint64_t gone = dead ? election_total(dead->sent) : 0;
  const Time killed = monotonic_now();
  arena.kill(victim);
  const Time ended = monotonic_now();
  all_follow(arena, victim - 1);
  const Time agreed = monotonic_now();
  // To ask each once more takes what the first asking took beside the election.
  all_follow(arena, victim - 1);
  return {seconds_of(ended - killed), seconds_of(agreed - killed - (monotonic_now() - agreed)),
          static_cast<double>(messages_of(arena) + gone - before)};
}

}  // namespace bully
