// terminal.h: what the commands need to know of where their output goes.
#pragma once

#include <cstddef>
#include <string_view>

namespace bully {

// Whether to colour standard output. `choice`: 0 auto (a terminal, and NO_COLOR not set), 1 always,
// 2 never.
bool use_color(std::size_t choice);

// Writes all of `text` with as few write(2) calls as the system needs: lines of several processes
// on one terminal stay whole. What cannot be written is lost: output_error() tells.
void write_to_stdout(std::string_view text);

// The same for whole lines, but it does not wait: a terminal that was stopped with Ctrl-S and a
// pipe that nobody reads take nothing. Returns how many of the lines are lost.
std::size_t write_without_waiting(std::string_view lines);

// The errno of the first write that failed, or 0. That the reader has gone is no failure.
int output_error();

}  // namespace bully
