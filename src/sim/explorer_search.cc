// The search behind explorer.h: breadth first, then the questions about liveness.
#include <algorithm>
#include <deque>
#include <stdexcept>
#include <unordered_map>

#include "sim/explorer.h"
#include "sim/explorer_judge.h"
#include "sim/explorer_model.h"
#include "sim/explorer_states.h"

namespace bully {

namespace {

constexpr std::uint32_t no_state = 0xFFFF'FFFF;
constexpr std::uint64_t max_edges = 0xFFFF'FFFF;
constexpr std::uint64_t states_per_progress = 8192;

class Search {
 public:
  Search(const ExploreOptions& options, const ProtocolMaker& make)
      : options_(options), judged_(judged_in(options)), model_(options, make), tests_(options) {}

  ExploreResult run(const ExploreCallback& progress) {
    visit(model_.beginning(), false);
    settle(no_state);
    try {
      search(progress);
    } catch (const BoundReached& reached) {
      result_.bound = reached.bound;
    }
    free_.begins.push_back(static_cast<std::uint32_t>(free_.targets.size()));
    result_.states = store_.size();
    result_.tested = tests_.counts(result_.states - result_.quiescent);
    std::ranges::copy_if(options_.algorithm->rules, std::back_inserter(result_.fired),
                         [this](const Rule* rule) { return model_.has_fired(rule); });
    result_.state_bytes = store_.state_bytes();
    result_.index_bytes = index_bytes();
    if (result_.bound.empty() && !result_.violation) {
      result_.verdict = Verdict::holds;
      judge_liveness();
    }
    if (result_.violation) ask_again_who_is_at_fault();
    return std::move(result_);
  }

 private:
  using State = std::uint32_t;
  struct Visit {
    std::uint64_t hash;
    std::size_t begin;  // in visited_bytes_
    std::size_t length;
    bool free;
  };

  // The outer loop, and the work for each state. Both throw BoundReached.
  void search(const ExploreCallback& progress) {
    std::uint64_t level_end = 1;
    for (std::uint64_t state = 0; state < store_.size() && !result_.violation; ++state) {
      if (state == level_end) {
        ++result_.depth;
        level_end = store_.size();
      }
      if (state % states_per_progress == 0 && progress &&
          !progress({store_.size(), state, result_.depth, store_.state_bytes() + index_bytes()})) {
        throw BoundReached{"interrupted"};
      }
      expand(static_cast<State>(state));
    }
  }

