// played.h: a counterexample's script, played, and what came of it.
//
// It says whether an expectation was broken, for tests to judge; a script that cannot be read fails
// the test. Read next: ../explorer_test.cc.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <variant>

#include "sim/simulated_stage.h"

namespace bully {

struct Played : Audience {
  void on_broken(const ScenarioStep& step, std::string_view what) override {
    broken = step.text + ": " + std::string(what);
    violation_seen = step.text.starts_with("expect");
  }
  std::string broken;  // the last step that did not go as the script says, and why
  bool violation_seen = false;
};

// The nodes are those that `make` makes.
inline Played play_script(const std::string& script, const ProtocolMaker& make) {
  const auto parsed = parse_scenario("counterexample", script);
  Played played;
  REQUIRE_MESSAGE(std::holds_alternative<Scenario>(parsed), script);
  const auto& scenario = std::get<Scenario>(parsed);
  SimulatedStage stage(scenario, nullptr, make);
  play(scenario, stage, played);
  return played;
}

}  // namespace bully
