#include "sim/stage.h"

#include <algorithm>
#include <type_traits>

namespace bully {

namespace {

std::string list(const std::vector<NodeId>& ids) {
  std::string text;
  for (const NodeId id : ids) text += (text.empty() ? "" : " ") + std::to_string(id);
  return text.empty() ? "nobody" : text;
}

bool asked_about(const std::vector<NodeId>& at, const Actor& actor) {
  if (!at.empty()) return std::binary_search(at.begin(), at.end(), actor.id);
  return actor.life == Actor::Life::running;
}

// Whether all is as expected, but that more messages were sent.
bool costs_more(const step::ExpectMessages& expected, const MessageCounts& sent) {
  for (const auto& [type, count] : expected.sent) {
    if (count_of(sent, type) < count) return false;
  }
  return !expected.all || election_total(sent) >= *expected.all;
}

// Each judges one kind of expectation: what is wrong with it, or nothing.
using Judgement = std::optional<std::string>;

// An expectation about nodes that are not there is not kept.
Judgement missing(const std::vector<NodeId>& at, const Stage& stage) {
  const auto cast = stage.cast();
  for (const NodeId id : at) {
    const bool there =
        std::any_of(cast.begin(), cast.end(), [id](const Actor& actor) { return actor.id == id; });
    if (!there) return "no node " + std::to_string(id) + " ever started";
  }
  return std::nullopt;
}

Judgement judge(const step::ExpectCoordinator& expected, const Stage& stage, const Algorithm&) {
  std::string wrong;
  bool anybody = false;
  for (const Actor& actor : stage.cast()) {
    if (!asked_about(expected.at, actor)) continue;
    anybody = true;
    if ((actor.coordinator == expected.coordinator) != expected.denied) continue;
    const std::string followed =
        actor.coordinator ? std::to_string(*actor.coordinator) : std::string("nobody");
    wrong += (wrong.empty() ? "" : ", ") + std::to_string(actor.id) + " follows " + followed;
  }
  if (!anybody) return "no node runs";
  return wrong.empty() ? missing(expected.at, stage) : wrong;
}

Judgement judge(const step::ExpectCoordinators& expected, const Stage& stage, const Algorithm&) {
  std::vector<NodeId> found;
  for (const Actor& actor : stage.cast()) {
    const bool is = actor.life != Actor::Life::crashed && actor.coordinator == actor.id;
    if (is) found.push_back(actor.id);
  }
  if (found == expected.ids) return std::nullopt;
  return "coordinators by their own account: " + list(found);
}

Judgement judge(const step::ExpectState& expected, const Stage& stage, const Algorithm&) {
  std::string wrong;
  for (const Actor& actor : stage.cast()) {
    if (!asked_about(expected.at, actor) || actor.state == expected.state) continue;
    wrong += (wrong.empty() ? "" : ", ") + std::to_string(actor.id) + " is " + actor.state;
  }
  return wrong.empty() ? missing(expected.at, stage) : wrong;
}

Judgement judge(const step::ExpectMessages& expected, const Stage& stage,
                const Algorithm& algorithm) {
  const MessageCounts sent = stage.sent();
  const std::uint64_t all = election_total(sent);
  bool right = !expected.all || *expected.all == all;
  right &= !expected.at_most || all <= *expected.at_most;
  for (const auto& [type, count] : expected.sent) right &= count_of(sent, type) == count;
  if (right) return std::nullopt;
  std::string counts;
  for (const MessageType type : algorithm.messages) {
    counts.append(wire_name(type)).append(" ").append(std::to_string(count_of(sent, type)));
    counts += ' ';
  }
  return "sent: " + counts + "all " + std::to_string(all);
}

// `d 4`, `f nothing`
std::string worded(std::string_view name, std::optional<NodeId> value) {
  return std::string(name) + ' ' + (value ? std::to_string(*value) : "nothing");
}

Judgement judge(const step::ExpectVariables& expected, const Stage& stage, const Algorithm&) {
  std::string wrong;
  for (const Actor& actor : stage.cast()) {
    if (!asked_about(expected.at, actor)) continue;
    for (const auto& [name, value] : expected.values) {
      const auto it = std::find_if(
          actor.variables.begin(), actor.variables.end(),
          [&, name = name](const Variable& variable) { return variable.name == name; });
      const auto found = it == actor.variables.end() ? std::nullopt : it->value;
      if (found == value) continue;
      wrong +=
          (wrong.empty() ? "" : ", ") + std::to_string(actor.id) + " has " + worded(name, found);
    }
  }
  return wrong.empty() ? missing(expected.at, stage) : wrong;
}

template <typename Step>
constexpr bool is_expectation =
    std::is_same_v<Step, step::ExpectCoordinator> ||
    std::is_same_v<Step, step::ExpectCoordinators> || std::is_same_v<Step, step::ExpectState> ||
    std::is_same_v<Step, step::ExpectVariables> || std::is_same_v<Step, step::ExpectMessages>;

class Player {
 public:
  Player(const Algorithm& algorithm, Stage& stage, Audience& audience)
      : algorithm_(algorithm), stage_(stage), audience_(audience) {}

