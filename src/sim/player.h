// player.h: plays a scenario on a backend, for a listener.
//
// play() goes through a scenario's steps. A Backend performs them: the simulator, in virtual time,
// or real processes. play() prints nothing: it reports to a Listener.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "election/record.h"
#include "sim/script.h"
#include "sim/world.h"
#include "values/scenario.h"

namespace bully {

class Backend {
 public:
  virtual ~Backend() = default;

  // Performs the step, and returns when it is done; `run`, when nothing more happens. Returns the
  // problem, if any. REQUIRES: its verb comes before `say`.
  virtual StepResult perform(const Step& step) = 0;
  // Every node that has started and has not left, by id.
  virtual std::vector<Snapshot> nodes() const = 0;
  // Messages sent by all nodes since `nodes` or the last `count`.
  virtual MessageCounts sent() const = 0;
  // The play is over: ends the record of each present process.
  virtual void finish() {}
};

// Plays all steps; a failed expectation does not end the play, a step that goes wrong does. Throws
// Interrupted.
PlayResult play(const Scenario& scenario, Backend& backend, Listener& listener);

class SimulatedBackend : public Backend {
 public:
  // Applies the scenario's settings. `sink`, if given, gets all records, and outlives the backend.
  // `make`, if given, makes other protocols than the scenario's.
  explicit SimulatedBackend(const Scenario& scenario, Sink* sink = nullptr,
                            const ProtocolMaker& make = {});

  StepResult perform(const Step& step) override;
  std::vector<Snapshot> nodes() const override;
  MessageCounts sent() const override { return world_.sent(); }
  void finish() override { world_.record_ends(); }

  const World& world() const { return world_; }

 private:
  StepResult start(NodeId id);
  StepResult pause(const Step& step);
  StepResult run(std::optional<std::chrono::nanoseconds> time);
  StepResult suspect(const Step& step);

  World world_;
  std::set<NodeId> started_;  // that there are, or were
};

// A script that the simulator plays while it is being written.
class ScriptWriter {
 public:
  // `beginning`: settings and first steps, without a mistake. The others as in SimulatedBackend.
  explicit ScriptWriter(std::string beginning, Sink* sink = nullptr,
                        const ProtocolMaker& make = {});

  // Adds a line for the step; if the step is impossible, returns the reason.
  StepResult add(const Step& step);
  // Delivers or drops a message in flight. If several are alike, the line says which.
  StepResult add(Verb verb, const InFlight& entry);
  // The news that messages found no process, the oldest first.
  std::vector<InFlight> refusals() const { return world().in_flight({.only_refused = true}); }
  std::vector<Snapshot> nodes() const { return backend_.nodes(); }

  const std::vector<std::string>& lines() const { return lines_; }  // after the beginning
  std::string text() const;
  const Algorithm& algorithm() const { return scenario_.algorithm(); }
  const World& world() const { return backend_.world(); }

 private:
  std::string beginning_;
  Scenario scenario_;
  SimulatedBackend backend_;
  std::vector<std::string> lines_;
};

// The live processes that follow themselves.
std::vector<NodeId> coordinators_among(std::span<const Snapshot> nodes);

}  // namespace bully
