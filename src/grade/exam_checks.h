// exam_checks.h: the checks that a program goes through, in their order, and the run through them.
//
// A check is a function that acts and waits, step by step, and throws its result: a Finding, or
// Unclear. By what it judges, and how it forces the situation that it tests: README.md.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grade/exam.h"
#include "values/grade.h"

namespace bully {

// Provides the checks with exams, one at a time.
struct Exams {
  ExamSettings& settings;
  LocalCluster& cluster;
  std::optional<Exam> exam = {};

  // Ends the exam before it.
  Exam& next() { return exam.emplace(settings, cluster); }
};

struct ExamCheck {
  CheckKind kind;
  void (*run)(Exams& exams);
};
std::span<const ExamCheck> every_check();

// The groups of checks, a file each.
namespace checks {
void starts(Exam& exam);
void lets_go(Exam& exam);
void survives_silence(Exam& exam);
void survives_garbage(Exam& exam);
void survives_files(Exam& exam);
void survives_the_dead(Exam& exam);

void notices(Exam& exam);
void waits_again(Exam& exam);
void is_patient(Exam& exam);
void answers(Exam& exam);
void holds_own_election(Exam& exam);
void holds_one_election(Exam& exam);
void hears_while_electing(Exam& exam);
void ignores_lower(Exam& exam);
void leaves_the_dead(Exam& exam);
void follows_returner(Exam& exam);

void agrees_in_sizes(Exams& exams);
void elects_when_killed(Exams& exams);
void elects_when_two_killed(Exam& exam);
void last_is_coordinator(Exam& exam);
void highest_returns(Exams& exams);
void lowest_returns(Exam& exam);
void elects_when_stopped(Exam& exam);
void compares_numbers(Exams& exams);
void survives_delays(Exams& exams);
void costs_little(Exam& exam);
void is_idle(Exam& exam);
// Three processes, of which the highest and the next highest run different programs.
void mixes(Exam& exam, bool is_ours_highest);

// --- Shared by the checks ---

// Runs it; if the program dies, this is the cause.
template <class Do>
void survive(Diagnosis diagnosis, const std::string& what, Do act) {
  try {
    act();
  } catch (const Finding& finding) {
    if (finding.diagnosis != "died") throw;
    throw Finding{diagnosis, {what, finding.values.at(0), finding.values.at(1)}, finding.printed};
  }
}
// Throws `otherwise` unless such a message is sent in time.
Record expect_sent(Exam& exam, const Sendings& wanted, Duration at_most, const Finding& otherwise);
// The limits for detecting a coordinator's death, for an election, and for an answer.
Duration notice_limit(const Exam& exam);
Duration election_limit(const Exam& exam);
Duration answer_limit(const Exam& exam);
// The time after which an election sends no more messages.
Duration silence_limit(const Exam& exam);
// Waits until the process that has just started, the highest, has announced itself: a later
// announcement might overtake the next process's victory, which the textbook's rules do not
// survive.
void let_announce(Exam& exam, NodeId id);
// Starts this number of processes, from the lowest, and waits until they agree. Throws a Finding if
// they do not.
Ids start_cluster(Exam& exam, std::size_t count);
// Throws a Finding unless these come to agree in time, and still do when messages have ceased.
void expect_agreement(Exam& exam, const Ids& ids, Duration at_most);
// A fake, and a process of the program above it.
struct AboveFake {
  NodeId below;
  NodeId self;
};
AboveFake start_above_fake(Exam& exam);
// This fake, above all that live, becomes coordinator, and has announced that to a process of the
// program, which has had time to follow it. Throws Unclear if that did not come about.
void let_coordinate(Exam& exam, NodeId self, NodeId fake);
// The same for a new fake.
NodeId add_coordinator(Exam& exam, NodeId self);
// "8 → 10, 9 → ?": by the last COORDINATOR that each has sent or received.
std::string who_follows_whom(const Exam& exam, const Ids& ids);
// Time for a program's process to follow the coordinator that it has just heard of.
void let_follow(Exam& exam, NodeId id);
// Stops all others, kills the highest of `ids`, and continues the others once `detector` has sent a
// message. Throws Unclear if it does not.
void force_election(Exam& exam, const Ids& ids, NodeId detector);
}  // namespace checks

// Runs these checks, in the order of every_check(), each as often as `repeat` says unless it fails
// before, and calls `on_result` after each. The program
// cannot end this; Interrupted does, and then the grade is marked incomplete. Throws SetupError.
Grade grade(ExamSettings& settings, LocalCluster& cluster, const std::vector<ExamCheck>& chosen,
            unsigned repeat,
            const std::function<void(Grade& grade, CheckResult& result)>& on_result);

}  // namespace bully
