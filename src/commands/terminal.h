// terminal.h: what the commands need to know of where their output goes.
//
// Whatever cannot be written ends no process.
#pragma once

#include <cstddef>
#include <string_view>

#include "view/text.h"

namespace bully {

// To be called first of all. Opens the null device on each standard descriptor that is closed: else
// the next file to be opened, a trace or a socket, would be taken for standard output. And a limit
// on the size of files (`ulimit -f`) becomes an error of the write, EFBIG, instead of a signal.
// Throws std::system_error.
void prepare_standard_streams();

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

// Says on standard error that the trace ended with this errno. Whether it did: 0 is none.
bool say_if_trace_ended(int error, Language language);

}  // namespace bully
