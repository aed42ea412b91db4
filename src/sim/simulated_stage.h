// simulated_stage.h: a scenario's stage in virtual time. It can do every step.
//
// Read next: world.h.
#pragma once

#include "sim/stage.h"
#include "sim/world.h"

namespace bully {

class SimulatedStage : public Stage {
 public:
  // Set up as the scenario's settings say. `sink`, where there is one, is told all that happens,
  // and outlives the stage.
  explicit SimulatedStage(const Scenario& scenario, Sink* sink = nullptr);
  // With a protocol other than the scenario's.
  SimulatedStage(const Scenario& scenario, Sink* sink, ProtocolMaker make);

  bool can(const Deed&) const override { return true; }
  std::optional<std::string> perform(const Deed& deed) override;
  std::vector<Actor> cast() const override;
  MessageCounts sent() const override { return world_.sent(); }

  const World& world() const { return world_; }

 private:
  std::optional<std::string> deliver(const step::Deliver& step);
  std::optional<std::string> arrange(const step::Ring& step);
  std::optional<std::string> run(const step::Run& step);
  std::optional<std::string> suspect(const step::Suspect& step);
  std::optional<std::string> expire(const step::Expire& step);
  void partition(const step::Partition& step);

  bool fifo_;
  World world_;
};

}  // namespace bully
