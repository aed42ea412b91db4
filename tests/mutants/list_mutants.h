// list_mutants.h: the ring with a list that grows, with one rule switched off or bent, for tests
// that must be able to fail.
//
// Like ring_mutants.h, for what that cannot do: rules that only this election has. A mutant stands
// between the world and the unchanged core.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <variant>

#include "election/tanenbaum_ring.h"
#include "mutants/mutant.h"

namespace bully {

enum class ListMutation : std::uint8_t {
  begins_nothing,       // who notices sends no list
  all_begin,            // who hears of an election sends a list of its own as well
  does_not_add_itself,  // passes the list on as it came
  swallows,             // passes no list on
  adds_twice,           // does not find itself in the list, and passes it on for ever
  takes_lowest,         // the lowest of the list is to be coordinator
  announces_to_nobody,  // keeps to itself who is coordinator
  keeps_the_lap,        // learns it, and tells nobody further
  never_removes,        // passes COORDINATOR on however often it comes
  does_not_pass_over,   // stops at a dead neighbour
};

class ListMutant : public MutantOf<TanenbaumRing, ListMutation> {
 public:
  using MutantOf::MutantOf;
  static constexpr auto names = std::to_array<std::string_view>(
      {"begins nothing", "all begin", "does not add itself", "swallows", "adds twice",
       "takes lowest", "announces to nobody", "keeps the lap", "never removes",
       "does not pass over"});

  void handle(const Event& event, const Peers& peers, Actions& actions) override {
    if (is(ListMutation::does_not_pass_over) && is_about_neighbour(event)) return;
    const auto* received = std::get_if<Received>(&event);
    const Message heard = received == nullptr ? Message{} : received->message;
    const bool takes_part = heard.get(fields::epoch) == core_.latest_election();
    Actions own;
    core_.handle(changed(event), peers, own);
    const bool is_news = !takes_part && heard.get(fields::epoch) == core_.latest_election();
    std::erase_if(own, [&](const Action& action) { return drops(action, heard); });
    for (Action& action : own) bend(action, heard);
    const NodeId next = peers.next_of(id());
    if (is(ListMutation::all_begin) && heard.type == messages::list_election && is_news) {
      own.push_back(Send{next, from_here(heard, {id()})});
    }
    const bool is_removed = heard.type == messages::list_coordinator && takes_part &&
                            std::ranges::none_of(own, is_send);
    if (is(ListMutation::never_removes) && is_removed) {
      own.push_back(Send{next, from_here(heard, heard.list())});
    }
    actions.insert(actions.end(), own.begin(), own.end());
  }

 private:
  using List = FieldValues::List;

  static bool is_send(const Action& action) { return std::holds_alternative<Send>(action); }
  Message from_here(Message message, List list) const {
    message.from = id();
    message.values.set_list(std::move(list));
    return message;
  }

  // What the core is told instead.
  Event changed(const Event& event) const {
    const auto* received = std::get_if<Received>(&event);
    if (received == nullptr || !is(ListMutation::adds_twice)) return event;
    Message message = received->message;
    if (message.type != messages::list_election) return event;
    List list = message.list();
    std::erase(list, id());
    // The sender stands for a list in which nobody else was.
    if (list.empty()) list = {message.from};
    message.values.set_list(std::move(list));
    return Received{message};
  }

  // `heard`: the message that it acts on; of no type if it acts on none.
  bool drops(const Action& action, const Message& heard) const {
    const auto* send = std::get_if<Send>(&action);
    if (send == nullptr) return false;
    const bool list = send->message.type == messages::list_election;
    const bool lap = send->message.type == messages::list_coordinator;
    const bool own_list = list && send->message.list().size() == 1;
    using enum ListMutation;
    return (is(begins_nothing) && own_list) || (is(swallows) && list && !own_list) ||
           (is(announces_to_nobody) && lap && heard.type == messages::list_election) ||
           (is(keeps_the_lap) && lap && heard.type == messages::list_coordinator);
  }

  void bend(Action& action, const Message& heard) const {
    auto* send = std::get_if<Send>(&action);
    if (send == nullptr || heard.type != messages::list_election) return;
    const bool list = send->message.type == messages::list_election;
    if (is(ListMutation::does_not_add_itself) && list) {
      send->message.values.set_list(heard.list());
    }
    if (is(ListMutation::takes_lowest) && !list) {
      send->message.set(fields::leader, std::ranges::min(heard.list()));
    }
  }
};
}  // namespace bully
