// world.h: processes, a network and a clock, all simulated, around the unchanged protocol.
//
// The simulator's world fulfils a caller's duties for a protocol (../election/protocol.h), like a
// real process: it carries messages, runs timers, watches the coordinator. Time is virtual: it
// jumps from one event to the next. All chance comes from one seed, so a run can be repeated on any
// machine, with the same trace to the last byte.
//
// Events of the same moment have this order: messages before timers, and within each kind the order
// of their causes.
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
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/random.h"
#include "detector/failure_detector.h"
#include "election/algorithm.h"
#include "election/pace.h"
#include "election/participant.h"
#include "election/record.h"
#include "election/ring_order.h"
#include "values/script_step.h"
#include "values/world_options.h"

namespace bully {

struct NoSuchNode : std::out_of_range {
  explicit NoSuchNode(NodeId which) : std::out_of_range("no such node"), id(which) {}
  NodeId id;
};

// A message in flight; or, `refused`, the news in flight to its sender that it found no process.
struct InFlight {
  NodeId to = 0;
  Message message;
  bool refused = false;
};

// A node as the simulator counts them: the first is 0, whatever its id.
using NodeIndex = std::uint32_t;

// The same in 16 bytes: ten thousand processes in elections have fifty million messages in flight.
struct Envelope {
  static constexpr std::uint32_t max_texts = (1U << 31U) - 1;

  NodeIndex to = 0;
  NodeIndex from = 0;
  std::uint32_t number = 0;       // the sender's count of messages
  std::uint32_t text : 31 = 0;    // its text's index in World::texts_
  std::uint32_t refused : 1 = 0;  // `from` is gone: news for its peer
};
static_assert(sizeof(Envelope) == 16);

class World : private Peers {
 public:
  using Time = std::chrono::nanoseconds;  // since the world began

  // `sink`, if given, gets all records and outlives the world. `make` makes other protocols.
  explicit World(const WorldOptions& options, Sink* sink = nullptr, const ProtocolMaker& make = {});
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() override = default;

  // The nodes. An unknown id is the caller's error (NoSuchNode).

  // Starts a new process, or a process that crashed or left. Its name stays known until it leaves.
  void start(NodeId id);
  // These start as members of a cluster that has long agreed on the highest of them.
  void preset(std::span<const NodeId> ids);
  // Sets the order of these on the ring, clockwise, from now on; all others come after the last of
  // them, from the lowest. Without it, the ring goes by id.
  void arrange(std::span<const NodeId> ids);
  // It is gone, and so are the messages in flight to it.
  void crash(NodeId id) { end(id, TraceEvent::crash); }
  // It leaves in good order and removes its name, so no process looks for it there.
  void leave(NodeId id) {
    end(id, TraceEvent::leave);
    std::erase(ids_, id);
  }
  // SIGSTOP and SIGCONT: it handles nothing, and its inbox fills; then it handles the waiting
  // messages, and after that Started, as a real node does.
  void pause(NodeId id);
  void resume(NodeId id);
  // Its messages, both ways, take `factor` times as long.
  void slow_down(NodeId id, std::uint32_t factor);
  // It suspects the process that it watches (Protocol::watched). Nothing happens if it watches
  // none.
  void suspect(NodeId id, Suspicion reason = Suspicion::down);
  // As coordinator it checks the others, or `whom` alone. True if Algorithm::finds matches one.
  bool check(NodeId id, std::optional<NodeId> whom = std::nullopt);

  // From now on no message from any of these reaches any of those; with a partition, nor any from
  // those to these.
  void cut(std::span<const NodeId> from, std::span<const NodeId> to);
  void partition(std::span<const NodeId> one, std::span<const NodeId> other);
  void heal();
  bool is_cut() const { return !cuts_.empty(); }
  // Ends the record of each present process.
  void record_ends();
  void set_loss(std::uint32_t parts_per_million) { options_.loss_ppm = parts_per_million; }
  // Loses the matching messages in flight; returns their number.
  std::size_t drop(const MessageFilter& filter);

  // These throw EndlessElection if events never cease, and Interrupted.
  void run_for(Time time);
  // Until is_quiescent() or for `at_most`, whichever comes first.
  void run_until_quiescent(Time at_most);
  // True if no message is in flight, no timer runs and no monitor will find anything: only a fault
  // changes that.
  bool is_quiescent() const;

  // Step by step: from hold() on, messages wait for deliver(), and timers for expire(), until
  // release(). So does the news that a process is gone, as if the network had to bring it.
  void hold() { held_ = true; }
  void release() { held_ = false; }
  // Delivers the matching messages in flight now, not the messages that result; returns their
  // number.
  std::size_t deliver(const MessageFilter& filter);
  // True if deliver() would let a message overtake an earlier one on the same FIFO link: it cannot.
  bool would_overtake(const MessageFilter& filter) const;
  // True if such a timeout is right by [CDK]'s assumption. For ANSWER: no message is in flight to
  // or from the node. For COORDINATOR: no message is in flight at all, no process waits for ANSWER,
  // and no coordinator that checks the others finds any.
  bool is_due(NodeId id, Timer timer) const;
  // Makes the timer expire now. False: it is not running.
  bool expire(NodeId id, Timer timer);

