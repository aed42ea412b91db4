// diagram_words.h: what the diagrams say, in all formats alike: the few words beside a step, and
// the textbook's rule that a step follows.
//
// It names rules from what the trace shows that a process did; it never runs the protocol.
// Read next: diagram_text.h.
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

// The textbook's sentence that the step follows, with its source; empty where there is none.
std::string rule_of(const Diagram& diagram, const Diagram::Step& step, Language language);

// "ELECTION 2 → 3".
std::string sentence_of(const Diagram& diagram, const Diagram::Message& message, Language language);

// What the picture is of: how many processes and messages, and who is coordinator at the end.
std::string title_of(const Diagram& diagram, Language language);

// A message's name in full, as the log shows it.
std::string name_of(MessageType type, Language language);

// A state's name; as it stands in the trace where it is none of bully's.
std::string state_words(std::string_view state, Language language);

// "12.345": milliseconds, to the microsecond.
std::string milliseconds_text(std::int64_t ns);

}  // namespace bully
