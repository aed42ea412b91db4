// The simulator: that it is exact, that it can be repeated, and that its faults are faults.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "election/algorithm.h"
#include "election/bully.h"
#include "fixture/recorded_run.h"
#include "sim/world.h"
#include "support/messages.h"
#include "support/sinks.h"
#include "trace/trace.h"

namespace bully {
namespace {

using recorded::TraceText;

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

WorldOptions without_monitors() {
  return recorded::quiet(default_algorithm());
}

}  // namespace

TEST_CASE("the dice are the published SplitMix64") {
  Random random(1234567);
  CHECK(random.next() == 6457827717110365317U);
  CHECK(random.next() == 3203168211198807973U);
}

TEST_CASE("an election costs exactly what the textbook's count says, for any detector") {
  for (const NodeId n : std::vector<NodeId>{2, 3, 4, 5, 6, 7, 8, 12, 100}) {
    for (NodeId k = 1; k<n; k += n> 12 ? 7 : 1) {
      CAPTURE(n);
      CAPTURE(k);
      World world(without_monitors());
      world.preset(one_to(n));
      world.crash(n);
      world.suspect(k);
      world.run_until_quiescent(seconds(60));
      const NodeId above = n - k;
      CHECK(world.sent().of(messages::election) == above * (above + 1) / 2);
      CHECK(world.delivered().of(messages::election) == above * (above - 1) / 2);
      CHECK(world.sent().of(messages::answer) == above * (above - 1) / 2);
      CHECK(world.sent().of(messages::coordinator) == n - 2);
      CHECK(election_total(world.sent()) == above * above + n - 2);
      CHECK(world.agreed());
    }
  }
}

TEST_CASE("monitors find a crashed coordinator within their interval") {
  for (const Detector detection : {Detector::ping, Detector::eof}) {
    WorldOptions options;
    options.detection = detection;
    World world(options);
    world.preset(one_to(5));
    world.crash(5);
    world.run_until_quiescent(seconds(60));
    CHECK(world.agreed());
    CHECK(world.protocol(1).coordinator() == 4);
    CHECK(world.now() <= milliseconds(detection == Detector::eof ? 10 : 2000));
  }
}

TEST_CASE("what reaches a paused process waits, up to its backlog") {
  TraceText lines;
  WorldOptions options = without_monitors();
  options.backlog = 2;
  World world(options, &lines);
  world.preset(one_to(5));
  world.pause(5);
  for (NodeId id = 1; id <= 3; ++id) world.suspect(id);
  world.run_for(milliseconds(100));
  CHECK(lines.text.find("\"deadline\"") != std::string::npos);
  const auto before = world.delivered().of(messages::election);
  world.resume(5);
  CHECK(world.delivered().of(messages::election) == before + 2);
}

TEST_CASE("a process that starts is given a number above those of all elections before") {
  WorldOptions options = without_monitors();
  options.algorithm = find_algorithm("chang-roberts");
  World world(options);
  world.preset(one_to(3));
  for (int life = 0; life < 3; ++life) {
    const std::uint64_t latest = world.protocol(1).latest_election();
    world.crash(3);
    world.start(3);
    CHECK(world.protocol(3).latest_election() > latest);
    world.run_until_quiescent(seconds(60));
    CHECK(world.protocol(1).latest_election() > latest + 1);
  }
}

TEST_CASE("ids of nodes that never started are refused") {
  World world{WorldOptions{}};
  CHECK_THROWS_AS(world.crash(1), std::out_of_range);
}

TEST_CASE("processes that start together take fewer messages than there are pairs of them") {
  std::vector<NodeId> ids = one_to(100);
  std::minstd_rand random(1);
  for (const char* order : {"from the lowest", "from the highest", "in any order"}) {
    CAPTURE(order);
    World world({.delay = {Delay::Shape::uniform, microseconds(20), milliseconds(2)}});
    for (const NodeId id : ids) {
      world.start(id);
      world.run_for(microseconds(500));
    }
    world.run_until_quiescent(seconds(100));
    CHECK(world.agreed());
    CHECK(election_total(world.sent()) < ids.size() * ids.size());
    if (ids.front() == 1) {
      std::ranges::reverse(ids);
    } else {
      std::ranges::shuffle(ids, random);
    }
  }
}

TEST_CASE("messages arrive in the order of their times, and first sent first among equals") {
  Record last;
  std::size_t count = 0;
  EachRecord arrivals([&](const Record& record) {
    if (record.event != TraceEvent::receive || record.from != 1) return;
    CHECK(std::pair(last.t_ns, last.number) < std::pair(record.t_ns, record.number));
    last = record;
    ++count;
  });
  WorldOptions options = without_monitors();
  options.delay = {Delay::Shape::uniform, milliseconds(1), milliseconds(1) + 2 * Delay::step};
  World world(options, &arrivals);
  world.preset(one_to(101));
  world.crash(101);
  world.hold();
  world.suspect(1);
  CHECK(world.in_flight().size() == 100);  // 99 ELECTION, and the news that 101 is gone
  CHECK(world.drop({.to = 7}) == 1);
  CHECK(world.in_flight().size() == 99);
  world.release();
  world.run_for(milliseconds(1) + 2 * Delay::step);
  CHECK(count == 98);
}

TEST_CASE("a cut is recorded for each process that it concerns, and so is its end") {
  std::vector<std::string> told;
  EachRecord sink([&](const Record& record) {
    if (record.event != TraceEvent::partition && record.event != TraceEvent::heal) return;
    CHECK(record.n == 0);
    told.push_back(std::to_string(record.node) + ' ' +
                   (record.side ? std::to_string(*record.side) : "heals"));
  });
  using Told = std::vector<std::string>;
  World world(without_monitors(), &sink);
  world.preset(one_to(4));
  world.crash(4);
  world.partition(std::vector<NodeId>{1, 2}, std::vector<NodeId>{3, 4});
  CHECK(std::exchange(told, {}) == Told{"1 1", "2 1", "3 2"});  // not of a process that is gone
  world.crash(3);
  world.heal();
  CHECK(std::exchange(told, {}) == Told{"1 heals", "2 heals"});
  world.cut(std::vector<NodeId>{2}, std::vector<NodeId>{1});
  CHECK(std::exchange(told, {}) == Told{"1 1", "2 2"});
  world.heal();
  world.heal();
  CHECK(told == Told{"1 heals", "2 heals"});
}

TEST_CASE("no timer lasts longer than its wait says, in slow motion as well") {
  for (const milliseconds pace : {milliseconds(0), milliseconds(100)}) {
    for (const Algorithm& algorithm : algorithms()) {
      CAPTURE(algorithm.name);
      WorldOptions options = recorded::quiet(algorithm);
      options.pace = pace;
      std::map<std::pair<NodeId, std::string_view>, std::int64_t> until_ns;
      std::size_t waits = 0;
      std::size_t timeouts = 0;
      EachRecord sink([&](const Record& record) {
        if (record.event == TraceEvent::wait) {
          ++waits;
          REQUIRE(record.longest_ns);
          CHECK(record.n > 0);
          until_ns[{record.node, record.timer}] = record.t_ns + *record.longest_ns;
        } else if (record.event == TraceEvent::timeout) {
          ++timeouts;
          CHECK(record.t_ns <= until_ns.at({record.node, record.timer}));
        }
      });
      World world(options, &sink);
      world.preset(one_to(4));
      world.crash(4);
      world.pause(3);
      for (const NodeId id : {1U, 2U}) world.suspect(id);
      world.run_for(seconds(60));
      CHECK(waits > 0);
      CHECK(timeouts > 0);
    }
  }
}

}  // namespace bully
