// explorer_script.cc: writes a counterexample step by step, and plays it as it goes.
#include <algorithm>
#include <stdexcept>

#include "base/list.h"
#include "explorer/explorer.h"
#include "sim/player.h"
#include "sim/script_text.h"

namespace bully {

namespace {

// The number of rounds that a script plays of an endless counterexample.
constexpr int max_rounds = 3;

// The simulator must be able to do every step: this checks the explorer's model.
void require(const StepResult& wrong, const ScriptWriter& script) {
  if (wrong) throw std::logic_error(std::string(wrong->key) + " after\n" + script.text());
}

void add(ScriptWriter& script, const Step& step) {
  require(script.add(step), script);
}

// In the order of sending.
std::vector<InFlight> sent_by(NodeId id, const ScriptWriter& script) {
  std::vector<InFlight> sent = script.world().in_flight({.from = id});
  std::ranges::sort(sent, {}, [](const InFlight& each) { return each.message.number; });
  return sent;
}

// A script cannot crash a node halfway through its sends. But it can lose the messages that the
// node should not have sent, and then crash it. `sent`: the number in flight from it before the
// step.
void add_crash(ScriptWriter& script, const Step& step, std::size_t sent) {
  if (!step.crash_after) return;
  const std::vector<InFlight> all = sent_by(step.id(), script);
  for (std::size_t i = sent + *step.crash_after; i < all.size(); ++i) {
    require(script.add(Verb::drop, all[i]), script);
  }
  if (all.size() > sent + *step.crash_after) add(script, {.verb = Verb::crash, .ids = step.ids});
}

void add_found(ScriptWriter& script, Step step) {
  const std::size_t sent = step.crash_after ? sent_by(step.id(), script).size() : 0;
  if (step.verb == Verb::deliver) {
    auto like = script.world().in_flight(step.filter);
    // Numbers that depend on incarnations may differ from the model's: then it is the oldest
    // message.
    step.filter.values.reset();
    if (like.empty()) like = script.world().in_flight(step.filter);
    require(like.empty() ? Problem{"play_no_message"} : script.add(Verb::deliver, like[0]), script);
  } else {
    add(script, step);
  }
  add_crash(script, step, sent);
  // It learns at once of receivers that are gone. All such news is for the node of this step.
  while (!script.refusals().empty()) {
    require(script.add(Verb::deliver, script.refusals().front()), script);
    add_crash(script, step, sent);
  }
}

bool leads_after(const Step& step, NodeId id, const ScriptWriter& script,
                 const ProtocolMaker& make) {
  ScriptWriter tried(script.text(), nullptr, make);
  add(tried, step);
  return std::ranges::count(coordinators_among(tried.nodes()), id) > 0;
}

// The final expectation, and the steps that have to come before it.
std::string expectation_after(ScriptWriter& script, const Counterexample& violation,
                              const ExploreOptions& options, const ProtocolMaker& make) {
  std::string text;
  const Property& property = *violation.property;
  const Algorithm& algorithm = *options.algorithm;
  // The ids of nodes that are live or have yet to start.
  const auto may_run = [](const Snapshot& node) { return node.condition != Condition::crashed; };
  const std::vector<NodeId> ids = list_of(violation.nodes, may_run, &Snapshot::id);
  const NodeId preferred = ids.empty() ? 0 : algorithm.preferred_of(ids);
  const auto expect_not = [&](NodeId coordinator, NodeId at) {
    text +=
        "expect no coordinator " + std::to_string(coordinator) + " at " + std::to_string(at) + '\n';
  };
  if (&property == &properties::highest_wins) {
    for (const Snapshot& node : violation.nodes) {
      const bool is_lesser = node.coordinator && algorithm.prefers(preferred, *node.coordinator);
      if (is_lesser) expect_not(*node.coordinator, node.id);
    }
    return text;
  }
  if (&property == &properties::one_coordinator) {
    // Long enough for an announcement in flight to arrive, too short for a timer. But the other
    // messages in flight arrive as well, and must not depose it.
    const Step wait{.verb = Verb::run, .time = std::chrono::milliseconds(50)};
    const bool is_told = std::ranges::any_of(
        algorithm.messages, [](MessageType type) { return type->role == Role::announces; });
    if (is_told && leads_after(wait, violation.second, script, make)) add(script, wait);
    expect_not(violation.second, violation.second);
    return text;
  }
  if (&property == &properties::message_count) {
    return "expect messages at most " + std::to_string(*options.max_messages) + '\n';
  }
  if (property.moment == Property::Moment::every) {
    return "expect property " + std::string(property.key) + '\n';
  }
  if (&property != &properties::progress) {
    for (const Snapshot& node : violation.nodes) {
      const bool not_started = node.condition == Condition::absent;
      if (not_started) add(script, {.verb = Verb::start, .ids = {node.id}});  // as each will
    }
    if (violation.is_cut) add(script, {.verb = Verb::heal});  // as it will
    // Time enough for a protocol that comes to agreement.
    add(script, {.verb = Verb::run, .time = std::chrono::seconds(60)});
  }
  for (const Property* owed : algorithm.properties) {
    if (owed->holds == all_follow_the_preferred) {
      text += "expect coordinator " + std::to_string(preferred) + '\n';
    } else if (owed->moment == Property::Moment::in_the_end) {
      text += "expect property " + std::string(owed->key) + '\n';
    }
  }
  return text;
}

// The title of a script.
std::string heading_of(const Counterexample& violation, const Texts& title) {
  std::string text = "# A counterexample, found by exploring every interleaving: " +
                     std::string(violation.property->key) + '\n';
  for (const Language language : languages) {
    const std::string& words = title[static_cast<std::size_t>(language)];
    if (words.empty()) continue;
    text += "title " + std::string(short_code_of(language)) + ": " + words + '\n';
  }
  return text;
}

}  // namespace

std::string beginning_of(const ExploreOptions& options, bool is_led) {
  std::string text;
  const auto line = [&](const std::string& words) { text += words + '\n'; };
  line("algorithm " + std::string(options.algorithm->name));
  if (options.variant != nullptr) line("protocol " + std::string(options.variant->name));
  line(options.delivery != Delivery::any_order ? "links fifo" : "links reorder");
  line(options.detectors.empty() && !is_led ? "detector ping" : "detector off");
  const bool leaderless = options.beginning == Beginning::leaderless;
  const NodeId gone = leaderless ? first_coordinator(options) : 1;
  line("nodes " + std::to_string(std::min<NodeId>(1, gone)) + ".." +
       std::to_string(std::max<NodeId>(options.nodes, gone)));
  if (leaderless) line("leave " + std::to_string(gone));
  if (!options.arrangement.empty()) line("ring" + ranges_of(options.arrangement));
  // Nodes that have yet to start: their names are known, and no process is behind them.
  for (NodeId id = 1; options.beginning == Beginning::starting && id <= options.nodes; ++id) {
    line("crash " + std::to_string(id));
  }
  return text + "hold\n";
}

std::string counterexample_scenario(const ExploreOptions& options, const ProtocolMaker& make,
                                    const Counterexample& violation, const Texts& title) {
  const bool is_led = violation.property == &properties::one_coordinator;
  ScriptWriter script(heading_of(violation, title) + beginning_of(options, is_led), nullptr, make);
  for (const Step& step : violation.steps) add_found(script, step);
  const int rounds = violation.property == &properties::progress ? max_rounds : 0;
  for (int round = 0; round < rounds; ++round) {
    for (const Step& step : violation.cycle) add_found(script, step);
  }
  const std::string expectation = expectation_after(script, violation, options, make);
  return script.text() + expectation;
}

}  // namespace bully
