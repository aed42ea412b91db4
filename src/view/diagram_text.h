// diagram_text.h: the space-time diagram for a terminal. One lane for each process, time downwards;
// a message is drawn where it arrives, as a line from its sender's lane to its receiver's.
//
// 80 columns for five processes of small ids; 14 for each further one. No colours, no paging.
#pragma once

#include <string>

#include "view/diagram.h"
#include "view/text.h"

namespace bully {

std::string diagram_text(const Diagram& diagram, Language language);

}  // namespace bully
