// protocol.h: an election protocol as a pure machine. Events go in, actions come out.
//
// A protocol is one process's part in an election. It has no clock, no randomness, no socket and no
// thread: its caller (a real process, the simulator, the explorer, a test) reports what happened
// and carries out the actions. All of them run the same code.
//
// The caller's duties:
//   1. Begin with Started; where no real process runs, Preset may take its place. When the process
//      was down, stopped or unreachable, and is back, give Started again.
//   2. Give handle() one event at a time, and carry out the actions that it appends, in order,
//      before the next event. Never call it in the midst of carrying them out.
//   3. Deliver a message at most once, to its receiver alone, as Received.
//   4. Give PeerGone when a message could not be sent because there is, at this moment, no process
//      behind its address. Never guess it: a slow peer, or a peer with a full backlog, is not gone.
//   5. Give Expired once after the last StartTimer of that timer, unless StopTimer came first.
//      Deliver messages that have already arrived before a timer expires.
//   6. Watch the process that watched() names. Give Suspected when that process seems down or hung
//      or, if it is watched as coordinator, when it says that it follows another. For a
//      coordinator, watch the processes above it: if any of them is alive, give Suspected: the
//      coordinator is deposed. If the algorithm has a condition Algorithm::finds, check it for
//      every other process each interval, and give PeerFound for each process that meets it.
//   7. If the algorithm requires it (algorithm.h), deliver messages from one process to another in
//      the order of sending: links are FIFO. If the watched neighbour is hung, first give Suspected
//      for all other hung processes: otherwise the protocol would find them one by one.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "election/message.h"

namespace bully {

// 1, 2, … n.
std::vector<NodeId> one_to(NodeId n);
// The part of `ids` (sorted) above and below `self`.
std::span<const NodeId> higher_than(NodeId self, std::span<const NodeId> ids);
std::span<const NodeId> lower_than(NodeId self, std::span<const NodeId> ids);

// The processes that take part, as far as the caller knows: every id with an address, sorted from
// the lowest, with or without the node itself. A real node has to read a directory for that.
class Peers {
 public:
  virtual ~Peers() = default;
  // Valid until the next call of ids().
  virtual std::span<const NodeId> ids() const = 0;
  // For elections on a ring: the process after `id`, clockwise; `id` itself if there is no other.
  // By default the next higher id, and from the highest back to the lowest.
  virtual NodeId next_of(NodeId id) const;
};

// These, sorted, whatever happens.
class FixedPeers : public Peers {
 public:
  explicit FixedPeers(std::vector<NodeId> ids) : ids_(std::move(ids)) {}
  FixedPeers(std::initializer_list<NodeId> ids) : ids_(ids) {}
  std::span<const NodeId> ids() const override { return ids_; }

 private:
  std::vector<NodeId> ids_;
};

// Each timer bounds a wait. The caller decides its length.
enum class Timer : std::uint8_t {
  answer,       // for the first ANSWER
  coordinator,  // for the COORDINATOR that an ANSWER promised; on a ring, for the election's end
};
inline constexpr std::size_t timer_count = 2;
inline constexpr std::array<std::string_view, timer_count> timer_names = {"answer", "coordinator"};
inline std::string_view timer_name(Timer timer) {
  return timer_names.at(static_cast<std::size_t>(timer));
}

enum class Suspicion : std::uint8_t {
  down,     // no process is behind its address
  hung,     // it is there, but does not react to pings
  deposed,  // it says that it follows another
};
inline constexpr std::array<std::string_view, 3> suspicion_names = {"down", "hung", "deposed"};
inline std::string_view suspicion_name(Suspicion reason) {
  return suspicion_names.at(static_cast<std::size_t>(reason));
}

// A coordinator's monitor that has reported a process reports it again only after a wait, which
// doubles each time, up to this number of ping intervals.
inline constexpr int max_report_intervals = 64;

// Events.
struct Started {
  bool resumed = false;  // it was only stopped (SIGSTOP) or unreachable, and has kept its state
  // For a new process: a number above that of every election and every call that has begun before
  // its start, by any process. Its own numbers begin there.
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
  NodeId peer = 0;  // the watched process; or, if hung on a ring, any process
  Suspicion reason = Suspicion::down;
};
// For a coordinator: `Algorithm::finds` matched this peer.
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
  // The number of elections in a row that have timed out: the caller waits longer after each, and
  // jitters. For the answer timer: extra waits of the same length, to let other processes go first.
  std::uint8_t attempts = 0;
  bool operator==(const StartTimer&) const = default;
};
// The shortest and the longest wait, in nanoseconds. The caller waits for a time between them,
// chosen at random, so that processes whose wait for the same COORDINATOR timed out do not all
// start over together. `answer_ns` and `coordinator_ns` are the waits of a process whose elections
// have not timed out.
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
// The state or the coordinator has changed: later messages reflect the new state.
struct Changed {
  bool operator==(const Changed&) const = default;
};

