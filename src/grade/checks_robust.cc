// checks_robust.cc: the start of a process, and its survival of anything that it meets.
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "grade/checks.h"

namespace bully::checks {

namespace {

using std::chrono::milliseconds;
using namespace std::string_view_literals;

constexpr int silent_connections = 3;
// The time for the program to die of a cause.
constexpr milliseconds until_dead(60);

constexpr auto garbage =
    std::to_array<std::string_view>({"E"sv, "C;"sv, ";"sv, "E;x"sv, "C;-5"sv, "XX;12"sv,
                                     "\xff\xfe\x00\x80"sv, "E;99999999999999999999999999"sv});
constexpr std::size_t oversize_bytes = 5'000;

// It still takes messages, whether or not it replies. Some programs close a connection only when
// they have accepted the next.
void expect_alive(Exam& exam, NodeId below, NodeId self) {
  const std::size_t since = exam.now();
  const std::size_t taken = exam.taken_by(self);
  for (int i = 0; i < 2; ++i) exam.say(below, self, Role::asks);
  const auto has_spoken = [&] {
    return exam.taken_by(self) > taken || exam.sent({Role::answers, self, {}, since}) ||
           exam.sent({.from = self, .since = since});
  };
  if (exam.await(has_spoken, answer_limit(exam))) return;
  throw fault("deaf-while-blocked", self, below, answer_limit(exam));
}

// Runs it; if the program dies, this is the cause.
template <class Do>
void survive(Diagnosis diagnosis, const std::string& what, Do act) {
  try {
    act();
  } catch (const Finding& finding) {
    if (finding.diagnosis != "died") throw;
    throw Finding{diagnosis, {what, finding.values.at(0), finding.values.at(1)}, finding.printed};
  }
}

}  // namespace

void starts(Exam& exam) {
  exam.start();
  exam.rest(milliseconds(300));
}

// The process behind the name is killed, and none of its processes listens any more.
void lets_go(Exam& exam) {
  const NodeId self = exam.start();
  exam.rest(milliseconds(300));
  exam.kill(self);
  if (exam.has_orphan()) throw fault("orphan-monitor", self);
}

void survives_silence(Exam& exam) {
  const AboveFake all = start_above_fake(exam);
  survive("killed-by-garbage", "", [&] {
    exam.rest(milliseconds(200));
    for (int i = 0; i < silent_connections; ++i) exam.say_bytes(all.self, "", Ending::kept);
    exam.rest(until_dead);
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
      exam.say_bytes(all.self, bytes, Ending::closed);
      exam.rest(until_dead);
    });
  }
  survive("killed-by-garbage", "", [&] { expect_alive(exam, all.below, all.self); });
}

// The only entry that a grader may put into the directory.
void survives_files(Exam& exam) {
  const std::string file = exam.settings().directory + "/notes.txt";
  struct Remove {
    const std::string& path;
    ~Remove() {
      std::error_code ignored;
      std::filesystem::remove(path, ignored);
    }
  } remove{file};
  std::ofstream(file) << "Not a process.\n";
  survive("killed-by-garbage", "notes.txt", [&] {
    const auto [below, self] = start_above_fake(exam);
    exam.rest(until_dead);
    expect_alive(exam, below, self);
    exam.rest(until_dead);
  });
}

// The name of a killed process is still there.
void survives_the_dead(Exam& exam) {
  const NodeId below = exam.fake();
  const NodeId dead_below = exam.fake();
  exam.end_fake(dead_below);
  survive("killed-by-a-dead-peer", text_of(dead_below), [&] {
    const NodeId self = exam.start();
    const NodeId dead_above = exam.fake();
    exam.end_fake(dead_above);
    exam.rest(milliseconds(200));
    expect_alive(exam, below, self);
    exam.rest(milliseconds(200));
  });
}

}  // namespace bully::checks
