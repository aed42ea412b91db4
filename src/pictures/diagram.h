// diagram.h: a diagram of a run (../values/space_time_diagram.h) in all formats, and the words that
// they share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/language.h"
#include "pictures/style.h"
#include "values/space_time_diagram.h"

namespace bully {

// --- Words of all formats ------------------------------------------------------------------------

bool has_unrecorded_crash(const Diagram& diagram);

// The contents of a legend: the algorithm's messages and others sent; the states that occur.
std::vector<MessageType> messages_in(const Diagram& diagram);
std::vector<std::string_view> states_in(const Diagram& diagram);

// The event, if it was no message: "suspects 5: down", or empty. The words beside a step: the event
// and its result ("candidate"), if any.
std::string cause_of(const Diagram::Step& step, Language language);
std::vector<std::string> words_beside(const Diagram::Step& step, Language language);

// The messages of one kind that a process sends in a step, with their receivers.
struct Sending {
  const Diagram::Message& message;  // any of them
  std::vector<std::string> to;
};
std::vector<Sending> sendings_of(const Diagram& diagram, const Diagram::Step& step);

// One whole sentence for this step, for tooltips and captions.
std::string sentence_of(const Diagram& diagram, const Diagram::Step& step, Language language);

// "ELECTION 2 → 3", "VALUE 4, 1 → 2".
std::string sentence_of(const Diagram& diagram, const Diagram::Message& message, Language language);

// The sentences of the textbook that the step follows, with their source, as one text: for the
// rules that the process has recorded, or a sentence for an outside event (a crash, a lost
// message).
std::string rule_of(const Diagram::Step& step, Language language);

// The picture's title: the number of processes and messages, and the coordinator at the end.
std::string title_of(const Diagram& diagram, Language language);

// Adds a kind's line and its head, which the class `arrives` needs as well, to an SVG.
void define_message(MessageType type, std::string_view color, std::string& styles,
                    std::string& heads);

// "12.345": milliseconds, to the microsecond.
std::string milliseconds_text(std::int64_t ns, Language language);

// --- Formats -------------------------------------------------------------------------------------
//
// All formats show the same steps and messages, and colour alone never carries information. The
// rules, and the sides of a cut network, are on the page; rules are tooltips of the SVG as well.

// For a terminal: time runs downwards; a message appears where it arrives. 80 columns for five
// processes of small ids; 14 for each further one.
std::string diagram_text(const Diagram& diagram, Language language);

// The same while it grows: a line with the lanes' names, and a line or more for each step, if any.
std::vector<std::string> diagram_lines(const Diagram& diagram, Language language);

// For a report or a slide, with a row for each step. Empty if a side would be longer than
// max_picture_side.
std::optional<std::string> diagram_svg(const Diagram& diagram, Language language);

// A lesson's words beside its run: each chapter from this step on until the next.
struct Chapter {
  std::size_t step = 0;
  std::string words;
  std::string line = {};  // below them: a picture's words, a question, its answer; or empty
};
struct Lesson {
  std::string title = {};
  std::string watch = {};  // a hint above all chapters; or empty
  std::vector<Chapter> chapters = {};
  std::vector<std::size_t> counted_from = {};  // steps after which the counter begins again
};
// A lesson with more steps has pictures at its chapters alone.
inline constexpr std::size_t most_lesson_steps = 300;

// As one page that steps through the run, forward and back, and through a lesson's chapters, if
// there are any. It needs no network.
std::string diagram_html(const Diagram& diagram, Language language, const Lesson& lesson = {});

}  // namespace bully
