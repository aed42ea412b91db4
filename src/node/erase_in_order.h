// erase_in_order.h: std::erase_if for a predicate with an effect, such as delivering a message.
//
// The standard promises neither the order in which std::erase_if calls its predicate, nor that the
// elements are still in their places then: FIFO links cannot rest on it.
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
