// place.h: the directory in which a program can be graded: a private one if it obeys BULLY_DIR or
// {dir}; otherwise the directory that it has built in, if no other process is there.
#pragma once

#include "grade/exam.h"

namespace bully {

enum class Place : std::uint8_t {
  own,       // the one in the settings
  built_in,  // the standard directory, which the settings name from now on
  taken,     // the standard directory is built in, and has names of others
};

// Starts a process of the program, once or twice. Throws SetupError, Interrupted.
Place find_place(ExamSettings& settings, const Guard& guard, SignalPipe& signals);

}  // namespace bully
