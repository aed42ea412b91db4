// history.h: the processes and messages of a run, at every moment.
//
// A fold: it takes one record after the other, in the order of time, and holds the state after the
// latest record. Everything that shows or judges a run asks it: the verdict, diagrams, the counts
// of an election. It keeps the past as far as a reader asks for it: lives, elections, the
// stretches of time in which nothing disturbed the processes.
//
// It never judges (../verdict/verdict.h does), and knows no
// election by name. Times are nanoseconds of the trace's clock; indexes point to records.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/list.h"
#include "election/algorithm.h"
#include "history/elections.h"
#include "trace/environment.h"

namespace bully {

// A process's own word may be true, or be its fault: that it was stopped, though no other record
// says so, or that another does not react. The generous reading believes each word, and all that a
// later line could still show; the strict one believes a record, or two witnesses, and that a
// process ran until it was killed.
enum class Reading : std::uint8_t { generous, strict };
inline constexpr std::array readings = {Reading::generous, Reading::strict};

// The end of a calm. The first three leave timeouts right; an outage makes timeouts about its
// process wrong; the others make all wrong.
inline constexpr auto disturbance_names = std::to_array<std::string_view>({
    "start",       // a process starts, unless a script gave it a coordinator
    "end",         // a process leaves, is killed, or is found gone
    "untraced",    // a message of an election comes from a process without a trace
    "outage",      // a process is stopped (SIGSTOP) and goes on later
    "loss",        // a message of an election is lost
    "cut",         // the network is cut
    "suspicion",   // a process suspects another whose end no record shows
    "late_timer",  // a timer expires while a message that it waits for, or its request, is on its
                   // way
});
using DisturbanceKind = OneOf<disturbance_names>;

struct Disturbance {
  DisturbanceKind kind = "start";
  NodeId node = 0;                 // the process concerned
  std::size_t record = no_record;  // that shows it
  std::int64_t from_ns = 0;
  std::int64_t to_ns = 0;  // `forever` while it lasts
};

// A machine under load may be this late.
inline constexpr std::int64_t slack_ns = 2'000'000'000;
inline constexpr std::int64_t forever = std::numeric_limits<std::int64_t>::max() / 4;
// Before any time of a trace by more than `forever`: all have settled since.
inline constexpr std::int64_t since_ever = -2 * forever;

// The stretches of time in which nothing disturbed the processes for longer than they need to
// settle.
class Quiet {
 public:
  struct Stretch {
    std::int64_t from_ns;  // the end of the disturbance before it
    std::int64_t to_ns;
    std::int64_t settled_ns;           // from here on all have had the time to settle
    std::optional<NodeId> announcing;  // at its end: see History::announcing()
  };

  // True until it is disturbed: the beginning of a trace is no disturbance.
  bool is_calm(std::int64_t t_ns, std::int64_t settle_ns) const {
    return t_ns - since_ns() > settle_ns;
  }
  // A disturbance over [from_ns, to_ns]; with `forever`, until end(). One without a length can be
  // taken back for `slack_ns`: it was none.
  void disturb(std::int64_t from_ns, std::int64_t to_ns, std::int64_t settle_ns,
               std::optional<NodeId> announcing);
  void end(std::int64_t to_ns);
  void take_back(std::int64_t t_ns);
  // The stretches that reach beyond `after_ns`, the present one included, cut off at `now_ns`.
  std::vector<Stretch> since(std::int64_t after_ns, std::int64_t now_ns,
                             std::int64_t settle_ns) const;

 private:
  std::int64_t since_ns() const { return *ends_.rbegin(); }

  std::vector<Stretch> past_;
  // The ends of the latest disturbances. While a disturbance lasts: `forever`.
  std::multiset<std::int64_t> ends_ = {since_ever};
};

struct Outage {
  std::int64_t from_ns = 0;
  std::int64_t to_ns = forever;
  bool is_witnessed = false;  // by a record of its stop, or by its own word and another's suspicion
  bool is_taken_up = false;   // it has gone on, with a step
};

// A line that a process's own count of its lines shows to be missing or out of place.
inline constexpr auto damage_names =
    std::to_array<std::string_view>({"line_missing", "line_repeated", "unnumbered"});
using DamageKind = OneOf<damage_names>;
struct Damage {
  DamageKind kind = "line_missing";
  std::size_t record = 0;
  std::uint64_t line = 0;  // the process's line that is due, or is there twice; 0: it has no number
};

// A process under one id, from its start to its end.
struct Life {
  enum class End : std::uint8_t { none, left, killed, replaced };

