// verdict_sweeps_test.cc: honest runs accuse no process, whatever the faults; verdicts are
// monotone; a damaged trace is never right.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/carried.h"
#include "base/text.h"
#include "fixture/judged.h"
#include "fixture/recorded_run.h"
#include "support/process.h"
#include "view/check_report.h"

using namespace bully;

namespace {

// Every tenth beginning of a run; of a long one, fewer.
std::size_t step_for(const std::vector<Record>& records) {
  return std::max<std::size_t>(10, records.size() / 20);
}

// Runs of each election with random crashes, returns, stops and, in every third, lost messages.
std::vector<Record> random_run(const Algorithm& algorithm, std::uint64_t seed) {
  SweepOptions options = recorded::faulty(algorithm, seed);
  if (seed % 3 == 0) options.world.loss_ppm = 100'000;
  return recorded::swept(options, seed);
}

// The coordinator dies, and later another process dies or comes, while up to 40 % of the messages
// are lost: waits and reports are repeated, each after twice the time.
std::string lossy_script(const Algorithm& algorithm, std::uint64_t seed) {
  const auto among = [seed](std::uint64_t choice, std::initializer_list<int> values) {
    return std::to_string(values.begin()[seed / choice % values.size()]);
  };
  const bool is_small = seed % 2 == 0;
  return "algorithm " + std::string(algorithm.name) + "\nseed " + std::to_string(seed) +
         "\nnodes 1.." + (is_small ? "3" : "5") + "\nloss " + among(2, {10, 20, 30, 40}) +
         "%\ncrash " + (is_small ? "3" : "5") + "\nrun " + among(8, {20, 40, 60, 120}) + "s\n" +
         (seed / 3 % 2 == 0 ? "start 6" : "crash 2") + "\nrun " + among(5, {5, 20, 60, 200}) +
         (seed / 7 % 3 == 0 ? "s\nloss 0%\nrun 60s\n" : "s\n");
}

}  // namespace

TEST_CASE("check: each lesson is right but the one that breaks an assumption for good") {
  const std::map<std::string_view, std::string_view> wrong = {
      {"ring-reordered", "VIOLATED highest-wins fifo"}};
  for (const CarriedText& lesson : lessons()) {
    CAPTURE(lesson.name);
    const std::vector<Record> records = recorded::played(lesson.text);
    const auto expected = wrong.find(lesson.name);
    CHECK(judged::words_of(judged::judge(records)) ==
          (expected == wrong.end() ? "RIGHT" : expected->second));
    judged::check_monotone(records, step_for(records));
  }
}

TEST_CASE("check: no later step is blamed for what a lost message broke for good") {
  const std::vector<Record> records = recorded::played(
      "algorithm garcia-molina\nseed 37\nnodes 1..3\nloss 20%\ncrash 3\nrun 60s\nstart 4\n"
      "run 20s\n");
  CHECK(judged::words_of(judged::judge(records)) == "RIGHT");
}

TEST_CASE("check: a run is judged alike whenever its clock began") {
  constexpr std::int64_t hour_ns = 3'600'000'000'000;
  for (const CarriedText& lesson : lessons()) {
    CAPTURE(lesson.name);
    std::vector<Record> records = recorded::played(lesson.text);
    const Report report = judged::judge(records);
    for (Record& record : records) record.t_ns += hour_ns;
    const Report later = judged::judge(records);
    CHECK(judged::words_of(later) == judged::words_of(report));
    CHECK(later.found.tested == report.found.tested);
  }
}

TEST_CASE("check: no later start takes back a violation") {
  const std::vector<Record> violated =
      recorded::played(find_carried(lessons(), "ring-reordered").value());
  const Record& last = violated.back();
  const auto observed = std::make_shared<const Environment>(Environment{.observed = true});
  Record another = violated.front();
  REQUIRE(another.event == TraceEvent::start);
  another.t_ns = last.t_ns + 1;
  another.node = another.pid = 99;
  another.algorithm = "bully";
  another.given = nullptr;
  const Record outside = {
      .t_ns = last.t_ns + 1, .node = 99, .algorithm = last.algorithm, .environment = observed};
  for (const Record& start : {another, outside}) {
    std::vector<Record> records = violated;
    records.push_back(start);
    const Trace trace = recorded::trace_of(records);
    const Report report = check_trace(trace);
    CHECK(report.verdict == RunVerdict::violated);
    CHECK(report.reasons.size() >= 1);
    CHECK(check_report(trace, report, Language::english, false).starts_with("VIOLATED"));
    CHECK(contains(check_json(trace, report), "\"not_highest\""));
  }
}

