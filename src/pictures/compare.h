// compare.h: a comparison for people (as a table, and as a picture with plots for a report) and for
// a spreadsheet. Tables fit a terminal of 80 columns.
//
// Both scales of a plot are logarithmic: a power of n is a straight line there, and the steeper
// line is the higher one in the end. Colour alone never carries information.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "values/comparison.h"
#include "words/words.h"

namespace bully {

struct Quantity {
  Spread ComparedPoint::*spread;
  Text axis;
  Text ranking;
};
inline constexpr std::array<Quantity, 2> compared_quantities = {
    {{&ComparedPoint::messages, Text::compare_axis_messages, Text::compare_fewest},
     {&ComparedPoint::time, Text::compare_axis_time, Text::compare_fastest}}};

// "The coordinator crashes, and the lowest process notices; each ring is in the worst order known
// of it": the crash that all of them ran, which for some costs less than another.
std::string case_words(const ComparedCase& compared, Language language);

// The cheapest and the most expensive: a sentence for a small n and one for the largest; random
// runs are compared by their medians. An unbreakable space joins a name and its figure.
std::vector<std::string> ranking_words(const ComparedCase& compared, const Quantity& quantity,
                                       Language language);

// Below the figures: the rankings, and every election that went wrong. If there are many rows, it
// shows the first, the last and the powers of two.
std::string compare_table(const ComparedCase& compared, Language language);

// Sentences about the figures: their units, and, where bully is compared, why it is fast.
std::vector<std::string> compare_notes(const Comparison& comparison, Language language);

// One line for each case, number of processes and algorithm, below the columns' names.
std::string compare_csv(const Comparison& comparison);

// A row of two plots for each case, with the name of each line at its end, and their content in
// words below. One case has the shape of a slide, 16:9.
std::string compare_svg(const Comparison& comparison, Language language);

// A scale on which equal steps are equal factors, from its first tick to its last.
struct LogScale {
  std::vector<std::uint64_t> ticks;
  // From 0, at the first tick, to 1. The value 0 has the same place as 1.
  double place(std::uint64_t value) const;
};

// From below `least` to above `most`, or exactly these, with ticks at the powers of `base`. Base
// ten also has ticks at 2 and 5 times these if there would be few. REQUIRES: 0 < least <= most.
LogScale log_scale(std::uint64_t least, std::uint64_t most, std::uint64_t base);

// A quantity over the number of processes, before anything is drawn.
struct Plot {
  Quantity quantity;
  LogScale nodes;                      // from left to right
  LogScale figures;                    // upwards
  std::vector<ComparedSeries> series;  // without points whose median is 0
};

// Nothing if all figures are 0.
std::optional<Plot> plot_of(const ComparedCase& compared, const Quantity& quantity);

}  // namespace bully
