// probe_mutants.h: the election of Hirschberg and Sinclair with one rule switched off or bent, for
// tests that must be able to fail.
//
// Like ring_mutants.h, for what that cannot do: rules that only this election has. A mutant stands
// between the world and the unchanged core.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>

#include "election/hirschberg_sinclair.h"
#include "mutants/mutant.h"

namespace bully {

enum class ProbeMutation : std::uint8_t {
  swallows_all,         // passes no PROBE on
  replies_early,        // takes itself for the last that a PROBE is for
  never_replies,        // the last one that a PROBE is for keeps silent
  keeps_replies,        // passes no REPLY on
  one_reply_is_enough,  // takes the first REPLY for both
  one_way,              // asks on one side only
  announces_to_nobody,  // the leader keeps it to itself
  does_not_pass_over,   // stops at a dead neighbour
  ignores_ways,         // takes whatever comes for what goes clockwise
};

class ProbeMutant : public MutantOf<HirschbergSinclair, ProbeMutation> {
 public:
  using MutantOf::MutantOf;
  static constexpr auto names = std::to_array<std::string_view>(
      {"swallows all", "replies early", "never replies", "keeps replies", "one is enough",
       "one way", "announces to nobody", "does not pass over", "ignores ways"});

  void handle(const Event& event, const Peers& peers, Actions& actions) override {
    if (is(ProbeMutation::does_not_pass_over) && is_about_neighbour(event)) return;
    const auto first = static_cast<std::ptrdiff_t>(actions.size());
    const Event heard = changed(event);
    core_.handle(heard, peers, actions);
    if (is(ProbeMutation::one_reply_is_enough) && is_own(messages::reply, heard)) {
      core_.handle(heard, peers, actions);
    }
    const auto* received = std::get_if<Received>(&event);
    const auto type = received == nullptr ? std::nullopt : std::optional(received->message.type);
    const auto drops = [&](const Action& action) { return this->drops(action, type); };
    actions.erase(std::remove_if(actions.begin() + first, actions.end(), drops), actions.end());
  }

 private:
  bool is_own(MessageType type, const Event& event) const {
    const auto* received = std::get_if<Received>(&event);
    return received != nullptr && received->message.type == type &&
           received->message.get(fields::value) == id() &&
           received->message.get(fields::epoch) == core_.latest_election();
  }

  // What the core is told instead.
  Event changed(const Event& event) const {
    const auto* received = std::get_if<Received>(&event);
    if (received == nullptr) return event;
    Message message = received->message;
    const bool probe = message.type == messages::probe;
    if (is(ProbeMutation::ignores_ways) && (probe || message.type == messages::reply)) {
      Message clockwise{.type = message.type, .from = message.from};
      for (const Field* field : {&fields::value, &fields::epoch}) {
        clockwise.set(*field, *message.get(*field));
      }
      if (probe) clockwise.set(fields::left, *message.get(fields::left));
      return Received{clockwise};
    }
    if (is(ProbeMutation::replies_early) && probe) message.set(fields::left, 1);
    return Received{message};
  }

  // `heard`: the type of the message that it acts on, if it does.
  bool drops(const Action& action, std::optional<MessageType> heard) const {
    const auto* send = std::get_if<Send>(&action);
    if (send == nullptr) return false;
    const Message& message = send->message;
    const bool probe = message.type == messages::probe;
    const bool own_probe = probe && message.get(fields::value) == id();
    const bool reply = message.type == messages::reply;
    using enum ProbeMutation;
    return (is(swallows_all) && probe && !own_probe) ||
           (is(never_replies) && reply && heard == messages::probe) ||
           (is(keeps_replies) && reply && heard == messages::reply) ||
           (is(one_way) && own_probe && message.has(fields::anticlockwise)) ||
           (is(announces_to_nobody) && message.type == messages::leader);
  }
};
}  // namespace bully
