// exam_checks.h: the checks that a program goes through, in their order.
//
// A check is a function that acts and waits, step by step, and throws its result: a Finding, or
// Unclear. By what it judges, and how it forces the situation that it tests: README.md.
#pragma once

#include <optional>
#include <span>
#include <string>

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
  bool measures = false;  // the program's waits, which set the limits of the checks after it
};
std::span<const ExamCheck> every_check();
// Nothing if these waits were not measured.
std::optional<WaitLimits> limits_of(const MeasuredWaits& waits);

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
// Three processes, of which the highest and the next highest run different programs: each once.
void mixes(Exams& exams);

// --- Shared by the checks ---

// Runs it; if the program dies, this is the cause: bytes, or a connection without any.
template <class Do>
void survive(Diagnosis diagnosis, const std::string& what, Do act) {
  try {
    act();
  } catch (const Finding& finding) {
    // The words of "died" name SIGPIPE, whatever was before it.
    if (finding.diagnosis != "died" || finding.values.at(1) == "141") throw;
    const std::string is_empty = what.empty() ? "1" : "0";
    throw Finding{
        diagnosis, {what, finding.values.at(0), finding.values.at(1), is_empty}, finding.printed};
  }
}
// Throws `otherwise` unless such a message is sent in time.
Record expect_sent(Exam& exam, const Sendings& wanted, Duration at_most, const Finding& otherwise);
// Its answer to this question, if any: a coordinator may give it by COORDINATOR alone.
std::optional<Record> answer_of(const Exam& exam, NodeId self, NodeId asker, std::size_t since);
// True if that comes in time.
bool await_answer(Exam& exam, NodeId self, NodeId asker, std::size_t since);
// The limits for detecting a coordinator's death, for an election, and for an answer.
Duration notice_limit(const Exam& exam);
Duration election_limit(const Exam& exam);
Duration answer_limit(const Exam& exam);
// The time after which an election sends no more messages.
Duration silence_limit(const Exam& exam);
// Waits until it has announced itself to all lower processes, if to any since then: a program may
// take its time between two of these messages.
void let_announce(Exam& exam, NodeId id, std::size_t since);
// Waits until the election with which this process has started is over, and nothing of it is on its
// way: a late announcement might overtake the next process's victory, which the textbook's rules do
// not survive.
void let_settle(Exam& exam, NodeId id);
// A process of the program whose first election is over.
NodeId start_settled(Exam& exam, std::optional<NodeId> id = {});
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
// Fakes whose ids are the beginnings of this one. If the answer goes to any of them, it reads
// too little of it: that is a Finding.
Ids add_beginnings(Exam& exam, NodeId id);
void expect_whole_id(const Exam& exam, NodeId self, NodeId asker, const Ids& beginnings,
                     std::size_t since);
// Asked by the fake, it has to ask `highest` in its turn. `otherwise`: the fault, if not that it
// asks none, or some.
void expect_question(Exam& exam, const AboveFake& all, NodeId highest,
                     const std::optional<Finding>& otherwise = {});
// A process of the program, and fakes below and above it, by their ids, from the lowest.
struct Between {
  NodeId below;
  NodeId other_below;
  NodeId self;
  NodeId above;
};
Between start_between(Exam& exam, Deviation above = "none");
// This fake, above all that live, becomes coordinator, and has announced that to a process of the
// program, which has had time to follow it. Throws Unclear if that did not come about.
void let_coordinate(Exam& exam, NodeId self, NodeId fake);
// The same for a new fake.
NodeId add_coordinator(Exam& exam, NodeId self);
// It has to start an election when `highest` dies. `otherwise`: the fault, if not that it starts
// none.
Record expect_notice(Exam& exam, NodeId self, NodeId highest, Duration at_most,
                     const std::optional<Finding>& otherwise = {});
// It is in an election, and `above` has answered: it waits for COORDINATOR.
void let_wait(Exam& exam, NodeId self, NodeId above);
// "8 → 10, 9 → ?": by the last COORDINATOR that each has sent or received.
std::string who_follows_whom(const Exam& exam, const Ids& ids);
// Time for a program's process to follow the coordinator that it has just heard of.
void let_follow(Exam& exam, NodeId id);
// Stops all others, kills the highest of `ids`, and continues the others once `detector` has sent a
// message. Throws Unclear if it does not.
void force_election(Exam& exam, const Ids& ids, NodeId detector);
}  // namespace checks

}  // namespace bully
