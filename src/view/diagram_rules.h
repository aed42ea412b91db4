// diagram_rules.h: which sentences of the textbook a step follows.
//
// It names rules from what the trace shows that a process did; it never runs the protocol, and
// never says whether a step was right: for that there is `bully check`.
// Read next: diagram_ring_rules.cc.
#pragma once

#include <string>
#include <vector>

#include "view/diagram.h"
#include "view/text.h"

namespace bully {

using Step = Diagram::Step;

// The sentences with their source, as one text.
std::string rule_of(const Diagram& diagram, const Step& step, Language language);

// The rules of an election on a ring, for a step in which a process is alive and something of the
// election came to it; see rule_of for all others.
std::vector<Text> ring_rules(const Diagram& diagram, const Step& step);

// Whether the process sends a message of this type in the step.
bool sends(const Diagram& diagram, const Step& step, MessageType type);

}  // namespace bully
