// faulty_node.h: bully in a process whose connections, listing, monitor or memory are broken, for
// real nodes to run: `bully check` must not call their runs right.
//
// A double stands between the node and the unchanged core, and changes what goes in or comes out.
// Where a fault lies in what the monitor or the system says, it sends its own process the signal
// that says so.
#pragma once

#include <signal.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>
#include <vector>

#include "election/bully.h"
#include "mutants/bully_mutants.h"

namespace bully {

enum class Fault : std::uint8_t {
  // Messages that come in.
  drops_election,
  drops_answer,
  drops_coordinator,
  drops_highest,  // all messages of the highest process
  hears_late,     // drops its first messages, whatever they are
  // Messages that go out.
  answers_nobody,
  answers_another,  // instead of the process that asked
  announces_to_nobody,
  announces_to_others,  // to all but the next lower process
  // The listing.
  hides_highest,
  hides_next,   // the next higher process
  asks_nobody,  // hides all that are higher
  // The monitor.
  never_suspects,
  suspects_at_once,  // whenever it hears of its coordinator
  // Memory and states.
  continues,            // as if it had been stopped, whenever it hears of its coordinator
  keeps_state,          // starts with the coordinator that it may have had before
  accepts_lower,        // and a winner announces itself to higher ones as well
  becomes_coordinator,  // when it hears of one
};

class FaultyNode : public MutantOf<Bully, Fault> {
 public:
  using MutantOf::MutantOf;
  static constexpr auto names = std::to_array<std::string_view>(
      {"drops ELECTION", "drops ANSWER", "drops COORDINATOR", "drops the highest", "hears late",
       "sends no ANSWER", "answers another", "sends no COORDINATOR", "announces to others",
       "hides the highest", "hides the next", "hides all higher", "never suspects",
       "suspects at once", "continues", "keeps its state", "accepts a lower one",
       "becomes coordinator"});

  void handle(const Event& event, const Peers& peers, Actions& actions) override {
    misled_by_ = 0;
    const std::size_t first = actions.size();
    const auto* received = std::get_if<Received>(&event);
    if (received == nullptr || !drops(received->message, peers)) {
      core_.handle(changed(event, peers), listed(event, peers), actions);
      if (received != nullptr) disturb(received->message);
    }
    if (is(Fault::accepts_lower)) announce_to_higher(core_, peers, actions, first);
    Actions rest(actions.begin() + static_cast<std::ptrdiff_t>(first), actions.end());
    actions.resize(first);
    for (Action& action : rest) {
      if (leaves(action, peers)) actions.push_back(std::move(action));
    }
  }
  std::string_view state_name() const override {
    return misled_by_ != 0 ? "follower" : core_.state_name();
  }
  std::optional<NodeId> coordinator() const override {
    return misled_by_ != 0 ? misled_by_ : core_.coordinator();
  }
  std::optional<NodeId> watched() const override {
    if (misled_by_ != 0) return misled_by_;
    // A coordinator's monitor looks for higher processes in the same listing.
    const bool is_blind =
        is(Fault::never_suspects) || (hides_any() && core_.coordinator() == core_.id());
    return is_blind ? std::nullopt : core_.watched();
  }
  void visit_fields(FieldVisitor& visit) override {
    core_.visit_fields(visit);
    visit(misled_by_);
    visit(count_);
  }

 private:
  // So many messages are dropped, or disturb, in the life of a process.
  static constexpr std::uint64_t late_messages = 4;
  static constexpr std::uint64_t most_disturbances = 10;

  bool hides_any() const {
    return is(Fault::hides_highest) || is(Fault::hides_next) || is(Fault::asks_nobody);
  }
  bool is_news(const Message& message) const {
    return message.type == messages::coordinator && message.from > id();
  }

  bool drops(const Message& message, const Peers& peers) {
    if (is(Fault::drops_election)) return message.type == messages::election;
    if (is(Fault::drops_answer)) return message.type == messages::answer;
    if (is(Fault::drops_coordinator)) return message.type == messages::coordinator;
    if (is(Fault::drops_highest)) return message.from == highest_of(peers);
    if (is(Fault::hears_late)) return count_++ < late_messages;
    if (is(Fault::accepts_lower) && message.type == messages::coordinator && message.from < id()) {
      misled_by_ = message.from;
      return true;
    }
    return false;
  }

  NodeId highest_of(const Peers& peers) const {
    const auto ids = peers.ids();
    return ids.empty() ? id() : std::max(id(), ids.back());
  }

  Event changed(const Event& event, const Peers& peers) const {
    const auto* started = std::get_if<Started>(&event);
    if (is(Fault::keeps_state) && started != nullptr && !started->resumed) {
      return Preset{highest_of(peers)};
    }
    const auto* received = std::get_if<Received>(&event);
    const bool takes_office =
        is(Fault::becomes_coordinator) && received != nullptr && is_news(received->message);
    return takes_office ? Event(Started{}) : event;
  }

  // The processes that the core finds.
  FixedPeers listed(const Event& event, const Peers& peers) const {
    const auto ids = peers.ids();
    const auto higher = higher_than(id(), ids);
    std::vector<NodeId> known(ids.begin(), ids.end());
    const auto* received = std::get_if<Received>(&event);
    const bool takes_office =
        is(Fault::becomes_coordinator) && received != nullptr && is_news(received->message);
    if (is(Fault::asks_nobody) || takes_office) {
      known.resize(ids.size() - higher.size());
    } else if (is(Fault::hides_highest) && !higher.empty()) {
      known.pop_back();
    } else if (is(Fault::hides_next) && !higher.empty()) {
      std::erase(known, higher.front());
    }
    return FixedPeers(std::move(known));
  }

  // The node is told that its coordinator is down, or that it goes on after a stop.
  void disturb(const Message& message) {
    const bool suspects = is(Fault::suspects_at_once);
    if ((!suspects && !is(Fault::continues)) || !is_news(message)) return;
    if (count_++ < most_disturbances) raise(suspects ? SIGUSR1 : SIGCONT);
  }

  // True if this action, perhaps changed, is carried out.
  bool leaves(Action& action, const Peers& peers) const {
    auto* send = std::get_if<Send>(&action);
    if (send == nullptr) return true;
    if (send->message.type == messages::answer) {
      if (is(Fault::answers_another)) send->to = another_than(send->to, peers);
      return !is(Fault::answers_nobody);
    }
    if (send->message.type != messages::coordinator) return true;
    const auto lower = lower_than(id(), peers.ids());
    const bool is_next = !lower.empty() && send->to == lower.back();
    return !is(Fault::announces_to_nobody) && !(is(Fault::announces_to_others) && is_next);
  }

  NodeId another_than(NodeId to, const Peers& peers) const {
    const NodeId next = peers.Peers::next_of(to);
    return next == id() ? peers.Peers::next_of(next) : next;
  }

  NodeId misled_by_ = 0;  // accepts_lower: whom it follows against its core's rules; else 0
  std::uint64_t count_ = 0;
};

}  // namespace bully