  // False: the play cannot go on.
  bool play(const ScenarioStep& step) {
    audience_.on_step(step);
    return std::visit([&](const auto& deed) { return play(step, deed); }, step.deed);
  }
  const Performance& performance() const { return performance_; }

 private:
  template <typename Step>
  bool play(const ScenarioStep& step, const Step& deed) {
    if constexpr (is_expectation<Step>) {
      constexpr bool counts = std::is_same_v<Step, step::ExpectMessages>;
      if (!stage_.can(step.deed)) return pass_over(step, PassedOver::not_possible);
      if (out_of_step_ || (counts && miscounted_)) return pass_over(step, PassedOver::not_reached);
      Judgement wrong = judge(deed, stage_, algorithm_);
      for (int times = 1; wrong; ++times) {
        if constexpr (counts) {
          if (stage_.may_cost_more() && costs_more(deed, stage_.sent())) {
            return pass_over(step, PassedOver::not_comparable, *wrong);
          }
        }
        if (!stage_.wait_for_more(times)) break;
        wrong = judge(deed, stage_, algorithm_);
      }
      return report(step, wrong), true;
    } else if constexpr (std::is_same_v<Step, step::Say>) {
      audience_.on_say(deed.language, deed.text);
      return true;
    } else if constexpr (std::is_same_v<Step, step::Frame>) {
      if (out_of_step_) {
        audience_.on_late_frame(deed.label);
      } else {
        audience_.on_frame(deed.label, stage_.cast());
      }
      return true;
    } else {
      if (!stage_.can(step.deed)) {
        out_of_step_ = miscounted_ = true;
        stage_.passed_over(step.deed);
        return pass_over(step, PassedOver::not_possible);
      }
      if (std::is_same_v<Step, step::Count>) miscounted_ = false;
      const Judgement wrong = stage_.perform(step.deed);
      if constexpr (std::is_same_v<Step, step::Run>) {
        if (out_of_step_ && !deed.time && !wrong) {
          out_of_step_ = false;
          audience_.on_caught_up(stage_.cast());
        }
      }
      if (!wrong) return true;
      ++performance_.broken;
      audience_.on_broken(step, *wrong);
      return false;
    }
  }

  void report(const ScenarioStep& step, const Judgement& wrong) {
    ++(wrong ? performance_.broken : performance_.kept);
    if (wrong) {
      audience_.on_broken(step, *wrong);
    } else {
      audience_.on_kept(step);
    }
  }

  bool pass_over(const ScenarioStep& step, PassedOver why, std::string_view what = {}) {
    ++performance_.passed_over;
    audience_.on_passed_over(step, why, what);
    return true;
  }

  const Algorithm& algorithm_;
  Stage& stage_;
  Audience& audience_;
  Performance performance_;
  bool out_of_step_ = false;  // since the last full `run`, a step was passed over
  bool miscounted_ = false;   // since the last `count`
};

}  // namespace

Performance play(const Scenario& scenario, Stage& stage, Audience& audience) {
  Player player(*scenario.algorithm, stage, audience);
  for (const ScenarioStep& step : scenario.steps) {
    if (!player.play(step)) break;
  }
  return player.performance();
}

}  // namespace bully
