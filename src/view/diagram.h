// diagram.h: a run as a space-time diagram, before anything is drawn.
//
// A lane for each process, from the lowest id; steps in the order of time; messages from the step
// that sent them to the step that took them. A step is one thing that came to one process
// (a message, a timer's end, a suspicion) together with all that the process did about it.
// The formats only draw what stands here, so that none shows what another does not. What is right
// is for `bully check` to say. Read next: diagram_text.cc, ring.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "election/algorithm.h"
#include "election/record.h"
#include "election/ring_order.h"
#include "trace/elections.h"
#include "view/style.h"

namespace bully {

struct Diagram {
  struct Message {
    MessageType type = messages::ping;
    std::size_t from = 0;  // lanes
    std::size_t to = 0;
    FieldValues values = {};
    // Steps. No `ended`: under way at the end. No `sent`: from before the beginning, or from a
    // process that writes no trace.
    std::optional<std::size_t> sent = std::nullopt;
    std::optional<std::size_t> ended = std::nullopt;
    bool lost = false;  // with `ended`; else it was received then

    bool is_received() const { return ended && !lost; }
  };

  struct Step {
    std::size_t lane = 0;
    std::int64_t t_ns = 0;                 // since the first step
    TraceEvent event = TraceEvent::start;  // what came
    // That, and what was done about it. Empty for a crash that nobody has recorded: it stands where
    // the others first find out.
    std::vector<Record> records = {};
    bool restart = false;  // a start, of a process that has been there before
    // Messages, by their place in `messages`; `ended` is the one that was received or lost.
    std::vector<std::size_t> sent = {};
    std::optional<std::size_t> ended = std::nullopt;
    Snapshot before = {};
    Snapshot after = {};
    std::vector<std::size_t> stopped = {};  // lanes that do not react after it, but are there
  };

  // What the processes run; the first of these, where they run several. Never null.
  const Algorithm* algorithm = &default_algorithm();
  std::vector<NodeId> lanes = {};
  std::vector<Snapshot> before = {};  // of each lane, at the beginning
  std::vector<Snapshot> after = {};   // and at the end
  std::vector<Step> steps = {};
  std::vector<Message> messages = {};
  // Those that are coordinators at the end, if each has a group of its own; else the one, or of
  // several the one that should be.
  std::vector<NodeId> winners = {};

