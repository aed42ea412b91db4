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
// Read next: world.cc (how events flow), faults.cc, by_hand.cc (step by step), monitor.cc (how
// coordinators are watched).
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "election/algorithm.h"
#include "election/participant.h"
#include "sim/delay.h"
#include "sim/flights.h"
#include "sim/random.h"

namespace bully {

// How nodes notice that their coordinator is gone.
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
  // Doubled for each election in vain, as real nodes do, and up to a quarter longer by chance.
  std::chrono::nanoseconds coordinator_timeout = std::chrono::milliseconds(1000);
  Detection detection = Detection::ping;
  std::chrono::nanoseconds ping_interval = std::chrono::milliseconds(1000);
  std::chrono::nanoseconds ping_timeout = std::chrono::milliseconds(1000);
  // How many messages wait at a paused process, as in a socket's backlog; the rest are lost.
  std::size_t backlog = 128;
  // Whether what one node sends to another arrives in the order of sending.
  bool fifo = false;
  // The name of what the nodes run, for the trace. It outlives the world.
  std::string_view algorithm = {};
};

// Which messages: every one of this type, from this node, to this node, as far as they are given.
struct MessageFilter {
  std::optional<MessageType> type = std::nullopt;
  std::optional<NodeId> from = std::nullopt;
  std::optional<NodeId> to = std::nullopt;
  // Only news of messages that found nobody; without it, messages and such news alike.
  bool only_refused = false;
  // Only the so-many-th of these, counted from 1 for the one that arrives first.
  std::optional<std::uint64_t> only = std::nullopt;
};

class World : private Peers, private Carrier {
 public:
  using Time = std::chrono::nanoseconds;  // since the world began

  // `sink`, where there is one, is told everything that happens; it outlives the world.
  explicit World(const WorldOptions& options, Sink* sink = nullptr,
                 ProtocolMaker make = default_algorithm().make);
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() override = default;

  // The cast. Ids are at most `highest_id`; a wrong id is the caller's error (std::out_of_range).
  static constexpr NodeId highest_id = (NodeId{1} << 22);  // as high as Linux PIDs go

  // A new process, or one that had crashed or left, starts and takes part. Its name stays known
  // until it leaves.
  void start(NodeId id);
  // These start as members of a cluster that has long agreed on the highest of them.
  void found(std::span<const NodeId> ids);
  // From now on, these stand on the ring in this order, clockwise; all others that start, after the
  // last one, from the lowest. Where nothing is arranged, the ring goes by id.
  void arrange(std::span<const NodeId> ids);
  // It is gone, and so is what was on its way to it.
  void crash(NodeId id);
  // The same, but in good order: it takes its name along, and nobody will look for it there.
  void leave(NodeId id);
  // SIGSTOP and SIGCONT: it handles nothing, its inbox fills; then it handles what had waited, and
  // after that it is told Started, as a real node tells itself.
  void pause(NodeId id);
  void resume(NodeId id);
  // Its messages, both ways, take `factor` times as long.
  void slow_down(NodeId id, std::uint32_t factor);
  // It suspects whom it watches (Protocol::watched). Nothing happens if it watches nobody.
  void suspect(NodeId id, Suspicion reason = Suspicion::down);

  // The network. From now on nothing that `from` sends reaches `to`.
  void cut(NodeId from, NodeId to);
  void heal();
  void set_loss(std::uint32_t parts_per_million) { options_.loss_ppm = parts_per_million; }
  // Loses the matching messages that are on their way; returns how many.
  std::size_t drop(const MessageFilter& filter);

  // Time. Both return the number of things that happened.
  std::uint64_t run_for(Time time);
  // Until settled() or for `at_most`, whichever comes first.
  std::uint64_t run_until_settled(Time at_most);
  // True when nothing is on its way, no timer runs and no monitor has anything to find: until the
  // next fault nothing will change.
  bool settled();

  // Step by step: from hold() on, messages wait for deliver(), and timers for expire(), until
  // release(). The news that a process is gone waits too, as if the network had to bring it.
  void hold() { held_ = true; }
  void release() { held_ = false; }
  bool held() const { return held_; }
  // Delivers the matching messages that are on their way now, none of those that they cause;
  // returns how many there were.
  std::size_t deliver(const MessageFilter& filter);
  // Whether deliver() would let a message pass another that was sent before it on the same link,
  // which on a FIFO link cannot happen.
  bool would_overtake(const MessageFilter& filter) const;
  // Whether such a timeout would be right by [CDK]'s assumption: for ANSWER, nothing is on its way
  // to or from the node; for COORDINATOR, nothing is at all, and nobody waits for ANSWER.
  bool is_due(NodeId id, Timer timer) const;
  // The timer expires now, as if its time had come. False: it is not running.
  bool expire(NodeId id, Timer timer);

