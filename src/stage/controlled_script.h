// controlled_script.h: held messages and a person, who acts as the network and the clock of some
// processes; and the script of all the person's acts.
//
// Each key makes a step of the script, and the simulator plays it at once: with simulated
// protocols, or with real, controlled processes (controlled_nodes.h). So the script gives the same
// play again.
//
// It knows no terminal, no socket and no process.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/player.h"

namespace bully {

// The selected waiting message: the selection stays with its message.
class Selection {
 public:
  // The message's place among the waiting ones; 0 if none waits.
  std::size_t place_in(const std::vector<Send>& waiting);
  void move(const std::vector<Send>& waiting, std::ptrdiff_t steps);

 private:
  std::size_t place_ = 0;
  std::optional<Send> chosen_;
};

class ControlledScript : public ScriptWriter {
 public:
  // All these processes run and follow the process that the algorithm prefers; no message is in
  // flight. `sink` and `make` as in SimulatedBackend.
  explicit ControlledScript(const Algorithm& algorithm, const std::vector<NodeId>& ids,
                            Sink* sink = nullptr, const ProtocolMaker& make = {});

  // Reports events of real processes; SIGCONT restarts an election though the process kept running.
  StepResult on_start(NodeId id);
  StepResult on_end(NodeId id, bool has_left);
  StepResult on_stop(NodeId id);
  StepResult on_go_on(NodeId id);

  // Acts on the waiting message at this place, or on all of them.
  StepResult deliver(std::size_t place) { return act_on(Verb::deliver, place); }
  StepResult drop(std::size_t place) { return act_on(Verb::drop, place); }
  StepResult deliver_all() { return act({.verb = Verb::deliver}); }
  // Makes the process's timer expire, or gives its suspicion of the watched process. A coordinator
  // checks the others instead, if its algorithm has a condition `finds`.
  StepResult expire(NodeId id);
  StepResult suspect(NodeId id);

  // Cuts the network between the processes up to this one and those above it, or heals the cut.
  StepResult cut_above(NodeId id);

  // The waiting messages, in the order in which they would arrive.
  std::vector<Send> waiting() const;
  // True if this process is alive, by the events reported here.
  bool runs(NodeId id) const { return is_known(id) && world().running(id); }

  // The script so far: its settings and `nodes`; its steps; and if it is whole, its final
  // expectation.
  std::string script(bool is_whole = true) const;

 private:
  bool is_known(NodeId id) const;
  bool is_paused(NodeId id) const { return runs(id) && world().paused(id); }
  // After each act the senders of refused messages learn that.
  StepResult act(const Step& step) { return report_refusals(add(step)); }
  StepResult act_on(Verb verb, std::size_t place);
  StepResult report_refusals(StepResult wrong);
};

}  // namespace bully