  // An event at a process, and all that it does until the next one.
  struct Step {
    Moment begun = {};
    Record opening = {};                              // the event
    std::optional<std::size_t> cause = std::nullopt;  // the sending of the message that it handles
    // The answer that the description promises to that message, until it is sent.
    std::optional<MessageType> owes = std::nullopt;

    // True if this sending is that answer.
    bool is_owed(const Record& sending) const {
      return sending.event == TraceEvent::send && sending.to == opening.from &&
             owes == sending.type;
    }
    // No message caused it: the process acts by itself.
    bool is_own_idea() const {
      if (begun.record == no_record) return false;
      return opening.event == TraceEvent::start || opening.event == TraceEvent::suspect ||
             opening.event == TraceEvent::step;
    }
  };

  NodeId node = 0;
  std::int64_t pid = 0;
  std::size_t index = 0;  // in History::lives()
  Moment first = {};
  bool begins = false;    // with its `start`: the trace has all of it
  bool observed = false;  // a recorder saw its links, and nothing else is known of it
  const Algorithm* algorithm = nullptr;  // null: no line names it

  // Its lines. It is known to be alive up to `last_own`: its latest own line but `resume`, or the
  // simulator's `end`; after damage no line counts.
  std::uint64_t lines_due = 1;
  std::optional<Damage> damage = std::nullopt;
  Moment last_own = {};

  // Its end by a record; and signs of others since its latest own line: it was found gone, it did
  // not react to pings, it was stopped.
  End how = End::none;
  Moment end = {};
  std::optional<Moment> gone = std::nullopt;
  std::optional<Moment> silent = std::nullopt;
  std::optional<Moment> paused = std::nullopt;
  std::vector<std::int64_t> found_down = {};  // since its latest own line, when others said so
  std::vector<Outage> outages = {};           // that are over
  std::uint64_t side = 0;                     // of a cut network; 0: it is not cut

  // Its state.
  Snapshot now = {};
  std::optional<Moment> takes_part = std::nullopt;  // in an election, since then
  // The beginning of the step in which it began to: it may have listed the others as early.
  Moment joining = {};
  std::optional<Moment> office = std::nullopt;  // it follows itself, since then
  Step step = {};                               // the present one
  // A wait: the longest time that it may last, when it is surely over, whose it is, and which. By
  // its timers; the last one is its monitor's, until it repeats a report.
  using Wait = std::tuple<std::int64_t, std::int64_t, std::size_t, std::size_t>;
  static constexpr std::size_t wait_of_monitor = timer_count;
  std::array<std::optional<Wait>, timer_count + 1> waiting = {};
  // How often its monitor has reported, in this office, that it is not the coordinator of all.
  unsigned reports = 0;
  // Messages of elections in flight, from it and to it, by the record of their sending.
  std::set<std::size_t> open = {};

  // Neither ended, nor stopped, nor found gone or silent since its latest line.
  bool is_present() const { return how == End::none && !gone && !silent && !paused; }
  bool is_over() const { return how != End::none; }
  // It goes on after an outage, and has not written a line since.
  bool has_just_returned() const {
    return !paused && !outages.empty() && outages.back().to_ns >= last_own.t_ns;
  }
  // True if it was stopped within [from_ns, to_ns].
  bool was_away(Reading reading, std::int64_t from_ns, std::int64_t to_ns) const;
};

// Coordinators of which others may still have to hear: the first in rank, and the first in rank
// that another life, or none, shows.
struct Announcing {
  struct One {
    NodeId winner;
    const Life* in_step;  // the life in office whose step may not be over yet; null: in flight
  };
  std::optional<One> first = std::nullopt;
  std::optional<One> second = std::nullopt;

