// elections.h: who was there when, which receipt belongs to which sending [Lamport 1978], which
// elections that makes, and what each of them took, as far as a trace can show it.
//
// A process that is killed with SIGKILL writes no last line, and neither does one that is stopped.
// Unless the trace has a `crash`, its end is taken from what others met: the first message that
// found nobody there, the first suspicion "down", or the start of its successor. A node that a new
// coordinator did not tell, or that an election on the ring passed over, and of which nothing more
// is heard, is left out of that election; but nothing shows that it is dead. And a node to which
// messages were sent, but which took no step for longer than any live one does, counts as absent
// until its next step.
//
// A message is known by sender, receiver, type and the sender's number. A node that comes back
// under its old id counts from 1 again: then its lives and the time decide.
//
// An election lasts from the first suspicion, start or holding after a calm state until every live
// node follows one and the same coordinator again, and no message of it is still on its way.
//
// Of a process that was only observed, on its links, there are the messages and what follows from
// its pings. Then an election begins with the first message that asks for one, or announces, and
// nobody has shown why; it ends when all have been told. See Sign.
//
// This unit never judges: for that, read verdict.h next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "election/algorithm.h"
#include "trace/trace.h"

namespace bully {

// --- Who was there ---

inline constexpr std::size_t no_record = 0xFFFFFFFF;

// One process under one id, from its start to its end.
struct Incarnation {
  NodeId node = 0;
  std::int64_t pid = 0;
  // Its first and last own records; its monitor's pings do not count, since they may outlive it.
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t last_but_sendings = 0;
  bool begins = false;   // with `start`: the trace has all of it
  bool stopped = false;  // with `stop`: it left by itself
  bool is_over = false;  // with `stop` or `crash`
  // Seen on its links alone: what it received may still wait in its socket, and shows nothing.
  bool observed = false;
  // Such a one pings several others, or one below itself: its pings do not show whom it follows.
  bool unsteady = false;
  // Its last sign of life: its own, or an act on its process.
  std::size_t last_sign = 0;
  // From here on it counts as gone; no_record: never. What shows it, unless it was passed over.
  std::size_t gone = no_record;
  std::size_t shown_dead = no_record;
  Waits waits = {};  // as its start says; else the defaults of this program
  // What was sent before this record need not have reached it: its predecessor was there.
  std::size_t hears_from = 0;
};

// From record `from` on, up to and without `to`, the node did not react.
struct Outage {
  std::size_t incarnation = 0;  // index into Timeline::incarnations
  std::size_t from = 0;
  std::size_t to = no_record;
};

// What a record shows of where its node stands in an election. A node that writes a trace says so.
// One that was observed shows it by what it sends, by whom it begins to ping, and by what it was
// told: that it then follows the one that won is taken for true, unless it shows otherwise.
struct Sign {
  enum class Kind : std::uint8_t { none, holds, wins, follows };
  Kind kind = Kind::none;  // holds: an election
  NodeId coordinator = 0;  // wins, follows: whom it follows from now on

  bool is(Kind other) const { return kind == other; }
  explicit operator bool() const { return kind != Kind::none; }
};

// Where a process stands, by the signs that it has given so far.
struct Stand {
  Sign sign = {};                          // the latest
  std::optional<NodeId> coordinator = {};  // whom it follows: nobody in an election, or before it
  std::size_t since = no_record;           // the record with which it began to

  bool holds() const { return sign.is(Sign::Kind::holds); }
  void take(Sign shown, std::size_t i) {
    if (!shown) return;
    const std::optional<NodeId> before = coordinator;
    coordinator.reset();
    if (!shown.is(Sign::Kind::holds)) coordinator = shown.coordinator;
    if (!sign || coordinator != before) since = i;
    sign = shown;
  }
};

// Indexes of records take 32 bits each, to halve what a long trace takes.
struct Timeline {
  // What the nodes run, as their starts say, in the order of the table. One, unless different ones
  // met in this trace. Without a start, the first that speaks all the messages there are.
  std::vector<const Algorithm*> algorithms;
  std::vector<NodeId> nodes;                                   // that have records, from the lowest
  std::vector<Incarnation> incarnations;                       // by their first record
  std::unordered_map<NodeId, std::vector<std::size_t>> lives;  // of each node: indexes of those
  std::vector<Outage> outages;
  // Nodes that take messages or send them, but have no record: they speak only the example's
  // protocol, or their trace is not here. Names of the dead are not among them.
  std::vector<NodeId> names_only;
  std::vector<std::uint32_t> incarnation_of;  // of each record: index into incarnations
  // A node that does not react for longer is absent.
  std::int64_t outage_ns = 0;
  std::vector<Sign::Kind> signs;  // of each record
  // partner[i], for a send: its receipt, or the record that says that it was lost; for a receive or
  // a lost: its sending, which stands before it. Else no_record.
  std::vector<std::uint32_t> partner;
  // Without a sending, by time; pings among them only where their sender records its pings.
  std::vector<std::size_t> unpaired;

