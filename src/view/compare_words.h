// compare_words.h: what the table, the plot and the picture of a comparison say alike.
// Read next: compare_table.h, compare_plot.h, compare_svg.h.
#pragma once

#include <string>
#include <vector>

#include "trace/comparison.h"
#include "view/log_axis.h"
#include "view/text.h"

namespace bully {

// "Worst case: each ring stands in its worst order; the lowest process notices"
std::string case_words(const ComparedCase& compared, Language language);

// One sentence for each two algorithms: who takes less, and from which n on.
std::vector<std::string> overtaking_words(const ComparedCase& compared, Quantity quantity,
                                          Language language);

// The numbers of processes, and the axes that hold every run of the case. A figure of 0, which has
// no place on such an axis, is left out. Nothing where there is nothing else.
struct CompareAxes {
  LogAxis nodes;
  LogAxis figures;
};
std::optional<CompareAxes> axes_of(const ComparedCase& compared, Quantity quantity);

}  // namespace bully