  // The first in rank, if the step of this life was over. Null: none was.
  std::optional<NodeId> without(const Life* idle) const {
    const bool is_first = first && (idle == nullptr || first->in_step != idle);
    const std::optional<One>& found = is_first ? first : second;
    return found ? std::optional(found->winner) : std::nullopt;
  }
};

// A message that has been sent, and neither received nor lost.
struct SentMessage {
  Moment sent = {};
  MessageType type = messages::ping;
  NodeId from = 0;
  NodeId to = 0;
  std::size_t sender = 0;                              // its life
  std::optional<std::size_t> receiver = std::nullopt;  // the life to which it was sent
  std::optional<NodeId> announces = std::nullopt;      // the winner that it names
  std::optional<std::size_t> request = std::nullopt;   // the sending that it answers
};

class History {
 public:
  // `algorithm`: of processes whose start names none.
  History() : History(default_algorithm()) {}
  explicit History(const Algorithm& algorithm);

  // The next record, with its index. REQUIRES: record.t_ns is not below that of the one before.
  void take(const Record& record, std::size_t i);

  const std::deque<Life>& lives() const { return lives_; }
  // The latest life under this id; null if the trace shows none.
  const Life* life(NodeId node) const;
  // Its life at this moment: the latest that began before.
  const Life* life_at(NodeId node, std::int64_t t_ns) const;
  // The process under this id, as another would find it now.
  Snapshot snapshot(NodeId node) const;
  // The life of the latest record's process, or null.
  const Life* current() const { return current_; }
  std::vector<NodeId> nodes() const;  // with lives, from the lowest
  // Processes that take part without a trace.
  std::vector<NodeId> names_only() const;
  // Of all starts, in the order of the table; the one given if no start names any.
  std::vector<const Algorithm*> algorithms() const;
  const Algorithm& algorithm() const { return *algorithm_; }
  // True once processes have run different ones.
  bool is_mixed() const { return named_.size() > 1; }
  const std::set<std::string_view>& variants() const { return variants_; }
  const std::map<std::string_view, std::uint64_t>& rules() const { return rules_; }

  // Messages in flight, by the record of their sending. The latest record's message, if it ended
  // there; nothing if its sending is not in the trace.
  const std::map<std::size_t, SentMessage>& in_flight() const { return in_flight_; }
  const std::optional<SentMessage>& arrived() const { return arrived_; }
  // True for a message of an election that is in flight to a live process.
  bool is_awaited(const SentMessage& message) const;
  // True for a present process that follows no process, or a lost one.
  bool is_undecided(const Life& life) const;

  // Processes in office. If there are several: the coordinators that others may still hear of, at
  // this time: a coordinator in a step that may be unfinished, or whose announcement is in flight
  // or is being handled. `stepping`: a life whose step has just ended, or null.
  const std::set<std::size_t>& offices() const { return offices_; }
  Announcing announcing(std::int64_t t_ns, const Life* stepping = nullptr) const;
  struct Office {
    std::size_t life;
    Moment since;
    Moment until;  // as far as a record shows it
  };
  std::vector<Office> all_offices() const;

  // The time within which a message arrives, and within which all agree, undisturbed; `forever` if
  // a person holds messages, or no detector runs.
  std::int64_t arrive_ns() const;
  std::int64_t settle_ns() const;
  // The stretches of [from_ns, to_ns] in which nothing disturbed the processes; and in which
  // timeouts were right, except about a process that was away.
  std::vector<Quiet::Stretch> calm(Reading reading, std::int64_t from_ns,
                                   std::int64_t to_ns) const {
    return calm_[at(reading)].since(from_ns, to_ns, settle_ns());
  }
  std::vector<Quiet::Stretch> right(Reading reading, std::int64_t from_ns,
                                    std::int64_t to_ns) const {
    return right_[at(reading)].since(from_ns, to_ns, settle_ns());
  }
  // True if timeouts were right at both times and in between. True if timeouts about this process
  // were not right then: an outage of it, or the time that all need to settle after it, goes on.
  bool was_right(Reading reading, std::int64_t from_ns, std::int64_t to_ns) const;
  bool is_away(const Life& life, Reading reading, std::int64_t t_ns) const;
  // That broke an assumption, in the generous reading. Of many, the first ones.
  const std::vector<Disturbance>& disturbances() const { return disturbances_; }
  std::uint64_t disturbance_count() const { return disturbance_count_; }
  // Of a process that no script gave a coordinator; `since_ever`: none has started.
  std::int64_t latest_start_ns() const { return latest_start_ns_; }

