// garcia_molina_description.cc: the description of the election of 1982: its properties, its state
// as words, and its counts.

#include <algorithm>

#include "election/field_visitor.h"
#include "election/garcia_molina.h"

namespace bully {

namespace garcia_molina {

// True if this coordinator is missed: AreYouNormal is answered with no.
static bool is_not_normal(const PingReply& /*own*/, const PingReply& other) {
  return !other.coordinator;
}

// The value of a process's variable c, or the coordinator that it follows if it has no such
// variable: so the same properties apply to other elections.
static std::optional<NodeId> named_by(const Snapshot& node) {
  const auto c = std::ranges::find(node.variables, "c", &Variable::name);
  return c == node.variables.end() ? node.coordinator : c->value;
}
static std::optional<NodeId> task_of(const Snapshot& node) {
  const bool is_ours = std::ranges::count(node.variables, "c", &Variable::name) > 0;
  const auto d = std::ranges::find(node.variables, "d", &Variable::name);
  return is_ours && d != node.variables.end() ? d->value : std::nullopt;
}

constexpr std::array<MessageType, 8> own_messages = {
    messages::are_you_there,   messages::here,  messages::halt,  messages::halted,
    messages::new_coordinator, messages::noted, messages::ready, messages::done};

// The winner calls the lost coordinator once, and each of the others three times: with the replies
// 6(n-2)+1 messages among n processes, the lost one included. Any other detector asks the next
// process above it, is answered, and gives up.
static MessageCounts count(const CountedElection& election) {
  MessageCounts counts;
  const std::uint64_t others = election.processes.size() - 1;
  for (const MessageType type : own_messages) counts[type] = others;
  const bool is_lost = election.lost_coordinator;
  counts[messages::are_you_there] = is_lost ? election.noticed : 0;
  counts[messages::here] = is_lost ? election.noticed - 1 : 0;
  return counts;
}

// All except the winner's call to the lost coordinator.
static MessageCounts delivered(const CountedElection& election) {
  MessageCounts counts = count(election);
  counts[messages::are_you_there] = counts.of(messages::here);
  return counts;
}

// All detect the crash at once.
static MessageCounts bound(std::size_t n) {
  if (n < 2) return {};
  const std::vector<NodeId> others = one_to(n - 1);
  return count({.processes = others, .lost_coordinator = true, .noticed = others.size()});
}

// The length of a wait decides nothing, so it is no part of the state.
static void forget_attempts(std::vector<std::uint64_t>& words) {
  words.at(0) = 0;
}

}  // namespace garcia_molina

void GarciaMolina::visit_fields(FieldVisitor& visit) {
  visit(attempts_);  // the first: see forget_attempts
  visit(state_);
  visit(h_);
  visit(c_);
  visit(d_);
  visit(up_);
  visit(phase_);
  visit(callee_);
  visit(has_replied_);
  visit(is_halted_);
  visit(call_);
  visit(task_);
}

constexpr Property properties::same_coordinator{
    .key = "same-coordinator",
    .moment = Property::Moment::every,
    .holds = show_the_same<garcia_molina::named_by>,
    .assumes = {Assumption::synchronous, Assumption::nobody_stopped, Assumption::no_loss},
    .is_at_stake = another_shows_one<garcia_molina::named_by>};
constexpr Property properties::same_task{
    .key = "same-task",
    .moment = Property::Moment::every,
    .holds = show_the_same<garcia_molina::task_of>,
    .assumes = {Assumption::synchronous, Assumption::nobody_stopped, Assumption::no_loss},
    .is_at_stake = another_shows_one<garcia_molina::task_of>};

Algorithm garcia_molina_algorithm() {
  return {.name = "garcia-molina",
          .make = make_protocol<GarciaMolina>,
          .is_fifo = true,
          .messages = {garcia_molina::own_messages.begin(), garcia_molina::own_messages.end()},
          .states = GarciaMolina::states,
          .rules = GarciaMolina::rules.all(),
          .answers = {{messages::are_you_there, messages::here},
                      {messages::halt, messages::halted, true},
                      {messages::new_coordinator, messages::noted, true},
                      {messages::ready, messages::done, true}},
          .properties = {&properties::highest_live, &properties::never_lower,
                         &properties::same_coordinator, &properties::same_task, &properties::ends,
                         &properties::sent},
          .finds = garcia_molina::is_not_normal,
          .must_notice = Noticing::highest,
          .count = garcia_molina::count,
          .delivered = garcia_molina::delivered,
          .bound = garcia_molina::bound,
          .forget_idle_words = garcia_molina::forget_attempts};
}

}  // namespace bully