  Time now() const { return Time(now_ns_); }
  std::span<const NodeId> ids() const override { return ids_; }
  NodeId next_of(NodeId id) const override;
  bool running(NodeId id) const { return node(id).runs(); }
  bool paused(NodeId id) const { return node(id).paused; }
  // REQUIRES: running(id).
  const Protocol& protocol(NodeId id) const { return node(id).protocol(); }
  // The report of its failure detector now, on the process that it watches. REQUIRES:
  // running(id).
  std::optional<Suspicion> finding_of(NodeId id) const { return examine(index_of(id)); }
  // As seen from outside; a process that does not run has crashed.
  Snapshot snapshot(NodeId id) const;
  // True if all nodes that run and are not paused follow the highest of them.
  bool agreed() const;
  // As the textbook of the election counts them: see Algorithm::counts_lost.
  const MessageCounts& sent() const { return sent_; }
  const MessageCounts& delivered() const { return delivered_; }
  void reset_counts() { sent_ = delivered_ = {}; }
  // The time during which two or more nodes have been coordinator, each in its own belief. A
  // stopped node counts: it learns nothing and acts as coordinator the moment that it continues.
  Time contested() const {
    return Time(contested_ns_ + (coordinators_ > 1 ? now_ns_ - contested_until_ns_ : 0));
  }
  // The matching messages, in the order of arrival.
  std::vector<InFlight> in_flight(const MessageFilter& filter = {}) const;

 private:
  static constexpr std::int64_t never = -1;

  // What a process in slow motion has still to do.
  struct Slow {
    Outputs outputs;
    std::optional<Event> in_hand = std::nullopt;  // its step is still to be taken
    std::deque<Event> waiting = {};
    bool pauses = false;

    bool is_free() const { return !in_hand && outputs.is_done() && waiting.empty(); }
  };

  // A process's monitor: the machine that decides, and its pings in this world.
  class Monitor : private PingNetwork {
   public:
    Monitor(World& world, NodeIndex node);

    FailureDetector detector;
    std::deque<DetectorReport> findings;  // that wait until the process is free
    bully::Time armed_at = bully::never;  // the alarm for its next act
    std::int64_t phase_ns;                // of its pings within the interval

   private:
    PingOutcome send(const Ping& ping) override;
    void close(const Ping& ping) override { world_.unanswered_.erase({node_, ping.number}); }
    void report(const DetectorReport& finding) override { findings.push_back(finding); }
    const Peers& peers() override { return world_; }
    std::vector<NodeId> living() override;
    Duration extra_patience() override { return Duration(0); }  // a simulated crowd takes no time

    World& world_;
    NodeIndex node_;
  };

  // The process itself, with all that surrounds a real one: its timers, its inbox, its monitor.
  struct Node {
    NodeId id = 0;
    std::optional<Participant> participant;  // empty while it is down
    bool paused = false;
    bool coordinator = false;       // it believes that it is coordinator
    std::uint64_t side = 0;         // of a cut network, as recorded; 0: none
    std::uint32_t slowness = 1;     // its messages take this many times as long
    std::uint64_t messages = 0;     // sent by earlier incarnations of this id
    std::uint64_t lines = 0;        // of the trace, by this incarnation
    std::uint32_t incarnation = 0;  // the number of this start: events for an earlier one are void
    std::array<std::int64_t, timer_count> deadlines{never, never};
    std::vector<Envelope> inbox;       // while paused
    WatchTarget wanted;                // of its monitor
    std::unique_ptr<Monitor> monitor;  // with a detector
    std::unique_ptr<Slow> slow;        // with a pace

    std::int64_t& deadline(Timer timer) { return deadlines[static_cast<std::size_t>(timer)]; }
    std::int64_t deadline(Timer timer) const { return deadlines[static_cast<std::size_t>(timer)]; }
    bool runs() const { return participant.has_value(); }
    bool is_free() const { return slow == nullptr || slow->is_free(); }
    const Protocol& protocol() const { return participant->protocol(); }
  };

  // A future event, void if the node is gone by then or has come back.
  struct Alarm {
    std::int64_t at_ns = 0;
    NodeIndex node = 0;
    void (World::*act)(const Alarm&) = nullptr;
    Timer timer = Timer::answer;  // the timer that expires
    // Of a ping: its number, and the process that replies or has ended.
    std::uint64_t ping = 0;
    NodeIndex other = 0;
    bool is_late_reply = false;  // it cannot come in time
    std::uint32_t incarnation = 0;
    std::uint64_t number = 0;
  };

