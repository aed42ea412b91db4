// result.h: the result of grading a program, as values. ../view words and draws them.
//
// It never waits, signals or prints. Read next: exam.h, which finds the result.
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

// The faults of published programs, the most significant first: if a program dies, or its messages
// are unreadable, no other fault matters before that.
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
// The name in reports: "answers-nothing".
std::string_view name_of(Diagnosis diagnosis);
// The key of its words: "grade_died"; further texts add `_expected`, `_seen` and `_hint`.
std::string key_of(Diagnosis diagnosis);

// A fault that a check has found, and throws.
struct Finding {
  Diagnosis diagnosis = Diagnosis::died;
  std::vector<std::string> values = {};  // the values for the places of its words, in order
  std::string printed = {};              // the last output of a program that died
};

// Bytes of a program as a person can read them, the first of them: `C;7\0`.
std::string readable(std::string_view bytes);

// Why something could not be shown, though nothing is wrong with the program. Thrown as well.
enum class Unclear : std::uint8_t {
  none,
  order_of_ids,  // PIDs wrapped round meanwhile, so their order is not the order of starts
  not_forced,    // the process that should detect the crash first did not, though it does otherwise
  slow_machine,  // it took less time than the machine needs to see it
  out_of_time,   // the time for all checks is over, or the user has asked to end
  no_election,   // no election took place, so a missing message proves nothing
};
std::string_view name_of(Unclear why);

enum class CheckStatus : std::uint8_t { passed, failed, skipped, inconclusive };
std::string_view name_of(CheckStatus status);

// A check as listed: the words for `name` are in ../words, after "check_", with `_` for `-`.
struct CheckKind {
  std::string_view name;
  unsigned points = 0;
  std::array<std::string_view, 2> needs = {};  // others: skipped unless these have passed
};

struct CheckResult {
  CheckKind kind;
  CheckStatus status = CheckStatus::skipped;
  std::string_view lacks = {};  // if skipped: the needed check that has not passed
  std::vector<Finding> findings = {};
  Unclear unclear = Unclear::none;  // the reason, if inconclusive
  Duration took{0};
  std::vector<Record> records = {};  // of the check's last run
  std::string trace = {};            // the file with the records; or empty

  unsigned points() const { return status == CheckStatus::passed ? kind.points : 0; }
};

// The program's measured waits: the longest of three. Nothing: longer than any wait of the exam, or
// not measured.
struct MeasuredWaits {
  std::optional<Duration> detection = {};    // from the coordinator's death to the first message
  std::optional<Duration> answer = {};       // from ELECTION to COORDINATOR, if no process answers
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
  unsigned most_open() const;  // the points that inconclusive checks may still earn
  bool has_failed() const;
  bool is_unclear() const;
  // Each diagnosis once, the most significant first.
  std::vector<const Finding*> findings() const;
};

}  // namespace bully
