// What an election owes in which each process speaks to every other: whoever is asked answers, and
// nobody takes office without having asked.

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>

#include "trace/judges.h"

namespace bully {

namespace {

// [Tan95] A process that gets an ELECTION from a lower one sends ANSWER back. The k-th ANSWER of a
// life to a node belongs to the k-th ELECTION from there.
class EachElectionIsAnswered final : public Judge {
 public:
  using Judge::Judge;

  void see(std::size_t i) override {
    const Record& record = walk_.at(i);
    const std::size_t life = walk_.census.life_of[i];
    if (record.type == MessageType::election && record.event == TraceEvent::receive &&
        record.from < record.node) {
      open_[{life, record.from}].push_back(i);
    } else if (record.type == MessageType::answer && record.event == TraceEvent::send) {
      const auto open = open_.find({life, record.to});
      if (open == open_.end()) return;
      open->second.erase(open->second.begin());
      if (open->second.empty()) open_.erase(open);
    }
  }

  // Whoever took another step was live, and had the time to answer. Whoever did not died there; or
  // the trace ends there, and then nobody can tell.
  void end() override {
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
  std::map<std::pair<std::size_t, NodeId>, std::vector<std::size_t>> open_;  // by life and sender
};

// [Tan95] The biggest guy in town always wins. Nobody takes office without having asked each higher
// live node, or against one that answered, unless this is repaired: by that one's holding an
// election, or by the usurper's following another.
class NobodyTakesOfficeUnasked final : public Judge {
 public:
  using Judge::Judge;

  void see(std::size_t i) override {
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

  void end() override {
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

  std::unordered_map<std::size_t, Candidate> candidates_;  // by life
  std::vector<Usurpation> found_;
};

constexpr std::array judges = {
    JudgeRow{Jurisdiction::everyone, appoint<EachElectionIsAnswered>},
    JudgeRow{Jurisdiction::everyone, appoint<NobodyTakesOfficeUnasked>},
};

}  // namespace

std::span<const JudgeRow> bully_judges() {
  return judges;
}

}  // namespace bully
