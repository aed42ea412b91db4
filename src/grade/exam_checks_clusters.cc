// exam_checks_clusters.cc: several processes of the program: their agreement at the start, after a
// death, after a return, after a stop; and its messages.
#include <algorithm>
#include <array>
#include <chrono>

#include "grade/exam_checks.h"

namespace bully::checks {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t usual_size = 3;
constexpr std::array<std::size_t, 3> sizes = {2, usual_size, 5};

Ids without_highest(Ids ids, std::size_t how_many = 1) {
  ids.resize(ids.size() - how_many);
  return ids;
}

Duration until_agreed(const Exam& exam) {
  return notice_limit(exam) + election_limit(exam);
}

}  // namespace

// Two are hardly a cluster: there is only one receiver. A fixed number leaves processes out. So if
// these faults show in other sizes, but not with three processes, the number is at fault.
void agrees_in_sizes(Exams& exams) {
  constexpr auto of_fixed_number = std::to_array<Diagnosis>(
      {"untold", "no-coordinator", "two-coordinators", "wrong-coordinator"});
  Ids good;
  Ids bad;
  for (const std::size_t size : sizes) {
    try {
      start_cluster(exams.next(), size);
      good.push_back(size);
    } catch (const Finding& finding) {
      const bool leaves_out = std::ranges::count(of_fixed_number, finding.diagnosis) > 0;
      if (!leaves_out || size == usual_size) throw;
      bad.push_back(size);
    }
  }
  if (!bad.empty()) throw fault("hard-coded-cluster", good, bad);
}

void elects_when_killed(Exams& exams) {
  constexpr std::size_t count = 4;
  for (std::size_t rank = 0; rank + 1 < count; ++rank) {
    Exam& exam = exams.next();
    const Ids ids = start_cluster(exam, count);
    // A question and its answer together take a quarter of the program's wait for an answer.
    const auto most = std::min<Duration>(*exam.waits().least_answer / 8, milliseconds(50));
    exam.links.delay(most, exam.settings.seed + rank);
    force_election(exam, ids, ids[rank]);
    expect_agreement(exam, without_highest(ids), until_agreed(exam));
  }
}

void elects_when_two_killed(Exam& exam) {
  const Ids ids = start_cluster(exam, 5);
  exam.processes.kill(ids[4]);
  exam.processes.kill(ids[3]);
  const Ids left = without_highest(ids, 2);
  expect_agreement(exam, left, until_agreed(exam));
  // They forget the dead. A coordinator may repeat its own announcement, as a heartbeat.
  const Duration time = std::max<Duration>(seconds(2), 2 * *exam.waits().detection);
  const std::size_t since = exam.links.now();
  exam.rest(time);
  std::size_t count = exam.links.count_sent({.since = since});
  count -= exam.links.count_sent({Role::announces, left.back(), {}, since});
  if (count == 0) return;
  exam.judge_suspicions();
  throw fault("false-suspicion", count, time);
}

void last_is_coordinator(Exam& exam) {
  const Ids ids = start_cluster(exam, 2);
  const std::size_t since = exam.links.now();
  exam.processes.kill(ids[1]);
  // A fake below receives it.
  const Record announced = expect_sent(exam, {Role::announces, ids[0], {}, since},
                                       until_agreed(exam), fault("no-coordinator", ids[0], ids[0]));
  exam.await_quiet(silence_limit(exam));
  // A coordinator answers as well. Its COORDINATOR ends the asker's election just so.
  const NodeId asker = announced.to;
  const std::size_t asked = exam.links.now();
  exam.fakes.start(asker);
  if (!await_answer(exam, ids[0], asker, asked)) {
    throw fault("answers-nothing", ids[0], asker, answer_limit(exam));
  }
  expect_sent(exam, {Role::announces, ids[0], asker, asked}, election_limit(exam),
              fault("no-coordinator", asker, ids[0]));
}

void highest_returns(Exams& exams) {
  {
    // Under a lower coordinator, which asks no process: only the new process's own election
    // announces it.
    Exam& exam = exams.next();
    const auto [below, self] = start_above_fake(exam);
    exam.rest(milliseconds(200));
    exam.processes.kill(self);
    exam.fakes.coordinate(below);
    const std::size_t since = exam.links.now();
    exam.processes.start_again(self);
    const Duration limit = election_limit(exam);
    expect_sent(exam, {Role::announces, self, {}, since}, limit,
                fault("silent-returner", self, below, limit));
  }
  Exam& exam = exams.next();
  const Ids ids = start_cluster(exam, 3);
  exam.processes.kill(ids[2]);
  expect_agreement(exam, without_highest(ids), until_agreed(exam));
  exam.processes.start_again(ids[2]);
  expect_agreement(exam, ids, until_agreed(exam));
  follows_returner(exams.next());
}

