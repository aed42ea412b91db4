// program.h: this very program, run again as a child. Read next: real_stage.h.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace bully {

// The file of the program that runs, to be run again. `called_as` is argv[0], which is what is left
// where the system does not tell.
std::string own_program(const std::string& called_as);

// Starts words[0] with the rest as arguments, in a process group of its own, with nothing to read
// and nowhere to write but standard error. `in_child` runs before the program does. Throws
// SetupError.
pid_t start_program(std::vector<std::string> words, const std::function<void()>& in_child);

// Where temporary files go, and the sockets of private nodes: $TMPDIR, or /tmp where that is not
// set or so long that no socket below it has an address.
std::string temporary_directory();

}  // namespace bully
