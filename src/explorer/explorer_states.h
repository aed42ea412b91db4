// explorer_states.h: a compact store for the states of a search, and the graph of free steps
// between them: does every run of free steps end in agreement?
//
// States are byte strings, numbered from 0 in the order of insertion. Their bytes lie one after
// another in an arena; a hash table with open addressing holds their numbers. Everything grows in
// chunks, so growth neither copies nor doubles the memory.
//
// When the graph of free steps is finished, one walk (Tarjan's strongly connected components, a
// component's successors before itself) finds the states that can still reach agreement, and the
// components in which a fair run can stay forever.
//
// A weakly fair run that never comes to rest goes round in one component forever. It exists if
// every step that is possible in all states of the component is taken inside it somewhere: then the
// run that visits every state and takes every edge, again and again, is fair. Otherwise the step
// leaves the component.
//
// It never forgets a state, and never interprets its bytes.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace bully {

// The memory of a container that grows in chunks, or has its final size.
std::uint64_t bytes_of(const auto& container) {
  return container.size() * sizeof(container[0]);
}

class StateStore {
 public:
  // The limit of their numbers.
  static constexpr std::uint64_t max_states = 0xFFFF'FFF0;

  struct Inserted {
    std::uint32_t number = 0;
    bool is_new = false;
  };
  // The number of `state`; it is new unless it was inserted before. REQUIRES: fewer than
  // max_states, at most 65,535 bytes, hash_of(state).
  Inserted insert(std::span<const std::uint8_t> state, std::uint64_t hash);
  static std::uint64_t hash_of(std::span<const std::uint8_t> state) {
    return std::hash<std::string_view>()(
        {reinterpret_cast<const char*>(state.data()), state.size()});
  }
  // A search mostly waits for memory. Called for several states in a row, this overlaps the waits
  // of later insert() calls.
  void fetch_slot(std::uint64_t hash) const {
    __builtin_prefetch(&table_[hash & (table_.size() - 1)]);
  }
  // Valid for the store's whole life.
  std::span<const std::uint8_t> state(std::uint32_t number) const {
    const std::uint64_t length = ends_[number] & length_mask;
    const std::uint64_t begin = (ends_[number] >> length_bits) - length;
    return {arena_[begin / arena_chunk].get() + begin % arena_chunk, length};
  }

  std::uint64_t size() const { return ends_.size(); }
  std::uint64_t state_bytes() const { return used_; }
  std::uint64_t index_bytes() const {
    return arena_.size() * arena_chunk - used_ + bytes_of(ends_) + bytes_of(table_);
  }
  // Frees the hash table. REQUIRES: no insert() from here on.
  void drop_table() { table_ = {}; }

 private:
  static constexpr std::uint64_t arena_chunk = 1U << 20U;
  static constexpr std::size_t first_table = 1U << 12U;
  static constexpr unsigned length_bits = 16;
  static constexpr std::uint64_t length_mask = (1U << length_bits) - 1;
  static constexpr std::uint64_t low_half = 0xFFFF'FFFF;

  static std::uint64_t slot_of(std::uint32_t number, std::uint64_t hash) {
    return (hash & ~low_half) | (number + std::uint64_t{1});
  }
  static std::uint32_t number_in(std::uint64_t slot) {
    return static_cast<std::uint32_t>(slot & low_half) - 1;
  }
  void grow_table();
  std::uint64_t append(std::span<const std::uint8_t> state);

  std::vector<std::unique_ptr<std::uint8_t[]>> arena_;
  std::uint64_t used_ = 0;          // bytes of states
  std::uint64_t end_ = 0;           // the end of the arena, including gaps at chunk ends
  std::deque<std::uint64_t> ends_;  // by number: the state's end (48 bits) and length
  // A slot: the state's number + 1 (0: free), and above it half of its hash, so that a probe seldom
  // has to compare another state. The size is a power of two.
  std::vector<std::uint64_t> table_ = std::vector<std::uint64_t>(first_table);
};

// The free steps between states, by number. A state without any is an agreement: a run's end.
struct FreeGraph {
  std::deque<std::uint32_t> targets;
  std::deque<std::uint32_t> begins;  // by state: its first target; one more at the end
};

struct LivenessFindings {
  std::optional<std::uint32_t> unreaching;  // the first state that cannot reach agreement
  // The component of the first state in which a fair run can stay, if any; sorted.
  std::vector<std::uint32_t> trap;
  bool trap_reaches = false;  // true if its states can reach agreement as well
  std::uint64_t bytes = 0;    // memory used in addition to the graph
};

// True if a fair run can stay in this component, which has a cycle; its states are sorted.
using FairnessTest = std::function<bool(const std::vector<std::uint32_t>&)>;

LivenessFindings check_liveness(const FreeGraph& graph, const FairnessTest& is_fair);

}  // namespace bully
