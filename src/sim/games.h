// games.h: small games on the map of an election (state_map.h): the player should reach a goal
// within some bounds, with as few steps or as few or as many messages as possible. A game is a
// text, a file of ../games:
//   title en: …, task en: …          the same for pt
//   algorithm, nodes, crashes, restarts, false-alarms    the bounds; a false alarm: asynchronous
//   goal end; used; expect …         all of these: only faults are left; the faults are used
//                                    up; an expectation of a script (scenario.h). Several such
//                                    lines: any of them.
//   score least steps                or least messages, or most messages
//   best 5                           the best score: a test computes it
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario.h"
#include "sim/state_map.h"

namespace bully {

struct GameText {
  std::string_view name;
  std::string_view text;
};
// All games. The Makefile writes this function.
std::span<const GameText> games();

struct Game {
  enum class Score : std::uint8_t { least_steps, least_messages, most_messages };
  struct Goal {
    bool is_end = false;
    bool uses_faults = false;
    std::vector<Step> expected = {};
  };

  Texts title = {};
  Texts task = {};
  ExploreOptions bounds = {};
  std::vector<Goal> goals = {};
  Score score = Score::least_steps;
  std::uint64_t best = 0;
};

// REQUIRES: games() has `text`. Throws std::logic_error for an invalid text.
Game read_game(std::string_view text);

bool is_goal(const Game& game, const StateMap& map, const StateMap::State& state);

// A best way: its choices, as indexes into a state's edges, and its score. Nothing if no way leads
// to the goal, or no score is the best.
struct BestWay {
  std::vector<StateMap::Number> choices;
  std::uint64_t score = 0;
};
std::optional<BestWay> best_way(const Game& game, const StateMap& map);

}  // namespace bully
