// checks_clusters.cc: several processes of the program: their agreement at the start, after a
// death, after a return, after a stop; and its cost.
#include <algorithm>
#include <array>
#include <chrono>

#include "grade/checks.h"

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

Ids without_highest(Ids ids, std::size_t how_many = 1) {
  ids.resize(ids.size() - how_many);
  return ids;
}

Duration until_agreed(const Exam& exam) {
  return notice_limit(exam) + election_limit(exam);
}

struct Work {
  std::size_t pings = 0;
  Duration processor{0};
};

// That all of these have done so far.
Work work_of(Exam& exam, const Ids& ids) {
  Work sum;
  for (const NodeId id : ids) {
    sum.pings += exam.pings_from(id);
    for (const ProcessState& one : exam.tree_of(id)) sum.processor += one.processor;
  }
  return sum;
}

}  // namespace

void agrees_in_sizes(Bench& bench) {
  Ids good;
  Ids bad;
  std::optional<Finding> first;
  for (const std::size_t size : sizes) {
    try {
      start_cluster(bench.fresh(), size);
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

void elects_when_killed(Bench& bench) {
  constexpr std::size_t count = 4;
  for (std::size_t rank = 0; rank + 1 < count; ++rank) {
    Exam& exam = bench.fresh();
    const Ids ids = start_cluster(exam, count);
    force_election(exam, ids, ids[rank]);
    expect_agreement(exam, without_highest(ids), until_agreed(exam));
  }
}

void elects_when_two_killed(Exam& exam) {
  const Ids ids = start_cluster(exam, 5);
  exam.kill(ids[4]);
  exam.kill(ids[3]);
  expect_agreement(exam, without_highest(ids, 2), until_agreed(exam));
}

void last_is_coordinator(Exam& exam) {
  const Ids ids = start_cluster(exam, 2);
  const std::size_t since = exam.now();
  exam.kill(ids[1]);
  // The fake below receives it.
  expect_sent(exam, {Role::announces, ids[0], {}, since}, until_agreed(exam),
              fault("no-coordinator", ids[0], ids[0]));
}

void highest_returns(Bench& bench) {
  {
    // Under a lower coordinator, which asks no process: only the new process's own election
    // announces it.
    Exam& exam = bench.fresh();
    const auto [below, self] = start_above_fake(exam);
    exam.rest(milliseconds(200));
    exam.kill(self);
    exam.let_coordinate(below);
    exam.let_act(below, Part::silent);
    const std::size_t since = exam.now();
    exam.start_again(self);
    const Duration limit = election_limit(exam);
    expect_sent(exam, {Role::announces, self, {}, since}, limit,
                fault("silent-returner", self, below, limit));
  }
  Exam& exam = bench.fresh();
  const Ids ids = start_cluster(exam, 3);
  exam.kill(ids[2]);
  expect_agreement(exam, without_highest(ids), until_agreed(exam));
  exam.start_again(ids[2]);
  const Finding ignored = fault("returner-ignored", ids[2], without_highest(ids));
  if (!exam.await([&] { return exam.agree(ids); }, until_agreed(exam))) throw ignored;
  // A process that ignores it asks again and again.
  try {
    exam.await_quiet(settling_time(exam));
  } catch (const Finding& finding) {
    throw finding.diagnosis == "election-storm" ? ignored : finding;
  }
  // The process whose death the lowest one detects shows which one it follows: not the coordinator
  // before.
  std::size_t since = exam.now();
  exam.kill(ids[1]);
  if (exam.await_election(ids[0], since, notice_limit(exam))) throw ignored;
  since = exam.now();
  exam.kill(ids[2]);
  if (!exam.await_election(ids[0], since, until_agreed(exam))) throw ignored;
}

void lowest_returns(Exam& exam) {
  const Ids ids = start_cluster(exam, 3);
  exam.kill(ids[0]);
  exam.rest(milliseconds(100));
  exam.start_again(ids[0]);
  if (exam.await([&] { return exam.agree(ids); }, until_agreed(exam))) return;
  throw fault("lost-lamb", ids[0], ids[2]);
}

// The time for which a stopped process is assumed alive is unknown: its backlog may have to fill up
// first.
void elects_when_stopped(Exam& exam) {
  const Ids ids = start_cluster(exam, 3);
  const Ids others = without_highest(ids);
  exam.stop(ids[2]);
  const Duration limit = exam.settings().longest_wait;
  if (!exam.await([&] { return exam.agree(others); }, limit)) {
    throw fault("hung-coordinator-unseen", ids[2], others, limit);
  }
  exam.resume(ids[2]);
  expect_agreement(exam, ids, until_agreed(exam) + election_limit(exam));
}

void compares_numbers(Bench& bench) {
  {
    // An id that is no process's PID. A program that looks for it among the PIDs might signal a
    // process that it finds, and small ids are PIDs of the system.
    Exam& exam = bench.fresh();
    const auto [below, self] = start_above_fake(exam);
    const NodeId highest = exam.fake_named(nobodys_pid);
    exam.let_coordinate(highest);
    let_settle(exam, self);
    const std::size_t since = exam.now();
    exam.say(below, self, Role::asks);
    expect_sent(exam, {Role::asks, self, highest, since}, answer_limit(exam),
                fault("asks-the-pid", self, highest));
  }
  Exam& exam = bench.fresh();
  const NodeId below = exam.fake_named(7);
  const Ids ids = {8, 9, 10};
  for (const NodeId id : ids) {
    exam.start(id);
    let_announce(exam, id);
  }
  // For a program that holds no election when it comes back.
  if (!exam.agree(ids)) exam.say(below, ids[0], Role::asks);
  try {
    expect_agreement(exam, ids, until_agreed(exam));
    exam.kill(ids[2]);
    expect_agreement(exam, without_highest(ids), until_agreed(exam));
  } catch (const Finding&) {
    const bool is_lower_followed = std::ranges::any_of(ids, [&](NodeId id) {
      const auto coordinator = exam.coordinator_of(id);
      return coordinator == ids[1] || coordinator == ids[0];
    });
    if (!is_lower_followed || !std::ranges::binary_search(exam.live(), ids[2])) throw;
    throw fault("ids-compared-as-text", who_follows_whom(exam, ids));
  }
}

// A question and its answer together take half of the program's wait for an answer.
void stands_delays(Exam& exam) {
  const Ids ids = start_cluster(exam, 4);
  exam.delay(*exam.waits().least_answer / 4);
  exam.kill(ids[3]);
  expect_agreement(exam, without_highest(ids), until_agreed(exam) + election_limit(exam));
}

// Forced to begin with the lowest, which is the worst case; it costs no more if all detect the
// crash.
void costs_little(Exam& exam) {
  constexpr std::size_t count = 5;
  constexpr std::size_t textbook = count * (count - 1) / 2;
  const Ids ids = start_cluster(exam, count);
  const std::size_t since = exam.now();
  const Time began = monotonic_now();
  force_election(exam, ids, ids[0]);
  expect_agreement(exam, without_highest(ids), until_agreed(exam));
  const std::size_t asked = exam.count_sent({Role::asks, {}, {}, since});
  if (asked > 2 * textbook) {
    throw fault("election-storm", asked, monotonic_now() - began);
  }
}

void is_idle(Exam& exam) {
  const Ids ids = start_cluster(exam, 3);
  exam.rest(milliseconds(300));
  const std::size_t since = exam.now();
  const Time began = monotonic_now();
  const Work before = work_of(exam, ids);
  const Duration detection = exam.waits().detection.value_or(seconds(1));
  const Time end = began + std::clamp<Duration>(2 * detection, seconds(1), seconds(5));
  double running = 0;
  double samples = 0;
  // It runs, or waits for a processor.
  const auto is_running = [](const ProcessState& one) { return one.letter == 'R'; };
  for (; monotonic_now() < end; exam.rest(sampling_interval)) {
    for (const NodeId id : ids) {
      running += std::ranges::any_of(exam.tree_of(id), is_running) ? 1 : 0;
      samples += 1;
    }
  }
  const double time_s = std::chrono::duration<double>(monotonic_now() - began).count();
  const Work after = work_of(exam, ids);
  const std::size_t asked = exam.count_sent({Role::asks, {}, {}, since});
  if (asked > 0) throw fault("false-suspicion", asked, monotonic_now() - began);
  const auto each = static_cast<double>(ids.size());
  const double rate = static_cast<double>(after.pings - before.pings) / time_s / each;
  const double share =
      std::chrono::duration<double>(after.processor - before.processor).count() / time_s / each;
  const bool is_busy =
      rate > most_pings_per_second || share > most_processor || running > most_running * samples;
  if (!is_busy) return;
  throw fault("busy-loop", static_cast<int>(rate), static_cast<int>(share * 100),
              static_cast<int>(running / samples * 100));
}

void mixes(Exam& exam, bool is_ours_highest) {
  Ids ids;
  for (const bool is_ours : {is_ours_highest, !is_ours_highest, is_ours_highest}) {
    ids.push_back(exam.start({}, is_ours));
    let_announce(exam, ids.back());
  }
  expect_agreement(exam, ids, until_agreed(exam) + seconds(2));
  exam.kill(ids[2]);
  expect_agreement(exam, without_highest(ids), until_agreed(exam) + seconds(2));
}

}  // namespace bully::checks
