#include "sim/lessons.h"

#include <array>

#include "sim/lesson_texts.h"

namespace bully {

std::span<const Lesson> lessons() {
  static const std::array<Lesson, 21> all = {{
      {"tanenbaum", tanenbaum_lesson},
      {"cdk", cdk_lesson},
      {"return-of-the-highest", return_of_the_highest_lesson},
      {"all-at-once", all_at_once_lesson},
      {"best-case", best_case_lesson},
      {"worst-case", worst_case_lesson},
      {"naive", naive_lesson},
      {"two-coordinators", two_coordinators_lesson},
      {"short-timeout", short_timeout_lesson},
      {"winner-dies", winner_dies_lesson},
      {"answerer-dies", answerer_dies_lesson},
      {"stale-coordinator", stale_coordinator_lesson},
      {"fast-restart", fast_restart_lesson},
      {"ghost", ghost_lesson},
      {"flapping", flapping_lesson},
      {"ring", ring_lesson},
      {"ring-best", ring_best_lesson},
      {"ring-worst", ring_worst_lesson},
      {"ring-bit-reversed", ring_bit_reversed_lesson},
      {"ring-reordered", ring_reordered_lesson},
      {"ring-crash", ring_crash_lesson},
  }};
  return all;
}

std::optional<std::string_view> find_lesson(std::string_view name) {
  for (const Lesson& lesson : lessons()) {
    if (lesson.name == name) return lesson.text;
  }
  return std::nullopt;
}

}  // namespace bully
