#include "election/ring.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace bully {

// [DKR82] Every process starts active, responsible for its own id. An active process sends d to its
// clockwise neighbour, and waits for e.
void Ring::begin(Step step) {
  d_ = self();
  e_.reset();
  f_.reset();
  waits_for_f_ = false;
  send(MessageType::value, *d_, step);
}

void Ring::on_number(const Message& message, Step step) {
  const NodeId number = *message.subject;

  // [DKR82] A relay passes messages on, unread and unchanged.
  if (state() == State::relay) {
    send(message.type, number, step);
    return;
  }
  // The type is not looked at: it is there for those who watch. An active process tells e from f by
  // their order alone, since links are FIFO.
  if (!waits_for_f_) {
    e_ = number;
    f_.reset();
    if (e_ == d_) {
      // [DKR82] e = d: it is the only active process left, and d is the id of the leader.
      announce(*d_, step);
    } else {
      // [DKR82] e ≠ d: it passes e on, and waits for f.
      waits_for_f_ = true;
      send(MessageType::second, *e_, step);
    }
    return;
  }
  f_ = number;
  waits_for_f_ = false;
  if (*e_ > *d_ && *e_ > *f_) {
    // [DKR82] e is the largest of d, e and f: it takes it over, and stays active. It sends d, …
    d_ = e_;
    send(MessageType::value, *d_, step);
  } else {
    // [DKR82] Otherwise it becomes a relay.
    become_relay();
  }
}

Variables Ring::variables() const {
  return {Variable{"d", d_}, Variable{"e", e_}, Variable{"f", f_}};
}

void Ring::save_variables(std::vector<std::uint64_t>& words) const {
  std::uint64_t there = waits_for_f_ ? 1 : 0;
  for (const auto& variable : {d_, e_, f_}) {
    there = there * 2 + (variable ? 1 : 0);
    words.push_back(variable.value_or(0));
  }
  words.push_back(there);
}

void Ring::load_variables(std::span<const std::uint64_t> words) {
  const std::uint64_t there = words[3];
  const auto variable = [&](std::size_t i) {
    const bool is_there = (there >> (2 - i) & 1U) != 0;
    return is_there ? std::optional<NodeId>(words[i]) : std::nullopt;
  };
  d_ = variable(0);
  e_ = variable(1);
  f_ = variable(2);
  waits_for_f_ = (there >> 3U) != 0;
}

MessageCounts ring_messages(std::span<const NodeId> ring) {
  MessageCounts counts{};
  if (ring.size() < 2) return counts;
  // The values of the active processes, clockwise. In each round every link carries one VALUE and
  // one SECOND, whoever is active.
  std::vector<NodeId> active(ring.begin(), ring.end());
  while (active.size() > 1) {
    count_of(counts, MessageType::value) += ring.size();
    count_of(counts, MessageType::second) += ring.size();
    const std::size_t n = active.size();
    std::vector<NodeId> stay;
    for (std::size_t i = 0; i < n; ++i) {
      const NodeId d = active[i];
      const NodeId e = active[(i + n - 1) % n];
      const NodeId f = active[(i + n - 2) % n];
      if (e > d && e > f) stay.push_back(e);
    }
    active = std::move(stay);
  }
  // The last one's d comes back to it; then the announcing lap.
  count_of(counts, MessageType::value) += ring.size();
  count_of(counts, MessageType::leader) += ring.size();
  return counts;
}

MessageCounts ring_bound(std::size_t n) {
  MessageCounts counts{};
  if (n < 2) return counts;
  const auto rounds = static_cast<std::uint64_t>(std::bit_width(n)) - 1;
  count_of(counts, MessageType::value) = n * (rounds + 1);
  count_of(counts, MessageType::second) = n * rounds;
  count_of(counts, MessageType::leader) = n;
  return counts;
}

// No more than every other process can stay active, since a value stays only where it is larger
// than both its neighbours. So the higher half, in its own worst order, takes every other place.
void arrange_ring_worst(std::span<NodeId> processes) {
  std::vector<NodeId> order;
  // From the last round, with one process left, to the first, with all of them.
  for (auto rounds = static_cast<unsigned>(std::bit_width(processes.size())); rounds-- > 0;) {
    const std::size_t active = processes.size() >> rounds;
    const std::vector<NodeId> stay = std::exchange(order, {});
    // The highest `active` processes take part in this round; those at the front of them give way.
    auto gives_way = processes.end() - static_cast<std::ptrdiff_t>(active);
    for (const NodeId id : stay) {
      order.push_back(*gives_way++);
      order.push_back(id);
    }
    if (order.size() < active) order.push_back(*gives_way);
  }
  std::copy(order.begin(), order.end(), processes.begin());
}

}  // namespace bully
