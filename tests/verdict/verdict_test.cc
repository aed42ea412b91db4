// verdict_test.cc: right runs are right, and each property that is broken is named with its lines.
#include "election/algorithm.h"
#include "view/check_report.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/json.h"
#include "fixture/recorded_run.h"
#include "fixture/said.h"
#include "support/messages.h"
#include "trace/trace.h"

using namespace bully;
using namespace bully::recorded;

namespace {

constexpr std::int64_t ms = 1'000'000;

// A simulated cluster that nobody watches, and the trace that it writes.
class Cluster {
 public:
  explicit Cluster(NodeId nodes) {
    for (NodeId id = 1; id <= nodes; ++id) start(id);
  }

  void start(NodeId id) {
    world_.start(id);
    run();
  }
  void stop(NodeId id) { world_.leave(id); }
  // By a hand that writes so, or that writes nothing.
  void kill_and_tell(NodeId id) { world_.crash(id); }
  void kill(NodeId id) {
    world_.crash(id);
    recorder_.records.pop_back();
  }
  // And its name is swept.
  void kill_and_sweep(NodeId id, bool is_told) {
    world_.leave(id);
    recorder_.records.pop_back();
    if (is_told) tell(id, TraceEvent::crash);
  }
  void suspect(NodeId id) { world_.suspect(id); }
  // It was stopped, and goes on: it takes what it missed for an election of its own.
  void resume(NodeId id) {
    world_.pause(id);
    recorder_.records.pop_back();
    world_.resume(id);
    run();
  }
  void run() { world_.run_until_quiescent(std::chrono::seconds(100)); }
  void pass(std::int64_t ns) { world_.run_for(std::chrono::nanoseconds(ns)); }

  // Without what a start says of its waits.
  std::vector<Record> records() const {
    std::vector<Record> all = recorder_.records;
    for (Record& record : all) record.environment = nullptr;
    return all;
  }

 private:
  void tell(NodeId id, TraceEvent event) {
    recorder_.record({.t_ns = world_.now().count(),
                      .node = id,
                      .pid = static_cast<std::int64_t>(id),
                      .event = event});
  }

  Recorder recorder_{default_algorithm()};
  World world_{quiet(default_algorithm()), &recorder_};
};

// Five nodes, of which 5 crashes; 2 notices, and 4 wins. The others then leave one by one.
std::vector<Record> textbook_run() {
  Cluster cluster(5);
  cluster.kill(5);
  cluster.pass(1000 * ms);
  cluster.suspect(2);
  cluster.run();
  return cluster.records();
}

std::vector<Record> without(std::vector<Record> records, Which which) {
  REQUIRE(std::erase_if(records, which) > 0);
  return records;
}
std::size_t last_of(const std::vector<Record>& records, Which which) {
  const std::vector<Record> reversed(records.rbegin(), records.rend());
  return records.size() - 1 - first_of(reversed, which);
}

}  // namespace

TEST_CASE("check: a process may obey, be stopped, and win alone when it goes on") {
  Cluster cluster(3);
  cluster.kill_and_tell(2);
  cluster.start(2);  // hears of 3, and does nothing since
  cluster.kill_and_sweep(3, true);
  cluster.pass(1000 * ms);
  cluster.resume(2);
  std::vector<Record> records = cluster.records();
  SUBCASE("as it happens") {}
  SUBCASE("and it finds old news in its socket first") {
    const std::size_t goes_on =
        last_of(records, [](const Record& record) { return record.event == TraceEvent::resume; });
    const std::size_t hears = last_of(records, [](const Record& record) {
      return record.event == TraceEvent::receive && record.node == 2;
    });
    REQUIRE(hears < goes_on);
    records[goes_on].t_ns = records[hears].t_ns;
    const auto at = [&](std::size_t i) { return records.begin() + static_cast<std::ptrdiff_t>(i); };
    std::rotate(at(hears), at(goes_on), at(goes_on + 1));
  }
  const Report report = judged(records);
  CHECK(broken(report).empty());
  CHECK(report.verdict == RunVerdict::right);
}

TEST_CASE("check: a follower that finds its coordinator gone in its own election may win") {
  Cluster cluster(3);
  cluster.kill(3);
  cluster.suspect(2);
  cluster.run();
  std::vector<Record> records = cluster.records();
  // It follows 3 already: the same announcement once more.
  const std::size_t hears = last_of(records, [](const Record& record) {
    return record.event == TraceEvent::receive && record.node == 2 && record.from == 3;
  });
  // Why it holds an election, the trace of another program need not say.
  std::erase_if(records, [](const Record& record) { return record.event == TraceEvent::suspect; });
  REQUIRE(records[hears].type == messages::coordinator);
  const Report report = judged(records);
  CHECK(broken(report).empty());
}

