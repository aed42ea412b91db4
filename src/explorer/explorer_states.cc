// explorer_states.cc: a hash table without pointers, and the components of a graph.
#include "explorer/explorer_states.h"

#include <algorithm>
#include <cassert>

namespace bully {

StateStore::Inserted StateStore::insert(std::span<const std::uint8_t> wanted,
                                        std::uint64_t hashed) {
  assert(wanted.size() <= length_mask && size() < max_states);
  const std::uint64_t mask = table_.size() - 1;
  std::uint64_t at = hashed & mask;
  for (; table_[at] != 0; at = (at + 1) & mask) {
    if ((table_[at] ^ hashed) >> 32U != 0) continue;
    const std::uint32_t number = number_in(table_[at]);
    if (std::ranges::equal(state(number), wanted)) return {number, false};
  }
  const auto number = static_cast<std::uint32_t>(size());
  ends_.push_back(append(wanted) << length_bits | wanted.size());
  table_[at] = slot_of(number, hashed);
  // At three quarters, a probe still needs only a few steps.
  if (size() * 4 > table_.size() * 3) grow_table();
  return {number, true};
}

// The numbers can be computed again from the states: the old table is freed before the new one is
// made.
void StateStore::grow_table() {
  const std::size_t doubled = table_.size() * 2;
  table_ = {};
  table_.resize(doubled);
  const std::uint64_t mask = doubled - 1;
  for (std::uint32_t number = 0; number < size(); ++number) {
    const std::uint64_t hashed = hash_of(state(number));
    std::uint64_t at = hashed & mask;
    while (table_[at] != 0) at = (at + 1) & mask;
    table_[at] = slot_of(number, hashed);
  }
}

// Returns the end of the state. A state never crosses a chunk boundary.
std::uint64_t StateStore::append(std::span<const std::uint8_t> state) {
  std::uint64_t room = arena_.size() * arena_chunk - end_;
  if (room < state.size()) {
    end_ += room;
    arena_.push_back(std::unique_ptr<std::uint8_t[]>(new std::uint8_t[arena_chunk]));
  }
  std::copy(state.begin(), state.end(), arena_.back().get() + end_ % arena_chunk);
  end_ += state.size();
  used_ += state.size();
  return end_;
}

namespace {

struct LivenessSearch {
  LivenessFindings run() {
    for (std::uint32_t root = 0; root < rank.size(); ++root) {
      if (rank[root] == 0) walk_from(root);
    }
    findings.bytes = rank.capacity() * sizeof(rank[0]) + path.capacity() * sizeof(Visit) +
                     open.capacity() * sizeof(open[0]);
    return std::move(findings);
  }

  // A state's rank is 0 before the visit; then the order of the visit; when its component is known,
  // a rank below, the result for that component.
  static constexpr std::uint32_t reaches = 0xFFFF'FFFF;
  static constexpr std::uint32_t never_reaches = 0xFFFF'FFFE;

  struct Visit {
    std::uint32_t state;
    std::uint32_t lowest;  // the lowest reachable rank, so far
    std::uint32_t next;    // next edge to follow
    bool reaches = false;  // reaches agreement, so far
    bool loops = false;    // an edge to itself
  };

  void enter(std::uint32_t state) {
    rank[state] = ++last_rank;
    open.push_back(state);
    const bool is_end = graph.begins[state] == graph.begins[state + std::uint64_t{1}];
    path.push_back({state, last_rank, graph.begins[state], is_end});
  }

  // The recursion of the textbook's algorithm, with its own stack.
  void walk_from(std::uint32_t root) {
    enter(root);
    while (!path.empty()) {
      Visit& visit = path.back();
      if (visit.next == graph.begins[visit.state + std::uint64_t{1}]) {
        leave();
        continue;
      }
      const std::uint32_t target = graph.targets[visit.next++];
      if (rank[target] == 0) {
        enter(target);
        continue;
      }
      if (target == visit.state) visit.loops = true;
      if (rank[target] == reaches) visit.reaches = true;
      if (rank[target] < never_reaches) visit.lowest = std::min(visit.lowest, rank[target]);
    }
  }

  void leave() {
    const Visit visit = path.back();
    path.pop_back();
    if (!path.empty()) {
      Visit& parent = path.back();
      parent.lowest = std::min(parent.lowest, visit.lowest);
      parent.reaches = parent.reaches || visit.reaches;
    }
    if (visit.lowest == rank[visit.state]) close_component(visit);
  }

  void close_component(const Visit& visit) {
    const auto first = std::find(open.rbegin(), open.rend(), visit.state).base() - 1;
    const bool cyclic = open.end() - first > 1 || visit.loops;
    for (auto state = first; state != open.end(); ++state) {
      rank[*state] = visit.reaches ? reaches : never_reaches;
      if (!visit.reaches && findings.unreaching.value_or(*state) >= *state) {
        findings.unreaching = *state;
      }
    }
    if (cyclic) {
      std::vector<std::uint32_t> component(first, open.end());
      std::sort(component.begin(), component.end());
      const bool earlier = findings.trap.empty() || component.front() < findings.trap.front();
      if (earlier && is_fair(component)) {
        findings.trap = std::move(component);
        findings.trap_reaches = visit.reaches;
      }
    }
    open.erase(first, open.end());
  }

  const FreeGraph& graph;
  const FairnessTest& is_fair;
  std::vector<std::uint32_t> rank = std::vector<std::uint32_t>(graph.begins.size() - 1);
  std::uint32_t last_rank = 0;
  std::vector<Visit> path = {};          // from the root to the present state
  std::vector<std::uint32_t> open = {};  // visited, component not known yet
  LivenessFindings findings = {};
};

}  // namespace

LivenessFindings check_liveness(const FreeGraph& graph, const FairnessTest& is_fair) {
  return LivenessSearch{graph, is_fair}.run();
}

}  // namespace bully
