// compare_plot.h: a comparison as a curve of marks for each algorithm, in a terminal of 80 columns.
// Read next: compare_words.h, log_axis.h; compare_svg.h draws the same for a report.
#pragma once

#include <string>

#include "trace/comparison.h"
#include "view/text.h"

namespace bully {

// The medians of a case over the number of processes. Nothing is told by colour. Empty where all
// figures are 0.
std::string compare_plot(const ComparedCase& compared, Quantity quantity, Language language);

}  // namespace bully
