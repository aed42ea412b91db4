// Sweeps: that they judge, that they can fail, and what their reports say.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "election/algorithm.h"
#include "fixture/recorded_run.h"
#include "mutants/bully_mutants.h"
#include "sim/experiments.h"
#include "support/process.h"
#include "trace/trace.h"
#include "view/sweep_report.h"
#include "words/names.h"

namespace bully {
namespace {

using recorded::TraceText;

using std::chrono::milliseconds;
using std::chrono::seconds;

SweepOptions rough() {
  SweepOptions options{.seeds = 500, .crashes = 4, .restarts = 3, .pauses = 3, .world = {}};
  options.world.loss_ppm = 50'000;
  options.world.delay = {Delay::Shape::long_tailed, milliseconds(1), milliseconds(800)};
  return options;
}

std::size_t failures(const SweepOptions& options,
                     const ProtocolMaker& make = default_algorithm().make) {
  std::size_t failed = 0;
  for (std::uint64_t seed = 1; seed <= options.seeds; ++seed) {
    failed += sweep_one(options, seed, nullptr, make).agreed ? 0 : 1;
  }
  return failed;
}

}  // namespace

TEST_CASE("whatever the faults were, once they stop all follow the highest") {
  CHECK(failures(rough()) == 0);
  SweepOptions eof = rough();
  eof.world.detection = Detector::eof;
  CHECK(failures(eof) == 0);
  SweepOptions many = rough();
  many.nodes = 12;
  many.crashes = 12;
  many.restarts = 8;
  CHECK(failures(many) == 0);
}

TEST_CASE("every algorithm of the table ends in agreement, however its ring stands") {
  for (const Algorithm& algorithm : algorithms()) {
    for (const bool random_arrangement : {false, true}) {
      for (const std::uint32_t loss_ppm : {0U, 50'000U, 300'000U}) {
        CAPTURE(algorithm.name);
        CAPTURE(random_arrangement);
        CAPTURE(loss_ppm);
        SweepOptions options = rough();
        options.nodes = 7;
        options.seeds = tried(300);
        options.world.algorithm = &algorithm;
        options.random_arrangement = random_arrangement;
        options.world.loss_ppm = loss_ppm;
        options.world.detection = random_arrangement ? Detector::eof : Detector::ping;
        CHECK(failures(options, algorithm.make) == 0);
      }
    }
  }
}

TEST_CASE(
    "a run of any algorithm speaks its own messages only, and repeats itself to the last byte") {
  for (const Algorithm& algorithm : algorithms()) {
    CAPTURE(algorithm.name);
    SweepOptions options = rough();
    options.world.algorithm = &algorithm;
    MessageCounts all;
    std::set<std::string> traces;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      TraceText once;
      TraceText again;
      const SweepRun run = sweep_one(options, seed, &once);
      const SweepRun same = sweep_one(options, seed, &again);
      CHECK(once.text == again.text);
      CHECK(run.time_to_agree == same.time_to_agree);
      CHECK(run.sent == same.sent);
      CHECK(run.contested == same.contested);
      for (const auto& [type, count] : run.sent) all[type] += count;
      traces.insert(once.text);
    }
    CHECK(traces.size() == 20);  // another seed, another run
    for (const MessageType type : known_messages()) {
      CHECK((all.of(type) > 0) == algorithm.speaks(type));
    }
  }
}

TEST_CASE("a random ring takes other messages than one by id, and bully the same") {
  for (const Algorithm& algorithm : algorithms()) {
    CAPTURE(algorithm.name);
    SweepOptions by_id{.nodes = 12, .world = {}};
    by_id.world.algorithm = &algorithm;
    SweepOptions at_random = by_id;
    at_random.random_arrangement = true;
    std::size_t other = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      other += sweep_one(by_id, seed).sent == sweep_one(at_random, seed).sent ? 0 : 1;
    }
    CHECK((other > 0) == (algorithm.topology == Topology::ring));
  }
}

TEST_CASE("a sweep's table and CSV go by the algorithm's messages and its bound") {
  for (const Algorithm& algorithm : algorithms()) {
    CAPTURE(algorithm.name);
    SweepOptions options{.nodes = 8, .world = {}};
    options.world.algorithm = &algorithm;
    const SweepRun run = sweep_one(options, 3);
    const std::vector<SweepRun> runs = {run};
    const std::string table = sweep_table(runs, options, Language::english);
    const std::string csv = sweep_csv(runs, algorithm);
    const MessageCounts bound = algorithm.bound_after_crash(8);
    for (const MessageType type : known_messages()) {
      CAPTURE(type->name);
      const std::string line = '\n' + name_of(type, Language::english) + ' ';
      // Another's may have the same name.
      const bool is_own = std::ranges::any_of(algorithm.messages, [&](MessageType own) {
        return name_of(own, Language::english) == name_of(type, Language::english);
      });
      CHECK((table.find(line) != std::string::npos) == is_own);
      const std::string column = ',' + std::string(type->name);
      CHECK((csv.substr(0, csv.find('\n')).find(column) != std::string::npos) ==
            std::ranges::any_of(algorithm.messages,
                                [&](MessageType own) { return own->name == type->name; }));
      if (bound.of(type) == 0) continue;
      const std::string most =
          name_of(type, Language::english) + ' ' + std::to_string(bound.of(type));
      CHECK(contains(in_one_line(table.substr(table.find("takes at most"))), most));
    }
  }
}