void lowest_returns(Exam& exam) {
  const Ids ids = start_cluster(exam, 3);
  exam.processes.kill(ids[0]);
  exam.rest(milliseconds(100));
  const std::size_t since = exam.links.now();
  exam.processes.start_again(ids[0]);
  const bool agree = exam.await([&] { return exam.links.agree(ids); }, until_agreed(exam));
  // A message has reached it before it reads it. It may ask without end, if no coordinator answers.
  agree ? exam.await_quiet(silence_limit(exam)) : exam.rest(silence_limit(exam));
  const auto has_asked = exam.links.sent({Role::asks, ids[0], ids[2], since});
  auto answer = answer_of(exam, ids[2], ids[0], since);
  if (answer && has_asked && answer->t_ns < has_asked->t_ns) answer.reset();
  const auto announced = exam.links.sent({Role::announces, ids[0], {}, since});
  if (has_asked && answer && announced && answer->t_ns < announced->t_ns) {
    exam.judge(*exam.waits().least_answer);
    throw fault("deaf-at-start", ids[0], ids[2]);
  }
  if (agree) return;
  if (!has_asked) throw fault("lost-lamb", ids[0], ids[2]);
  // It did its part.
  if (!answer) throw fault("answers-nothing", ids[2], ids[0], until_agreed(exam));
  throw fault("no-coordinator", ids[0], ids[2]);
}

// The time for which a stopped process is assumed alive is unknown: its backlog may have to fill up
// first.
void elects_when_stopped(Exam& exam) {
  const Ids ids = start_cluster(exam, 3);
  const Ids others = without_highest(ids);
  exam.processes.stop(ids[2]);
  const std::size_t since = exam.links.now();
  const Duration limit = exam.settings.longest_wait + election_limit(exam);
  if (!exam.await([&] { return exam.links.agree(others); }, limit)) {
    if (exam.links.sent({.since = since})) throw fault("no-coordinator", others, others.back());
    throw fault("hung-coordinator-unseen", ids[2], others, limit);
  }
  // Otherwise its last COORDINATOR may leave after it has got that of the highest.
  let_announce(exam, others.back(), since);
  exam.processes.resume(ids[2]);
  // No ELECTION may have found room beside the pings that waited for it: then the fake asks.
  if (!exam.await([&] { return exam.links.agree(ids); }, until_agreed(exam))) {
    exam.fakes.start(exam.fakes.live().front());
  }
  expect_agreement(exam, ids, until_agreed(exam) + election_limit(exam));
}

// An id that is no process's PID. A program that looks for it among the PIDs might signal a process
// that it finds, and small ids are PIDs of the system.
static void asks(Exam& exam, NodeId highest) {
  const auto [below, self] = start_above_fake(exam);
  exam.fakes.add_as(highest);
  let_coordinate(exam, self, highest);
  // Given ids are no PIDs either, and it has asked processes with such ids.
  std::optional<Finding> by_pid;
  if (highest == nobodys_pid && !exam.settings.with_id)
    by_pid = fault("asks-the-pid", self, highest);
  expect_question(exam, {below, self}, highest, by_pid);
}

// The longest ids: a process that reads too little of a message, or keeps an id in too few bits,
// answers a shorter id, or none.
static void reads_long_ids(Exam& exam) {
  const NodeId below = exam.fakes.add_as(highest_id - 1);
  const Ids cut = add_beginnings(exam, below);
  const NodeId self = start_settled(exam, highest_id);
  const std::size_t since = exam.links.now();
  exam.fakes.start(below);
  const bool is_answered = await_answer(exam, self, below, since);
  expect_whole_id(exam, self, below, cut, since);
  if (!is_answered) throw fault("answers-nothing", self, below, answer_limit(exam));
}

// Throws a Finding if one has announced itself, and has not asked the highest, which lives: the
// last to start, or the last in the order of texts.
static void expect_compared(const Exam& exam, const Ids& ids) {
  if (!std::ranges::binary_search(exam.processes.live(), ids[2])) return;
  const auto takes_itself_for_highest = [&](NodeId id) {
    return exam.links.sent({Role::announces, id}) && !exam.links.sent({Role::asks, id, ids[2]});
  };
  const std::string followed = who_follows_whom(exam, ids);
  if (takes_itself_for_highest(ids[0])) throw fault("ids-not-compared", followed);
  if (takes_itself_for_highest(ids[1])) throw fault("ids-compared-as-text", followed);
}

