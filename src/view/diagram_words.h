// diagram_words.h: what the diagrams say, in all formats alike: the few words beside a step.
//
// Read next: diagram_rules.h for the rule that a step follows; diagram_text.h.
#pragma once

#include <string>
#include <string_view>

#include "view/diagram.h"
#include "view/text.h"

namespace bully {

// The words beside a step. Either may be empty.
struct StepWords {
  std::string cause;    // "suspects 5: down"
  std::string outcome;  // "candidate"
};
StepWords words_of(const Diagram& diagram, const Diagram::Step& step, Language language);

// One whole sentence: who does what in this step, for tooltips and captions.
std::string sentence_of(const Diagram& diagram, const Diagram::Step& step, Language language);

// "ELECTION 2 → 3", "VALUE 4, 1 → 2".
std::string sentence_of(const Diagram& diagram, const Diagram::Message& message, Language language);

// What the picture is of: how many processes and messages, and who is coordinator at the end.
std::string title_of(const Diagram& diagram, Language language);

// "12.345": milliseconds, to the microsecond.
std::string milliseconds_text(std::int64_t ns);

}  // namespace bully
