// terminal.h: what the commands need to know of where their output goes.
#pragma once

#include <cstddef>
#include <string_view>

namespace bully {

// Whether to colour standard output. `choice`: 0 auto (a terminal, and NO_COLOR not set), 1 always,
// 2 never.
bool use_color(std::size_t choice);

// Writes all of `text` with as few write(2) calls as the system needs: lines of several processes
// on one terminal stay whole.
void write_to_stdout(std::string_view text);

}  // namespace bully
