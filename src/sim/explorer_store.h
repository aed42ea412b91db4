// explorer_store.h: the set of the states that a search has met, in little memory.
//
// States are byte strings, numbered from 0 in the order of insertion. Their bytes stand one after
// another in an arena; a hash table with open addressing holds their numbers. Everything grows in
// chunks, so that growth neither copies nor doubles what is there.
//
// It never forgets a state, and never looks into one. Read next: explorer_search.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace bully {

// A vector whose elements stay where they are when it grows.
template <typename T>
class ChunkedVector {
 public:
  void push_back(const T& value) {
    if (size_ == chunks_.size() * chunk_size) {
      // Not zeroed first: what make_unique_for_overwrite() is for, where a library has it.
      chunks_.push_back(std::unique_ptr<T[]>(new T[chunk_size]));
    }
    chunks_[size_ / chunk_size][size_ % chunk_size] = value;
    ++size_;
  }
  T& operator[](std::uint64_t i) { return chunks_[i / chunk_size][i % chunk_size]; }
  const T& operator[](std::uint64_t i) const { return chunks_[i / chunk_size][i % chunk_size]; }
  std::uint64_t size() const { return size_; }
  std::uint64_t bytes() const { return chunks_.size() * chunk_size * sizeof(T); }

 private:
  static constexpr std::uint64_t chunk_size = 1U << 14U;

  std::vector<std::unique_ptr<T[]>> chunks_;
  std::uint64_t size_ = 0;
};

class StateStore {
 public:
  // More cannot be numbered.
  static constexpr std::uint64_t max_states = 0xFFFF'FFF0;
  // The longest state.
  static constexpr std::size_t max_state_bytes = 512;

  StateStore();

  struct Inserted {
    std::uint32_t number = 0;
    bool is_new = false;
  };
  // The number of `state`, which is new unless it was inserted before. REQUIRES: fewer than
  // max_states, at most max_state_bytes, hash_of(state).
  Inserted insert(std::span<const std::uint8_t> state, std::uint64_t hash);
  static std::uint64_t hash_of(std::span<const std::uint8_t> state);
  // Most of a search is waiting for memory. Called for several states, one after the other, these
  // let the waits for a later insert() overlap: first for the table, then for the state found
  // there.
  void fetch_slot(std::uint64_t hash) const;
  void fetch_entry(std::uint64_t hash) const;
  void fetch_state(std::uint64_t hash) const;
  // Valid for as long as the store is.
  std::span<const std::uint8_t> state(std::uint32_t number) const;

  std::uint64_t size() const { return ends_.size(); }
  // Of the states themselves, and of what it takes to find them.
  std::uint64_t state_bytes() const { return used_; }
  std::uint64_t index_bytes() const;
  // Gives the hash table back. REQUIRES: no insert() from here on.
  void drop_table();

 private:
  static constexpr std::uint64_t arena_chunk = 1U << 20U;
  static constexpr unsigned length_bits = 16;
  static constexpr std::uint64_t length_mask = (1U << length_bits) - 1;
  static constexpr std::uint64_t low_half = 0xFFFF'FFFF;

  static std::uint64_t slot_of(std::uint32_t number, std::uint64_t hash) {
    return (hash & ~low_half) | (number + std::uint64_t{1});
  }
  static std::uint32_t number_in(std::uint64_t slot) {
    return static_cast<std::uint32_t>(slot & low_half) - 1;
  }
  // Whether the first slot for `hash` seems to hold its state.
  static bool likely_known(std::uint64_t slot, std::uint64_t hash) {
    return slot != 0 && (slot ^ hash) >> 32U == 0;
  }
  std::uint64_t place(std::span<const std::uint8_t> state, std::uint64_t hash) const;
  void grow_table();
  std::uint64_t append(std::span<const std::uint8_t> state);

  std::vector<std::unique_ptr<std::uint8_t[]>> arena_;
  std::uint64_t used_ = 0;             // bytes of states
  std::uint64_t end_ = 0;              // where the next one goes, gaps at chunk ends counted in
  ChunkedVector<std::uint64_t> ends_;  // by number: where the state ends (48 bits), its length
  // A slot: the state's number + 1 (0: free), above it half of its hash, so that a probe seldom has
  // to look at another state. The size is a power of two.
  std::vector<std::uint64_t> table_;
};

// Called for each step that is tried, so that a call would be felt.

inline void StateStore::fetch_slot(std::uint64_t hash) const {
  __builtin_prefetch(&table_[hash & (table_.size() - 1)]);
}

inline void StateStore::fetch_entry(std::uint64_t hash) const {
  const std::uint64_t found = table_[hash & (table_.size() - 1)];
  if (likely_known(found, hash)) __builtin_prefetch(&ends_[number_in(found)]);
}

inline void StateStore::fetch_state(std::uint64_t hash) const {
  const std::uint64_t found = table_[hash & (table_.size() - 1)];
  if (likely_known(found, hash)) __builtin_prefetch(state(number_in(found)).data());
}

inline std::span<const std::uint8_t> StateStore::state(std::uint32_t number) const {
  const std::uint64_t length = ends_[number] & length_mask;
  const std::uint64_t begin = (ends_[number] >> length_bits) - length;
  return {arena_[begin / arena_chunk].get() + begin % arena_chunk, length};
}

}  // namespace bully
