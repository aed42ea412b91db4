// games_test.cc: each game can be won, and the best that it names is the best that there is.
#include "sim/games.h"

#include <doctest/doctest.h>

#include <set>

using namespace bully;

TEST_CASE("the best score that each game names is the best of all ways through its map") {
  std::set<std::string_view> names;
  for (const GameText& one : games()) {
    CAPTURE(one.name);
    CHECK(names.insert(one.name).second);
    const Game game = read_game(one.text);
    for (const Language language : languages) {
      CHECK(!text_for(game.title, language).empty());
      CHECK(!text_for(game.task, language).empty());
    }
    const StateMap map = map_of(game);
    REQUIRE(map.is_whole);
    CHECK(!is_goal(game, map, map.states.front()));
    const auto best = best_way(game, map);
    REQUIRE(best);
    CHECK(best->score == game.best);
    for (const StateMap::State& state : map.states) {
      for (const StateMap::Edge& edge : state.edges) {
        const Step& step = map.turns[edge.turn].step;
        const bool is_crash = step.verb == Verb::crash || step.crash_after;
        if (is_crash && game.victim) CHECK(step.id() == *game.victim);
      }
    }
    // The way is one: it leads to the goal, and has that score.
    StateMap::Number state = 0;
    std::uint64_t messages = 0;
    for (const StateMap::Number choice : best->choices) {
      const StateMap::Edge edge = map.states[state].edges.at(choice);
      messages += map.turns[edge.turn].sent.size();
      state = edge.target;
    }
    CHECK(is_goal(game, map, map.states[state]));
    const bool counts_steps = game.score == Game::Score::least_steps;
    CHECK((counts_steps ? best->choices.size() : messages) == best->score);
  }
}

TEST_CASE("what is no game is refused") {
  for (const char* text :
       {"nonsense 3", "goal expect nothing", "score best steps", "goal end; x"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(read_game(text), std::logic_error);
  }
}
