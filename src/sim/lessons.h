// lessons.h: the scenarios that are built in, each a lesson with its explanation in both languages.
//
// The text of each is a file of its own in ../lessons, which the build embeds: it is what
// `bully scenario` plays. Read next: ../lessons/01-tanenbaum.txt, and scenario.h for the language.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace bully {

struct Lesson {
  std::string_view name;
  std::string_view text;  // the script
};

// All of them, in the order in which a course would show them. The Makefile writes this function.
std::span<const Lesson> lessons();
// The lesson's script, if there is one of this name.
std::optional<std::string_view> find_lesson(std::string_view name);

}  // namespace bully
