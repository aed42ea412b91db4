// The description of the election of 1982: its properties, its state as words, and its counts.

#include <algorithm>

#include "election/field_visitor.h"
#include "election/garcia_molina.h"
#include "election/garcia_molina_rules.h"

namespace bully {

namespace {

namespace garcia_molina {

constexpr std::array<MessageType, 8> own_messages = {
    messages::are_you_there,   messages::here,  messages::halt,  messages::halted,
    messages::new_coordinator, messages::noted, messages::ready, messages::done};

// True if this coordinator is missed: AreYouNormal is answered with no.
bool is_not_normal(const PingReply& /*own*/, const PingReply& other) {
  return !other.coordinator;
}

// The value of a process's variable c, or the coordinator that it follows if it has no such
// variable: so the same properties apply to other elections.
std::optional<NodeId> named_by(const Snapshot& node) {
  if (node.observed) return std::nullopt;
  const auto c = std::ranges::find(node.variables, "c", &Variable::name);
  return c == node.variables.end() ? node.coordinator : c->value;
}
std::optional<NodeId> task_of(const Snapshot& node) {
  const bool is_ours = std::ranges::count(node.variables, "c", &Variable::name) > 0;
  const auto d = std::ranges::find(node.variables, "d", &Variable::name);
  return is_ours && d != node.variables.end() ? d->value : std::nullopt;
}

template <typename Show>
bool all_the_same(Nodes nodes, Show show) {
  std::optional<NodeId> first;
  return std::ranges::all_of(nodes, [&](const Snapshot* node) {
    const std::optional<NodeId> value = node->is_alive() ? show(*node) : std::nullopt;
    if (!first) first = value;
    return !value || value == first;
  });
}
// True if `Show` gives different values for another process and for this one.
template <typename Show>
bool another_has_one(const Snapshot& taker, Nodes nodes, Show show) {
  return show(taker) && std::ranges::any_of(nodes, [&](const Snapshot* node) {
           return node->id != taker.id && node->is_alive() && show(*node);
         });
}
bool another_names_one(const Snapshot& taker, Nodes nodes) {
  return another_has_one(taker, nodes, named_by);
}
bool another_has_a_task(const Snapshot& taker, Nodes nodes) {
  return another_has_one(taker, nodes, task_of);
}
bool name_the_same(const Algorithm& /*algorithm*/, Nodes nodes) {
  return all_the_same(nodes, named_by);
}
bool have_the_same_task(const Algorithm& /*algorithm*/, Nodes nodes) {
  return all_the_same(nodes, task_of);
}

constexpr std::array owed = {
    &properties::highest_live, &properties::never_lower, &properties::same_coordinator,
    &properties::same_task,    &properties::ends,        &properties::sent};

constexpr std::array<CountFormula, 8> formulas = {{
    {messages::are_you_there, "", "n-1", ""},
    {messages::here, "", "n-2", ""},
    {messages::halt, "n(n-1)/2, n = {0}", "n-2", "n-1, n = {0}"},
    {messages::halted, "n(n-1)/2, n = {0}", "n-2", "n-1, n = {0}"},
    {messages::new_coordinator, "n(n-1)/2, n = {0}", "n-2", "n-1, n = {0}"},
    {messages::noted, "n(n-1)/2, n = {0}", "n-2", "n-1, n = {0}"},
    {messages::ready, "n(n-1)/2, n = {0}", "n-2", "n-1, n = {0}"},
    {messages::done, "n(n-1)/2, n = {0}", "n-2", "n-1, n = {0}"},
}};

// The winner calls the lost coordinator once, and each of the others three times: with the replies
// 6(n-2)+1 messages among n processes, the lost one included. Any other detector asks the next
// process above it, is answered, and gives up.
MessageCounts count(const CountedElection& election) {
  MessageCounts counts;
  const std::uint64_t others = election.processes.size() - 1;
  for (const MessageType type : own_messages) counts[type] = others;
  const bool is_lost = election.lost_coordinator;
  counts[messages::are_you_there] = is_lost ? election.noticed : 0;
  counts[messages::here] = is_lost ? election.noticed - 1 : 0;
  return counts;
}

// All except the winner's call to the lost coordinator.
MessageCounts delivered(const CountedElection& election) {
  MessageCounts counts = count(election);
  counts[messages::are_you_there] = counts.of(messages::here);
  return counts;
}

// All detect the crash at once.
MessageCounts bound(std::size_t n) {
  MessageCounts counts;
  if (n < 2) return counts;
  for (const MessageType type : own_messages) counts[type] = n - 2;
  ++counts[messages::are_you_there];
  return counts;
}

}  // namespace garcia_molina

}  // namespace

void GarciaMolina::visit_fields(FieldVisitor& visit) {
  visit(attempts_);
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

void GarciaMolina::forget_idle_words(std::vector<std::uint64_t>& words) {
  words.at(0) = 0;
}

constexpr Property properties::same_coordinator{
    .key = "same-coordinator",
    .moment = Property::Moment::every,
    .holds = garcia_molina::name_the_same,
    .unseen = Property::Unseen::handling,
    .assumes = {Assumption::synchronous, Assumption::nobody_stopped, Assumption::no_loss},
    .is_at_stake = garcia_molina::another_names_one};
constexpr Property properties::same_task{
    .key = "same-task",
    .moment = Property::Moment::every,
    .holds = garcia_molina::have_the_same_task,
    .unseen = Property::Unseen::handling,
    .assumes = {Assumption::synchronous, Assumption::nobody_stopped, Assumption::no_loss},
    .is_at_stake = garcia_molina::another_has_a_task};

Algorithm garcia_molina_algorithm() {
  return {.name = "garcia-molina",
          .make = make_protocol<GarciaMolina>,
          .is_fifo = true,
          .messages = garcia_molina::own_messages,
          .states = GarciaMolina::states,
          .rules = {rule::of_garcia_molina.begin(), rule::of_garcia_molina.end()},
          .properties = garcia_molina::owed,
          .finds = garcia_molina::is_not_normal,
          .must_notice = Noticing::highest,
          .count = garcia_molina::count,
          .formulas = garcia_molina::formulas,
          .delivered = garcia_molina::delivered,
          .bound = garcia_molina::bound,
          .forget_idle_words = GarciaMolina::forget_idle_words};
}

}  // namespace bully
