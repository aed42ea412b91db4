// garcia_molina_mutants.h: the bully of [GM82] with one rule switched off or bent, for tests that
// must be able to fail.
//
// Like bully_mutants.h: a mutant stands between the world and the unchanged core.
#pragma once

#include <array>
#include <string_view>
#include <variant>

#include "election/garcia_molina.h"
#include "mutants/mutant.h"

namespace bully {

enum class HaltingMutation : std::uint8_t {
  is_never_there,     // AreYouThere gets no reply
  asks_nobody,        // takes everybody above for gone
  halts_nobody,       // takes everybody below for gone, and so names nobody
  is_not_halted,      // Halt is replied to, and that is all
  names_unhalted,     // NewCoordinator is accepted from anybody
  is_ready_for_any,   // so is Ready
  takes_any_reply,    // whatever call it belongs to
  reuses_numbers,     // a new process counts its calls from 0 again
  no_answer_timer,    // a missing reply is waited for, for ever
  no_patience_timer,  // and so is the end of somebody else's election
  ignores_suspicion,  // nothing is done about a lost coordinator
  never_checks,       // nor about a process that is not normal
};

class HaltingMutant : public MutantOf<GarciaMolina, HaltingMutation> {
 public:
  using MutantOf::MutantOf;
  static constexpr auto names = std::to_array<std::string_view>(
      {"is never there", "asks nobody", "halts nobody", "is not halted", "names unhalted",
       "is ready for any", "takes any reply", "reuses numbers", "no answer timer",
       "no patience timer", "ignores suspicion", "never checks"});

  void handle(const Event& event, const Peers& peers, Actions& actions) override {
    Event told = event;
    if (ignores(told, actions)) return;
    prepare(told, peers);
    change(told);
    core_.handle(told, peers, actions);
    for (bool again = true; again;) again = pretend_gone(peers, actions);
    std::erase_if(actions, [this](const Action& action) { return drops(action); });
  }
  void visit_fields(FieldVisitor& visit) override {
    core_.visit_fields(visit);
    visit(call_);
  }

 private:
  bool ignores(const Event& event, Actions& actions) const {
    if (std::holds_alternative<Suspected>(event)) return is(HaltingMutation::ignores_suspicion);
    if (std::holds_alternative<PeerFound>(event)) return is(HaltingMutation::never_checks);
    const auto* received = std::get_if<Received>(&event);
    if (received == nullptr || received->message.type != messages::halt) return false;
    if (!is(HaltingMutation::is_not_halted) || core_.state() == GarciaMolina::State::down) {
      return false;
    }
    Message reply{.type = messages::halted, .from = id()};
    reply.set(fields::call, received->message.get(fields::call).value_or(0));
    actions.emplace_back(Send{received->message.from, reply});
    return true;
  }

  // Brings the core where it accepts the message.
  void prepare(const Event& event, const Peers& peers) {
    const auto* received = std::get_if<Received>(&event);
    if (received == nullptr || received->message.from < id()) return;
    const MessageType type = received->message.type;
    const bool is_name = is(HaltingMutation::names_unhalted) && type == messages::new_coordinator;
    const bool is_task = is(HaltingMutation::is_ready_for_any) && type == messages::ready;
    if (!is_name && !is_task) return;
    Actions unseen;
    Message before{.type = messages::halt, .from = received->message.from};
    core_.handle(Received{before}, peers, unseen);
    before.type = messages::new_coordinator;
    if (is_task) core_.handle(Received{before}, peers, unseen);
  }

  void change(Event& event) const {
    auto* started = std::get_if<Started>(&event);
    if (started != nullptr && is(HaltingMutation::reuses_numbers)) started->incarnation = 0;
    auto* received = std::get_if<Received>(&event);
    const bool is_reply = received != nullptr && received->message.type->role == Role::answers;
    if (is_reply && is(HaltingMutation::takes_any_reply)) {
      received->message.set(fields::call, call_);
    }
  }

  // Notes the number of the present call. False: nobody is taken for gone.
  bool pretend_gone(const Peers& peers, Actions& actions) {
    for (std::size_t i = 0; i < actions.size(); ++i) {
      const auto* send = std::get_if<Send>(&actions[i]);
      if (send == nullptr || send->message.type->role != Role::asks) continue;
      call_ = send->message.get(fields::call).value_or(0);
      const MessageType type = send->message.type;
      const bool asks = is(HaltingMutation::asks_nobody) && type == messages::are_you_there;
      const bool halts = is(HaltingMutation::halts_nobody) && type == messages::halt;
      if (!asks && !halts) continue;
      const NodeId to = send->to;
      actions.erase(actions.begin() + static_cast<std::ptrdiff_t>(i));
      core_.handle(PeerGone{to}, peers, actions);
      return true;
    }
    return false;
  }

  bool drops(const Action& action) const {
    const auto* start = std::get_if<StartTimer>(&action);
    if (start != nullptr && start->timer == Timer::answer) {
      return is(HaltingMutation::no_answer_timer);
    }
    if (start != nullptr) return is(HaltingMutation::no_patience_timer);
    const auto* send = std::get_if<Send>(&action);
    return send != nullptr && send->message.type == messages::here &&
           is(HaltingMutation::is_never_there);
  }

  std::uint64_t call_ = 0;  // of its latest request
};
}  // namespace bully
