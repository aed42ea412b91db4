#include "trace/verdict.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace bully {

namespace {

constexpr std::array<std::string_view, run_property_count> run_property_names = {
    "highest-live", "never-lower", "answered", "ends", "sent"};

// A node that holds an election takes a step at every timeout: so long, it does not wait. Longer
// where the trace shows longer timeouts.
constexpr std::int64_t least_patience_ns = 10'000'000'000;
constexpr std::int64_t usual_waits = 4;

// A node that follows the wrong one learns it from a ping. Intervals can be set; few set this much.
constexpr std::int64_t repair_ns = 60'000'000'000;

struct Walk {
  const Trace& trace;
  const Causality& pairs;
  const Census& census;
  Report& report;

  const Record& at(std::size_t i) const { return trace.records[i]; }
  const Life& life(std::size_t i) const { return census.lives[census.life_of[i]]; }
  void breach(RunProperty property, Manner manner, NodeId node, NodeId other,
              std::vector<std::size_t> records) const {
    report.breaches.push_back({property, manner, node, other, std::move(records)});
  }
};

// [Tan95] A process that gets an ELECTION from a lower one sends ANSWER back. The k-th ANSWER of a
// life to a node belongs to the k-th ELECTION from there.
class EachElectionIsAnswered {
 public:
  explicit EachElectionIsAnswered(const Walk& walk) : walk_(walk) {}

  void see(std::size_t i) {
    const Record& record = walk_.at(i);
    const std::size_t life = walk_.census.life_of[i];
    if (record.type == MessageType::election && record.event == TraceEvent::receive &&
        record.from < record.node) {
      open_[{life, record.from}].push_back(i);
    } else if (record.type == MessageType::answer && record.event == TraceEvent::send) {
      std::deque<std::size_t>& open = open_[{life, record.to}];
      if (!open.empty()) open.pop_front();
    }
  }

  // Whoever took another step was live, and had the time to answer. Whoever did not died there; or
  // the trace ends there, and then nobody can tell.
  void end() {
    for (const auto& [from, open] : open_) {
      const Life& life = walk_.census.lives[from.first];
      for (const std::size_t receipt : open) {
        if (life.last > receipt) {
          walk_.breach(RunProperty::answered, Manner::not_answered, life.node, from.second,
                       {receipt, life.last});
        } else if (life.gone == no_record) {
          walk_.report.reasons.push_back({Doubt::end_of_answer, {life.node}, {receipt}});
        }
      }
    }
  }

 private:
  const Walk& walk_;
  std::map<std::pair<std::size_t, NodeId>, std::deque<std::size_t>> open_;  // by life and sender
};

// [CDK 5] A process that gets a COORDINATOR takes its sender as coordinator. And nobody follows a
// lower one than himself, or stays for long with one lower than the highest coordinator.
class NobodyFollowsALower {
 public:
  explicit NobodyFollowsALower(const Walk& walk) : walk_(walk) {}

  void see(std::size_t i) {
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
      follower.holds = record.state != "follower" && record.state != "coordinator";
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

  const Walk& walk_;
  std::unordered_map<std::size_t, Follower> followers_;  // by life
  std::int64_t longest_wait_ = 0;
};

// [Tan95] The biggest guy in town always wins. Nobody takes office without having asked each higher
// live node, or against one that answered, unless this is repaired: by that one's holding an
// election, or by the usurper's following another.
class HighestLiveWins {
 public:
  explicit HighestLiveWins(const Walk& walk) : walk_(walk) {}

  void see(std::size_t i) {
    const Record& record = walk_.at(i);
    if (is_about_ping(record)) return;
    const std::size_t life = walk_.census.life_of[i];
    Candidate& candidate = candidates_[life];
    if (record.event == TraceEvent::state || record.event == TraceEvent::coordinator) repair(i);
    if (record.event == TraceEvent::state && record.state == "candidate") {
      candidate.asked.clear();
      candidate.answered.clear();
      candidate.holds_since = candidate.prompt;
    } else if (record.event == TraceEvent::state && record.state == "coordinator") {
      look_above(life, i);
    } else if (record.type == MessageType::election && record.event == TraceEvent::send) {
      candidate.asked.insert(record.to);
    } else if (record.type == MessageType::answer && record.event == TraceEvent::receive) {
      candidate.answered.emplace(record.from, i);
    }
    if (record.event == TraceEvent::state) {
      if (record.state != "candidate") candidate.holds_since = no_record;
    } else if (is_prompt(record)) {
      candidate.prompt = i;
    }
  }

  void end() {
    for (const Usurpation& found : found_) {
      if (!found.repaired) walk_.report.breaches.push_back(found.breach);
    }
  }

 private:
  struct Candidate {
    std::set<NodeId> asked;  // since it holds its election
    std::map<NodeId, std::size_t> answered;
    std::size_t prompt = no_record;       // its latest record of what came from outside
    std::size_t holds_since = no_record;  // the prompt of its election
  };
  struct Usurpation {
    Breach breach;
    std::size_t usurper = 0;  // lives
    std::size_t higher = 0;
    bool repaired = false;
  };

  static bool is_prompt(const Record& record) {
    return record.event == TraceEvent::start || record.event == TraceEvent::suspect ||
           record.event == TraceEvent::receive || record.event == TraceEvent::timeout;
  }

