// What every election owes: it ends, all follow the highest live node, and nothing is received that
// nobody sent.

#include <algorithm>
#include <array>
#include <unordered_map>

#include "trace/judges.h"

namespace bully {

namespace {

// A node that holds an election takes a step at every timeout: so long, it does not wait. Longer
// where the trace shows longer timeouts.
constexpr std::int64_t least_patience_ns = 10'000'000'000;
constexpr std::int64_t usual_waits = 4;

// A node that follows the wrong one learns it from a ping. Intervals can be set; few set this much.
constexpr std::int64_t repair_ns = 60'000'000'000;

// [CDK 5] A process that gets a COORDINATOR takes its sender as coordinator. And nobody follows a
// lower one than himself, or stays for long with one lower than the highest coordinator.
class NobodyFollowsALower final : public Judge {
 public:
  using Judge::Judge;

  void see(std::size_t i) override {
    const Record& record = walk_.at(i);
    if (is_about_ping(record)) return;
    const std::size_t life = walk_.census.life_of[i];
    Follower& follower = followers_[life];
    check_heard(follower, i);
    if (record.event == TraceEvent::stop) check_long_stay(life, i);
    if (record.event == TraceEvent::timeout && follower.last != no_record) {
      longest_wait_ = std::max(longest_wait_, record.t_ns - walk_.at(follower.last).t_ns);
    }
    take_step(follower, i);
    follower.last = i;
  }

 private:
  struct Follower {
    std::optional<NodeId> coordinator;  // nobody during an election
    bool holds = false;                 // an election
    std::size_t heard = no_record;      // the COORDINATOR that it has not yet followed
    std::size_t since = no_record;      // how long it has followed that coordinator
    std::size_t last = no_record;       // its latest record
  };

  void take_step(Follower& follower, std::size_t i) {
    const Record& record = walk_.at(i);
    if (record.event == TraceEvent::state) {
      follower.holds = !is_settled_state(record.state);
      if (follower.holds) follower.coordinator.reset();
      if (record.state == "coordinator") follow(follower, record.node, i);
    } else if (record.event == TraceEvent::coordinator) {
      follow(follower, *record.coordinator, i);
      if (*record.coordinator < record.node) {
        walk_.breach(RunProperty::never_lower, Manner::follows_below_itself, record.node,
                     *record.coordinator, {i});
      }
    } else if (record.event == TraceEvent::receive && record.type == MessageType::coordinator &&
               record.from > record.node && follower.coordinator != record.from) {
      follower.heard = i;
    }
  }

  static void follow(Follower& follower, NodeId coordinator, std::size_t i) {
    follower.holds = false;
    if (follower.coordinator != coordinator) follower.since = i;
    follower.coordinator = coordinator;
  }

  // Its very next step tells whom it took. Its state comes first, then whom it follows.
  void check_heard(Follower& follower, std::size_t i) {
    const Record& record = walk_.at(i);
    if (follower.heard == no_record || record.event == TraceEvent::state) return;
    const std::size_t heard = std::exchange(follower.heard, no_record);
    const NodeId announced = walk_.at(heard).from;
    const bool follows = record.event == TraceEvent::coordinator;
    if (follows ? *record.coordinator >= announced : follower.coordinator == announced) return;
    if (follows) {
      walk_.breach(RunProperty::never_lower, Manner::follows_another, record.node,
                   *record.coordinator, {heard, i});
    } else {
      walk_.breach(RunProperty::ends, Manner::ignored_coordinator, record.node, announced,
                   {heard, i});
    }
  }

  // Whoever leaves by itself shows where it had stood until then. One that was stopped and goes on
  // takes another step before it leaves.
  void check_long_stay(std::size_t life, std::size_t i) {
    const Follower& follower = followers_[life];
    if (follower.last == no_record) return;
    const std::int64_t now = walk_.at(i).t_ns;
    const std::int64_t quiet = now - walk_.at(follower.last).t_ns;
    const NodeId node = walk_.at(i).node;
    if (follower.holds && quiet > std::max(least_patience_ns, usual_waits * longest_wait_)) {
      walk_.breach(RunProperty::ends, Manner::never_decided, node, node, {follower.last, i});
    }
    if (!follower.coordinator || quiet <= repair_ns) return;
    for (const auto& [other, its] : followers_) {
      const Life& its_life = walk_.census.lives[other];
      if (its.coordinator != its_life.node || its_life.node <= *follower.coordinator) continue;
      if (its_life.last < i || now - walk_.at(its.since).t_ns <= repair_ns) continue;
      if (is_absent(other, i)) continue;
      walk_.breach(RunProperty::never_lower, Manner::stayed_with_a_lower, node, its_life.node,
                   {follower.since, its.since, i});
    }
  }

  bool is_absent(std::size_t life, std::size_t i) const {
    return std::any_of(walk_.census.absences.begin(), walk_.census.absences.end(),
                       [&](const Absence& absence) {
                         return absence.life == life && absence.from <= i && i < absence.to;
                       });
  }

  std::unordered_map<std::size_t, Follower> followers_;  // by life
  std::int64_t longest_wait_ = 0;
};

// Whom all follow in the end, of those who are there, must be the highest of them.
class TheHighestWins final : public Judge {
 public:
  using Judge::Judge;

  void end() override {
    for (const Election& election : walk_.report.elections) look_above(election);
  }

 private:
  void look_above(const Election& election) {
    if (!election.winner || !election.settled_record || election.survivors.empty()) return;
    const NodeId highest = election.survivors.back();
    if (highest <= *election.winner) return;
    const auto life = life_at(walk_.census, highest, *election.settled_record);
    if (!life || walk_.census.lives[*life].last < election.first_record) return;
    walk_.breach(RunProperty::highest_live, Manner::all_follow_a_lower, *election.winner, highest,
                 {*election.settled_record, walk_.census.lives[*life].last});
  }
};

// A receipt without its sending, from a node whose sendings the trace would have.
class EachReceiptWasSent final : public Judge {
 public:
  using Judge::Judge;

  void end() override {
    for (const std::size_t i : walk_.pairs.unpaired) judge_receipt(i);
  }

 private:
  void judge_receipt(std::size_t i) {
    const Record& record = walk_.at(i);
    const bool is_known =
        std::binary_search(walk_.census.nodes.begin(), walk_.census.nodes.end(), record.from);
    if (record.event != TraceEvent::receive || is_about_ping(record) || !is_known) return;
    if (!record.number) {
      walk_.report.reasons.push_back({Doubt::names_only, {record.from}, {i}});
      return;
    }
    const std::optional<std::size_t> sender = life_at(walk_.census, record.from, i);
    for (const Life& life : walk_.census.lives) {
      // Its sending may stand where its sender's first lines would.
      if (life.node == record.from && !life.begins) return;
    }
    if (sender && walk_.census.lives[*sender].last < i && !walk_.trace.cut.empty()) {
      walk_.report.reasons.push_back({Doubt::cut_line, {record.from}, {i}});
      return;
    }
    walk_.breach(RunProperty::sent, Manner::not_sent, record.node, record.from, {i});
  }
};

constexpr std::array judges = {
    JudgeRow{Jurisdiction::one_algorithm, appoint<NobodyFollowsALower>},
    JudgeRow{Jurisdiction::one_algorithm, appoint<TheHighestWins>},
    JudgeRow{Jurisdiction::every_run, appoint<EachReceiptWasSent>},
};

}  // namespace

std::span<const JudgeRow> common_judges() {
  return judges;
}

}  // namespace bully
