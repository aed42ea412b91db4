// bully_mutants.h: bully with one rule switched off or bent, for tests that must be able to fail.
//
// A mutant stands between the world and the unchanged core, and changes what goes in or comes out:
// so the core needs no switches. Each mutation is a mistake that a first implementation may make.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>
#include <vector>

#include "base/text.h"
#include "election/algorithm.h"
#include "election/bully.h"
#include "mutants/mutant.h"
#include "support/messages.h"

namespace bully {

enum class Mutation : std::uint8_t {
  no_answer,             // an ELECTION gets no ANSWER
  no_coordinator_timer,  // a missing COORDINATOR is waited for, for ever
  no_answer_timer,       // a missing ANSWER is waited for, for ever
  ignores_suspicion,     // nothing is done about a lost coordinator
  ignores_deposed,       // nothing is done about a coordinator that follows another
  follows_lower,         // COORDINATOR goes to higher ones as well, and they accept it
  holds_no_election,     // an ELECTION is answered, and that is all
  announces_to_nobody,   // the winner keeps it to itself
  ignores_coordinator,   // a COORDINATOR changes nothing
  trusts_ghosts,         // a peer that is gone counts as one that answered
  asks_nobody,           // takes everybody above for gone, and declares itself
  naive,                 // one election per ELECTION received, even while holding one
  ends_at_answer,        // the election is over with the first ANSWER: nothing is waited for
  silent_restart,        // holds no election when it comes back, but takes itself for coordinator
};

// A winner announces itself to higher ones as well: if the actions from `first` on make it one.
inline void announce_to_higher(const Bully& core, const Peers& peers, Actions& actions,
                               std::size_t first) {
  const auto begin = actions.begin() + static_cast<std::ptrdiff_t>(first);
  const bool has_won = std::find(begin, actions.end(), Action(Changed{})) != actions.end() &&
                       core.state() == Bully::State::coordinator;
  if (!has_won) return;
  const Message announcement{.type = messages::coordinator, .from = core.id()};
  for (const NodeId peer : higher_than(core.id(), peers.ids())) {
    actions.emplace_back(Send{peer, announcement});
  }
}

class Mutant : public MutantOf<Bully, Mutation> {
 public:
  using MutantOf::MutantOf;
  static constexpr auto names = std::to_array<std::string_view>(
      {"no answer", "no coordinator timer", "no answer timer", "ignores suspicion",
       "ignores deposed", "follows lower", "holds no election", "announces to nobody",
       "ignores COORDINATOR", "trusts ghosts", "asks nobody", "naive", "ends at ANSWER",
       "silent restart"});

  void handle(const Event& event, const Peers& peers, Actions& actions) override {
    misled_by_ = 0;
    const std::size_t first = actions.size();
    if (!replaced(event, peers, actions)) core_.handle(event, peers, actions);
    if (is(Mutation::follows_lower)) announce_to_higher(core_, peers, actions, first);
    const auto begin = actions.begin() + static_cast<std::ptrdiff_t>(first);
    actions.erase(std::remove_if(begin, actions.end(), [&](const Action& a) { return drops(a); }),
                  actions.end());
  }
  std::string_view state_name() const override {
    return misled_by_ != 0 ? "follower" : core_.state_name();
  }
  std::optional<NodeId> coordinator() const override {
    return misled_by_ != 0 ? misled_by_ : core_.coordinator();
  }
  std::optional<NodeId> watched() const override {
    return misled_by_ != 0 ? misled_by_ : core_.watched();
  }
  void visit_fields(FieldVisitor& visit) override {
    core_.visit_fields(visit);
    visit(misled_by_);
  }

 private:
  // Only the peers that are not above a node.
  struct NobodyAbove : Peers {
    std::vector<NodeId> known;
    std::span<const NodeId> ids() const override { return known; }
  };

  bool is_in_election() const {
    return core_.state() == Bully::State::candidate || core_.state() == Bully::State::waiting;
  }

  // Handles `event` in the mutant's way, if it has one.
  bool replaced(const Event& event, const Peers& peers, Actions& actions) {
    if (std::holds_alternative<Suspected>(event)) {
      const bool deposed = std::get<Suspected>(event).reason == Suspicion::deposed;
      if (is(Mutation::ignores_suspicion) || (is(Mutation::ignores_deposed) && deposed)) {
        return true;
      }
    }
    if (const auto* gone = std::get_if<PeerGone>(&event); gone && is(Mutation::trusts_ghosts)) {
      const Message answer{.type = messages::answer, .from = gone->peer};
      core_.handle(Received{answer}, peers, actions);
      return true;
    }
    const bool starts = std::holds_alternative<Started>(event);
    if (is(Mutation::asks_nobody) || (is(Mutation::silent_restart) && starts)) {
      NobodyAbove below;
      const auto lower = lower_than(id() + 1, peers.ids());
      below.known.assign(lower.begin(), lower.end());
      core_.handle(event, below, actions);
      return true;
    }
    const auto* received = std::get_if<Received>(&event);
    return received && replaced(received->message, peers, actions);
  }

  bool replaced(const Message& message, const Peers& peers, Actions& actions) {
    if (message.type == messages::election && message.from < id()) {
      if (is(Mutation::holds_no_election) && core_.state() != Bully::State::down) {
        const Message answer{.type = messages::answer, .from = id()};
        actions.emplace_back(Send{message.from, answer});
        return true;
      }
      if (is(Mutation::naive) && is_in_election()) {
        core_.handle(Received{message}, peers, actions);
        core_.handle(Started{}, peers, actions);
        return true;
      }
    }
    if (message.type == messages::coordinator) {
      if (is(Mutation::ignores_coordinator)) return true;
      if (is(Mutation::follows_lower) && message.from < id()) {
        misled_by_ = message.from;
        return true;
      }
    }
    if (message.type == messages::answer && is(Mutation::ends_at_answer)) {
      const Message announcement{.type = messages::coordinator, .from = message.from};
      core_.handle(Received{announcement}, peers, actions);
      return true;
    }
    return false;
  }

  bool drops(const Action& action) const {
    if (const auto* send = std::get_if<Send>(&action)) {
      const MessageType type = send->message.type;
      return (is(Mutation::no_answer) && type == messages::answer) ||
             (is(Mutation::announces_to_nobody) && type == messages::coordinator);
    }
    if (const auto* start = std::get_if<StartTimer>(&action)) {
      return (is(Mutation::no_answer_timer) && start->timer == Timer::answer) ||
             (is(Mutation::no_coordinator_timer) && start->timer == Timer::coordinator);
    }
    return false;
  }

  NodeId misled_by_ = 0;  // follows_lower: whom it follows against its core's judgement; else 0
};

inline ProtocolMaker mutants(Mutation mutation) {
  return maker_of<Mutant>(mutation);
}
}  // namespace bully