  const Elections& elections() const { return elections_; }

 private:
  static constexpr std::size_t at(Reading reading) { return static_cast<std::size_t>(reading); }

  Life* latest_life(NodeId node);
  Life* life_of(const Record& record, std::size_t i);
  Life& begin_life(const Record& record, std::size_t i);
  void end_life(Life& life, Life::End how, Moment when);
  void take_own_line(Life& life, const Record& record, Moment now);
  void count_line(Life& life, const Record& record, Moment now);
  void take_act(Life& life, const Record& record, Moment now);
  void end_outage(Life& life, Moment now, bool is_witnessed);
  void leave_side(Life& life, Moment now);
  void take_message(Life& life, const Record& record, Moment now);
  void take_arrival(Life& life, const Record& record, Moment now);
  void take_suspicion(const Record& record, Moment now);
  void find_gone(Life& life, Moment now);
  void take_state(Life& life, const Record& record, Moment now);
  void take_timers(Life& life, const Record& record, Moment now);
  void take_report(Life& life, Moment now);
  void start_waiting(Life& life, std::size_t timer, std::int64_t longest_ns, Moment now);
  void stop_waiting(Life& life, std::size_t timer);
  void leave_office(Life& life, Moment until);
  bool is_in_step(const Life& life, std::int64_t t_ns) const;
  bool is_late(const Life& life, std::int64_t t_ns) const;
  std::vector<Quiet*> disturbed_by(DisturbanceKind kind, bool is_strict);
  void disturb(const Disturbance& one, Moment now, bool is_strict);
  void disturb_quiet(DisturbanceKind kind, bool is_strict, std::int64_t from_ns, std::int64_t to_ns,
                     Moment now);
  void end_disturbance(DisturbanceKind kind, NodeId node, Moment now);
  void take_back_suspicions(const Life& life, Moment now);

  const Algorithm* algorithm_;
  std::deque<Life> lives_;
  std::map<NodeId, std::vector<std::size_t>> lives_of_;
  const Life* current_ = nullptr;
  std::set<NodeId> names_;            // heard, or followed, or not reached
  std::set<const Algorithm*> named_;  // by starts, in the order of the table
  std::set<std::string_view> variants_;
  std::map<std::string_view, std::uint64_t> rules_;

  using Name = std::tuple<NodeId, NodeId, MessageType, FieldValues::Value>;
  // By sender and receiver, as lives: sendings, the oldest first.
  using Sendings =
      std::map<std::pair<std::size_t, std::optional<std::size_t>>, std::deque<std::size_t>>;
  std::map<Name, Sendings> by_name_;
  std::map<std::size_t, SentMessage> in_flight_;
  std::map<NodeId, std::map<std::size_t, NodeId>> announced_;  // by winner: messages, receivers
  std::optional<SentMessage> arrived_;

  std::set<std::size_t> offices_;  // lives
  std::vector<Office> past_offices_;

  Waits longest_ = {};         // of all lives
  bool is_unbounded_ = false;  // a person holds messages
  bool is_unwatched_ = false;  // a process has no detector
  std::set<Life::Wait> running_;
  std::int64_t longest_wait_ns_ = 0;  // since all had settled

  std::array<Quiet, readings.size()> calm_;
  std::array<Quiet, readings.size()> right_;
  std::vector<Disturbance> disturbances_;
  std::uint64_t disturbance_count_ = 0;
  std::size_t cut_sides_ = 0;
  std::int64_t latest_start_ns_ = since_ever;

  Elections elections_;
};

}  // namespace bully
