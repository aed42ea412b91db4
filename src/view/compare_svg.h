// compare_svg.h: a comparison as a picture that stands by itself, for a report or a slide: a row of
// two plots for each case, messages and time, with title, legend and what they show in words.
// Nothing is told by colour alone, so it can be printed in grey.
// Read next: compare_words.h, log_axis.h; compare_plot.h draws the same in a terminal.
#pragma once

#include <string>

#include "trace/comparison.h"
#include "view/text.h"

namespace bully {

std::string compare_svg(const Comparison& comparison, Language language);

}  // namespace bully
