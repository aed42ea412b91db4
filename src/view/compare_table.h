// compare_table.h: a comparison in figures: as a table for a terminal of 80 columns, and as CSV.
// Read next: compare_words.h.
#pragma once

#include <string>

#include "trace/comparison.h"
#include "view/text.h"

namespace bully {

// Below the figures: who overtakes whom, and every election that went wrong. Of many numbers of
// processes it shows the first, the last and the powers of two.
std::string compare_table(const ComparedCase& compared, Language language);

// What the columns of the tables mean.
std::string compare_notes(Language language);

// One line for each case, number of processes and algorithm, after a line with the names of the
// columns.
std::string compare_csv(const Comparison& comparison);

}  // namespace bully
