// verdict_end_test.cc: where processes stand when they are last heard of, and what that means.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "base/carried.h"
#include "fixture/recorded_run.h"

using namespace bully;
using namespace bully::recorded;

namespace {

constexpr std::int64_t second = 1'000'000'000;

void change_waits(std::vector<Record>& records, const std::function<void(Waits&)>& change) {
  for (Record& record : records) {
    if (record.event != TraceEvent::start) continue;
    Environment environment = environment_of(record);
    change(environment.waits);
    record.environment = std::make_shared<const Environment>(environment);
  }
}

// Three that elect as they start, with this detector; and then 3 is killed, a second later.
std::vector<Record> three_nodes(std::string_view detector) {
  std::vector<Record> records =
      played("detector off\nnodes 1\nrun\nstart 2\nrun\nstart 3\nrun\nrun 1s\ncrash 3\n");
  std::erase_if(records, [](const Record& record) { return record.event == TraceEvent::end; });
  change_waits(records, [=](Waits& waits) { waits.detector = detector; });
  return records;
}

Record& add(std::vector<Record>& records, NodeId node, TraceEvent event, std::int64_t after_ns) {
  return records.emplace_back(Record{.t_ns = records.back().t_ns + after_ns,
                                     .node = node,
                                     .pid = static_cast<std::int64_t>(node),
                                     .event = event});
}
void leave(std::vector<Record>& records, NodeId node, std::int64_t after_ns) {
  add(records, node, TraceEvent::leave, after_ns);
}

}  // namespace

TEST_CASE("check: a crash that nothing shows to the others goes unnoticed") {
  const Report report =
      judged(played("detector off\nnodes 1..3\ncrash 3\nrun 300s\nleave 1\nleave 2\n"));
  CHECK(report.verdict == RunVerdict::cannot_tell);
  CHECK(doubts(report, "unwatched"));
  CHECK(doubts(report, "no_election"));
  CHECK(report.tested.count(&properties::ends) == 0);
}

TEST_CASE("check: a process that follows a dead coordinator for too long breaks a property") {
  std::vector<Record> records = three_nodes("ping");
  SUBCASE("it left in time") {
    leave(records, 1, second / 2);
    leave(records, 2, 0);
    CHECK(judged(records).verdict == RunVerdict::right);
  }
  SUBCASE("it left long after") {
    leave(records, 1, 300 * second);
    leave(records, 2, 0);
    const Report report = judged(records);
    REQUIRE(broken(report) == "ends");
    CHECK(report.violations[0].kind == ViolationKind("stayed_with_the_dead"));
    CHECK(report.violations[0].node == 1);
    CHECK(report.violations[0].other == 3);
  }
  SUBCASE("it was killed long after") {
    leave(records, 1, second / 2);
    add(records, 2, TraceEvent::crash, 300 * second);
    CHECK(broken(judged(records)) == "ends");
  }
  SUBCASE("it was stopped meanwhile") {
    leave(records, 1, second / 2);
    add(records, 2, TraceEvent::pause, second / 2);
    add(records, 2, TraceEvent::resume, 300 * second);
    leave(records, 2, second);
    CHECK(judged(records).verdict == RunVerdict::right);
  }
  SUBCASE("its lines simply stop") {
    leave(records, 1, second / 2);
    const Report report = judged(records);
    CHECK(report.verdict == RunVerdict::cannot_tell);
    REQUIRE(doubts(report, "open_end"));
    CHECK(report.reasons[0].nodes == std::vector<NodeId>{2});
  }
  SUBCASE("its record ends while it is alive, in time") {
    leave(records, 1, second / 2);
    add(records, 2, TraceEvent::end, second);
    CHECK(judged(records).verdict == RunVerdict::cannot_tell);
  }
  SUBCASE("its record ends while it is alive, long after") {
    leave(records, 1, second / 2);
    add(records, 2, TraceEvent::end, 300 * second);
    CHECK(broken(judged(records)) == "ends");
  }
  SUBCASE("it says itself that its intervals are long") {
    change_waits(records, [](Waits& waits) { waits.ping_interval_ns = 200 * second; });
    leave(records, 1, 300 * second);
    leave(records, 2, 0);
    CHECK(judged(records).verdict == RunVerdict::right);
  }
}

