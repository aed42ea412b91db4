#include "oracle/oracle_run.h"

#include <algorithm>
#include <set>

#include "trace/environment.h"
#include "trace/trace.h"

namespace bully::oracle {

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

// What a start says of its process's waits; what it leaves out is as `./bully` has it.
struct Waits {
  bool has_detector = true;
  std::int64_t ping_interval_ns = second_ns;
  std::int64_t ping_timeout_ns = second_ns;
  std::int64_t answer_timeout_ns = second_ns / 2;
  std::int64_t coordinator_timeout_ns = second_ns;
  std::int64_t pace_ns = 0;
};
Waits waits_of(const Record& start) {
  const bully::Waits told = environment_of(start).waits;
  if (told.detector.empty()) return {};
  return {told.detector != "off", told.ping_interval_ns,       told.ping_timeout_ns,
          told.answer_timeout_ns, told.coordinator_timeout_ns, told.pace_ns};
}

// The first rule by which a process acts.
std::string_view first_rule(const Algorithm& algorithm) {
  struct Nobody : Peers {
    std::span<const NodeId> ids() const override { return {}; }
  };
  Actions actions;
  algorithm.make(1)->handle(Started{}, Nobody(), actions);
  for (const Action& action : actions) {
    if (const auto* fired = std::get_if<Fired>(&action)) return fired->rule->key;
  }
  return {};
}

}  // namespace

bool is_named(const Record& record, std::string_view event) {
  return fields_of(record.event).name == event;
}

bool is_act(const Record& record) {
  return record.event == TraceEvent::crash || is_named(record, "pause") ||
         is_named(record, "resume") || is_named(record, "end");
}

const StateKind* state_of(const Algorithm& algorithm, std::string_view name) {
  const auto found = std::ranges::find(algorithm.states, name, &StateKind::name);
  return found == algorithm.states.end() ? nullptr : &*found;
}

Run::Run(std::vector<Record> all) : records(std::move(all)) {
  for (const Record& record : records) {
    if (algorithm == nullptr && record.event == TraceEvent::start) {
      algorithm =
          record.algorithm.empty() ? &default_algorithm() : find_algorithm(record.algorithm);
    }
  }
  if (algorithm == nullptr) return;
  rule_of_start = first_rule(*algorithm);
  for (Index i = 0; i < records.size(); ++i) {
    Life& life = life_for(records[i], i);
    life_of.push_back(static_cast<Index>(&life - lives.data()));
    add(life, records[i], i);
  }
  find_the_dead();
  find_limits();
}

// A life begins with a start, with a line after its end, or with one of another process. That a
// message is lost may be told after the end of the one that sent it; and who acts on a process may
// not know its PID.
Life& Run::life_for(const Record& record, Index i) {
  const auto found = std::find_if(lives.rbegin(), lives.rend(),
                                  [&](const Life& life) { return life.node == record.node; });
  const bool is_late = record.event == TraceEvent::lost || is_act(record);
  const bool is_unnamed = is_act(record);
  const bool goes_on = found != lives.rend() && record.event != TraceEvent::start &&
                       (found->pid == record.pid || is_unnamed) && (is_late || !found->has_ended());
  if (goes_on) return *found;
  if (found != lives.rend()) found->known_dead = std::min(found->known_dead, i);
  return lives.emplace_back(Life{.node = record.node,
                                 .pid = record.pid,
                                 .has_start = record.event == TraceEvent::start || is_act(record)});
}

void Run::add(Life& life, const Record& record, Index i) {
  Standing standing;
  if (!life.standings.empty()) standing = life.standings.back();
  if (record.event == TraceEvent::state) {
    standing.state = record.state;
    const StateKind* kind = state_of(*algorithm, record.state);
    standing.role = kind == nullptr ? StateRole::asking : kind->role;
    standing.variables = record.variables;
    const bool knows =
        standing.role == StateRole::following || standing.role == StateRole::coordinating;
    // Who holds an election follows nobody, until a line says so.
    if (!knows) standing.coordinator.reset();
  }
  if (record.event == TraceEvent::coordinator) standing.coordinator = record.coordinator;
  if (!is_act(record) && !life.has_ended()) life.own.push_back(i);
  life.lines.push_back(i);
  life.standings.push_back(standing);
  if (record.event == TraceEvent::leave) life.left = i;
  if (record.event == TraceEvent::crash) life.killed = i;
}

// That a process is gone shows in its crash, in the next one under its id, and in a message that
// found nobody, or a suspicion, after the last line that it wrote.
void Run::find_the_dead() {
  for (Life& life : lives) {
    life.known_dead = std::min(life.known_dead, life.killed);
    const Index last_own = life.own.empty() ? life.first() : life.own.back();
    for (Index i = last_own + 1; i < records.size(); ++i) {
      const Record& record = records[i];
      const bool is_gone =
          record.event == TraceEvent::lost && record.reason == "gone" && record.to == life.node;
      const bool is_down = record.event == TraceEvent::suspect && record.reason == "down" &&
                           record.coordinator == life.node;
      if (is_gone || is_down) life.known_dead = std::min(life.known_dead, i);
    }
  }
}

