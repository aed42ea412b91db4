// protocol.h: an election protocol as a pure machine. Events go in, actions come out.
//
// A protocol is one process's part in an election. It has no clock, no randomness, no socket and
// no thread: its caller (a real process, the simulator, the explorer, a test) tells it what
// happened and does what it asks. All of them run the same code.
//
// The caller's duties:
//   1. Begin with Started; where no real process runs, Preset may take its place. When the process
//      was down or stopped, and is back, give Started again.
//   2. Give handle() one event at a time, and carry out the actions that it appends, in order,
//      before the next event. Never call it in the midst of carrying them out.
//   3. Deliver a message at most once, to the node it was sent to, as Received.
//   4. Give PeerGone when a message could not be sent because there is, at this moment, no process
//      behind its address. Never guess it: a slow peer, or one with a full backlog, is not gone.
//   5. Give Expired once after the last StartTimer of that timer, unless StopTimer came first.
//      Deliver what has already arrived before a timer expires.
//   6. Watch the process that watched() names, and give Suspected when it seems down or hung or,
//      where it is watched as coordinator, says that it follows another. A coordinator watches the
//      processes above itself: one that is alive means that it is itself deposed. Where the
//      algorithm looks for something (Algorithm::finds), look at all others each interval, and give
//      PeerFound for each process of which it is true.
//   7. Where the algorithm says so (algorithm.h), deliver what one process sends to another in the
//      order of sending: links are FIFO. And where it watches a neighbour that is hung, tell it of
//      all others that are as well, first: it would otherwise find each of them in turn.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "election/message.h"

namespace bully {

// The part of `ids` (sorted) above and below `self`.
std::span<const NodeId> higher_than(NodeId self, std::span<const NodeId> ids);
std::span<const NodeId> lower_than(NodeId self, std::span<const NodeId> ids);

enum class Direction : std::uint8_t;  // the two ways round a ring: ring_order.h

// The processes that take part, as far as the world knows: every id with an address, sorted from
// the lowest, with or without the node itself. For each look a real node has to read a directory.
class Peers {
 public:
  virtual ~Peers() = default;
  // Valid until the next call of ids().
  virtual std::span<const NodeId> ids() const = 0;
  // For elections on a ring: the next one after `id`, going round that way; `id` itself if there is
  // no other. Here clockwise: the next higher id, and from the highest back to the lowest.
  virtual NodeId next_of(NodeId id, Direction way) const;
};

// Both bound a wait. How long they are is left to the caller.
enum class Timer : std::uint8_t {
  answer,       // for the first ANSWER
  coordinator,  // for the COORDINATOR that an ANSWER promised; on a ring, for the election's end
};
inline constexpr std::size_t timer_count = 2;
inline std::string_view timer_name(Timer timer) {
  return timer == Timer::answer ? "answer" : "coordinator";
}

enum class Suspicion : std::uint8_t {
  down,     // there is no process behind its address
  hung,     // it is there, but does not react to pings
  deposed,  // it says that it follows another
};
inline std::string_view suspicion_name(Suspicion reason) {
  switch (reason) {
    case Suspicion::down: return "down";
    case Suspicion::hung: return "hung";
    case Suspicion::deposed: return "deposed";
  }
  return {};
}

// Events.
struct Started {
  bool resumed = false;  // it had only been stopped (SIGSTOP), and has kept its state
  // Of a new process: larger, by far, than what an earlier one of this id was given, for numbers
  // that must not be used twice (incarnation.h).
  std::uint64_t incarnation = 0;
};
// The process is a member of a cluster that has long agreed on this coordinator.
struct Preset {
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
// To a coordinator: another process, as it stands, is what the algorithm looks for.
struct PeerFound {
  NodeId peer = 0;
};
using Event = std::variant<Started, Preset, Received, PeerGone, Expired, Suspected, PeerFound>;

// Actions.
struct Send {
  NodeId to = 0;
  Message message;
  bool operator==(const Send&) const = default;
};
struct StartTimer {
  Timer timer = Timer::answer;
  // How many elections in a row have timed out: the caller waits longer after each, and jitters. Of
  // the answer timer: how many times the wait is added to itself, to let others be the first.
  std::uint8_t attempts = 0;
  bool operator==(const StartTimer&) const = default;
};
// How long it waits, in nanoseconds: at least the first, and at most the second, by chance, so that
// processes whose wait for the same COORDINATOR timed out do not all start over together.
// `answer_ns` and `coordinator_ns` are the waits of a process that has missed no election.
inline std::pair<std::int64_t, std::int64_t> wait_range(const StartTimer& timer,
                                                        std::int64_t answer_ns,
                                                        std::int64_t coordinator_ns) {
  if (timer.timer == Timer::answer) {
    const std::int64_t wait_ns = answer_ns * (1 + timer.attempts);
    return {wait_ns, wait_ns};
  }
  const std::int64_t wait_ns = coordinator_ns << timer.attempts;
  return {wait_ns, wait_ns + wait_ns / 4};
}
struct StopTimer {
  Timer timer = Timer::answer;
  bool operator==(const StopTimer&) const = default;
};
// Its state, or whom it follows, has changed: from here on it sends as what it is after this event.
struct Changed {
  bool operator==(const Changed&) const = default;
};

// A rule of the textbook, or a numbered deviation from it. Its sentence stands in ../words.
struct Rule {
  std::string_view key;
  std::string_view source;
  unsigned deviation = 0;  // its number in the READMEs; 0: it is the source's own
};
// The process acts by this rule now. What it does because of that follows, if anything does.
struct Fired {
  const Rule* rule = nullptr;
  bool operator==(const Fired&) const = default;
};
using Action = std::variant<Send, StartTimer, StopTimer, Changed, Fired>;
using Actions = std::vector<Action>;

// The handling of one event: the peers among which a rule may look, and where it puts what to do.
struct Context {
  const Peers& peers;
  Actions& actions;

