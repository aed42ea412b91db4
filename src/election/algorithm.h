// algorithm.h: the description of an election, and the table of all that there are.
//
// Everything that runs, draws or checks an election asks its description, and knows no algorithm by
// name. A new algorithm is a file pair beside this one and a line in algorithm.cc, or a line in a
// table of the program's own: see use_algorithms.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "election/ping_reply.h"
#include "election/protocol.h"
#include "election/record.h"

namespace bully {

// Makes a new process's protocol, by its id: an algorithm's own, or a faulty one of a test.
using ProtocolMaker = std::function<std::unique_ptr<Protocol>(NodeId)>;

struct Algorithm;

using Nodes = std::span<const Snapshot* const>;

// An assumption of a property: if it does not hold in a run, the property is not promised.
enum class Assumption : std::uint8_t {
  nobody_stopped,  // no process is stopped and continued later
  nobody_joins,    // no process starts, or comes back, while the others run
  no_loss,         // each message to a live process arrives: the network is never cut
  synchronous,     // timeouts are right [CDK]: no live process is suspected
};
// Each possible cause of a wrong timeout comes before `synchronous`.
inline constexpr std::array assumptions = {Assumption::nobody_stopped, Assumption::nobody_joins,
                                           Assumption::no_loss, Assumption::synchronous};
inline std::string_view assumption_name(Assumption assumption) {
  constexpr std::array<std::string_view, assumptions.size()> names = {
      "nobody-stopped", "nobody-joins", "no-loss", "synchronous"};
  return names.at(static_cast<std::size_t>(assumption));
}

class Assumptions {
 public:
  constexpr Assumptions(std::initializer_list<Assumption> members) {
    for (const Assumption member : members) bits_ |= bit(member);
  }
  constexpr bool has(Assumption member) const { return (bits_ & bit(member)) != 0; }

