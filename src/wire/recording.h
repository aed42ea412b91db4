// recording.h: makes records of what is seen on the links of processes, whatever program they are.
//
// What a process keeps to itself is in none of them: its state, its timers, whom it suspects. Which
// coordinator it follows is said if it announces one, or names one in its reply to a ping, as nodes
// of ours do; else it is inferred from its own pings, and may be wrong.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "election/record.h"
#include "wire/link_proxy.h"

namespace bully {

class Recording : public LinkObserver {
 public:
  // `algorithm`: the name of the one that the processes are taken to run. `sink` must outlive this.
  Recording(std::string_view algorithm, Sink& sink, std::function<Time()> clock = monotonic_now)
      : algorithm_(algorithm), sink_(sink), clock_(std::move(clock)) {}

  // The record of each process that is still there ends. The last call.
  void finish();

  void on_start(NodeId id) override;
  void on_end(NodeId id, bool has_left) override;
  void on_message(const Message& message, NodeId to, Way way, std::uint64_t ticket) override;
  void on_gone(NodeId from, bool has_left) override;
  void on_pinged(NodeId from, NodeId to, const std::optional<PingReply>& reply) override;

 private:
  struct Process {
    bool is_there = false;
    bool was_there = false;
    bool is_unnamed = false;      // it was never at its name when that was looked at
    bool has_spoken = false;      // it has said its first message
    bool replies = false;         // to pings, as nodes of ours do
    bool elects = false;          // it takes part in an election, and has not heard of its end
    bool has_taken_part = false;  // since it was last seen to follow somebody
    std::optional<NodeId> follows = {};
    bool has_said = false;                 // that it follows that one
    std::int64_t pinged_ns = 0;            // when it last pinged the one that it follows
    std::int64_t changed_ns = 0;           // when it began to follow it, or was told of another
    std::optional<NodeId> announced = {};  // who has last told it that it is coordinator
  };

  void meet(const Message& message);
  void learn_sender(const Message& message, std::optional<NodeId> winner);
  void learn_choice(NodeId from, NodeId to);
  void learn_ping(NodeId from, NodeId to);
  void follow(NodeId id, NodeId coordinator, bool said);
  void record(Record record);

  std::string_view algorithm_;
  Sink& sink_;
  std::function<Time()> clock_;
  std::map<NodeId, Process> processes_;
};

}  // namespace bully
