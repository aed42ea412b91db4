#include "commands/orders.h"

#include <algorithm>

#include "commands/reports.h"

namespace bully {

namespace {

std::size_t lane_of(NodeId id) {
  return id - 1;  // explored nodes are 1, 2, …
}

// The process's part of a turn, as a step of a diagram.
std::optional<Diagram::Step> process_step(const StateMap::Turn& turn) {
  if (turn.records.empty()) return std::nullopt;
  Diagram::Step step{
      .lane = lane_of(turn.step.id()),
      .event = turn.records.front().event,
      .records = turn.records,
      .restart = turn.step.verb == Verb::restart && turn.before.condition == Condition::crashed,
      .before = turn.before,
      .after = turn.after};
  step.sent.assign(turn.sent.begin(), turn.sent.end());
  if (turn.delivered) step.ended = *turn.delivered;
  return step;
}

// The meaning of a timeout depends on the process's state; the step alone does not show it.
std::string label_of(const StateMap::Turn& turn, const std::optional<Diagram::Step>& step,
                     Language language) {
  if (turn.step.verb != Verb::expire) return step_text(turn.step, language);
  std::string label = std::to_string(turn.step.id()) + ": " + cause_of(*step, language);
  if (turn.step.false_alarm) label += ' ' + text(Text::verify_false_alarm, language, {});
  if (turn.step.crash_after) {
    label += text(Text::verify_crash_after, language, {*turn.step.crash_after});
  }
  return label;
}

Orders::Turn turn_of(const StateMap::Turn& turn, Language language) {
  const std::optional<Diagram::Step> step = process_step(turn);
  Orders::Turn shown{.label = label_of(turn, step, language),
                     .step = step,
                     .delivered = turn.delivered,
                     .is_fault = turn.is_fault,
                     .is_of_timer = turn.step.verb == Verb::expire,
                     .lines = turn.lines};
  if (const std::optional<Breach> breach = breach_of(turn.step)) {
    shown.breaks = breach->assumptions;
    // The page fills in the place of the step.
    shown.breach = text(breach->words_on_page, language, {"{0}", turn.step.id()});
  }
  return shown;
}

bool has_rivals(const StateMap& map, const StateMap::State& state) {
  return std::ranges::count_if(state.places, [&](StateMap::Number place) {
           const Snapshot& node = map.places[place].node;
           return node.is_alive() && node.is_coordinator();
         }) > 1;
}

// The first to start joins none that run: it breaks nothing, unlike all later ones.
void excuse_first_start(const StateMap& map, Orders& orders) {
  const auto is_alive = [&](StateMap::Number place) { return map.places[place].node.is_alive(); };
  if (std::ranges::any_of(map.states.front().places, is_alive)) return;
  for (auto& [turn, target] : orders.states.front().edges) {
    if (map.turns[turn].step.verb != Verb::restart) continue;
    orders.turns.push_back(orders.turns[turn]);
    orders.turns.back().breaks.clear();
    orders.turns.back().breach.clear();
    turn = static_cast<Orders::Number>(orders.turns.size() - 1);
  }
}

// The smallest and the largest number of messages of an election after a crash of the coordinator:
// the next in line detects it, or the lowest does.
void count_textbook(const ExploreOptions& options, std::vector<NodeId> processes, Orders& orders,
                    Language language) {
  const Algorithm& algorithm = *options.algorithm;
  if (algorithm.count == nullptr) processes.clear();
  if (options.beginning == Beginning::agreed) std::erase(processes, first_coordinator(options));
  std::vector<MessageCounts> counts;
  for (const NodeId detector : processes) {
    counts.push_back(algorithm.count(
        {.processes = processes, .detector = detector, .lost_coordinator = true, .noticed = 1}));
  }
  const auto between = [&](const auto& number) -> std::string {
    if (counts.empty()) return "";
    const auto [low, high] = std::ranges::minmax(counts, {}, number);
    const auto shown = [&](const MessageCounts& one) { return grouped(number(one), language); };
    return number(low) == number(high) ? shown(low) : shown(low) + " – " + shown(high);
  };
  for (const MessageType type : algorithm.messages) {
    const auto of_type = [type](const MessageCounts& one) { return one.of(type); };
    orders.counts.push_back({type, between(of_type)});
  }
  orders.textbook = between([](const MessageCounts& one) { return election_total(one); });
}

}  // namespace

Orders orders_of(const StateMap& map, const ExploreOptions& options, Language language) {
  const std::string election = word_or(word_key("election_", options.algorithm->name),
                                       "election_other", language, {options.algorithm->name});
  Orders orders;
  orders.title = text(Text::orders_title, language, {election});
  orders.question = question_text(options, language);
  orders.beginning = map.beginning;
  orders.scene.algorithm = options.algorithm;
  for (NodeId id = 1; id <= options.nodes; ++id) orders.scene.lanes.push_back(id);
  for (const auto& [to, message] : map.messages) {
    orders.scene.messages.push_back({.type = message.type,
                                     .from = lane_of(message.from),
                                     .to = lane_of(to),
                                     .values = message.values});
  }
  std::ranges::transform(map.ring, std::back_inserter(orders.order), lane_of);
  for (const auto& [node, waits] : map.places) {
    orders.places.push_back({.lane = lane_of(node.id), .node = node, .waits = waits});
  }
  for (const StateMap::Turn& turn : map.turns) orders.turns.push_back(turn_of(turn, language));
  for (const StateMap::State& state : map.states) {
    Orders::State shown{.places = state.places,
                        .messages = state.messages,
                        .broken = state.broken,
                        .is_end = state.is_end,
                        .is_explored = state.is_explored,
                        .has_rivals = has_rivals(map, state),
                        .edges = {}};
    for (const auto& [turn, target] : state.edges) shown.edges.emplace_back(turn, target);
    orders.states.push_back(std::move(shown));
  }
  excuse_first_start(map, orders);
  for (const Property* property : map.judged) {
    orders.properties.push_back({property, std::string(violation_words(*property, language))});
  }
  count_textbook(options, map.ring, orders, language);
  return orders;
}

}  // namespace bully
