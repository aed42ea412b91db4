#include "sim/games.h"

#include <algorithm>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "sim/play.h"

namespace bully {

namespace {

using Number = StateMap::Number;

[[noreturn]] void refuse(const std::string& line) {
  throw std::logic_error("a game cannot say: " + line);
}

// "end; used; expect coordinator 3", read as a script of this game's processes.
Game::Goal goal_in(const std::string& words, const Game& game) {
  Game::Goal goal;
  std::string script = "algorithm " + std::string(game.bounds.algorithm->name) + "\nnodes 1.." +
                       std::to_string(game.bounds.nodes) + '\n';
  std::istringstream parts(words);
  for (std::string part; std::getline(parts >> std::ws, part, ';');) {
    if (part == "end") {
      goal.is_end = true;
    } else if (part == "used") {
      goal.uses_faults = true;
    } else {
      script += part + '\n';
    }
  }
  const auto read = parse_scenario("goal", script);
  const auto* scenario = std::get_if<Scenario>(&read);
  if (scenario == nullptr) refuse(words);
  std::ranges::copy_if(scenario->steps, std::back_inserter(goal.expected), &Step::is_expectation);
  return goal;
}

void read_line(const std::string& line, Game& game) {
  const std::size_t space = std::min(line.find(' '), line.size());
  const std::string word = line.substr(0, space);
  const std::string rest = line.substr(std::min(space + 1, line.size()));
  if (word.empty() || word == "#") return;
  const auto is_number = [&](std::string_view wanted, auto& number) {
    if (word == wanted) number = static_cast<unsigned>(std::stoul(rest));
    return word == wanted;
  };
  ExploreOptions& bounds = game.bounds;
  if (is_number("nodes", bounds.nodes) || is_number("crashes", bounds.crashes) ||
      is_number("restarts", bounds.restarts) || is_number("victim", game.victim) ||
      is_number("best", game.best)) {
    return;
  }
  if (is_number("false-alarms", bounds.false_alarms)) {
    bounds.timing = Timing::asynchronous;
  } else if (word == "title" || word == "task") {
    for (const Language language : languages) {
      const std::string prefix = std::string(short_code_of(language)) + ": ";
      Texts& texts = word == "title" ? game.title : game.task;
      if (rest.starts_with(prefix)) text_in(texts, language) = rest.substr(prefix.size());
    }
  } else if (word == "algorithm") {
    bounds.algorithm = &algorithm_named(rest);
    bounds.delivery = bounds.algorithm->is_fifo ? Delivery::pair_order : Delivery::any_order;
  } else if (word == "goal") {
    game.goals.push_back(goal_in(rest, game));
  } else if (word == "score") {
    const std::vector<std::string_view> scores = {"least steps", "least messages", "most messages"};
    const auto found = std::ranges::find(scores, rest);
    if (found == scores.end()) refuse(line);
    game.score = static_cast<Game::Score>(found - scores.begin());
  } else {
    refuse(line);
  }
}

std::uint64_t cost_of(const Game& game, const StateMap& map, const StateMap::Edge& edge) {
  return game.score == Game::Score::least_steps ? 1 : map.turns[edge.turn].sent.size();
}

// The last step of the best way to each state.
struct Source {
  Number state = 0;
  Number choice = 0;
};

BestWay way_to(Number state, std::uint64_t score, const std::vector<Source>& sources) {
  BestWay way{.choices = {}, .score = score};
  for (; state != 0; state = sources[state].state) way.choices.push_back(sources[state].choice);
  std::ranges::reverse(way.choices);
  return way;
}

// The states by the cost of a way to them, the cheapest first.
std::optional<BestWay> least_way(const Game& game, const StateMap& map) {
  constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::uint64_t> costs(map.states.size(), unknown);
  std::vector<Source> sources(map.states.size());
  std::vector<std::vector<Number>> by_cost = {{0}};
  costs[0] = 0;
  for (std::uint64_t cost = 0; cost < by_cost.size(); ++cost) {
    for (std::size_t i = 0; i < by_cost[cost].size(); ++i) {
      const Number state = by_cost[cost][i];
      if (costs[state] < cost) continue;
      if (is_goal(game, map, map.states[state])) return way_to(state, cost, sources);
      const auto& edges = map.states[state].edges;
      for (Number choice = 0; choice < edges.size(); ++choice) {
        const std::uint64_t more = cost + cost_of(game, map, edges[choice]);
        const Number target = edges[choice].target;
        if (costs[target] <= more) continue;
        costs[target] = more;
        sources[target] = {state, choice};
        if (by_cost.size() <= more) by_cost.resize(more + 1);
        by_cost[more].push_back(target);
      }
    }
  }
  return std::nullopt;
}

// The states in the order of steps: each one comes after all that lead to it. Nothing if there is a
// cycle, and so no longest way.
std::optional<std::vector<Number>> in_order(const StateMap& map) {
  std::vector<std::uint64_t> open(map.states.size());
  for (const StateMap::State& state : map.states) {
    for (const StateMap::Edge& edge : state.edges) ++open[edge.target];
  }
  std::vector<Number> order;
  if (open[0] == 0) order.push_back(0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const StateMap::Edge& edge : map.states[order[i]].edges) {
      if (--open[edge.target] == 0) order.push_back(edge.target);
    }
  }
  return order.size() == map.states.size() ? std::optional(order) : std::nullopt;
}

std::optional<BestWay> most_way(const Game& game, const StateMap& map) {
  const auto order = in_order(map);
  if (!order) return std::nullopt;
  std::vector<std::uint64_t> costs(map.states.size());
  std::vector<Source> sources(map.states.size());
  std::optional<Number> best;
  for (const Number state : *order) {
    const bool is_better = !best || costs[state] > costs[*best];
    if (is_better && is_goal(game, map, map.states[state])) best = state;
    const auto& edges = map.states[state].edges;
    for (Number choice = 0; choice < edges.size(); ++choice) {
      const std::uint64_t more = costs[state] + cost_of(game, map, edges[choice]);
      const Number target = edges[choice].target;
      if (more < costs[target]) continue;
      costs[target] = more;
      sources[target] = {state, choice};
    }
  }
  return best ? std::optional(way_to(*best, costs[*best], sources)) : std::nullopt;
}

}  // namespace

