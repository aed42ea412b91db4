// checks_rules.cc: one process of the program between fakes: its waits, and the textbook's rules
// that concern one process alone.
#include <algorithm>
#include <chrono>

#include "grade/checks.h"

namespace bully::checks {

namespace {

using std::chrono::milliseconds;

constexpr int measurements = 3;
// A burst of ELECTIONs, all while one election is held.
constexpr int burst = 5;

// A process of the program, and fakes below and above it, by their ids, from the lowest.
struct Between {
  NodeId below;
  NodeId other_below;
  NodeId self;
  NodeId above;
};

Between set_up(Exam& exam, Part above = Part::silent) {
  return {exam.fake(), exam.fake(), exam.start(), exam.fake(above)};
}

// A coordinator above all, with time for the program's process to follow it.
NodeId add_coordinator(Exam& exam, const Between& all) {
  const NodeId highest = exam.fake();
  exam.let_coordinate(highest);
  let_settle(exam, all.self);
  return highest;
}

void keep_longest(std::optional<Duration>& longest, Duration measured) {
  longest = std::max(longest.value_or(Duration(0)), measured);
}

// It has to hold an election when `highest` dies. `otherwise`: the fault, if not that it holds
// none.
Record expect_notice(Exam& exam, NodeId self, NodeId highest, Duration at_most,
                     const std::optional<Finding>& otherwise = {}) {
  const std::size_t since = exam.now();
  exam.end_fake(highest);
  if (const auto first = exam.await_election(self, since, at_most)) return *first;
  throw otherwise.value_or(fault("no-election", self, highest, at_most));
}

}  // namespace

// The coordinator dies; the next higher one is silent. So both waits are measured at once.
void notices(Exam& exam) {
  MeasuredWaits& waits = exam.waits();
  waits = {.coordinator = waits.coordinator};
  const Between all = set_up(exam);
  const Duration longest = exam.settings().longest_wait;
  for (int i = 0; i < measurements; ++i) {
    const NodeId highest = add_coordinator(exam, all);
    const std::size_t since = exam.now();
    const Time death = monotonic_now();
    const Record first = expect_notice(exam, all.self, highest, longest);
    keep_longest(waits.detection, Duration(first.t_ns) - death);
    const Record announced = expect_sent(exam, {Role::announces, all.self, {}, since}, longest,
                                         fault("no-coordinator", all.self, all.self));
    if (!exam.sent({Role::asks, all.self, all.above, since})) {
      throw fault("wrong-coordinator", all.self, all.above);
    }
    const Duration waited(announced.t_ns - first.t_ns);
    keep_longest(waits.answer, waited);
    waits.least_answer = std::min(waits.least_answer.value_or(waited), waited);
  }
}

// The higher fake answers, and is silent from then on.
void waits_again(Exam& exam) {
  std::optional<Duration>& wait = exam.waits().coordinator;
  wait.reset();
  const Between all = set_up(exam);
  const Duration longest = exam.settings().longest_wait;
  for (int i = 0; i < measurements; ++i) {
    exam.let_act(all.above, Part::answers);
    const NodeId highest = add_coordinator(exam, all);
    std::size_t since = exam.now();
    expect_notice(exam, all.self, highest, notice_limit(exam));
    const Finding wrong = fault("wrong-coordinator", all.self, all.above);
    const Record answered =
        expect_sent(exam, {Role::answers, all.above, all.self, since}, answer_limit(exam), wrong);
    const Time asked(answered.t_ns);
    since = exam.now();
    const auto again = exam.await_election(all.self, since, longest);
    if (!again) throw fault("answerer-dies", all.self, all.above, longest);
    // A process that got an ANSWER has lost this election: it asks once more before it may win.
    if (again->type->role == Role::announces) throw wrong;
    keep_longest(wait, Duration(again->t_ns) - asked);
    // The election ends: another fake above all is coordinator.
    exam.let_act(all.above, Part::silent);
  }
}

// The coordinator lives, and no fault occurs.
void is_patient(Exam& exam) {
  const Between all = set_up(exam);
  add_coordinator(exam, all);
  const std::size_t since = exam.now();
  const Duration time = std::max<Duration>(3 * *exam.waits().detection, milliseconds(1'500));
  if (!exam.await_election(all.self, since, time)) return;
  throw fault("false-suspicion", exam.count_sent({Role::asks, all.self, {}, since}), time);
}

void answers(Exam& exam) {
  const Between all = set_up(exam);
  add_coordinator(exam, all);
  const std::size_t since = exam.now();
  exam.say(all.below, all.self, Role::asks);
  const Duration limit = answer_limit(exam);
  if (exam.await_sent({Role::answers, all.self, all.below, since}, limit)) return;
  if (exam.answered_on_same_connection()) {
    throw fault("answers-on-same-connection", all.self, all.below);
  }
  throw fault("answers-nothing", all.self, all.below, limit);
}

void holds_own_election(Exam& exam) {
  const Between all = set_up(exam);
  const NodeId highest = add_coordinator(exam, all);
  const std::size_t since = exam.now();
  exam.say(all.below, all.self, Role::asks);
  expect_sent(exam, {Role::asks, all.self, highest, since}, answer_limit(exam),
              fault("no-election-when-asked", all.self, all.below, highest));
}

// While the highest is silent an election goes on: further ELECTIONs are answered and start none.
void holds_one_election(Exam& exam) {
  const Between all = set_up(exam);
  const NodeId highest = add_coordinator(exam, all);
  exam.let_act(highest, Part::silent);
  const std::size_t since = exam.now();
  for (int i = 0; i < burst; ++i) exam.say(all.below, all.self, Role::asks);
  const Sendings questions = {Role::asks, all.self, highest, since};
  const auto asked = exam.await_sent(questions, answer_limit(exam));
  if (!asked) throw Unclear("no_election");
  const Duration most = *exam.waits().least_answer * 4 / 5;
  const std::int64_t asked_ns = asked->t_ns;
  exam.await_sent({Role::announces, all.self, {}, since}, most);
  const auto count = std::ranges::count_if(exam.records(), [&](const Record& one) {
    return questions.have(one) && one.t_ns >= asked_ns && one.t_ns <= asked_ns + most.count();
  });
  if (count > 1) throw fault("election-storm", count, most);
}

// While it waits for the highest, another process asks: its ANSWER must come well before the wait
// is over. A single late ANSWER may be the machine's fault, and so may a late question.
void hears_while_electing(Exam& exam) {
  const Between all = set_up(exam);
  const Duration most = *exam.waits().least_answer * 3 / 5;
  NodeId highest = 0;
  bool is_asked_in_time = false;
  for (int i = 0; i < measurements; ++i) {
    highest = add_coordinator(exam, all);
    exam.let_act(highest, Part::silent);
    std::size_t since = exam.now();
    exam.say(all.below, all.self, Role::asks);
    const auto question =
        exam.await_sent({Role::asks, all.self, highest, since}, answer_limit(exam));
    if (!question) throw Unclear("no_election");
    const Time begun = Time(question->t_ns);
    exam.say(all.other_below, all.self, Role::asks);
    if (monotonic_now() - begun < most / 2) is_asked_in_time = true;
    const auto answer =
        exam.await_sent({Role::answers, all.self, all.other_below, since}, answer_limit(exam));
    if (answer && Time(answer->t_ns) - begun <= most) return;
    exam.end_fake(highest);
    exam.await_quiet(settling_time(exam));
  }
  if (!is_asked_in_time) throw Unclear("no_election");
  throw fault("deaf-in-election", all.self, all.other_below, highest);
}

// A lower process announces itself as coordinator, and shows that it lives. A process that believes
// it does not see the true coordinator die.
void ignores_lower(Exam& exam) {
  const Between all = set_up(exam, Part::coordinator);
  const NodeId highest = add_coordinator(exam, all);
  exam.let_coordinate(all.below);
  exam.let_act(all.below, Part::silent);
  let_settle(exam, all.self);
  exam.await_quiet(milliseconds(200));
  const Duration limit = notice_limit(exam);
  expect_notice(exam, all.self, highest, limit,
                fault("usurper-accepted", all.self, all.below, highest, limit));
}

// A process announces itself as coordinator, and dies at that moment.
void leaves_the_dead(Exam& exam) {
  const Between all = set_up(exam, Part::coordinator);
  const NodeId highest = add_coordinator(exam, all);
  const NodeId dead = exam.fake();
  const std::size_t since = exam.now();
  exam.say(dead, all.self, Role::announces);
  exam.end_fake(dead);
  // It either detects that, or has never followed it.
  exam.await_election(all.self, since, notice_limit(exam));
  let_settle(exam, all.self);
  exam.await_quiet(milliseconds(200));
  expect_notice(exam, all.self, highest, notice_limit(exam));
}

}  // namespace bully::checks
