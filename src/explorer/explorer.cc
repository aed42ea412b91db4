// explorer.cc: the search behind explorer.h: breadth first, then the questions about
// liveness.
#include <algorithm>
#include <deque>
#include <stdexcept>
#include <unordered_map>

#include "base/interruption.h"
#include "base/list.h"
#include "explorer/explorer.h"
#include "explorer/explorer_judge.h"
#include "explorer/explorer_model.h"
#include "explorer/explorer_states.h"

namespace bully {

namespace {

constexpr std::uint32_t no_state = 0xFFFF'FFFF;
constexpr std::uint64_t max_edges = 0xFFFF'FFFF;
constexpr std::uint64_t states_per_progress = 8192;

struct Search {
  using State = std::uint32_t;
  struct Visit {
    std::uint64_t hash;
    std::size_t begin;  // in visited_bytes
    std::size_t length;
    bool free;
  };

  const ExploreOptions& options;
  const ProtocolMaker& make;
  std::vector<const Property*> judged = judged_in(options);
  Model model{options, make};
  StateJudge judge{options, model};
  Tests tests{options};
  StateStore store = {};
  std::vector<State> path = {};    // to the violation, the last state first
  std::vector<State> round = {};   // the cycle, likewise
  std::deque<State> parents = {};  // by state: the state from which it was first met
  FreeGraph free = {};
  std::vector<Move> moves = {};
  std::vector<const Snapshot*> nodes = {};  // kept for its memory, like the next two
  std::vector<std::uint8_t> bytes = {};
  std::vector<Visit> visits = {};
  std::vector<std::uint8_t> visited_bytes = {};
  ExploreResult result = {};

  ExploreResult run(const ExploreCallback& progress) {
    try {
      visit(model.beginning(), false);
      settle(no_state);
      search(progress);
    } catch (const BoundReached& reached) {
      result.bound = reached.bound;
    } catch (const Interrupted&) {  // rules outside were being asked
      result.bound = "interrupted";
    }
    free.begins.push_back(static_cast<std::uint32_t>(free.targets.size()));
    result.states = store.size();
    result.tested = tests.counts(result.states - result.quiescent);
    const auto has_fired = [this](const Rule* rule) { return model.has_fired(rule); };
    result.fired = list_of(options.algorithm->rules, has_fired, std::identity());
    result.ignored = model.ignored();
    result.state_bytes = store.state_bytes();
    result.index_bytes = index_bytes();
    if (result.bound.empty() && !result.violation) {
      result.verdict = Verdict::holds;
      judge_liveness();
    }
    if (result.violation) ask_again_who_is_at_fault();
    return std::move(result);
  }

  // The outer loop, and the work for each state. Both throw BoundReached.
  void search(const ExploreCallback& progress) {
    std::uint64_t level_end = 1;
    for (std::uint64_t state = 0; state < store.size() && !result.violation; ++state) {
      if (state == level_end) {
        ++result.depth;
        level_end = store.size();
      }
      if (state % states_per_progress == 0 && progress &&
          !progress({store.size(), state, result.depth, store.state_bytes() + index_bytes()})) {
        throw BoundReached{"interrupted"};
      }
      expand(static_cast<State>(state));
    }
  }

  void expand(State state) {
    const Configuration now = configuration_of(state);
    model.moves(now, moves);
    const bool quiescent = std::ranges::all_of(moves, &Move::fault);
    if (!quiescent && std::ranges::all_of(moves, is_repair)) ++result.repaired;
    check_promises(state, now, quiescent);
    if (result.violation) return;
    free.begins.push_back(static_cast<std::uint32_t>(free.targets.size()));
    model.each_step(now, moves, [&](const Move& move, const Configuration& next) {
      // Not if the node has crashed in midst of the step.
      if (model.took_coordinator() && model.live(next, move.node)) {
        model.look(now, nodes);
        tests.count_step(model.look(next, move.node), nodes, next);
      }
      visit(next, !move.fault && move.sends == 0);
    });
    settle(state);
  }

  static bool is_repair(const Move& move) {
    return move.fault ||
           (move.verb == Verb::suspect && suspicion_in(move.detail) == Suspicion::deposed);
  }

  // Notes the target of a step. All of a state's steps are looked up together: see settle().
  void visit(const Configuration& next, bool is_free) {
    ++result.transitions;
    model.encode(next, bytes);
    const std::uint64_t hash = StateStore::hash_of(bytes);
    store.fetch_slot(hash);
    visits.push_back({hash, visited_bytes.size(), bytes.size(), is_free});
    visited_bytes.insert(visited_bytes.end(), bytes.begin(), bytes.end());
  }

