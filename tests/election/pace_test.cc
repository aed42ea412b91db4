// pace_test.cc: elections in slow motion, in virtual time: right at every pace and moment, with the
// messages of an election at full speed, and no longer than their messages need.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "fixture/recorded_run.h"

using namespace bully;
using namespace bully::recorded;

namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr nanoseconds long_enough = seconds(100'000);
constexpr auto paces = {milliseconds(10), milliseconds(700), milliseconds(1000),
                        milliseconds(3000)};

// Processes 1, 2, … with monitors, as run_cluster.sh starts them.
struct SlowCluster {
  SlowCluster(const Algorithm& algorithm, nanoseconds pace, Detector detection = Detector::ping,
              std::uint64_t seed = 1)
      : recorder(algorithm),
        world(options_for(algorithm, pace, detection, seed), &recorder),
        pace_ns(pace.count()) {}

  static WorldOptions options_for(const Algorithm& algorithm, nanoseconds pace, Detector detection,
                                  std::uint64_t seed) {
    WorldOptions options;
    options.seed = seed;
    options.delay = {Delay::Shape::fixed, milliseconds(1), milliseconds(1)};
    options.algorithm = &algorithm;
    options.pace = pace;
    options.detection = detection;
    return options;
  }

  // Each one when the one before has settled.
  void start(NodeId nodes) {
    for (NodeId id = 1; id <= nodes; ++id) {
      world.start(id);
      world.run_until_quiescent(long_enough);
    }
  }
  void settle() {
    world.run_until_quiescent(long_enough);
    world.run_for(seconds(60) + 100 * nanoseconds(pace_ns));  // and nothing comes after
    world.run_until_quiescent(long_enough);
  }
  // Of the records from `first` on: the most pauses on a chain of messages, and the time from the
  // first suspicion or start to the last.
  std::int64_t longest_chain(std::size_t first) const {
    std::map<NodeId, std::int64_t> pauses;
    std::map<std::pair<NodeId, std::uint64_t>, std::int64_t> of_message;
    std::int64_t most = 0;
    for (std::size_t i = first; i < recorder.records.size(); ++i) {
      const Record& record = recorder.records[i];
      if (record.event == TraceEvent::send) {
        of_message[{record.node, *record.number}] = ++pauses[record.node];
      } else if (record.event == TraceEvent::receive) {
        std::int64_t& own = pauses[record.node];
        own = std::max(own, of_message[{record.from, *record.number}]) + 1;
      }
      most = std::max(most, pauses[record.node]);
    }
    return most;
  }
  std::int64_t time_ns(std::size_t first) const {
    const auto begin = std::find_if(recorder.records.begin() + static_cast<std::ptrdiff_t>(first),
                                    recorder.records.end(), [](const Record& record) {
                                      return record.event == TraceEvent::suspect ||
                                             record.event == TraceEvent::start;
                                    });
    return begin == recorder.records.end() ? 0 : recorder.records.back().t_ns - begin->t_ns;
  }

  Recorder recorder;
  World world;
  std::int64_t pace_ns;
};

// Of each algorithm.
template <typename Check>
void at_each_pace(Check check) {
  for (const Algorithm& algorithm : built_in_algorithms()) {
    CAPTURE(algorithm.name);
    for (const milliseconds pace : paces) {
      CAPTURE(pace.count());
      check(algorithm, pace);
    }
  }
}

void check_right(SlowCluster& cluster, const char* when) {
  cluster.settle();
  CAPTURE(when);
  CHECK(cluster.world.agreed());
  cluster.world.record_ends();
  const Report report = judged(cluster.recorder.records);
  CHECK(broken(report) == "");
  CHECK(report.verdict == RunVerdict::right);
}

}  // namespace

