// controlled_script.cc: acts on waiting messages as lines of a script.
#include "stage/controlled_script.h"

#include <algorithm>

#include "base/list.h"
#include "sim/script_text.h"

namespace bully {

ControlledScript::ControlledScript(const Algorithm& algorithm, const std::vector<NodeId>& ids,
                                   Sink* sink, const ProtocolMaker& make)
    : ScriptWriter(
          "algorithm " + std::string(algorithm.name) + "\nnodes" + ranges_of(ids) + "\nhold\n",
          sink, make) {}

bool ControlledScript::is_known(NodeId id) const {
  return std::ranges::binary_search(world().ids(), id);
}

// --- Steps ---

StepResult ControlledScript::report_refusals(StepResult wrong) {
  while (!wrong && !refusals().empty()) wrong = add(Verb::deliver, refusals().front());
  return wrong;
}

StepResult ControlledScript::act_on(Verb verb, std::size_t place) {
  const std::vector<Send> all = waiting();
  if (place >= all.size()) return Problem{"play_no_message"};
  return report_refusals(add(verb, {all[place].to, all[place].message}));
}

StepResult ControlledScript::on_start(NodeId id) {
  const Verb verb = is_known(id) ? Verb::restart : Verb::start;
  return runs(id) ? StepResult() : act({.verb = verb, .ids = {id}});
}

StepResult ControlledScript::on_end(NodeId id, bool has_left) {
  const Verb verb = has_left ? Verb::leave : Verb::crash;
  return runs(id) ? act({.verb = verb, .ids = {id}}) : StepResult();
}

StepResult ControlledScript::on_stop(NodeId id) {
  return runs(id) && !is_paused(id) ? act({.verb = Verb::pause, .ids = {id}}) : StepResult();
}

StepResult ControlledScript::on_go_on(NodeId id) {
  if (!runs(id)) return std::nullopt;
  on_stop(id);
  return act({.verb = Verb::resume, .ids = {id}});
}

StepResult ControlledScript::expire(NodeId id) {
  if (is_paused(id)) return problem("play_stopped", {id});
  if (!act({.verb = Verb::expire, .ids = {id}, .timer = Timer::answer})) return std::nullopt;
  return act({.verb = Verb::expire, .ids = {id}, .timer = Timer::coordinator});
}

StepResult ControlledScript::suspect(NodeId id) {
  if (is_paused(id)) return problem("play_stopped", {id});
  if (!runs(id)) return problem("play_not_running", {id});
  const Protocol& process = world().protocol(id);
  if (algorithm().finds != nullptr && process.coordinator() == id) {
    return act({.verb = Verb::check, .ids = {id}});
  }
  const std::optional<NodeId> watched = process.watched();
  const std::optional<Suspicion> finding = world().finding_of(id);
  if (!watched || (watched == id && !finding)) return problem("play_watches_nobody", {id});
  const Suspicion reason = finding.value_or(Suspicion::hung);
  return act({.verb = Verb::suspect, .ids = {id}, .reason = reason});
}

StepResult ControlledScript::cut_above(NodeId id) {
  if (world().is_cut()) return act({.verb = Verb::heal});
  Step step{.verb = Verb::partition};
  for (const NodeId each : world().ids()) (each <= id ? step.ids : step.others).push_back(each);
  if (step.ids.empty() || step.others.empty()) return problem("play_no_other_side", {id});
  return act(step);
}

// --- The view ---

std::size_t Selection::place_in(const std::vector<Send>& waiting) {
  const auto found = std::find(waiting.begin(), waiting.end(), chosen_);
  if (found == waiting.end()) chosen_.reset();
  if (chosen_) place_ = static_cast<std::size_t>(found - waiting.begin());
  return place_ = std::min(place_, waiting.empty() ? 0 : waiting.size() - 1);
}

void Selection::move(const std::vector<Send>& waiting, std::ptrdiff_t steps) {
  if (waiting.empty()) return;
  const auto last = static_cast<std::ptrdiff_t>(waiting.size()) - 1;
  const auto wanted = static_cast<std::ptrdiff_t>(place_in(waiting)) + steps;
  place_ = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(wanted, 0, last));
  chosen_ = waiting[place_];
}

std::vector<Send> ControlledScript::waiting() const {
  return list_of(
      world().in_flight(), [](const InFlight& entry) { return !entry.refused; },
      [](const InFlight& entry) {
        return Send{entry.to, entry.message};
      });
}

std::string ControlledScript::script(bool is_whole) const {
  std::string script = text();
  if (!is_whole) return script;
  const std::vector<NodeId> coordinators = coordinators_among(nodes());
  if (!coordinators.empty()) script += "expect coordinators" + ranges_of(coordinators) + '\n';
  return script + "expect messages " + counts_text(world().sent(), algorithm()) + '\n';
}

}  // namespace bully
