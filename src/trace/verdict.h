// verdict.h: whether a run was right, by the properties that an election of its kind must have.
//
// Some hold for every election; some where each process speaks to every other, as in bully; some on
// a ring. Which are judged follows from the algorithm that the nodes ran (../election/algorithm.h).
//
// Only what the trace proves counts. A property is broken when lines of the trace show it, whatever
// the lines that a killed or stopped process did not write might have said. A run is right when
// each process has an end that leaves no doubt, and at least one election began and ended. Where
// what matters lies outside the trace, the verdict is "cannot tell", and says why. What is right
// for a while only, two coordinators say, until the nodes have heard of each other, breaks nothing.
#pragma once

#include <map>

#include "trace/elections.h"

namespace bully {

// How a property was broken: `node` is who did it, `other` whom it concerns.
enum class ViolationKind : std::uint8_t {
  took_office_unasked,   // node became coordinator; other is higher, live, and was not asked
  answered_in_vain,      // node became coordinator although other, higher and live, had answered
  all_follow_a_lower,    // all follow node, although other is higher and live
  follows_below_itself,  // node follows other, who is lower than node
  follows_another,       // node heard COORDINATOR, and then followed other, who is lower
  stayed_with_a_lower,   // node went on following another than other, a higher live coordinator
  not_answered,          // node did not answer other's ELECTION
  ignored_coordinator,   // node heard COORDINATOR from other, and did not follow
  never_decided,         // node held an election, and nothing came of it
  stood_still,           // node held an election, and took no step in it for too long
  never_settled,         // node and the others did not agree, though nothing disturbed them
  told_nothing,          // node won, and did not tell other, which is lower and live
  follows_untold,        // node followed other, which had only answered
  stayed_with_the_dead,  // node went on following other, which was gone
  not_sent,              // node received a message that other did not send
  overtaken,             // node received a message of other before one that was sent earlier
  heard_two,             // node heard other, a second neighbour, and went on with that election
  foreign_number,        // node sent the number other, which is nobody's who takes part
  more_than_bound,       // the election that node noticed and other won exceeds the bound
  goes_on_for_ever,      // node passed on more of one election than it can have
  not_kept,              // at that moment, where node has just taken a step
};
std::string_view name_of(ViolationKind kind);

struct Violation {
  const Property* property = &properties::sent;
  ViolationKind kind = ViolationKind::not_sent;
  NodeId node = 0;
  NodeId other = 0;
  std::vector<std::size_t> records;  // the lines that show it: indexes into Trace::records
};

// Why the trace does not tell enough.
enum class Doubt : std::uint8_t {
  empty,          // there is no record
  mid_election,   // the trace ends before an election does
  names_only,     // nodes that take part have no trace: the example's, say
  no_beginning,   // a node's first lines are missing
  end_of_answer,  // a node had no time to answer before the trace ends
  cut_line,       // a line was cut off, and nothing tells what it said
  mixed,          // nodes ran different algorithms, and could not understand each other
  unconfirmed,    // a node was told who has won, and was not seen to ping that one before the end
  told_in_vain,  // a node was told who has won, and held another election before it pinged that one
  twice,         // a node was observed, and has written a trace as well
  open_end,      // the lines of a node stop while it follows a lost one, or holds an election
  unwatched,     // nothing could tell a node that the one it follows was gone: by hand, say
  contradiction,  // lines of a node exclude each other: its state and whom it follows, say
  untraced,       // a node may have come back without a trace, and sent what others received
  unsteady,       // an observed node pings several, or one below itself: whom it follows is unknown
  in_flight,      // a message was sent to a node, and neither received nor lost
  unseen_message,  // a message of an observed node was not seen, which sends others like it
  no_election,     // no election began and ended
};
std::string_view name_of(Doubt doubt);
struct Reason {
  Doubt doubt = Doubt::empty;
  std::vector<NodeId> nodes;
  std::vector<std::size_t> records;

  void add(NodeId node, std::size_t record) {
    nodes.push_back(node);
    records.push_back(record);
  }
};

enum class RunVerdict : std::uint8_t { right, violated, cannot_tell };
std::string_view name_of(RunVerdict verdict);
// Why observed nodes cannot be held to a property.
std::string_view name_of(Property::Unseen unseen);

// A property that this run does not owe: record `shown_by` shows that an assumption does not hold.
struct NotPromised {
  const Property* property = nullptr;
  Assumption assumption = {};
  std::size_t shown_by = 0;
};

struct RuleCount {
  const Rule* rule = nullptr;
  std::uint64_t fired = 0;
};

struct Report {
  RunVerdict verdict = RunVerdict::cannot_tell;
  std::vector<Violation> violations;  // by property, then by time
  std::vector<Reason> reasons;        // why not more can be told; may stand beside violations
  std::vector<Election> elections;
  std::vector<Figures> figures;  // figures[k] belongs to elections[k]
  std::vector<TwoCoordinators> two_coordinators;
  std::vector<NodeId> nodes;
  std::vector<const Algorithm*> algorithms;  // that the nodes ran (Timeline::algorithms)
  std::vector<const Property*> properties;   // that were judged
  std::vector<NodeId> observed;  // nodes that wrote no trace, and were seen on their links alone
  // Of those, what was not judged. If there are no others, none of these is among the `properties`.
  std::vector<const Property*> not_judged;
  std::vector<NotPromised> not_promised;  // none of these is among the `properties`
  // How often each of the properties was put to the test; never, if it is not in here.
  std::map<const Property*, std::uint64_t> tested;
  // Of the algorithms, in their order. None where an older program's trace names no rule.
  std::vector<RuleCount> rules;
};

// Judges `trace`. Never fails.
Report check_trace(const Trace& trace);

}  // namespace bully
