// exam_checks.cc: the list of checks, the limits of their waits, and steps that several share.
#include "grade/exam_checks.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <set>

#include "base/list.h"

namespace bully {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// For a check that needs no more.
template <void (*check)(Exam&)>
void in_one_exam(Exams& exams) {
  check(exams.next());
}

// The points add up to a hundred. Checks of the start and of the waits come first; robustness has
// separate points, apart from the textbook's rules.
constexpr auto all_checks = std::to_array<ExamCheck>({
    {{"starts", 4}, in_one_exam<checks::starts>, true},
    {{"lets-go", 2, {"starts"}}, in_one_exam<checks::lets_go>},
    {{"notices", 7, {"starts"}}, in_one_exam<checks::notices>, true},
    {{"waits-again", 4, {"notices"}}, in_one_exam<checks::waits_again>, true},
    {{"patient", 3, {"notices"}}, in_one_exam<checks::is_patient>},
    {{"answers", 5, {"notices"}}, in_one_exam<checks::answers>},
    {{"own-election", 5, {"notices"}}, in_one_exam<checks::holds_own_election>},
    {{"one-election", 5, {"own-election"}}, in_one_exam<checks::holds_one_election>},
    {{"hears-while-electing", 3, {"answers", "own-election"}},
     in_one_exam<checks::hears_while_electing>},
    {{"lower-coordinator", 4, {"waits-again"}}, in_one_exam<checks::ignores_lower>},
    {{"dead-coordinator", 3, {"notices"}}, in_one_exam<checks::leaves_the_dead>},
    {{"agrees", 6, {"patient"}}, checks::agrees_in_sizes},
    {{"idle", 2, {"agrees"}}, in_one_exam<checks::is_idle>},  // the longest: it begins early
    {{"killed", 8, {"agrees"}}, checks::elects_when_killed},
    {{"two-killed", 4, {"killed"}}, in_one_exam<checks::elects_when_two_killed>},
    {{"last-left", 3, {"agrees"}}, in_one_exam<checks::last_is_coordinator>},
    {{"highest-returns", 5, {"agrees"}}, checks::highest_returns},
    {{"lowest-returns", 4, {"highest-returns"}}, in_one_exam<checks::lowest_returns>},
    {{"stopped", 4, {"agrees"}}, in_one_exam<checks::elects_when_stopped>},
    {{"small-ids", 4, {"own-election", "agrees"}}, checks::compares_numbers},
    {{"delays", 2, {"killed"}}, checks::survives_delays},
    {{"messages", 2, {"killed"}}, in_one_exam<checks::costs_little>},
    {{"mixed", 4, {"killed"}}, checks::mixes},
    {{"silence", 2, {"starts"}}, in_one_exam<checks::survives_silence>},
    {{"garbage", 2, {"starts"}}, in_one_exam<checks::survives_garbage>},
    {{"foreign-file", 1, {"starts"}}, in_one_exam<checks::survives_files>},
    {{"dead-peer", 2, {"starts"}}, in_one_exam<checks::survives_the_dead>},
});

// Between two announcements of one victory.
constexpr seconds longest_pause(1);

// The limit for anything that took this long when it was measured.
constexpr Duration limit_for(Duration measured) {
  return 3 * measured + seconds(1);
}

}  // namespace

std::optional<WaitLimits> limits_of(const MeasuredWaits& waits) {
  if (!waits.detection || !waits.answer) return std::nullopt;
  const Duration start = waits.start.value_or(Duration(0));
  return WaitLimits{limit_for(*waits.detection),
                    limit_for(start + *waits.answer + waits.coordinator.value_or(*waits.answer))};
}

std::span<const ExamCheck> every_check() {
  return all_checks;
}

// --- Shared by the checks ---

