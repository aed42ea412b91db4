// lessons.h: the scenarios that are built in, each a lesson with its explanation in both languages.
//
// The text of each is in its own file, lesson_NAME.cc, and is what `bully scenario` plays.
// Read next: scenario.h for the language.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace bully {

struct Lesson {
  std::string_view name;
  std::string_view text;  // the script
};

// All of them, in the order in which a course would show them.
std::span<const Lesson> lessons();
// The lesson's script, if there is one of this name.
std::optional<std::string_view> find_lesson(std::string_view name);

}  // namespace bully
