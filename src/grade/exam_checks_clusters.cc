// exam_checks_clusters.cc: several processes of the program: their agreement at the start, after a
// death, after a return, after a stop; and its cost.
#include <algorithm>
#include <array>
#include <chrono>

#include "grade/exam_checks.h"

namespace bully::checks {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::array<std::size_t, 3> sizes = {2, 3, 5};
// At a higher rate an idle process counts as busy.
constexpr double most_pings_per_second = 200;
constexpr double most_processor = 0.3;
// On a busy machine such a process gets little of a processor, but is always ready for it.
constexpr double most_running = 0.6;
constexpr milliseconds sampling_interval(25);
// Of a program in a slow language, which starts a thread for it.
constexpr Duration processor_for_a_ping = std::chrono::microseconds(500);
constexpr std::size_t pings_in_burst = 100;
constexpr std::size_t pings_at_once = 5;
constexpr std::size_t empties_at_once = 3;

Ids without_highest(Ids ids, std::size_t how_many = 1) {
  ids.resize(ids.size() - how_many);
  return ids;
}

Duration until_agreed(const Exam& exam) {
  return notice_limit(exam) + election_limit(exam);
}

// A coordinator may answer a question by COORDINATOR alone.
bool has_answered(const Exam& exam, NodeId self, NodeId asker, std::size_t since) {
  return exam.links.sent({Role::answers, self, asker, since}) ||
         exam.links.sent({Role::announces, self, asker, since});
}

bool answers(Exam& exam, NodeId self, NodeId asker, std::size_t since) {
  return exam.await([&] { return has_answered(exam, self, asker, since); }, answer_limit(exam));
}

// The work of a process so far, and its holdings.
struct Work {
  std::size_t pings = 0;
  std::size_t pings_got = 0;
  Duration processor{0};
  std::size_t descriptors = 0;
  std::size_t zombies = 0;
  std::size_t mebibytes = 0;
};

Work work_of(Exam& exam, NodeId id) {
  Work sum = {.pings = exam.links.pings_from(id), .pings_got = exam.links.pings_to(id)};
  std::int64_t pages = 0;
  for (const ProcessState& one : exam.processes.tree_of(id)) {
    sum.processor += one.processor;
    if (one.letter == 'Z') ++sum.zombies;
    sum.descriptors += descriptors_of(one.pid);
    pages += one.memory_pages;
  }
  sum.mebibytes = static_cast<std::size_t>(pages * sysconf(_SC_PAGESIZE) >> 20);
  return sum;
}

}  // namespace

void agrees_in_sizes(Exams& exams) {
  Ids good;
  Ids bad;
  std::optional<Finding> first;
  for (const std::size_t size : sizes) {
    try {
      start_cluster(exams.next(), size);
      good.push_back(size);
    } catch (const Finding& finding) {
      bad.push_back(size);
      if (!first) first = finding;
      if (finding.diagnosis == "died") throw;
      if (size != sizes.front()) break;
    }
  }
  if (!first) return;
  // Two are hardly a cluster: there is only one receiver.
  if (std::ranges::count(good, 3U) > 0) throw fault("hard-coded-cluster", good, bad);
  throw *first;
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
  if (count > 0) throw fault("false-suspicion", count, time);
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
  if (!answers(exam, ids[0], asker, asked)) {
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
  // A message has reached it before it reads it.
  exam.await_quiet(silence_limit(exam));
  const auto has_passed = [&](Role role, NodeId from, NodeId to) {
    return exam.links.sent({role, from, to, since}).has_value();
  };
  const bool has_asked = has_passed(Role::asks, ids[0], ids[2]);
  const bool is_answered = has_passed(Role::answers, ids[2], ids[0]);
  if (has_asked && is_answered && exam.links.sent({Role::announces, ids[0], {}, since})) {
    throw fault("deaf-at-start", ids[0], ids[2]);
  }
  if (agree) return;
  if (!has_asked) throw fault("lost-lamb", ids[0], ids[2]);
  // It did its part.
  if (!is_answered) throw fault("answers-nothing", ids[2], ids[0], until_agreed(exam));
  throw fault("no-coordinator", ids[0], ids[2]);
}

// The time for which a stopped process is assumed alive is unknown: its backlog may have to fill up
// first.
void elects_when_stopped(Exam& exam) {
  const Ids ids = start_cluster(exam, 3);
  const Ids others = without_highest(ids);
  exam.processes.stop(ids[2]);
  const Duration limit = exam.settings.longest_wait;
  if (!exam.await([&] { return exam.links.agree(others); }, limit)) {
    throw fault("hung-coordinator-unseen", ids[2], others, limit);
  }
  exam.processes.resume(ids[2]);
  expect_agreement(exam, ids, until_agreed(exam) + election_limit(exam));
}

// An id that is no process's PID. A program that looks for it among the PIDs might signal a process
// that it finds, and small ids are PIDs of the system.
static void asks(Exam& exam, NodeId highest) {
  const auto [below, self] = start_above_fake(exam);
  exam.fakes.add_as(highest);
  let_coordinate(exam, self, highest);
  const std::size_t since = exam.links.now();
  exam.fakes.start(below);
  // Given ids are no PIDs either, and it has asked processes with such ids.
  const bool is_by_pid = highest == nobodys_pid && !exam.settings.with_id;
  expect_sent(exam, {Role::asks, self, highest, since}, answer_limit(exam),
              is_by_pid ? fault("asks-the-pid", self, highest)
                        : fault("no-election-when-asked", self, below, highest));
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
  for (const NodeId id : {10U, 9U, 8U}) {
    start_settled(exam, id);
  }
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
  for (const Record& one : exam.links.records()) {
    if (one.event != TraceEvent::send || one.type->role != Role::asks) continue;
    if (one.from > one.to) throw fault("asks-lower", one.from, one.to);
  }
  const std::size_t asked = exam.links.count_sent({Role::asks, {}, {}, since});
  if (asked > 2 * textbook) {
    throw fault("election-storm", asked, monotonic_now() - began);
  }
}

// Each by itself: the mean would hide a single process that spins. Work for the pings of others is
// no fault.
static void expect_idle(Exam& exam, const Ids& ids) {
  const std::size_t since = exam.links.now();
  const Time began = monotonic_now();
  const auto work = [&](NodeId id) { return work_of(exam, id); };
  const std::vector<Work> before = list_of(ids, work);
  const Duration detection = exam.waits().detection.value_or(seconds(1));
  const Time end = began + std::clamp<Duration>(2 * detection, seconds(1), seconds(5));
  std::vector<double> running(ids.size());
  double samples = 0;
  // It runs, or waits for a processor.
  const auto is_running = [](const ProcessState& one) { return one.letter == 'R'; };
  for (; monotonic_now() < end; exam.rest(sampling_interval)) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      running[i] += std::ranges::any_of(exam.processes.tree_of(ids[i]), is_running) ? 1 : 0;
    }
    samples += 1;
  }
  if (samples == 0) throw Unclear("busy");
  const double time_s = std::chrono::duration<double>(monotonic_now() - began).count();
  const std::size_t asked = exam.links.count_sent({Role::asks, {}, {}, since});
  if (asked > 0) throw fault("false-suspicion", asked, monotonic_now() - began);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Work after = work_of(exam, ids[i]);
    const double rate = static_cast<double>(after.pings - before[i].pings) / time_s;
    const Duration for_pings = processor_for_a_ping * (after.pings_got - before[i].pings_got);
    const double share =
        std::chrono::duration<double>(after.processor - before[i].processor - for_pings).count() /
        time_s;
    const double runs = running[i] / samples;
    if (rate <= most_pings_per_second && share <= most_processor && runs <= most_running) continue;
    throw fault("busy-loop", ids[i], static_cast<int>(rate),
                static_cast<int>(std::max(share, 0.0) * 100), static_cast<int>(runs * 100));
  }
}

