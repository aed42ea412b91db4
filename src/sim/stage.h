// stage.h: where a scenario is played, and who plays it.
//
// play() goes through a scenario's steps. What happens, happens on a Stage: simulated_stage.h is
// one, in virtual time; real processes can be another. A stage that cannot do a step says so: real
// processes cannot be told to hold their messages. Such steps are passed over, and so are the
// expectations up to the next `run`, since they speak of moments that this stage cannot stop at;
// and expectations on counts, up to the next `count`. What the nodes agree on after a `run` is
// expected of every stage.
//
// play() prints nothing: it tells an Audience. Read next: scenario.h, simulated_stage.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario.h"

namespace bully {

// One node as the audience sees it.
struct Actor {
  enum class Life : std::uint8_t { running, paused, crashed };
  NodeId id = 0;
  Life life = Life::running;
  std::string state;  // the textbook's word; "down" when crashed
  std::optional<NodeId> coordinator = std::nullopt;
  Variables variables = {};  // what the textbook writes beside it, where it writes anything
};

class Stage {
 public:
  virtual ~Stage() = default;

  // Whether this stage can do such a step, or judge such an expectation, as things stand.
  virtual bool can(const Deed& deed) const = 0;
  // Does it, and returns when it is done; for `run`, when nothing more happens. Returns what was
  // wrong, in English, or nothing. REQUIRES: can(deed), and that it is neither Say, Frame nor an
  // expectation.
  virtual std::optional<std::string> perform(const Deed& deed) = 0;
  // Every node that ever started and has not left, by id.
  virtual std::vector<Actor> cast() const = 0;
  // Messages sent by all nodes since `nodes` or the last `count`.
  virtual MessageCounts sent() const = 0;
  // A step that it cannot do has been left out of the play.
  virtual void passed_over(const Deed&) {}
  // Lets a moment pass before an expectation that does not hold is judged again, for the
  // `times`-th time. False: judging again would change nothing.
  virtual bool wait_for_more([[maybe_unused]] int times) { return false; }
  // Whether messages may overtake one another here in ways that no script chose. An election may
  // then cost more messages than expected, never fewer.
  virtual bool may_cost_more() const { return false; }
};

// Why a step or an expectation was passed over.
enum class PassedOver : std::uint8_t {
  not_possible,    // this stage cannot do it, or judge it
  not_reached,     // it speaks of a moment that this stage did not stop at
  not_comparable,  // more messages were sent than expected, where that may be
};

class Audience {
 public:
  virtual ~Audience() = default;
  virtual void on_step(const ScenarioStep&) {}  // before it is done
  virtual void on_say(ScriptLanguage, std::string_view) {}
  virtual void on_frame(std::string_view, const std::vector<Actor>&) {}
  virtual void on_passed_over(const ScenarioStep&, PassedOver, std::string_view /*what*/) {}
  // A frame of a moment that this stage did not stop at, and the end of the run in which it was.
  virtual void on_late_frame(std::string_view /*label*/) {}
  virtual void on_caught_up(const std::vector<Actor>&) {}
  virtual void on_kept(const ScenarioStep&) {}  // an expectation that holds
  virtual void on_broken(const ScenarioStep&, std::string_view /*what*/) {}
};

struct Performance {
  int kept = 0;         // expectations that held
  int broken = 0;       // expectations that did not, and steps that went wrong
  int passed_over = 0;  // steps and expectations beyond this stage
};

// Plays all steps; a broken expectation does not end the play, a step that goes wrong does.
Performance play(const Scenario& scenario, Stage& stage, Audience& audience);

}  // namespace bully
