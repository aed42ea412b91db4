// link_recorder.h: makes records from the traffic on the links of processes, whatever program they
// run.
//
// The links show no state, no timers and no suspicions. A coordinator is `said` if a process
// announces it, or names it in its reply to a ping, as nodes of this program do. Otherwise it is
// inferred from the process's pings, and may be wrong.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "election/record.h"
#include "wire/link_proxy.h"

namespace bully {

class LinkRecorder : public LinkObserver {
 public:
  // `algorithm`: the name of the processes' assumed algorithm. `cluster`: their directory's
  // identity. `sink` must outlive this object.
  LinkRecorder(std::string_view algorithm, std::uint64_t cluster, Sink& sink,
               std::function<Time()> clock = monotonic_now)
      : algorithm_(algorithm), cluster_(cluster), sink_(sink), clock_(std::move(clock)) {}

  // Ends the record of each process that is still there. The last call.
  void finish();

  void on_start(NodeId id) override;
  void on_end(NodeId id, bool has_left) override;
  void on_message(const Message& message, NodeId to, Way way, std::uint64_t ticket) override;
  void on_gone(NodeId from, bool has_left) override;
  void on_pinged(NodeId from, NodeId to, const std::optional<PingReply>& reply) override;

 protected:
  void record(Record record);  // at this moment

 private:
  // A process as its links show it. It has no state and no reply, so this is no snapshot.
  struct Process {
    bool is_there = false;
    bool was_there = false;
    bool is_unnamed = false;      // no look has found its name
    bool has_sent = false;        // it has sent its first message
    bool replies = false;         // to pings, as nodes of this program do
    bool elects = false;          // it takes part in an election, and has no announcement yet
    bool has_taken_part = false;  // since it was last seen to follow a coordinator
    std::optional<NodeId> follows = {};
    bool has_stated = false;               // its own reply named the coordinator
    std::int64_t pinged_ns = 0;            // when it last pinged its coordinator
    std::int64_t changed_ns = 0;           // when its coordinator or announcement changed
    std::optional<NodeId> announced = {};  // the sender of the latest announcement
  };

  void note_sender(const Message& message);
  void learn_sender(const Message& message, std::optional<NodeId> winner);
  void learn_ping(NodeId from, NodeId to);
  void follow(NodeId id, NodeId coordinator, bool states_it);

  std::string_view algorithm_;
  std::uint64_t cluster_;
  Sink& sink_;
  std::function<Time()> clock_;
  std::map<NodeId, Process> processes_;
};

}  // namespace bully
