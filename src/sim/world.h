// world.h: processes, a network and a clock, all simulated, around the unchanged protocol.
//
// The simulator's world does for a protocol what a real process does (see the duties in
// ../election/protocol.h): it carries messages, runs timers, watches the coordinator. Time is
// virtual: it jumps from one thing that happens to the next. All chance comes from one seed, so
// that a run can be played again, the same to the last byte of its trace, on any machine.
//
// What happens at one and the same moment happens in this order: messages before timers, and among
// either, what was caused first.
//
// It makes no decision about an election, reads no file and makes no system call.
#pragma once

#include <array>
#include <cassert>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "election/algorithm.h"
#include "election/participant.h"
#include "election/record.h"
#include "election/ring_order.h"

namespace bully {

// The simulator's dice: the same seed throws the same numbers on every machine. SplitMix64 [Steele,
// Lea, Flood], since the distributions of <random> differ from one standard library to the next.
// Nothing else in this room may draw random numbers.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t bits = state_;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
    return bits ^ (bits >> 31);
  }
  // A number from 0 to `bound` - 1, each as likely. REQUIRES: bound > 0.
  std::uint64_t below(std::uint64_t bound) {
    assert(bound > 0);
    // 2^64 is seldom a multiple of `bound`: the first few numbers would come up once too often.
    const std::uint64_t surplus = (0 - bound) % bound;
    std::uint64_t bits = next();
    while (bits < surplus) bits = next();
    return bits % bound;
  }
  // A number from `low` to `high`, both included. REQUIRES: low <= high.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    assert(low <= high);
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }
  bool chance(std::uint32_t parts_per_million) {
    return parts_per_million > 0 && below(1'000'000) < parts_per_million;
  }
  void shuffle(std::span<NodeId> items) {
    for (std::size_t left = items.size(); left > 1; --left) {
      std::swap(items[left - 1], items[below(left)]);
    }
  }

 private:
  std::uint64_t state_;
};

struct Delay {
  enum class Shape : std::uint8_t {
    fixed,    // always `shortest`
    uniform,  // anything from `shortest` to `longest`, each as likely
    // Mostly close to `shortest`: half of all within 1/256 of the way to `longest`, half of the
    // rest within 2/256, then 4/256, and so on. What queues and retries make of a network.
    long_tailed,
  };
  static constexpr int tail_doublings = 8;  // the last doubling reaches `longest`
  // Messages that arrive together share one entry of the network's calendar.
  static constexpr std::chrono::nanoseconds step = std::chrono::microseconds(10);

  Shape shape = Shape::fixed;
  std::chrono::nanoseconds shortest = std::chrono::milliseconds(1);
  std::chrono::nanoseconds longest = std::chrono::milliseconds(1);

  // One message's delay. REQUIRES: 0 <= shortest <= longest.
  std::chrono::nanoseconds draw(Random& random) const {
    if (shape == Shape::fixed) return shortest;
    std::int64_t range = (longest - shortest) / step;
    if (shape == Shape::long_tailed) {
      int doublings = 0;
      while (doublings < tail_doublings && random.below(2) == 0) ++doublings;
      range >>= tail_doublings - doublings;
    }
    return shortest + step * random.between(0, range);
  }
};

enum class Detection : std::uint8_t {
  ping,  // a ping each interval
  eof,   // and the kernel tells of its death at once
  off,   // not at all: only suspect() makes them suspicious
};

struct WorldOptions {
  std::uint64_t seed = 1;
  Delay delay;
  std::uint32_t loss_ppm = 0;  // how many of a million messages the network loses
  std::chrono::nanoseconds answer_timeout = std::chrono::milliseconds(500);
  // Grows with each election that timed out: see wait_range (../election/protocol.h).
  std::chrono::nanoseconds coordinator_timeout = std::chrono::milliseconds(1000);
  Detection detection = Detection::ping;
  std::chrono::nanoseconds ping_interval = std::chrono::milliseconds(1000);
  std::chrono::nanoseconds ping_timeout = std::chrono::milliseconds(1000);
  // How many messages wait at a paused process, as in a socket's backlog; the rest are lost.
  std::size_t backlog = 128;
  // Whether what one node sends to another arrives in the order of sending.
  bool fifo = false;
  // What the nodes run: for the trace, and to know which of them should be coordinator.
  const Algorithm* algorithm = &default_algorithm();
};

