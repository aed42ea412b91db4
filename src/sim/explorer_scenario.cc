#include "sim/explorer_scenario.h"

#include <functional>

#include "sim/explorer_replay.h"
#include "sim/message_words.h"

namespace bully {

namespace {

// How often a script goes round in a counterexample that has no end.
constexpr int most_rounds = 3;

std::string text_of(NodeId id) {
  return std::to_string(id);
}

std::string word_of(MessageType type) {
  return std::string(message_word(type));
}

// Writes each step of a replay in the scenario's language.
class Script : public ReplayWatcher {
 public:
  std::string text;

  void line(const std::string& words) { text += words + '\n'; }

  void on_step(const ExploreStep& step, Order order) override {
    const std::string node = text_of(step.node);
    switch (step.kind) {
      case StepKind::deliver:
        line("deliver " + word_of(step.message.type) + " from " + text_of(step.message.from) +
             " to " + node + only(order.number, order.of));
        break;
      case StepKind::expire:
        line("expire " + node + ' ' + std::string(timer_name(step.timer)) +
             (step.false_alarm ? "" : " duly"));
        break;
      case StepKind::suspect:
        line("suspect " + node + " of " + text_of(step.coordinator) + ' ' +
             std::string(suspicion_name(step.reason)));
        break;
      case StepKind::start:
        line("restart " + node);
        break;
      case StepKind::crash:
        line("crash " + node);
        break;
    }
  }
  void on_gone(NodeId node, NodeId peer, std::size_t times) override {
    line("deliver gone from " + text_of(peer) + " to " + text_of(node) + only(1, times));
  }
  // A script cannot stop a node halfway through its sends, but lose what it should not have sent.
  void on_withheld(NodeId from, const Send& send, std::size_t in_flight) override {
    line("drop " + word_of(send.message.type) + " from " + text_of(from) + " to " +
         text_of(send.to) + only(in_flight + 1, in_flight + 1));
  }
  void on_crashed_midway(NodeId node) override { line("crash " + text_of(node)); }

 private:
  static std::string only(std::size_t number, std::size_t of) {
    return of == 1 ? "" : " only " + std::to_string(number);
  }
};

// Whoever has yet to start will be live.
NodeId highest_live(const ReplayEnd& end) {
  NodeId highest = 0;
  for (NodeId id = 1; id <= end.nodes.size(); ++id) {
    if (end.nodes[id - 1].live || !end.nodes[id - 1].started) highest = id;
  }
  return highest;
}

// The coordinator below another that nobody is about to tell.
NodeId usurper(const ReplayEnd& end) {
  bool higher_coordinator = false;
  for (NodeId id = end.nodes.size(); id > 0; --id) {
    const ReplayEnd::Node& node = end.nodes[id - 1];
    if (node.coordinator != id) continue;
    if (higher_coordinator && !node.will_be_told) return id;
    higher_coordinator = true;
  }
  return 0;
}

// Nobody follows one below `least`.
void expect_none_below(Script& script, const ReplayEnd& end,
                       const std::function<NodeId(NodeId)>& least) {
  for (NodeId id = 1; id <= end.nodes.size(); ++id) {
    const auto followed = end.nodes[id - 1].coordinator;
    if (!followed || *followed >= least(id)) continue;
    script.line("expect no coordinator " + text_of(*followed) + " at " + text_of(id));
  }
}

void expect_agreement(Script& script, const ReplayEnd& end) {
  script.line("expect coordinator " + text_of(highest_live(end)));
}

void write_expectation(Script& script, Property property, const ReplayEnd& end,
                       const ExploreOptions& options) {
  switch (property) {
    case Property::agreement:
    case Property::reachable:
      for (NodeId id = 1; id <= end.nodes.size(); ++id) {
        if (!end.nodes[id - 1].started) script.line("start " + text_of(id));  // as each will
      }
      script.line("run 60s");  // time enough for a protocol that gets there
      return expect_agreement(script, end);
    case Property::progress:
      return expect_agreement(script, end);
    case Property::never_lower:
      return expect_none_below(script, end, [](NodeId self) { return self; });
    case Property::highest_wins:
      return expect_none_below(script, end, [&](NodeId) { return highest_live(end); });
    case Property::one_coordinator: {
      const std::string found = text_of(usurper(end));
      // Long enough for what is on its way to tell it, too short for a timer.
      if (options.algorithm->speaks(MessageType::coordinator)) script.line("run 50ms");
      script.line("expect no coordinator " + found + " at " + found);
      return;
    }
    case Property::message_count:
      script.line("expect messages at most " + std::to_string(*options.max_messages));
      return;
  }
}

void write_beginning(Script& script, const ExploreOptions& options, const Violation& violation) {
  const std::string property(property_name(violation.property));
  script.line("# A counterexample, found by exploring every interleaving.");
  script.line("title en: Violated: " + property);
  script.line("title pt: Violado: " + property);
  script.line("algorithm " + std::string(options.algorithm->name));
  const bool fifo = options.delivery != Delivery::any_order;
  script.line(std::string("links ") + (fifo ? "fifo" : "reorder"));
  const bool all_detect = options.detectors.empty();
  const bool needs_quiet = violation.property == Property::one_coordinator;
  script.line(all_detect && !needs_quiet ? "detector ping" : "detector off");
  const bool leaderless = options.beginning == Beginning::leaderless;
  const std::string gone = text_of(options.nodes + 1);
  script.line("nodes 1.." + (leaderless ? gone : text_of(options.nodes)));
  if (leaderless) script.line("leave " + gone);
  if (!options.arrangement.empty()) {
    std::string ring = "ring";
    for (const NodeId id : options.arrangement) ring += ' ' + text_of(id);
    script.line(ring);
  }
  // Nodes that have yet to start: their names are known, and nobody is there.
  for (NodeId id = 1; options.beginning == Beginning::starting && id <= options.nodes; ++id) {
    script.line("crash " + text_of(id));
  }
  script.line("hold");
}

}  // namespace

std::string counterexample_scenario(const ExploreOptions& options, const ProtocolMaker& make,
                                    const Violation& violation) {
  Script script;
  write_beginning(script, options, violation);
  std::vector<ExploreStep> steps = violation.steps;
  const int rounds = violation.property == Property::progress ? most_rounds : 0;
  for (int round = 0; round < rounds; ++round) {
    steps.insert(steps.end(), violation.cycle.begin(), violation.cycle.end());
  }
  const ReplayEnd end = replay(options, make, steps, script);
  write_expectation(script, violation.property, end, options);
  return script.text;
}

}  // namespace bully