// A rule of the textbook, or a numbered deviation from it. Its sentence is in ../words.
struct Rule {
  std::string_view key;
  std::string_view source;
  unsigned deviation = 0;  // its number in `bully help deviations`; 0: the source's own rule
};
// The rules of an election, each stated once. `rules("win")` is one of them; a key that none of
// them has does not compile.
template <std::size_t size>
class RuleTable {
 public:
  constexpr explicit RuleTable(const Rule (&rules)[size]) : rules_(std::to_array(rules)) {}

  consteval const Rule& operator()(std::string_view key) const {
    std::size_t place = 0;
    while (rules_.at(place).key != key) ++place;
    return rules_.at(place);
  }
  std::vector<const Rule*> all() const {
    std::vector<const Rule*> pointers;
    for (const Rule& rule : rules_) pointers.push_back(&rule);
    return pointers;
  }

 private:
  std::array<Rule, size> rules_;
};
// The process acts by this rule now. The actions that result from it, if any, follow.
struct Fired {
  const Rule* rule = nullptr;
  bool operator==(const Fired&) const = default;
};
using Action = std::variant<Send, StartTimer, StopTimer, Changed, Fired>;
using Actions = std::vector<Action>;

// The context of one event: the peers that a rule may look at, and the list for its actions.
struct Context {
  const Peers& peers;
  Actions& actions;

  void fire(const Rule& rule) const;
  void send(NodeId to, Message message) const;
  void start(Timer timer, std::uint8_t attempts = 0) const;
  void stop(Timer timer) const;
  void changed() const;
};

// The meaning of a state, the same for every algorithm.
enum class StateRole : std::uint8_t {
  down,       // it has not started, or it has left
  following,  // it knows the coordinator and is not it
  coordinating,
  // During an election:
  asking,    // it may still win
  waiting,   // it has left the election to another
  relaying,  // the same, and it passes on other processes' messages
  joining,   // it does not take part yet
};

struct StateKind {
  std::string_view name;  // as Protocol::state_name gives it: the key of its words
  StateRole role = StateRole::asking;
};

// A variable of the protocol, by the textbook's name, for display. At most three.
struct Variable {
  std::string_view name = {};
  std::optional<NodeId> value = std::nullopt;  // nothing if unset
  // NOLINTNEXTLINE(*-use-nullptr): a false alarm
  auto operator<=>(const Variable&) const = default;
};
using Variables = std::array<Variable, 3>;  // entries without a name are unused

class FieldVisitor;  // field_visitor.h

class Protocol {
 public:
  virtual ~Protocol() = default;

  // Handles one event and appends actions to `actions`. Never fails: an event that no rule covers
  // in the present state changes nothing.
  virtual void handle(const Event& event, const Peers& peers, Actions& actions) = 0;

  virtual NodeId id() const = 0;
  // The textbook's word for the state of this process, from its algorithm's description. The state
  // has the role `following` or `coordinating` exactly while the process follows another, or
  // itself.
  virtual std::string_view state_name() const = 0;
  // The name of the variant of its election that this is; empty: it is the correct one.
  virtual std::string_view variant() const { return {}; }
  // The process that this one follows: itself if it is coordinator, nothing during an election.
  virtual std::optional<NodeId> coordinator() const = 0;
  // The process that the caller should watch.
  virtual std::optional<NodeId> watched() const { return coordinator(); }
  // If elections have numbers: that of the latest that it knows of.
  virtual std::uint64_t latest_election() const { return 0; }
  // The variables that the textbook writes beside this process.
  virtual Variables variables() const { return {}; }

  // The whole state except the id. Two nodes of one id are in the same state exactly if they save
  // equal words. REQUIRES for load: words that save() gave.
  void save(std::vector<std::uint64_t>& words) const;
  void load(std::span<const std::uint64_t> words);
  virtual void visit_fields(FieldVisitor& visit) = 0;
};

}  // namespace bully
