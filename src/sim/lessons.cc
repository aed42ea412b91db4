#include "sim/lessons.h"

namespace bully {

std::optional<std::string_view> find_lesson(std::string_view name) {
  for (const Lesson& lesson : lessons()) {
    if (lesson.name == name) return lesson.text;
  }
  return std::nullopt;
}

}  // namespace bully
