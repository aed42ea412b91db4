// diagram.h: a run as a space-time diagram, before anything is drawn.
//
// A lane for each process, from the lowest id; steps in the order of time; messages from the step
// that sent them to the step that took them. A step is one thing that came to one process
// (a message, a timer's end, a suspicion) together with all that the process did about it.
// The formats only draw what stands here, so that none shows what another does not. What is right
// is for `bully check` to say.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "election/algorithm.h"
#include "election/record.h"
#include "trace/elections.h"
#include "view/style.h"

namespace bully {

struct Diagram {
  struct Message {
    MessageType type = messages::ping;
    std::size_t from = 0;  // lanes
    std::size_t to = 0;
    FieldValues values = {};
    // Steps. No `ended`: under way at the end. No `sent`: from before, or by one without a trace.
    std::optional<std::size_t> sent = std::nullopt;
    std::optional<std::size_t> ended = std::nullopt;
    bool lost = false;  // with `ended`; else it was received then

    bool is_received() const { return ended && !lost; }
  };

  struct Step {
    std::size_t lane = 0;
    std::int64_t t_ns = 0;                 // since the first step
    TraceEvent event = TraceEvent::start;  // what came
    // And what was done about it. Empty for an unrecorded crash, placed where others find out.
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
  // Coordinators at the end, each of its own group; else the one that is, or of several should be.
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

// What a legend has to explain: the algorithm's messages and others sent; states that occur.
std::vector<MessageType> messages_in(const Diagram& diagram);
std::vector<std::string_view> states_in(const Diagram& diagram);
// The groups that occur, in the order of time; what their names mean, or nothing.
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

// The class of a group's colour, one of so many, by its place in groups_in().
inline constexpr std::size_t group_tints = 6;
std::string tint_of(const std::vector<Group>& groups, const Group& group);

// Adds a kind's line and its head, for which the class `arrives` asks as well, to an SVG.
void define_message(MessageType type, std::string_view color, std::string& styles,
                    std::string& heads);

// Below a text picture: words, and "Legend: " with the signs of states and messages.
std::string note_below(std::string_view words);
std::string legend_of(const Diagram& diagram, Language language,
                      std::string_view StateStyle::*sign_of_state,
                      const std::function<std::string(MessageType)>& sign_of_message);

// "12.345": milliseconds, to the microsecond.
std::string milliseconds_text(std::int64_t ns, Language language);

// --- What it is drawn as -------------------------------------------------------------------------
//
// All formats say the same; nothing in them is told by colour alone. Nothing is given if a picture
// would be larger than its format allows.

// For a terminal: time downwards; a message is drawn where it arrives. 80 columns for five
// processes of small ids; 14 for each further one.
std::string diagram_text(const Diagram& diagram, Language language);

// The same while it grows: its steps, a line or more each; and the line that names the lanes.
std::string diagram_lines(const Diagram& diagram, Language language, std::string& head);

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

}  // namespace bully
