// ring_frames.h: an election on a ring as the textbook draws it, before anything is drawn: one
// picture after each step, with what is on its way on each arrow.
//
// Who is whose neighbour is taken from who sends to whom. It draws nothing, and decides nothing.
// Read next: ring_text.h, ring_svg.h.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "view/diagram.h"

namespace bully {

// The lanes of `diagram` in the order in which they stand on the ring, clockwise, from the lowest:
// each after the one that first sent to it. Those of whom the messages tell nothing stand before
// the next higher one. By id, where the processes form no ring.
std::vector<std::size_t> clockwise_order(const Diagram& diagram);

// What is on its way from one process to another, the first to arrive first, as places in
// Diagram::messages.
struct RingArrow {
  std::size_t from = 0;  // lanes
  std::size_t to = 0;
  std::vector<std::size_t> messages;
};

struct RingFrame {
  std::size_t steps = 0;                         // how many have been taken
  std::vector<Diagram::Standing> standing = {};  // of each lane
  // The processes that are there, clockwise from the lowest.
  std::vector<std::size_t> ring = {};
  // A message is on exactly one of these from the step that sends it on, and until the one that
  // takes it, gives it up, or ends its receiver. What was sent before the beginning is not shown.
  std::vector<RingArrow> arrows = {};
};

// The picture before the first step, and one after each.
std::vector<RingFrame> ring_frames(const Diagram& diagram);

// Whether `arrow` leads to the next one clockwise that is there.
bool is_between_neighbours(const RingFrame& frame, const RingArrow& arrow);

// "(d, e, f)": the names of the variables that some process has; empty where none has any.
std::string variable_names(const Diagram& diagram);

// "V2 4; V 1": as the textbook writes what is on a channel.
std::string channel_words(const Diagram& diagram, const RingArrow& arrow);

}  // namespace bully
