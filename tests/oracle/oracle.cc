#include "oracle/oracle.h"

#include <algorithm>
#include <cctype>

#include "oracle/oracle_run.h"
#include "trace/environment.h"
#include "trace/trace.h"

namespace bully {

namespace {

using namespace oracle;

std::string said(Index i) {
  return " at " + std::to_string(i + 1);
}
std::string named(NodeId node) {
  return std::to_string(node);
}

// A sequence number is a number or null, which the record alone does not tell.
bool has_odd_number(std::string_view text) {
  constexpr std::string_view key = "\"seq\":";
  for (auto at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    const std::string_view value = text.substr(at + key.size(), 4);
    const bool is_number =
        !value.empty() && std::isdigit(static_cast<unsigned char>(value[0])) != 0;
    if (!is_number && value != "null") return true;
  }
  return false;
}

std::string refusal(const std::vector<Record>& records) {
  for (const Record& record : records) {
    const bool is_receipt = record.event == TraceEvent::receive;
    const NodeId own = is_receipt ? record.to : record.from;
    if (is_about_message(record) && own != record.node) return "refused: of another node";
  }
  return {};
}

// 1. Every life has its beginning, and all take part in the same election; nobody is left out.
std::string incomplete(const Run& run) {
  for (const Life& life : run.lives) {
    if (!life.has_start) return "no beginning: of " + named(life.node) + said(life.first());
    const auto is_same = [&](const Life& other) {
      return other.first() < life.first() && other.node == life.node && other.pid == life.pid &&
             run.t(other.first()) == run.t(life.first()) && !other.has_ended();
    };
    if (std::ranges::any_of(run.lives, is_same)) return "twice: a start" + said(life.first());
  }
  for (const Record& record : run.records) {
    const std::string_view name =
        record.algorithm.empty() ? default_algorithm().name : record.algorithm;
    if (record.event == TraceEvent::start && name != run.algorithm->name)
      return "mixed: algorithms";
  }
  const auto has_lines = [&](NodeId node) {
    return std::ranges::any_of(
        run.lives, [&](const Life& life) { return life.node == node && !life.own.empty(); });
  };
  for (Index i = 0; i < run.records.size(); ++i) {
    const Record& record = run.records[i];
    std::optional<NodeId> other;
    if (record.event == TraceEvent::receive) other = record.from;
    if (record.event == TraceEvent::coordinator) other = record.coordinator;
    if (record.event == TraceEvent::send) {
      const bool is_gone = std::ranges::any_of(run.records, [&](const Record& end) {
        return end.event == TraceEvent::lost && end.reason == "gone" && end.from == record.from &&
               end.to == record.to && end.number == record.number && end.type == record.type;
      });
      if (!is_gone) other = record.to;
    }
    if (other && !has_lines(*other)) return "stranger: " + named(*other) + said(i);
  }
  return {};
}

// A process says its state, one of its algorithm's, before whom it follows, and the two fit.
std::string contradiction(const Run& run) {
  for (Index i = 0; i < run.records.size(); ++i) {
    const Record& record = run.records[i];
    const Life& life = run.life_at(i);
    if (record.event == TraceEvent::state && state_of(*run.algorithm, record.state) == nullptr)
      return "contradiction: no such state" + said(i);
    if (record.event != TraceEvent::coordinator) continue;
    const Standing& at = run.standing(life, i);
    const bool is_own = record.coordinator == record.node;
    const StateRole fits = is_own ? StateRole::coordinating : StateRole::following;
    if (!at.state.empty() && at.role != fits) return "contradiction: state" + said(i);
  }
  // One that was killed may have written only half of it.
  for (const Life& life : run.lives) {
    const bool is_killed = life.left == no_line && life.known_dead != no_line;
    const Standing& at = run.standing(life, run.end());
    if (is_killed || at.state.empty()) continue;
    const bool follows = at.role == StateRole::following || at.role == StateRole::coordinating;
    const bool is_own = at.coordinator == life.node;
    const bool fits = follows ? at.coordinator && is_own == (at.role == StateRole::coordinating)
                              : !at.coordinator;
    if (!fits) return "contradiction: at the end, " + named(life.node);
  }
  return {};
}

// A message that was sent has arrived, or is known to be lost, unless its receiver cannot take it.
std::string in_flight(const Run& run) {
  for (Index i = 0; i < run.records.size(); ++i) {
    const Record& sent = run.records[i];
    if (sent.event != TraceEvent::send || !is_about_election(sent)) continue;
    const auto is_like = [&](const Record& other, TraceEvent event) {
      return other.event == event && other.type == sent.type && other.from == sent.from &&
             other.to == sent.to && other.number == sent.number && other.values == sent.values;
    };
    const auto like = [&](TraceEvent event) {
      return std::ranges::count_if(run.records,
                                   [&](const Record& other) { return is_like(other, event); });
    };
    if (like(TraceEvent::send) <= like(TraceEvent::receive) + like(TraceEvent::lost)) continue;
    const Life* to = run.latest(sent.to, i);
    const bool is_there =
        to != nullptr && to->left == no_line && to->known_dead == no_line && !run.is_absent(*to);
    const bool has_dropped = to != nullptr && std::ranges::any_of(to->own, [&](Index line) {
                               return line > i && run.records[line].event == TraceEvent::drop;
                             });
    if (is_there && !has_dropped) return "in flight" + said(i);
  }
  return {};
}

// Whether line `i` shows that its process holds an election, or has won one. That it starts as
// coordinator shows nothing: so do processes that have agreed from the beginning.
bool shows_election(const Run& run, Index i) {
  const Record& record = run.records[i];
  const Life& life = run.life_at(i);
  if (record.event != TraceEvent::state) return false;
  const Standing& after = run.standing(life, i);
  if (after.role >= StateRole::asking) return true;
  const bool is_first = life.own.size() > 1 && life.own[1] == i;
  return after.role == StateRole::coordinating && !is_first &&
         run.standing(life, i - 1).role != StateRole::coordinating;
}

// Whether all that are there follow one of them.
bool all_agree(const Run& run, Index i) {
  std::optional<NodeId> agreed;
  for (const Life& life : run.lives) {
    if (!run.is_alive(life, i) || run.is_paused(life, i)) continue;
    if (!run.is_settled(life, i)) return false;
    const std::optional<NodeId> whom = run.standing(life, i).coordinator;
    if (agreed && agreed != whom) return false;
    agreed = whom;
  }
  return agreed.has_value();
}

// 2. An election began, and ended.
std::string no_election(const Run& run) {
  bool has_begun = false;
  for (Index i = 0; i < run.records.size(); ++i) {
    has_begun = has_begun || shows_election(run, i);
    if (has_begun && all_agree(run, i)) return {};
  }
  return has_begun ? "no end: of any election" : "no election";
}

// The last moment of which anything is known of this life.
Index last_moment(const Run& run, const Life& life) {
  if (life.left != no_line) return life.left;
  if (life.killed != no_line) return life.killed;
  return life.known_dead != no_line ? life.last() : run.end();
}

// 4. Who ends unsettled is excused only by its own end, within the time that it had.
std::string unexcused(const Run& run, const Life& life) {
  const Index moment = last_moment(run, life);
  if (run.is_settled(life, moment)) return {};
  const std::string who = named(life.node) + said(moment);
  const bool has_gone = life.left != no_line || life.known_dead != no_line;
  if (!has_gone && !run.is_absent(life)) return "unsettled: " + who;

  Index since = life.first();
  for (const Index i : life.own) {
    if (i < moment && run.records[i].event != TraceEvent::leave) since = i;
  }
  const std::optional<NodeId> whom = run.followed(life, moment);
  const Life* followed = whom ? run.latest(*whom, moment) : nullptr;
  if (followed != nullptr) {
    for (const Index end : {followed->left, followed->known_dead}) {
      if (end <= moment) since = std::max(since, end);
    }
  }
  const std::int64_t elapsed = run.t(moment) - run.t(since) - run.paused_ns(life, since, moment);
  const std::int64_t allowed = whom ? life.notice_ns : run.election_ns;
  return elapsed > allowed ? "too long unsettled: " + who : std::string();
}

// What the algorithm promises for the end, of those that are there then.
std::string broken_end(const Run& run) {
  std::vector<Snapshot> snapshots;
  for (const Life& life : run.lives) {
    const bool is_there = run.is_alive(life, run.end()) && !run.is_absent(life);
    if (is_there) snapshots.push_back(run.snapshot(life, run.end()));
  }
  return holds_in_the_end(*run.algorithm, snapshots) ? std::string() : "the end: no agreement";
}

std::string why_not(std::string_view text) {
  Trace trace;
  try {
    trace = parse_trace(text, "t");
  } catch (const TraceError& error) {
    return "refused: by the reader";
  }
  if (has_odd_number(text)) return "refused: seq";
  if (!trace.cut.empty()) return "cut line";
  std::vector<Record> records;
  for (const Record& record : trace.records) records.push_back(record);
  if (const std::string reason = refusal(records); !reason.empty()) return reason;
  if (records.empty()) return "empty";
  // The states of a process that was only seen on its links are unknown.
  const auto is_observed = [](const Record& record) { return environment_of(record).observed; };
  if (std::ranges::any_of(records, is_observed)) return "observed";

  const Run run(std::move(records));
  if (run.algorithm == nullptr) return "mixed: no algorithm";
  for (const auto& check : {incomplete, contradiction, broken_property, in_flight, no_election}) {
    if (const std::string reason = check(run); !reason.empty()) return reason;
  }
  for (const Life& life : run.lives) {
    if (const std::string reason = unexcused(run, life); !reason.empty()) return reason;
  }
  return broken_end(run);
}

}  // namespace

Opinion opinion_of(std::string_view text) {
  const std::string reason = why_not(text);
  return {reason.empty() ? Right::right : Right::not_right, reason};
}

}  // namespace bully
