// world_faithful_test.cc: that the simulator does to a process what a real machine does to it.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/carried.h"
#include "fixture/cluster.h"
#include "fixture/played.h"
#include "fixture/recorded_run.h"
#include "history/figures.h"
#include "sim/script.h"
#include "sim/world.h"
#include "verdict/verdict.h"

namespace bully {
namespace {

struct Kept : Sink {
  void record(const Record& record) override { records.push_back(record); }
  std::vector<Record> records;

  std::size_t count(TraceEvent event, NodeId node) const {
    return static_cast<std::size_t>(std::ranges::count_if(records, [&](const Record& record) {
      return record.event == event && record.node == node;
    }));
  }
};

std::vector<Record> records_of(const std::string& script) {
  Kept kept;
  CHECK(play_script(script, {}, &kept).broken == "");
  return kept.records;
}

}  // namespace

TEST_CASE("a monitor that is told to watch another forgets the slow ping of the one before") {
  // 5 is so slow that 4 takes over; what 5 failed to reply in time says nothing about 4.
  for (const Record& record : records_of("nodes 1..5\nslow 5 by 1000\nrun 3s\n")) {
    const bool blames_the_healthy =
        record.event == TraceEvent::suspect && record.coordinator == 4 && record.reason == "hung";
    CHECK_FALSE(blames_the_healthy);
  }
}

TEST_CASE("a run goes on as long as a monitor will find its coordinator too slow") {
  Kept kept;
  World world({}, &kept);
  world.preset(one_to(5));
  world.slow_down(5, 1000);
  CHECK_FALSE(world.is_quiescent());
  world.run_until_quiescent(std::chrono::seconds(5));
  CHECK(std::ranges::any_of(kept.records, [](const Record& record) {
    return record.event == TraceEvent::suspect && record.coordinator == 5 &&
           record.reason == "hung";
  }));
  world.slow_down(5, 1);
  world.run_until_quiescent(std::chrono::seconds(60));
  CHECK(world.agreed());
}

TEST_CASE("a process that goes on handles what had waited before it starts over") {
  Kept kept;
  World world(recorded::quiet(default_algorithm()), &kept);
  world.preset(one_to(3));
  world.pause(2);
  world.crash(3);
  world.suspect(1);
  world.run_for(std::chrono::milliseconds(10));  // 1's ELECTION waits at 2
  const std::size_t before = kept.records.size();
  world.resume(2);
  REQUIRE(kept.records.size() > before);
  CHECK(kept.records[before].event == TraceEvent::resume);
  CHECK(kept.records[before + 1].event == TraceEvent::receive);
  CHECK(kept.count(TraceEvent::start, 2) == 1);  // it has only been stopped
}

TEST_CASE("a stopped coordinator that was replaced counts as a second one, as in the trace") {
  for (const Algorithm& algorithm : algorithms()) {
    CAPTURE(algorithm.name);
    Kept kept;
    const WorldOptions options{.algorithm = &algorithm};
    World world(options, &kept);
    const std::vector<NodeId> ids = one_to(4);
    const NodeId stopped = algorithm.preferred_of(ids);
    world.preset(ids);
    world.pause(stopped);
    world.run_for(std::chrono::seconds(20));  // the others have long elected another
    CHECK(world.contested() > std::chrono::seconds(10));
    world.resume(stopped);
    world.run_until_quiescent(std::chrono::seconds(60));
    CHECK(world.agreed());
    for (const NodeId id : ids) world.leave(id);  // the last line of each: it was still there
    const Trace trace = recorded::trace_of(kept.records);
    World::Time shown{};
    const History recorded_history = history_of(trace);
    for (const TwoCoordinators& two : two_coordinators(recorded_history).longest) {
      shown += World::Time(two.ns());
    }
    CHECK(world.contested() == shown);
  }
}

TEST_CASE("a crash is recorded as a crash, and a leaving as a leaving") {
  Kept kept;
  World world({}, &kept);
  world.preset(one_to(3));
  world.crash(3);
  world.leave(2);
  CHECK(kept.count(TraceEvent::crash, 3) == 1);
  CHECK(kept.count(TraceEvent::leave, 3) == 0);
  CHECK(kept.count(TraceEvent::leave, 2) == 1);
  CHECK(kept.count(TraceEvent::crash, 2) == 0);
}

TEST_CASE("a snapshot learnt from the records is what the process itself is") {
  struct Learning : Sink, Played {
    void record(const Record& record) override { learn(learnt[record.node], record); }
    void on_step(const Step&) override {
      for (Snapshot node : stage->nodes()) {
        Snapshot from_records = learnt[node.id];
        // That it was stopped, no record says.
        if (node.condition == Condition::stopped) from_records.condition = Condition::stopped;
        CHECK(from_records == node);
        ++compared;
      }
    }
    SimulatedBackend* stage = nullptr;
    std::map<NodeId, Snapshot> learnt;
    int compared = 0;
  };
  for (const CarriedText& lesson : lessons()) {
    CAPTURE(lesson.name);
    const Scenario scenario = parsed(lesson.text);
    Learning learning;
    SimulatedBackend stage(scenario, &learning);
    learning.stage = &stage;
    CHECK(play(scenario, stage, learning).kept > 0);
    CHECK(learning.compared > 0);
    CHECK(learning.broken == "");
  }
}

}  // namespace bully