 private:
  static constexpr unsigned bit(Assumption member) { return 1U << static_cast<unsigned>(member); }
  unsigned bits_ = 0;
};

// A promise of an election: a safety property says what must never happen, a liveness property what
// must happen in the end. `holds` checks it in a state; without it, it is a property of whole runs,
// for ../verdict/judge.h and ../explorer/explorer.h.
struct Property {
  enum class Moment : std::uint8_t {
    none,        // only a whole run shows it
    every,       // it must hold at every moment
    in_the_end,  // it must hold when every message and timer has been handled
  };
  std::string_view key = {};  // its fixed name, and that of its words
  Moment moment = Moment::none;
  bool (*holds)(const Algorithm& algorithm, Nodes nodes) = nullptr;
  Assumptions assumes = {};
  // For a safety property about coordinators: true if the step in which `taker` has just taken one,
  // itself or another, could have broken it; `nodes` are all nodes before that step. An exhaustive
  // search counts such steps: without any, it has proved nothing. Null: any step may break it.
  bool (*is_at_stake)(const Snapshot& taker, Nodes nodes) = nullptr;
};

// All that are alive follow the preferred one of them; none follows one it is itself preferred to.
bool all_follow_the_preferred(const Algorithm& algorithm, Nodes nodes);
bool none_follows_a_lesser(const Algorithm& algorithm, Nodes nodes);

// Property::is_at_stake: the process has taken another as coordinator; it has taken itself.
bool has_taken_another(const Snapshot& taker, Nodes nodes);
bool has_taken_itself(const Snapshot& taker, Nodes nodes);

// A value that must be the same for all live processes, for example the coordinator; nothing if
// this process shows none.
using Show = std::optional<NodeId> (*)(const Snapshot& node);

// Property::holds for such a value; and Property::is_at_stake: the process and another one show it.
template <Show show>
bool show_the_same(const Algorithm& /*algorithm*/, Nodes nodes) {
  std::optional<NodeId> first;
  return std::ranges::all_of(nodes, [&](const Snapshot* node) {
    const std::optional<NodeId> value = node->is_alive() ? show(*node) : std::nullopt;
    if (!first) first = value;
    return !value || value == first;
  });
}
template <Show show>
bool another_shows_one(const Snapshot& taker, Nodes nodes) {
  return show(taker) && std::ranges::any_of(nodes, [&](const Snapshot* node) {
           return node->id != taker.id && node->is_alive() && show(*node);
         });
}

namespace properties {

using Moment = Property::Moment;

inline constexpr Property highest_live{"highest-live", Moment::in_the_end,
                                       all_follow_the_preferred};
// No process follows a lower one than itself.
inline constexpr Property never_lower{.key = "never-lower",
                                      .moment = Moment::every,
                                      .holds = none_follows_a_lesser,
                                      .is_at_stake = has_taken_another};
// The same two for an election that the lowest wins.
inline constexpr Property lowest_live{"lowest-live", Moment::in_the_end, all_follow_the_preferred};
inline constexpr Property never_higher{.key = "never-higher",
                                       .moment = Moment::every,
                                       .holds = none_follows_a_lesser,
                                       .is_at_stake = has_taken_another};
// Each election ends. For the explorer: an end can be reached from everywhere, and one comes.
inline constexpr Property ends{"ends"};
inline constexpr Property reachable{"reachable"};
inline constexpr Property progress{"progress"};
// Of the network, and so of every run: no receipt without its sending; each message arrives, or is
// recorded as lost.
inline constexpr Property sent{"sent"};
inline constexpr Property arrives{"arrives"};
// In a run, by Algorithm::answers. And by `highest_live` or `lowest_live`: whenever nothing has
// disturbed the processes for long enough, all follow the preferred one.
inline constexpr Property answers{"answers"};
inline constexpr Property agreement{"agreement"};
// The announced process is the highest of all that were live all along; and there are no two
// coordinators of which the lower has not heard.
inline constexpr Property highest_wins{
    .key = "highest-wins",
    .assumes = {Assumption::synchronous, Assumption::nobody_joins},
    .is_at_stake = has_taken_itself};
inline constexpr Property one_coordinator{.key = "one-coordinator",
                                          .assumes = {Assumption::synchronous},
                                          .is_at_stake = has_taken_itself};
inline constexpr Property message_count{"message-count"};
// On a ring: messages arrive in the order of sending; and an election that nothing disturbs takes
// no more messages than the bound.
inline constexpr Property fifo{"fifo"};
inline constexpr Property within_bound{"within-bound"};

}  // namespace properties

enum class Topology : std::uint8_t {
  everyone,  // each process to every other
  ring,      // each to its clockwise neighbour
};

// The processes that notice that the coordinator has crashed.
enum class Noticing : std::uint8_t {
  highest,  // the process that is next in line
  lowest,
  all,      // all at once
  someone,  // a process chosen at random
};

// An election that nothing disturbs, as the textbook counts it.
struct CountedElection {
  // The processes that take part, without a lost coordinator, clockwise; on a ring the order
  // counts.
  std::span<const NodeId> processes;
  // The least preferred process that noticed; or the process that came back.
  NodeId detector = 0;
  // Whether they had lost a coordinator preferred to all of them, whose name they still know.
  bool lost_coordinator = false;
  std::size_t noticed = 1;
};

// The same election with another protocol: a common mistake, for comparison.
struct Variant {
  std::string_view name;
  std::unique_ptr<Protocol> (*make)(NodeId self);
  const Rule* rule;  // the wrong one
};

inline bool higher_first(NodeId a, NodeId b) {
  return a > b;
}
inline bool lower_first(NodeId a, NodeId b) {
  return a < b;
}

// A message that gets an answer in the step that handles it, if its sender ranks above its
// receiver, or below it: from the other side no process of this election sends it.
struct Answered {
  MessageType request;
  MessageType answer;
  bool from_preferred = false;
};

struct Algorithm {
  std::string_view name;  // as in --algorithm=NAME
  ProtocolMaker make;
  Topology topology = Topology::everyone;
  bool is_fifo = false;  // whether it needs links on which no message overtakes another
  // Whether a process in an election watches its neighbour. Then all other hung processes
  // must be reported to it together with that one (protocol.h, duty 7).
  bool watches_neighbour = false;
  // Its own messages and states, in the order in which the textbook speaks of them, and its rules.
  std::vector<MessageType> messages;
  std::span<const StateKind> states = {};
  std::vector<const Rule*> rules;
  std::vector<Answered> answers = {};
  std::vector<const Property*> properties = {};  // that hold for it
  // The condition that a coordinator checks for each other process (protocol.h, duty 6), given the
  // replies of both to a ping. Null: it checks none.
  bool (*finds)(const PingReply& own, const PingReply& other) = nullptr;
  bool (*prefers)(NodeId a, NodeId b) = higher_first;
  // Whether a coordinator gives way to each live process preferred to it, and so looks for one.
  bool gives_way = true;
  // The processes that must notice a crash so that the election ends, if a process that is asked
  // starts no election itself. Nothing: any one process is enough.
  std::optional<Noticing> must_notice = {};
  // Whether `count` includes messages to processes that are gone, and n the lost coordinator: not
  // if the next process gets such a message instead.
  bool counts_lost = true;
  // The number of messages of this election. Null: unknown.
  MessageCounts (*count)(const CountedElection& election) = nullptr;
  // The number of these that arrive. Null: all of them.
  MessageCounts (*delivered)(const CountedElection& election) = nullptr;
  // The most that any election of `n` processes takes, a lost coordinator among them if it counts.
  // Null: no bound is known.
  MessageCounts (*bound)(std::size_t n) = nullptr;
  // The most that an election takes after the coordinator of this number of processes has crashed.
  // REQUIRES: bound != nullptr && nodes > 0.
  MessageCounts bound_after_crash(std::size_t nodes) const {
    return bound(counts_lost ? nodes : nodes - 1);
  }
  // Puts these, sorted from the lowest, into a clockwise order with which an election takes the
  // most messages. Null: none takes more than another.
  void (*arrange_worst)(std::span<NodeId> processes) = nullptr;
  // Changes a node's words (Protocol::save) to those of one with the same future by the same rules,
  // so that an exhaustive search has fewer to visit. Null: there is no such reduction.
  void (*forget_idle_words)(std::vector<std::uint64_t>& words) = nullptr;
  std::span<const Variant> variants = {};
  // For rules outside this program, which may change while nodes run. How traces and replies to
  // status requests call it, "NAME@VERSION", and how --algorithm does. Empty: by its name.
  std::string_view signature = {};
  std::string_view option = {};
  // Asks once more everything that its rules have answered, if they are outside this program.
  // Throws if an answer differs: a protocol is a function of its state and the event.
  std::function<void()> confirm = {};

