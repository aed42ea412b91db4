// lesson_texts.h: the scripts of the lessons, one file each. Read next: lessons.h.
#pragma once

namespace bully {

extern const char* const tanenbaum_lesson;
extern const char* const cdk_lesson;
extern const char* const return_of_the_highest_lesson;
extern const char* const all_at_once_lesson;
extern const char* const best_case_lesson;
extern const char* const worst_case_lesson;
extern const char* const naive_lesson;
extern const char* const two_coordinators_lesson;
extern const char* const short_timeout_lesson;
extern const char* const winner_dies_lesson;
extern const char* const answerer_dies_lesson;
extern const char* const stale_coordinator_lesson;
extern const char* const fast_restart_lesson;
extern const char* const ghost_lesson;
extern const char* const flapping_lesson;
extern const char* const ring_lesson;
extern const char* const ring_best_lesson;
extern const char* const ring_worst_lesson;
extern const char* const ring_bit_reversed_lesson;
extern const char* const ring_reordered_lesson;
extern const char* const ring_crash_lesson;

}  // namespace bully
