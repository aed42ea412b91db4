#include "election/algorithm.h"

#include <algorithm>
#include <array>

#include "election/bully.h"
#include "election/chang_roberts.h"
#include "election/garcia_molina.h"
#include "election/hirschberg_sinclair.h"
#include "election/invitation.h"
#include "election/ring.h"
#include "election/tanenbaum_ring.h"

namespace bully {

// Those that a program brought, if any.
static std::span<const Algorithm> brought;

std::span<const Algorithm> built_in_algorithms() {
  static const std::array all = {bully_algorithm(),          ring_algorithm(),
                                 chang_roberts_algorithm(),  hirschberg_sinclair_algorithm(),
                                 tanenbaum_ring_algorithm(), garcia_molina_algorithm(),
                                 invitation_algorithm()};
  return all;
}

bool Algorithm::speaks(MessageType type) const {
  return std::ranges::find(messages, type) != messages.end();
}

bool Algorithm::has(const Property& property) const {
  return std::ranges::find(properties, &property) != properties.end();
}

NodeId Algorithm::preferred_of(std::span<const NodeId> ids) const {
  return *std::ranges::min_element(ids, prefers);
}

std::span<const Algorithm> algorithms() {
  return brought.empty() ? built_in_algorithms() : brought;
}

void use_algorithms(std::span<const Algorithm> table) {
  brought = table;
}

std::span<const MessageType> known_messages() {
  static const std::vector<MessageType> known = [] {
    std::vector<MessageType> all = {messages::ping, messages::status};
    for (const Algorithm& algorithm : algorithms()) {
      for (const MessageType type : algorithm.messages) {
        if (std::ranges::find(all, type) == all.end()) all.push_back(type);
      }
    }
    return all;
  }();
  return known;
}

std::span<const Property* const> known_properties() {
  static const std::vector<const Property*> known = [] {
    std::vector<const Property*> all;
    for (const Algorithm& algorithm : algorithms()) {
      for (const Property* property : algorithm.properties) {
        if (std::ranges::find(all, property) == all.end()) all.push_back(property);
      }
    }
    return all;
  }();
  return known;
}

std::string_view assumption_name(Assumption assumption) {
  switch (assumption) {
    case Assumption::nobody_stopped: return "nobody-stopped";
    case Assumption::nobody_joins: return "nobody-joins";
    case Assumption::no_loss: return "no-loss";
    case Assumption::synchronous: return "synchronous";
  }
  return {};
}

bool all_follow_the_preferred(const Algorithm& algorithm, Nodes nodes) {
  std::vector<NodeId> alive;
  alive.reserve(nodes.size());
  for (const Snapshot* node : nodes) {
    if (node->is_alive()) alive.push_back(node->id);
  }
  if (alive.empty()) return true;
  const NodeId preferred = algorithm.preferred_of(alive);
  return std::ranges::all_of(nodes, [&](const Snapshot* node) {
    return !node->is_alive() || node->coordinator == preferred;
  });
}

bool none_follows_a_lesser(const Algorithm& algorithm, Nodes nodes) {
  return std::ranges::none_of(nodes, [&](const Snapshot* node) {
    return node->is_alive() && node->coordinator && algorithm.prefers(node->id, *node->coordinator);
  });
}

bool has_taken_another(const Snapshot& taker, Nodes /*nodes*/) {
  return taker.coordinator && taker.coordinator != taker.id;
}

bool has_taken_itself(const Snapshot& taker, Nodes /*nodes*/) {
  return taker.coordinator == taker.id;
}

bool holds_in_the_end(const Algorithm& algorithm, std::span<const Snapshot> nodes) {
  std::vector<const Snapshot*> running;
  running.reserve(nodes.size());
  for (const Snapshot& node : nodes) {
    if (node.condition == Condition::running) running.push_back(&node);
  }
  return std::ranges::all_of(algorithm.properties, [&](const Property* property) {
    return property->moment != Property::Moment::in_the_end || property->holds(algorithm, running);
  });
}

const Algorithm* find_algorithm(std::string_view name) {
  const auto found = std::ranges::find(algorithms(), name, &Algorithm::name);
  return found == algorithms().end() ? nullptr : &*found;
}

const Algorithm& algorithm_named(std::string_view name) {
  const Algorithm* found = find_algorithm(name);
  return found == nullptr ? default_algorithm() : *found;
}

const StateKind* find_state(std::string_view name) {
  for (const Algorithm& algorithm : algorithms()) {
    const auto found = std::ranges::find(algorithm.states, name, &StateKind::name);
    if (found != algorithm.states.end()) return &*found;
  }
  return nullptr;
}

bool is_coordinating(std::string_view state) {
  const StateKind* kind = find_state(state);
  return kind != nullptr && kind->role == StateRole::coordinating;
}

bool is_asking(std::string_view state) {
  const StateKind* kind = find_state(state);
  return kind != nullptr && kind->role == StateRole::asking;
}

bool is_settled(std::string_view state) {
  const StateKind* kind = find_state(state);
  return kind != nullptr && kind->role > StateRole::down && kind->role < StateRole::asking;
}

bool holds_election(std::string_view state) {
  const StateKind* kind = find_state(state);
  return kind == nullptr ? !state.empty() : kind->role >= StateRole::asking;
}

const Rule* find_rule(std::string_view key) {
  for (const Algorithm& algorithm : algorithms()) {
    const auto found = std::ranges::find(algorithm.rules, key, &Rule::key);
    if (found != algorithm.rules.end()) return *found;
  }
  return nullptr;
}

std::uint64_t election_total(const MessageCounts& counts) {
  std::uint64_t all = 0;
  for (const auto& [type, count] : counts) {
    if (type.is_of_election()) all += count;
  }
  return all;
}

}  // namespace bully