TEST_CASE("check: a controlled process may be in an election for as long as its person likes") {
  std::vector<Record> records =
      played("detector off\nnodes 1..3\ncrash 3\nsuspect 1\nrun\nleave 1\nleave 2\n");
  // Its leader delivers the ELECTION of 1 after a while.
  const auto is_asked = [](const Record& record) { return record.event == TraceEvent::receive; };
  for (std::size_t i = first_of(records, is_asked); i < records.size(); ++i) {
    records[i].t_ns += 300 * second;
  }
  CHECK(broken(judged(records)) == "ends");
  change_waits(records,
               [](Waits& waits) { waits.answer_timeout_ns = waits.coordinator_timeout_ns = 0; });
  CHECK(judged(records).verdict == RunVerdict::right);
}

TEST_CASE("check: five that leave within a millisecond of each other are right, in any order") {
  std::vector<NodeId> order = {1, 2, 3, 4, 5};
  do {
    std::string script = "detector ping\nnodes 1\n";
    for (int id = 2; id <= 5; ++id) script += "start " + std::to_string(id) + "\nrun 50ms\n";
    script += "run 5s\n";
    for (const NodeId id : order) script += "leave " + std::to_string(id) + "\nrun 300us\n";
    CAPTURE(script);
    CHECK(judged(played(script)).verdict == RunVerdict::right);
  } while (std::ranges::next_permutation(order).found);
}

TEST_CASE("check: a trace that is cut in the midst of an election is never right") {
  for (const std::string_view name : {"cdk", "tanenbaum", "dolev-klawe-rodeh", "garcia-molina"}) {
    CAPTURE(name);
    const std::vector<Record> records = played(*find_carried(lessons(), name));
    const Report full = judged(records);
    for (const Election& election : full.elections) {
      if (!election.settled_record) continue;
      for (std::size_t size = election.first_record + 1; size <= *election.settled_record; ++size) {
        CAPTURE(size);
        CHECK(judged_first(records, size).verdict != RunVerdict::right);
      }
    }
  }
}

TEST_CASE("check: the winner of an election that is cut off is not alone") {
  std::vector<Record> records = three_nodes("ping");
  // 2 notices and wins; 1 is told, and the trace ends before it takes that.
  Record& suspicion = add(records, 2, TraceEvent::suspect, 1000);
  suspicion.reason = "down";
  suspicion.coordinator = 3;
  add(records, 2, TraceEvent::state, 1000).state = "coordinator";
  add(records, 2, TraceEvent::coordinator, 1000).coordinator = 2;
  const Report report = judged(records);
  CHECK(report.verdict == RunVerdict::cannot_tell);
  CHECK(doubts(report, "open_end"));
}

TEST_CASE("check: a last state that contradicts the last coordinator is not by the rules") {
  std::vector<Record> records = played("detector off\nnodes 1\nrun\nstart 2\nrun\n");
  CHECK(judged(records).verdict == RunVerdict::right);
  const auto last = std::find_if(records.rbegin(), records.rend(), [](const Record& record) {
    return record.event == TraceEvent::state && record.node == 1;
  });
  last->state = "coordinator";
  const Report report = check_trace(trace_of(records));
  REQUIRE(report.violations.size() == 1);
  CHECK(report.violations[0].property == &properties::by_rules);
}

TEST_CASE("check: the lines of a live process that end in the middle of a step are no whole run") {
  std::vector<Record> records = played("detector off\nnodes 1\nrun\nstart 2\nrun\n");
  while (records.back().event != TraceEvent::coordinator) records.pop_back();
  records.pop_back();
  CHECK(doubts(check_trace(trace_of(records)), "in_step"));
}

TEST_CASE("check: a node that came back without a trace is named, and nobody is accused") {
  // 2 is killed, comes back with no trace, and asks.
  std::vector<Record> records =
      played("detector off\nnodes 1\nrun\nstart 2\nrun\ncrash 2\nstart 2\nrun\n");
  const auto crash = std::ranges::find(records, TraceEvent::crash, &Record::event);
  const auto is_its = [](const Record& record) { return record.node == 2; };
  records.erase(std::remove_if(crash + 1, records.end(), is_its), records.end());
  const Report report = judged(records);
  CHECK(report.verdict == RunVerdict::cannot_tell);
  REQUIRE(doubts(report, "untraced"));
  const auto reason = std::ranges::find(report.reasons, Doubt("untraced"), &Reason::doubt);
  CHECK(reason->nodes == std::vector<NodeId>{2});
}

