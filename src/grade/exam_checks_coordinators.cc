// exam_checks_coordinators.cc: one process of the program between fakes that announce themselves: a
// lower process, a coordinator that dies at once, a coordinator that comes back.
#include <chrono>

#include "grade/exam_checks.h"

namespace bully::checks {

using std::chrono::milliseconds;

// It has no part in the election that goes on: its end must come from this process.
static void expect_end_of_election(Exam& exam, NodeId self, NodeId usurper) {
  const std::size_t since = exam.links.now();
  exam.fakes.usurp(usurper);
  const bool is_told =
      exam.await_arrival({Role::announces, usurper, self, since}, milliseconds(500));
  // If it has announced itself by then, the message has come too late.
  if (!is_told || exam.links.sent({.from = self, .since = since})) return;
  const std::size_t arrived = exam.links.now();
  if (exam.await_election(self, arrived, election_limit(exam))) return;
  exam.judge(*exam.waits().least_answer);  // it may have won before this process saw its question
  throw fault("usurper-ends-election", self, usurper, election_limit(exam));
}

// As coordinator, it would watch the usurper, and notice its death. A program that reacts to the
// death of any process shows nothing by that; so another one dies before.
static void expect_no_notice(Exam& exam, NodeId self, NodeId bystander, NodeId usurper) {
  const Duration time = 2 * *exam.waits().detection + milliseconds(500);
  exam.await_quiet(silence_limit(exam));
  std::size_t since = exam.links.now();
  exam.fakes.end(bystander);
  if (exam.await_election(self, since, time)) {
    // Or it repeats COORDINATOR, whatever happens.
    exam.await_quiet(silence_limit(exam));
    since = exam.links.now();
    if (!exam.await_election(self, since, 2 * time)) throw fault("any-death", self, bystander);
    throw fault("repeats-coordinator", exam.links.count_sent({.from = self, .since = since}),
                2 * time);
  }
  exam.fakes.usurp(usurper);
  let_follow(exam, self);
  exam.await_quiet(silence_limit(exam));
  since = exam.links.now();
  exam.fakes.end(usurper);
  if (!exam.await_election(self, since, time)) return;
  throw fault("usurper-deposes", self, usurper);
}

// In each state. A follower that believes it does not see the true coordinator die.
void ignores_lower(Exam& exam) {
  const NodeId bystander = exam.fakes.add();
  const Between all = start_between(exam, "deaf");
  const NodeId highest = add_coordinator(exam, all.self);
  exam.fakes.usurp(all.below);
  let_follow(exam, all.self);
  exam.await_quiet(milliseconds(200));
  if (exam.links.coordinator_of(all.self) == all.self) {
    exam.judge(*exam.waits().least_answer);
    throw fault("wrong-coordinator", all.self, highest);
  }
  const Duration limit = notice_limit(exam);
  expect_notice(exam, all.self, highest, limit,
                fault("usurper-accepted", all.self, all.below, highest, limit));
  expect_end_of_election(exam, all.self, all.other_below);  // as candidate: `above` is deaf
  exam.await_quiet(silence_limit(exam));
  const NodeId answering = exam.fakes.add("answers-only");
  let_wait(exam, all.self, answering);
  expect_end_of_election(exam, all.self, all.below);
  // It may be waiting for this one's COORDINATOR a second time.
  const auto is_answered_again = [&] {
    return exam.links.count_sent({Role::answers, answering, all.self}) > 1;
  };
  exam.await(is_answered_again, election_limit(exam));
  exam.rest(milliseconds(30));
  exam.fakes.end(answering);
  exam.fakes.end(all.above);
  // By now it has won, or wins when its wait is over.
  const Duration at_most = notice_limit(exam) + election_limit(exam);
  if (!exam.await([&] { return exam.links.coordinator_of(all.self) == all.self; }, at_most)) {
    throw fault("answerer-dies", all.self, answering, at_most);
  }
  expect_no_notice(exam, all.self, bystander, all.below);
}

// A process above all dies in the midst of its announcement: this process has received it, and the
// coordinator has not.
void leaves_the_dead(Exam& exam) {
  const Between all = start_between(exam);
  const NodeId highest = add_coordinator(exam, all.self);
  const NodeId dead = exam.fakes.add("dies-announcing");
  const std::size_t since = exam.links.now();
  exam.fakes.start(dead);
  const Duration limit = notice_limit(exam);
  if (!exam.await_election(all.self, since, limit)) {
    if (!exam.links.has_arrived({Role::announces, dead, all.self, since})) {
      throw Unclear("no_coordinator");
    }
    throw fault("announcement-ignored", all.self, dead, limit);
  }
  let_follow(exam, all.self);
  exam.await_quiet(milliseconds(200));
  expect_notice(exam, all.self, highest, limit);
}

// A coordinator dies, and comes back, twice: the program follows it again, so that it notices its
// second death; and asks it again.
void follows_returner(Exam& exam) {
  const AboveFake all = start_above_fake(exam);
  const NodeId self = all.self;
  const NodeId highest = add_coordinator(exam, self);
  std::optional<Finding> otherwise;
  for (int i = 0; i < 2; ++i) {
    expect_notice(exam, self, highest, notice_limit(exam), otherwise);
    otherwise = fault("returner-ignored", self, highest, notice_limit(exam));
    exam.await([&] { return exam.links.coordinator_of(self) == self; }, election_limit(exam));
    exam.await_quiet(silence_limit(exam));
    exam.fakes.add_as(highest);
    let_coordinate(exam, self, highest);
  }
  expect_question(exam, all, highest);
}

}  // namespace bully::checks
