// checkers_office.cc: taking office beside higher processes, and announcing it to lower ones.
#include <map>
#include <utility>

#include "trace/checkers.h"

namespace bully {

namespace {

// [Tan95] The biggest guy in town always wins. No process takes office without having asked each
// higher live node, or although one answered, unless that is repaired: the higher node holds an
// election, or the usurper follows another process.
struct TakingOffice {
  struct Candidate {
    std::set<NodeId> asked = {};  // since it began its election
    std::map<NodeId, std::size_t> answered = {};
    std::size_t prompt = no_record;       // its latest record of an outside event
    std::size_t holds_since = no_record;  // the prompt of its election
    // Since it won its election: the record of the victory, the record with which the election
    // began, and the processes that have its announcement.
    std::size_t won = no_record;
    std::size_t looked = no_record;
    std::set<NodeId> told = {};
  };
  struct Usurpation {
    Violation violation;
    std::size_t usurper;  // incarnations
    std::size_t higher_incarnation;
  };
  const CheckedRun& run;
  std::vector<Candidate> candidates = std::vector<Candidate>(run.timeline.incarnations.size());
  std::vector<Usurpation> found = {};  // not repaired yet

  void check() {
    for (const auto& [i, record] : run.trace.records) {
      if (is_step(record)) see(record, run.timeline.incarnation_of[i], i);
    }
    for (const auto& [shown, usurper, higher] : found) {
      run.violation(*shown.property, shown.kind, shown.node, shown.other, shown.records);
    }
  }

  void see(const Record& record, std::size_t incarnation, std::size_t i) {
    Candidate& candidate = candidates[incarnation];
    repair(record, incarnation);
    if (record.event == TraceEvent::state) {
      candidate.won = is_coordinating(record.state) ? i : no_record;
      candidate.looked = candidate.holds_since;
      candidate.told.clear();
      if (is_coordinating(record.state)) look_above(record.node, candidate, incarnation, i);
      const std::size_t since = is_asking(record.state) ? candidate.prompt : no_record;
      if (is_asking(record.state)) candidate = {.prompt = since};
      candidate.holds_since = since;
    } else if (record.type->role == Role::asks && record.event == TraceEvent::send) {
      candidate.asked.insert(record.to);
    } else if (record.type->role == Role::announces && record.event == TraceEvent::send) {
      candidate.told.insert(record.to);
    } else if (record.event == TraceEvent::coordinator) {
      check_told(record, candidate, i);
    }
    if (record.type->role == Role::answers && record.event == TraceEvent::receive) {
      candidate.answered.emplace(record.from, i);
    }
    if (!is_prompt(record)) return;
    if (std::exchange(candidate.won, no_record) < i) look_below(record.node, candidate, i);
    candidate.prompt = i;
  }

  // [CDK 5] It accepts the process that announces its victory: an ANSWER is no victory.
  void check_told(const Record& record, const Candidate& candidate, std::size_t i) const {
    if (candidate.prompt == no_record || record.coordinator == record.node) return;
    const Record prompt = run.at(candidate.prompt);
    if (prompt.event != TraceEvent::receive || prompt.type->role != Role::answers) return;
    run.violation(properties::ends, "follows_untold", record.node, *record.coordinator,
                  {candidate.prompt, i});
  }

  // [CDK 1, CDK 2] The winner of an election announces it to each lower live node before it does
  // anything else; a node that came later came with record `i`.
  void look_below(NodeId node, const Candidate& winner, std::size_t i) const {
    if (winner.looked == no_record) return;
    for (const Incarnation& lower : run.timeline.incarnations) {
      if (!run.prefers(node, lower.node) || !lower.begins || winner.told.contains(lower.node)) {
        continue;
      }
      if (lower.first >= winner.looked || i >= lower.last) continue;
      run.violation(properties::ends, "told_nothing", node, lower.node,
                    {lower.first, i, lower.last});
    }
  }

  static bool is_prompt(const Record& record) {
    return record.event == TraceEvent::start || record.event == TraceEvent::suspect ||
           record.event == TraceEvent::receive || record.event == TraceEvent::timeout;
  }

  // A higher node that was there before the prompt was in the directory when the node looked; a
  // later line of its own proves that it lived on.
  void look_above(NodeId node, const Candidate& mine, std::size_t incarnation, std::size_t i) {
    const std::size_t looked = mine.holds_since != no_record ? mine.holds_since : mine.prompt;
    if (looked == no_record) return;
    for (std::size_t k = 0; k < run.timeline.incarnations.size(); ++k) {
      const Incarnation& higher = run.timeline.incarnations[k];
      if (!run.prefers(higher.node, node) || !higher.begins) continue;
      if (higher.first >= looked || i >= higher.last) continue;
      const auto answer = mine.answered.find(higher.node);
      const bool has_answered = answer != mine.answered.end() && answer->second < i;
      const bool unasked = mine.holds_since == no_record || !mine.asked.contains(higher.node);
      if (!unasked && !has_answered) continue;
      const auto kind =
          unasked ? ViolationKind("took_office_unasked") : ViolationKind("answered_in_vain");
      std::vector<std::size_t> records = {higher.first, i, higher.last};
      if (!unasked) records.insert(records.begin() + 1, answer->second);
      found.push_back(
          {{&properties::highest_live, kind, node, higher.node, records}, incarnation, k});
    }
  }

  void repair(const Record& record, std::size_t incarnation) {
    const Sign sign = sign_of(record);
    const bool holds = sign.is(Sign::Kind::wins) || is_asking(record.state);
    const bool follows_another =
        sign.is(Sign::Kind::follows) && run.prefers(sign.coordinator, record.node);
    std::erase_if(found, [=](const Usurpation& one) {
      return (one.higher_incarnation == incarnation && holds) ||
             (one.usurper == incarnation && follows_another);
    });
  }
};

}  // namespace

void check_taking_office(const CheckedRun& run) {
  TakingOffice{run}.check();
}

}  // namespace bully