namespace checks {

// Before they are measured, no wait takes more than the longest.
static WaitLimits limits(const Exam& exam) {
  const Duration longest = exam.settings.longest_wait;
  return limits_of(exam.waits()).value_or(WaitLimits{longest, longest});
}

Duration notice_limit(const Exam& exam) {
  return limits(exam).notice;
}

Duration election_limit(const Exam& exam) {
  return limits(exam).election;
}

Duration answer_limit(const Exam& exam) {
  const std::optional<Duration>& wait = exam.waits().answer;
  return wait ? limit_for(*wait) : exam.settings.longest_wait;
}

Duration silence_limit(const Exam& exam) {
  const MeasuredWaits& waits = exam.waits();
  return waits.answer.value_or(milliseconds(500)) + milliseconds(200) +
         2 * waits.pause.value_or(Duration(0));
}

Record expect_sent(Exam& exam, const Sendings& wanted, Duration at_most, const Finding& otherwise) {
  const std::optional<Record> sent = exam.await_sent(wanted, at_most);
  if (!sent) throw otherwise;
  return *sent;
}

std::optional<Record> answer_of(const Exam& exam, NodeId self, NodeId asker, std::size_t since) {
  const auto answer = exam.links.sent({Role::answers, self, asker, since});
  return answer ? answer : exam.links.sent({Role::announces, self, asker, since});
}

bool await_answer(Exam& exam, NodeId self, NodeId asker, std::size_t since) {
  const auto has_come = [&] { return answer_of(exam, self, asker, since).has_value(); };
  return exam.await(has_come, answer_limit(exam));
}

std::string who_follows_whom(const Exam& exam, const Ids& ids) {
  return joined(ids, ", ", [&](NodeId id) {
    const auto coordinator = exam.links.coordinator_of(id);
    return text_of(id) + " → " + (coordinator ? text_of(*coordinator) : "?");
  });
}

NodeId start_settled(Exam& exam, std::optional<NodeId> id) {
  const NodeId started = exam.processes.start(id);
  let_settle(exam, started);
  return started;
}

AboveFake start_above_fake(Exam& exam) {
  return {exam.fakes.add(), start_settled(exam)};
}

Ids add_beginnings(Exam& exam, NodeId id) {
  Ids cut;
  for (id /= 10; id >= 10'000; id /= 10) cut.push_back(exam.fakes.add_as(id));
  return cut;
}

void expect_whole_id(const Exam& exam, NodeId self, NodeId asker, const Ids& beginnings,
                     std::size_t since) {
  for (const NodeId id : beginnings) {
    if (exam.links.sent({Role::answers, self, id, since})) {
      throw fault("short-read", self, asker, id);
    }
  }
}

void expect_question(Exam& exam, const AboveFake& all, NodeId highest,
                     const std::optional<Finding>& otherwise) {
  const std::size_t since = exam.links.now();
  exam.fakes.start(all.below);
  if (exam.await_sent({Role::asks, all.self, highest, since}, answer_limit(exam))) return;
  if (otherwise) throw *otherwise;
  const bool has_asked = exam.links.sent({Role::asks, all.self, {}, since}).has_value();
  throw has_asked ? fault("asks-some", all.self, highest)
                  : fault("no-election-when-asked", all.self, all.below, highest);
}

Between start_between(Exam& exam, Deviation above) {
  const NodeId below = exam.fakes.add();
  const NodeId other_below = exam.fakes.add();
  const NodeId self = start_settled(exam);
  return {below, other_below, self, exam.fakes.add(above)};
}

void let_follow(Exam& exam, NodeId id) {
  const auto pings = [&] { return exam.links.count_pings(id, {}); };
  const std::size_t before = pings();
  exam.await([&] { return pings() > before; }, milliseconds(500));
  exam.rest(milliseconds(100));
}

void let_coordinate(Exam& exam, NodeId self, NodeId fake) {
  const std::size_t since = exam.links.now();
  exam.fakes.coordinate(fake);
  const bool is_told = exam.await_arrival({Role::announces, fake, self, since}, seconds(2));
  if (!is_told || !exam.fakes.is_coordinator(fake)) throw Unclear("no_coordinator");
  let_follow(exam, self);
}

NodeId add_coordinator(Exam& exam, NodeId self) {
  const NodeId highest = exam.fakes.add();
  let_coordinate(exam, self, highest);
  return highest;
}

// A coordinator's death that the program has not noticed: it never followed this one, as it has
// announced itself since; or which death it was, and its pings to it.
static Finding missed(Exam& exam, NodeId self, NodeId highest, Duration at_most) {
  const bool was_told = exam.links.has_arrived({Role::announces, highest, self});
  if (was_told && exam.links.coordinator_of(self) == self) {
    return fault("announcement-ignored", self, highest, at_most);
  }
  const auto deaths = std::ranges::count_if(exam.links.records(), [](const Record& one) {
    return one.event == TraceEvent::crash || one.event == TraceEvent::leave;
  });
  // As a number, for the words.
  const int has_pinged = exam.links.count_pings(self, highest) > 0 ? 1 : 0;
  return fault("no-election", self, highest, at_most, deaths, has_pinged);
}

Record expect_notice(Exam& exam, NodeId self, NodeId highest, Duration at_most,
                     const std::optional<Finding>& otherwise) {
  const std::size_t since = exam.links.now();
  exam.fakes.end(highest);
  if (const auto first = exam.await_election(self, since, at_most)) return *first;
  throw otherwise.value_or(missed(exam, self, highest, at_most));
}

void let_wait(Exam& exam, NodeId self, NodeId above) {
  const NodeId highest = add_coordinator(exam, self);
  const std::size_t since = exam.links.now();
  expect_notice(exam, self, highest, notice_limit(exam));
  if (!exam.await_arrival({Role::answers, above, self, since}, answer_limit(exam))) {
    throw Unclear("no_election");
  }
  exam.rest(milliseconds(30));  // a thread of the program may not have handled it yet
}

// Pings, of which it closes at least the first.
static bool takes_messages(Exam& exam, NodeId id) {
  const std::size_t before = exam.fakes.taken_by(id);
  exam.fakes.ping(id, 2);
  return exam.await([&] { return exam.fakes.taken_by(id) > before; }, answer_limit(exam));
}

// The processes of `ids` to which it has sent no COORDINATOR since they started, and since this
// moment, though to others.
static Ids not_announced_to(const Exam& exam, NodeId coordinator, std::span<const NodeId> ids,
                            std::size_t begin = 0) {
  Ids unannounced;
  for (const NodeId id : ids) {
    const auto& records = exam.links.records();
    const auto started = std::find_if(records.rbegin(), records.rend(), [id](const Record& one) {
      return one.node == id && one.event == TraceEvent::start;
    });
    const auto since = std::max(begin, static_cast<std::size_t>(records.rend() - started));
    const bool has_told = exam.links.sent({Role::announces, coordinator, {}, since}).has_value();
    if (!has_told || id == coordinator) continue;
    if (!exam.links.sent({Role::announces, coordinator, id, since})) unannounced.push_back(id);
  }
  return unannounced;
}

// True if it has sent a message of an election since the latest COORDINATOR of this one reached it.
// The record of a death may come after a message that the death has caused.
static bool has_acted_since_told(const Exam& exam, NodeId id, NodeId coordinator) {
  const auto& records = exam.links.records();
  const auto told = std::find_if(records.rbegin(), records.rend(), [=](const Record& one) {
    return one.event == TraceEvent::receive && one.node == id && one.from == coordinator &&
           one.type->role == Role::announces;
  });
  const auto since = static_cast<std::size_t>(records.rend() - told);
  return exam.links.sent({.from = id, .since = since}).has_value();
}

// Throws the Finding that says why these do not agree.
[[noreturn]] static void name_disagreement(Exam& exam, const Ids& ids, Duration at_most) {
  for (const NodeId id : ids) {
    if (!takes_messages(exam, id)) throw fault("hangs", id, answer_limit(exam));
  }
  // A machine that delays an ANSWER beyond the program's wait makes two of right processes win.
  if (const auto& wait = exam.waits().least_answer) exam.judge(*wait);
  Ids without;
  std::set<NodeId> named;
  for (const NodeId id : ids) {
    const auto coordinator = exam.links.coordinator_of(id);
    coordinator ? void(named.insert(*coordinator)) : without.push_back(id);
  }
  const NodeId highest = std::ranges::max(ids);
  const Ids unannounced = not_announced_to(exam, highest, ids);
  if (!unannounced.empty()) throw fault("untold", highest, unannounced);
  if (!without.empty()) throw fault("no-coordinator", without, highest);
  // They follow the dead.
  if (*named.begin() > highest) {
    const NodeId dead = *exam.links.coordinator_of(highest);
    if (has_acted_since_told(exam, highest, dead)) throw fault("no-coordinator", ids, highest);
    throw missed(exam, highest, dead, at_most);
  }
  if (named.size() == 1) throw fault("wrong-coordinator", *named.begin(), highest);
  throw fault("two-coordinators", who_follows_whom(exam, ids), highest);
}

void expect_agreement(Exam& exam, const Ids& ids, Duration at_most) {
  const auto agree = [&] { return exam.links.agree(ids); };
  // A disturbance of the agreement after the messages have ceased restarts the wait.
  if (exam.await(agree, at_most)) {
    exam.await_quiet(silence_limit(exam));
    if (exam.await(agree, at_most)) return;
  }
  name_disagreement(exam, ids, at_most);
}

void let_announce(Exam& exam, NodeId id, std::size_t since) {
  const auto have_heard = [&](const Ids& live) {
    return not_announced_to(exam, id, lower_than(id, live), since).empty();
  };
  const auto have_all_heard = [&] {
    return have_heard(exam.fakes.live()) && have_heard(exam.processes.live());
  };
  std::size_t told = 0;
  do {
    told = exam.links.count_sent({Role::announces, id, {}, since});
  } while (!exam.await(have_all_heard, longest_pause) &&
           exam.links.count_sent({Role::announces, id, {}, since}) > told);
  exam.rest(milliseconds(30));
}

void let_settle(Exam& exam, NodeId id) {
  const std::optional<Duration>& wait = exam.waits().start;
  if (wait && exam.await_sent({.from = id}, limit_for(*wait))) {
    const auto is_over = [&] { return exam.links.coordinator_of(id).has_value(); };
    exam.await(is_over, election_limit(exam));
  }
  let_announce(exam, id, 0);
}

Ids start_cluster(Exam& exam, std::size_t count) {
  // It takes part in no election; and it asks, in case a start alone causes none.
  const NodeId below = exam.fakes.add();
  Ids ids;
  for (std::size_t i = 0; i < count; ++i) ids.push_back(start_settled(exam));
  const bool have_elected = exam.links.sent({.since = 0}).has_value();
  if (!have_elected) exam.fakes.start(below);
  Ids all = ids;
  all.push_back(below);  // the highest announces itself to it as well
  expect_agreement(exam, all, election_limit(exam) + (have_elected ? Duration(0) : seconds(1)));
  return ids;
}

void force_election(Exam& exam, const Ids& ids, NodeId detector) {
  const NodeId highest = ids.back();
  Ids stopped = ids;
  std::erase_if(stopped, [=](NodeId id) { return id == detector || id == highest; });
  for (const NodeId id : stopped) exam.processes.stop(id);
  const std::size_t since = exam.links.now();
  exam.processes.kill(highest);
  const bool was_forced = exam.await_election(detector, since, notice_limit(exam)).has_value();
  for (const NodeId id : stopped) exam.processes.resume(id);
  if (!was_forced) throw Unclear("not_forced");
}

}  // namespace checks

}  // namespace bully