// The highest starts first and the lowest last, so that neither the time of the start nor the order
// of texts agrees with the numbers.
void compares_numbers(Exams& exams) {
  asks(exams.next(), nobodys_pid);
  Exam& exam = exams.next();
  const NodeId below = exam.fakes.add_as(7);
  const Ids ids = {8, 9, 10};
  for (const NodeId id : {10U, 9U, 8U}) start_settled(exam, id);
  expect_compared(exam, ids);
  // For a program that starts no election when it comes back.
  if (!exam.links.agree(ids)) exam.fakes.start(below);
  try {
    expect_agreement(exam, ids, until_agreed(exam));
  } catch (const Finding&) {
    expect_compared(exam, ids);
    throw;
  }
  // It comes when all others are there, and hears of the new coordinator like these.
  const NodeId newcomer = exam.fakes.add_as(6);
  const std::size_t since = exam.links.now();
  exam.processes.kill(ids[2]);
  expect_agreement(exam, without_highest(ids), until_agreed(exam));
  expect_sent(exam, {Role::announces, ids[1], newcomer, since}, election_limit(exam),
              fault("untold", ids[1], newcomer));
  asks(exams.next(), highest_id);
  reads_long_ids(exams.next());
}

// A question and its answer together take half of the program's wait for an answer. Twice, with
// other delays: where two messages can overtake each other, one run shows one order.
void survives_delays(Exams& exams) {
  for (const std::uint64_t run : {1U, 2U}) {
    Exam& exam = exams.next();
    const Ids ids = start_cluster(exam, 4);
    exam.links.delay(*exam.waits().least_answer / 4, exam.settings.seed + run);
    exam.processes.kill(ids[3]);
    expect_agreement(exam, without_highest(ids), until_agreed(exam) + election_limit(exam));
  }
}

// Forced to begin with the lowest, which is the worst case; it costs no more if all detect the
// crash.
void costs_little(Exam& exam) {
  constexpr std::size_t count = 5;
  constexpr std::size_t textbook = count * (count - 1) / 2;
  const Ids ids = start_cluster(exam, count);
  const std::size_t since = exam.links.now();
  const Time began = monotonic_now();
  force_election(exam, ids, ids[0]);
  expect_agreement(exam, without_highest(ids), until_agreed(exam));
  for (const Record& one : exam.links.all_sent({Role::asks})) {
    if (one.from > one.to) throw fault("asks-lower", one.from, one.to);
  }
  const std::size_t asked = exam.links.count_sent({Role::asks, {}, {}, since});
  if (asked > 2 * textbook) {
    exam.judge(*exam.waits().least_answer);  // a late ANSWER makes a right program ask again
    throw fault("election-storm", asked, monotonic_now() - began);
  }
  // In the other checks a wrong message explains a failure. Here it is one, even if all goes well.
  if (const auto wrong = exam.links.wrong_message()) throw *wrong;
}

static bool answers_to(Exam& exam, NodeId asker, NodeId self, std::string_view further_fields) {
  const std::size_t since = exam.links.now();
  exam.fakes.send_bytes(self, "E;" + text_of(asker) + std::string(further_fields), Ending::closed);
  return await_answer(exam, self, asker, since);
}

static void agree_with_ours(Exam& exam, bool is_ours_highest) {
  Ids ids;
  for (const bool is_ours : {is_ours_highest, !is_ours_highest, is_ours_highest}) {
    ids.push_back(exam.processes.start({}, is_ours));
    let_settle(exam, ids.back());
  }
  expect_agreement(exam, ids, until_agreed(exam) + seconds(2));
  exam.processes.kill(ids[2]);
  expect_agreement(exam, without_highest(ids), until_agreed(exam) + seconds(2));
}

// A node of this program sends more fields than the fakes do.
static void mix(Exam& exam, bool is_ours_highest) {
  const NodeId asker = exam.fakes.add();
  try {
    agree_with_ours(exam, is_ours_highest);
  } catch (const Finding&) {
    const Ids live = exam.processes.live();
    const auto its =
        std::ranges::find_if_not(live, [&](NodeId id) { return exam.processes.is_ours(id); });
    // In this order: once it has understood a question, it may also announce itself to the asker.
    if (its == live.end() || answers_to(exam, asker, *its, ";12")) throw;
    if (!answers_to(exam, asker, *its, "")) throw;
    throw fault("further-fields", *its, asker);
  }
}

void mixes(Exams& exams) {
  for (const bool is_ours_highest : {false, true}) mix(exams.next(), is_ours_highest);
}

}  // namespace bully::checks
