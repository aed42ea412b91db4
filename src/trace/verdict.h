// verdict.h: whether a run was right, by the properties that an election of its kind must have.
//
// Some hold for every election; some where each process speaks to every other, as in bully; some on
// a ring. Which are judged follows from the algorithm that the nodes ran (../election/algorithm.h).
//
// Only what the trace proves counts: a property is broken when lines of the trace show it, whatever
// the lines that a killed or stopped process did not write might have said. Where what matters lies
// outside the trace, the verdict is "cannot tell", and says why. What is right for a while only,
// two coordinators say, until the nodes have heard of each other, breaks nothing.
// Read next: judges.h, for who judges what; ../view/check.h, for the words.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/elections.h"
#include "trace/figures.h"

namespace bully {

enum class RunProperty : std::uint8_t {
  highest_live,  // the coordinator that all follow is the highest live node
  never_lower,   // nobody follows one lower than himself, or than the highest coordinator
  answered,      // where each speaks to all: each ELECTION to a live higher node is answered
  ends,          // each election ends
  sent,          // no receipt without its sending
  // On a ring:
  fifo,           // on every link, messages arrive in the order of sending
  one_neighbour,  // in one election, a process hears from one neighbour only
  own_numbers,    // each number that goes round is the id of one that takes part
  within_bound,   // an election that nothing disturbs takes no more messages than the bound
};
inline constexpr std::size_t run_property_count = 9;
// Its fixed name: "highest-live", "never-lower", …
std::string_view run_property_name(RunProperty property);
// Those that are judged where all nodes run `algorithm`; or, with null, different ones.
std::vector<RunProperty> properties_of(const Algorithm* algorithm);

// How a property was broken: `node` is who did it, `other` whom it concerns.
enum class Manner : std::uint8_t {
  took_office_unasked,   // node became coordinator; other is higher, live, and was not asked
  answered_in_vain,      // node became coordinator although other, higher and live, had answered
  all_follow_a_lower,    // all follow node, although other is higher and live
  follows_below_itself,  // node follows other, who is lower than node
  follows_another,       // node heard COORDINATOR, and then followed other, who is lower
  stayed_with_a_lower,   // node went on following another than other, a higher live coordinator
  not_answered,          // node did not answer other's ELECTION
  ignored_coordinator,   // node heard COORDINATOR from other, and did not follow
  never_decided,         // node held an election, and nothing came of it
  not_sent,              // node received a message that other did not send
  overtaken,             // node received a message of other before one that was sent earlier
  heard_two,             // node heard other, a second neighbour, and went on with that election
  foreign_number,        // node sent the number other, which is nobody's who takes part
  more_than_bound,       // the election that node noticed and other won exceeds the bound
};

struct Breach {
  RunProperty property = RunProperty::sent;
  Manner manner = Manner::not_sent;
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
  cut_line,       // the line that was cut off may be the sending of a receipt
  mixed,          // nodes ran different algorithms, and could not understand each other
};
struct Reason {
  Doubt doubt = Doubt::empty;
  std::vector<NodeId> nodes;
  std::vector<std::size_t> records;
};

enum class RunVerdict : std::uint8_t { right, violated, cannot_tell };
std::string_view run_verdict_name(RunVerdict verdict);  // "right", "violated", "cannot tell"

// All that `bully check` says of a trace.
struct Report {
  RunVerdict verdict = RunVerdict::cannot_tell;
  std::vector<Breach> breaches;  // by property, then by time
  std::vector<Reason> reasons;   // why not more can be told; may stand beside breaches
  std::vector<Election> elections;
  std::vector<Figures> figures;  // figures[k] belongs to elections[k]
  std::vector<TwoCoordinators> two_coordinators;
  std::vector<NodeId> nodes;
  std::vector<const Algorithm*> algorithms;  // that the nodes ran (Census::algorithms)
  std::vector<RunProperty> properties;       // that were judged

  // The one that all nodes ran; null where they ran different ones.
  const Algorithm* algorithm() const;
};

// Judges `trace`. Never fails.
Report judge(const Trace& trace);

}  // namespace bully