  void fire(const Rule& rule) const;
  void send(NodeId to, Message message) const;
  void start(Timer timer, std::uint8_t attempts = 0) const;
  void stop(Timer timer) const;
  void changed() const;
};

// What a process in some state does, whatever its algorithm calls that state.
enum class StateRole : std::uint8_t {
  down,       // it has not started, or is gone
  following,  // it knows the coordinator and is not it
  coordinating,
  // During an election:
  asking,    // it may still win
  waiting,   // it has left the election to another
  relaying,  // so it has, and passes on what others say
  joining,   // it does not take part yet
};

struct StateKind {
  std::string_view name;  // as Protocol::state_name gives it: the key of its words
  StateRole role = StateRole::asking;
};

// A variable of the protocol by the textbook's name, to be looked at. No more than three.
struct Variable {
  std::string_view name = {};
  std::optional<NodeId> value = std::nullopt;  // nothing while it has none
  bool operator==(const Variable&) const = default;
};
using Variables = std::array<Variable, 3>;  // those without a name are not there

class FieldVisitor;  // field_visitor.h

class Protocol {
 public:
  virtual ~Protocol() = default;

  // Takes one event and appends what is to be done to `actions`. Never fails: an event that no rule
  // speaks of in the present state changes nothing.
  virtual void handle(const Event& event, const Peers& peers, Actions& actions) = 0;

  virtual NodeId id() const = 0;
  // The textbook's word for where this process stands: one of the states in its algorithm's
  // description, following or coordinating exactly while it follows somebody, or itself.
  virtual std::string_view state_name() const = 0;
  // Whom this process follows: itself if it is coordinator, nobody during an election.
  virtual std::optional<NodeId> coordinator() const = 0;
  // Whom the caller should watch for this process.
  virtual std::optional<NodeId> watched() const { return coordinator(); }
  // The group in which it is, where its algorithm forms any.
  virtual std::optional<Group> group() const;
  // What the textbook writes beside this process.
  virtual Variables variables() const { return {}; }

  // The whole state but for the id. Two nodes of one id are in the same state exactly when the
  // words that they save are equal. REQUIRES for load: words that save() gave.
  void save(std::vector<std::uint64_t>& words) const;
  void load(std::span<const std::uint64_t> words);
  virtual void visit_fields(FieldVisitor& visit) = 0;
};

}  // namespace bully
