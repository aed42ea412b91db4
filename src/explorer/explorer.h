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
//   Counted for each property, without the beginning: each step in which a process takes a
//   coordinator, if the property's description says so (is_at_stake), otherwise each state; each
//   end with a live process; each state that is not yet an end. No rule is missed that can fire
//   within the bounds: a reduction keeps the rules (Algorithm::forget_idle_words).
//
// The explorer never looks at a clock, prints, or interprets a message. Read next: explorer_model.h
// for the world, explorer_judge.h for the properties, explorer.cc for the search.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/language.h"
#include "values/exploration.h"
#include "values/state_map.h"

namespace bully {

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

// --- What is judged, and how runs begin (explorer_scope.cc) ---

// True for the properties of the whole graph of states.
bool is_about_ways(const Property& property);
bool can_explore(const Property& property);
// The properties judged in runs of `options`; and of the algorithm's other properties, the ones
// whose assumptions such runs break, and the ones that no exploration judges.
std::vector<const Property*> judged_in(const ExploreOptions& options);
std::vector<const Property*> not_promised(const ExploreOptions& options);
std::vector<const Property*> not_judged(const ExploreOptions& options);

// The coordinator that all follow in the beginning, if the nodes have started: the process among
// them that the algorithm prefers; or a process that it prefers to all of them, and that has left.
NodeId first_coordinator(const ExploreOptions& options);

// --- Runs as scripts for `bully scenario` (../sim/script.h) ---

// A counterexample as a script with this title. Every message waits (`hold`) until the script
// delivers it, so the script has exactly the steps of the counterexample. The last step expects the
// violated property: with a correct protocol the expectation holds, or an earlier step turns out
// impossible.
// REQUIRES: explore(options, make) found `violation`; and Preset gives the nodes of `make` their
// coordinator in the beginning.
std::string counterexample_scenario(const ExploreOptions& options, const ProtocolMaker& make,
                                    const Counterexample& violation, const Texts& title = {});

// The beginning of a script for a run of these options, until all messages wait; the lines of a way
// through their map follow. `is_led`: no monitor reports before the script says so.
std::string beginning_of(const ExploreOptions& options, bool is_led);

// --- Every run, as a map (explorer_map.cc) ---

// Breadth first, and no farther than StateMap's limits. Throws as explore() does; a model's own
// bound (ExploreResult::bound) ends it like a limit.
StateMap map_of(const ExploreOptions& options, const ProtocolMaker& make);

}  // namespace bully