Game read_game(std::string_view text) {
  Game game;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) read_line(line, game);
  return game;
}

// Leaves out crashes of other processes, and the states that only those lead to.
StateMap map_of(const Game& game) {
  StateMap map = map_of(game.bounds, game.bounds.algorithm->make);
  if (!game.victim) return map;
  const auto kills_another = [&](const StateMap::Edge& edge) {
    const Step& step = map.turns[edge.turn].step;
    return (step.verb == Verb::crash || step.crash_after) && step.id() != *game.victim;
  };
  constexpr Number unknown = std::numeric_limits<Number>::max();
  std::vector<Number> numbers(map.states.size(), unknown);
  std::vector<StateMap::State> states;
  std::vector<Number> reached = {0};
  numbers[0] = 0;
  map.edges = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    states.push_back(std::move(map.states[reached[i]]));
    std::erase_if(states.back().edges, kills_another);
    for (StateMap::Edge& edge : states.back().edges) {
      Number& number = numbers[edge.target];
      if (number == unknown) {
        number = static_cast<Number>(reached.size());
        reached.push_back(edge.target);
      }
      edge.target = number;
    }
    map.edges += states.back().edges.size();
  }
  map.states = std::move(states);
  return map;
}

bool is_goal(const Game& game, const StateMap& map, const StateMap::State& state) {
  std::vector<Snapshot> nodes;
  for (const Number place : state.places) nodes.push_back(map.places[place].node);
  return std::ranges::any_of(game.goals, [&](const Game::Goal& goal) {
    if (goal.is_end && !state.is_end) return false;
    if (goal.uses_faults && (state.left[0] > 0 || state.left[1] > 0)) return false;
    return std::ranges::all_of(goal.expected, [&](const Step& expected) {
      return problems_with(expected, nodes, {}, *game.bounds.algorithm).empty();
    });
  });
}

std::optional<BestWay> best_way(const Game& game, const StateMap& map) {
  const bool is_most = game.score == Game::Score::most_messages;
  return is_most ? most_way(game, map) : least_way(game, map);
}

}  // namespace bully
