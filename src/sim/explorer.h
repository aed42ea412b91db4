// explorer.h: every interleaving of an election, within bounds (`bully verify`).
//
// The explorer runs the protocol that the real processes run, in a world small enough to try all
// that can happen next, in every order: deliveries, timeouts, suspicions, crashes, restarts and
// partitions. It searches breadth first, so that the first violation it meets has a shortest
// counterexample.
//
// The world
//   Nodes are 1..N and know each other by name; a crashed one leaves its name behind.
//   A message to a live node is in flight until it is delivered. Which one may be next is the
//   choice of Delivery. A message to a crashed node is PeerGone for its sender, at once. A node
//   that crashes loses its state and what is in flight to it; what it has sent stays in flight. It
//   may also crash between two sends: halfway through an announcement, for example.
//   A restarted node is the same id with a new state, and Started.
//   A partition cuts the network into two sides, until it heals. What is sent across, to the live
//   or the dead, is lost, and the sender learns nothing; what was in flight before still arrives.
//   A monitor sees nothing of the other side but that it is `hung`.
//   A monitor reports `down` while the process that it watches is crashed, and `deposed` while the
//   followed coordinator follows another, and `deposed` to a coordinator while a higher node is
//   live. A coordinator finds, of the others as they stand, what the algorithm looks for.
//
// Timing
//   Synchronous: timeouts are right [CDK]. The answer timer expires only when nothing is in flight
//   to or from its node: no one asked can still answer. The coordinator timer expires only when
//   nothing is in flight at all and no answer timer runs: no election can still end by itself. So
//   does a coordinator find something, and if one can, that comes before the coordinator timer. One
//   that answered, and is waited for, is suspected when nothing is in flight to or from the node
//   that waits: before, the world gives the election its time. On a ring, a neighbour at any time;
//   one across a partition before the coordinator timer, which waits longer each time. Otherwise
//   elections, each with a number of its own, could follow one another until the network heals.
//   Asynchronous: besides, a limited number of false alarms: a timer expires too early, a live
//   process that is watched is reported `hung`, or a dead one that answered too early as `down`.
//   When they are used up, timing is synchronous. That a monitor on a ring reports several as hung
//   together is explored of those across a partition; else it reports the one that is watched.
//
// Faults are crashes, restarts, partitions and false alarms: they may happen, but nothing relies on
// them. All other steps are free: each that stays possible happens in the end (weak fairness). So a
// partition heals in the end, and while the network is cut, no run has ended.
//
// What it judges
//   The properties that the algorithm owes (../election/algorithm.h): those that must hold at every
//   moment in each state, those that must hold in the end in each without a free step. From every
//   state, free steps can lead to such an end (reachable), and no infinite run of free steps that
//   is weakly fair keeps from it (progress). No more messages are sent than `max_messages`.
//   Nobody follows one below a live one that was live all along (highest-wins). Of two live
//   coordinators the lower has an announcement of a higher one in flight to it (one-coordinator; a
//   ring has no such message, and README.md tells when it may have two for a moment).
//   A property is judged as far as it is promised: one that assumes synchrony not where timing is
//   asynchronous, nor, as one that assumes that nothing is lost, where there are partitions; one
//   that assumes that nobody joins until a node starts. Or a single one is asked for, promised or
//   not.
//
// What it has tried
//   That a property holds says nothing where nothing could break it. So the explorer counts how
//   often each was put to the test, the beginning aside: by each step in which a process takes a
//   coordinator, if the property's description says so (is_at_stake), or else by each state; by
//   each end with a live process; by each state in which something is left to happen. And it notes
//   the rules by which the nodes act: none that can fire within the bounds escapes it, since a
//   reduction keeps the rules (Algorithm::forget_idle_words). A rule for a stopped process, a loss
//   without a partition or a foreign program never fires: this world has none.
//
// It never looks at a clock, prints, or knows what a message means. Read next: explorer_model.h
// for the world, explorer_promises.cc for what is judged, explorer_search.cc for the search,
// explorer_scenario.cc for the scripts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "election/algorithm.h"
#include "sim/step.h"
#include "words/language.h"