Waits waits_of(const WorldOptions& options);

// Which messages: every one of this type, from this node, to this node, as far as they are given.
struct MessageFilter {
  std::optional<MessageType> type = std::nullopt;
  std::optional<NodeId> from = std::nullopt;
  std::optional<NodeId> to = std::nullopt;
  // Only news of messages that found nobody; without it, messages and such news alike.
  bool only_refused = false;
  // Only one of these: its number, counted from 1 for the one that arrives first.
  std::optional<std::uint64_t> only = std::nullopt;
  // Whose fields say this.
  std::optional<FieldValues> values = std::nullopt;
};

struct NoSuchNode : std::out_of_range {
  explicit NoSuchNode(NodeId which) : std::out_of_range("no such node"), id(which) {}
  NodeId id;
};

// A message in flight; or, `refused`, the news on its way back that there was nobody to take one.
struct InFlight {
  NodeId to = 0;
  Message message;
  bool refused = false;
};

// A node as the simulator counts them: the first one is 0, whatever its id.
using NodeIndex = std::uint32_t;
inline constexpr NodeIndex no_node = UINT32_MAX;

// The same in 16 bytes: ten thousand processes in elections have fifty million on their way.
struct Envelope {
  static constexpr std::uint32_t max_texts = (1U << 31U) - 1;

  NodeIndex to = 0;
  NodeIndex from = 0;
  std::uint32_t number = 0;       // the sender's count of messages
  std::uint32_t text : 31 = 0;    // what it says: its place in World::texts_
  std::uint32_t refused : 1 = 0;  // `from` is not there: this is for the one who wrote to it
};
static_assert(sizeof(Envelope) == 16);

class World : private Peers, private Environment {
 public:
  using Time = std::chrono::nanoseconds;  // since the world began

  // `sink`, if given, hears everything and outlives the world. `make` makes other protocols.
  explicit World(const WorldOptions& options, Sink* sink = nullptr, ProtocolMaker make = {});
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() override = default;

  // The cast. Ids are at most `highest_id`; a wrong id is the caller's error (NoSuchNode).
  static constexpr NodeId highest_id = (NodeId{1} << 22);  // as high as Linux PIDs go

  // A new process, or one that had crashed or left. Its name stays known until it leaves.
  void start(NodeId id);
  // These start as members of a cluster that has long agreed on the highest of them.
  void preset(std::span<const NodeId> ids);
  // From now on, these stand on the ring in this order, clockwise; all others that start, after the
  // last one, from the lowest. Where nothing is arranged, the ring goes by id.
  void arrange(std::span<const NodeId> ids);
  // It is gone, and so is what was on its way to it.
  void crash(NodeId id);
  // Leaves in good order: it takes its name along, and nobody will look for it there.
  void leave(NodeId id);
  // SIGSTOP and SIGCONT: it handles nothing, its inbox fills; then it handles what had waited, and
  // after that it is told Started, as a real node tells itself.
  void pause(NodeId id);
  void resume(NodeId id);
  // Its messages, both ways, take `factor` times as long.
  void slow_down(NodeId id, std::uint32_t factor);
  // It suspects the one that it watches (Protocol::watched). Nothing happens if it watches none.
  void suspect(NodeId id, Suspicion reason = Suspicion::down);
  // As coordinator it looks at the others, or `whom` alone. Whether it finds one: Algorithm::finds.
  bool check(NodeId id, std::optional<NodeId> whom = std::nullopt);

  // From now on nothing that `from` sends, or any of these, reaches `to`, or any of those.
  void cut(NodeId from, NodeId to);
  void cut(std::span<const NodeId> from, std::span<const NodeId> to);
  void heal() { cuts_.clear(); }
  // The record of each process that is there ends here.
  void record_ends();
  void set_loss(std::uint32_t parts_per_million) { options_.loss_ppm = parts_per_million; }
  // Loses the matching messages that are on their way; returns how many.
  std::size_t drop(const MessageFilter& filter);