TEST_CASE("slow processes send exactly the messages of fast ones in a settled cluster") {
  at_each_pace([](const Algorithm& algorithm, milliseconds pace) {
    SlowCluster fast(algorithm, nanoseconds(0), Detector::off);
    SlowCluster slow(algorithm, pace, Detector::off);
    const auto is_same = [&](const auto& act) {
      for (SlowCluster* cluster : {&fast, &slow}) {
        cluster->world.reset_counts();
        act(cluster->world);
        cluster->settle();
      }
      return fast.world.sent() == slow.world.sent();
    };
    for (NodeId id = 1; id <= 5; ++id) CHECK(is_same([&](World& world) { world.start(id); }));
    // One notices, the one next in line if that matters: how many do is a matter of their
    // monitors' moments.
    const NodeId notices = algorithm.must_notice ? 4 : 2;
    CHECK(is_same([&](World& world) {
      world.crash(5);
      world.suspect(notices);
    }));
    CHECK(is_same([](World& world) { world.start(5); }));
    CHECK(slow.world.agreed());
  });
}

// Fast ones are told by hand which of them notices: the one that begins in slow motion.
TEST_CASE(
    "slow processes hold one election, though the monitors of all find the coordinator gone") {
  at_each_pace([](const Algorithm& algorithm, milliseconds pace) {
    for (const Detector detection : {Detector::ping, Detector::eof}) {
      CAPTURE(detection);
      SlowCluster fast(algorithm, nanoseconds(0), Detector::off);
      SlowCluster slow(algorithm, pace, detection);
      for (SlowCluster* cluster : {&fast, &slow}) {
        cluster->start(5);
        cluster->world.run_for(seconds(1000));  // longer than anything of the start lasts
        cluster->world.reset_counts();
        cluster->world.crash(5);
      }
      fast.world.suspect(algorithm.must_notice ? 4 : 1);
      for (SlowCluster* cluster : {&fast, &slow}) cluster->settle();
      CHECK(slow.world.sent() == fast.world.sent());
      CHECK(slow.world.agreed());
    }
  });
}

TEST_CASE("slow processes elect as well if the one that should begin is stopped") {
  for (const Algorithm& algorithm : built_in_algorithms()) {
    CAPTURE(algorithm.name);
    SlowCluster cluster(algorithm, seconds(1));
    cluster.start(5);
    cluster.world.pause(algorithm.must_notice ? 4 : 1);
    cluster.world.crash(5);
    cluster.settle();
    cluster.world.resume(algorithm.must_notice ? 4 : 1);
    check_right(cluster, "stopped");
  }
}

TEST_CASE("slow processes wait no longer than for their messages") {
  at_each_pace([](const Algorithm& algorithm, milliseconds pace) {
    SlowCluster cluster(algorithm, pace);
    cluster.start(5);
    const auto is_short = [&](std::size_t first) {
      cluster.settle();
      const std::int64_t pauses_ns = cluster.longest_chain(first) * cluster.pace_ns;
      return cluster.time_ns(first) <= pauses_ns * 3 / 2 + milliseconds(1000) / nanoseconds(1);
    };
    const std::size_t killed = cluster.recorder.records.size();
    cluster.world.crash(5);
    CHECK(is_short(killed));
    const std::size_t back = cluster.recorder.records.size();
    cluster.world.start(5);
    CHECK(is_short(back));
    check_right(cluster, "after the return");
  });
}

TEST_CASE("slow processes elect rightly whenever their coordinator is killed or stopped") {
  at_each_pace([](const Algorithm& algorithm, milliseconds pace) {
    for (const int moment_s : {0, 2, 5, 12, 35}) {
      CAPTURE(moment_s);
      for (const bool is_stopped : {false, true}) {
        CAPTURE(is_stopped);
        SlowCluster cluster(algorithm, pace, Detector::ping,
                            static_cast<std::uint64_t>(moment_s) + 1);
        for (NodeId id = 1; id <= 5; ++id) {
          cluster.world.start(id);
          cluster.world.run_for(milliseconds(30));
        }
        cluster.world.run_for(seconds(moment_s));
        if (is_stopped) {
          cluster.world.pause(5);
          cluster.world.run_for(seconds(400));
          cluster.world.resume(5);
        } else {
          cluster.world.crash(5);
          cluster.settle();
          CHECK(cluster.world.agreed());
          cluster.world.start(5);
        }
        check_right(cluster, is_stopped ? "stopped" : "killed");
      }
    }
  });
}
