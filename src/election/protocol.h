// protocol.h: an election protocol as a pure machine. Events go in, actions come out.
//
// A protocol is one process's part in an election. It has no clock, no randomness, no socket and
// no thread: whoever runs it (the world: a real process, the simulator, the explorer, a test)
// tells it what happened and does what it asks. Because all of them run the same code, what is
// proved in one world holds in the others.
//
// The world's duties:
//   1. Call handle() with one event at a time, and carry out the actions it appends, in order.
//   2. Begin with Started. Give Started again when the process was down and came back, or was
//      stopped and continued. A world that is not real may begin with Founded instead.
//   3. Deliver a message at most once, to the node it was sent to, as Received.
//   4. Give PeerGone when a message could not be sent because there is, at this moment, no process
//      behind its address. Never guess it: a full backlog or a slow peer is not a gone one.
//   5. Give Expired once after the last StartTimer of that timer, unless StopTimer came first.
//      Deliver what has already arrived before a timer expires.
//   6. Watch the process that watched() names, and give Suspected when it seems down or hung or
//      says that it follows another, where it is watched as coordinator. A coordinator watches the
//      processes above itself: one that is alive means that it is itself deposed.
//   7. Where the protocol is one for a ring (algorithm.h), deliver what one process sends to
//      another in the order of sending: links are FIFO. When the process that it watches is hung,
//      tell it of others that are hung as well: it would otherwise find each of them in turn.
//
// Read next: bully.h, then ring.h; algorithm.h for what there is.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "election/message.h"

namespace bully {

// Who takes part, as far as the world knows: every id with an address, sorted from the lowest, with
// or without the node itself. A protocol looks only when a rule needs it, since a real node has to
// read a directory for it.
class Peers {
 public:
  virtual ~Peers() = default;
  // Valid until the next call of ids().
  virtual std::span<const NodeId> ids() const = 0;
  // The next one after `id`, going round clockwise; `id` itself where there is no other. Here: the
  // next higher id, and from the highest back to the lowest.
  virtual NodeId clockwise_of(NodeId id) const;
};

// The part of `ids` (sorted) above and below `self`.
std::span<const NodeId> higher_than(NodeId self, std::span<const NodeId> ids);
std::span<const NodeId> lower_than(NodeId self, std::span<const NodeId> ids);

// Both bound a wait. How long they are is the world's affair.
enum class Timer : std::uint8_t {
  answer,       // for the first ANSWER
  coordinator,  // for the COORDINATOR that an ANSWER promised; on a ring, for the election's end
};
inline constexpr std::size_t timer_count = 2;
std::string_view timer_name(Timer timer);

// Why a process that is watched is suspected.
enum class Suspicion : std::uint8_t {
  down,     // there is no process behind its address
  hung,     // it is there, but does not react to pings
  deposed,  // it says that it follows another
};
std::string_view suspicion_name(Suspicion reason);

// Events.
struct Started {
  bool resumed = false;  // it had only been stopped (SIGSTOP), and has kept its state
};
// The process is a member of a cluster that has long agreed on this coordinator.
struct Founded {
  NodeId coordinator = 0;
};
struct Received {
  Message message;
};
struct PeerGone {
  NodeId peer = 0;
};
struct Expired {
  Timer timer = Timer::answer;
};
struct Suspected {
  NodeId peer = 0;  // the one that was watched; hung: or, on a ring, any other
  Suspicion reason = Suspicion::down;
};
using Event = std::variant<Started, Founded, Received, PeerGone, Expired, Suspected>;

// Actions.
struct Send {
  NodeId to = 0;
  Message message;
  bool operator==(const Send&) const = default;
};
struct StartTimer {
  Timer timer = Timer::answer;
  // How many elections in a row have been in vain: the world waits the longer, by a growing and
  // jittered factor, the more there were.
  std::uint8_t vain = 0;
  bool operator==(const StartTimer&) const = default;
};
struct StopTimer {
  Timer timer = Timer::answer;
  bool operator==(const StopTimer&) const = default;
};
// From now on the coordinator is this one (the node itself, where it is its own id), or, during an
// election, nobody.
struct Follow {
  std::optional<NodeId> coordinator;
  bool operator==(const Follow&) const = default;
};
using Action = std::variant<Send, StartTimer, StopTimer, Follow>;
using Actions = std::vector<Action>;

// A variable of the protocol by the textbook's name, for whoever looks on. No more than three.
struct Variable {
  std::string_view name = {};
  std::optional<NodeId> value = std::nullopt;  // nothing while it has none
  bool operator==(const Variable&) const = default;
};
using Variables = std::array<Variable, 3>;  // those without a name are not there

class Protocol {
 public:
  virtual ~Protocol() = default;

  // Takes one event and appends what is to be done to `actions`. Never fails: an event that no rule
  // speaks of in the present state changes nothing.
  virtual void handle(const Event& event, const Peers& peers, Actions& actions) = 0;

  virtual NodeId id() const = 0;
  // The textbook's word for where this process stands, in English and lower case: "follower" or
  // "coordinator" exactly while it follows somebody, or itself.
  virtual std::string_view state_name() const = 0;
  // Whom this process follows: itself where it is coordinator, nobody during an election.
  virtual std::optional<NodeId> coordinator() const = 0;
  // Whom the world is to watch for this process.
  virtual std::optional<NodeId> watched() const { return coordinator(); }
  // What the textbook writes beside this process, where it writes anything.
  virtual Variables variables() const { return {}; }

  // The whole state but for the id, as a few words, and back. Two nodes of one id are in the same
  // state exactly when their words are equal. REQUIRES for load: words that save() gave.
  virtual void save(std::vector<std::uint64_t>& words) const = 0;
  virtual void load(std::span<const std::uint64_t> words) = 0;
};

// An election that nothing disturbs, as the textbook counts it.
struct CountedElection {
  // Those that take part, without a coordinator that was lost: clockwise where they form a ring,
  // else from the lowest.
  std::span<const NodeId> processes;
  // The lowest of those who noticed; or the one that came back.
  NodeId detector = 0;
  // Whether they had lost a coordinator with a higher id, whose name they still know.
  bool lost_coordinator = false;
};

}  // namespace bully
