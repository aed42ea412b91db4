#include "sim/flights.h"

#include <cassert>

namespace bully {

std::uint32_t Flights::new_chunk() {
  std::uint32_t chunk = free_;
  if (chunk == none) {
    chunk = static_cast<std::uint32_t>(chunks_.size());
    chunks_.emplace_back();
  } else {
    free_ = chunks_[chunk].next;
  }
  chunks_[chunk].next = none;
  return chunk;
}

void Flights::push(std::int64_t at_ns, const Flight& flight) {
  if (recent_ == nullptr || recent_at_ != at_ns) {
    recent_ = &calendar_[at_ns];
    recent_at_ = at_ns;
  }
  Queue& queue = *recent_;
  if (queue.last == none || queue.added == chunk_flights) {
    const std::uint32_t chunk = new_chunk();
    if (queue.last == none) {
      queue.first = chunk;
    } else {
      chunks_[queue.last].next = chunk;
    }
    queue.last = chunk;
    queue.added = 0;
  }
  chunks_[queue.last].flights[queue.added++] = flight;
  ++size_;
}

Flight Flights::pop() {
  assert(!empty());
  const auto entry = calendar_.begin();
  Queue& queue = entry->second;
  Chunk& chunk = chunks_[queue.first];
  const Flight flight = chunk.flights[queue.taken++];
  --size_;

  const bool queue_done = queue.first == queue.last && queue.taken == queue.added;
  if (queue_done || queue.taken == chunk_flights) {
    const std::uint32_t emptied = queue.first;
    queue.first = chunk.next;
    queue.taken = 0;
    chunk.next = free_;
    free_ = emptied;
  }
  if (queue_done) {
    if (recent_ == &queue) recent_ = nullptr;
    calendar_.erase(entry);
  }
  return flight;
}

std::vector<Flights::Arrival> Flights::take(const std::function<bool(const Flight&)>& wanted) {
  std::vector<Arrival> taken;
  std::vector<Arrival> left;
  left.reserve(size_);
  while (!empty()) {
    const std::int64_t at_ns = next_at();
    const Flight flight = pop();
    (wanted(flight) ? taken : left).push_back({at_ns, flight});
  }
  for (const Arrival& arrival : left) push(arrival.at_ns, arrival.flight);
  return taken;
}

std::vector<Flights::Arrival> Flights::all() const {
  std::vector<Arrival> arrivals;
  arrivals.reserve(size_);
  for (const auto& [at_ns, queue] : calendar_) {
    std::uint32_t i = queue.taken;
    for (std::uint32_t chunk = queue.first; chunk != none; chunk = chunks_[chunk].next) {
      const std::uint32_t end = chunk == queue.last ? queue.added : chunk_flights;
      for (; i < end; ++i) arrivals.push_back({at_ns, chunks_[chunk].flights[i]});
      i = 0;
    }
  }
  return arrivals;
}

}  // namespace bully