TEST_CASE("check: a process that came back without a trace is not dead to its followers") {
  std::vector<Record> records =
      played("nodes 1..3\nrun 3s\ncrash 3\nrun 9s\nstart 3\nrun 60s\nleave 1\nleave 2\n");
  const auto crash = std::ranges::find(records, TraceEvent::crash, &Record::event);
  const auto is_its = [](const Record& record) { return record.node == 3; };
  records.erase(std::remove_if(crash + 1, records.end(), is_its), records.end());
  SUBCASE("its first life has one") {}
  SUBCASE("it never had one") {
    records.erase(std::remove_if(records.begin(), crash, is_its), crash);
  }
  // Others write that they stop and continue it.
  add(records, 3, TraceEvent::pause, 0);
  add(records, 3, TraceEvent::resume, second);
  const Report report = judged(records);
  CHECK(broken(report).empty());
  CHECK(doubts(report, "untraced"));
}

TEST_CASE("check: that a dead process came back without a trace excuses nobody before that") {
  std::vector<Record> records = three_nodes("ping");
  leave(records, 2, second / 2);
  const std::size_t announced = first_of(records, [](const Record& record) {
    return record.event == TraceEvent::receive && record.node == 1 && record.from == 3;
  });
  const auto hear = [&](std::int64_t after_ns) {
    Record heard = records[announced];
    heard.t_ns = records.back().t_ns + after_ns;
    heard.number = 900 + records.size();
    records.push_back(heard);
  };
  bool is_late = true;
  SUBCASE("it comes back long after") {
    hear(600 * second);
  }
  SUBCASE("it comes back at once, and is heard again long after") {
    hear(second / 2);
    hear(600 * second);
    is_late = false;
  }
  leave(records, 1, second);
  const Report report = judged(records);
  CHECK(doubts(report, "untraced"));
  CAPTURE(first_reason(report));
  REQUIRE(broken(report) == (is_late ? "ends" : ""));
  if (!is_late) return;
  CHECK(report.violations[0].kind == ViolationKind("stayed_with_the_dead"));
  CHECK(report.violations[0].node == 1);
  CHECK(report.violations[0].other == 3);
}

TEST_CASE("check: a process without a trace may be the only one that knows why two are named") {
  // 4 and 5 are killed, and 3 finds them gone.
  std::vector<Record> records = played(
      "algorithm garcia-molina\ndetector off\nnodes 1..5\ncrash 4\ncrash 5\nsuspect 3\nrun\n");
  std::erase_if(records, [](const Record& record) {
    return record.node == 3 || record.event == TraceEvent::crash;
  });
  const Report report = judged(records);
  CHECK(broken(report).empty());
  CHECK(doubts(report, "names_only"));
}

TEST_CASE("check: lines without the numbers that a process gives them show nothing of its rules") {
  std::vector<Record> records = played("detector off\nnodes 1\nrun\nstart 2\nrun\n");
  REQUIRE(check_trace(trace_of(records)).verdict == RunVerdict::right);
  SUBCASE("one of them") {
    const auto last = std::ranges::find_if(records.rbegin(), records.rend(), is_of_step);
    REQUIRE(std::exchange(last->n, 0) > 0);
    CHECK(doubts(check_trace(trace_of(records)), "line_missing"));
  }
}

TEST_CASE("check: a start that is there twice begins nothing") {
  std::vector<Record> records = played("detector off\nnodes 1\nrun\nstart 2\nrun\n");
  records.insert(records.begin(), records.front());
  CHECK(doubts(check_trace(trace_of(records)), "line_repeated"));
}

TEST_CASE("check: a lone process that wins its own election is right; one that began so is not") {
  Recorder lone(default_algorithm());
  World world({}, &lone);
  world.start(7);
  CHECK(judged(lone.records).verdict == RunVerdict::right);
  const Report preset = judged(played("nodes 1..3\nrun 5s\n"));
  CHECK(preset.verdict == RunVerdict::cannot_tell);
  CHECK(doubts(preset, "no_election"));
}

TEST_CASE("check: a process that was killed before its first line takes part in nothing") {
  std::vector<Record> records = played("detector off\nnodes 1\nrun\nstart 2\nrun\n");
  SUBCASE("at the end") {
    add(records, 9, TraceEvent::crash, 0);
  }
  SUBCASE("before all others") {
    records.insert(records.begin(), {.node = 9, .pid = 9, .event = TraceEvent::crash});
  }
  CHECK(judged(records).verdict == RunVerdict::right);
}

TEST_CASE("check: two hands that kill one process write of one death") {
  std::vector<Record> records = three_nodes("ping");
  records.push_back(records.back());
  records.back().pid = 0;
  leave(records, 1, second / 2);
  leave(records, 2, 0);
  CHECK(judged(records).verdict == RunVerdict::right);
}

