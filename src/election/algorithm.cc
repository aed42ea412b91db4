// algorithm.cc: the table of elections, and questions to a description.
#include "election/algorithm.h"

#include <cassert>

#include "base/list.h"
#include "base/text.h"
#include "election/bully.h"
#include "election/chang_roberts.h"
#include "election/dolev_klawe_rodeh.h"
#include "election/garcia_molina.h"
#include "election/tanenbaum_ring.h"

namespace bully {

// The table in use, and the messages of all its algorithms, each once.
static std::vector<Algorithm>& table_in_use() {
  static std::vector<Algorithm> table = [] {
    std::vector<Algorithm> all;
    all.reserve(built_in_algorithms().size() + max_added_algorithms);
    all.assign(built_in_algorithms().begin(), built_in_algorithms().end());
    return all;
  }();
  return table;
}
static std::vector<MessageType> all_messages;

std::span<const Algorithm> built_in_algorithms() {
  static const std::array all = {bully_algorithm(), dolev_klawe_rodeh_algorithm(),
                                 chang_roberts_algorithm(), tanenbaum_ring_algorithm(),
                                 garcia_molina_algorithm()};
  return all;
}

bool Algorithm::speaks(MessageType type) const {
  return std::ranges::find(messages, type) != messages.end();
}

const Variant* Algorithm::find_variant(std::string_view variant) const {
  const auto found = std::ranges::find(variants, variant, &Variant::name);
  return found == variants.end() ? nullptr : &*found;
}

NodeId Algorithm::preferred_of(std::span<const NodeId> ids) const {
  return *std::ranges::min_element(ids, prefers);
}

NodeId Algorithm::first_to_report(std::span<const NodeId> ids) const {
  if (must_notice == Noticing::highest) return preferred_of(ids);
  return *std::ranges::max_element(ids, prefers);
}

std::span<const Algorithm> algorithms() {
  return table_in_use();
}

void use_algorithms(std::span<const Algorithm> table) {
  table_in_use().assign(table.begin(), table.end());
  all_messages.clear();
}

const Algorithm& add_algorithm(Algorithm added) {
  std::vector<Algorithm>& table = table_in_use();
  assert(table.size() < table.capacity());
  all_messages.clear();
  return table.emplace_back(std::move(added));
}

std::string algorithm_option(const Algorithm& algorithm) {
  const bool is_default = &algorithm == &default_algorithm();
  return is_default ? "" : " --algorithm=" + typed(algorithm.option_value());
}

template <class Member>
static void add_each_once(std::vector<Member>& all, const std::vector<Member>& more) {
  for (const Member& member : more) {
    if (std::ranges::find(all, member) == all.end()) all.push_back(member);
  }
}

std::span<const MessageType> known_messages() {
  if (!all_messages.empty()) return all_messages;
  all_messages = {messages::ping};
  for (const Algorithm& algorithm : algorithms()) add_each_once(all_messages, algorithm.messages);
  return all_messages;
}

std::vector<const Property*> known_properties(const Algorithm& asked) {
  using namespace properties;
  const bool is_highest = asked.prefers(2, 1);
  const auto fitting = [&](const Property* property) {
    if (property == &highest_live || property == &lowest_live) {
      return is_highest ? &highest_live : &lowest_live;
    }
    if (property == &never_lower || property == &never_higher) {
      return is_highest ? &never_lower : &never_higher;
    }
    return property;
  };
  std::vector<const Property*> all;
  for (const Algorithm& algorithm : algorithms()) {
    add_each_once(all, list_of(algorithm.properties, fitting));
  }
  return all;
}

bool all_follow_the_preferred(const Algorithm& algorithm, Nodes nodes) {
  const std::vector<NodeId> alive = list_of(nodes, &Snapshot::is_alive, &Snapshot::id);
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

bool is_kept(const Property& property, const Algorithm& algorithm,
             std::span<const Snapshot> nodes) {
  const auto is_asked = [&](const Snapshot& node) {
    return property.moment != Property::Moment::in_the_end || node.condition == Condition::running;
  };
  const auto address = [](const Snapshot& node) { return &node; };
  return property.holds(algorithm, list_of(nodes, is_asked, address));
}

const Algorithm* find_algorithm(std::string_view name) {
  // Another version of the same rules reads a trace as well.
  name = name.substr(0, name.find(version_mark));
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

StateRole role_of(std::string_view state) {
  const StateKind* kind = find_state(state);
  if (kind != nullptr) return kind->role;
  return state.empty() ? StateRole::down : StateRole::joining;
}

bool is_coordinating(std::string_view state) {
  return role_of(state) == StateRole::coordinating;
}

bool is_settled(std::string_view state) {
  return role_of(state) == StateRole::following || is_coordinating(state);
}

bool is_in_election(std::string_view state) {
  return role_of(state) >= StateRole::asking;
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
