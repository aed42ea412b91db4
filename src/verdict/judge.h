// judge.h: the properties of a run, each a function over its history (../history/history.h).
//
// A judge goes along as the history takes its records. A violation that it has found stays,
// whatever follows: it looks back only to moments at which a process is known to have been alive,
// and a process's own line shows that for the time since the line before. One judge believes each
// process's word, another does not (Reading); verdict.h draws the conclusion from both.
//
// judge.cc has the properties in the order of `bully help guarantees`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/list.h"
#include "history/figures.h"
#include "history/history.h"

namespace bully {

// The kind of a violation: `node` has done it, `other` is the process concerned.
inline constexpr auto violation_names = std::to_array<std::string_view>({
    "follows_a_lower",           // node follows other, which ranks below it
    "not_sent",                  // node received a message that other did not send
    "not_arrived",               // a message of other to node was neither received nor lost
    "not_answered",              // node handled a request of other, and did not answer it
    "two_coordinators_at_once",  // node and other were coordinator, and no news was in flight
    "not_highest",               // node took office, although other outranks it and was alive
    "never_decided",             // node took part in an election for too long
    "stayed_with_the_dead",      // node kept following other, which was gone
    "not_agreed",       // node followed another process, although other runs and outranks it
    "overtaken",        // node received a message of other before an earlier one
    "more_than_bound",  // the election that node began and other won exceeds the bound
    "not_kept",         // at that moment, right after a step of node
});
using ViolationKind = OneOf<violation_names>;

struct Violation {
  const Property* property = &properties::sent;
  ViolationKind kind = "not_sent";
  NodeId node = 0;
  NodeId other = 0;
  std::int64_t t_ns = 0;             // the moment
  std::vector<std::size_t> records;  // the lines that show it: indexes into Trace::records
};

// Of each property as many are kept; all are counted.
inline constexpr std::size_t most_violations = 100;

struct Findings {
  std::vector<Violation> violations = {};  // by time of their discovery
  std::map<const Property*, std::uint64_t> violated = {};
  std::map<const Property*, std::uint64_t> tested = {};
  // Receipts of messages of which no line shows the sending, and none shows that it is missing:
  // their senders' lines end there.
  std::vector<std::pair<NodeId, std::size_t>> unsent = {};
};

class Judge {
 public:
  // `history` outlives the judge; `promised` are the properties to judge.
  Judge(const History& history, Reading reading, std::vector<const Property*> promised);

  // Before and after the history takes this record.
  void before(const Record& record, std::size_t i);
  void after(const Record& record, std::size_t i);
  // At the end.
  Findings findings() &&;

 private:
  // A process took office.
  struct Claim {
    NodeId winner;
    Moment since;  // it has taken part since then
    Moment office;
  };
  // Another process in office, or that was: until when it is known, and the news then.
  struct Rival {
    const Life* life;
    std::int64_t since_ns;
    Moment until;
    Announcing announcing;
    std::size_t left = no_record;  // where it left office
  };
  // Open questions about a life.
  struct Case {
    Announcing announcing = {};        // at its latest own line in office
    bool is_accused_as_rival = false;  // in its present office
    std::size_t overdue = no_record;   // takes part since then, and was reported
    std::pair<std::int64_t, std::optional<NodeId>> agreed = {};  // the stretch, whom it followed
    // Its messages sent before this record have arrived, or are overdue by its lines.
    std::size_t overdue_before = 0;
    std::vector<std::pair<std::size_t, NodeId>> unsent_by_it =
        {};  // receipts, and by which process
  };
  struct Sample {  // that this process, known to be alive, followed that one in a calm
    std::int64_t t_ns;
    NodeId followed;
    NodeId node;
    std::size_t record;
  };

  bool judges(const Property& property) const;
  void test(const Property& property) { ++found_.tested[&property]; }
  void violation(const Property& property, ViolationKind kind, NodeId node, NodeId other,
                 std::int64_t t_ns, std::vector<std::size_t> records);

  void check_states(const Life& life, bool ends_step, Moment now);
  void check_never_lower(const Life& life, const Record& record, Moment now);
  void check_sent(const Record& record, Moment now);
  void confirm_unsent(const Life& life, Moment now);
  void check_arrives(const Life& life, Moment now);
  void check_answers(const Life& life, const Record& record, Moment now);
  void check_one_coordinator(const Life& life, bool ends_step, Moment now);
  bool overlap(const Life& life, const Rival& rival, const std::vector<Quiet::Stretch>& promised,
               bool ends_step, Moment now);
  void leave_office(const Life& life, Moment since, Moment now);
  void claim(const Life& life, Moment now);
  void check_highest_wins(const Life& life, Moment now);
  bool was_stopped(const Life& life, std::int64_t t_ns) const;
  void check_calm(const Life& life, Moment now);
  void check_ends(const Life& life, const Quiet::Stretch& stretch, std::int64_t at_ns, Moment now);
  void check_agreement(const Life& life, const Quiet::Stretch& stretch, std::int64_t at_ns,
                       Moment now);
  void check_fifo(const Record& record, Moment now);
  void check_within_bound(Moment now);
  void check_every_moment(const Life& life, const Record& record, Moment now);

  const History& history_;
  Reading reading_;
  std::vector<const Property*> promised_;
  Findings found_;
  std::unordered_map<std::size_t, Case> cases_;  // by life
  std::vector<Rival> past_rivals_;
  std::vector<Claim> claims_;
  std::vector<Sample> samples_;
  std::map<std::pair<std::size_t, std::size_t>, std::pair<std::size_t, std::size_t>> links_;
  const Life* in_office_ = nullptr;  // the life of the record's process, if it was in office,
  Moment office_ = {};               // since then
  bool election_went_on_ = false;
  std::map<const Property*, bool> held_;
};

}  // namespace bully
