#include "sim/simulated_stage.h"

#include <stdexcept>

#include "sim/naive.h"
#include "sim/overloaded.h"

namespace bully {

namespace {

// An election that has not settled after so long never will.
constexpr auto longest_run = std::chrono::minutes(10);

ProtocolMaker protocol_of(const Scenario& scenario) {
  if (!scenario.naive) return scenario.algorithm->make;
  return [](NodeId self) { return std::make_unique<Naive>(self); };
}

// The options of a world whose trace says which algorithm it runs.
WorldOptions named(WorldOptions options, const Algorithm& algorithm) {
  options.algorithm = algorithm.name;
  return options;
}

}  // namespace

SimulatedStage::SimulatedStage(const Scenario& scenario, Sink* sink)
    : SimulatedStage(scenario, sink, protocol_of(scenario)) {}

SimulatedStage::SimulatedStage(const Scenario& scenario, Sink* sink, ProtocolMaker make)
    : fifo_(scenario.options.fifo),
      world_(named(scenario.options, *scenario.algorithm), sink, std::move(make)) {}

std::optional<std::string> SimulatedStage::perform(const Deed& deed) {
  using Result = std::optional<std::string>;
  const auto done = std::nullopt;
  const auto found_none = [](std::size_t found) {
    return found > 0 ? Result() : Result("no such message is on its way");
  };
  try {
    return std::visit(
        Overloaded{
            [&](const step::Nodes& s) -> Result { return world_.found(s.ids), done; },
            [&](const step::Start& s) -> Result { return world_.start(s.id), done; },
            [&](const step::Crash& s) -> Result { return world_.crash(s.id), done; },
            [&](const step::Pause& s) -> Result { return world_.pause(s.id), done; },
            [&](const step::Resume& s) -> Result { return world_.resume(s.id), done; },
            [&](const step::Slow& s) -> Result { return world_.slow_down(s.id, s.factor), done; },
            [&](const step::Suspect& s) -> Result { return suspect(s); },
            [&](const step::Partition& s) -> Result { return partition(s), done; },
            [&](const step::Cut& s) -> Result { return world_.cut(s.from, s.to), done; },
            [&](const step::Heal&) -> Result { return world_.heal(), done; },
            [&](const step::Loss& s) -> Result {
              return world_.set_loss(s.parts_per_million), done;
            },
            [&](const step::Run& s) -> Result { return run(s); },
            [&](const step::Hold&) -> Result { return world_.hold(), done; },
            [&](const step::Leave& s) -> Result {
              for (const NodeId id : s.ids) world_.leave(id);
              return done;
            },
            [&](const step::Ring& s) -> Result { return arrange(s); },
            [&](const step::Deliver& s) -> Result { return deliver(s); },
            [&](const step::Drop& s) -> Result { return found_none(world_.drop(s.filter)); },
            [&](const step::Expire& s) -> Result { return expire(s); },
            [&](const step::Count&) -> Result { return world_.reset_counts(), done; },
            [&](const auto&) -> Result { return "not a step for the stage"; },
        },
        deed);
  } catch (const std::out_of_range& no_such_node) {
    return no_such_node.what();
  }
}

std::optional<std::string> SimulatedStage::deliver(const step::Deliver& step) {
  if (fifo_ && world_.would_overtake(step.filter)) {
    return "links are FIFO here, and an older message is on its way there";
  }
  if (world_.deliver(step.filter) > 0) return std::nullopt;
  return "no such message is on its way";
}

std::optional<std::string> SimulatedStage::arrange(const step::Ring& step) {
  for (const NodeId id : step.ids) {
    if (!world_.running(id)) return "node " + std::to_string(id) + " is not running";
  }
  world_.arrange(step.ids);
  return std::nullopt;
}

std::optional<std::string> SimulatedStage::run(const step::Run& step) {
  world_.release();
  if (step.time) {
    world_.run_for(*step.time);
    return std::nullopt;
  }
  world_.run_until_settled(longest_run);
  if (world_.settled()) return std::nullopt;
  return "after ten minutes there is still something going on";
}

std::optional<std::string> SimulatedStage::suspect(const step::Suspect& step) {
  if (step.id) {
    if (!world_.running(*step.id)) return "node " + std::to_string(*step.id) + " is not running";
    if (!world_.protocol(*step.id).watched()) {
      return "node " + std::to_string(*step.id) + " follows nobody whom it could suspect";
    }
    if (step.whom && world_.protocol(*step.id).watched() != step.whom) {
      return "node " + std::to_string(*step.id) + " does not watch node " +
             std::to_string(*step.whom);
    }
    world_.suspect(*step.id, step.reason);
    return std::nullopt;
  }
  for (const NodeId id : std::vector<NodeId>(world_.ids().begin(), world_.ids().end())) {
    if (!world_.running(id)) continue;
    if (world_.protocol(id).coordinator().value_or(id) != id) world_.suspect(id, step.reason);
  }
  return std::nullopt;
}

std::optional<std::string> SimulatedStage::expire(const step::Expire& step) {
  if (step.duly && !world_.is_due(step.id, step.timer)) {
    return "what node " + std::to_string(step.id) + " waits for may still come";
  }
  if (world_.expire(step.id, step.timer)) return std::nullopt;
  return "that timer of node " + std::to_string(step.id) + " is not running";
}

void SimulatedStage::partition(const step::Partition& step) {
  for (const NodeId a : step.these) {
    for (const NodeId b : step.those) {
      world_.cut(a, b);
      world_.cut(b, a);
    }
  }
}

std::vector<Actor> SimulatedStage::cast() const {
  std::vector<Actor> actors;
  for (const NodeId id : world_.ids()) {
    Actor actor{.id = id, .life = Actor::Life::crashed, .state = "down"};
    if (world_.running(id)) {
      actor.life = world_.paused(id) ? Actor::Life::paused : Actor::Life::running;
      actor.state = world_.protocol(id).state_name();
      actor.coordinator = world_.protocol(id).coordinator();
      actor.variables = world_.protocol(id).variables();
    }
    actors.push_back(actor);
  }
  return actors;
}

}  // namespace bully