void Run::find_limits() {
  election_ns = 10 * second_ns;
  for (Life& life : lives) {
    const Waits waits = waits_of(records[life.first()]);
    life.has_detector = waits.has_detector;
    life.notice_ns =
        2 * (waits.ping_interval_ns + waits.ping_timeout_ns) + 2 * second_ns + waits.pace_ns;
    std::set<NodeId> ids;
    for (const Life& each : lives) ids.insert(each.node);
    const auto others = static_cast<std::int64_t>(ids.size());
    const std::int64_t waiting = 4 * (waits.answer_timeout_ns + waits.coordinator_timeout_ns) +
                                 others * waits.answer_timeout_ns;
    election_ns = std::max(election_ns, waiting);
    // A wait that has timed out shows its length, and the next one is longer.
    for (Index k = 1; k < life.own.size(); ++k) {
      if (records[life.own[k]].event != TraceEvent::timeout) continue;
      election_ns = std::max(election_ns, 4 * (t(life.own[k]) - t(life.own[k - 1])));
    }
  }
  for (const Life& life : lives) agree_ns = std::max(agree_ns, life.notice_ns + election_ns);
}

bool Run::is_alive(const Life& life, Index i) const {
  return life.first() <= i && life.left > i && life.known_dead > i;
}

const Life* Run::alive(NodeId node, Index i) const {
  for (const Life& life : lives) {
    if (life.node == node && is_alive(life, i)) return &life;
  }
  return nullptr;
}

const Life* Run::latest(NodeId node, Index i) const {
  const Life* found = nullptr;
  for (const Life& life : lives) {
    if (life.node == node && life.first() <= i) found = &life;
  }
  return found;
}

const Standing& Run::standing(const Life& life, Index i) const {
  const auto after = std::ranges::upper_bound(life.lines, i);
  return life.standings[static_cast<Index>(after - life.lines.begin()) - 1];
}

// A stopped process receives nothing: after a receipt it is no longer stopped.
static bool goes_on(const Record& record) {
  return is_named(record, "resume") || record.event == TraceEvent::receive;
}

bool Run::is_paused(const Life& life, Index i) const {
  bool paused = false;
  for (const Index line : life.lines) {
    if (line > i) break;
    if (is_named(records[line], "pause")) paused = true;
    if (goes_on(records[line])) paused = false;
  }
  return paused;
}

bool Run::is_absent(const Life& life) const {
  Index since = no_line;
  for (const Index line : life.lines) {
    if (is_named(records[line], "pause") && since == no_line) since = line;
    if (goes_on(records[line])) since = no_line;
  }
  return since != no_line && t(end()) - t(since) > 2 * second_ns;
}

std::int64_t Run::paused_ns(const Life& life, Index from, Index to) const {
  std::int64_t all = 0;
  const bool was_paused =
      std::ranges::any_of(life.lines, [&](Index line) { return is_named(records[line], "pause"); });
  for (Index i = from; was_paused && i < to; ++i) {
    if (is_paused(life, i)) all += t(i + 1) - t(i);
  }
  return all;
}

bool Run::begins_step(Index i) const {
  const TraceEvent event = records[i].event;
  return event == TraceEvent::start || event == TraceEvent::receive ||
         event == TraceEvent::timeout || event == TraceEvent::suspect ||
         event == TraceEvent::leave || goes_on_after_stop(i);
}

bool Run::goes_on_after_stop(Index i) const {
  const Record& record = records[i];
  if (record.event != TraceEvent::rule || record.rule != rule_of_start) return false;
  const Life& life = life_at(i);
  const auto line = std::ranges::lower_bound(life.own, i);
  return line == life.own.begin() || records[*(line - 1)].event != TraceEvent::start;
}

bool Run::holds_office(const Life& life, Index i) const {
  const Standing& at = standing(life, i);
  return at.role == StateRole::coordinating && at.coordinator == life.node;
}

std::optional<NodeId> Run::followed(const Life& life, Index i) const {
  const Standing& at = standing(life, i);
  // It may follow somebody before it has said its first state.
  const bool follows = at.role == StateRole::following || at.role == StateRole::down;
  return follows && at.coordinator != life.node ? at.coordinator : std::nullopt;
}

bool Run::is_settled(const Life& life, Index i) const {
  if (holds_office(life, i)) return true;
  const std::optional<NodeId> whom = followed(life, i);
  const Life* coordinator = whom ? alive(*whom, i) : nullptr;
  return coordinator != nullptr && holds_office(*coordinator, i) && knows(life, *coordinator, i);
}

// Following an id that has come back says nothing of the new process, unless it was heard.
bool Run::knows(const Life& life, const Life& coordinator, Index i) const {
  const bool is_back = std::ranges::any_of(lives, [&](const Life& earlier) {
    return earlier.node == coordinator.node && earlier.first() < coordinator.first();
  });
  if (!is_back) return true;
  return std::ranges::any_of(life.lines, [&](Index line) {
    const Record& record = records[line];
    const bool is_told = record.event == TraceEvent::receive && record.from == coordinator.node &&
                         record.type->role == Role::announces;
    const bool takes = record.event == TraceEvent::coordinator || record.event == TraceEvent::state;
    return line >= coordinator.first() && line <= i && (is_told || takes);
  });
}

Snapshot Run::snapshot(const Life& life, Index i) const {
  const Standing& at = standing(life, i);
  return {.id = life.node,
          .condition = Condition::running,
          .state = std::string(at.state),
          .coordinator = at.coordinator,
          .variables = at.variables};
}

}  // namespace bully::oracle
