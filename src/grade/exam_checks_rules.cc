// exam_checks_rules.cc: one process of the program between fakes: its waits, and the textbook's
// rules that concern one process alone.
#include <algorithm>
#include <chrono>

#include "grade/exam_checks.h"

namespace bully::checks {

namespace {

using std::chrono::milliseconds;

constexpr int measurements = 3;
// A burst of ELECTIONs, all during one election.
constexpr std::size_t burst = 5;
// Elections of a process within its wait for ANSWER; more are a storm.
constexpr std::size_t most_elections = 3;
// From ANSWER to the next election: a shorter one is no wait for a COORDINATOR.
constexpr milliseconds least_second_wait(50);
// A live process may have to wait as long for a processor.
constexpr milliseconds least_wait(10);
// For a process to handle a message before its wait for ANSWER is over.
constexpr milliseconds least_rest_of_wait(40);

void keep_longest(std::optional<Duration>& longest, Duration measured) {
  longest = std::max(longest.value_or(Duration(0)), measured);
}

}  // namespace

// Between two of these messages.
static Duration longest_pause_in(const std::vector<Record>& sent) {
  Duration longest{0};
  for (std::size_t i = 1; i < sent.size(); ++i) {
    longest = std::max(longest, Duration(sent[i].t_ns - sent[i - 1].t_ns));
  }
  return longest;
}

// The shortest of these waits. A machine that stands still delays the look at a question, so that
// one wait looks too short: then the next one counts.
static Duration least_of(Exam& exam, std::vector<Duration> waits) {
  std::ranges::sort(waits);
  exam.judge(waits.front());
  const bool is_doubtful = waits.size() > 1 && (waits[0] < waits[1] / 4 || exam.was_machine_busy());
  return waits[is_doubtful ? 1 : 0];
}

// The coordinator dies, once with its name; the next higher one is deaf. So both waits are measured
// at once.
void notices(Exam& exam) {
  MeasuredWaits& waits = exam.waits();
  waits = {.start = waits.start, .coordinator = waits.coordinator};
  std::vector<Duration> waited;
  const Between all = start_between(exam, "deaf");
  const Duration longest = exam.settings.longest_wait;
  for (int i = 0; i < measurements; ++i) {
    const NodeId highest = add_coordinator(exam, all.self);
    const std::size_t since = exam.links.now();
    const Time death = monotonic_now();
    if (i + 1 == measurements) exam.fakes.leave(highest);
    const Record first = expect_notice(exam, all.self, highest, longest);
    keep_longest(waits.detection, Duration(first.t_ns) - death);
    const auto has_asked = [&] {
      return exam.links.sent({Role::asks, all.self, all.above, since}).has_value();
    };
    const auto won = exam.await_sent({Role::announces, all.self, {}, since}, longest);
    // It does win if it is the highest.
    if (!won && has_asked() && exam.links.sent({Role::announces, all.self})) {
      throw fault("waits-for-answer", all.self, all.above, longest);
    }
    if (!won) throw fault("no-coordinator", all.self, all.self);
    exam.judge(longest);
    if (!has_asked()) throw fault("asks-some", all.self, all.above);
    waited.emplace_back(won->t_ns - first.t_ns);
    keep_longest(waits.answer, waited.back());
    waits.least_answer = least_of(exam, waited);
    let_announce(exam, all.self, since);
    const auto has_told = [&](NodeId lower) {
      return exam.links.sent({Role::announces, all.self, lower, since}).has_value();
    };
    if (!has_told(all.below) && !has_told(all.other_below)) {
      throw fault("untold", all.self, Ids{all.below, all.other_below});
    }
    keep_longest(waits.pause,
                 longest_pause_in(exam.links.all_sent({Role::announces, all.self, {}, since})));
  }
}

// A higher process answers each time, and never announces itself. That each such election is
// followed by another is right, and the second wait may be shorter than the first; but a process
// that hardly waits asks without end.
void waits_again(Exam& exam) {
  std::optional<Duration>& wait = exam.waits().coordinator;
  wait.reset();
  const NodeId self = start_above_fake(exam).self;
  const Duration longest = exam.settings.longest_wait;
  NodeId above = 0;
  std::size_t since = 0;
  for (int i = 0; i < measurements; ++i) {
    if (above != 0) exam.fakes.end(above);
    above = exam.fakes.add("answers-only");
    const NodeId highest = add_coordinator(exam, self);
    const std::size_t begun = exam.links.now();
    expect_notice(exam, self, highest, notice_limit(exam));
    const Finding wrong = fault("wrong-coordinator", self, above);
    const Record answered =
        expect_sent(exam, {Role::answers, above, self, begun}, answer_limit(exam), wrong);
    const Time asked(answered.t_ns);
    since = exam.links.now();
    const auto again = exam.await_election(self, since, longest);
    const bool asks_again = again && again->type->role == Role::asks;
    // A process that got an ANSWER has lost this election: it asks once more before it may win. A
    // machine that delays the ANSWER beyond the wait for it lets a right one win.
    if (!asks_again && exam.links.sent({Role::announces, self, {}, begun})) {
      exam.judge(*exam.waits().least_answer);
      throw wrong;
    }
    if (!again) throw fault("answerer-dies", self, above, longest);
    keep_longest(wait, Duration(again->t_ns) - asked);
  }
  if (*wait >= least_second_wait) return;
  const Duration window = *exam.waits().least_answer;
  exam.rest(window);
  exam.judge(window);
  const std::size_t asked = exam.links.count_sent({Role::asks, self, above, since});
  if (asked > most_elections) throw fault("election-storm", asked, window);
}

// The coordinator lives, and no fault occurs; but an ANSWER of an election that is over comes late,
// and a higher process asks by mistake. Then another process dies.
void is_patient(Exam& exam) {
  const Between all = start_between(exam);
  add_coordinator(exam, all.self);
  std::size_t since = exam.links.now();
  exam.fakes.send_role(all.above, all.self, Role::answers);
  exam.fakes.send_role(all.above, all.self, Role::asks);
  const Duration time = std::max<Duration>(3 * *exam.waits().detection, milliseconds(1'500));
  // Its second wait may still go on, if COORDINATOR has not ended that.
  const Duration second_wait = exam.waits().coordinator.value_or(Duration(0)) + milliseconds(500);
  const auto suspected = exam.await_election(all.self, since, std::max(time, second_wait));
  if (exam.links.sent({Role::answers, all.self, all.above, since})) {
    throw fault("answers-higher", all.self, all.above);
  }
  if (suspected) {
    exam.judge_suspicions();
    throw fault("false-suspicion", exam.links.count_sent({.from = all.self, .since = since}), time);
  }
  since = exam.links.now();
  exam.fakes.end(all.other_below);
  exam.fakes.end(all.above);
  if (!exam.await_election(all.self, since, time)) return;
  throw fault("any-death", all.self, all.above);
}

// It follows a coordinator. The first time is no measurement: much is done then for the first time.
// A busy machine makes an ANSWER later, so the quickest one counts.
void answers(Exam& exam) {
  const Between all = start_between(exam);
  add_coordinator(exam, all.self);
  const Duration limit = answer_limit(exam);
  Duration quickest = Duration::max();
  for (int i = 0; i <= measurements; ++i) {
    const std::size_t since = exam.links.now();
    exam.fakes.start(all.below);
    const auto asked = exam.await_sent({Role::asks, all.below, all.self, since}, limit);
    const auto answer = exam.await_sent({Role::answers, all.self, all.below, since}, limit);
    if (!asked) throw Unclear("no_election");
    if (!answer && exam.fakes.answered_on_same_connection()) {
      throw fault("answers-on-same-connection", all.self, all.below);
    }
    if (!answer) throw fault("answers-nothing", all.self, all.below, limit);
    if (i > 0) quickest = std::min(quickest, Duration(answer->t_ns - asked->t_ns));
    exam.await_quiet(milliseconds(100));
  }
  const Duration wait = *exam.waits().least_answer;
  if (wait >= std::max<Duration>(2 * quickest, least_wait)) return;
  // No busy machine makes two waits of three as short; and so much later than allowed was the
  // quickest ANSWER.
  const Duration excess = quickest - wait / 2;
  exam.judge(wait < least_wait ? exam.settings.longest_wait : std::max(wait, excess));
  throw fault("hasty", all.self, text_of(quickest, 4), text_of(wait, 4));
}

void holds_own_election(Exam& exam) {
  const Between all = start_between(exam);
  const NodeId highest = add_coordinator(exam, all.self);
  expect_question(exam, {all.below, all.self}, highest);
}

// While the highest is deaf an election goes on: further ELECTIONs are answered and start none.
void holds_one_election(Exam& exam) {
  const Between all = start_between(exam, "deaf");  // an ANSWER would begin its second wait
  const NodeId highest = add_coordinator(exam, all.self);
  exam.fakes.deviate(highest, "deaf");
  const std::size_t since = exam.links.now();
  exam.fakes.send_role(all.below, all.self, Role::asks, burst);
  const Sendings questions = {Role::asks, all.self, highest, since};
  const auto asked = exam.await_sent(questions, answer_limit(exam));
  if (!asked) throw Unclear("no_election");
  const Duration most = *exam.waits().least_answer * 4 / 5;
  exam.await_sent({Role::announces, all.self, {}, since}, most);
  const auto is_early = [&](const Record& one) { return one.t_ns <= asked->t_ns + most.count(); };
  const auto count = std::ranges::count_if(exam.links.all_sent(questions), is_early);
  exam.judge(most);
  if (count > 1) throw fault("election-storm", count, most);
  // Both above are deaf, so it wins; it may ask one after the other.
  if (!exam.await_sent({Role::announces, all.self, {}, since}, election_limit(exam))) return;
  if (!exam.links.sent({Role::asks, all.self, all.above, since})) {
    throw fault("asks-some", all.self, all.above);
  }
}

// In the midst of its wait for ANSWER, since this moment, the highest announces itself.
static void expect_end_of_wait(Exam& exam, NodeId self, NodeId highest, Time begun) {
  const Duration wait = *exam.waits().least_answer;
  const Duration rest = std::max<Duration>(wait / 5, least_rest_of_wait);
  std::size_t since = exam.links.now();
  exam.fakes.send_role(highest, self, Role::announces);
  const bool is_told = exam.await_arrival({Role::announces, highest, self, since}, wait);
  if (!is_told || monotonic_now() - begun > wait - rest) return;
  since = exam.links.now();
  exam.judge(wait);
  if (exam.await_sent({Role::announces, self, {}, since}, *exam.waits().answer)) {
    throw fault("stale-timer", self, highest);
  }
}

// While it waits for the highest to answer, another process asks: both ANSWERs must come well
// before the wait is over. A single late ANSWER may be the machine's fault, and so may a late
// question.
static void hears_as_candidate(Exam& exam, const Between& all) {
  const Duration most = *exam.waits().least_answer * 3 / 5;
  NodeId highest = 0;
  bool is_asked_in_time = false;
  for (int i = 0; i < measurements; ++i) {
    highest = add_coordinator(exam, all.self);
    exam.fakes.deviate(highest, "deaf");
    const std::size_t since = exam.links.now();
    exam.fakes.start(all.below);
    const auto question =
        exam.await_sent({Role::asks, all.self, highest, since}, answer_limit(exam));
    if (!question) throw Unclear("no_election");
    const Time begun(question->t_ns);
    exam.fakes.start(all.other_below);
    if (monotonic_now() - begun < most / 2) is_asked_in_time = true;
    const auto is_answered_in_time = [&](NodeId asker) {
      const auto answer =
          exam.await_sent({Role::answers, all.self, asker, since}, answer_limit(exam));
      return answer && Time(answer->t_ns) - begun <= most;
    };
    if (is_answered_in_time(all.other_below) && is_answered_in_time(all.below)) {
      return expect_end_of_wait(exam, all.self, highest, begun);
    }
    exam.fakes.end(highest);
    exam.await_quiet(silence_limit(exam));
  }
  exam.judge(most);
  if (!is_asked_in_time) throw Unclear("no_election");
  throw fault("deaf-in-election", all.self, all.other_below, highest);
}

// The same while it waits for the COORDINATOR that an ANSWER has promised.
static void hears_while_waiting(Exam& exam, const Between& all) {
  NodeId above = 0;
  for (int i = 0; i < measurements; ++i) {
    if (above != 0) exam.fakes.end(above);
    above = exam.fakes.add("answers-only");
    let_wait(exam, all.self, above);
    const std::size_t since = exam.links.now();
    exam.fakes.start(all.other_below);
    const auto answer =
        exam.await_sent({Role::answers, all.self, all.other_below, since}, answer_limit(exam));
    const auto next = exam.links.sent({.from = all.self, .since = since});
    if (answer && (!next || answer->t_ns <= next->t_ns)) return;
  }
  exam.judge(*exam.waits().least_answer);
  throw fault("deaf-in-election", all.self, all.other_below, above);
}

// The process that has answered announces itself: neither the wait for that nor the ANSWER counts
// any more, so that the next election, in which no higher process answers, is won.
static void expect_end_of_second_wait(Exam& exam, NodeId self) {
  const NodeId above = exam.fakes.add("answers-only");
  let_wait(exam, self, above);
  exam.fakes.deviate(above, "none");
  let_coordinate(exam, self, above);
  const std::size_t since = exam.links.now();
  const MeasuredWaits& waits = exam.waits();
  const Duration wait = waits.coordinator.value_or(*waits.answer) + milliseconds(300);
  if (exam.await_election(self, since, wait)) {
    exam.judge_suspicions();
    throw fault("stale-timer", self, above);
  }
  for (const NodeId id : exam.fakes.live()) {
    if (id > self) exam.fakes.deviate(id, "deaf");
  }
  const NodeId highest = add_coordinator(exam, self);
  const std::size_t next = exam.links.now();
  expect_notice(exam, self, highest, notice_limit(exam));
  const Duration limit = election_limit(exam);
  expect_sent(exam, {Role::announces, self, {}, next}, limit,
              fault("waits-for-answer", self, above, limit));
}

void hears_while_electing(Exam& exam) {
  const Between all = start_between(exam, "deaf");
  hears_as_candidate(exam, all);
  hears_while_waiting(exam, all);
  expect_end_of_second_wait(exam, all.self);
}

}  // namespace bully::checks