  // world.cc: events to the participants, and the outputs of their steps, each one's to the end.
  void give(NodeIndex index, const Event& event);
  // Throws EndlessElection.
  void count_event();
  void carry_out(NodeIndex index);
  // In slow motion: as far as the process gets before the next pause.
  void go_on(NodeIndex index);
  bool take_next(NodeIndex index);
  void pause_slow(NodeIndex index);
  void end_pause(const Alarm& alarm);
  void expire_late_timers(NodeIndex index);
  Outputs& outputs_of(NodeIndex index) {
    return nodes_[index].slow == nullptr ? outputs_ : nodes_[index].slow->outputs;
  }
  void carry_out(NodeIndex index, const Send& send);
  void carry_out(NodeIndex index, const StartTimer& start);
  void carry_out(NodeIndex index, const StopTimer& stop) {
    nodes_[index].deadline(stop.timer) = never;
  }
  void carry_out(NodeIndex index, const WatchTarget& target);
  void carry_out(NodeIndex, const std::unique_ptr<Record>& made) { record(std::move(*made)); }
  void carry_out(NodeIndex, Flush) {}
  void carry_out(NodeIndex index, Pause) { pause_slow(index); }
  Loss post(NodeIndex from, NodeId to, const Message& message);
  void record(Record record);
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
  NodeIndex index_of(NodeId id) const;
  const Node& node(NodeId id) const { return nodes_[index_of(id)]; }
  void lose(const Envelope& envelope, Loss loss);
  void on_lost(NodeIndex from, NodeId to, const Message& message, Loss loss);

  // --- world_acts.cc ---

  // True for matching messages; to be called for all, in the order of arrival.
  std::function<bool(const InFlight&)> matcher(const MessageFilter& filter) const;
  std::vector<std::pair<std::int64_t, Envelope>> take(const MessageFilter& filter);
  NodeIndex add(NodeId id);
  void boot(NodeIndex index);
  // Started::incarnation of a node that starts now.
  std::uint64_t next_incarnation() const;
  // Its process ends, with this record.
  void end(NodeId id, TraceEvent last);
  void cut_links(std::span<const NodeId> from, std::span<const NodeId> to);
  // Records the processes' sides, if they have changed: processes are on one side if the same links
  // of theirs are cut.
  void record_sides();

  // --- world_monitors.cc ---

  void tell_monitor(NodeIndex index);
  void set_monitor_alarm(NodeIndex index);
  void run_monitor(const Alarm& alarm);
  void hear_reply(const Alarm& alarm);
  void take_findings(NodeIndex index);
  // Pings that waited for a stopped process, or for the network, go on their way again.
  void answer_pings();
  void report_death(NodeIndex dead);
  void detect_death(const Alarm& alarm);
  bool reaches(NodeIndex from, NodeIndex to) const;
  std::optional<Suspicion> examine(NodeIndex index) const;
  bool finds_any(NodeIndex index) const;
  bool finds(NodeIndex index, NodeId other) const;
  bool will_suspect(NodeIndex index) const;

  WorldOptions options_;
  Sink* sink_;
  ProtocolMaker make_;
  Random random_;
  std::int64_t now_ns_ = 0;
  bool held_ = false;

  std::vector<Node> nodes_;
  std::vector<NodeId> ids_;  // of nodes_, sorted: the names in the directory
  std::unordered_map<NodeId, NodeIndex> index_of_;
  std::set<std::pair<NodeIndex, NodeIndex>> cuts_;
  std::vector<NodeId> order_;  // as arranged
  std::vector<NodeId> ring_;   // clockwise, through order_; empty: by id
  // FIFO links: the arrival of the latest message on each.
  std::map<std::pair<NodeIndex, NodeIndex>, std::int64_t> latest_;

  // The messages in flight, by the moment of arrival; first sent, first delivered.
  std::map<std::int64_t, std::deque<Envelope>> envelopes_;
  // The contents of messages, without sender and number: each once, with its index in texts_.
  using Text = std::pair<const MessageKind*, FieldValues>;
  std::map<Text, std::uint32_t> places_;
  std::vector<const Text*> texts_;
  std::vector<Alarm> alarms_;  // a heap, by moment; first set, first fired
  std::map<std::pair<NodeIndex, std::uint64_t>, Alarm> unanswered_;  // pings, by sender and number
  std::uint64_t alarms_set_ = 0;
  std::uint64_t latest_number_ = 0;           // the largest of an election or a call that was sent
  std::uint64_t events_ = 0;                  // sent messages and handled events, of this run
  std::array<Envelope, 4> latest_sent_ = {};  // a ring, by the count of sent messages
  std::uint64_t sent_count_ = 0;
  Outputs outputs_;  // of the node whose event is being handled, but in slow motion

  MessageCounts sent_;
  MessageCounts delivered_;
  std::uint32_t coordinators_ = 0;  // running nodes that believe that they are coordinator
  std::int64_t contested_ns_ = 0;   // total time with two or more coordinators, up to this moment:
  std::int64_t contested_until_ns_ = 0;
};

}  // namespace bully