  bool wins(NodeId id) const { return std::ranges::count(winners, id) > 0; }
};

// Which records of a trace to draw: [first, last).
struct Excerpt {
  std::size_t first = 0;
  std::size_t last = 0;
};

// Whether all that a process does about one thing makes one step, or each record but rules its own.
enum class Grain : std::uint8_t { steps, records };

// REQUIRES: excerpt.first <= excerpt.last <= trace.records.size(). Pings, and the connections that
// were dropped, are left out unless `pings`. `timeline` is that of the whole trace.
Diagram make_diagram(const Trace& trace, const Timeline& timeline, Excerpt excerpt, bool pings,
                     Grain grain = Grain::steps);

// --- What all formats say alike -----------------------------------------------------------------

bool has_unrecorded_crash(const Diagram& diagram);

// What a legend has to explain: the messages of the algorithm, and what else of an election was
// sent; and the states that occur.
std::vector<MessageType> messages_in(const Diagram& diagram);
std::vector<std::string_view> states_in(const Diagram& diagram);
// The groups that occur, in the order of time; and what their names mean, or nothing where there is
// none.
std::vector<Group> groups_in(const Diagram& diagram);
std::string group_note(const Diagram& diagram, Language language);

// What came, if it was no message: "suspects 5: down", or empty. And the words beside a step: this,
// and what came of it ("candidate", "group 5.2"), as far as there is something to tell.
std::string cause_of(const Diagram::Step& step, Language language);
std::vector<std::string> words_beside(const Diagram::Step& step, Language language);

// What a process sends of one kind in a step, and to whom.
struct Sending {
  const Diagram::Message& message;  // one of them
  std::vector<std::string> to;
};
std::vector<Sending> sendings_of(const Diagram& diagram, const Diagram::Step& step);

// One whole sentence: who does what in this step, for tooltips and captions.
std::string sentence_of(const Diagram& diagram, const Diagram::Step& step, Language language);

// "ELECTION 2 → 3", "VALUE 4, 1 → 2".
std::string sentence_of(const Diagram& diagram, const Diagram::Message& message, Language language);

// The sentences of the textbook that the step follows, with their source, as one text: the rules
// that the process has recorded, or one for what happens outside of it (a crash, a lost message).
std::string rule_of(const Diagram::Step& step, Language language);

// What the picture is of: how many processes and messages, and who is coordinator at the end.
std::string title_of(const Diagram& diagram, Language language);

// "12.345": milliseconds, to the microsecond.
std::string milliseconds_text(std::int64_t ns, Language language);

// --- What it is drawn as -------------------------------------------------------------------------
//
// All formats say the same; nothing in them is told by colour alone. Nothing is given if a picture
// would be larger than its format allows.

// For a terminal: time downwards; a message is drawn where it arrives. 80 columns for five
// processes of small ids; 14 for each further one.
std::string diagram_text(const Diagram& diagram, Language language);

// For a report or a slide. No side is longer than max_picture_side.
enum class Scale : std::uint8_t { steps, time };
std::optional<std::string> diagram_svg(const Diagram& diagram, Language language, Scale scale);

// For a README, as a Mermaid sequenceDiagram, which GitHub draws between ```mermaid and ```. Each
// message stands where it arrives. Mermaid refuses more characters than this.
inline constexpr std::size_t max_mermaid_characters = 50'000;
std::optional<std::string> diagram_mermaid(const Diagram& diagram, Language language);

// As one page that steps through the run, forward and back. It asks nothing of the network.
std::string diagram_html(const Diagram& diagram, Language language);

// As a log for the ShiViz visualizer, with vector clocks. REQUIRES: each step is one record.
std::string diagram_shiviz(const Diagram& diagram, Language language);

// --- An election on a ring, as the textbook draws it ---------------------------------------------
//
// One picture after each step, with what each process is, its variables, and on each arrow what is
// on its way. Who is whose neighbour is taken from who sends to whom. Each process keeps its place
// in all pictures, even after it is gone.

// The lanes of `diagram` clockwise, from the lowest: each after the one that first sent to it. A
// process of which no message tells stands before the next higher one. By id, if they form no ring.
std::vector<std::size_t> clockwise_order(const Diagram& diagram);

// What both drawings show, in words.
struct RingFrame {
  struct Place {
    Snapshot node = {};
    std::string words = {};      // "relay", "follows 4"
    std::string variables = {};  // "(1, 4, –)"
    bool acts = false;           // in the step
  };
  // From one place to another. A message is on one arrow from the step that sends it until the one
  // that takes it, gives it up, or ends its receiver. What was sent before the beginning is not.
  struct Arrow {
    std::size_t from = 0;
    std::size_t to = 0;
    Direction way = Direction::clockwise;
    // The first to arrive first, as places in Diagram::messages.
    std::vector<std::size_t> messages = {};
    std::string words = {};  // "V2 4; V 1"
  };
  std::size_t steps = 0;  // how many have been taken
  std::string heading;    // "Step 3 of 28 · 16.260 ms"
  std::string caption;
  std::vector<Place> places;  // clockwise
  std::vector<Arrow> arrows;
  bool goes_both_ways = false;  // messages go anticlockwise as well

  bool is_there(std::size_t place) const { return places[place].node.is_alive(); }
  // The place beside this one, that way round.
  std::size_t beside(std::size_t place, Direction way) const {
    return (place + (way == Direction::clockwise ? 1 : places.size() - 1)) % places.size();
  }
  // The next one that way that is there; `place` itself if it is the only one.
  std::size_t next_of(std::size_t place, Direction way) const {
    std::size_t next = beside(place, way);
    while (next != place && !is_there(next)) next = beside(next, way);
    return next;
  }
};

// The picture before the first step, and one after each.
std::vector<RingFrame> ring_frames(const Diagram& diagram, Language language);

// What a legend says of the arrows, and of the variables beside the processes if there are any.
std::vector<std::string> ring_notes(const Diagram& diagram, Language language);

// For a terminal of 80 columns, one picture below the other.
std::string ring_text(const Diagram& diagram, Language language);

// In one drawing that stands by itself, and can be printed in grey.
std::optional<std::string> ring_svg(const Diagram& diagram, Language language);

}  // namespace bully
