// diagram.h: a run as a space-time diagram, before anything is drawn.
//
// A lane for each process, from the lowest id; steps in the order of time; messages from the step
// that sent them to the step that took them. A step is one thing that came to one process
// (a message, a timer's end, a suspicion) together with all that the process did about it.
// The formats (diagram_text.h, diagram_svg.h, …) only draw what stands here, so that none can
// show what another does not.
//
// It never decides what is right: for that there is `bully check`. Read next: diagram_words.h.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "election/algorithm.h"
#include "trace/causality.h"
#include "trace/lives.h"
#include "trace/reader.h"

namespace bully {

struct Diagram {
  // How a process stands between two steps.
  struct Standing {
    bool up = false;
    std::string_view state = {};  // as a trace names it; empty where the trace does not say
    std::optional<NodeId> coordinator = std::nullopt;
    Variables variables = {};
    // The latest election of which it has sent a message, where elections have numbers.
    std::optional<std::uint64_t> epoch = std::nullopt;
    bool operator==(const Standing&) const = default;
  };

  struct Message {
    MessageType type = MessageType::ping;
    std::size_t from = 0;  // lanes
    std::size_t to = 0;
    std::optional<std::uint64_t> number = std::nullopt;
    std::optional<std::uint64_t> subject = std::nullopt;  // see bully::Message
    std::optional<std::uint64_t> epoch = std::nullopt;
    // Steps. Neither `received` nor `lost`: under way at the end. No `sent`: from before the
    // beginning, or from a process that writes no trace.
    std::optional<std::size_t> sent = std::nullopt;
    std::optional<std::size_t> received = std::nullopt;
    std::optional<std::size_t> lost = std::nullopt;
  };

  struct Step {
    std::size_t lane = 0;
    std::int64_t t_ns = 0;  // since the first step
    // What came, and what was done about it. Empty for a crash, of which no process can write: it
    // stands where the others first find out.
    std::vector<Record> records;
    bool crash = false;
    bool restart = false;  // a start, of a process that has been there before
    // Messages, by their place in `messages`.
    std::vector<std::size_t> sent;
    std::optional<std::size_t> received = std::nullopt;
    std::optional<std::size_t> lost = std::nullopt;
    Standing before;
    Standing after;
  };

  // What the processes run, as the first start in the trace says. Never null.
  const Algorithm* algorithm = &default_algorithm();
  std::vector<NodeId> lanes;
  std::vector<Standing> before;  // of each lane, at the beginning
  std::vector<Step> steps;
  std::vector<Message> messages;
  // The highest that is coordinator at the end.
  std::optional<NodeId> winner = std::nullopt;
};

// Which records of a trace to draw: [first, last).
struct Excerpt {
  std::size_t first = 0;
  std::size_t last = 0;
};

// REQUIRES: excerpt.first <= excerpt.last <= trace.records.size(). Pings, and the connections that
// were dropped, are left out unless `pings`. `pairs` and `census` are those of the whole trace.
Diagram make_diagram(const Trace& trace, const Causality& pairs, const Census& census,
                     Excerpt excerpt, bool pings);

// How each lane stands at the end.
std::vector<Diagram::Standing> standing_at_end(const Diagram& diagram);

// What a legend has to explain: the messages of the algorithm, and whatever else of an election was
// sent; and the states that occur, from where a process begins to where it ends.
std::vector<MessageType> messages_in(const Diagram& diagram);
std::vector<std::string_view> states_in(const Diagram& diagram);

}  // namespace bully