TEST_CASE("a run of the textbook is right, and costs what the textbook says") {
  const std::vector<Record> records = textbook_run();
  const Report report = judged(records);
  CHECK(report.verdict == RunVerdict::right);
  CHECK(broken(report).empty());
  REQUIRE(!report.elections.empty());
  const Election& election = report.elections.back();
  CHECK(election.winner == 4);
  CHECK(election.survivors == std::vector<NodeId>{1, 2, 3, 4});
  REQUIRE(election.detections.size() == 1);
  CHECK(election.detections[0].node == 2);
  CHECK(election.detections[0].trigger == "down");
  const Figures& figures = report.figures.back();
  REQUIRE(figures.textbook);
  CHECK(figures.textbook->lowest_rank == 2);
  CHECK(figures.nodes == 5);
  CHECK(election_total(figures.textbook->sent) == (5 - 2) * (5 - 2) + 5 - 2);
  for (const MessageType type : default_algorithm().messages) {
    CHECK(figures.sent.of(type) == figures.textbook->sent.of(type));
    CHECK(figures.delivered.of(type) == figures.textbook->delivered.of(type));
  }
  CHECK(figures.textbook->delivered.of(messages::election) == (5 - 2) * (5 - 2 - 1) / 2);
  const Phases phases =
      phases_of(trace_of(records), report.elections.back(), figures.lost_coordinator);
  REQUIRE(phases.detect);
  CHECK(phases.detect->at_most);
  CHECK(phases.detect->ns >= 1000 * ms);
}

TEST_CASE("check: elections that nobody would read are counted, not described") {
  const std::vector<Record> records = textbook_run();
  const Trace trace = trace_of(records);
  Report report = check_trace(trace);
  report.figures.pop_back();  // of more than most_described elections there are none either
  const std::string page = check_report(trace, report, Language::english, false);
  CHECK(contains(page, "further elections, judged as these were: 1\n"));
  CHECK(!contains(page, "Election " + std::to_string(report.elections.size()) + ' '));
  CHECK(contains(check_json(trace, report), "\"more_elections\":1,"));
}

TEST_CASE("a coordinator that comes back, and one that leaves, are judged fairly") {
  Cluster cluster(5);
  cluster.kill(5);
  cluster.suspect(1);
  cluster.suspect(3);
  cluster.run();
  cluster.start(5);
  cluster.stop(5);
  cluster.suspect(1);
  cluster.run();
  const Report report = judged(cluster.records());
  CHECK(report.verdict == RunVerdict::right);
  CHECK(report.elections.back().winner == 4);
  const Trace trace = trace_of(cluster.records());
  const NodeId lost = report.figures.back().lost_coordinator.value();
  CHECK(!phases_of(trace, report.elections.back(), lost).detect.value().at_most);
  CHECK(!two_coordinators(trace, report.timeline).empty());  // until 4 hears of 5
}

TEST_CASE("a process may leave in the middle of a step in slow motion, and only then") {
  std::vector<Record> records = textbook_run();
  const std::size_t asked = last_of(records, [](const Record& r) {
    return r.event == TraceEvent::receive && r.type == messages::election;
  });
  const Record receipt = records[asked];
  records.resize(asked + 1);
  records.push_back({.t_ns = receipt.t_ns + ms,
                     .node = receipt.node,
                     .pid = receipt.pid,
                     .n = 1,
                     .event = TraceEvent::leave});
  const auto broken_by = [&] { return broken(check_trace(trace_of(renumbered(records)))); };
  CHECK(broken_by() == "by-rules");
  const auto slow = std::make_shared<const Environment>(
      Environment{.waits = {.detector = "ping", .pace_ns = 3 * ms}});
  for (Record& record : records) {
    if (record.event == TraceEvent::start) record.environment = slow;
  }
  CHECK(broken_by() == "");
}