namespace bully {

inline constexpr std::size_t max_explored_nodes = 8;
// The most crashes, restarts, partitions or false alarms of one exploration.
inline constexpr unsigned max_explored_faults = 100;

enum class Timing : std::uint8_t { synchronous, asynchronous };

// Which message in flight to a node may be delivered next.
enum class Delivery : std::uint8_t {
  any_order,      // each: the most adversarial network
  pair_order,     // the oldest of each sender: links are FIFO
  arrival_order,  // the oldest: sends are instantaneous, and the receiver's backlog is one queue
};

enum class Beginning : std::uint8_t {
  agreed,      // all are live and follow the highest
  leaderless,  // all are live, and follow one who has left, name and all: each may notice
  starting,    // none has started; each will, at any time, and that is no fault
};

struct ExploreOptions {
  std::size_t nodes = 3;  // 1 to max_explored_nodes
  unsigned crashes = 0;   // in all, as are restarts
  unsigned restarts = 0;
  unsigned partitions = 0;  // one after another
  Timing timing = Timing::synchronous;
  unsigned false_alarms = 1;  // in all; asynchronous only
  Delivery delivery = Delivery::any_order;
  Beginning beginning = Beginning::agreed;
  // What the maker makes, for the words of scripts and traces. The search does not look at it.
  const Algorithm* algorithm = &default_algorithm();
  const Variant* variant = nullptr;  // likewise; null: the algorithm as it should be
  // The ids 1 to `nodes` in the order in which they stand on the ring, clockwise; empty: by id.
  std::vector<NodeId> arrangement = {};
  // Whose monitors report; empty: every node's. With fewer, agreement may rightly fail: a node that
  // missed a COORDINATOR and does not look will not learn of it.
  std::vector<NodeId> detectors = {};
  // Where set, messages are counted (which tells more states apart), and their number is judged.
  std::optional<unsigned> max_messages = std::nullopt;
  // See Algorithm::forget_idle_words; nothing: the plain search.
  std::function<void(std::vector<std::uint64_t>&)> reduction = nullptr;
  // Judge this one alone, owed or not, promised or not: any that can_explore(). Null: all that are.
  const Property* only = nullptr;
  // Bounds of the search itself. Reaching one leaves the question open.
  std::uint64_t max_states = 50'000'000;
  // Told of each state without a free step: the nodes, and how many crashes, restarts, partitions
  // and false alarms are left.
  std::function<void(Nodes, const std::array<unsigned, 4>&)> on_quiescent = nullptr;
};

struct Counterexample {
  const Property* property = nullptr;
  // From the beginning to the state at fault; of all such, one with the fewest steps.
  std::vector<Step> steps = {};
  // properties::progress: steps that lead from there back to there, for ever.
  std::vector<Step> cycle = {};
  // How all stand there, node 1 first; and properties::one_coordinator: the lower of the two.
  std::vector<Snapshot> nodes = {};
  bool is_cut = false;  // whether the network is cut there
  NodeId second = 0;
};

struct Tested {
  const Property* property = nullptr;
  std::uint64_t times = 0;
};

enum class Verdict : std::uint8_t { holds, violated, unfinished };

struct ExploreResult {
  Verdict verdict = Verdict::unfinished;
  std::optional<Counterexample> violation;
  std::vector<Tested> tested;      // one for each property that was judged, reachable and progress
  std::vector<const Rule*> fired;  // of the algorithm's rules, in their order
  // Where unfinished: the bound that was reached, one word: "states", "in-flight",
  // "numbers" (more messages or states of a node than can be told apart), "interrupted".
  std::string bound;
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;  // steps tried, those to known states included
  std::uint64_t quiescent = 0;    // states without a free step
  unsigned depth = 0;             // steps to the farthest state
  unsigned messages = 0;          // most sent in one run; only where max_messages is set
  std::uint64_t state_bytes = 0;  // the encoded states
  std::uint64_t index_bytes = 0;  // all other memory that grows with them, at its largest
};

bool can_explore(const Property& property);
// What is judged in runs of `options`; what the algorithm owes, and none of them promises.
std::vector<const Property*> judged_in(const ExploreOptions& options);
std::vector<const Property*> not_promised(const ExploreOptions& options);

// Whom all follow in the beginning, unless none has started: the one of them that the algorithm
// prefers; or one that it prefers to all of them, and that has left.
NodeId first_coordinator(const ExploreOptions& options);

struct ExploreProgress {
  std::uint64_t states = 0;
  std::uint64_t expanded = 0;  // of these, how many have been left behind
  unsigned depth = 0;
  std::uint64_t bytes = 0;  // of memory, for the states and to find them
};
// Called every few thousand states. False ends the search ("interrupted").
using ExploreCallback = std::function<bool(const ExploreProgress&)>;

// Explores all runs of `options`. The maker's protocols must be deterministic: the same words and
// the same event give the same reaction. Throws std::invalid_argument for options out of range.
ExploreResult explore(const ExploreOptions& options, const ProtocolMaker& make,
                      const ExploreCallback& progress = nullptr);

// A counterexample as a script that `bully scenario` plays (scenario.h), with this title. Every
// message waits (`hold`) until the script delivers it, so that the steps are those of the
// counterexample and no others. The last step expects what was violated: played with a protocol
// that is right, the expectation holds, or the steps turn out impossible before it. `sink`, if
// given, is told of all that happens in it.
// REQUIRES: explore(options, make) found `violation`; and that the nodes that `make` makes are told
// by Preset whom they follow in the beginning.
std::string counterexample_scenario(const ExploreOptions& options, const ProtocolMaker& make,
                                    const Counterexample& violation, const Texts& title = {},
                                    Sink* sink = nullptr);

}  // namespace bully
