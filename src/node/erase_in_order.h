// erase_in_order.h: std::erase_if for a predicate that does something, such as delivering a
// message.
//
// The standard promises neither in which order std::erase_if asks, nor that it does so of elements
// in their places: links that are FIFO cannot rest on it.
#pragma once

#include <iterator>
#include <utility>

namespace bully {

template <typename Sequence, typename IsDone>
void erase_in_order(Sequence& sequence, IsDone is_done) {
  auto kept = sequence.begin();
  for (auto at = sequence.begin(); at != sequence.end(); ++at) {
    if (is_done(*at)) continue;
    if (kept != at) *kept = std::move(*at);
    ++kept;
  }
  sequence.erase(kept, sequence.end());
}

}  // namespace bully
