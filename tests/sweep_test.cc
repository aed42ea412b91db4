// Sweeps: that they judge, that they can fail, and what their reports say.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "election/bully.h"
#include "sim/sweep.h"
#include "sim/sweep_report.h"
#include "trace/writer.h"

namespace bully {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

SweepOptions rough() {
  SweepOptions options;
  options.seeds = 500;
  options.crashes = 4;
  options.restarts = 3;
  options.pauses = 3;
  options.loss_ppm = 50'000;
  options.world.delay = {Delay::Shape::long_tailed, milliseconds(1), milliseconds(800)};
  return options;
}

// A bully that one rule has been taken from.
class Crippled : public Bully {
 public:
  enum class Without { suspicions, coordinator_timeouts };
  Crippled(NodeId self, Without without) : Bully(self), without_(without) {}
  void handle(const Event& event, const Peers& peers, Actions& actions) override {
    const auto* expired = std::get_if<Expired>(&event);
    const bool suspicion = std::holds_alternative<Suspected>(event);
    const bool in_vain = expired != nullptr && expired->timer == Timer::coordinator;
    if (without_ == Without::suspicions ? suspicion : in_vain) return;
    Bully::handle(event, peers, actions);
  }

 private:
  Without without_;
};

std::size_t failures(const SweepOptions& options,
                     const MakeProtocol& make = default_algorithm().make) {
  std::size_t failed = 0;
  sweep(
      options,
      [&](const SweepRun& run) {
        failed += run.agreed ? 0 : 1;
        return true;
      },
      make);
  return failed;
}

class Lines : public Sink {
 public:
  void record(const Record& record) override { text += trace_line(record); }
  std::string text;
};

}  // namespace

TEST_CASE("whatever the faults were, once they stop all follow the highest") {
  CHECK(failures(rough()) == 0);
  SweepOptions eof = rough();
  eof.world.detection = Detection::eof;
  CHECK(failures(eof) == 0);
  SweepOptions many = rough();
  many.nodes = 12;
  many.crashes = 12;
  many.restarts = 8;
  CHECK(failures(many) == 0);
}

TEST_CASE("a sweep notices a protocol that a rule is missing from") {
  for (const auto without :
       {Crippled::Without::suspicions, Crippled::Without::coordinator_timeouts}) {
    CHECK(failures(rough(), [without](NodeId self) {
            return std::make_unique<Crippled>(self, without);
          }) > 0);
  }
}

TEST_CASE("a run repeats itself to the last byte, and so does its verdict") {
  Lines once;
  Lines again;
  const SweepRun a = sweep_one(rough(), 42, &once);
  const SweepRun b = sweep_one(rough(), 42, &again);
  CHECK(once.text == again.text);
  CHECK(a.time_to_agree == b.time_to_agree);
  CHECK(a.sent == b.sent);
  CHECK(a.contested == b.contested);
}

TEST_CASE("the faults of a sweep do happen") {
  Lines lines;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) sweep_one(rough(), seed, &lines);
  for (const std::string event : {"\"start\"", "\"stop\"", "\"loss\"", "\"gone\"", "\"suspect\""}) {
    CAPTURE(event);
    CHECK(lines.text.find(event) != std::string::npos);
  }
}

TEST_CASE("a sweep goes through its seeds until it is told to stop") {
  SweepOptions options;
  options.first_seed = 10;
  options.seeds = 5;
  const auto all = sweep(options, [](const SweepRun&) { return true; });
  CHECK(all.size() == 5);
  CHECK(all.back().seed == 14);
  const auto some = sweep(options, [](const SweepRun& run) { return run.seed < 12; });
  CHECK(some.size() == 3);
}

TEST_CASE("without faults nothing happens") {
  SweepOptions options;
  options.crashes = options.restarts = 0;
  const SweepRun run = sweep_one(options, 1);
  CHECK(run.agreed);
  CHECK(run.time_to_agree == seconds(0));
  CHECK(run.sent == MessageCounts{});
}

TEST_CASE("the distribution of a sample") {
  std::vector<std::int64_t> sample;
  for (std::int64_t i = 100; i >= 1; --i) sample.push_back(i);
  const Distribution d = distribution_of(sample);
  CHECK(d.least == 1);
  CHECK(d.median == 50);
  CHECK(d.p90 == 90);
  CHECK(d.p99 == 99);
  CHECK(d.most == 100);
  CHECK(d.mean == doctest::Approx(50.5));
  CHECK(distribution_of({7}).median == 7);
  CHECK(distribution_of({}).most == 0);
}

TEST_CASE("a sweep's table, histogram and CSV") {
  SweepRun quick{.seed = 1, .agreed = true, .time_to_agree = milliseconds(10)};
  quick.sent[static_cast<std::size_t>(MessageType::election)] = 28;
  SweepRun never{.seed = 2, .time_to_agree = milliseconds(40), .contested = milliseconds(3)};
  const std::vector<SweepRun> runs = {quick, quick, never};

  CHECK(sweep_table(runs, 8) ==
        "2 of 3 runs ended in agreement\n\n"
        "                           least    median       90%       99%      most\n"
        "time to agreement, ms       10.0      10.0      40.0      40.0      40.0\n"
        "two coordinators, ms         0.0       0.0       3.0       3.0       3.0\n"
        "ELECTION                       0        28        28        28        28\n"
        "ANSWER                         0         0         0         0         0\n"
        "COORDINATOR                    0         0         0         0         0\n"
        "\none election of 8, at worst: ELECTION 28, ANSWER 21, COORDINATOR 6\n");
  CHECK(sweep_histogram(runs, 2) ==
        "      0.0 ms        2 ##################################################\n"
        "     20.0 ms        1 #########################\n");
  CHECK(sweep_histogram({}, 2) == "");
  CHECK(sweep_csv(runs) ==
        "seed,agreed,time_to_agree_ns,contested_ns,election,answer,coordinator\n"
        "1,1,10000000,0,28,0,0\n1,1,10000000,0,28,0,0\n2,0,40000000,3000000,0,0,0\n");
}

}  // namespace bully