  std::string_view signed_name() const { return signature.empty() ? name : signature; }
  std::string_view option_value() const { return option.empty() ? name : option; }
  // For pings of a coordinator `self` (protocol.h, duty 6): true if the live process should be
  // coordinator instead; and if the process with reply `other` meets the condition `finds`.
  bool outranks(NodeId alive, NodeId self) const { return gives_way && prefers(alive, self); }
  bool looks_for(const PingReply& self, const PingReply& other) const {
    return finds != nullptr && self.coordinator == self.id && finds(self, other);
  }
  bool speaks(MessageType type) const;
  // Null: it has none of this name.
  const Variant* find_variant(std::string_view variant) const;
  // Which of these should be coordinator. REQUIRES: !ids.empty().
  NodeId preferred_of(std::span<const NodeId> ids) const;
  // Which of these begins an election in slow motion, if all detect that their coordinator is gone:
  // one alone, so that nobody waits for several elections. The most instructive one, of the most
  // messages, unless another one must. REQUIRES: !ids.empty().
  NodeId first_to_report(std::span<const NodeId> ids) const;
  // True if the order on a ring matters.
  bool has_ring() const { return topology == Topology::ring; }
};

// All of them; the first is the default.
std::span<const Algorithm> algorithms();
// The properties of all of them, each once, in this one's ranking: never-higher in place of
// never-lower, say, where the lowest process wins.
std::vector<const Property*> known_properties(const Algorithm& asked);
// From now on all that there are, at least one; to be called first.
void use_algorithms(std::span<const Algorithm> table);
// One more, whose words outlive the run. References to the others stay valid.
// REQUIRES: at most max_added_algorithms are added.
inline constexpr std::size_t max_added_algorithms = 32;
const Algorithm& add_algorithm(Algorithm added);
std::span<const Algorithm> built_in_algorithms();
inline constexpr char version_mark = '@';  // in a signature, before the version
// In a command to be typed: " --algorithm=…"; nothing for the default one.
std::string algorithm_option(const Algorithm& algorithm);
// The election of this name: the first returns null for an unknown one, the second the default one.
const Algorithm* find_algorithm(std::string_view name);
const Algorithm& algorithm_named(std::string_view name);
inline const Algorithm& default_algorithm() {
  return algorithms().front();
}

// True if the property holds for these nodes; in the end, only the running ones count. REQUIRES:
// property.holds.
bool is_kept(const Property& property, const Algorithm& algorithm, std::span<const Snapshot> nodes);

// The state of this name of any algorithm, or the rule of this key; null if there is none.
const StateKind* find_state(std::string_view name);
// For a recorded state. An unknown one belongs to an election.
StateRole role_of(std::string_view state);
bool is_coordinating(std::string_view state);
bool is_settled(std::string_view state);
bool is_in_election(std::string_view state);
const Rule* find_rule(std::string_view key);

// All messages of an election together: those of each type but pings and status requests.
std::uint64_t election_total(const MessageCounts& counts);

template <typename Kind>
std::unique_ptr<Protocol> make_protocol(NodeId self) {
  return std::make_unique<Kind>(self);
}

}  // namespace bully
