// exam_checks_idle.cc: processes of the program to which little happens: their work, and that
// nothing is left of a message that is over.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/list.h"
#include "grade/exam_checks.h"

namespace bully::checks {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

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
constexpr int holding_moments = 8;

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
  Work sum = {.pings = exam.links.count_pings(id, {}), .pings_got = exam.links.count_pings({}, id)};
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

std::vector<Work> works_of(Exam& exam, const Ids& ids) {
  return list_of(ids, [&](NodeId id) { return work_of(exam, id); });
}

// The same, with the least holdings of several moments: a child that handles a message has a few
// descriptors until it ends.
std::vector<Work> kept_by(Exam& exam, const Ids& ids) {
  std::vector<Work> kept = works_of(exam, ids);
  for (int moment = 1; moment < holding_moments; ++moment) {
    exam.rest(sampling_interval);
    const std::vector<Work> now = works_of(exam, ids);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      kept[i].descriptors = std::min(kept[i].descriptors, now[i].descriptors);
      kept[i].zombies = std::min(kept[i].zombies, now[i].zombies);
    }
  }
  return kept;
}

// Each by itself: the mean would hide a single process that spins. Work for the pings of others is
// no fault.
void expect_idle(Exam& exam, const Ids& ids) {
  const std::size_t since = exam.links.now();
  const Time began = monotonic_now();
  const std::vector<Work> before = works_of(exam, ids);
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
  if (asked > 0) {
    exam.judge_suspicions();
    throw fault("false-suspicion", asked, monotonic_now() - began);
  }
  const std::size_t told = exam.links.count_sent({Role::announces, {}, {}, since});
  if (told > 0) throw fault("repeats-coordinator", told, monotonic_now() - began);
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
void expect_no_growth(NodeId id, std::size_t messages, const Work& before, const Work& after) {
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
void expect_no_leak(Exam& exam, NodeId asker, NodeId follower, NodeId coordinator) {
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
      if (step == 0 || answer_of(exam, coordinator, asker, since)) {
        since = exam.links.now();
        exam.fakes.send_role(asker, coordinator, Role::asks);
        ++questions;
      }
      exam.rest(milliseconds(20));
    }
    exam.await_quiet(std::max<Duration>(seconds(2), silence_limit(exam)));
    before = std::exchange(after, kept_by(exam, ids));
  }
  const std::size_t received = pings_in_burst + empties_at_once * steps;
  expect_no_growth(follower, received, before[0], after[0]);
  expect_no_growth(coordinator, questions, before[1], after[1]);
  // By now it has answered many.
  since = exam.links.now();
  exam.fakes.send_role(asker, coordinator, Role::asks);
  if (!await_answer(exam, coordinator, asker, since)) {
    throw fault("answers-nothing", coordinator, asker, answer_limit(exam));
  }
  exam.await_quiet(silence_limit(exam));
}

}  // namespace

void is_idle(Exam& exam) {
  const NodeId asker = exam.fakes.add();
  // A connection that is refused leaves nothing either.
  for (int i = 0; i < 2; ++i) exam.fakes.end(exam.fakes.add());
  const Ids ids = start_cluster(exam, 3);
  survive("killed-by-garbage", "", [&] {
    for (const NodeId id : ids) exam.fakes.send_bytes(id, "", Ending::closed);
    exam.rest(milliseconds(300));
  });
  // A process that closes no connection seems dead to its followers; so this comes first.
  expect_no_leak(exam, asker, ids.front(), ids.back());
  expect_idle(exam, ids);
}

}  // namespace bully::checks
