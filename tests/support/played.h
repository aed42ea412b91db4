// played.h: a script that a test has at hand, and what came of playing it.
//
// It says whether an expectation was broken; a script that cannot be read fails the test.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "commands/reports.h"
#include "sim/play.h"

namespace bully {

inline Scenario parsed(std::string_view script) {
  auto result = parse_scenario("test", script);
  if (const auto* error = std::get_if<ScenarioError>(&result))
    FAIL(words_of(*error, Language::english));
  return std::get<Scenario>(std::move(result));
}

struct Played : Listener {
  void on_broken(const Step& step, std::span<const Problem> wrong) override {
    broken = step.text + ": " + words_of(wrong, Language::english);
    violation_seen = step.text.starts_with("expect");
  }
  std::string broken;  // the last step that did not go as the script says, and why
  bool violation_seen = false;
};

// The nodes are those that `make` makes, if it makes any.
inline Played play_script(std::string_view script, const ProtocolMaker& make = {},
                          Sink* sink = nullptr) {
  Played played;
  const Scenario scenario = parsed(script);
  SimulatedBackend stage(scenario, sink, make);
  play(scenario, stage, played);
  return played;
}

}  // namespace bully
