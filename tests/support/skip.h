// skip.h: a test that this machine cannot run is counted as skipped, with the reason.
//
// None of these functions ends the test: it returns at once. The last line of all tests
// (../main.cc) counts the skipped ones apart from those that passed.
#pragma once

#include <cstddef>
#include <string>

namespace bully {

// Why the present test is skipped, in a few words: "no python3". The last reason counts.
void skip(std::string reason);
// Whether a program of this name is missing in $PATH; then the present test is skipped.
bool lacks(const std::string& program);
// Whether it is not run by root; then the present test is skipped.
bool lacks_root();
// Whether the standard directory is another user's; then the present test is skipped.
bool lacks_standard_directory();
// Whether it may not open as many files as this; then the present test is skipped. Where only the
// soft limit is lower, that is raised.
bool lacks_descriptors(std::size_t count);

// The reason given since the last call; empty without one. For ../main.cc.
std::string take_skip_reason();

}  // namespace bully
