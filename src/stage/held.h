// held.h: messages that wait for a person, who is the network and the clock of some processes; and
// the script of all that person does.
//
// Each key makes a step of the script, and the simulator plays it at once: with protocols of its
// own, or with real processes that are led by hand (led.h). So the script plays again.
//
// It knows no terminal, no socket and no process.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/play.h"

namespace bully {

// Which of those that wait is selected: it stays with its message while that waits.
class Selection {
 public:
  // Its place among them; 0 if none waits.
  std::size_t place_in(const std::vector<InFlight>& waiting);
  void move(const std::vector<InFlight>& waiting, std::ptrdiff_t steps);

 private:
  std::size_t place_ = 0;
  std::optional<InFlight> chosen_;
};

class Held : public Script {
 public:
  using Result = std::optional<Problem>;  // why a step could not be played

  // All these run, and all follow the one that the algorithm prefers among them; no message is on
  // its way. `sink` and `make` as in SimulatedBackend. REQUIRES: can_name(ids).
  explicit Held(const Algorithm& algorithm, const std::vector<NodeId>& ids, Sink* sink = nullptr,
                const ProtocolMaker& make = {});

  // Whether the simulator has room for ids so high, and there is one.
  static bool can_name(const std::vector<NodeId>& ids);

  // What has happened to a process; SIGCONT makes it start over though it ran.
  Result on_start(NodeId id);
  Result on_end(NodeId id, bool has_left);
  Result on_stop(NodeId id);
  Result on_go_on(NodeId id);

  // What the person does with the message at this place of those that wait, or with all.
  Result deliver(std::size_t place) { return act_on(Verb::deliver, place); }
  Result drop(std::size_t place) { return act_on(Verb::drop, place); }
  Result deliver_all() { return act({.verb = Verb::deliver}); }
  // The timer that runs at this process; what this process thinks of the one that it watches. A
  // coordinator looks at the others instead, in an election in which that can lead to something.
  Result expire(NodeId id);
  Result suspect(NodeId id);

  // Those that wait, in the order in which they would arrive.
  std::vector<InFlight> waiting() const;
  // Whether this process is alive, as far as has been told here.
  bool runs(NodeId id) const { return is_known(id) && world().running(id); }

  // The script so far: its settings and `nodes`; its steps; and if it is whole, what a play must
  // lead to.
  std::string script(bool is_whole = true) const;

 private:
  bool is_known(NodeId id) const;
  bool is_paused(NodeId id) const { return runs(id) && world().paused(id); }
  Result act(const Step& step) { return tell_senders(add(step)); }
  Result act_on(Verb verb, std::size_t place);
  Result tell_senders(Result wrong);
};

}  // namespace bully
