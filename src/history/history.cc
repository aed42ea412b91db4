// history.cc: lives and their lines, states, outages and disturbances. history_messages.cc has the
// messages, and who announces itself.
#include "history/history.h"

#include <algorithm>

#include "election/pace.h"

namespace bully {

namespace {

// A machine under load may be this late.
constexpr std::int64_t slack_ns = 2'000'000'000;

// As many disturbances are kept for a report.
constexpr std::size_t most_disturbances = 1'000;

bool is_monitors_ping(const Record& record) {
  return record.event == TraceEvent::send && is_about_ping(record);
}

// A process writes it itself.
bool is_own(const Record& record) {
  return !is_act_on(record) && !is_monitors_ping(record);
}

// True if the record is another process's under this id, or follows the end of this one.
bool is_of_successor(const Record& record, const Life& life) {
  if (is_act_on(record)) return false;  // it may lack the PID
  if (record.event == TraceEvent::start) {
    // The line of its start may be there twice.
    return life.is_over() || !life.begins || life.pid != record.pid ||
           life.first.t_ns != record.t_ns || life.algorithm != &algorithm_named(record.algorithm);
  }
  if (record.pid != life.pid) return true;
  return life.is_over() && record.event != TraceEvent::lost && !is_monitors_ping(record);
}

}  // namespace

// --- Quiet ---

void Quiet::disturb(std::int64_t from_ns, std::int64_t to_ns, std::int64_t settle_ns,
                    std::optional<NodeId> announcing) {
  if (is_calm(from_ns, settle_ns)) {
    past_.push_back({since_ns_, from_ns, since_ns_ + settle_ns, announcing});
  }
  since_ns_ = std::max(since_ns_, to_ns);
}

void Quiet::begin(std::int64_t from_ns, std::int64_t settle_ns, std::optional<NodeId> announcing) {
  disturb(from_ns, from_ns, settle_ns, announcing);
  ++open_;
}

void Quiet::end(std::int64_t to_ns) {
  --open_;
  since_ns_ = std::max(since_ns_, to_ns);
}

std::vector<Quiet::Stretch> Quiet::since(std::int64_t after_ns, std::int64_t now_ns,
                                         std::int64_t settle_ns) const {
  std::vector<Stretch> found;
  if (is_calm(now_ns, settle_ns)) {
    found.push_back({since_ns_, now_ns, since_ns_ + settle_ns, std::nullopt});
  }
  for (auto stretch = past_.rbegin(); stretch != past_.rend(); ++stretch) {
    if (stretch->to_ns <= after_ns) break;
    found.push_back(*stretch);
  }
  std::ranges::reverse(found);
  return found;
}

bool Life::is_away(std::int64_t t_ns, Reading reading, std::int64_t settle_ns) const {
  if (paused && t_ns >= paused->t_ns) return true;
  for (auto outage = outages.rbegin(); outage != outages.rend(); ++outage) {
    if (outage->to_ns + settle_ns < t_ns) return false;
    if (reading == Reading::strict && !outage->is_witnessed) continue;
    if (outage->from_ns <= t_ns) return true;
  }
  return false;
}

// --- Lives ---

History::History(const Algorithm& algorithm) : algorithm_(&algorithm) {}

const Life* History::life(NodeId node) const {
  const auto found = lives_of_.find(node);
  return found == lives_of_.end() ? nullptr : &lives_[found->second.back()];
}

const Life* History::life_at(NodeId node, std::int64_t t_ns) const {
  const auto found = lives_of_.find(node);
  if (found == lives_of_.end()) return nullptr;
  const auto after = std::ranges::lower_bound(
      found->second, t_ns, {}, [this](std::size_t k) { return lives_[k].first.t_ns; });
  return after == found->second.begin() ? nullptr : &lives_[*std::prev(after)];
}

Snapshot History::snapshot(NodeId node) const {
  const Life* its = life(node);
  if (its == nullptr || its->how == Life::End::left) return {.id = node};
  if (its->how == Life::End::killed) return crashed_snapshot(node);
  Snapshot now = its->now;
  if (its->paused || its->silent) now.condition = Condition::stopped;
  return now;
}

std::vector<NodeId> History::nodes() const {
  std::vector<NodeId> nodes;
  for (const auto& [node, lives] : lives_of_) nodes.push_back(node);
  std::ranges::sort(nodes);
  return nodes;
}

std::vector<NodeId> History::names_only() const {
  std::set<NodeId> found = names_;
  for (const auto& [sent, message] : in_flight_) {
    // A process killed while it sent may have recorded sendings that never left.
    if (lives_[message.sender].last_own.record > sent) found.insert(message.to);
  }
  std::erase_if(found, [this](NodeId name) { return lives_of_.contains(name); });
  return {found.begin(), found.end()};
}

std::vector<const Algorithm*> History::algorithms() const {
  std::vector<const Algorithm*> found;
  for (const Algorithm& one : bully::algorithms()) {
    if (named_.contains(&one)) found.push_back(&one);
  }
  if (found.empty()) found.push_back(algorithm_);
  return found;
}

Life* History::life_of(const Record& record, std::size_t i) {
  const auto known = lives_of_.find(record.node);
  if (known == lives_of_.end()) {
    // Others may have acted on a process that has no trace.
    return is_own(record) ? &begin_life(record, i) : nullptr;
  }
  Life& life = lives_[known->second.back()];
  if (!is_of_successor(record, life)) return &life;
  if (is_monitors_ping(record)) return nullptr;  // its monitor outlives it
  if (!life.is_over()) end_life(life, Life::End::replaced, {i, record.t_ns});
  return &begin_life(record, i);
}

Life& History::begin_life(const Record& record, std::size_t i) {
  const Moment now{i, record.t_ns};
  lives_of_[record.node].push_back(lives_.size());
  Life& life = lives_.emplace_back();
  life.node = life.now.id = record.node;
  life.pid = record.pid;
  life.index = lives_.size() - 1;
  life.first = life.last_own = now;
  life.now.condition = Condition::running;
  elections_.change(record.node);
  if (record.event != TraceEvent::start) return life;
  const Environment environment = environment_of(record);
  life.begins = true;
  life.observed = environment.observed;
  if (!environment.waits.detector.empty()) life.waits = environment.waits;
  for (const auto& [key, wait] : waits_fields)
    longest_.*wait = std::max(longest_.*wait, life.waits.*wait);
  const bool is_known = !environment.waits.detector.empty();
  is_unbounded_ = is_unbounded_ || (is_known && life.waits.answer_timeout_ns == 0);
  is_unwatched_ = is_unwatched_ || environment.waits.detector == detector_names.back();
  if (!record.algorithm.empty()) {
    life.algorithm = &algorithm_named(record.algorithm);
    named_.insert(life.algorithm);
    if (named_.size() == 1) algorithm_ = life.algorithm;
  }
  if (record.given != nullptr) life.variant = record.given->variant;
  if (!life.variant.empty()) variants_.insert(life.variant);
  const bool is_preset = record.given != nullptr && record.given->preset;
  if (is_preset) {
    life.now.coordinator = record.given->preset;
  } else if (!life.observed) {
    life.takes_part = now;
    latest_start_ns_ = now.t_ns;
    disturb("start", life.node, now, now.t_ns, true, false);
  }
  return life;
}

void History::end_life(Life& life, Life::End how, Moment when) {
  if (life.paused) end_outage(life, when, true, life.paused->t_ns);
  for (std::size_t timer = 0; timer < timer_count; ++timer) stop_waiting(life, timer);
  leave_office(life, how == Life::End::replaced ? life.last_own : when);
  life.takes_part.reset();
  life.how = how;
  life.end = when;
  if (std::exchange(life.side, 0) > 0 && --cut_sides_ == 0) {
    for (Quiet* quiet : {&calm_[0], &calm_[1], &right_[0], &right_[1]}) quiet->end(when.t_ns);
  }
  elections_.change(life.node);
  disturb("end", life.node, when, when.t_ns, true, false);
}

// --- The next record ---

void History::take(const Record& record, std::size_t i) {
  const Moment now{i, record.t_ns};
  while (!expiries_.empty() && std::get<0>(*expiries_.begin()) < record.t_ns) {
    const auto [when_ns, k, timer] = *expiries_.begin();
    stop_waiting(lives_[k], timer);
  }
  arrived_.reset();
  Life* life = life_of(record, i);
  current_ = life;
  if (life == nullptr) return;
  if (is_act_on(record)) {
    take_act(*life, record, now);
  } else if (is_own(record)) {
    take_own_line(*life, record, now);
  }
  if (is_about_message(record)) take_message(*life, record, now);
  if (record.event == TraceEvent::suspect) take_suspicion(record, now);
  take_timers(*life, record, now);
  take_state(*life, record, now);
  if (record.event == TraceEvent::rule) ++rules_[record.rule];
  if (record.event == TraceEvent::leave) end_life(*life, Life::End::left, now);
  elections_.take(*this, record, i);
}

void History::take_own_line(Life& life, const Record& record, Moment now) {
  // A line of other programs, or a network's loss, has no number.
  const bool is_counted = record.n > 0 || (is_of_step(record) && !life.observed);
  if (is_counted && !life.damage) {
    if (record.n == life.lines_due) {
      ++life.lines_due;
    } else if (record.n == 0) {
      life.damage = {Damage::Kind::unnumbered, now.record, life.lines_due};
    } else if (record.n < life.lines_due) {
      life.damage = {Damage::Kind::repeated, now.record, record.n};
    } else {
      life.damage = {Damage::Kind::missing, now.record, life.lines_due};
    }
  }
  const bool is_resumption = record.event == TraceEvent::resume ||
                             (record.event == TraceEvent::step && record.reason == "resumed");
  if (record.n > 0 || life.damage) {
    const bool was_suspected = life.silent || life.gone;
    if (life.paused) {
      end_outage(life, now, true, life.paused->t_ns);
    } else if (is_resumption) {
      end_outage(life, now, was_suspected, life.last_own.t_ns);
    }
    life.gone.reset();
    life.silent.reset();
    if (record.event != TraceEvent::resume && !life.damage) life.last_own = now;
  }
  if (begins_step(record)) {
    life.step = now;
    life.step_event = record.event;
    life.step_reason = record.reason;
    const bool suspects = record.event == TraceEvent::suspect || record.event == TraceEvent::step;
    life.step_suspects = suspects ? record.coordinator : std::nullopt;
    life.step_handles =
        record.event == TraceEvent::receive ? winner_in(record) : std::optional<NodeId>();
    life.step_cause.reset();
  }
}

void History::take_act(Life& life, const Record& record, Moment now) {
  switch (record.event) {
    case TraceEvent::crash:
      if (!life.is_over()) end_life(life, Life::End::killed, now);
      return;
    case TraceEvent::pause:
      if (life.paused || life.is_over()) return;
      life.paused = now;
      elections_.change(life.node);
      note("outage", life.node, now, now.t_ns, forever);
      for (Quiet& quiet : calm_)
        quiet.begin(now.t_ns, settle_ns(), announcing(now.t_ns).without(nullptr));
      return;
    case TraceEvent::resume:
      // The node itself may record this as well.
      if (life.is_over()) return;
      if (life.paused) {
        end_outage(life, now, true, life.paused->t_ns);
      } else {
        end_outage(life, now, record.n == 0 || life.silent || life.gone, life.last_own.t_ns);
      }
      if (record.n > 0 && record.n == life.lines_due) ++life.lines_due;
      return;
    case TraceEvent::end: life.last_own = now; return;
    case TraceEvent::partition:
      if (life.is_over() || std::exchange(life.side, record.side.value_or(1)) > 0) return;
      if (cut_sides_++ > 0) return;
      note("cut", life.node, now, now.t_ns, forever);
      for (Quiet* quiet : {&calm_[0], &calm_[1], &right_[0], &right_[1]}) {
        quiet->begin(now.t_ns, settle_ns(), announcing(now.t_ns).without(nullptr));
      }
      return;
    case TraceEvent::heal:
      if (std::exchange(life.side, 0) == 0 || --cut_sides_ > 0) return;
      for (Quiet* quiet : {&calm_[0], &calm_[1], &right_[0], &right_[1]}) quiet->end(now.t_ns);
      return;
    default: return;
  }
}

// It lasted from `from_ns` until now.
void History::end_outage(Life& life, Moment now, bool is_witnessed, std::int64_t from_ns) {
  const bool was_paused = life.paused.has_value();
  life.paused.reset();
  elections_.change(life.node);
  // Two words of the same return are one outage.
  const bool is_same = !was_paused && !life.outages.empty() && life.outages.back().to_ns >= from_ns;
  if (is_same) {
    Outage& latest = life.outages.back();
    latest.to_ns = now.t_ns;
    latest.is_witnessed = latest.is_witnessed || is_witnessed;
  } else {
    life.outages.push_back({from_ns, now.t_ns, is_witnessed});
  }
  for (const Reading reading : readings) {
    Quiet& calm = calm_[at(reading)];
    if (was_paused) {
      calm.end(now.t_ns);
    } else if (reading == Reading::generous || is_witnessed) {
      calm.disturb(from_ns, now.t_ns, settle_ns(), announcing(now.t_ns).without(nullptr));
    }
  }
  if (!was_paused && !is_same) note("outage", life.node, now, from_ns, now.t_ns);
  for (Disturbance& one : disturbances_) {
    const bool is_it = was_paused && one.kind == DisturbanceKind("outage") &&
                       one.node == life.node && one.to_ns == forever;
    if (is_it) one.to_ns = now.t_ns;
  }
}

// --- States and timers ---

void History::take_state(Life& life, const Record& record, Moment now) {
  if (record.event != TraceEvent::state && record.event != TraceEvent::coordinator) return;
  learn(life.now, record);
  if (record.event == TraceEvent::coordinator) names_.insert(*record.coordinator);
  const bool is_coordinator = life.now.coordinator == life.node && life.now.is_coordinator();
  if (is_coordinator && !life.office) {
    life.office = now;
    offices_.insert(life.index);
  } else if (!is_coordinator) {
    leave_office(life, now);
  }
  const bool takes_part = record.event == TraceEvent::state && !is_settled(record.state);
  if (takes_part && !life.takes_part) life.takes_part = now;
  if (record.event != TraceEvent::coordinator) return;
  life.takes_part.reset();
  for (std::size_t timer = 0; timer < timer_count; ++timer) stop_waiting(life, timer);
}

void History::leave_office(Life& life, Moment until) {
  if (!life.office) return;
  past_offices_.push_back({life.index, *life.office, until});
  offices_.erase(life.index);
  life.office.reset();
}

std::vector<History::Office> History::all_offices() const {
  std::vector<Office> all = past_offices_;
  for (const std::size_t k : offices_) all.push_back({k, *lives_[k].office, lives_[k].last_own});
  std::ranges::sort(all, {}, [](const Office& office) { return office.since.record; });
  return all;
}

void History::take_timers(Life& life, const Record& record, Moment now) {
  if (record.event != TraceEvent::wait && record.event != TraceEvent::timeout) return;
  const std::size_t timer = record.timer == timer_name(Timer::answer) ? 0 : 1;
  stop_waiting(life, timer);
  if (record.event == TraceEvent::timeout) {
    if (is_late(life)) disturb("late_timer", life.node, now, now.t_ns, true, true);
  } else if (record.longest_ns) {
    const std::int64_t over_ns = now.t_ns + *record.longest_ns + slack_ns;
    life.waiting.at(timer) = Life::Wait{*record.longest_ns, over_ns};
    running_.insert(*record.longest_ns);
    expiries_.emplace(over_ns, life.index, timer);
  } else {
    is_unbounded_ = true;
  }
}

void History::stop_waiting(Life& life, std::size_t timer) {
  auto& wait = life.waiting.at(timer);
  if (!wait) return;
  running_.erase(running_.find(wait->longest_ns));
  expiries_.erase({wait->over_ns, life.index, timer});
  wait.reset();
}

// --- Disturbances ---

std::int64_t History::arrive_ns() const {
  if (is_unbounded_) return forever;
  return slack_ns + longest_.pace_ns * pauses_in(SlowWait::news, lives_of_.size());
}

std::int64_t History::settle_ns() const {
  if (is_unbounded_ || is_unwatched_) return forever;
  // In slow motion most processes first leave it to another to report (pace.h): twice the time.
  const int times = longest_.pace_ns > 0 ? 4 : 2;
  const std::int64_t usual = times * (longest_.ping_interval_ns + longest_.ping_timeout_ns +
                                      longest_.answer_timeout_ns + longest_.coordinator_timeout_ns +
                                      longest_.pace_ns * pauses_to_settle(lives_of_.size()));
  return std::max(usual, running_.empty() ? 0 : *running_.rbegin()) + slack_ns;
}

void History::note(DisturbanceKind kind, NodeId node, Moment shown, std::int64_t from_ns,
                   std::int64_t to_ns) {
  ++disturbance_count_;
  if (disturbances_.size() == most_disturbances) return;
  disturbances_.push_back({kind, node, shown.record, from_ns, to_ns});
}

void History::disturb(DisturbanceKind kind, NodeId node, Moment shown, std::int64_t from_ns,
                      bool is_strict, bool breaks_assumption) {
  for (const Reading reading : readings) {
    if (reading == Reading::strict && !is_strict) continue;
    calm_[at(reading)].disturb(from_ns, shown.t_ns, settle_ns(),
                               announcing(shown.t_ns).without(nullptr));
    if (!breaks_assumption) continue;
    right_[at(reading)].disturb(from_ns, shown.t_ns, settle_ns(),
                                announcing(shown.t_ns).without(nullptr));
  }
  if (breaks_assumption) note(kind, node, shown, from_ns, shown.t_ns);
}

void History::take_suspicion(const Record& record, Moment now) {
  if (record.reason != "down" && record.reason != "hung") return;
  const NodeId node = *record.coordinator;
  const auto found = lives_of_.find(node);
  if (found == lives_of_.end()) return;
  Life& life = lives_[found->second.back()];
  if (life.is_over()) return;
  if (record.reason == "down") find_gone(node, now);
  if (record.reason == "hung" && !life.silent) life.silent = now;
  elections_.change(node);
  if (record.reason == "hung" && life.paused) return;  // it is right
  // In the strict reading only a record, or its own word as well, shows that it was away.
  disturb("suspicion", node, now, now.t_ns, false, true);
}

// Others found no process behind its name. If it writes no further line, that was its end.
void History::find_gone(NodeId node, Moment now) {
  const auto found = lives_of_.find(node);
  if (found == lives_of_.end()) return;
  Life& life = lives_[found->second.back()];
  if (life.is_over() || life.gone) return;
  life.gone = now;
  elections_.change(node);
  disturb("end", node, now, now.t_ns, true, false);
}

}  // namespace bully