  void settle(State from) {
    for (const Visit& visit : visits) {
      const auto state = std::span(visited_bytes).subspan(visit.begin, visit.length);
      const StateStore::Inserted inserted = store.insert(state, visit.hash);
      if (visit.free) free.targets.push_back(inserted.number);
      if (inserted.is_new) parents.push_back(from);
      const std::uint64_t limit = std::min(options.max_states, StateStore::max_states);
      if (store.size() > limit || free.targets.size() == max_edges) {
        throw BoundReached{"states"};
      }
    }
    visits.clear();
    visited_bytes.clear();
  }

  void check_promises(State state, const Configuration& now, bool quiescent) {
    result.messages = std::max<unsigned>(result.messages, now.sent);
    model.look(now, nodes);
    if (state != 0) tests.count_state(now);
    for (const Property* property : judged) {
      if (!judge.is_kept(*property, now, nodes, quiescent)) return violated(*property, state);
    }
    if (options.max_messages && now.sent > *options.max_messages) {
      return violated(properties::message_count, state);
    }
    if (!quiescent) return;
    ++result.quiescent;
    if (state != 0) tests.count_end(nodes, now);
    if (options.on_quiescent) {
      options.on_quiescent(
          nodes, {now.crashes_left, now.restarts_left, now.partitions_left, now.false_alarms_left});
    }
  }

  // All quiescent states are known to agree here. REQUIRES: the search is exhausted.
  void judge_liveness() {
    const auto judges = [this](const Property& property) {
      return options.only == nullptr || options.only == &property;
    };
    if (!judges(properties::reachable) && !judges(properties::progress)) return;
    store.drop_table();
    const LivenessFindings findings = check_liveness(
        free, [&](const std::vector<State>& component) { return fair_run_stays(component); });
    const std::uint64_t used = index_bytes() + findings.bytes;
    result.index_bytes = std::max(result.index_bytes, used);
    const bool traps = !findings.trap.empty() && judges(properties::progress);
    const bool is_unreaching = findings.unreaching && judges(properties::reachable);
    if (is_unreaching && (!traps || *findings.unreaching < findings.trap.front())) {
      // A cycle says more than a state that leads to one, even if a step or two lead there.
      const bool cycles = !findings.trap.empty() && !findings.trap_reaches;
      violated(properties::reachable, cycles ? findings.trap.front() : *findings.unreaching);
      if (!cycles) return;
    } else if (traps) {
      violated(properties::progress, findings.trap.front());
    }
    if (!result.violation) return;
    round = cycle_through(findings.trap.front(), findings.trap);
    result.violation->cycle = steps_back_along(round);
  }

  // The process at fault reacts once more: a program outside (../rules) then met that question
  // last. Of endless steps it is a coordinator, if one takes part: the others wait for it;
  // otherwise the process of the first of them, and without them that of the last step.
  void ask_again_who_is_at_fault() {
    const std::vector<State>& states = round.empty() ? path : round;
    std::optional<std::pair<Configuration, Move>> at_fault;
    for (std::size_t i = states.size() - 1; i > 0; --i) {
      const Configuration before = configuration_of(states[i]);
      const Move move = move_between(states[i], states[i - 1]);
      if (move.verb == Verb::crash || is_of_network(move.verb)) continue;
      const bool is_coordinator = is_coordinating(model.look(before, move.node).state);
      if (!at_fault || round.empty() || is_coordinator) at_fault = {before, move};
      if (is_coordinator && !round.empty()) break;
    }
    if (!at_fault) return;
    model.ask_again(at_fault->first, at_fault->second);
    result.violation->is_given_again = true;
  }

  // See explorer_states.h: true if each step that is always possible in the component is taken
  // inside it. The edges of a state have the order of its moves.
  bool fair_run_stays(const std::vector<State>& component) {
    std::vector<Move> always = free_moves(component.front());
    for (const State state : component) {
      const std::vector<Move> here = free_moves(state);
      std::erase_if(always, [&](const Move& move) {
        const auto place = std::ranges::find(here, move) - here.begin();
        const auto edge = free.begins[state] + static_cast<std::uint64_t>(place);
        return place == std::ssize(here) ||
               std::ranges::binary_search(component, free.targets[edge]);
      });
    }
    if (!always.empty()) return false;
    const std::optional<Move> overdue = overdue_step(component);
    if (!overdue) return true;
    // A run may still stay in the states in which that step is not possible.
    std::vector<State> rest = component;
    std::erase_if(rest, [&](State state) { return has(free_moves(state), *overdue); });
    return fair_run_stays_within(rest);
  }

