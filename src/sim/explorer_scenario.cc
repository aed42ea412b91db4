#include <algorithm>
#include <stdexcept>

#include "sim/explorer.h"
#include "sim/play.h"

namespace bully {

namespace {

// How often a script goes round in a counterexample that has no end.
constexpr int most_rounds = 3;

// Which of several messages is meant, counted from 1.
std::string only(std::size_t number, std::size_t of) {
  return of == 1 ? "" : " only " + std::to_string(number);
}

std::string link_text(MessageType type, NodeId from, NodeId to) {
  return message_word(type) + " from " + std::to_string(from) + " to " + std::to_string(to);
}

// " 1 3 4"
std::string list(const std::vector<NodeId>& ids) {
  std::string text;
  for (const NodeId id : ids) text += ' ' + std::to_string(id);
  return text;
}

// Writes a script and plays each line in the simulator as it is written: what is in flight there
// says which of several messages is meant, and that the simulator can do every step is a check on
// the explorer's model.
class Script : public Sink {
 public:
  std::string text;

  void line(const std::string& words) { text += words + '\n'; }

  // What has been written so far. From now on steps can be played.
  void play_beginning(const ProtocolMaker& make) {
    const Scenario scenario = parsed();
    backend_ = std::make_unique<SimulatedBackend>(scenario, this, make);
    Listener nobody;
    bully::play(scenario, *backend_, nobody);
  }

  void play(const ExploreStep& step) {
    sends_.clear();
    play(words_of(step));
    play_crash(step);
    // It learns at once whom it could not reach. All such news is for the node of this step.
    for (;;) {
      const auto news = in_flight({.only_refused = true});
      if (news.empty()) return;
      const NodeId peer = news.front().message.from;
      play("deliver gone from " + std::to_string(peer) + " to " + std::to_string(step.node) +
           only(1, in_flight({.from = peer, .only_refused = true}).size()));
      play_crash(step);
    }
  }

 private:
  Scenario parsed() const { return std::get<Scenario>(parse_scenario("counterexample", text)); }

  void record(const Record& record) override {
    if (record.event == TraceEvent::send) sends_.push_back(record);
    // It never set out: the network is cut there.
    const bool is_lost = record.event == TraceEvent::lost && record.reason == "partition";
    if (is_lost) std::erase_if(sends_, [&](const Record& s) { return s.number == record.number; });
  }

  void play(const std::string& words) {
    line(words);
    if (backend_->perform(parsed().steps.back())) {
      throw std::logic_error("the simulator cannot: " + words);
    }
  }

  std::string words_of(const ExploreStep& step) const {
    const std::string node = std::to_string(step.node);
    if (step.kind == StepKind::part) {
      return "partition" + list(step.sides[0]) + " from" + list(step.sides[1]);
    }
    if (step.kind == StepKind::heal) return "heal";
    if (step.kind == StepKind::crash) return "crash " + node;
    if (step.kind == StepKind::start) return "restart " + node;
    if (step.kind == StepKind::expire) {
      return "expire " + node + ' ' + std::string(timer_name(step.timer)) +
             (step.false_alarm ? "" : " duly");
    }
    if (step.kind == StepKind::suspect) {
      return "suspect " + node + " of " + std::to_string(step.coordinator) + ' ' +
             std::string(suspicion_name(step.reason));
    }
    if (step.kind == StepKind::find) {
      return "check " + node + " of " + std::to_string(step.coordinator);
    }
    const Message& message = step.message;
    const auto like = in_flight({message.type, message.from, step.node});
    const auto found = std::ranges::find(
        like, message.values, [](const InFlight& entry) { return entry.message.values; });
    // Numbers that go by lives may differ from the model's: then it is the oldest.
    const auto place = found == like.end() ? 0 : found - like.begin();
    return "deliver " + link_text(message.type, message.from, step.node) +
           only(static_cast<std::size_t>(place) + 1, like.size());
  }

  // A script cannot stop a node halfway through its sends, but lose what it should not have sent,
  // and then crash it.
  void play_crash(const ExploreStep& step) {
    if (!step.crash_after_sends) return;
    std::erase_if(sends_,
                  [this](const Record& send) { return !backend_->world().running(send.to); });
    if (sends_.size() <= *step.crash_after_sends) return;
    const std::span unsent = std::span(sends_).subspan(*step.crash_after_sends);
    for (std::size_t i = 0; i < unsent.size(); ++i) {
      const Record& send = unsent[i];
      const auto later = std::ranges::count_if(unsent.subspan(i + 1), [&](const Record& other) {
        return other.type == send.type && other.to == send.to;
      });
      const std::size_t of = in_flight({send.type, send.from, send.to}).size();
      play("drop " + link_text(send.type, send.from, send.to) +
           only(of - static_cast<std::size_t>(later), of));
    }
    play("crash " + std::to_string(step.node));
  }

