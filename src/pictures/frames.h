// frames.h: the moments of a run, one by one: each process's state, and the messages in flight.
// Frame k is the same for all pictures, whatever the topology.
//
// Each process keeps its place in all frames, even after its end: by id, or clockwise on a ring.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "election/record.h"
#include "pictures/diagram.h"

namespace bully {

struct Frame {
  // The position of messages: received and lost in this step, which only `ended` can be.
  enum class Stage : std::uint8_t { sent, under_way, received, lost };
  struct Arrow {
    std::size_t from = 0;
    std::size_t to = 0;
    // Indexes into Diagram::messages; the first to arrive first.
    std::vector<std::size_t> messages = {};
    std::string words = {};          // "V2 4; V 1"
    Stage stage = Stage::under_way;  // sent, if the step has sent any of them
  };
  std::size_t steps = 0;               // the number of steps taken
  std::vector<Diagram::Place> places;  // from the lowest id, clockwise on a ring
  // A message is in flight from the step that sends it until the step that takes it, gives it up,
  // or ends its receiver. A message sent before the beginning is not. In the order of sending.
  std::vector<std::size_t> under_way;
  std::vector<Arrow> arrows;   // each of these is on one arrow
  std::optional<Arrow> ended;  // the messages that the step has received or lost
  // By lane, the side of a cut network on which each process is, or 0 if the cut does not name it;
  // empty if the network is not cut.
  std::vector<std::uint64_t> sides = {};
  MessageCounts sent = {};  // of elections, since the beginning, as the textbook counts them
  // By place, the next one on the ring, if that has changed since the beginning.
  std::vector<std::size_t> rearranged = {};
  int looks = 0;  // at messages that may show such a change

  bool is_there(std::size_t place) const { return places[place].node.is_alive(); }
  bool is_cut(std::size_t place, std::size_t other) const {
    if (sides.empty()) return false;
    const std::uint64_t its = sides[places[place].lane];
    const std::uint64_t others = sides[places[other].lane];
    return its != 0 && others != 0 && its != others;
  }
  std::size_t beside(std::size_t place) const { return (place + 1) % places.size(); }
  // The next place on the ring; and that of the next process that meets a condition there, or
  // `place` itself.
  std::size_t after(std::size_t place) const {
    return rearranged.empty() ? beside(place) : rearranged[place];
  }
  std::size_t next_of(std::size_t place, const auto& is_wanted) const {
    std::size_t next = after(place);
    for (std::size_t passed = 1; passed < places.size() && next != place; ++passed) {
      if (is_wanted(next)) return next;
      next = after(next);
    }
    return place;
  }
};

// The lanes of `diagram` clockwise, from the lowest: each after the first process that sent to it.
// A process without messages comes before the next higher one. By id, if they form no ring.
std::vector<std::size_t> clockwise_order(const Diagram& diagram);

// Puts the messages in flight on arrows.
void lay_arrows(const Diagram& diagram, Frame& frame);

// All frames, from the first, before the first step; a long run has more than fit into memory. With
// `drawn`, only the frames after so many steps have their arrows: these cost the most time.
void each_frame(const Diagram& diagram, const std::function<void(const Frame&)>& handle,
                const std::set<std::size_t>& drawn = {});

// --- Words ---------------------------------------------------------------------------------------

struct FrameWords {
  std::string heading;  // "Step 3 of 28 · 16.260 ms"
  std::string caption;  // a sentence for that step
  std::string rule;     // the rule that it follows; empty before the first step
};
FrameWords words_of(const Diagram& diagram, const Frame& frame, Language language);

// Beside a process, in lines: its state, or its coordinator; that it is stopped; its variables.
struct LineBeside {
  std::string words;
  bool has_variables = false;
};
std::vector<LineBeside> lines_beside(const Snapshot& node, Language language);

// The words on an arrow in lines: a message in one, if that is short enough, or else broken at
// blanks or, where that is not enough, at commas.
std::vector<std::string> lines_on_arrow(std::string_view words);

}  // namespace bully