TEST_CASE("check: random runs with faults accuse no process") {
  const std::uint64_t runs = is_soak() ? 600 : 40;
  for (const Algorithm& algorithm : built_in_algorithms()) {
    std::map<std::string, std::uint64_t> verdicts;
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
      CAPTURE(std::string(algorithm.name));
      CAPTURE(seed);
      const std::vector<Record> records = random_run(algorithm, seed);
      const Report report = judged::judge(records);
      CHECK(report.verdict != RunVerdict::violated);
      ++verdicts[judged::words_of(report)];
      if (seed % 10 == 0) judged::check_monotone(records, step_for(records));
    }
    CAPTURE(std::string(algorithm.name));
    CHECK(verdicts["RIGHT"] * 2 > runs);
  }
}

TEST_CASE("check: runs that lose many messages accuse no process") {
  const std::uint64_t runs = is_soak() ? 1000 : 60;
  for (const Algorithm& algorithm : built_in_algorithms()) {
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
      CAPTURE(std::string(algorithm.name));
      CAPTURE(seed);
      const std::vector<Record> records = recorded::played(lossy_script(algorithm, seed));
      CHECK(judged::judge(records).verdict != RunVerdict::violated);
      if (seed % 10 == 0) judged::check_monotone(records, step_for(records));
    }
  }
}

TEST_CASE("check: a run without one of its lines is never right") {
  for (const Algorithm& algorithm : built_in_algorithms()) {
    const std::string name(algorithm.name);
    CAPTURE(name);
    const Trace whole = read_traces({"tests/golden/real/" + name + ".jsonl"});
    CHECK(judged::words_of(check_trace(whole)) == "RIGHT");
    std::size_t missing = 0;
    for (std::size_t i = 0; i < whole.records.size(); i += 3) {
      const Record& record = whole.records[i];
      const auto is_later = [&](const Record& other) {
        return other.node == record.node && other.pid == record.pid && other.n > record.n;
      };
      if (record.n == 0 || record.event == TraceEvent::start) continue;
      if (std::ranges::none_of(whole.records, is_later)) continue;
      Trace damaged = whole;
      damaged.records.erase(damaged.records.begin() + static_cast<std::ptrdiff_t>(i));
      CAPTURE(i);
      const Report report = check_trace(damaged);
      CHECK(report.verdict != RunVerdict::right);
      missing += recorded::doubts(report, "line_missing") ? 1 : 0;
    }
    CHECK(missing > 10);
  }
}

TEST_CASE("check: a report has a bounded number of lines, whatever the run") {
  std::vector<Record> records;
  const auto add = [&](NodeId node, TraceEvent event, std::string_view state,
                       std::optional<NodeId> coordinator) {
    records.push_back({.t_ns = static_cast<std::int64_t>(records.size()) * 1000,
                       .node = node,
                       .pid = static_cast<std::int64_t>(node),
                       .event = event,
                       .state = state,
                       .coordinator = coordinator});
  };
  for (NodeId node = 1; node <= 2000; ++node) {
    add(node, TraceEvent::state, "coordinator", {});
    add(node, TraceEvent::coordinator, {}, node);
  }
  for (int i = 0; i < 5000; ++i) {
    add(1, TraceEvent::state, "candidate", {});
    add(1, TraceEvent::state, "coordinator", {});
    add(1, TraceEvent::coordinator, {}, 1);
  }
  const Trace trace = recorded::trace_of(records);
  const std::string page = check_report(trace, check_trace(trace), Language::english, false);
  CHECK(std::ranges::count(page, '\n') <= 5000);
}
