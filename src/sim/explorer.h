// explorer.h: every interleaving of an election, within bounds (`bully verify`).
//
// The explorer runs the protocol of the real processes, in a world small enough to try every next
// event in every order: deliveries, timeouts, suspicions, crashes, restarts and partitions. It
// searches breadth first, so the first violation that it finds has a shortest counterexample.
//
// The world
//   Nodes are 1..N and know each other by name; a crashed node leaves its name behind.
//   A message to a live node is in flight until it is delivered. Delivery decides which message may
//   be next. A message to a crashed node is PeerGone for its sender, at once. A node that crashes
//   loses its state and the messages in flight to it; the messages that it has sent stay in flight.
//   It may also crash between two sends: halfway through an announcement, for example.
//   A restarted node is the same id with a new state, and Started, with a number above all in use.
//   A partition cuts the network into two sides, until it heals. A message sent across is lost,
//   whether its receiver is alive or dead, and its sender learns nothing; a message in flight
//   before the cut still arrives.
//   A monitor sees the other side of a partition as `hung`.
//   A monitor reports `down` while the watched process is crashed, and `deposed` while the followed
//   coordinator follows another; to a coordinator it reports `deposed` while a higher node is live.
//   A coordinator finds another node if Algorithm::finds matches the other's present state.
//
// Timing
//   Synchronous: timeouts are right [CDK]. The answer timer expires only when no message is in
//   flight to or from its node: then no answer can still come. The coordinator timer expires only
//   when no message is in flight at all and no answer timer runs: then no election can still end by
//   itself. A coordinator also finds others only then, and before the coordinator timer. A process
//   that waits for a higher one suspects it when no message is in flight to or from the waiting
//   node: until then, the world gives the election its time. On a ring, a neighbour is suspected at
//   any time; a neighbour across a partition before the coordinator timer, which waits longer each
//   time. Otherwise elections, each with another number, could follow one another until the network
//   heals.
//   Asynchronous: the same with a limited number of false alarms: a timer expires too early, a live
//   watched process is reported `hung`, or a dead one that answered is reported `down` too early.
//   After the last false alarm timing is synchronous. A monitor on a ring may report several hung
//   processes together: the explorer tries that only for those across a partition; otherwise the
//   monitor reports the watched process alone.
//
// Faults are crashes, restarts, partitions and false alarms: they may happen, but nothing relies on
// them. All other steps are free: a step that stays possible happens in the end (weak fairness). So
// a partition heals in the end, and while the network is cut, no run has ended.
//
// Judgement
//   The properties that the algorithm promises (../election/algorithm.h): properties of every
//   moment in each state, properties of the end in each state without a free step. From every
//   state, free steps can lead to such an end (reachable), and no weakly fair infinite run of free
//   steps avoids it (progress). No more messages are sent than `max_messages`.
//   No process follows a lower process than another that was live all along (highest-wins). Of two
//   live coordinators the lower has a higher one's announcement in flight to it (one-coordinator; a
//   ring has no such message, and never two coordinators).
//   A property is judged only under its assumptions. A property that assumes synchrony is skipped
//   in asynchronous timing and with partitions; a property without loss is skipped with partitions;
//   a property without joining is judged until a node starts. `only` chooses a single property,
//   promised or not.
//
// Tests
//   A property that no step could break proves nothing. So the explorer counts the tests of each
//   property, without the beginning: each step in which a process takes a coordinator, if the
//   property's description says so (is_at_stake), otherwise each state; each end with a live
//   process; each state that is not yet an end. It also notes the rules by which the nodes act, and
//   misses none that can fire within the bounds, since a reduction keeps the rules
//   (Algorithm::forget_idle_words). A rule for a stopped process, a loss without a partition or a
//   foreign program never fires: this world has none.
//
// The explorer never looks at a clock, prints, or interprets a message. Read next: explorer_model.h
// for the world, explorer_judge.h for the properties, explorer_search.cc for the search,
// explorer_scenario.cc for the scripts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/language.h"
#include "election/algorithm.h"
#include "sim/step.h"

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
  // Check only this property, even if not promised: any that can_explore(). Null: all promised
  // ones.
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
  // If unfinished: the bound that the search reached, one word: "states", "in-flight", "numbers"
  // (more messages or states of a node than numbers for them), "interrupted".
  std::string bound;
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

bool can_explore(const Property& property);
// The properties judged in runs of `options`; and those of the algorithm that no such run promises.
std::vector<const Property*> judged_in(const ExploreOptions& options);
std::vector<const Property*> not_promised(const ExploreOptions& options);

// The coordinator that all follow in the beginning, if the nodes have started: the process among
// them that the algorithm prefers; or a process that it prefers to all of them, and that has left.
NodeId first_coordinator(const ExploreOptions& options);

struct ExploreProgress {
  std::uint64_t states = 0;
  std::uint64_t expanded = 0;  // the number of these that are finished
  unsigned depth = 0;
  std::uint64_t bytes = 0;  // of memory, for the states and their index
};
// Called every few thousand states. False ends the search ("interrupted").
using ExploreCallback = std::function<bool(const ExploreProgress&)>;

// Explores all runs of `options`. The maker's protocols must be deterministic: the same words and
// the same event give the same reaction. Throws std::invalid_argument for options out of range.
ExploreResult explore(const ExploreOptions& options, const ProtocolMaker& make,
                      const ExploreCallback& progress = nullptr);

// A counterexample as a script that `bully scenario` plays (scenario.h), with this title. Every
// message waits (`hold`) until the script delivers it, so the script has exactly the steps of the
// counterexample. The last step expects the violated property: with a correct protocol the
// expectation holds, or an earlier step turns out impossible.
// REQUIRES: explore(options, make) found `violation`; and Preset gives the nodes of `make` their
// coordinator in the beginning.
std::string counterexample_scenario(const ExploreOptions& options, const ProtocolMaker& make,
                                    const Counterexample& violation, const Texts& title = {});

}  // namespace bully