  void expand(State state) {
    const Configuration now = configuration_of(state);
    model_.moves(now, moves_);
    const bool quiescent = std::ranges::all_of(moves_, &Move::fault);
    if (!quiescent && std::ranges::all_of(moves_, is_repair)) ++result_.repaired;
    check_promises(state, now, quiescent);
    if (result_.violation) return;
    free_.begins.push_back(static_cast<std::uint32_t>(free_.targets.size()));
    model_.each_step(now, moves_, [&](const Move& move, const Configuration& next) {
      // Not if the node has crashed in midst of the step.
      if (model_.took_coordinator() && model_.live(next, move.node)) {
        model_.look(now, nodes_);
        tests_.count_step(model_.look(next, move.node), nodes_, next);
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
  void visit(const Configuration& next, bool free) {
    ++result_.transitions;
    model_.encode(next, bytes_);
    const std::uint64_t hash = StateStore::hash_of(bytes_);
    store_.fetch_slot(hash);
    visits_.push_back({hash, visited_bytes_.size(), bytes_.size(), free});
    visited_bytes_.insert(visited_bytes_.end(), bytes_.begin(), bytes_.end());
  }

  void settle(State from) {
    for (const Visit& visit : visits_) store_.fetch_entry(visit.hash);
    for (const Visit& visit : visits_) store_.fetch_state(visit.hash);
    for (const Visit& visit : visits_) {
      const auto state = std::span(visited_bytes_).subspan(visit.begin, visit.length);
      const StateStore::Inserted inserted = store_.insert(state, visit.hash);
      if (visit.free) free_.targets.push_back(inserted.number);
      if (inserted.is_new) parents_.push_back(from);
      const std::uint64_t limit = std::min(options_.max_states, StateStore::max_states);
      if (store_.size() > limit || free_.targets.size() == max_edges) {
        throw BoundReached{"states"};
      }
    }
    visits_.clear();
    visited_bytes_.clear();
  }

  void check_promises(State state, const Configuration& now, bool quiescent) {
    result_.messages = std::max<unsigned>(result_.messages, now.sent);
    model_.look(now, nodes_);
    if (state != 0) tests_.count_state(now);
    for (const Property* property : judged_) {
      if (!judge_.is_kept(*property, now, nodes_, quiescent)) return violated(*property, state);
    }
    if (options_.max_messages && now.sent > *options_.max_messages) {
      return violated(properties::message_count, state);
    }
    if (!quiescent) return;
    ++result_.quiescent;
    if (state != 0) tests_.count_end(nodes_, now);
    if (options_.on_quiescent) {
      options_.on_quiescent(nodes_, {now.crashes_left, now.restarts_left, now.partitions_left,
                                     now.false_alarms_left});
    }
  }

  // All quiescent states are known to agree here. REQUIRES: the search is exhausted.
  void judge_liveness() {
    const auto judges = [this](const Property& property) {
      return options_.only == nullptr || options_.only == &property;
    };
    if (!judges(properties::reachable) && !judges(properties::progress)) return;
    store_.drop_table();
    const LivenessFindings findings = check_liveness(
        free_, [&](const std::vector<State>& component) { return fair_run_stays(component); });
    const std::uint64_t bytes = index_bytes() + findings.bytes;
    result_.index_bytes = std::max(result_.index_bytes, bytes);
    const bool traps = !findings.trap.empty() && judges(properties::progress);
    const bool is_unreaching = findings.unreaching && judges(properties::reachable);
    if (is_unreaching && (!traps || *findings.unreaching < findings.trap.front())) {
      // A cycle says more than a state that leads to one, even if a step or two lead there.
      const bool cycles = !findings.trap.empty() && !reaches_end(findings.trap.front());
      violated(properties::reachable, cycles ? findings.trap.front() : *findings.unreaching);
      if (!cycles) return;
    } else if (traps) {
      violated(properties::progress, findings.trap.front());
    }
    if (!result_.violation) return;
    round_ = cycle_through(findings.trap.front(), findings.trap);
    result_.violation->cycle = steps_back_along(round_);
  }

  // True if free steps lead from there to a state without any.
  bool reaches_end(State from) const {
    std::vector<bool> is_met(store_.size());
    std::vector<State> open = {from};
    while (!open.empty()) {
      const State state = open.back();
      open.pop_back();
      if (free_.begins[state] == free_.begins[state + 1ULL]) return true;
      for (std::uint64_t edge = free_.begins[state]; edge < free_.begins[state + 1ULL]; ++edge) {
        const State next = free_.targets[edge];
        if (!is_met[next]) open.push_back(next);
        is_met[next] = true;
      }
    }
    return false;
  }

  // The process at fault reacts once more: a program outside (../rules) then met that question
  // last. Of endless steps it is a coordinator, if one takes part: the others wait for it;
  // otherwise the process of the first of them, and without them that of the last step.
  void ask_again_who_is_at_fault() {
    const std::vector<State>& states = round_.empty() ? path_ : round_;
    std::optional<std::pair<Configuration, Move>> at_fault;
    for (std::size_t i = states.size() - 1; i > 0; --i) {
      const Configuration before = configuration_of(states[i]);
      const Move move = move_between(states[i], states[i - 1]);
      if (move.verb == Verb::crash || is_of_network(move.verb)) continue;
      const bool is_coordinator = is_coordinating(model_.look(before, move.node).state);
      if (!at_fault || round_.empty() || is_coordinator) at_fault = {before, move};
      if (is_coordinator && !round_.empty()) break;
    }
    if (at_fault) model_.ask_again(at_fault->first, at_fault->second);
  }

  // See explorer_states.h: true if each step that is always possible in the component is taken
  // inside it. The edges of a state have the order of its moves.
  bool fair_run_stays(const std::vector<State>& component) {
    std::vector<Move> always = free_moves(component.front());
    for (const State state : component) {
      const std::vector<Move> here = free_moves(state);
      std::erase_if(always, [&](const Move& move) {
        const auto place = std::ranges::find(here, move) - here.begin();
        const auto edge = free_.begins[state] + static_cast<std::uint64_t>(place);
        return place == std::ssize(here) ||
               std::ranges::binary_search(component, free_.targets[edge]);
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
        const State target = free_.targets[free_.begins[state] + std::uint64_t{place}];
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
      for (std::uint64_t edge = free_.begins[state]; edge < free_.begins[state + 1ULL]; ++edge) {
        const auto target = std::ranges::lower_bound(states, free_.targets[edge]);
        if (target == states.end() || *target != free_.targets[edge]) continue;
        graph.targets.push_back(static_cast<std::uint32_t>(target - states.begin()));
      }
    }
    graph.begins.push_back(static_cast<std::uint32_t>(graph.targets.size()));
    const auto is_fair = [&](const std::vector<State>& component) {
      std::vector<State> those;
      for (const State state : component) those.push_back(states[state]);
      return fair_run_stays(those);
    };
    return !check_liveness(graph, is_fair).trap.empty();
  }

  static bool has(const std::vector<Move>& moves, const Move& move) {
    return std::ranges::find(moves, move) != moves.end();
  }

  std::vector<Move> free_moves(State state) {
    std::vector<Move> moves;
    model_.moves(configuration_of(state), moves);
    std::erase_if(moves, [](const Move& move) { return move.fault; });
    return moves;
  }

  void violated(const Property& property, State state) {
    result_.verdict = Verdict::violated;
    const Configuration now = configuration_of(state);
    model_.look(now, nodes_);
    Counterexample& found = result_.violation.emplace();
    path_ = path_to(state);
    found = {.property = &property,
             .steps = steps_back_along(path_),
             .is_cut = now.far_side != 0,
             .second = judge_.second_coordinator(now, nodes_)};
    for (const Snapshot* node : nodes_) found.nodes.push_back(*node);
  }

  // The last state first, as in all paths here.
  std::vector<State> path_to(State state) const {
    std::vector<State> states;
    for (; state != no_state; state = parents_[state]) states.push_back(state);
    return states;
  }

  // A shortest path from `state` back to it inside `component`.
  std::vector<State> cycle_through(State state, const std::vector<State>& component) {
    std::unordered_map<State, State> came_from;
    std::deque<State> queue = {state};
    while (!queue.empty() && !came_from.contains(state)) {
      const State from = queue.front();
      queue.pop_front();
      for (std::uint64_t edge = free_.begins[from]; edge < free_.begins[from + 1ULL]; ++edge) {
        const State to = free_.targets[edge];
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
      steps.push_back(step_between(states[i], states[i - 1]));
    }
    return steps;
  }

  Step step_between(State from, State to) {
    return model_.describe(configuration_of(from), move_between(from, to));
  }

  // Steps are found again rather than stored: counterexamples are short, and states many. A step
  // without a crash is preferred.
  Move move_between(State from, State to) {
    const Configuration before = configuration_of(from);
    std::vector<Move> moves;
    model_.moves(before, moves);
    std::optional<Move> found;
    model_.each_step(before, moves, [&](const Move& move, const Configuration& next) {
      if (found && (found->sends == 0 || move.sends > 0)) return;
      model_.encode(next, bytes_);
      if (std::ranges::equal(bytes_, store_.state(to))) found = move;
    });
    if (!found) throw std::logic_error("explore: the protocol is not deterministic");
    return *found;
  }

  Configuration configuration_of(State state) const { return model_.decode(store_.state(state)); }
  std::uint64_t index_bytes() const {
    return store_.index_bytes() + bytes_of(parents_) + bytes_of(free_.targets) +
           bytes_of(free_.begins);
  }

  const ExploreOptions& options_;
  std::vector<const Property*> judged_;
  Model model_;
  Judge judge_{options_, model_};
  Tests tests_;
  StateStore store_;
  std::vector<State> path_;  // to the violation; and the cycle
  std::vector<State> round_;
  std::deque<State> parents_;  // by state: the state from which it was first met
  FreeGraph free_;
  std::vector<Move> moves_;
  std::vector<const Snapshot*> nodes_;  // kept for its memory, like the next two
  std::vector<std::uint8_t> bytes_;
  std::vector<Visit> visits_;
  std::vector<std::uint8_t> visited_bytes_;
  ExploreResult result_;
};

}  // namespace

ExploreResult explore(const ExploreOptions& options, const ProtocolMaker& make,
                      const ExploreCallback& progress) {
  return Search(options, make).run(progress);
}

}  // namespace bully
