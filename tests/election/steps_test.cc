// steps_test.cc: each election by its file of steps: each sentence of its source, and which rules
// fire at which event in which state. Each rule of an election fires in its files.
#include <doctest/doctest.h>

#include "base/list.h"
#include "election/ring_member.h"
#include "fixture/steps.h"

namespace bully {
namespace {

using Keys = std::set<std::string_view>;

std::string file_of(std::string_view name) {
  return "tests/election/" + std::string(name) + ".steps";
}

Keys rules_of(const Algorithm& algorithm) {
  Keys keys;
  for (const Rule* rule : algorithm.rules) keys.insert(rule->key);
  return keys;
}

TEST_CASE("[Tan95, CDK, WP] bully: each sentence of the textbook, each deviation, each rule") {
  CHECK(joined(check_steps(file_of("bully"), default_algorithm()), " ") ==
        joined(rules_of(default_algorithm()), " "));
}

TEST_CASE("[GM82] garcia-molina: each sentence of its procedures, and what is added") {
  const Algorithm& algorithm = algorithm_named("garcia-molina");
  CHECK(joined(check_steps(file_of("garcia_molina"), algorithm), " ") ==
        joined(rules_of(algorithm), " "));
}

TEST_CASE("[DKR82] dolev-klawe-rodeh: each sentence and each rule") {
  const Algorithm& algorithm = algorithm_named("dolev-klawe-rodeh");
  Keys seen = check_steps(file_of("rings"), algorithm);
  seen.merge(check_steps(file_of("dolev_klawe_rodeh"), algorithm));
  CHECK(joined(seen, " ") == joined(rules_of(algorithm), " "));
}

TEST_CASE("[CR79] chang-roberts: each rule") {
  const Algorithm& algorithm = algorithm_named("chang-roberts");
  Keys seen = check_steps(file_of("rings"), algorithm);
  seen.merge(check_steps(file_of("chang_roberts"), algorithm));
  CHECK(joined(seen, " ") == joined(rules_of(algorithm), " "));
}

TEST_CASE("garcia-molina: a coordinator finds those that follow nobody") {
  const Algorithm& algorithm = algorithm_named("garcia-molina");
  CHECK(algorithm.finds({3, 3}, {1, std::nullopt}));
  CHECK(!algorithm.finds({3, 3}, {1, 2}));
}

// The rules that all rings have are tested above.
TEST_CASE("[Tan95] tanenbaum-ring: each sentence, each rule of its own") {
  const Algorithm& algorithm = algorithm_named("tanenbaum-ring");
  const Keys seen = check_steps(file_of("tanenbaum_ring"), algorithm);
  for (const std::string_view key : rules_of(algorithm)) {
    CHECK_MESSAGE((!key.starts_with("list-") || seen.contains(key)), key);
  }
}

}  // namespace
}  // namespace bully
