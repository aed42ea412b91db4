// player.cc: plays steps, checks expectations, and performs both in the simulated world.
#include "sim/player.h"

#include <algorithm>

#include "base/interruption.h"
#include "base/list.h"
#include "sim/script_text.h"

namespace bully {

namespace {

// The problems of an expectation, or nothing.
using Judgement = std::vector<Problem>;

Judgement check_messages(const Step& expected, const MessageCounts& sent,
                         const Algorithm& algorithm) {
  const std::uint64_t all = election_total(sent);
  bool right = all == expected.all.value_or(all) && all <= expected.at_most.value_or(all);
  for (const auto& [type, count] : expected.sent) right &= sent.of(type) == count;
  if (right) return {};
  return {{"play_sent", {counts_text(sent, algorithm)}}};
}

Judgement check_coordinators(const Step& expected, std::span<const Snapshot> nodes) {
  const std::vector<NodeId> found = coordinators_among(nodes);
  if (found == expected.ids) return {};
  if (found.empty()) return {{"play_no_coordinator"}};
  return {{"play_coordinators", {joined(found, " ")}}};
}

// A stopped process learns of no election: that alone may explain its coordinator.
Problem follows(const Snapshot& node) {
  if (!node.is_alive()) return {"play_is", {std::to_string(node.id), node.state}};
  const bool stopped = node.condition == Condition::stopped;
  if (node.coordinator) {
    return problem(stopped ? "play_stopped_follows" : "play_follows", {node.id, *node.coordinator});
  }
  return problem(stopped ? "play_stopped_follows_nobody" : "play_follows_nobody", {node.id});
}

// The other expectations, which are about one node each.
void check_node(const Step& expected, const Snapshot& node, Judgement& wrong) {
  const std::string id = std::to_string(node.id);
  if (expected.verb == Verb::expect_coordinator) {
    if ((node.coordinator == expected.whom) != expected.denied) return;
    wrong.push_back(follows(node));
  }
  if (expected.verb == Verb::expect_state && node.state != expected.state) {
    wrong.push_back({"play_is", {id, node.state}});
  }
  for (const auto& [name, value] : expected.values) {
    const auto variable = std::ranges::find(node.variables, name, &Variable::name);
    const auto found = variable == node.variables.end() ? std::nullopt : variable->value;
    if (found == value) continue;
    if (found) {
      wrong.push_back({"play_has", {id, std::string(name), std::to_string(*found)}});
    } else {
      wrong.push_back({"play_has_none", {id, std::string(name)}});
    }
  }
}

std::vector<Problem> problems_with(const Step& expected, std::span<const Snapshot> nodes,
                                   const MessageCounts& sent, const Algorithm& algorithm) {
  if (expected.verb == Verb::expect_messages) return check_messages(expected, sent, algorithm);
  if (expected.verb == Verb::expect_coordinators) return check_coordinators(expected, nodes);
  if (expected.verb == Verb::expect_property) {
    if (is_kept(*expected.property, algorithm, nodes)) return {};
    return {{"play_not_kept", {std::string(expected.property->key)}}};
  }
  Judgement wrong;
  bool anybody = false;
  for (const Snapshot& node : nodes) {
    const bool is_asked =
        expected.ids.empty() ? node.is_alive() : std::ranges::binary_search(expected.ids, node.id);
    if (!is_asked) continue;
    anybody = true;
    check_node(expected, node, wrong);
  }
  const bool asks_all = expected.ids.empty() && expected.verb == Verb::expect_coordinator;
  if (!anybody && asks_all) return {{"play_none_runs"}};
  if (!wrong.empty()) return wrong;
  // An expectation about absent nodes fails.
  for (const NodeId id : expected.ids) {
    const bool there = std::ranges::find(nodes, id, &Snapshot::id) != nodes.end();
    if (!there) return {problem("play_not_there", {id})};
  }
  return {};
}

// An election that has not settled by then never will.
constexpr auto longest_run = std::chrono::minutes(10);

}  // namespace

std::vector<NodeId> coordinators_among(std::span<const Snapshot> nodes) {
  return list_of(
      nodes, [](const Snapshot& node) { return node.is_alive() && node.coordinator == node.id; },
      &Snapshot::id);
}

PlayResult play(const Scenario& scenario, Backend& backend, Listener& listener) {
  PlayResult result;
  for (const Step& step : scenario.steps) {
    leave_if_asked();
    listener.on_step(step);
    Judgement wrong;
    if (step.is_expectation()) {
      wrong = problems_with(step, backend.nodes(), backend.sent(), scenario.algorithm());
    } else if (step.verb == Verb::say) {
      listener.on_say(step.language, text_for(step.words, step.language));
    } else if (step.verb == Verb::frame) {
      listener.on_frame(step.words, backend.nodes(), backend.sent());
    } else if (const StepResult failed = backend.perform(step)) {
      wrong = {*failed};
    }
    if (!wrong.empty()) {
      ++result.broken;
      listener.on_broken(step, wrong);
      if (!step.is_expectation()) break;
    } else if (step.is_expectation()) {
      ++result.kept;
      listener.on_kept(step);
    }
  }
  backend.finish();
  return result;
}

// --- In virtual time ---

SimulatedBackend::SimulatedBackend(const Scenario& scenario, Sink* sink, const ProtocolMaker& make)
    : world_(scenario.options, sink,
             make || scenario.variant == nullptr ? make : ProtocolMaker(scenario.variant->make)) {}

StepResult SimulatedBackend::perform(const Step& step) try {
  const Verb verb = step.verb;
  const bool is_of_running = verb == Verb::ring || verb == Verb::pause || verb == Verb::resume ||
                             verb == Verb::suspect || verb == Verb::crash || verb == Verb::leave;
  for (const NodeId id : step.ids) {
    if (is_of_running && !world_.running(id)) return problem("play_not_running", {id});
  }
  const bool is_new = verb == Verb::restart && !started_.contains(step.id());
  if (is_new) return problem("play_never_started", {step.id()});
  const bool starts = verb == Verb::nodes || verb == Verb::start;
  if (starts) started_.insert(step.ids.begin(), step.ids.end());
  if (verb == Verb::nodes) world_.preset(step.ids);
  if (verb == Verb::start || verb == Verb::restart) return start(step.id());
  if (verb == Verb::crash) world_.crash(step.id());
  if (verb == Verb::leave) std::ranges::for_each(step.ids, [&](NodeId id) { world_.leave(id); });
  if (verb == Verb::ring) world_.arrange(step.ids);
  if (verb == Verb::pause || verb == Verb::resume) return pause(step);
  if (verb == Verb::slow) world_.slow_down(step.id(), step.number);
  if (verb == Verb::suspect) return suspect(step);
  if (verb == Verb::check && !world_.check(step.id(), step.whom)) {
    return problem("play_finds_nothing", {step.id()});
  }
  if (verb == Verb::cut) world_.cut(step.ids, step.others);
  if (verb == Verb::partition) world_.partition(step.ids, step.others);
  if (verb == Verb::heal) world_.heal();
  if (verb == Verb::loss) world_.set_loss(step.number);
  if (verb == Verb::run) return run(step.time);
  if (verb == Verb::hold) world_.hold();
  if (verb == Verb::deliver && world_.would_overtake(step.filter)) return Problem{"play_fifo"};
  if (verb == Verb::deliver && world_.deliver(step.filter) == 0) return Problem{"play_no_message"};
  if (verb == Verb::drop && world_.drop(step.filter) == 0) return Problem{"play_no_message"};
  if (verb == Verb::expire && step.duly && !world_.is_due(step.id(), step.timer)) {
    return problem("play_may_come", {step.id()});
  }
  if (verb == Verb::expire && !world_.expire(step.id(), step.timer)) {
    return problem("play_no_timer", {step.id()});
  }
  if (verb == Verb::count) world_.reset_counts();
  return std::nullopt;
} catch (const NoSuchNode& none) {
  return problem("play_never_started", {none.id});
}

StepResult SimulatedBackend::start(NodeId id) {
  const bool is_known = std::ranges::binary_search(world_.ids(), id);
  if (is_known && world_.running(id)) return problem("play_running_already", {id});
  world_.start(id);
  return std::nullopt;
}

// A script that stops a stopped process, or continues a running one, is wrong.
StepResult SimulatedBackend::pause(const Step& step) {
  const NodeId id = step.id();
  const bool stops = step.verb == Verb::pause;
  if (world_.paused(id) == stops) {
    return problem(stops ? "play_stopped_already" : "play_not_stopped", {id});
  }
  stops ? world_.pause(id) : world_.resume(id);
  return std::nullopt;
}

StepResult SimulatedBackend::run(std::optional<std::chrono::nanoseconds> time) {
  world_.release();
  if (time) {
    world_.run_for(*time);
    return std::nullopt;
  }
  world_.run_until_quiescent(longest_run);
  return world_.is_quiescent() ? StepResult() : Problem{"play_never_settles"};
}

StepResult SimulatedBackend::suspect(const Step& step) {
  for (const NodeId id : step.ids) {
    if (world_.paused(id)) return problem("play_stopped", {id});
    const std::optional<NodeId> watched = world_.protocol(id).watched();
    if (!watched) return problem("play_watches_nobody", {id});
    if (step.whom.value_or(*watched) != watched) {
      return problem("play_does_not_watch", {id, *step.whom});
    }
    world_.suspect(id, step.reason);
  }
  if (!step.ids.empty()) return std::nullopt;
  for (const NodeId id : std::vector(world_.ids().begin(), world_.ids().end())) {
    if (!world_.running(id)) continue;
    if (world_.protocol(id).coordinator().value_or(id) != id) world_.suspect(id, step.reason);
  }
  return std::nullopt;
}

std::vector<Snapshot> SimulatedBackend::nodes() const {
  return list_of(world_.ids(), [this](NodeId id) { return world_.snapshot(id); });
}

// --- During the writing ---

ScriptWriter::ScriptWriter(std::string beginning, Sink* sink, const ProtocolMaker& make)
    : beginning_(std::move(beginning)),
      scenario_(std::get<Scenario>(parse_scenario("", beginning_))),
      backend_(scenario_, sink, make) {
  for (const Step& step : scenario_.steps) backend_.perform(step);
}

StepResult ScriptWriter::add(const Step& step) {
  StepResult wrong = backend_.perform(step);
  if (!wrong) lines_.push_back(line_of(step));
  return wrong;
}

StepResult ScriptWriter::add(Verb verb, const InFlight& entry) {
  const auto& [to, message, refused] = entry;
  Step step{.verb = verb, .filter = {.from = message.from, .to = to, .only_refused = refused}};
  if (!refused) step.filter.type = message.type;
  std::uint64_t place = 0;
  const auto alike = world().in_flight(step.filter);
  while (alike[place].message.number != message.number) ++place;
  if (alike.size() > 1) step.filter.only = place + 1;
  return add(step);
}

std::string ScriptWriter::text() const {
  return beginning_ + joined(lines_, "", [](const std::string& line) { return line + '\n'; });
}

}  // namespace bully
