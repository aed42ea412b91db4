// tamper.h: a trace, changed by machine in every way that lines can be lost, moved or rewritten.
//
// Each change knows its kind, and is made only when it is wanted: a trace of 200 lines has ten
// thousand. Whether the result is still right is not said here.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "election/algorithm.h"

namespace bully {

// Of a trace, from the earliest, each with its newline.
using Lines = std::vector<std::string>;
Lines lines_by_time(std::string_view text);
std::string text_of(const Lines& lines);
// With the numbers that the processes would have given these lines: nothing seems to be missing.
Lines renumbered(Lines lines);
// Whether the numbers of each process are whole, from its start on.
bool are_numbers_whole(const Lines& lines);

struct Tampering {
  std::string kind;
  std::string what;  // in which line, and what becomes of it
  std::function<void(Lines&)> apply;
};

// All that can be done to these, which come from lines_by_time().
std::vector<Tampering> tamperings(const Lines& lines, const Algorithm& algorithm);

}  // namespace bully