TEST_CASE("check: each property says how often it was put to the test") {
  const Report report = judged(played("detector off\nnodes 1\nrun\nstart 2\nrun\n"));
  CHECK(report.tested.at(&properties::ends) == 1);
  CHECK(report.tested.at(&properties::never_lower) == 1);
  CHECK(report.tested.at(&properties::sent) == 1);
  CHECK(report.tested.count(&properties::never_higher) == 0);
}

TEST_CASE("check: each lesson's run is right, except the one about a broken link") {
  for (const CarriedText& lesson : lessons()) {
    CAPTURE(lesson.name);
    const bool reorders = lesson.name == "ring-reordered";
    const Report report = judged(played(lesson.text));
    CHECK(report.verdict == (reorders ? RunVerdict::violated : RunVerdict::right));
    if (!reorders) continue;
    REQUIRE(broken(report) == "fifo");
    CHECK(report.violations[0].node == 3);
    CHECK(report.violations[0].other == 2);
  }
}

TEST_CASE("check: a finding that the processes' own lines do not bear out leaves a doubt") {
  std::string script = "nodes 1..3\nrun 9s\nsuspect 1\nrun 3s\n";
  std::string_view found = "hung";
  bool misses_2 = false;  // from its view of the directory
  SUBCASE("none") {}
  SUBCASE("a process is gone, and lives on") {
    found = "down";
  }
  SUBCASE("a process is deposed, and is coordinator") {
    found = "deposed";
  }
  SUBCASE("a process is gone from its view, and lives on") {
    misses_2 = true;
  }
  SUBCASE("a coordinator is deposed, and is the highest") {
    script = "nodes 1..3\nrun 9s\nsuspect 3 deposed\nrun 3s\n";
    found = "deposed";
  }
  std::vector<Record> records = played(script);
  Record& suspicion = *std::ranges::find(records, TraceEvent::suspect, &Record::event);
  suspicion.reason = found;
  Given given = suspicion.given == nullptr ? Given() : *suspicion.given;
  if (misses_2) given.left.push_back(2);
  suspicion.given = std::make_shared<const Given>(given);
  const bool is_founded = found == "hung" && !misses_2;
  const Report report = judged(records);
  CHECK(report.verdict == (is_founded ? RunVerdict::right : RunVerdict::cannot_tell));
  CHECK(doubts(report, "unfounded") == !is_founded);
}

TEST_CASE("check: a coordinator that a script lets suspect acts by its rules") {
  const std::vector<Record> records =
      played("detector off\nnodes 1..3\ncrash 3\nsuspect 1\nrun\nsuspect 2\nrun\n");
  CHECK(check_trace(trace_of(records)).verdict == RunVerdict::right);
}

TEST_CASE("check: a coordinator that finds a higher process alive leaves no doubt") {
  const std::vector<Record> records =
      played("delay fixed 200ms\nnodes 1..4\ncrash 4\nrun 20600ms\nrestart 4\nrun 20s\n");
  const auto finds = [](const Record& r) {
    return r.event == TraceEvent::suspect && r.coordinator == r.node;
  };
  REQUIRE(std::ranges::count_if(records, finds) == 1);
  CHECK(judged(records).verdict == RunVerdict::right);
}

TEST_CASE("check: times at the end of what a number holds are judged as any others") {
  std::vector<Record> records = played("nodes 1..3\nrun 3s\npause 3\nrun 9s\nresume 3\nrun 9s\n");
  const std::int64_t shift = std::numeric_limits<std::int64_t>::max() / 2 - records.back().t_ns;
  for (Record& record : records) record.t_ns += shift;
  CHECK(judged(records).verdict == RunVerdict::right);
  // Two times that are farther apart could not be subtracted.
  ++records.back().t_ns;
  CHECK_THROWS_AS(judged(records), TraceError);
}

TEST_CASE("check: a timer that expires before its time leaves a doubt") {
  std::vector<Record> records = played("nodes 1..3\nrun 3s\npause 3\nrun 9s\nresume 3\nrun 9s\n");
  CHECK(judged(records).verdict == RunVerdict::right);
  const auto expires = [](const Record& r) { return r.event == TraceEvent::timeout; };
  const auto found = std::ranges::find_if(records, expires);
  REQUIRE(found != records.end());
  // All that follows comes as much earlier.
  for (auto record = found; record != records.end(); ++record) {
    record->t_ns -= std::chrono::nanoseconds(std::chrono::milliseconds(1)).count();
  }
  const Report report = judged(records);
  CHECK(report.verdict == RunVerdict::cannot_tell);
  CHECK(doubts(report, "early"));
}
