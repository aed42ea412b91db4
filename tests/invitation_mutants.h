// invitation_mutants.h: the invitation election with one rule switched off or bent, for tests that
// must be able to fail.
//
// Like mutants.h: a mutant stands between the world and the unchanged core.
#pragma once

#include <array>
#include <string_view>
#include <variant>

#include "election/invitation.h"

namespace bully {

enum class InvitationMutation : std::uint8_t {
  never_recovers,     // nothing is done about a lost coordinator
  never_checks,       // nor about another one
  invites_nobody,     // a merge invites nobody
  passes_nothing_on,  // an invitation is not passed on to members
  never_accepts,      // Accept is not sent
  accepts_no_one,     // Accept is replied to, and that is all
  readies_nobody,     // Ready is not sent
  is_ready_for_any,   // Ready counts whatever group it names
  keeps_the_name,     // a merge or a recovery does not count
  reuses_numbers,     // a new process counts its groups from 0 again
  no_answer_timer,    // a missing reply is waited for, for ever
  no_patience_timer,  // and so are those who may accept
};
inline constexpr std::size_t invitation_mutation_count = 12;

inline std::string_view mutation_name(InvitationMutation mutation) {
  constexpr std::array<std::string_view, invitation_mutation_count> names = {
      "never recovers", "never checks",   "invites nobody",  "passes nothing on",
      "never accepts",  "accepts no one", "readies nobody",  "is ready for any",
      "keeps the name", "reuses numbers", "no answer timer", "no patience timer"};
  return names.at(static_cast<std::size_t>(mutation));
}

class InvitationMutant : public Protocol {
 public:
  InvitationMutant(InvitationMutation mutation, NodeId self) : mutation_(mutation), core_(self) {}

  void handle(const Event& event, const Peers& peers, Actions& actions) override {
    Event told = event;
    if (ignores(told)) return;
    change(told);
    const auto first = static_cast<std::ptrdiff_t>(actions.size());
    core_.handle(told, peers, actions);
    if (is(InvitationMutation::keeps_the_name)) keep_the_name();
    const auto drops = [&](const Action& action) { return is_dropped(event, action); };
    actions.erase(std::remove_if(actions.begin() + first, actions.end(), drops), actions.end());
    if (is(InvitationMutation::keeps_the_name)) rename_groups(actions);
  }
  NodeId id() const override { return core_.id(); }
  std::string_view state_name() const override { return core_.state_name(); }
  std::optional<NodeId> coordinator() const override { return core_.coordinator(); }
  std::optional<NodeId> watched() const override { return core_.watched(); }
  std::optional<Group> group() const override { return core_.group(); }
  Variables variables() const override { return core_.variables(); }
  void visit_fields(FieldVisitor& visit) override { core_.visit_fields(visit); }

 private:
  // Where the words that the core saves have the count of its group, and its own counter.
  static constexpr std::size_t count_word = 2;
  static constexpr std::size_t counter_word = 3;
  static constexpr std::uint64_t kept = 2;  // as of a cluster that agrees

  bool is(InvitationMutation mutation) const { return mutation_ == mutation; }

  bool ignores(const Event& event) const {
    if (std::holds_alternative<Suspected>(event)) return is(InvitationMutation::never_recovers);
    if (std::holds_alternative<PeerFound>(event)) return is(InvitationMutation::never_checks);
    return false;
  }

  void change(Event& event) const {
    auto* started = std::get_if<Started>(&event);
    if (started != nullptr && is(InvitationMutation::reuses_numbers)) started->incarnation = 0;
    auto* received = std::get_if<Received>(&event);
    if (received == nullptr) return;
    Message& message = received->message;
    if (is(InvitationMutation::is_ready_for_any) && message.type == messages::group_ready) {
      if (core_.group()) message.from = message.set_group(*core_.group()).group()->creator;
    }
    // It takes it for one to a group of long ago.
    if (is(InvitationMutation::accepts_no_one) && message.type == messages::accept) {
      message.set_group({id(), 0});
    }
  }

  void keep_the_name() {
    std::vector<std::uint64_t> words;
    core_.save(words);
    if (!core_.group() || core_.group()->creator != id()) return;
    words.at(count_word) = words.at(counter_word) = kept;
    core_.load(words);
  }

  void rename_groups(Actions& actions) const {
    for (Action& action : actions) {
      auto* send = std::get_if<Send>(&action);
      if (send == nullptr || !send->message.group()) continue;
      if (send->message.group()->creator == id()) send->message.set_group({id(), kept});
    }
  }

  bool is_dropped(const Event& event, const Action& action) const {
    using enum InvitationMutation;
    if (const auto* start = std::get_if<StartTimer>(&action)) {
      return is(start->timer == Timer::answer ? no_answer_timer : no_patience_timer);
    }
    const auto* send = std::get_if<Send>(&action);
    if (send == nullptr) return false;
    const MessageType type = send->message.type;
    const bool was_told = std::holds_alternative<Received>(event);
    if (type == messages::invitation) return is(was_told ? passes_nothing_on : invites_nobody);
    if (type == messages::accept) return is(never_accepts);
    return type == messages::group_ready && is(readies_nobody);
  }

  InvitationMutation mutation_;
  Invitation core_;
};

}  // namespace bully