// Throws a Finding if it has kept more than it had before these messages.
static void expect_no_growth(NodeId id, std::size_t messages, const Work& before,
                             const Work& after) {
  const auto growth = [&](std::size_t Work::*what) {
    return after.*what - std::min(after.*what, before.*what);
  };
  // Its own pings as well: of these it has sent fewer.
  const std::size_t most = std::clamp<std::size_t>(growth(&Work::pings) / 2, 8, pings_in_burst / 2);
  const std::size_t descriptors = growth(&Work::descriptors);
  const std::size_t zombies = growth(&Work::zombies);
  const std::size_t mebibytes = growth(&Work::mebibytes);
  if (descriptors < most && zombies < most && mebibytes < pings_in_burst / 2) return;
  throw fault("leak", id, messages, descriptors, zombies, mebibytes);
}

// Pings and empty connections to a follower, and questions to the coordinator, which answers each.
// Nothing may be left of them: neither a connection nor a child, and little memory. The first
// hundreds may fill a store for later ones; so only further growth counts.
static void expect_no_leak(Exam& exam, NodeId asker, NodeId follower, NodeId coordinator) {
  constexpr std::size_t steps = pings_in_burst / pings_at_once;
  std::size_t questions = 0;
  std::size_t since = exam.links.now();
  const Ids ids = {follower, coordinator};
  std::vector<Work> before;
  std::vector<Work> after;
  for (int burst = 0; burst < 3; ++burst) {
    questions = 0;
    for (std::size_t step = 0; step < steps; ++step) {
      exam.fakes.ping(follower, pings_at_once);
      for (std::size_t i = 0; i < empties_at_once; ++i) {
        exam.fakes.send_bytes(follower, "", Ending::closed);
      }
      // A slow process gets fewer questions.
      if (step == 0 || has_answered(exam, coordinator, asker, since)) {
        since = exam.links.now();
        exam.fakes.send_role(asker, coordinator, Role::asks);
        ++questions;
      }
      exam.rest(milliseconds(20));
    }
    exam.await_quiet(std::max<Duration>(seconds(2), silence_limit(exam)));
    before = std::exchange(after, list_of(ids, [&](NodeId id) { return work_of(exam, id); }));
  }
  const std::size_t received = pings_in_burst + empties_at_once * steps;
  expect_no_growth(follower, received, before[0], after[0]);
  expect_no_growth(coordinator, questions, before[1], after[1]);
  // By now it has answered many.
  since = exam.links.now();
  exam.fakes.send_role(asker, coordinator, Role::asks);
  if (!answers(exam, coordinator, asker, since)) {
    throw fault("answers-nothing", coordinator, asker, answer_limit(exam));
  }
  exam.await_quiet(silence_limit(exam));
}

void is_idle(Exam& exam) {
  const NodeId asker = exam.fakes.add();
  const Ids ids = start_cluster(exam, 3);
  survive("killed-by-garbage", "", [&] {
    for (const NodeId id : ids) exam.fakes.send_bytes(id, "", Ending::closed);
    exam.rest(milliseconds(300));
  });
  // A process that closes no connection seems dead to its followers; so this comes first.
  expect_no_leak(exam, asker, ids.front(), ids.back());
  expect_idle(exam, ids);
}

static bool answers_to(Exam& exam, NodeId asker, NodeId self, std::string_view further_fields) {
  const std::size_t since = exam.links.now();
  exam.fakes.send_bytes(self, "E;" + text_of(asker) + std::string(further_fields), Ending::closed);
  return answers(exam, self, asker, since);
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
