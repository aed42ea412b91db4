#include "sim/compare.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "sim/random.h"
#include "sim/world.h"

namespace bully {

namespace {

constexpr auto one_delay = std::chrono::milliseconds(1);
// Longer than any election here: no timer expires before it is over.
constexpr auto timeout = std::chrono::hours(24);

// When somebody last began to follow a coordinator.
class LastFollowing : public Sink {
 public:
  void record(const Record& record) override {
    if (record.event == TraceEvent::coordinator) t_ns = record.t_ns;
  }
  std::int64_t t_ns = 0;
};

// One election to be held with each algorithm.
struct Setting {
  std::vector<NodeId> survivors;  // sorted
  NodeId lost = 0;                // the coordinator that crashes
  // Clockwise. Empty: by id.
  std::vector<NodeId> ring;
  bool worst = false;  // the algorithm's own worst order instead
  std::vector<NodeId> detectors;
};

struct Outcome {
  MessageCounts messages{};
  MessageCounts textbook{};
  std::uint64_t time = 0;
  bool agreed = false;
};

Outcome hold(const Algorithm& algorithm, const Setting& setting) {
  WorldOptions options;
  options.delay.shortest = options.delay.longest = one_delay;
  options.answer_timeout = options.coordinator_timeout = timeout;
  options.detection = Detection::off;
  options.fifo = algorithm.is_ring;
  LastFollowing last;
  World world(options, &last, algorithm.make);

  std::vector<NodeId> ring = setting.ring.empty() ? setting.survivors : setting.ring;
  if (setting.worst && algorithm.arrange_worst != nullptr) algorithm.arrange_worst(ring);
  std::vector<NodeId> all = ring;
  all.push_back(setting.lost);
  world.arrange(all);
  world.found(all);
  world.crash(setting.lost);
  for (const NodeId detector : setting.detectors) world.suspect(detector);
  world.run_until_settled(timeout);

  Outcome outcome;
  // As the textbook counts: on a ring, the lost coordinator is passed over.
  outcome.messages = algorithm.is_ring ? world.delivered() : world.sent();
  CountedElection election{.processes = algorithm.is_ring ? ring : setting.survivors};
  election.detector = *std::min_element(setting.detectors.begin(), setting.detectors.end());
  election.lost_coordinator = true;
  outcome.textbook = algorithm.count(election);
  outcome.time = static_cast<std::uint64_t>(World::Time(last.t_ns) / one_delay);
  outcome.agreed = world.settled() && world.agreed();
  return outcome;
}

std::vector<NodeId> detectors_of(Noticing noticing, const std::vector<NodeId>& survivors) {
  if (noticing == Noticing::all) return survivors;
  return {noticing == Noticing::highest ? survivors.back() : survivors.front()};
}

// The dice depend on all that names the run: another list of numbers gives the same elections.
Setting setting_of(const CompareOptions& options, ElectionCase election_case, std::size_t nodes,
                   std::uint64_t run) {
  Setting setting;
  setting.survivors.resize(nodes - 1);
  std::iota(setting.survivors.begin(), setting.survivors.end(), NodeId{1});
  setting.lost = nodes;
  Noticing noticing = options.noticing;
  if (noticing == Noticing::as_case) {
    noticing = election_case == ElectionCase::best ? Noticing::highest : Noticing::lowest;
  }
  setting.detectors = detectors_of(noticing, setting.survivors);
  setting.worst = election_case == ElectionCase::worst;
  if (election_case != ElectionCase::random) return setting;
  Random random(options.seed + (std::uint64_t{nodes} << 32U) + (run << 48U));
  setting.ring = setting.survivors;
  random.shuffle(std::span(setting.ring));
  if (options.noticing == Noticing::as_case) {
    setting.detectors = {setting.survivors[random.below(setting.survivors.size())]};
  }
  return setting;
}

bool exceeds(const MessageCounts& counts, const MessageCounts& bound) {
  return !std::equal(counts.begin(), counts.end(), bound.begin(), std::less_equal<>());
}

ComparedPoint measure(const CompareOptions& options, const Algorithm& algorithm,
                      ElectionCase election_case, std::size_t nodes) {
  ComparedPoint point;
  point.nodes = nodes;
  point.runs = election_case == ElectionCase::random ? options.runs : 1;
  const MessageCounts bound = algorithm.bound(algorithm.is_ring ? nodes - 1 : nodes);
  point.bound = election_total(bound);
  std::vector<std::uint64_t> messages;
  std::vector<std::uint64_t> textbook;
  std::vector<std::uint64_t> time;
  for (std::uint64_t run = 0; run < point.runs; ++run) {
    const Outcome outcome = hold(algorithm, setting_of(options, election_case, nodes, run));
    messages.push_back(election_total(outcome.messages));
    textbook.push_back(election_total(outcome.textbook));
    time.push_back(outcome.time);
    if (!outcome.agreed) ++point.disagreed;
    if (exceeds(outcome.messages, bound)) ++point.over_bound;
    if (outcome.messages != outcome.textbook) ++point.miscounted;
  }
  point.messages = spread_of(std::move(messages));
  point.textbook = spread_of(std::move(textbook));
  point.time = spread_of(std::move(time));
  return point;
}

}  // namespace

Comparison compare(const CompareOptions& options) {
  assert(options.runs > 0);
  Comparison comparison;
  for (const ElectionCase election_case : options.cases) {
    ComparedCase& compared = comparison.cases.emplace_back();
    compared.election_case = election_case;
    compared.noticing = options.noticing;
    compared.runs = election_case == ElectionCase::random ? options.runs : 1;
    for (const Algorithm* algorithm : options.algorithms) {
      ComparedSeries& series = compared.series.emplace_back();
      series.algorithm = algorithm->name;
      for (const std::size_t nodes : options.nodes) {
        assert(nodes >= least_compared_nodes);
        series.points.push_back(measure(options, *algorithm, election_case, nodes));
      }
    }
  }
  return comparison;
}

}  // namespace bully