  std::vector<InFlight> in_flight(const MessageFilter& filter) const {
    return backend_->world().in_flight(filter);
  }

  std::unique_ptr<SimulatedBackend> backend_;
  std::vector<Record> sends_;  // in the present step
};

void write_expectation(Script& script, const Counterexample& violation,
                       const ExploreOptions& options) {
  const Property& property = *violation.property;
  const Algorithm& algorithm = *options.algorithm;
  // Of those that are live or have yet to start.
  std::vector<NodeId> ids;
  for (const Snapshot& node : violation.nodes) {
    if (node.condition != Condition::crashed) ids.push_back(node.id);
  }
  const NodeId preferred = ids.empty() ? 0 : algorithm.preferred_of(ids);
  const auto expect_not = [&](NodeId coordinator, NodeId at) {
    script.line("expect no coordinator " + std::to_string(coordinator) + " at " +
                std::to_string(at));
  };
  if (&property == &properties::highest_wins) {
    for (const Snapshot& node : violation.nodes) {
      const bool is_lesser = node.coordinator && algorithm.prefers(preferred, *node.coordinator);
      if (is_lesser) expect_not(*node.coordinator, node.id);
    }
    return;
  }
  if (&property == &properties::one_coordinator) {
    // Long enough for what is on its way to tell it, too short for a timer.
    const bool is_told = std::ranges::any_of(
        algorithm.messages, [](MessageType type) { return type->role == Role::announces; });
    if (is_told) script.line("run 50ms");
    return expect_not(violation.second, violation.second);
  }
  if (&property == &properties::message_count) {
    return script.line("expect messages at most " + std::to_string(*options.max_messages));
  }
  if (property.moment == Property::Moment::every) {
    return script.line("expect property " + std::string(property.key));
  }
  if (&property != &properties::progress) {
    for (const Snapshot& node : violation.nodes) {
      const bool unborn = node.condition == Condition::absent;
      if (unborn) script.line("start " + std::to_string(node.id));  // as each will
    }
    if (violation.is_cut) script.line("heal");  // as it will
    script.line("run 60s");                     // time enough for a protocol that gets there
  }
  for (const Property* owed : algorithm.properties) {
    if (owed->holds == all_follow_the_preferred) {
      script.line("expect coordinator " + std::to_string(preferred));
    } else if (owed->moment == Property::Moment::in_the_end) {
      script.line("expect property " + std::string(owed->key));
    }
  }
}

void write_beginning(Script& script, const ExploreOptions& options, const Counterexample& violation,
                     const Texts& title) {
  script.line("# A counterexample, found by exploring every interleaving: " +
              std::string(violation.property->key));
  for (const Language language : languages) {
    const std::string& words = title[static_cast<std::size_t>(language)];
    if (!words.empty()) script.line("title " + std::string(short_code_of(language)) + ": " + words);
  }
  script.line("algorithm " + std::string(options.algorithm->name));
  const bool fifo = options.delivery != Delivery::any_order;
  script.line(std::string("links ") + (fifo ? "fifo" : "reorder"));
  const bool all_detect = options.detectors.empty();
  const bool needs_quiet = violation.property == &properties::one_coordinator;
  script.line(all_detect && !needs_quiet ? "detector ping" : "detector off");
  const bool leaderless = options.beginning == Beginning::leaderless;
  const NodeId gone = leaderless ? first_coordinator(options) : 1;
  script.line("nodes " + std::to_string(std::min<NodeId>(1, gone)) + ".." +
              std::to_string(std::max<NodeId>(options.nodes, gone)));
  if (leaderless) script.line("leave " + std::to_string(gone));
  if (!options.arrangement.empty()) {
    script.line("ring" + list(options.arrangement));
  }
  // Nodes that have yet to start: their names are known, and nobody is there.
  for (NodeId id = 1; options.beginning == Beginning::starting && id <= options.nodes; ++id) {
    script.line("crash " + std::to_string(id));
  }
  script.line("hold");
}

}  // namespace

std::string counterexample_scenario(const ExploreOptions& options, const ProtocolMaker& make,
                                    const Counterexample& violation, const Texts& title) {
  Script script;
  write_beginning(script, options, violation, title);
  script.play_beginning(make);
  for (const ExploreStep& step : violation.steps) script.play(step);
  const int rounds = violation.property == &properties::progress ? most_rounds : 0;
  for (int round = 0; round < rounds; ++round) {
    for (const ExploreStep& step : violation.cycle) script.play(step);
  }
  write_expectation(script, violation, options);
  return script.text;
}

}  // namespace bully
