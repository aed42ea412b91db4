// ring_mutants.h: the ring with one rule switched off or bent, for tests that must be able to fail.
//
// Like bully_mutants.h: a mutant stands between the world and the unchanged core.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>

#include "base/text.h"
#include "election/dolev_klawe_rodeh.h"
#include "mutants/mutant.h"
#include "support/messages.h"

namespace bully {

enum class RingMutation : std::uint8_t {
  ignores_f,             // takes over e where it is larger than d, however large f is
  swallows,              // a relay passes nothing on
  announces_to_nobody,   // the one that knows the leader keeps it to itself
  does_not_pass_over,    // stops at a dead neighbour
  no_timer,              // a missing LEADER is waited for, for ever
  no_epoch_check,        // takes a stale message for one of the present election
  ignores_newer_epochs,  // and a new one for one of an old election
  ignores_suspicion,     // nothing is done about a lost coordinator
  ignores_deposed,       // nor about one that is not the highest
  ignores_join,          // whoever comes back is not let in
  joins_alone,           // who comes back asks nobody, and takes itself for coordinator
};

class RingMutant : public MutantOf<DolevKlaweRodeh, RingMutation> {
 public:
  using MutantOf::MutantOf;
  static constexpr auto names = std::to_array<std::string_view>(
      {"ignores f", "swallows", "announces to nobody", "does not pass over", "no timer",
       "no epoch check", "ignores newer epochs", "ignores suspicion", "ignores deposed",
       "ignores JOIN", "joins alone"});

  void handle(const Event& event, const Peers& peers, Actions& actions) override {
    const auto first = static_cast<std::ptrdiff_t>(actions.size());
    const DolevKlaweRodeh::State before = core_.state();
    if (!replaced(event, peers, actions)) core_.handle(changed(event), peers, actions);
    const auto drops = [&](const Action& action) { return this->drops(action, before); };
    actions.erase(std::remove_if(actions.begin() + first, actions.end(), drops), actions.end());
  }

 private:
  std::optional<NodeId> variable(std::size_t i) const { return core_.variables().at(i).value; }
  // It has got e, which is not d.
  bool waits_for_f() const {
    return core_.state() == DolevKlaweRodeh::State::active && variable(1) && !variable(2) &&
           variable(1) != variable(0);
  }

  // What the core is told instead.
  Event changed(const Event& event) const {
    const auto* received = std::get_if<Received>(&event);
    if (received == nullptr) return event;
    Message message = received->message;
    const bool number = message.type == messages::value || message.type == messages::second;
    if (number && is(RingMutation::ignores_f) && waits_for_f()) message.set(fields::value, id());
    const auto epoch = message.get(fields::epoch);
    const bool stale = epoch && *epoch < core_.latest_election();
    const bool newer = epoch && *epoch > core_.latest_election();
    const bool join = message.type == messages::join;
    if (is(RingMutation::no_epoch_check) && stale && !join)
      message.set(fields::epoch, core_.latest_election());
    const bool settled = core_.coordinator().has_value();
    if (is(RingMutation::ignores_newer_epochs) && newer && !join && !settled) {
      message.set(fields::epoch, core_.latest_election());
    }
    return Received{message};
  }

  // True: the core does not get to know the event.
  bool replaced(const Event& event, const Peers& peers, Actions& actions) {
    if (std::holds_alternative<PeerGone>(event)) return is(RingMutation::does_not_pass_over);
    if (const auto* suspected = std::get_if<Suspected>(&event)) {
      const bool deposed = suspected->reason == Suspicion::deposed;
      // A monitor that watches the neighbour would make up for a PeerGone that is not heeded.
      const bool of_neighbour = !core_.coordinator().has_value();
      return is(RingMutation::ignores_suspicion) ||
             (is(RingMutation::ignores_deposed) && deposed) ||
             (is(RingMutation::does_not_pass_over) && of_neighbour);
    }
    if (std::holds_alternative<Started>(event) && is(RingMutation::joins_alone)) {
      core_.handle(Preset{id()}, peers, actions);
      return true;
    }
    const auto* received = std::get_if<Received>(&event);
    if (received == nullptr) return false;
    const Message& message = received->message;
    return is(RingMutation::ignores_join) && message.type == messages::join;
  }

  bool drops(const Action& action, DolevKlaweRodeh::State before) const {
    if (std::holds_alternative<StartTimer>(action)) return is(RingMutation::no_timer);
    const auto* send = std::get_if<Send>(&action);
    if (send == nullptr) return false;
    const bool leader = send->message.type == messages::leader;
    if (is(RingMutation::announces_to_nobody)) return leader;
    return is(RingMutation::swallows) && before == DolevKlaweRodeh::State::relay &&
           core_.state() == DolevKlaweRodeh::State::relay && !leader;
  }
};
}  // namespace bully
