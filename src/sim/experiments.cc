// experiments.cc: elections that are compared, or exposed to chance.
#include "sim/experiments.h"

#include <algorithm>
#include <cassert>

#include "base/list.h"

namespace bully {

namespace {

// --- The same election with each algorithm ---

constexpr auto one_delay = std::chrono::milliseconds(1);
// Longer than any election here: no timer expires before it is over.
constexpr auto timeout = std::chrono::hours(24);

// The last time a process began to follow.
struct Measured : Sink {
  void record(const Record& record) override {
    if (record.event == TraceEvent::coordinator) last_following_ns = record.t_ns;
  }
  std::int64_t last_following_ns = 0;
};

struct Setting {
  NodeId lost = 0;           // the coordinator that crashes
  std::vector<NodeId> ring;  // the others, clockwise
  std::vector<NodeId> detectors;
};

struct Outcome {
  MessageCounts messages;
  MessageCounts textbook;
  std::uint64_t time = 0;
  bool agreed = false;
};

Outcome elect(const Algorithm& algorithm, const Setting& setting) {
  WorldOptions options;
  options.delay.shortest = options.delay.longest = one_delay;
  options.answer_timeout = timeout;
  options.coordinator_timeout = timeout;
  options.detection = Detector::off;
  options.algorithm = &algorithm;
  Measured measured;
  World world(options, &measured);

  std::vector<NodeId> all = setting.ring;
  all.push_back(setting.lost);
  world.arrange(all);
  world.preset(all);
  world.crash(setting.lost);
  for (const NodeId detector : setting.detectors) world.suspect(detector);
  world.run_until_quiescent(timeout);

  const CountedElection election{.processes = setting.ring,
                                 .detector = std::ranges::max(setting.detectors, algorithm.prefers),
                                 .lost_coordinator = true,
                                 .noticed = setting.detectors.size()};
  return {.messages = world.sent(),
          .textbook = algorithm.count == nullptr ? MessageCounts() : algorithm.count(election),
          .time = static_cast<std::uint64_t>(World::Time(measured.last_following_ns) / one_delay),
          .agreed = world.is_quiescent() && world.agreed()};
}

// The random numbers depend on everything that names the run: another list of numbers gives the
// same elections.
Setting setting_of(const ComparedCase& compared, const Algorithm& algorithm, std::size_t nodes,
                   std::uint64_t run, std::uint64_t seed) {
  std::vector<NodeId> survivors = one_to(nodes);
  const NodeId lost = algorithm.preferred_of(survivors);
  std::erase(survivors, lost);
  Setting setting{.lost = lost, .ring = survivors, .detectors = {}};
  const bool is_worst = compared.election_case == ElectionCase::worst;
  if (is_worst && algorithm.arrange_worst != nullptr) algorithm.arrange_worst(setting.ring);
  Random random(seed + (std::uint64_t{nodes} << 32U) + (run << 48U));
  if (compared.election_case == ElectionCase::random) random.shuffle(std::span(setting.ring));

  // The highest process is next in line, whatever the algorithm prefers.
  std::vector<NodeId> ranked = survivors;
  std::ranges::sort(ranked, algorithm.prefers);
  using enum Noticing;
  if (compared.noticing == highest) setting.detectors = {ranked.front()};
  if (compared.noticing == lowest) setting.detectors = {ranked.back()};
  if (compared.noticing == all) setting.detectors = survivors;
  if (compared.noticing == someone) setting.detectors = {survivors[random.below(survivors.size())]};
  const bool has_winner = std::ranges::count(setting.detectors, ranked.front()) > 0;
  if (algorithm.must_notice == highest && !has_winner) setting.detectors.push_back(ranked.front());
  return setting;
}

bool exceeds(const MessageCounts& counts, const MessageCounts& bound) {
  return std::ranges::any_of(counts, [&](const auto& entry) {
    return entry.first.is_of_election() && entry.second > bound.of(entry.first);
  });
}

// By ElectionCase.
constexpr std::array usual_noticing = {Noticing::highest, Noticing::lowest, Noticing::someone};

// REQUIRES: !outcomes.empty().
Spread spread_of(const std::vector<Outcome>& outcomes, std::uint64_t (*figure)(const Outcome&)) {
  std::vector<std::uint64_t> sample = list_of(outcomes, figure);
  std::ranges::sort(sample);
  return {sample.front(), sample[(sample.size() - 1) / 2], sample.back()};
}

ComparedPoint measure(const ComparedCase& compared, const Algorithm& algorithm, std::size_t nodes,
                      std::uint64_t seed) {
  ComparedPoint point;
  point.nodes = nodes;
  const bool is_counted = algorithm.count != nullptr && algorithm.bound != nullptr;
  MessageCounts bound;
  if (is_counted) bound = algorithm.bound_after_crash(nodes);
  std::vector<Outcome> outcomes;
  for (std::uint64_t run = 0; run < compared.runs; ++run) {
    const Setting setting = setting_of(compared, algorithm, nodes, run, seed);
    const Outcome& outcome = outcomes.emplace_back(elect(algorithm, setting));
    if (!outcome.agreed) ++point.disagreed;
    if (!is_counted) continue;
    if (exceeds(outcome.messages, bound)) ++point.over_bound;
    if (outcome.messages != outcome.textbook) ++point.miscounted;
  }
  using One = const Outcome&;
  point.messages = spread_of(outcomes, [](One each) { return election_total(each.messages); });
  point.time = spread_of(outcomes, [](One each) { return each.time; });
  if (!is_counted) return point;
  point.textbook = spread_of(outcomes, [](One each) { return election_total(each.textbook); });
  point.bound = election_total(bound);
  return point;
}

}  // namespace

Comparison compare(const CompareOptions& options) {
  assert(options.runs > 0);
  Comparison comparison;
  for (const ElectionCase election_case : options.cases) {
    ComparedCase& compared = comparison.cases.emplace_back();
    compared.election_case = election_case;
    compared.noticing =
        options.noticing.value_or(usual_noticing.at(static_cast<std::size_t>(election_case)));
    compared.runs = election_case == ElectionCase::random ? options.runs : 1;
    for (const Algorithm* algorithm : options.algorithms) {
      ComparedSeries& series = compared.series.emplace_back();
      series.algorithm = algorithm->name;
      for (const std::size_t nodes : options.nodes) {
        assert(nodes >= min_compared_nodes);
        series.points.push_back(measure(compared, *algorithm, nodes, options.seed));
        comparison.is_right = comparison.is_right && series.points.back().is_right();
      }
    }
  }
  return comparison;
}

// --- Many elections under random faults ---

namespace {

enum class Fault : std::uint8_t { crash, restart, pause };

using Plan = std::vector<std::pair<World::Time, Fault>>;

// By time.
Plan plan(const SweepOptions& options, Random& random) {
  Plan faults;
  for (const auto& [count, fault] :
       {std::pair(options.crashes, Fault::crash), std::pair(options.restarts, Fault::restart),
        std::pair(options.pauses, Fault::pause)}) {
    for (std::uint32_t i = 0; i < count; ++i) {
      // Half of the runs have their faults within an election, not between two.
      const std::int64_t end = options.faults_last.count() / (random.below(2) == 0 ? 1 : 50);
      faults.emplace_back(random.between(0, end), fault);
    }
  }
  std::ranges::stable_sort(faults, {}, &Plan::value_type::first);
  return faults;
}

// At that time. False if no process is left for it: then no time passes either.
bool strike(World& world, World::Time at, Fault fault, const Algorithm& algorithm, Random& random) {
  std::vector<NodeId> up;
  std::vector<NodeId> down;
  std::vector<NodeId> stopped;
  for (const NodeId id : world.ids()) {
    (!world.running(id) ? down : world.paused(id) ? stopped : up).push_back(id);
  }
  // Half of the time the process that should be coordinator: its faults matter most.
  const auto chosen = [&](const std::vector<NodeId>& ids) {
    const bool any = random.below(2) != 0;
    return any ? ids[random.below(ids.size())] : algorithm.preferred_of(ids);
  };
  // Every other time, a stopped process continues instead, while others are still in trouble.
  const bool continues = fault == Fault::pause && !stopped.empty() && random.below(2) == 0;
  const bool is_possible = continues || (fault == Fault::restart ? !down.empty() : up.size() > 1);
  if (!is_possible) return false;
  world.run_for(at - world.now());
  if (continues) {
    world.resume(chosen(stopped));
  } else {
    if (fault == Fault::crash) world.crash(chosen(up));
    if (fault == Fault::restart) world.start(chosen(down));
    if (fault == Fault::pause) world.pause(chosen(up));
  }
  return true;
}

}  // namespace

SweepRun sweep_one(const SweepOptions& options, std::uint64_t seed, Sink* sink,
                   const ProtocolMaker& make) {
  WorldOptions world_options = options.world;
  const Algorithm& algorithm = *world_options.algorithm;
  world_options.seed = seed;
  World world(world_options, sink, make);

  const std::vector<NodeId> ids = one_to(options.nodes);
  if (options.random_arrangement) {
    // With separate random numbers: the same faults strike, whatever the order.
    std::vector<NodeId> ring = ids;
    Random(seed ^ 0x52494E47).shuffle(std::span(ring));
    world.arrange(ring);
  }
  world.preset(ids);
  // Not the world's random numbers: a change in the protocol must not change a seed's faults.
  Random random(~seed);
  World::Time last_fault(0);
  for (const auto& [at, fault] : plan(options, random)) {
    if (strike(world, at, fault, algorithm, random)) last_fault = at;
  }
  const auto is_paused = [&](NodeId id) { return world.paused(id); };
  if (world_options.loss_ppm > 0 || std::ranges::any_of(ids, is_paused)) {
    world.run_for(options.faults_last - world.now());
    world.set_loss(0);
    for (const NodeId id : ids) {
      if (is_paused(id)) world.resume(id);
    }
    last_fault = world.now();
  }
  world.run_until_quiescent(options.bound);

  world.record_ends();
  const bool agreed = world.is_quiescent() && world.agreed();
  return {.seed = seed,
          .agreed = agreed,
          .time_to_agree = agreed ? world.now() - last_fault : options.bound,
          .contested = world.contested(),
          .sent = world.sent()};
}

}  // namespace bully
