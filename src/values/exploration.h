// exploration.h: the bounds of an exploration, and its result. ../explorer/explorer.h explains
// both.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "election/algorithm.h"
#include "values/script_step.h"

namespace bully {

inline constexpr std::size_t max_explored_nodes = 8;
// The largest number of crashes, restarts, partitions or false alarms of one exploration.
inline constexpr unsigned max_explored_faults = 100;

enum class Timing : std::uint8_t { synchronous, asynchronous };

// The messages in flight to a node that may be delivered next.
enum class Delivery : std::uint8_t {
  any_order,      // each: the most adversarial network
  pair_order,     // the oldest of each sender: links are FIFO
  arrival_order,  // the oldest: sends are instantaneous, and the receiver's backlog is one queue
};

enum class Beginning : std::uint8_t {
  agreed,      // all are live and follow the highest
  leaderless,  // all are live, and follow a process that has left: each may detect that
  starting,    // none has started; each will, at any time, and that is no fault
};

struct ExploreOptions {
  std::size_t nodes = 3;  // 1 to max_explored_nodes
  unsigned crashes = 0;   // in all, as are restarts
  unsigned restarts = 0;
  unsigned partitions = 0;  // one after the other
  Timing timing = Timing::synchronous;
  unsigned false_alarms = 1;  // in all; asynchronous only
  Delivery delivery = Delivery::any_order;
  Beginning beginning = Beginning::agreed;
  // The maker's algorithm, for the words of scripts and traces. The search does not look at it.
  const Algorithm* algorithm = &default_algorithm();
  const Variant* variant = nullptr;  // likewise; null: the correct one
  // The ids 1 to `nodes` in the ring's order, clockwise; empty: by id.
  std::vector<NodeId> arrangement = {};
  // The nodes whose monitors report; empty: all. With fewer, agreement may rightly fail: a node
  // without a monitor that missed a COORDINATOR never learns of it.
  std::vector<NodeId> detectors = {};
  // If set, messages are counted (which distinguishes more states), and their number is judged.
  std::optional<unsigned> max_messages = std::nullopt;
  // See Algorithm::forget_idle_words; nothing: the plain search.
  std::function<void(std::vector<std::uint64_t>&)> reduction = nullptr;
  // Check only this property, even if not promised: any that can_explore()
  // (../explorer/explorer.h). Null: all promised ones.
  const Property* only = nullptr;
  // Bounds of the search itself. Reaching one leaves the question open.
  std::uint64_t max_states = 50'000'000;
  // Called for each state without a free step, with the nodes and the numbers of crashes, restarts,
  // partitions and false alarms that are left.
  std::function<void(Nodes, const std::array<unsigned, 4>&)> on_quiescent = nullptr;
};

struct Counterexample {
  const Property* property = nullptr;
  // From the beginning to the violating state, by a path with the fewest steps.
  std::vector<Step> steps = {};
  // properties::progress: steps that lead from there back to there, forever.
  std::vector<Step> cycle = {};
  // The nodes in that state, node 1 first; and for properties::one_coordinator the lower of the
  // two.
  std::vector<Snapshot> nodes = {};
  bool is_cut = false;  // true if the network is cut there
  NodeId second = 0;
  // True if a process at fault reacts in it: its protocol was given that event last.
  bool is_given_again = false;
};

struct Tested {
  const Property* property = nullptr;
  std::uint64_t times = 0;
};

enum class Verdict : std::uint8_t { holds, violated, unfinished };

// A message as it finds its receiver: in this state.
struct Receipt {
  std::string state;
  MessageType type = messages::ping;

  auto operator<=>(const Receipt&) const = default;  // NOLINT(*-use-nullptr): a false alarm
};

struct ExploreResult {
  Verdict verdict = Verdict::unfinished;
  std::optional<Counterexample> violation;
  std::vector<Tested> tested;      // for each judged property, reachable and progress
  std::vector<const Rule*> fired;  // of the algorithm's rules, in their order
  std::vector<Receipt> ignored;    // about which no node ever did anything
  // Of the algorithm: properties whose assumptions these runs break, and properties that no
  // exploration judges.
  std::vector<const Property*> not_promised;
  std::vector<const Property*> not_judged;
  // If unfinished: the bound that the search reached, one word: "states", "in-flight", "numbers"
  // (more messages or states of a node than numbers for them), "interrupted".
  std::string bound;
  // False if no property was put to the test, though some are judged.
  bool has_tested() const {
    return tested.empty() || std::ranges::any_of(tested, [](auto& one) { return one.times > 0; });
  }
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;  // steps tried, including those to known states
  std::uint64_t quiescent = 0;    // states without a free step
  // States in which nothing goes on but that a monitor reports a coordinator as deposed: it has to
  // say what no message will.
  std::uint64_t repaired = 0;
  unsigned depth = 0;             // steps to the farthest state
  unsigned messages = 0;          // the most sent in one run; only if max_messages is set
  std::uint64_t state_bytes = 0;  // the encoded states
  std::uint64_t index_bytes = 0;  // all other memory that grows with them, at its largest
};

}  // namespace bully
