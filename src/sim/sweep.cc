#include "sim/sweep.h"

#include <algorithm>
#include <numeric>

namespace bully {

namespace {

struct Fault {
  enum class Kind : std::uint8_t { crash, restart, pause };
  std::chrono::nanoseconds at;
  Kind kind;
};

// The world, its faults and the dice that choose them. The dice are not the world's own: a change
// in the protocol must not change which faults a seed stands for.
class FaultyRun {
 public:
  FaultyRun(const SweepOptions& options, std::uint64_t seed, Sink* sink, const ProtocolMaker& make)
      : options_(options),
        random_(~seed),
        world_(world_options(options, seed), sink, make ? make : options.algorithm->make) {}

  SweepRun play(std::uint64_t seed) {
    std::vector<NodeId> ids(options_.nodes);
    std::iota(ids.begin(), ids.end(), NodeId{1});
    if (options_.random_arrangement) arrange(ids, seed);
    world_.found(ids);
    for (const Fault& fault : plan()) {
      world_.run_for(fault.at - world_.now());
      strike(fault);
    }
    world_.run_for(std::max(World::Time(0), options_.faults_last - world_.now()));
    end_faults();
    const World::Time ended = world_.now();
    world_.run_until_settled(options_.bound);

    SweepRun run{.seed = seed, .sent = world_.sent()};
    run.agreed = world_.settled() && world_.agreed();
    run.time_to_agree = run.agreed ? world_.now() - ended : options_.bound;
    run.contested = world_.contested();
    return run;
  }

 private:
  static WorldOptions world_options(const SweepOptions& options, std::uint64_t seed) {
    WorldOptions world = options.world;
    world.seed = seed;
    world.loss_ppm = options.loss_ppm;
    world.fifo = options.algorithm->is_ring;
    return world;
  }

  // With dice of its own: the same faults strike, whatever the order.
  void arrange(std::vector<NodeId> ids, std::uint64_t seed) {
    Random order(seed ^ 0x52494E47);
    order.shuffle(std::span(ids));
    world_.arrange(ids);
  }

  std::vector<Fault> plan() {
    std::vector<Fault> faults;
    const auto add = [&](std::uint32_t count, Fault::Kind kind) {
      for (std::uint32_t i = 0; i < count; ++i) {
        // Half of the faults come thick and fast: within an election, not between two.
        const std::int64_t end = options_.faults_last.count() / (random_.below(2) == 0 ? 1 : 50);
        faults.push_back({World::Time(random_.between(0, end)), kind});
      }
    };
    add(options_.crashes, Fault::Kind::crash);
    add(options_.restarts, Fault::Kind::restart);
    add(options_.pauses, Fault::Kind::pause);
    std::stable_sort(faults.begin(), faults.end(),
                     [](const Fault& a, const Fault& b) { return a.at < b.at; });
    return faults;
  }

  void strike(const Fault& fault) {
    std::vector<NodeId> up;
    std::vector<NodeId> down;
    std::vector<NodeId> stopped;
    for (const NodeId id : world_.ids()) {
      if (!world_.running(id)) down.push_back(id);
      if (world_.running(id)) (world_.paused(id) ? stopped : up).push_back(id);
    }
    if (fault.kind == Fault::Kind::crash && up.size() > 1) world_.crash(chosen(up));
    if (fault.kind == Fault::Kind::restart && !down.empty()) world_.start(chosen(down));
    if (fault.kind != Fault::Kind::pause) return;
    // Every other time, one that is stopped goes on instead, while others are still in trouble.
    if (!stopped.empty() && random_.below(2) == 0) {
      world_.resume(chosen(stopped));
    } else if (up.size() > 1) {
      world_.pause(chosen(up));
    }
  }

  // Half of the time the highest: its faults are the ones that matter.
  NodeId chosen(const std::vector<NodeId>& ids) {
    return random_.below(2) == 0 ? ids.back() : ids[random_.below(ids.size())];
  }

  void end_faults() {
    world_.set_loss(0);
    const std::vector<NodeId> ids(world_.ids().begin(), world_.ids().end());
    for (const NodeId id : ids) {
      if (world_.running(id) && world_.paused(id)) world_.resume(id);
    }
  }

  const SweepOptions& options_;
  Random random_;
  World world_;
};

}  // namespace

SweepRun sweep_one(const SweepOptions& options, std::uint64_t seed, Sink* sink,
                   const ProtocolMaker& make) {
  return FaultyRun(options, seed, sink, make).play(seed);
}

std::vector<SweepRun> sweep(const SweepOptions& options,
                            const std::function<bool(const SweepRun&)>& progress,
                            const ProtocolMaker& make) {
  std::vector<SweepRun> runs;
  for (std::uint64_t i = 0; i < options.seeds; ++i) {
    runs.push_back(sweep_one(options, options.first_seed + i, nullptr, make));
    if (!progress(runs.back())) break;
  }
  return runs;
}

}  // namespace bully
