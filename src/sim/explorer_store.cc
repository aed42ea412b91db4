#include "sim/explorer_store.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace bully {

namespace {

constexpr std::size_t first_table = 1U << 12U;
}  // namespace

StateStore::StateStore() : table_(first_table) {}

// Eight bytes at a time: multiply, and fold the high bits into the low ones.
std::uint64_t StateStore::hash_of(std::span<const std::uint8_t> bytes) {
  constexpr std::uint64_t odd = 0x9E37'79B9'7F4A'7C15;
  const auto mix = [](std::uint64_t seed, std::uint64_t word) {
    const std::uint64_t product = (seed ^ word) * odd;
    return product ^ product >> 32U;
  };
  std::uint64_t result = bytes.size();
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + at, 8);
    result = mix(result, word);
  }
  std::uint64_t rest = 0;
  if (at < bytes.size()) std::memcpy(&rest, bytes.data() + at, bytes.size() - at);
  return mix(mix(result, rest), odd);
}

StateStore::Inserted StateStore::insert(std::span<const std::uint8_t> state, std::uint64_t hashed) {
  assert(state.size() <= max_state_bytes && size() < max_states);
  const std::uint64_t at = place(state, hashed);
  if (table_[at] != 0) return {number_in(table_[at]), false};
  const auto number = static_cast<std::uint32_t>(size());
  ends_.push_back(append(state) << length_bits | state.size());
  table_[at] = slot_of(number, hashed);
  // At three quarters, a probe still needs only a few steps.
  if (size() * 4 > table_.size() * 3) grow_table();
  return {number, true};
}

std::uint64_t StateStore::index_bytes() const {
  const std::uint64_t arena_bytes = arena_.size() * arena_chunk;
  return arena_bytes - used_ + ends_.bytes() + table_.capacity() * sizeof(table_[0]);
}

void StateStore::drop_table() {
  table_ = {};
}

// Where `state` stands in the table, or the free place where it belongs.
std::uint64_t StateStore::place(std::span<const std::uint8_t> wanted, std::uint64_t hashed) const {
  const std::uint64_t mask = table_.size() - 1;
  std::uint64_t at = hashed & mask;
  for (; table_[at] != 0; at = (at + 1) & mask) {
    if ((table_[at] ^ hashed) >> 32U != 0) continue;
    const auto known = state(number_in(table_[at]));
    if (std::equal(known.begin(), known.end(), wanted.begin(), wanted.end())) break;
  }
  return at;
}

// The numbers can be found anew from the states: the old table goes before the new one comes.
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

// Returns where it ends. A state does not cross from one chunk into the next.
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

}  // namespace bully