  // A higher node that was there before the prompt stood in the directory when the node looked; a
  // later line of its own proves that it lived on.
  void look_above(std::size_t life, std::size_t i) {
    const Candidate& mine = candidates_[life];
    const std::size_t looked = mine.holds_since != no_record ? mine.holds_since : mine.prompt;
    if (looked == no_record) return;
    const NodeId node = walk_.at(i).node;
    for (std::size_t k = 0; k < walk_.census.lives.size(); ++k) {
      const Life& higher = walk_.census.lives[k];
      if (higher.first >= looked) break;
      if (higher.node <= node || !higher.begins || higher.last <= i) continue;
      const auto answer = mine.answered.find(higher.node);
      const bool unasked = mine.holds_since == no_record || !mine.asked.contains(higher.node);
      if (!unasked && answer == mine.answered.end()) continue;
      Breach breach{RunProperty::highest_live,
                    unasked ? Manner::took_office_unasked : Manner::answered_in_vain,
                    node,
                    higher.node,
                    {higher.first, i, higher.last}};
      if (!unasked) breach.records.insert(breach.records.begin() + 1, answer->second);
      found_.push_back({std::move(breach), life, k, false});
    }
  }

  void repair(std::size_t i) {
    const Record& record = walk_.at(i);
    const std::size_t life = walk_.census.life_of[i];
    const bool holds = record.state == "candidate" || record.state == "coordinator";
    const bool follows_another =
        record.event == TraceEvent::coordinator && *record.coordinator > record.node;
    for (Usurpation& found : found_) {
      const bool by_higher = found.higher == life && holds;
      const bool by_usurper = found.usurper == life && follows_another;
      found.repaired = found.repaired || by_higher || by_usurper;
    }
  }

  const Walk& walk_;
  std::unordered_map<std::size_t, Candidate> candidates_;  // by life
  std::vector<Usurpation> found_;
};

// A receipt without its sending, from a node whose sendings the trace would have.
void judge_receipt(const Walk& walk, std::size_t i) {
  const Record& record = walk.at(i);
  const bool is_known =
      std::binary_search(walk.census.nodes.begin(), walk.census.nodes.end(), record.from);
  if (record.event != TraceEvent::receive || is_about_ping(record) || !is_known) return;
  if (!record.number) {
    walk.report.reasons.push_back({Doubt::names_only, {record.from}, {i}});
    return;
  }
  const std::optional<std::size_t> sender = life_at(walk.census, record.from, i);
  for (const Life& life : walk.census.lives) {
    // Its sending may stand where its sender's first lines would.
    if (life.node == record.from && !life.begins) return;
  }
  if (sender && walk.census.lives[*sender].last < i && !walk.trace.cut.empty()) {
    walk.report.reasons.push_back({Doubt::cut_line, {record.from}, {i}});
    return;
  }
  walk.breach(RunProperty::sent, Manner::not_sent, record.node, record.from, {i});
}

// Whom all follow in the end, of those who are there, must be the highest of them.
void judge_winner(const Walk& walk, const Election& election) {
  if (!election.winner || !election.settled_record || election.survivors.empty()) return;
  const NodeId highest = election.survivors.back();
  if (highest <= *election.winner) return;
  const auto life = life_at(walk.census, highest, *election.settled_record);
  if (!life || walk.census.lives[*life].last < election.first_record) return;
  walk.breach(RunProperty::highest_live, Manner::all_follow_a_lower, *election.winner, highest,
              {*election.settled_record, walk.census.lives[*life].last});
}

void find_doubts(const Walk& walk) {
  std::vector<Reason>& reasons = walk.report.reasons;
  if (walk.trace.records.empty()) reasons.push_back({Doubt::empty, {}, {}});
  const std::vector<Election>& elections = walk.report.elections;
  if (!elections.empty() && !elections.back().settled_record) {
    reasons.push_back(
        {Doubt::mid_election, {}, {elections.back().first_record, elections.back().last_record}});
  }
  if (!walk.census.names_only.empty()) {
    reasons.push_back({Doubt::names_only, walk.census.names_only, {}});
  }
  Reason headless{Doubt::no_beginning, {}, {}};
  for (const Life& life : walk.census.lives) {
    if (life.begins) continue;
    headless.nodes.push_back(life.node);
    headless.records.push_back(life.first);
  }
  if (!headless.nodes.empty()) reasons.push_back(std::move(headless));
}

}  // namespace

std::string_view run_property_name(RunProperty property) {
  return run_property_names.at(static_cast<std::size_t>(property));
}

std::string_view run_verdict_name(RunVerdict verdict) {
  constexpr std::array<std::string_view, 3> names = {"right", "violated", "cannot tell"};
  return names.at(static_cast<std::size_t>(verdict));
}

Report judge(const Trace& trace) {
  const Causality pairs = pair_messages(trace);
  const Census census = census_of(trace, pairs);
  Report report;
  report.nodes = census.nodes;
  report.elections = elections_of(trace, pairs, census);
  for (const Election& election : report.elections) {
    report.figures.push_back(figures_of(trace, pairs, census, election));
  }
  report.two_coordinators = two_coordinators(trace, census);

  const Walk walk{trace, pairs, census, report};
  EachElectionIsAnswered answered(walk);
  NobodyFollowsALower lower(walk);
  HighestLiveWins highest(walk);
  for (std::size_t i = 0; i < trace.records.size(); ++i) {
    answered.see(i);
    lower.see(i);
    highest.see(i);
  }
  answered.end();
  highest.end();
  for (const Election& election : report.elections) judge_winner(walk, election);
  for (const std::size_t i : pairs.unpaired) judge_receipt(walk, i);
  find_doubts(walk);

  std::stable_sort(report.breaches.begin(), report.breaches.end(),
                   [](const Breach& a, const Breach& b) {
                     return a.property != b.property ? a.property < b.property
                                                     : a.records.front() < b.records.front();
                   });
  if (!report.breaches.empty()) {
    report.verdict = RunVerdict::violated;
  } else if (report.reasons.empty()) {
    report.verdict = RunVerdict::right;
  }
  return report;
}

}  // namespace bully
