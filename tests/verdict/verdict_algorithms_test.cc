// verdict_algorithms_test.cc: the verdict on simulated runs of every algorithm.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "base/json.h"
#include "fixture/recorded_run.h"
#include "support/messages.h"
#include "support/process.h"
#include "view/check_report.h"

using namespace bully;
using namespace bully::recorded;

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

}  // namespace

TEST_CASE("check: under random faults no right protocol is called violated") {
  constexpr std::uint64_t seeds = tried(300);
  for (const Algorithm& algorithm : algorithms()) {
    CAPTURE(algorithm.name);
    std::uint64_t right = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      CAPTURE(seed);
      SweepOptions options = faulty(algorithm, seed);
      if (seed % 3 != 0) options.world.loss_ppm = 10'000;
      const Report report = judged(swept(options, seed));
      CHECK(report.timeline.algorithms == std::vector{&algorithm});
      CHECK(report.verdict != RunVerdict::violated);
      CHECK(broken(report) == "");
      CHECK(!doubts(report, "unfounded"));
      CHECK(!doubts(report, "early"));
      right += report.verdict == RunVerdict::right ? 1 : 0;
    }
    CHECK(right > seeds * 2 / 3);
  }
}

TEST_CASE("check: killed at whatever moment, a run has nothing held against it") {
  for (const Algorithm* algorithm : {&ring(), &default_algorithm()}) {
    CAPTURE(algorithm->name);
    const auto all = swept(faulty(*algorithm, 4), 4);
    REQUIRE(all.size() > 50);
    for (std::size_t size = 1; size <= all.size(); ++size) {
      CAPTURE(size);
      CHECK(broken(judged_first(all, size)) == "");
    }
  }
}

TEST_CASE(
    "check: a ring with links that reorder is called violated, by the broken property's name") {
  for (const char* name : {"dolev-klawe-rodeh", "chang-roberts"}) {
    const Algorithm& algorithm = *find_algorithm(name);
    int caught = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      CAPTURE(seed);
      Recorder recorder(algorithm);
      // The links are bully's, which promises nothing of order.
      sweep_one(faulty(default_algorithm(), seed), seed, &recorder, algorithm.make);
      const Report report = judged(recorder.records);
      const bool by_name = contains(broken(report), "fifo");
      CHECK((report.verdict == RunVerdict::violated) == by_name);
      caught += by_name ? 1 : 0;
    }
    CHECK(caught > 30);
  }
}

TEST_CASE(
    "check: an undisturbed election costs what the textbook counts, for any order of a ring") {
  const std::vector<std::vector<NodeId>> orders = {
      {1, 2, 3, 4, 5, 6}, {6, 5, 4, 3, 2, 1}, {1, 5, 3, 7, 2, 6, 4, 8}, {1, 2}};
  for (const Algorithm& algorithm : algorithms()) {
    for (const auto& order : orders) {
      for (std::vector<NodeId> detectors : {std::vector<NodeId>{2}, order}) {
        const NodeId winner = algorithm.preferred_of(order);
        const bool has_winner = std::ranges::count(detectors, winner) > 0;
        if (algorithm.must_notice == Noticing::highest && !has_winner) {
          detectors.push_back(winner);
        }
        const Trace trace = trace_of(run_of(algorithm, order, detectors));
        const Report report = check_trace(trace);
        INFO(check_report(trace, report, Language::english, false));
        CHECK(report.verdict == RunVerdict::right);
        const Figures& figures = report.figures.back();
        REQUIRE(figures.textbook);
        REQUIRE(figures.bound);
        CHECK(!figures.exceeds_bound);
        const bool is_ring = algorithm.topology == Topology::ring;
        CHECK(figures.nodes == order.size() + (is_ring ? 0 : 1));
        // The coordinator is gone, and was next to one of those that notice.
        const bool all_notice = detectors.size() == order.size();
        if (all_notice) CHECK(election_total(figures.lost) > 0);
        for (const MessageType type : algorithm.messages) {
          CAPTURE(type->code);
          const std::uint64_t lost = is_ring ? figures.lost.of(type) : 0;
          CHECK(figures.delivered.of(type) == figures.textbook->delivered.of(type));
          CHECK(figures.sent.of(type) - lost == figures.textbook->sent.of(type));
          CHECK(figures.textbook->sent.of(type) <= figures.bound->of(type));
        }
      }
    }
  }
}

