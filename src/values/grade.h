// grade.h: the result of grading a program, as values. ../grade finds it; ../view words and draws
// it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/list.h"
#include "base/problem.h"
#include "base/time.h"
#include "election/record.h"

namespace bully {

// The faults of published programs, the most significant first: if a program dies, or its messages
// are unreadable, no other fault matters before that; and a fault of one process comes before a
// fault of several, which may follow from it.
inline constexpr auto diagnosis_names = std::to_array<std::string_view>({
    "never-starts",
    "wrong-name",
    "died",
    "wrong-bytes",
    "wrong-from",
    "short-read",
    "answers-on-same-connection",
    "asks-the-pid",
    "further-fields",
    "too-many-processes",
    "no-election",
    "waits-for-answer",
    "answers-nothing",
    "no-election-when-asked",
    "answerer-dies",
    "no-coordinator",
    "hangs",
    "hasty",
    "election-storm",
    "untold",
    "two-coordinators",
    "wrong-coordinator",
    "hard-coded-cluster",
    "usurper-accepted",
    "usurper-ends-election",
    "usurper-deposes",
    "announcement-ignored",
    "stale-timer",
    "silent-returner",
    "returner-ignored",
    "lost-lamb",
    "does-not-come-back",
    "hung-coordinator-unseen",
    "ids-compared-as-text",
    "ids-not-compared",
    "deaf-in-election",
    "deaf-at-start",
    "deaf-while-blocked",
    "killed-by-garbage",
    "killed-by-a-dead-peer",
    "false-suspicion",
    "repeats-coordinator",
    "any-death",
    "answers-higher",
    "orphan-monitor",
    "busy-loop",
    "leak",
    "asks-lower",
    "asks-some",
});
using Diagnosis = OneOf<diagnosis_names>;

// The one thing that a fake process does otherwise than its rules say.
inline constexpr auto deviation_names = std::to_array<std::string_view>({
    "none",
    "deaf",             // no message of an election reaches it
    "answers-only",     // it sends ANSWER, and no other message
    "dies-announcing",  // it dies after its first COORDINATOR to a process of the program
    "usurps",           // it announces itself to higher processes that live
});
using Deviation = OneOf<deviation_names>;

// A fault that a check has found, and throws.
struct Finding {
  Diagnosis diagnosis;
  std::vector<std::string> values = {};  // the values for the places of its words, in order
  std::string printed = {};              // the last output of a program that died
};

// Why something could not be shown, though nothing is wrong with the program. Thrown as well.
inline constexpr auto unclear_names = std::to_array<std::string_view>({
    "none",          // or the check that it needs was unclear
    "by_chance",     // one try of three failed, and the others were unclear
    "order_of_ids",  // PIDs wrapped round meanwhile, so their order is not the order of starts
    "not_forced",    // the process that should detect the crash first did not, as it otherwise does
    "set_up",        // the system refused a name, a process or a descriptor
    "out_of_time",   // the time for all checks is over, or the user has asked to end
    "no_election",   // no election took place, so a missing message proves nothing
    "busy",          // the machine was: a step came later than the waits that are judged allow
    "no_coordinator",  // the fake that should be coordinator is not, or the program does not know
});
using Unclear = OneOf<unclear_names>;

enum class CheckStatus : std::uint8_t { passed, failed, skipped, inconclusive };
std::string_view name_of(CheckStatus status);

// A check as listed: the words for `name` are in ../words, after "grade_check_", with `_` for `-`.
struct CheckKind {
  std::string_view name;
  unsigned points = 0;
  std::array<std::string_view, 2> needs = {};  // others: skipped unless these have passed
};

struct CheckResult {
  CheckKind kind;
  CheckStatus status = CheckStatus::skipped;
  std::string_view lacks = {};          // if skipped: the needed check that has not passed
  std::optional<Finding> finding = {};  // if failed
  Unclear unclear = "none";             // the reason, if inconclusive
  std::string refusal = {};             // if it could not be set up: the system's words
  Duration took{0};
  std::vector<Record> records = {};        // of the check's last run
  std::map<NodeId, Deviation> fakes = {};  // in that run: with a deviation
  std::string trace = {};                  // the file with the records; or empty

  unsigned points() const { return status == CheckStatus::passed ? kind.points : 0; }
};

// The program's measured waits: the longest of three. Nothing: longer than any wait of the exam, or
// not measured.
struct MeasuredWaits {
  std::optional<Duration> start = {};        // from its name to the first message of its election
  std::optional<Duration> detection = {};    // from the coordinator's death to the first message
  std::optional<Duration> answer = {};       // from ELECTION to COORDINATOR, if no process answers
  std::optional<Duration> coordinator = {};  // from an ANSWER to the next election
  std::optional<Duration> pause = {};        // between two COORDINATORs of one victory
  // The shortest from ELECTION to COORDINATOR: a busy machine makes waits longer, rarely shorter.
  std::optional<Duration> least_answer = {};
};

// The limits that follow from them, for a crash to be noticed, and for the election after that.
struct WaitLimits {
  Duration notice{0};
  Duration election{0};
};

struct Grade {
  std::vector<std::string> command = {};
  std::uint64_t seed = 0;  // of all that happened by chance
  MeasuredWaits waits = {};
  std::optional<WaitLimits> limits = {};  // nothing if these waits were not measured
  std::vector<CheckResult> results = {};
  bool is_complete = true;
  // Why there are no results, and the last words of a build that failed: this is no fault of its
  // election, and so worth neither points nor none.
  std::optional<Problem> obstacle = std::nullopt;
  std::string printed = {};

  unsigned points_of(std::initializer_list<CheckStatus> statuses) const;
  unsigned points() const { return points_of({CheckStatus::passed}); }
  // With the points that inconclusive checks may still earn.
  unsigned most_open() const { return points_of({CheckStatus::passed, CheckStatus::inconclusive}); }
  unsigned most() const;
  std::size_t count(CheckStatus status) const;
  // The first failed check with each diagnosis, the most significant diagnosis first.
  std::vector<const CheckResult*> faults() const;
  std::vector<std::string_view> diagnoses() const;  // in the same order
};

}  // namespace bully