TEST_CASE("a receipt without its sending is named with its line") {
  std::vector<Record> records = Cluster(3).records();
  const std::size_t sending = last_of(records, [](const Record& r) {
    return r.event == TraceEvent::send && r.type == messages::coordinator;
  });
  const Record lost = records[sending];
  records.erase(records.begin() + static_cast<std::ptrdiff_t>(sending));
  // It may have come back without a trace: only a later line of its own shows that it did not.
  const Report doubtful = judged(records);
  CHECK(doubtful.verdict == RunVerdict::cannot_tell);
  const auto untraced = std::ranges::find(doubtful.reasons, Doubt("untraced"), &Reason::doubt);
  REQUIRE(untraced != doubtful.reasons.end());
  CHECK(untraced->nodes == std::vector<NodeId>{lost.node});
  records.push_back({.t_ns = records.back().t_ns + ms,
                     .node = lost.node,
                     .pid = lost.pid,
                     .event = TraceEvent::leave});
  const Report report = judged(records);
  REQUIRE(report.verdict == RunVerdict::violated);
  CHECK(broken(report) == "sent");
  const Trace trace = trace_of(records);
  const Record& shown = trace.records[report.violations[0].records[0]];
  CHECK(shown.event == TraceEvent::receive);
}

TEST_CASE("a process that follows a lower one than itself is named") {
  std::vector<Record> records = textbook_run();
  const std::size_t i = last_of(
      records, [](const Record& r) { return r.event == TraceEvent::coordinator && r.node == 3; });
  records[i].coordinator = 2;
  CHECK(broken(records) == "never-lower");
}

TEST_CASE("a trace that does not tell enough says why") {
  const auto only_reason = [](const Report& report) {
    CHECK(report.verdict == RunVerdict::cannot_tell);
    REQUIRE(!report.reasons.empty());
    return report.reasons[0].doubt;
  };
  CHECK(only_reason(judged(std::vector<Record>{})) == Doubt("empty"));

  std::vector<Record> records = textbook_run();
  records.resize(last_of(records, [](const Record& r) { return r.state == "candidate"; }) + 1);
  CHECK(only_reason(judged(records)) == Doubt("mid_election"));

  const auto nameless = without(textbook_run(), [](const Record& r) { return r.node == 1; });
  const Report report = judged(nameless);
  CHECK(only_reason(report) == Doubt("names_only"));
  CHECK(report.reasons[0].nodes == std::vector<NodeId>{1});
}

TEST_CASE("elections stand in order, and do not overlap") {
  const Trace trace = trace_of(textbook_run());
  const std::vector<Election> elections = elections_of(trace, timeline_of(trace));
  REQUIRE(elections.size() == 6);  // five starts, and a crash
  for (std::size_t k = 0; k < elections.size(); ++k) {
    CHECK(elections[k].number == k + 1);
    CHECK(elections[k].first_record <= elections[k].last_record);
    if (k > 0) CHECK(elections[k - 1].last_record < elections[k].first_record);
  }
}

TEST_CASE("the report is in both languages, and its JSON is JSON") {
  const Trace trace = trace_of(textbook_run());
  const Report report = check_trace(trace);
  CHECK(check_report(trace, report, Language::english, false).starts_with("RIGHT"));
  CHECK(check_report(trace, report, Language::portuguese, false).starts_with("CORRETA"));
  const std::optional<Json> json = parse_json(check_json(trace, report));
  REQUIRE(json);
  CHECK((*json)["verdict"].text == "RIGHT");
  CHECK((*json)["elections"].elements.size() == report.elections.size());
}

TEST_CASE("a coordinator that leaves at the end leaves no election behind") {
  Cluster cluster(3);
  cluster.kill_and_tell(1);
  cluster.stop(3);
  const Report follower_left = judged(cluster.records());
  CHECK(follower_left.elections.size() == 3);
  REQUIRE(follower_left.verdict == RunVerdict::cannot_tell);
  CHECK(follower_left.reasons[0].doubt == Doubt("open_end"));
  CHECK(follower_left.reasons[0].nodes == std::vector<NodeId>{2});
  cluster.stop(2);
  CHECK(judged(cluster.records()).verdict == RunVerdict::right);
}

TEST_CASE("a node that was killed and swept long ago holds up no election") {
  Cluster cluster(4);
  bool is_told = false;
  SUBCASE("and nothing says that it was killed: it may live on, and follow the dead") {}
  SUBCASE("and the one who killed it says so") {
    is_told = true;
  }
  cluster.kill_and_sweep(1, is_told);
  cluster.kill(4);
  cluster.suspect(2);
  cluster.run();
  cluster.stop(2);
  cluster.stop(3);
  const Report report = judged(cluster.records());
  CHECK(report.verdict == (is_told ? RunVerdict::right : RunVerdict::cannot_tell));
  const auto won = std::find_if(report.elections.rbegin(), report.elections.rend(),
                                [](const Election& election) { return election.winner == 3; });
  REQUIRE(won != report.elections.rend());
  CHECK(won->survivors == std::vector<NodeId>{2, 3});
}