  bool is_observed(std::size_t record) const {
    return incarnations[incarnation_of[record]].observed;
  }
  // Whether a `coordinator` of an observed node shows whom it follows: as it said so itself, or
  // pings only that one. REQUIRES: `record` is record `i`.
  bool shows_choice(const Record& record, std::size_t i) const {
    return record.said || !incarnations[incarnation_of[i]].unsteady;
  }
  // What it shows. REQUIRES: `record` is record `i`.
  Sign sign_of(const Record& record, std::size_t i) const;
  std::size_t index_of(const Incarnation& incarnation) const {
    return static_cast<std::size_t>(&incarnation - incarnations.data());
  }

  // What all nodes run; null where they run different ones.
  const Algorithm* algorithm() const {
    return algorithms.size() == 1 ? algorithms.front() : nullptr;
  }
};

Timeline timeline_of(const Trace& trace);

// Fills in what each record shows. REQUIRES: algorithms and incarnations are known.
void find_signs(const Records& records, Timeline& timeline);

// The life that node `node` has at record `record`, or had last before it; null before the first.
const Incarnation* incarnation_at(const Timeline& timeline, NodeId node, std::size_t record);

// --- The elections ---

// A node that held an election though nobody had asked it to.
struct Noticed {
  std::size_t record = 0;  // index into Trace::records
  NodeId node = 0;
  // Why: its suspicion ("down", "hung", "deposed"); or "start": it started, or came back under its
  // old id; or "resumed": it was stopped and went on, or the trace does not show why; or "unseen":
  // the node was only observed, and why it did so cannot be seen.
  std::string_view trigger = {};
  std::optional<NodeId> suspected = std::nullopt;
};

struct Election {
  std::size_t number = 0;  // from 1, by time
  // Indexes into Trace::records; the last is still part of it. Records of other things, of pings
  // say, may lie between. No two elections overlap.
  std::size_t first_record = 0;
  std::size_t last_record = 0;
  // Where all live nodes followed the winner; nothing where the trace ends before that.
  std::optional<std::size_t> settled_record = std::nullopt;
  // Whom all live nodes then followed; nothing where the election did not end, or all had left.
  std::optional<NodeId> winner = std::nullopt;
  // Whether any process held it: a message of it was sent, a process was in one of its states, or
  // acted by a rule. Processes that agree from the beginning hold none.
  bool held = false;
  // Where the winner took office, or announced itself again; nothing where it only stayed.
  std::optional<std::size_t> won_record = std::nullopt;
  // Who noticed, by time. May be empty: a late message can start an election as well.
  std::vector<Noticed> detections = {};
  // The live nodes when it ended, from the lowest.
  std::vector<NodeId> survivors = {};
};

// The elections of `trace`, by time. `timeline` is that of the same trace.
std::vector<Election> elections_of(const Trace& trace, const Timeline& timeline);

// How long a phase took. A crash leaves no line, so the time since it can often only be bounded.
struct Phase {
  std::int64_t ns = 0;
  bool at_most = false;
};

// What the textbook counts for an election that nothing disturbs, by the algorithm that all nodes
// run: one detector or several, of which the lowest has rank `lowest_rank` among the nodes; or
// one process that comes.
struct TextbookCount {
  std::size_t lowest_rank = 0;
  MessageCounts sent = {};
  MessageCounts delivered = {};  // without those to the dead coordinator
};

// What an election took, in time (by the trace's clock) and in messages. One that took longer, or
// more messages than the textbook says, is not wrong for that.
struct Figures {
  // The coordinator whose end began it, and where the trace last shows it: its `stop` or `crash`,
  // or the last line before it hung, or crashed unrecorded.
  std::optional<NodeId> lost_coordinator;
  std::optional<std::size_t> last_sign;
  // From the coordinator's end to the first detection; from there to the winner's taking office;
  // from there until all follow. Nothing where the trace does not show both ends.
  std::optional<Phase> detect;
  std::optional<Phase> elect;
  std::optional<Phase> announce;
  MessageCounts sent;
  MessageCounts delivered;
  MessageCounts lost;
  // How many nodes the textbook counts in: also the dead coordinator, but not on a ring.
  std::size_t nodes = 0;
  std::optional<TextbookCount> textbook;  // nothing where there is none for this case
  std::optional<MessageCounts> bound;     // the most it may take; nothing where it did not end
  // In the types that the bound counts; on a ring without those lost to dead neighbours.
  bool exceeds_bound = false;
};

Figures figures_of(const Trace& trace, const Timeline& timeline, const Election& election);

// A time in which two live nodes both held themselves coordinator. That each was alive is shown by
// a later line of its own; one that crashed was alive up to its last line.
struct TwoCoordinators {
  NodeId lower = 0;
  NodeId higher = 0;
  std::size_t from_record = 0;
  std::size_t to_record = 0;  // where one of them gave way, or was last heard of
};
std::vector<TwoCoordinators> two_coordinators(const Trace& trace, const Timeline& timeline);

}  // namespace bully
