// exam_checks_robust.cc: the start of a process, and its survival of anything that it meets.
#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "grade/exam_checks.h"

namespace bully::checks {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using namespace std::string_view_literals;

constexpr int silent_connections = 2;
// The contract's, from its name to the first message of its election.
constexpr seconds until_first_election(2);
// The contract's second for a silent connection, and a little more.
constexpr milliseconds until_silence_is_over(1'200);
// The time for the program to die of a cause.
constexpr milliseconds until_dead(60);

constexpr auto garbage =
    std::to_array<std::string_view>({"E"sv, "C;"sv, ";"sv, "E;x"sv, "C;-5"sv, "XX;12"sv,
                                     "\xff\xfe\x00\x80"sv, "E;99999999999999999999999999"sv});
constexpr std::size_t oversize_bytes = 5'000;

// It still takes messages, whether or not it replies. Some programs close a connection only when
// they have accepted the next.
void expect_alive(Exam& exam, NodeId below, NodeId self) {
  const std::size_t since = exam.links.now();
  const std::size_t taken = exam.fakes.taken_by(self);
  for (int i = 0; i < 2; ++i) exam.fakes.start(below);
  const auto has_spoken = [&] {
    return exam.fakes.taken_by(self) > taken || exam.links.sent({Role::answers, self, {}, since}) ||
           exam.links.sent({.from = self, .since = since});
  };
  // Its connections are closed also where it dies.
  if (exam.await(has_spoken, answer_limit(exam))) return exam.rest(until_dead);
  Finding deaf = fault("deaf-while-blocked", self, below, answer_limit(exam));
  deaf.printed = exam.processes.printed(self);  // a thread of it may have died
  throw deaf;
}

// A program without an election can be robust as well. Its waits show that it has one.
bool elects(const Exam& exam) {
  return exam.waits().answer.has_value();
}

}  // namespace

// With ids of seven digits a process that reads too little answers a shorter id.
void starts(Exam& exam) {
  const NodeId below = exam.fakes.add();
  const Ids cut = exam.settings.with_id ? add_beginnings(exam, below) : Ids();
  std::optional<Duration>& wait = exam.waits().start;
  wait.reset();
  std::size_t since = exam.links.now();
  const NodeId self = exam.processes.start();
  const Time named = monotonic_now();
  auto first = exam.await_election(self, since, until_first_election);
  // A machine that stood still has taken some of that time; and other checks have to know of a late
  // first election.
  if (!first) first = exam.await_election(self, since, 2 * exam.lateness.most());
  if (first) wait = std::max(Duration(0), Time(first->t_ns) - named);
  exam.rest(milliseconds(300));
  if (cut.empty()) return;
  since = exam.links.now();
  exam.fakes.start(below);
  exam.await_sent({Role::answers, self, {}, since}, seconds(1));
  expect_whole_id(exam, self, below, cut, since);
}

// The process behind the name is killed, and none of its processes listens any more. It follows a
// coordinator, which a child of it may watch.
void lets_go(Exam& exam) {
  const NodeId self = start_settled(exam);
  exam.fakes.coordinate(exam.fakes.add());
  let_follow(exam, self);
  if (!exam.processes.kill(self)) throw fault("orphan-monitor", self);
}

void survives_silence(Exam& exam) {
  const AboveFake all = start_above_fake(exam);
  exam.rest(milliseconds(200));
  constexpr std::string_view half = "E;";
  survive("killed-by-garbage", std::string(half), [&] {
    exam.fakes.send_bytes(all.self, half, Ending::kept);
    exam.rest(until_silence_is_over);
  });
  survive("killed-by-garbage", "", [&] {
    for (int i = 0; i < silent_connections; ++i) {
      exam.fakes.send_bytes(all.self, "", Ending::kept);
    }
    exam.rest(until_dead);
    expect_alive(exam, all.below, all.self);
    // By now it has dropped them.
    exam.rest(until_silence_is_over);
    expect_alive(exam, all.below, all.self);
  });
}

void survives_garbage(Exam& exam) {
  const AboveFake all = start_above_fake(exam);
  exam.rest(milliseconds(200));
  const std::string oversize(oversize_bytes, 'A');
  std::vector<std::string_view> each(garbage.begin(), garbage.end());
  each.emplace_back(oversize);
  for (const std::string_view bytes : each) {
    survive("killed-by-garbage", readable(bytes), [&] {
      exam.fakes.send_bytes(all.self, bytes, Ending::closed);
      exam.rest(until_dead);
    });
  }
  survive("killed-by-garbage", readable(each.back()),
          [&] { expect_alive(exam, all.below, all.self); });
}

// The only entry that a grader may put into the directory.
void survives_files(Exam& exam) {
  constexpr std::string_view notes = "Not a process.";
  const std::string file = exam.settings.directory + "/notes.txt";
  struct Remove {
    const std::string& path;
    bool is_ours = true;
    ~Remove() {
      std::error_code ignored;
      if (is_ours) std::filesystem::remove(path, ignored);
    }
  } remove{file};
  // The user may have such a file in --dir; or a grader that was killed has left one.
  std::string line;
  if (std::filesystem::exists(std::filesystem::symlink_status(file))) {
    std::getline(std::ifstream(file), line);
    remove.is_ours = line == notes;
  }
  if (remove.is_ours) std::ofstream(file) << notes << '\n';
  survive("killed-by-garbage", "notes.txt", [&] {
    const auto [below, self] = start_above_fake(exam);
    exam.rest(until_dead);
    expect_alive(exam, below, self);
    if (!elects(exam)) return;
    expect_sent(exam, {Role::announces, self, below, 0}, election_limit(exam),
                fault("no-coordinator", below, self));
  });
}

// The names of killed processes are still there, some before a live one and some behind it: the
// announcement goes on after them.
void survives_the_dead(Exam& exam) {
  const NodeId first_dead = exam.fakes.add();
  Ids live;
  for (int i = 0; i < 2; ++i) {
    const Ids dead = {i == 0 ? first_dead : exam.fakes.add(), exam.fakes.add()};
    live.push_back(exam.fakes.add());
    for (const NodeId id : dead) exam.fakes.end(id);
  }
  exam.fakes.end(exam.fakes.add());
  survive("killed-by-a-dead-peer", text_of(first_dead), [&] {
    const NodeId self = exam.processes.start();
    exam.fakes.end(exam.fakes.add());
    exam.rest(milliseconds(200));
    expect_alive(exam, live[0], self);
    if (!elects(exam)) return;
    const auto is_told = [&](NodeId id) {
      return exam.links.sent({Role::announces, self, id, 0}).has_value();
    };
    exam.await([&] { return std::ranges::all_of(live, is_told); }, election_limit(exam));
    std::erase_if(live, is_told);
    if (!live.empty()) throw fault("untold", self, live);
  });
}

}  // namespace bully::checks
