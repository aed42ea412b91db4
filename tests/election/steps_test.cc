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

// Of these two the rules that all rings have are tested above, and below.
TEST_CASE(
    "[HS80] hirschberg-sinclair, [Tan95] tanenbaum-ring: each sentence, each rule of theirs") {
  for (const auto& [name, file, prefix] :
       {std::tuple("hirschberg-sinclair", "hirschberg_sinclair", "probe-"),
        std::tuple("tanenbaum-ring", "tanenbaum_ring", "list-")}) {
    const Keys seen = check_steps(file_of(file), algorithm_named(name));
    for (const std::string_view key : rules_of(algorithm_named(name))) {
      CHECK_MESSAGE((!key.starts_with(prefix) || seen.contains(key)), key);
    }
  }
}

constexpr MessageKind both{
    "B", "value", Role::claims, {&fields::value, &fields::epoch, &fields::anticlockwise}};

// Sends its id both ways, and passes on what is higher.
class BothWays final : public RingMember {
 public:
  explicit BothWays(NodeId self) : RingMember(self, true) {}

 private:
  void begin(Context context) override {
    for (const Direction way : both_directions) pass(way, id(), context);
  }
  void on_number(const Message& message, Context context) override {
    const NodeId number = *message.get(fields::value);
    if (number > id()) pass(way_of(message), number, context);
  }
  void pass(Direction way, NodeId number, Context context) {
    Message message{.type = both};
    send(way, message.set(fields::value, number), context);
  }
};

TEST_CASE("what a ring does for each way alike, apart from any election") {
  const Algorithm algorithm{.name = "both-ways",
                            .make = make_protocol<BothWays>,
                            .messages = {both, messages::leader, messages::join},
                            .rules = {}};
  check_steps(file_of("both_ways"), algorithm);
}

}  // namespace
}  // namespace bully
