// real_stage.h: a scenario's stage made of real processes.
//
// Every node is a process of the running binary, with the id that the script gives it, in a private
// directory that is removed in the end. Faults are signals: SIGKILL, SIGSTOP, SIGCONT. What happens
// is read from the trace that the nodes write; what they believe, they are asked.
//
// The loss of a coordinator that is really gone is noticed by the nodes' own detector, where one
// runs. Any other suspicion is forced by SIGCONT: whoever was continued trusts nothing that it
// knew, and holds an election. What nobody can force on a real network (hold, deliver, drop, cut,
// …) it says it cannot; nor can it arrange a ring other than by id. No process that it started
// outlives it (guard.h).
//
// Read next: ../sim/stage.h for how a script is played, ../node/query.h for the asking.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "node/directory.h"
#include "node/signals.h"
#include "sim/stage.h"
#include "stage/guard.h"
#include "stage/trace_tail.h"

namespace bully {

// SIGINT, SIGTERM or SIGHUP came. Thrown by the stage, which then only has to be destroyed.
struct Interrupted {
  int signal;
};

class RealStage : public Stage {
 public:
  // Nothing runs yet. `program`: see program.h. `sink` is told what the nodes tell; it outlives the
  // stage. There may be one stage at a time. Throws SetupError.
  RealStage(const Scenario& scenario, std::string program, Sink& sink);
  ~RealStage() override;
  RealStage(const RealStage&) = delete;
  RealStage& operator=(const RealStage&) = delete;

  bool can(const Deed& deed) const override;
  void passed_over(const Deed& deed) override;
  // These two may throw Interrupted.
  std::optional<std::string> perform(const Deed& deed) override;
  bool wait_for_more(int times) override;
  std::vector<Actor> cast() const override;
  MessageCounts sent() const override { return sent_; }
  bool may_cost_more() const override { return true; }

  // Where it all happens.
  const std::string& directory() const { return root_; }

 private:
  using Problem = std::optional<std::string>;

  // A process, and what the trace last said of it.
  struct Node {
    pid_t pid = 0;  // 0: it does not run
    bool paused = false;
    bool started = false;
    std::string state = {};
    std::optional<NodeId> coordinator = std::nullopt;
    Variables variables = {};
    std::uint64_t records = 0;  // read so far
  };

  Problem found(const std::vector<NodeId>& ids);
  Problem start(NodeId id);
  Problem crash(NodeId id);
  Problem leave(const std::vector<NodeId>& ids);
  Problem pause(NodeId id);
  Problem resume(NodeId id);
  Problem suspect(const step::Suspect& step);
  Problem run(const step::Run& step);
  Problem make_all_start_over(const std::vector<NodeId>& ids);
  Problem missing(NodeId id) const;
  bool runs(NodeId id) const;
  // What was on its way to it is gone. What it was sending may have been sent or not.
  void forget_flights(NodeId id);
  // Whoever follows one that is gone.
  std::vector<NodeId> misled() const;

  pid_t spawn(NodeId id);
  std::vector<std::string> command_line(NodeId id) const;
  // Looks what has happened, for `time` at most; sooner where something has.
  void look(std::chrono::milliseconds time);
  void learn(const Record& record);
  void obey_signals();
  void bury();
  void bury(NodeId id, Node& node, int status);
  // Looks until `condition` or the deadline; a node that ends by itself ends the wait too.
  Problem wait_until(const std::function<bool()>& condition, std::chrono::nanoseconds at_most,
                     const char* awaited);
  Problem wait_until_settled();
  bool settled() const;
  bool agreed() const;
  std::optional<NodeId> highest() const;
  bool reachable(NodeId id) const;

  WorldOptions options_;
  std::string_view algorithm_;
  bool naive_;
  std::string program_;
  Sink& sink_;

  Guard guard_;
  std::string root_;
  SignalPipe signals_;
  Directory directory_;
  std::string trace_path_;
  TraceTail tail_;

  std::map<NodeId, Node> nodes_;
  // Messages that were sent and not yet seen to arrive, by sender and its number; to whom.
  std::map<std::pair<NodeId, std::uint64_t>, NodeId> in_flight_;
  std::chrono::nanoseconds last_record_at_{};
  MessageCounts sent_{};
  bool out_of_step_ = false;  // since the last full `run`, a step was passed over
  bool other_ring_ = false;   // the script's ring is not the one that there is
  bool leaderless_ = false;   // since the last full `run`, a coordinator has gone
  Problem trouble_;           // a node that ended by itself
};

}  // namespace bully
