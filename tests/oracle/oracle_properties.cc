// oracle_properties.cc: what an election owes: each property a function that names its first break.

#include <algorithm>
#include <set>
#include <utility>

#include "oracle/oracle_run.h"
#include "trace/environment.h"

namespace bully::oracle {

namespace {

constexpr std::int64_t long_ns = 60'000'000'000;

std::string broken(const char* property, const Record& record, Index i) {
  return std::string(property) + ": " + std::to_string(record.node) + " at " +
         std::to_string(i + 1);
}

bool is_same_message(const Record& a, const Record& b) {
  return a.type == b.type && a.from == b.from && a.to == b.to && a.number == b.number &&
         a.values == b.values;
}

// Each end of a message has its sending, before it; and each sending one end.
std::string broken_sent(const Run& run) {
  std::set<Index> ended;
  for (Index i = 0; i < run.records.size(); ++i) {
    const Record& end = run.records[i];
    const bool is_end = end.event == TraceEvent::receive || end.event == TraceEvent::lost;
    if (!is_end || is_about_ping(end)) continue;
    Index sending = 0;
    for (; sending < i; ++sending) {
      const Record& sent = run.records[sending];
      const bool is_sent = sent.event == TraceEvent::send && is_same_message(sent, end);
      if (is_sent && !ended.contains(sending)) break;
    }
    const bool is_lost = end.event == TraceEvent::lost;
    if (sending == i) return broken(is_lost ? "sent, what was lost" : "sent", end, i);
    ended.insert(sending);
  }
  return {};
}

// The lines of this life from `i` on until it takes another step, `i` among them.
std::vector<Index> step_of(const Run& run, const Life& life, Index i) {
  std::vector<Index> step;
  for (const Index line : life.own) {
    if (line < i) continue;
    if (line > i && run.begins_step(line)) break;
    step.push_back(line);
  }
  return step;
}

// Whether it has taken a step after the one that begins with `i`: so that one is complete.
bool has_gone_on(const Run& run, const Life& life, Index i) {
  // One that leaves in slow motion may have more to send in its step.
  const bool is_slow = environment_of(run.records[life.first()]).waits.pace_ns > 0;
  return std::ranges::any_of(life.own, [&](Index line) {
    const bool leaves = run.records[line].event == TraceEvent::leave;
    return line > i && run.begins_step(line) && !(is_slow && leaves);
  });
}

// Whom the message names as coordinator.
std::optional<NodeId> winner_told(const Record& record) {
  if (record.event != TraceEvent::receive) return std::nullopt;
  if (record.type->role == Role::announces) return record.from;
  return record.type->role == Role::spreads ? record.values.shown(record.type) : std::nullopt;
}

// Nobody follows a lower one than itself, or than the higher one that it was told of in that step.
std::string broken_never_lower(const Run& run) {
  const auto prefers = run.algorithm->prefers;
  for (Index i = 0; i < run.records.size(); ++i) {
    const Record& record = run.records[i];
    const Life& life = run.life_at(i);
    if (record.event == TraceEvent::coordinator && prefers(record.node, *record.coordinator))
      return broken("never-lower", record, i);
    const std::optional<NodeId> told = winner_told(record);
    if (!told || !prefers(*told, record.node)) continue;
    for (const Index line : step_of(run, life, i)) {
      const Record& taken = run.records[line];
      // On a ring, one that turns out to be alone wins, whatever it has been told.
      const bool is_alone =
          run.algorithm->topology == Topology::ring && taken.coordinator == record.node;
      if (taken.event != TraceEvent::coordinator) continue;
      if (prefers(*told, *taken.coordinator) && !is_alone)
        return broken("never-lower, told of a higher one", taken, line);
      const bool is_dead = run.latest(*taken.coordinator, run.end()) != nullptr &&
                           run.alive(*taken.coordinator, line) == nullptr;
      if (prefers(*taken.coordinator, *told) && is_dead)
        return broken("ends, told of one and follows a dead one", taken, line);
    }
  }
  return {};
}

// Nobody follows one for long, although a higher one is coordinator all the time and has told it.
std::string broken_for_long(const Run& run) {
  const auto prefers = run.algorithm->prefers;
  for (Index i = 0; i < run.records.size(); ++i) {
    const std::optional<NodeId> told = winner_told(run.records[i]);
    if (!told) continue;
    const Life& life = run.life_at(i);
    const Life* higher = run.alive(*told, i);
    if (higher == nullptr) continue;
    for (Index k = i; k < run.records.size() && run.is_alive(life, k); ++k) {
      const bool is_lower = run.followed(life, k) && prefers(*told, *run.followed(life, k));
      if (!is_lower || !run.is_alive(*higher, k) || !run.holds_office(*higher, k)) break;
      if (run.t(k) - run.t(i) - run.paused_ns(life, i, k) > long_ns)
        return broken("never-lower, for long", run.records[i], i);
    }
  }
  return {};
}

// Who is told by the winner, a higher one, follows it.
std::string ignored_coordinator(const Run& run) {
  for (Index i = 0; i < run.records.size(); ++i) {
    const Record& told = run.records[i];
    const Life& life = run.life_at(i);
    if (told.event != TraceEvent::receive || told.type->role != Role::announces) continue;
    if (!run.algorithm->prefers(told.from, told.node)) continue;
    if (!has_gone_on(run, life, i)) continue;
    // If it then goes on after a stop, it may hold an election in the same breath.
    bool has_followed = false;
    for (const Index line : life.own) {
      if (line > i && run.begins_step(line) && !run.goes_on_after_stop(line)) break;
      has_followed = has_followed || (line >= i && run.followed(life, line) == told.from);
    }
    if (!has_followed) return broken("ends, ignored", told, i);
  }
  return {};
}

// Who holds an election takes a step in it within its time; and who follows one that is not there
// any more notices.
std::string overdue(const Run& run) {
  for (const Life& life : run.lives) {
    for (Index k = 1; k < life.own.size(); ++k) {
      const Index before = life.own[k - 1];
      const Index now = life.own[k];
      const Record& record = run.records[now];
      if (record.event == TraceEvent::leave) continue;  // an end is judged as an end
      const std::int64_t waited = run.t(now) - run.t(before) - run.paused_ns(life, before, now);
      const bool is_in_election = run.standing(life, before).role >= StateRole::asking;
      if (is_in_election && waited > run.election_ns) return broken("ends, decided", record, now);

      const std::optional<NodeId> whom = run.followed(life, before);
      if (!whom || !life.has_detector || run.alive(*whom, now) != nullptr) continue;
      const Life* followed = run.latest(*whom, now);
      if (followed == nullptr) continue;
      Index since = std::min(followed->left, followed->known_dead);
      for (Index back = k; back > 0 && run.followed(life, life.own[back - 1]) == whom; --back) {
        if (back == 1 || run.followed(life, life.own[back - 2]) != whom)
          since = std::max(since, life.own[back - 1]);
      }
      const std::int64_t blind = run.t(now) - run.t(since) - run.paused_ns(life, since, now);
      if (blind > life.notice_ns) return broken("ends, noticed", record, now);
    }
  }
  return {};
}

// Whether the reply is one to this request: those that number their calls repeat the number.
bool may_answer(const Record& reply, const Record& request) {
  const auto call = reply.values[0];
  return !call || !request.values[0] || call == request.values[0];
}

// The office that a life takes with line `i`, and how it came to it.
struct Office {
  const Life& life;
  Index taken;
  Index begin;  // of the election: the line after which it followed nobody
};

// Whether it was taken beside `higher`: unasked, or though that one had answered.
std::string taken_beside(const Run& run, const Office& office, const Life& higher) {
  const Record* asked = nullptr;
  Index asked_at = 0;
  for (const Index line : office.life.own) {
    const Record& record = run.records[line];
    const bool asks = record.event == TraceEvent::send && record.type->role == Role::asks &&
                      record.to == higher.node;
    if (line < office.begin || line > office.taken || !asks) continue;
    asked = &record;
    asked_at = line;
  }
  const Record& taken = run.records[office.taken];
  if (asked == nullptr) return broken("highest-live, unasked", taken, office.taken);
  for (const Index line : office.life.own) {
    const Record& record = run.records[line];
    const bool answers = record.event == TraceEvent::receive &&
                         record.type->role == Role::answers && record.from == higher.node;
    if (line > asked_at && line < office.taken && answers && may_answer(record, *asked))
      return broken("highest-live, answered", taken, office.taken);
  }
  return {};
}

// Who has won an election tells it to each lower one that was there before it began, and lives on,
// in the step in which it wins; and to answer is not to tell.
std::string broken_telling(const Run& run) {
  if (run.algorithm->name != "bully") return {};
  for (const Life& life : run.lives) {
    Index begin = no_line;  // the step in which it has begun to hold its election
    Index step = life.first();
    for (const Index i : life.own) {
      const Record& record = run.records[i];
      if (run.begins_step(i)) step = i;
      const Record& cause = run.records[step];
      const bool is_answered =
          cause.event == TraceEvent::receive && cause.type->role == Role::answers;
      if (record.event == TraceEvent::coordinator && record.coordinator != record.node &&
          is_answered) {
        return broken("ends, follows one that answered", record, i);
      }
      if (record.event != TraceEvent::state) continue;
      const StateRole role = run.standing(life, i).role;
      const Index began = std::exchange(begin, role == StateRole::asking ? step : no_line);
      if (role != StateRole::coordinating || began == no_line) continue;
      Index next = no_line;
      std::set<NodeId> told;
      for (const Index line : life.own) {
        const Record& later = run.records[line];
        const bool tells = later.event == TraceEvent::send && later.type->role == Role::announces;
        if (line > i && run.begins_step(line)) {
          if (later.event != TraceEvent::leave) next = line;
          break;
        }
        if (line > i && tells) told.insert(later.to);
      }
      for (const Life& lower : run.lives) {
        const bool was_there = next != no_line && lower.first() < began && !lower.own.empty() &&
                               lower.own.back() > next;
        const bool is_lower = run.algorithm->prefers(life.node, lower.node);
        if (was_there && is_lower && !told.contains(lower.node))
          return broken("ends, told nothing", run.records[lower.own.back()], lower.own.back());
      }
    }
  }
  return {};
}

// Whether it leaves the office that it has taken with line `i`.
bool gives_up(const Run& run, const Life& life, Index i) {
  return std::ranges::any_of(life.lines, [&](Index later) {
    return later > i && run.standing(life, later).role != StateRole::coordinating;
  });
}

// Nobody takes office beside a higher one that was there before, and lives on, unless it has asked
// that one in vain, or gives the office up again.
std::string broken_office(const Run& run) {
  if (run.algorithm->topology == Topology::ring) return {};
  for (const Life& life : run.lives) {
    Index begin = life.first();
    Index step = life.first();
    bool holds = true;  // one that begins in office has taken it from nobody
    for (const Index i : life.own) {
      if (run.begins_step(i)) step = i;
      const StateRole was = i == life.first() ? StateRole::down : run.standing(life, i - 1).role;
      const StateRole role = run.standing(life, i).role;
      // Who has held no election until now has begun it with this step.
      if (was < StateRole::asking && role != was) begin = role >= StateRole::asking ? i : step;
      const bool is_first = run.records[i].event == TraceEvent::start ||
                            (holds && role == StateRole::coordinating && life.own[1] == i);
      const bool held = std::exchange(holds, is_first || run.holds_office(life, i));
      if (held || !holds || gives_up(run, life, i)) continue;
      for (const Life& higher : run.lives) {
        const bool was_there = higher.first() < begin && run.is_alive(higher, i) &&
                               !higher.own.empty() && higher.own.back() > i;
        if (!was_there || !run.algorithm->prefers(higher.node, life.node)) continue;
        const std::string reason = taken_beside(run, {life, i, begin}, higher);
        if (!reason.empty()) return reason;
      }
    }
  }
  return {};
}

// --- What must hold at every moment, where the algorithm's assumptions do ---

// A live process was suspected; or an answer came after the time for it.
bool had_wrong_timeout(const Run& run) {
  for (Index i = 0; i < run.records.size(); ++i) {
    const Record& record = run.records[i];
    const bool suspects =
        record.event == TraceEvent::suspect && (record.reason == "down" || record.reason == "hung");
    const Life* suspected = suspects ? run.latest(*record.coordinator, i) : nullptr;
    if (suspected != nullptr && !suspected->own.empty() && suspected->own.back() > i) return true;
    if (record.event != TraceEvent::timeout || record.timer != "answer") continue;
    for (Index k = i + 1; k < run.records.size(); ++k) {
      const Record& late = run.records[k];
      const bool is_mine = late.event == TraceEvent::receive &&
                           ((late.type->role == Role::asks && late.from == record.node) ||
                            (late.type->role == Role::answers && late.to == record.node));
      const bool was_sent =
          is_mine && std::any_of(run.records.begin(), run.records.begin() + std::ptrdiff_t(i),
                                 [&](const Record& sent) {
                                   return sent.event == TraceEvent::send &&
                                          is_same_message(sent, late);
                                 });
      if (was_sent) return true;
    }
  }
  return false;
}

// One was stopped, and went on.
bool was_stopped(const Run& run) {
  return std::ranges::any_of(run.lives, [&](const Life& life) {
    return std::ranges::any_of(life.lines, [&](Index i) {
      return is_named(run.records[i], "pause") || run.goes_on_after_stop(i);
    });
  });
}

bool has_lost(const Run& run) {
  return std::ranges::any_of(run.records, [](const Record& record) {
    return record.event == TraceEvent::lost && record.reason != "gone" && is_about_election(record);
  });
}

bool had_joining(const Run& run) {
  return std::ranges::any_of(run.lives,
                             [&](const Life& life) { return run.t(life.first()) > run.t(0); });
}

bool is_promised(const Run& run, const Property& property) {
  const Assumptions& assumes = property.assumes;
  if (assumes.has(Assumption::synchronous) && had_wrong_timeout(run)) return false;
  if (assumes.has(Assumption::nobody_stopped) && was_stopped(run)) return false;
  if (assumes.has(Assumption::no_loss) && has_lost(run)) return false;
  return !assumes.has(Assumption::nobody_joins) || !had_joining(run);
}

// A state's line may be followed by whom the process follows now: only both are where it stands.
bool is_half_told(const Run& run, Index i) {
  const Life& life = run.life_at(i);
  const auto line = std::ranges::find(life.lines, i);
  return line + 1 != life.lines.end() && run.records[*(line + 1)].event == TraceEvent::coordinator;
}

std::string broken_moment(const Run& run) {
  for (const Property* property : run.algorithm->properties) {
    // That one is told from the lines themselves.
    if (property->moment != Property::Moment::every || property == &properties::never_lower ||
        !is_promised(run, *property)) {
      continue;
    }
    for (Index i = 0; i < run.records.size(); ++i) {
      const TraceEvent event = run.records[i].event;
      if (event != TraceEvent::state && event != TraceEvent::coordinator) continue;
      if (is_half_told(run, i)) continue;
      std::vector<Snapshot> snapshots;
      for (const Life& life : run.lives) {
        if (run.is_alive(life, i)) snapshots.push_back(run.snapshot(life, i));
      }
      std::vector<const Snapshot*> nodes;
      for (const Snapshot& snapshot : snapshots) nodes.push_back(&snapshot);
      if (!property->holds(*run.algorithm, nodes))
        return broken(std::string(property->key).c_str(), run.records[i], i);
    }
  }
  return {};
}

}  // namespace

std::string first_broken(const Run& run, std::initializer_list<Check> checks) {
  for (const Check& check : checks) {
    if (!promises(*run.algorithm, check.property)) continue;
    if (std::string reason = check.broken(run); !reason.empty()) return reason;
  }
  return {};
}

std::string broken_property(const Run& run) {
  const std::string reason = first_broken(run, {{properties::sent, broken_sent},
                                                {properties::never_lower, broken_never_lower},
                                                {properties::never_lower, broken_for_long},
                                                {properties::ends, ignored_coordinator},
                                                {properties::ends, overdue},
                                                {properties::ends, broken_telling},
                                                {properties::ends, never_settled},
                                                {properties::highest_live, broken_office}});
  if (!reason.empty()) return reason;
  if (const std::string moment = broken_moment(run); !moment.empty()) return moment;
  return broken_ring(run);
}

}  // namespace bully::oracle
