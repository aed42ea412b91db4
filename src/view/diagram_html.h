// diagram_html.h: a run as one page that steps through it, forward and back: at each step the
// processes, their states, whom they follow, the messages under way, and the textbook's rule.
//
// The page is a single file that asks nothing of the network. Its script (diagram_page.h) is given
// the steps as data and works the states out from them; what it should come to at the end stands in
// the data as well, for its self-test (open it with #selftest).
#pragma once

#include <string>

#include "view/diagram.h"
#include "view/text.h"

namespace bully {

std::string diagram_html(const Diagram& diagram, Language language);

}  // namespace bully
