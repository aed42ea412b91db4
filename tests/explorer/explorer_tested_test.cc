// A search that holds may have tried nothing: what the explorer counts of it, and how that is told.

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>

#include "election/garcia_molina.h"
#include "fixture/explored.h"
#include "fixture/said.h"
#include "mutants/bully_mutants.h"
#include "support/process.h"
#include "view/exploration_report.h"

namespace bully {
namespace {

using Times = std::map<std::string_view, std::uint64_t>;

Times times_of(const ExploreResult& result) {
  Times times;
  for (const auto& [property, count] : result.tested) times[property->key] = count;
  return times;
}

std::set<std::string_view> fired_in(const ExploreResult& result) {
  std::set<std::string_view> keys;
  for (const Rule* rule : result.fired) keys.insert(rule->key);
  return keys;
}

std::string report(const ExploreOptions& options, const ExploreResult& result, Language language) {
  return explore_report(options, result, {}, language);
}

TEST_CASE("explorer: where nothing can happen, nothing was put to the test, and no rule fired") {
  const ExploreOptions options = bounds(2, 0, 0);
  const ExploreResult result = check_holds(options);
  CHECK(result.quiescent == 1);
  CHECK(times_of(result) == Times{{"highest-live", 0},
                                  {"never-lower", 0},
                                  {"highest-wins", 0},
                                  {"one-coordinator", 0},
                                  {"reachable", 0},
                                  {"progress", 0}});
  CHECK(result.fired.empty());
  const std::string english = report(options, result, Language::english);
  check_says(english,
             {"\n  – highest-live     all follow the highest live node\n"
              "                     not tested: within these bounds it never happened that\n"
              "                     steps led to an end with a live process\n",
              "\nRules that fired: 0 of 22\nNever fired within these bounds:\n  start   "});
  CHECK_MESSAGE(!contains(english, "✓"), english);
}

// Either 1 crashes, and that is all; or 2 does, and 1 suspects it, asks it, and has won.
TEST_CASE("explorer: of two nodes and one crash, what was put to the test can be counted by hand") {
  const ExploreOptions options = bounds(2, 1, 0);
  const ExploreResult result = check_holds(options);
  CHECK(times_of(result) == Times{{"highest-live", 2},
                                  {"never-lower", 0},
                                  {"highest-wins", 1},
                                  {"one-coordinator", 1},
                                  {"reachable", 1},
                                  {"progress", 1}});
  CHECK(fired_in(result) == std::set<std::string_view>{"suspect", "ask", "gone", "win"});
  check_says(report(options, result, Language::english),
             {"\n  – never-lower      no process follows a process lower than itself\n"
              "                     not tested: within these bounds it never happened that a\n"
              "                     process took another as coordinator\n"
              "  ✓ highest-wins     the winner is the highest of those live all along\n"
              "                     1 × a process became coordinator\n",
              "\nRules that fired: 4 of 22\nNever fired within these bounds:\n  start   ",
              "\n  no-answer        No higher process answers in time. [WP 2]\n",
              "\n  Not judged here, but on a trace, by `bully check`:\n"
              "    sent             every message received has been sent\n"});
  check_says(report(options, result, Language::portuguese),
             {"\n  – never-lower      nenhum processo segue um menor que ele mesmo\n"
              "                     não posta à prova: dentro destes limites, em nenhum\n"
              "                     momento um processo adotou outro como coordenador\n"
              "  ✓ highest-wins     vence o maior dos que estiveram sempre vivos\n"
              "                     1 × um processo tornou-se coordenador\n",
              "\nRegras aplicadas: 4 de 22\nNunca aplicadas dentro destes limites:\n  start   ",
              "\n  no-answer        Nenhum processo maior responde a tempo. [WP 2]\n",
              "\n  Não avaliadas aqui, mas em um rastro, por `bully check`:\n"
              "    sent             toda mensagem recebida foi enviada\n"});
}

TEST_CASE("explorer: three nodes put every property to the test, and the rules that are left fit") {
  const ExploreOptions options = bounds(3, 2, 1);
  const ExploreResult result = check_holds(options);
  for (const auto& tested : times_of(result)) {
    CAPTURE(tested.first);
    CHECK(tested.second > 0);
  }
  for (const Language language : languages) {
    const std::string shown = report(options, result, language);
    CAPTURE(shown);
    CHECK(!contains(shown, "  – "));
    CHECK(contains(shown, "  ✓ one-coordinator "));
  }
  CHECK(explore_brief(options, result, {}, Language::english).ends_with(" s; 21 of 22 rules\n"));
  CHECK(explore_brief(options, result, {}, Language::portuguese).ends_with(" 21 de 22 regras\n"));
  // A process announces itself to lower ones only; a foreign program may do otherwise.
  CHECK(!fired_in(result).contains("never-lower"));
}

TEST_CASE("explorer: what is promised only until a process comes back is tested only until then") {
  // Its only process crashes, and comes back.
  ExploreOptions options = bounds(1, 1, 1);
  const ExploreResult result = check_holds(options);
  CHECK(times_of(result).at("highest-wins") == 0);
  CHECK(times_of(result).at("one-coordinator") == 1);
  CHECK(contains(report(options, result, Language::english), " before any had come back\n"));
  CHECK(contains(report(options, result, Language::portuguese), " antes que algum\n"));
  options.only = &properties::highest_wins;
  const ExploreResult asked = check_holds(options);
  CHECK(times_of(asked) == Times{{"highest-wins", 1}});
  CHECK(!contains(report(options, asked, Language::english), "come back"));
}

TEST_CASE("explorer: two processes that name a coordinator, or have a task, are what can differ") {
  const Times alone = times_of(check_holds(bounds(2, 1, 0, algorithm_named("garcia-molina"))));
  const Times together = times_of(check_holds(bounds(3, 1, 0, algorithm_named("garcia-molina"))));
  for (const char* key : {"same-coordinator", "same-task"}) {
    CAPTURE(key);
    CHECK(alone.at(key) == 0);  // one survivor
    CHECK(together.at(key) > 0);
  }
  // The textbooks' bully has no task: it holds of nothing.
  ExploreOptions none = bounds(3, 1, 0);
  none.only = &properties::same_task;
  CHECK(times_of(check_holds(none)) == Times{{"same-task", 0}});
}

TEST_CASE("explorer: a step counts if its process has lived through it, and follows one anew") {
  static bool has_lived = true;
  static bool is_new = true;
  static constexpr Property taken{
      .key = "taken",
      .moment = Property::Moment::every,
      .holds = [](const Algorithm&, Nodes) { return true; },
      .is_at_stake =
          [](const Snapshot& taker, Nodes before) {
            has_lived = has_lived && taker.is_alive() && taker.coordinator;
            is_new = is_new && before[taker.id - 1]->coordinator != taker.coordinator;
            return true;
          }};
  ExploreOptions options = bounds(3, 2, 1);
  options.only = &taken;
  const Times times = times_of(check_holds(options));
  CHECK(has_lived);
  CHECK(is_new);
  const Times kinds = times_of(check_holds(bounds(3, 2, 1)));
  CHECK(times.at("taken") == kinds.at("never-lower") + kinds.at("one-coordinator"));
}

TEST_CASE("explorer: a property that speaks of no step is tested by each state that one leads to") {
  static constexpr Property vague{.key = "vague",
                                  .moment = Property::Moment::every,
                                  .holds = [](const Algorithm&, Nodes) { return true; }};
  static constexpr Property vague_alone{.key = "vague-alone",
                                        .moment = Property::Moment::every,
                                        .holds = vague.holds,
                                        .assumes = {Assumption::nobody_joins}};
  Algorithm algorithm = bully_algorithm();
  algorithm.properties = {&vague, &vague_alone};
  ExploreOptions options = bounds(1, 1, 1);  // it crashes, and comes back
  options.algorithm = &algorithm;
  const ExploreResult result = check_holds(options);
  CHECK(result.states == 3);
  CHECK(times_of(result).at("vague") == 2);
  CHECK(times_of(result).at("vague-alone") == 1);
  CHECK(contains(report(options, result, Language::english), " 2 × a state was reached\n"));
  CHECK(contains(report(options, result, Language::portuguese), " 2 × um estado foi alcançado\n"));
}

TEST_CASE("explorer: a protocol that does nothing breaks no safety, and is not praised for it") {
  ExploreOptions options = bounds(3, 1, 0);
  options.only = &properties::never_lower;
  const ExploreResult result = explore(options, mutants(Mutation::ignores_suspicion));
  CHECK(result.verdict == Verdict::holds);
  CHECK(times_of(result) == Times{{"never-lower", 0}});
  CHECK(result.fired.empty());
  CHECK(contains(report(options, result, Language::english), "\n                 not tested: "));
}

TEST_CASE("explorer: where no node ever answers, the rules for an ANSWER never fire") {
  ExploreOptions options = asynchronous(bounds(3, 1, 0));
  options.only = &properties::never_lower;
  const auto fired_with = [&](const ProtocolMaker& make) {
    const ExploreResult result = explore(options, make);
    CHECK(result.verdict == Verdict::holds);
    return fired_in(result);
  };
  const auto right = fired_with(options.algorithm->make);
  const auto silent = fired_with(mutants(Mutation::no_answer));
  for (const char* rule : {"job-done", "another-answer", "no-coordinator", "answerer-gone"}) {
    CAPTURE(rule);
    CHECK(right.contains(rule));
    CHECK(!silent.contains(rule));
  }
  CHECK(silent.contains("take-over"));
}

TEST_CASE("explorer: a search that a violation or a bound has ended boasts of nothing") {
  ExploreOptions options = bounds(3, 1, 0);
  options.max_states = 5;
  const ExploreResult open = explore(options, options.algorithm->make);
  REQUIRE(open.verdict == Verdict::unfinished);
  options.max_states = 1'000'000;
  const ExploreResult wrong = explore(options, mutants(Mutation::ignores_suspicion));
  REQUIRE(wrong.verdict == Verdict::violated);
  for (const ExploreResult& result : {open, wrong}) {
    const std::string shown = report(options, result, Language::english);
    CAPTURE(shown);
    CHECK(!contains(shown, "put to the test"));
    CHECK(!contains(shown, "Rules that fired"));
    CHECK(!contains(explore_brief(options, open, {}, Language::english), "rules"));
  }
}

TEST_CASE("explorer: an algorithm without rules is told without them") {
  Algorithm algorithm = bully_algorithm();
  algorithm.rules.clear();
  ExploreOptions options = bounds(2, 1, 0);
  options.algorithm = &algorithm;
  const ExploreResult result = check_holds(options);
  CHECK(result.fired.empty());
  CHECK(!contains(report(options, result, Language::english), "Rules"));
  CHECK(!contains(explore_brief(options, result, {}, Language::english), "rules"));
}

TEST_CASE("explorer: a reduction hides no rule, whatever the algorithm") {
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.forget_idle_words == nullptr) continue;
    CAPTURE(algorithm.name);
    ExploreOptions options = asynchronous(bounds(3, 1, 0, algorithm));
    const auto reduced = fired_in(check_holds(options));
    options.reduction = nullptr;
    CHECK(fired_in(check_holds(options)) == reduced);
  }
}

}  // namespace
}  // namespace bully