  // A running timer expires in the end, and the dead are suspected, even if that step is right only
  // now and then. This returns such a step: its node does not change in the whole component, and
  // can take the step only by leaving.
  std::optional<Move> overdue_step(const std::vector<State>& component) {
    const auto is_of_time = [](const Move& move) {
      const auto down = static_cast<std::uint8_t>(Suspicion::down);
      return move.verb == Verb::expire || (move.verb == Verb::suspect && move.detail == down);
    };
    std::vector<Move> leaving;
    std::vector<Move> inside;
    for (const State state : component) {
      const std::vector<Move> here = free_moves(state);
      for (std::size_t place = 0; place < here.size(); ++place) {
        if (!is_of_time(here[place])) continue;
        const State target = free.targets[free.begins[state] + std::uint64_t{place}];
        const bool stays = std::ranges::binary_search(component, target);
        std::vector<Move>& list = stays ? inside : leaving;
        if (!has(list, here[place])) list.push_back(here[place]);
      }
    }
    const Configuration first = configuration_of(component.front());
    const auto is_overdue = [&](const Move& move) {
      return !has(inside, move) && std::ranges::all_of(component, [&](State state) {
        return configuration_of(state).node[move.node] == first.node[move.node];
      });
    };
    const auto found = std::ranges::find_if(leaving, is_overdue);
    return found == leaving.end() ? std::nullopt : std::optional(*found);
  }

  bool fair_run_stays_within(const std::vector<State>& states) {
    FreeGraph graph;
    for (const State state : states) {
      graph.begins.push_back(static_cast<std::uint32_t>(graph.targets.size()));
      for (std::uint64_t edge = free.begins[state]; edge < free.begins[state + 1ULL]; ++edge) {
        const auto target = std::ranges::lower_bound(states, free.targets[edge]);
        if (target == states.end() || *target != free.targets[edge]) continue;
        graph.targets.push_back(static_cast<std::uint32_t>(target - states.begin()));
      }
    }
    graph.begins.push_back(static_cast<std::uint32_t>(graph.targets.size()));
    const auto is_fair = [&](const std::vector<State>& component) {
      return fair_run_stays(list_of(component, [&](State state) { return states[state]; }));
    };
    return !check_liveness(graph, is_fair).trap.empty();
  }

  static bool has(const std::vector<Move>& moves, const Move& move) {
    return std::ranges::find(moves, move) != moves.end();
  }

  std::vector<Move> free_moves(State state) {
    std::vector<Move> all;
    model.moves(configuration_of(state), all);
    std::erase_if(all, [](const Move& move) { return move.fault; });
    return all;
  }

  void violated(const Property& property, State state) {
    result.verdict = Verdict::violated;
    const Configuration now = configuration_of(state);
    model.look(now, nodes);
    for (State at = state; at != no_state; at = parents[at]) path.push_back(at);
    result.violation =
        Counterexample{.property = &property,
                       .steps = steps_back_along(path),
                       .nodes = list_of(nodes, [](const Snapshot* node) { return *node; }),
                       .is_cut = now.far_side != 0,
                       .second = judge.second_coordinator(now, nodes)};
  }

  // A shortest path from `state` back to it inside `component`.
  std::vector<State> cycle_through(State state, const std::vector<State>& component) {
    std::unordered_map<State, State> came_from;
    std::deque<State> queue = {state};
    while (!queue.empty() && !came_from.contains(state)) {
      const State from = queue.front();
      queue.pop_front();
      for (std::uint64_t edge = free.begins[from]; edge < free.begins[from + 1ULL]; ++edge) {
        const State to = free.targets[edge];
        if (!std::binary_search(component.begin(), component.end(), to)) continue;
        if (came_from.try_emplace(to, from).second) queue.push_back(to);
      }
    }
    std::vector<State> states = {state};
    do {
      states.push_back(came_from.at(states.back()));
    } while (states.back() != state);
    return states;
  }

  // From the last of `states` to the first.
  std::vector<Step> steps_back_along(const std::vector<State>& states) {
    std::vector<Step> steps;
    for (std::size_t i = states.size() - 1; i > 0; --i) {
      const Move move = move_between(states[i], states[i - 1]);
      steps.push_back(model.describe(configuration_of(states[i]), move));
    }
    return steps;
  }

  // Steps are found again rather than stored: counterexamples are short, and states many. A step
  // without a crash is preferred.
  Move move_between(State from, State to) {
    const Configuration before = configuration_of(from);
    std::vector<Move> all;
    model.moves(before, all);
    std::optional<Move> found;
    model.each_step(before, all, [&](const Move& move, const Configuration& next) {
      if (found && (found->sends == 0 || move.sends > 0)) return;
      model.encode(next, bytes);
      if (std::ranges::equal(bytes, store.state(to))) found = move;
    });
    if (!found) throw std::logic_error("explore: the protocol is not deterministic");
    return *found;
  }

  Configuration configuration_of(State state) const { return model.decode(store.state(state)); }
  std::uint64_t index_bytes() const {
    return store.index_bytes() + model.bytes() + bytes_of(parents) + bytes_of(free.targets) +
           bytes_of(free.begins);
  }
};

}  // namespace

ExploreResult explore(const ExploreOptions& options, const ProtocolMaker& make,
                      const ExploreCallback& progress) {
  ExploreResult result = Search{options, make}.run(progress);
  result.not_promised = not_promised(options);
  result.not_judged = not_judged(options);
  return result;
}

}  // namespace bully