TEST_CASE("check: a process that joins a ring begins an election that the textbook counts") {
  for (const char* name : {"dolev-klawe-rodeh", "chang-roberts"}) {
    const Algorithm& algorithm = *find_algorithm(name);
    Recorder recorder(algorithm);
    World world(quiet(algorithm), &recorder, algorithm.make);
    world.preset(std::vector<NodeId>{1, 2, 4, 5});
    world.start(3);
    world.run_until_quiescent(seconds(100));
    const Report report = judged(recorder.records);
    CHECK(report.verdict == RunVerdict::right);
    const Election& election = report.elections.back();
    REQUIRE(election.detections.size() == 1);
    CHECK(election.detections[0].trigger == "start");
    CHECK(election.detections[0].node == 3);
    CHECK(election.winner == 5);
    const Figures& figures = report.figures.back();
    CHECK(figures.delivered.of(messages::join) == 1);
    REQUIRE(figures.textbook);
    CHECK(figures.delivered.of(messages::value) == figures.textbook->sent.of(messages::value));
  }
}

TEST_CASE("check: a neighbour that dies in mid-election is not a coordinator that was lost") {
  Recorder recorder(ring());
  WorldOptions options = quiet(ring());
  options.detection = Detector::eof;
  World world(options, &recorder, ring().make);
  world.preset(std::vector<NodeId>{1, 2, 3, 4, 5, 6});
  world.crash(6);
  world.run_for(milliseconds(1));
  world.suspect(1, Suspicion::hung);
  world.run_for(milliseconds(1));
  REQUIRE(!world.protocol(2).coordinator());
  world.crash(3);
  world.run_until_quiescent(seconds(100));
  first_of(recorder.records,
           [](const Record& r) { return r.event == TraceEvent::suspect && r.coordinator == 3; });
  const Report report = judged(recorder.records);
  CHECK(report.verdict == RunVerdict::right);
  const Election& election = report.elections.back();
  CHECK(election.winner == 5);
  CHECK(!election.detections.empty());
  for (const Noticed& detection : election.detections) CHECK(detection.suspected == 6);
  CHECK(!report.figures.back().textbook);  // somebody died meanwhile
}

TEST_CASE("check: different algorithms in one trace are a reason to tell nothing") {
  std::vector<Record> records = run_of(default_algorithm(), {1, 2, 3}, {1});
  const std::int64_t ended = records.back().t_ns;
  for (Record record : run_of(ring(), {11, 12, 13}, {11})) {
    record.t_ns += ended;
    records.push_back(record);
  }
  const Trace trace = trace_of(records);
  const Report report = check_trace(trace);
  CHECK(report.verdict == RunVerdict::cannot_tell);
  REQUIRE(report.timeline.algorithms.size() == 2);
  const auto mixed = std::ranges::find(report.reasons, Doubt("mixed"), &Reason::doubt);
  REQUIRE(mixed != report.reasons.end());
  CHECK(mixed->records.size() == 2);
  for (const Language language : {Language::english, Language::portuguese}) {
    CHECK(contains(check_report(trace, report, language, false), "bully, dolev-klawe-rodeh"));
  }
  CHECK(contains(check_json(trace, report), "\"reason\":\"mixed\""));
}

TEST_CASE("check: what is judged follows from the algorithm, and the report names it") {
  for (const Algorithm& algorithm : algorithms()) {
    const Trace trace = trace_of(run_of(algorithm, {1, 2, 3}, {1}));
    const Report report = check_trace(trace);
    const auto judges = [&](const Property& property) {
      return std::ranges::count(report.properties, &property) > 0;
    };
    CHECK(judges(properties::highest_live) ==
          (std::ranges::count(algorithm.properties, &properties::highest_live) > 0));
    CHECK(judges(properties::fifo) == (algorithm.topology == Topology::ring));
    const std::string page = check_report(trace, report, Language::english, false);
    CHECK(contains(page, "algorithm " + std::string(algorithm.name)));
    const std::optional<Json> json = parse_json(check_json(trace, report));
    REQUIRE(json);
    CHECK((*json)["algorithms"].elements.at(0).text == algorithm.name);
    CHECK((*json)["properties"].keys.size() == report.properties.size());
    const Json& messages = (*json)["elections"].elements.back()["messages"];
    CHECK(messages.keys.size() == algorithm.messages.size());
  }
}
