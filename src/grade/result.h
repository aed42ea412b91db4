// result.h: what grading a program has found, as values. ../view words and draws them.
//
// It never waits, signals or prints. Read next: exam.h, which is how it is found out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "election/record.h"
#include "node/system.h"

namespace bully {

// The faults that published programs have. The most telling first: of a program that dies, or whose
// messages nobody can read, nothing else is worth telling before that.
enum class Diagnosis : std::uint8_t {
  never_starts,
  wrong_name,
  died,
  wrong_bytes,
  answers_on_same_connection,
  asks_the_pid,
  too_many_processes,
  no_election,
  no_coordinator,
  answers_nothing,
  no_election_when_asked,
  answerer_dies,
  election_storm,
  two_coordinators,
  wrong_coordinator,
  hard_coded_cluster,
  usurper_accepted,
  silent_returner,
  returner_ignored,
  lost_lamb,
  does_not_come_back,
  hung_coordinator_unseen,
  ids_compared_as_text,
  deaf_in_election,
  deaf_while_blocked,
  killed_by_garbage,
  killed_by_a_dead_peer,
  false_suspicion,
  orphan_monitor,
  busy_loop,
};
inline constexpr std::size_t diagnosis_count = static_cast<std::size_t>(Diagnosis::busy_loop) + 1;
// As reports name it: "answers-nothing".
std::string_view name_of(Diagnosis diagnosis);
// The key of its words, which texts for `_expected`, `_seen` and `_hint` follow: "grade_died".
std::string key_of(Diagnosis diagnosis);

// A fault that a check has shown. It is thrown by what shows it.
struct Finding {
  Diagnosis diagnosis = Diagnosis::died;
  std::vector<std::string> values = {};  // what fills the places of its words, in their order
  std::string printed = {};              // the last of what a program that died has printed
};

// Bytes of a program as a person can read them, the first of them: `C;7\0`.
std::string readable(std::string_view bytes);

// Why something could not be shown, though nothing is wrong with the program. Thrown as well.
enum class Unclear : std::uint8_t {
  none,
  order_of_ids,  // PIDs began anew meanwhile, so that they were not in the order in which they
                 // start
  not_forced,    // the process that was to notice first did not, though it does otherwise
  slow_machine,  // it took less than the machine needs to see it
  out_of_time,   // the time for all checks is over, or the user has asked to end
  no_election,   // no election was shown, so that the absence of something shows nothing
};
std::string_view name_of(Unclear why);

enum class CheckStatus : std::uint8_t { passed, failed, skipped, inconclusive };
std::string_view name_of(CheckStatus status);

// A check as it is listed: words for `name` are in ../words, with `-` as `_`, behind "check_".
struct CheckKind {
  std::string_view name;
  unsigned points = 0;
  std::array<std::string_view, 2> needs = {};  // others: skipped unless these have passed
};

struct CheckResult {
  CheckKind kind;
  CheckStatus status = CheckStatus::skipped;
  std::string_view lacks = {};  // if skipped: which check has not passed that it needs
  std::vector<Finding> findings = {};
  Unclear unclear = Unclear::none;  // of one that is inconclusive
  Duration took{0};
  std::vector<Record> records = {};  // of the last run of it
  std::string trace = {};            // the file that has them; or empty

  unsigned points() const { return status == CheckStatus::passed ? kind.points : 0; }
};

// How long the program waits, as measured: the longest of three. Nothing: longer than anything that
// was waited for, or not measured.
struct MeasuredWaits {
  std::optional<Duration> detection = {};    // from the coordinator's death to the first message
  std::optional<Duration> answer = {};       // from ELECTION to COORDINATOR, if nobody answers
  std::optional<Duration> coordinator = {};  // from an ANSWER to the next election
  // The shortest from ELECTION to COORDINATOR: a busy machine makes waits longer, and none shorter.
  std::optional<Duration> least_answer = {};
};

struct Grade {
  std::vector<std::string> command = {};
  MeasuredWaits waits = {};
  std::vector<CheckResult> results = {};
  bool is_complete = true;

  unsigned points() const;
  unsigned most() const;
  unsigned most_open() const;  // what inconclusive checks may still be worth
  bool has_failed() const;
  bool is_unclear() const;
  // Each diagnosis once, the most telling first.
  std::vector<const Finding*> findings() const;
};

}  // namespace bully
