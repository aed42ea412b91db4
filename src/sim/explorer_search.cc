// The search behind explorer.h: breadth first, then the questions about liveness.

#include <algorithm>
#include <cassert>
#include <deque>
#include <set>
#include <stdexcept>
#include <unordered_map>

#include "sim/explorer.h"
#include "sim/explorer_liveness.h"
#include "sim/explorer_model.h"
#include "sim/explorer_store.h"

namespace bully {

namespace {

using explorer::Model;
using explorer::Move;
using explorer::Outcome;
using explorer::World;

constexpr std::uint32_t no_state = 0xFFFF'FFFF;
constexpr std::uint64_t max_edges = 0xFFFF'FFFF;
constexpr std::uint64_t states_per_progress = 8192;

class Search {
 public:
  Search(const ExploreOptions& options, const ProtocolMaker& make)
      : options_(options), model_(options, make) {}

  ExploreResult run(const ExploreCallback& progress);

 private:
  using State = std::uint32_t;

  // The outer loop, and what it does with each state. Both tell whether to go on.
  bool search(const ExploreCallback& progress);
  bool expand(State state);
  bool expand_move(const World& world, const Move& move);
  bool cut_short(const World& world, Move move);
  void visit(const World& next, bool free);
  bool settle(State from);
  bool stop(const char* bound);

  void judge(State state, const World& world, bool quiescent);
  bool agreed(const World& world) const;
  bool wrong_coordinator(const World& world) const;
  bool second_coordinator(const World& world) const;
  bool will_be_told(const World& world, std::size_t node) const;
  void judge_liveness();
  bool fair_run_stays(const std::vector<State>& component);
  std::vector<Move> free_moves(State state);
  State after(State state, const Move& move);

  void violated(Property property, State state);
  std::vector<ExploreStep> path_to(State state);
  std::vector<ExploreStep> cycle_through(State state, const std::vector<State>& component);
  std::vector<ExploreStep> steps_along(const std::vector<State>& states);
  ExploreStep step_between(State from, State to);
  std::string quiescent_text(const World& world) const;

  World world_of(State state) const { return model_.decode(store_.state(state)); }
  std::uint64_t index_bytes() const {
    return store_.index_bytes() + parents_.bytes() + free_.bytes();
  }