  void run_for(Time time);
  // Until settled() or for `at_most`, whichever comes first.
  void run_until_settled(Time at_most);
  // Nothing is on its way, no timer runs, no monitor will find anything: only a fault changes that.
  bool settled() const;

  // Step by step: from hold() on, messages wait for deliver(), and timers for expire(), until
  // release(). The news that a process is gone waits too, as if the network had to bring it.
  void hold() { held_ = true; }
  void release() { held_ = false; }
  // Delivers the matching messages on their way now, not those that they cause; returns how many.
  std::size_t deliver(const MessageFilter& filter);
  // Whether deliver() would let a message pass an earlier one on the same FIFO link: it cannot.
  bool would_overtake(const MessageFilter& filter) const;
  // Whether such a timeout would be right by [CDK]'s assumption: for ANSWER, nothing is on its way
  // to or from the node; for COORDINATOR, nothing is at all, nobody waits for ANSWER, and
  // no coordinator that looks at the others finds anything.
  bool is_due(NodeId id, Timer timer) const;
  // The timer expires now, as if its time had come. False: it is not running.
  bool expire(NodeId id, Timer timer);

  Time now() const { return Time(now_ns_); }
  std::span<const NodeId> ids() const override { return ids_; }
  NodeId next_of(NodeId id, Direction way) const override;
  bool running(NodeId id) const { return node(id).runs(); }
  bool paused(NodeId id) const { return node(id).paused; }
  // REQUIRES: running(id).
  const Protocol& protocol(NodeId id) const { return node(id).protocol(); }
  // As seen from outside; of one that does not run, that it crashed.
  Snapshot snapshot(NodeId id) const;
  // All nodes that run and are not paused follow the highest of them.
  bool agreed() const;
  const MessageCounts& sent() const { return sent_; }
  const MessageCounts& delivered() const { return delivered_; }
  void reset_counts() { sent_ = delivered_ = {}; }
  // For how long two or more nodes have been coordinator at the same time, each in its own belief:
  // a stopped one too, which learns nothing and acts as one the moment that it goes on.
  Time contested() const {
    return Time(contested_ns_ + (coordinators_ > 1 ? now_ns_ - contested_until_ns_ : 0));
  }
  // Those that match, in the order of arrival.
  std::vector<InFlight> in_flight(const MessageFilter& filter = {}) const;

 private:
  static constexpr std::int64_t never = -1;

  struct Node {
    NodeId id = 0;
    std::optional<Participant> participant;  // none while it is down
    bool paused = false;
    bool coordinator = false;       // believes so itself
    std::uint32_t slowness = 1;     // its messages take this many times as long
    std::uint64_t messages = 0;     // sent by all that bore this id before
    std::uint32_t incarnation = 0;  // which start this is: what was for an earlier one is void
    std::array<std::int64_t, timer_count> deadlines{never, never};
    std::vector<Envelope> inbox;  // while paused
    std::uint32_t watch = 0;      // how often it has been told to watch another

    std::int64_t& deadline(Timer timer) { return deadlines[static_cast<std::size_t>(timer)]; }
    std::int64_t deadline(Timer timer) const { return deadlines[static_cast<std::size_t>(timer)]; }
    bool runs() const { return participant.has_value(); }
    const Protocol& protocol() const { return participant->protocol(); }
  };

  // Something that is to happen, unless the node is gone by then or has come back.
  struct Alarm {
    std::int64_t at_ns = 0;
    NodeIndex node = 0;
    void (World::*act)(const Alarm&) = nullptr;
    Timer timer = Timer::answer;  // the one that expires
    // A ping's: what the monitor watched when it sent it, and when the reply comes too late.
    std::uint32_t watch = 0;
    std::int64_t deadline_ns = 0;
    bool is_late_reply = false;  // it cannot come in time
    std::uint32_t incarnation = 0;
    std::uint64_t number = 0;
  };