TEST_CASE("a sweep notices a protocol that a rule is missing from") {
  for (const Mutation mutation : {Mutation::ignores_suspicion, Mutation::no_coordinator_timer}) {
    CHECK(failures(rough(), mutants(mutation)) > 0);
  }
}

TEST_CASE("the faults of a sweep do happen") {
  TraceText lines;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) sweep_one(rough(), seed, &lines);
  for (const std::string event :
       {"\"start\"", "\"crash\"", "\"loss\"", "\"gone\"", "\"suspect\""}) {
    CAPTURE(event);
    CHECK(lines.text.find(event) != std::string::npos);
  }
}

TEST_CASE("the time to agree begins with the last fault that took place") {
  const SweepOptions options{.crashes = 1, .restarts = 0, .world = {}};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    std::vector<Record> records;
    struct Kept : Sink {
      explicit Kept(std::vector<Record>& to) : all(to) {}
      void record(const Record& one) override { all.push_back(one); }
      std::vector<Record>& all;
    } kept(records);
    const SweepRun run = sweep_one(options, seed, &kept);
    const auto last = [&](TraceEvent event) {
      const auto found = std::find_if(records.rbegin(), records.rend(),
                                      [=](const Record& one) { return one.event == event; });
      REQUIRE(found != records.rend());
      return found->t_ns;
    };
    // A follower's crash has no election.
    if (run.sent == MessageCounts{}) continue;
    const std::int64_t agreed_ns = last(TraceEvent::coordinator);
    CHECK(run.time_to_agree.count() >= agreed_ns - last(TraceEvent::crash));
    CHECK(run.time_to_agree > seconds(0));
  }
}

TEST_CASE("without faults nothing happens") {
  const SweepOptions options{.crashes = 0, .restarts = 0, .world = {}};
  const SweepRun run = sweep_one(options, 1);
  CHECK(run.agreed);
  CHECK(run.time_to_agree == seconds(0));
  CHECK(run.sent == MessageCounts{});
  // No process is down that could come back.
  const SweepOptions restart{.crashes = 0, .restarts = 1, .world = {}};
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    CHECK(sweep_one(restart, seed).time_to_agree == seconds(0));
  }
}

TEST_CASE("the quantiles of a sample") {
  std::vector<std::int64_t> sample(100);
  std::iota(sample.begin(), sample.end(), 1);
  CHECK(quantile(sample, 0) == 1);
  CHECK(quantile(sample, 50) == 50);
  CHECK(quantile(sample, 99) == 99);
  CHECK(quantile(sample, 100) == 100);
  CHECK(quantile({7}, 50) == 7);
  CHECK(quantile({}, 100) == 0);
}

TEST_CASE("a sweep's table, histogram and CSV") {
  SweepRun quick{.seed = 1, .agreed = true, .time_to_agree = milliseconds(10)};
  quick.sent[messages::election] = 28;
  SweepRun endless{.seed = 2, .time_to_agree = milliseconds(40), .contested = milliseconds(3)};
  const std::vector<SweepRun> runs = {quick, quick, endless};

  const SweepOptions options{.nodes = 8, .world = {}};
  CHECK(sweep_table(runs, options, Language::english) ==
        "2 of 3 runs ended in agreement\n\n"
        "                            least    median       90%       99%      most\n"
        "faults to agreement, ms      10.0      10.0      40.0      40.0      40.0\n"
        "two coordinators, ms          0.0       0.0       3.0       3.0       3.0\n"
        "ELECTION                        0        28        28        28        28\n"
        "ANSWER                          0         0         0         0         0\n"
        "COORDINATOR                     0         0         0         0         0\n"
        "\nafter a crash among 8, an undisturbed election takes at most: ELECTION 28,\n"
        "ANSWER 21, COORDINATOR 6 (a run has several)\n");
  // On a ring of two, one is left after the crash, which sends nothing.
  const SweepOptions ring{.nodes = 2, .world = {.algorithm = &algorithm_named("tanenbaum-ring")}};
  CHECK(!contains(sweep_table(runs, ring, Language::english), "after a crash"));
  CHECK(sweep_histogram(runs, Language::english, 2) ==
        "\nFrom the last fault (crash, restart, end of losses) until all agree, by runs:\n"
        "      0.0 ms        2 ##################################################\n"
        "     20.0 ms        1 #########################\n");
  CHECK(sweep_histogram({}, Language::english, 2) == "");
  CHECK(sweep_histogram(std::vector<SweepRun>(3, SweepRun{}), Language::english) == "");
  CHECK(sweep_csv(runs, default_algorithm()) ==
        "seed,agreed,time_to_agree_ns,contested_ns,election,answer,coordinator\n"
        "1,1,10000000,0,28,0,0\n1,1,10000000,0,28,0,0\n2,0,40000000,3000000,0,0,0\n");
}

}  // namespace bully
