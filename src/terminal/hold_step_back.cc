// hold_step_back.cc: the session's processes end, and new ones play its script without the last
// act.
#include <poll.h>
#include <signal.h>

#include <map>

#include "base/interruption.h"
#include "node/peer_process.h"
#include "node/registry.h"
#include "node/status_reply.h"
#include "sim/script.h"
#include "terminal/hold_session.h"

namespace bully {

// Between two looks at processes that start.
static constexpr int poll_pause_ms = 5;

std::string HoldSession::step_back(const Starter& start) {
  if (acts_.empty()) return invocation_.say(Text::hold_no_step);
  const Algorithm& algorithm = script_->algorithm();
  // If the new processes do not come to that step, this is the script.
  const std::string kept = ended_script_ = script_->script(false);
  const Scenario whole = std::get<Scenario>(parse_scenario("", kept, &algorithm));
  const std::size_t beginning = whole.steps.size() - script_->lines().size();
  std::vector<std::size_t> acts = acts_;
  const std::size_t end = acts.back();
  acts.pop_back();
  begin_again(whole.steps.front().ids, algorithm, start);
  while (script_ && script_->lines().size() < end) {
    const std::size_t done = script_->lines().size();
    redo(whole.steps[beginning + done], start);
    if (script_ && script_->lines().size() == done) end_script();
  }
  ended_script_ = script_ ? "" : kept;
  if (script_) acts_ = acts;  // and not each line that was played again
  if (!script_ && was_asked_to_leave() != 0) return "";
  return invocation_.say(script_ ? Text::hold_back : Text::hold_not_back, {end});
}

// Ends all processes, and starts the script's first ones; when they agree, its next part begins.
void HoldSession::begin_again(const std::vector<NodeId>& ids, const Algorithm& algorithm,
                              const Starter& start) {
  const Directory directory = nodes_->directory();
  for (const Asked& each : identify(directory, directory.ids(), reply_patience)) {
    if (!each.process) continue;
    each.act_on(SIGKILL, trace_ ? &*trace_ : nullptr);
    each.process->ends_within(reaction_time);
  }
  script_.reset();
  nodes_.reset();
  observations_.clear();
  acts_.clear();
  pinged_.clear();
  has_begun_ = is_released_ = false;
  Registry(directory.path(), false).sweep_up_to_a_live_one();
  const auto comes_true = [](const std::function<bool()>& condition) {
    const Time deadline = monotonic_now() + reaction_time;
    while (!condition() && monotonic_now() < deadline && was_asked_to_leave() == 0) {
      poll(nullptr, 0, poll_pause_ms);
    }
  };
  for (const NodeId id : ids) {
    start(id, algorithm);
    comes_true([&] { return query_node(directory, id, query_time).coordinator.has_value(); });
  }
  take_names(directory.path());
  comes_true([&] {
    std::vector<pollfd> none;
    serve(none, monotonic_now());
    take_look(query_status(directory, query_time));
    return has_begun_;
  });
}

// Acts on a process as keys or another program did, which makes the same line.
void HoldSession::redo(const Step& step, const Starter& start) {
  static const std::map<Verb, std::vector<int>> signals = {{Verb::crash, {SIGKILL}},
                                                           {Verb::leave, {SIGTERM, SIGCONT}},
                                                           {Verb::pause, {SIGSTOP}},
                                                           {Verb::resume, {SIGCONT}}};
  const std::size_t done = script_->lines().size();
  const auto act = signals.find(step.verb);
  if (act != signals.end()) {
    const NodeId id = step.id();
    const Asked asked = std::move(identify(nodes_->directory(), {id}, reply_patience).front());
    for (const int number : act->second) {
      const auto sends = [&] {
        return asked.process ? asked.act_on(number, trace_ ? &*trace_ : nullptr) : 0;
      };
      step.verb == Verb::leave ? sends() : signal(id, number, sends);
    }
  } else if (step.verb == Verb::start || step.verb == Verb::restart) {
    start(step.id(), script_->algorithm());
  } else {
    perform([&] { return script_->add(step); });
    return;
  }
  await([&] { return script_->lines().size() > done; }, reaction_time);
}

}  // namespace bully