  // world.cc: events to the participants, and what they want done: by `acting_`.
  void give(NodeIndex index, const Event& event);
  Loss send(NodeId to, const Message& message) override;
  void start_timer(const StartTimer& action) override;
  void stop_timer(Timer timer) override { nodes_[acting_].deadline(timer) = never; }
  // The monitor asks the protocol itself whom to watch when its time comes; but what it has found
  // out about another process counts no more.
  void watch(const WatchTarget&) override { ++nodes_[acting_].watch; }
  bool has_reader() const override { return sink_ != nullptr; }
  void record(Record record) override;
  void arrive(const Envelope& envelope);
  void receive(Envelope envelope);
  void put(std::int64_t at_ns, const Envelope& envelope);
  Message message_in(const Envelope& envelope) const;
  InFlight opened(const Envelope& envelope) const;
  std::uint32_t text_of(const Message& message);
  void set_coordinator(Node& node, bool coordinator);
  bool step(std::int64_t until_ns);
  void on_timer(const Alarm& alarm);
  void on_expired(NodeIndex index, Timer timer);
  const Algorithm& ranking() const { return *options_.algorithm; }
  void set_alarm(const Alarm& alarm);
  std::int64_t travel_ns(NodeIndex from, NodeIndex to);
  std::int64_t arrival_ns(const Envelope& envelope);
  bool is_cut(NodeIndex from, NodeIndex to) const {
    return !cuts_.empty() && cuts_.contains({from, to});
  }

  // faults.cc
  // True of those that match; to be asked about all, in the order of arrival.
  std::function<bool(const InFlight&)> matcher(const MessageFilter& filter) const;
  std::vector<std::pair<std::int64_t, Envelope>> take(const MessageFilter& filter);
  NodeIndex add(NodeId id);
  void boot(NodeIndex index);
  void end(NodeIndex index);
  void ping(const Alarm& alarm);
  void evaluate(const Alarm& alarm);
  void tell_of_death(NodeIndex dead);
  void notice_death(const Alarm& alarm);
  bool reaches(NodeIndex from, NodeIndex to) const;
  std::optional<Suspicion> examine(NodeIndex index) const;
  std::optional<NodeId> find(NodeIndex index) const;
  bool finds(NodeIndex index, NodeId other) const;
  void look_around(NodeIndex index);
  bool will_suspect(NodeIndex index) const;
  void on_suspicion(NodeIndex index, Suspicion reason);

  NodeIndex index_of(NodeId id) const;
  const Node& node(NodeId id) const { return nodes_[index_of(id)]; }
  void lose(const Envelope& envelope, Loss loss);

  WorldOptions options_;
  Sink* sink_;
  ProtocolMaker make_;
  Random random_;
  std::int64_t now_ns_ = 0;
  bool held_ = false;

  std::vector<Node> nodes_;
  std::vector<NodeId> ids_;          // of nodes_, sorted: the names in the directory
  std::vector<NodeIndex> index_of_;  // by id
  std::set<std::pair<NodeIndex, NodeIndex>> cuts_;
  std::vector<NodeId> order_;  // that was arranged
  std::vector<NodeId> ring_;   // clockwise, through order_; empty: by id
  // Links that are FIFO: when the latest message on each arrives.
  std::map<std::pair<NodeIndex, NodeIndex>, std::int64_t> latest_;

  // The messages that are on their way, by the moment of arrival; first sent, first delivered.
  std::map<std::int64_t, std::deque<Envelope>> envelopes_;
  // Empty queues serve again: to make one for each message takes longer than to deliver it.
  std::vector<decltype(envelopes_)::node_type> spare_;
  // What messages say, apart from the sender and its number: each once, with its place in texts_.
  using Text = std::pair<const MessageKind*, FieldValues>;
  std::map<Text, std::uint32_t> places_;
  std::vector<const Text*> texts_;
  // Of each kind the last one: most messages say what the one before them said, to another node.
  std::map<const MessageKind*, std::uint32_t> recent_texts_;
  std::vector<Alarm> alarms_;  // a heap, by moment; first set, first fired
  std::uint64_t alarms_set_ = 0;
  std::uint64_t lives_ = 0;  // that began by a start
  NodeIndex acting_ = 0;     // whose event is being handled

  MessageCounts sent_;
  MessageCounts delivered_;
  std::uint32_t coordinators_ = 0;  // running nodes that believe that they are coordinator
  std::int64_t contested_ns_ = 0;   // while there were two or more, up to this moment:
  std::int64_t contested_until_ns_ = 0;
};

}  // namespace bully