  // What there is to see.
  Time now() const { return Time(now_ns_); }
  std::span<const NodeId> ids() const override { return ids_; }
  NodeId clockwise_of(NodeId id) const override;
  bool running(NodeId id) const { return node(id).runs(); }
  bool paused(NodeId id) const { return node(id).paused; }
  // REQUIRES: running(id).
  const Protocol& protocol(NodeId id) const { return node(id).protocol(); }
  // All nodes that run and are not paused follow the highest of them.
  bool agreed() const;
  const MessageCounts& sent() const { return sent_; }
  const MessageCounts& delivered() const { return delivered_; }
  void reset_counts() { sent_ = delivered_ = {}; }
  std::uint64_t delivered_total() const;
  // For how long two or more running nodes have been coordinator at the same time.
  Time contested() const;
  std::size_t in_flight() const { return flights_.size(); }

 private:
  static constexpr std::int64_t never = -1;

  struct Node {
    NodeId id = 0;
    std::optional<Participant> participant;  // none while it is down
    bool paused = false;
    bool coordinator = false;    // believes so itself
    std::uint32_t slowness = 1;  // its messages take so many times as long
    std::uint64_t messages = 0;  // sent by all that bore this id before
    std::uint32_t incarnation =
        0;  // which start this is: what was meant for an earlier one is void
    std::array<std::int64_t, timer_count> deadlines{never, never};
    std::vector<Flight> inbox;  // while paused
    std::uint32_t watch = 0;    // how often it has been told to watch another

    bool runs() const { return participant.has_value(); }
    const Protocol& protocol() const { return participant->protocol(); }
  };

  // Something that is to happen at a time. A timer's is void if its deadline has changed since.
  struct Alarm {
    enum class Kind : std::uint8_t { answer, coordinator, ping, verdict, eof };
    std::int64_t at_ns = 0;
    std::uint64_t order = 0;
    NodeIndex node = 0;
    std::uint32_t incarnation = 0;
    std::int64_t pinged_ns = 0;  // verdict: when the ping was sent
    std::uint32_t watch = 0;     // verdict: void if the node watches another by now
    Kind kind = Kind::ping;
    bool too_slow = false;  // verdict: the reply cannot come in time
  };
  struct Later {
    bool operator()(const Alarm& a, const Alarm& b) const {
      return a.at_ns != b.at_ns ? a.at_ns > b.at_ns : a.order > b.order;
    }
  };

  // world.cc: events to the participants, and what they want done: by `acting_`.
  void give(NodeIndex index, const Event& event);
  Loss send(NodeId to, const Message& message) override;
  void start_timer(const StartTimer& action) override;
  void stop_timer(Timer timer) override;
  void watch(std::optional<NodeId> whom, bool as_coordinator) override;
  bool has_reader() const override { return sink_ != nullptr; }
  void record(Record record) override;
  Loss refuse(const Flight& flight);
  void arrive(const Flight& flight);
  void receive(const Flight& flight);
  Message message_of(const Flight& flight) const;
  void set_coordinator(Node& node, bool coordinator);
  bool step(std::int64_t until_ns);
  void on_expired(NodeIndex index, Timer timer);
  void set_alarm(Alarm alarm);
  void ring(const Alarm& alarm);
  std::int64_t travel_ns(NodeIndex from, NodeIndex to);
  std::int64_t arrival_ns(const Flight& flight);
  bool is_cut(NodeIndex from, NodeIndex to) const {
    return !cuts_.empty() && cuts_.contains({from, to});
  }

  // by_hand.cc
  // True of the flights that match; to be asked about every flight, in the order of arrival.
  std::function<bool(const Flight&)> matcher(const MessageFilter& filter) const;

  // faults.cc
  NodeIndex add(NodeId id);
  void know(NodeId id);
  NodeId arranged_after(NodeId id) const;
  void boot(NodeIndex index);
  void end(NodeIndex index);

  // monitor.cc
  void ping(NodeIndex index);
  void judge(const Alarm& alarm);
  void tell_of_death(NodeIndex dead);
  bool reaches(NodeIndex from, NodeIndex to) const;
  std::optional<Suspicion> examine(NodeIndex index) const;
  bool will_suspect(NodeIndex index) const;
  void on_suspicion(NodeIndex index, Suspicion reason);

  NodeIndex index_of(NodeId id) const;
  const Node& node(NodeId id) const { return nodes_[index_of(id)]; }
  void lose(const Flight& flight, Loss loss);

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
  std::vector<NodeId> arrangement_;
  // Links that are FIFO: when the latest message on each arrives.
  std::map<std::pair<NodeIndex, NodeIndex>, std::int64_t> latest_;

  Flights flights_;
  std::priority_queue<Alarm, std::vector<Alarm>, Later> alarms_;
  std::uint64_t alarms_set_ = 0;
  NodeIndex acting_ = 0;          // whose event is being handled
  std::size_t late_replies_ = 0;  // pings whose reply will come too late, not yet judged
  bool nothing_new_ = false;      // since settled() last said yes

  MessageCounts sent_{};
  MessageCounts delivered_{};
  std::uint32_t coordinators_ = 0;  // running nodes that believe that they are coordinator
  std::int64_t contested_since_ns_ = never;
  std::int64_t contested_ns_ = 0;
};

}  // namespace bully
