// play.h: where a scenario is played, and who looks on.
//
// play() goes through a scenario's steps. What happens, happens on a Backend: the simulated one, in
// virtual time, or real processes.
//
// play() prints nothing: it tells a Listener. Read next: scenario.h, world.h.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "election/record.h"
#include "sim/scenario.h"

namespace bully {

class Backend {
 public:
  virtual ~Backend() = default;

  // Does it, and returns when it is done; for `run`, when nothing more happens. Returns what was
  // wrong, or nothing. REQUIRES: its verb stands before `say`.
  virtual std::optional<Problem> perform(const ScenarioStep& step) = 0;
  // Every node that ever started and has not left, by id.
  virtual std::vector<Snapshot> nodes() const = 0;
  // Messages sent by all nodes since `nodes` or the last `count`.
  virtual MessageCounts sent() const = 0;
  // The play is over: the record of each process that is there ends.
  virtual void finish() {}
};

class Listener {
 public:
  virtual ~Listener() = default;
  virtual void on_step(const ScenarioStep&) {}  // before it is done
  virtual void on_say(Language, std::string_view) {}
  virtual void on_frame(const Texts&, std::span<const Snapshot>) {}
  virtual void on_kept(const ScenarioStep&) {}  // an expectation that holds
  virtual void on_broken(const ScenarioStep&, std::span<const Problem> /*wrong*/) {}
};

struct Performance {
  int kept = 0;    // expectations that held
  int broken = 0;  // expectations that did not, and steps that went wrong
};

// Plays all steps; a broken expectation does not end the play, a step that goes wrong does.
Performance play(const Scenario& scenario, Backend& backend, Listener& listener);

// Virtual time.
class SimulatedBackend : public Backend {
 public:
  // Set up as the scenario's settings say. `sink`, if given, is told all that happens,
  // and outlives the backend. `make`, if given, makes other protocols than the scenario's.
  explicit SimulatedBackend(const Scenario& scenario, Sink* sink = nullptr,
                            const ProtocolMaker& make = {});

  std::optional<Problem> perform(const ScenarioStep& step) override;
  std::vector<Snapshot> nodes() const override;
  MessageCounts sent() const override { return world_.sent(); }
  void finish() override { world_.record_ends(); }

  const World& world() const { return world_; }

 private:
  std::optional<Problem> arrange(const std::vector<NodeId>& ids);
  std::optional<Problem> pause(const ScenarioStep& step);
  std::optional<Problem> run(std::optional<std::chrono::nanoseconds> time);
  std::optional<Problem> suspect(const ScenarioStep& step);
  std::optional<Problem> expire(const ScenarioStep& step);

  World world_;
};

}  // namespace bully