  const ExploreOptions& options_;
  Model model_;
  StateStore store_;
  ChunkedVector<State> parents_;  // from where a state was first met
  FreeGraph free_;
  std::vector<Move> moves_;
  std::vector<std::uint8_t> bytes_;
  struct Visit {
    std::uint64_t hash;
    std::size_t begin;  // in visited_bytes_
    std::size_t length;
    bool free;
  };
  std::vector<Visit> visits_;
  std::vector<std::uint8_t> visited_bytes_;
  std::set<std::string> quiescent_texts_;
  ExploreResult result_;
};

ExploreResult Search::run(const ExploreCallback& progress) {
  visit(model_.beginning(), false);
  settle(no_state);
  const bool exhausted = search(progress);
  free_.begins.push_back(static_cast<std::uint32_t>(free_.targets.size()));
  result_.states = store_.size();
  result_.state_bytes = store_.state_bytes();
  result_.index_bytes = index_bytes();
  result_.quiescent_states.assign(quiescent_texts_.begin(), quiescent_texts_.end());
  if (exhausted) {
    result_.verdict = Verdict::holds;
    judge_liveness();
  }
  return std::move(result_);
}

bool Search::search(const ExploreCallback& progress) {
  std::uint64_t level_end = 1;
  for (std::uint64_t state = 0; state < store_.size(); ++state) {
    if (state == level_end) {
      ++result_.depth;
      level_end = store_.size();
    }
    if (state % states_per_progress == 0 && progress &&
        !progress({store_.size(), state, result_.depth})) {
      return stop("interrupted");
    }
    try {
      if (!expand(static_cast<State>(state))) return false;
    } catch (const explorer::OutOfNumbers&) {
      return stop("numbers");
    }
  }
  return true;
}

bool Search::expand(State state) {
  const World world = world_of(state);
  model_.moves(world, moves_);
  const bool quiescent =
      std::all_of(moves_.begin(), moves_.end(), [](const Move& move) { return move.fault; });
  judge(state, world, quiescent);
  if (result_.violation) return false;
  free_.begins.push_back(static_cast<std::uint32_t>(free_.targets.size()));
  for (const Move& move : moves_) {
    if (!expand_move(world, move)) return false;
  }
  return settle(state);
}

bool Search::expand_move(const World& world, const Move& move) {
  World next = world;
  if (model_.apply(move, next) == Outcome::overflow) return stop("in-flight");
  visit(next, !move.fault);
  const bool can_crash = world.crashes_left > 0 && move.kind != StepKind::crash;
  return !can_crash || cut_short(world, move);
}

// The same move by a node that crashes between two of its sends.
bool Search::cut_short(const World& world, Move move) {
  for (move.sends = 1; move.sends < max_explored_nodes * explorer::max_inbox; ++move.sends) {
    World next = world;
    const Outcome outcome = model_.apply(move, next);
    if (outcome == Outcome::sent_less) return true;
    if (outcome == Outcome::overflow) return stop("in-flight");
    visit(next, false);
  }
  return true;
}

// Notes where a step leads. All of a state's steps are looked up together: see settle().
void Search::visit(const World& next, bool free) {
  ++result_.transitions;
  model_.encode(next, bytes_);
  const std::uint64_t hash = StateStore::hash_of(bytes_);
  store_.fetch_slot(hash);
  visits_.push_back({hash, visited_bytes_.size(), bytes_.size(), free});
  visited_bytes_.insert(visited_bytes_.end(), bytes_.begin(), bytes_.end());
}

// Numbers what was visited from `from`.
bool Search::settle(State from) {
  for (const Visit& visit : visits_) store_.fetch_entry(visit.hash);
  for (const Visit& visit : visits_) store_.fetch_state(visit.hash);
  for (const Visit& visit : visits_) {
    const auto state = std::span(visited_bytes_).subspan(visit.begin, visit.length);
    const StateStore::Inserted inserted = store_.insert(state, visit.hash);
    if (visit.free) free_.targets.push_back(inserted.number);
    if (inserted.is_new) parents_.push_back(from);
    const std::uint64_t limit = std::min(options_.max_states, StateStore::max_states);
    if (store_.size() > limit || free_.targets.size() == max_edges) return stop("states");
  }
  visits_.clear();
  visited_bytes_.clear();
  return true;
}

bool Search::stop(const char* bound) {
  result_.bound = bound;
  return false;
}

void Search::judge(State state, const World& world, bool quiescent) {
  result_.messages = std::max<unsigned>(result_.messages, world.sent);
  for (std::size_t node = 0; node < model_.nodes(); ++node) {
    if (!model_.live(world, node)) continue;
    const std::optional<NodeId> followed = model_.coordinator(world, node);
    if (followed && *followed < node + 1) return violated(Property::never_lower, state);
  }
  if (options_.timing == Timing::synchronous) {
    if (wrong_coordinator(world)) return violated(Property::highest_wins, state);
    if (second_coordinator(world)) return violated(Property::one_coordinator, state);
  }
  if (options_.max_messages && world.sent > *options_.max_messages) {
    return violated(Property::message_count, state);
  }
  if (!quiescent) return;
  ++result_.quiescent;
  if (options_.list_quiescent) quiescent_texts_.insert(quiescent_text(world));
  if (!agreed(world)) violated(Property::agreement, state);
}

bool Search::agreed(const World& world) const {
  std::optional<NodeId> highest;
  for (std::size_t node = model_.nodes(); node-- > 0;) {
    if (!model_.live(world, node)) continue;
    if (!highest) highest = node + 1;
    if (model_.coordinator(world, node) != highest) return false;
  }
  return true;
}

// Property::highest_wins.
bool Search::wrong_coordinator(const World& world) const {
  if (options_.beginning == Beginning::starting) return false;
  if (world.restarts_left != options_.restarts) return false;
  std::optional<NodeId> highest;
  for (std::size_t node = model_.nodes(); node-- > 0;) {
    if (!model_.live(world, node)) continue;
    if (!highest) highest = node + 1;
    const std::optional<NodeId> followed = model_.coordinator(world, node);
    if (followed && *followed < *highest) return true;
  }
  return false;
}

// Property::one_coordinator.
bool Search::second_coordinator(const World& world) const {
  bool higher_coordinator = false;
  for (std::size_t node = model_.nodes(); node-- > 0;) {
    const bool coordinator = model_.is_coordinator(world, node);
    if (coordinator && higher_coordinator && !will_be_told(world, node)) return true;
    higher_coordinator = higher_coordinator || coordinator;
  }
  return false;
}

bool Search::will_be_told(const World& world, std::size_t node) const {
  const auto inbox = world.inbox[node].all();
  return std::any_of(inbox.begin(), inbox.end(), [&](explorer::MessageId id) {
    const Message& message = model_.message(node, id);
    return message.type == MessageType::coordinator && message.from > node + 1;
  });
}

// All quiescent states are known to be agreed here. REQUIRES: the search is exhausted.
void Search::judge_liveness() {
  store_.drop_table();
  const LivenessFindings findings = check_liveness(
      free_, [&](State state) { return free_.begins[state] == free_.begins[state + 1ULL]; },
      [&](const std::vector<State>& component) { return fair_run_stays(component); });
  const std::uint64_t bytes = index_bytes() + findings.bytes;
  result_.index_bytes = std::max(result_.index_bytes, bytes);
  if (findings.hopeless && (findings.trap.empty() || *findings.hopeless < findings.trap.front())) {
    violated(Property::reachable, *findings.hopeless);
  } else if (!findings.trap.empty()) {
    violated(Property::progress, findings.trap.front());
  }
  if (result_.violation && !findings.trap.empty()) {
    result_.violation->cycle = cycle_through(findings.trap.front(), findings.trap);
  }
}

// See explorer_liveness.h: is each step that is always possible there taken there as well?
bool Search::fair_run_stays(const std::vector<State>& component) {
  std::vector<Move> always = free_moves(component.front());
  for (const State state : component) {
    const std::vector<Move> here = free_moves(state);
    std::erase_if(always, [&](const Move& move) {
      if (std::find(here.begin(), here.end(), move) == here.end()) return true;
      return std::binary_search(component.begin(), component.end(), after(state, move));
    });
  }
  return always.empty();
}

std::vector<Move> Search::free_moves(State state) {
  std::vector<Move> moves;
  model_.moves(world_of(state), moves);
  std::erase_if(moves, [](const Move& move) { return move.fault; });
  return moves;
}

// REQUIRES: `move` is free in `state`. Edges stand in the order of the moves.
Search::State Search::after(State state, const Move& move) {
  const std::vector<Move> moves = free_moves(state);
  const auto found = std::find(moves.begin(), moves.end(), move);
  assert(found != moves.end());
  const auto order = static_cast<std::uint64_t>(found - moves.begin());
  return free_.targets[free_.begins[state] + order];
}

void Search::violated(Property property, State state) {
  result_.verdict = Verdict::violated;
  result_.violation = Violation{property, path_to(state), {}};
}

std::vector<ExploreStep> Search::path_to(State state) {
  std::vector<State> states;
  for (; state != no_state; state = parents_[state]) states.push_back(state);
  std::reverse(states.begin(), states.end());
  return steps_along(states);
}

// A shortest way from `state` back to it inside `component`.
std::vector<ExploreStep> Search::cycle_through(State state, const std::vector<State>& component) {
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
  std::reverse(states.begin(), states.end());
  return steps_along(states);
}

std::vector<ExploreStep> Search::steps_along(const std::vector<State>& states) {
  std::vector<ExploreStep> steps;
  for (std::size_t i = 1; i < states.size(); ++i) {
    steps.push_back(step_between(states[i - 1], states[i]));
  }
  return steps;
}

// A step is found anew rather than stored: counterexamples are short, and the states many.
ExploreStep Search::step_between(State from, State to) {
  const World before = world_of(from);
  const auto leads_there = [&](const Move& move) {
    World next = before;
    model_.apply(move, next);
    model_.encode(next, bytes_);
    const auto wanted = store_.state(to);
    return std::equal(bytes_.begin(), bytes_.end(), wanted.begin(), wanted.end());
  };
  std::vector<Move> moves;
  model_.moves(before, moves);
  for (const Move& move : moves) {
    if (leads_there(move)) return model_.describe(before, move);
  }
  for (Move move : moves) {
    if (move.kind == StepKind::crash || before.crashes_left == 0) continue;
    for (move.sends = 1; move.sends < max_explored_nodes * explorer::max_inbox; ++move.sends) {
      World next = before;
      if (model_.apply(move, next) != Outcome::done) break;
      if (leads_there(move)) return model_.describe(before, move);
    }
  }
  throw std::logic_error("explore: the protocol is not deterministic");
}

// "1:3 2:3 3:3 4:crashed, crashes left 0, restarts left 1, false alarms left 0"
std::string Search::quiescent_text(const World& world) const {
  std::string text;
  for (std::size_t node = 0; node < model_.nodes(); ++node) {
    const std::optional<NodeId> followed =
        model_.live(world, node) ? model_.coordinator(world, node) : std::nullopt;
    text += (node == 0 ? "" : " ") + std::to_string(node + 1) + ':';
    text += !model_.live(world, node) ? "crashed" : followed ? std::to_string(*followed) : "nobody";
  }
  return text + ", crashes left " + std::to_string(world.crashes_left) + ", restarts left " +
         std::to_string(world.restarts_left) + ", false alarms left " +
         std::to_string(world.false_alarms_left);
}

}  // namespace

ExploreResult explore(const ExploreOptions& options, const ProtocolMaker& make,
                      const ExploreCallback& progress) {
  return Search(options, make).run(progress);
}

std::string_view property_name(Property property) {
  constexpr std::array<std::string_view, property_count> names = {
      "agreement",       "never-lower",   "reachable",   "progress",
      "one-coordinator", "message-count", "highest-wins"};
  return names.at(static_cast<std::size_t>(property));
}

}  // namespace bully
