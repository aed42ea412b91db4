// history.cc: lives and their lines, outages, states and timers.
#include "history/history.h"

#include <algorithm>

#include "trace/trace.h"

namespace bully {

namespace {

// Of a process whose start does not say it: the usual ones.
constexpr Waits usual_waits = {{}, 1'000'000'000, 1'000'000'000, 500'000'000, 1'000'000'000, 0};

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

// --- Lives ---

History::History(const Algorithm& algorithm) : algorithm_(&algorithm) {}

const Life* History::life(NodeId node) const {
  const auto found = lives_of_.find(node);
  return found == lives_of_.end() ? nullptr : &lives_[found->second.back()];
}

Life* History::latest_life(NodeId node) {
  const Life* found = life(node);
  return found == nullptr ? nullptr : &lives_[found->index];
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

bool History::is_undecided(const Life& life) const {
  if (!life.is_present() || life.observed) return false;
  const std::optional<NodeId> followed = life.now.coordinator;
  const Life* coordinator = followed ? this->life(*followed) : nullptr;
  return !followed || (coordinator != nullptr && (coordinator->is_over() || coordinator->gone));
}

std::vector<NodeId> History::nodes() const {
  return list_of(lives_of_, [](const auto& its) { return its.first; });
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
  if (named_.empty()) return {algorithm_};
  return {named_.begin(), named_.end()};
}

Life* History::life_of(const Record& record, std::size_t i) {
  Life* life = latest_life(record.node);
  if (life != nullptr && !is_of_successor(record, *life)) return life;
  if (life != nullptr && is_of_network(record)) {  // it may lose a message of an earlier life
    const auto& all = lives_of_.at(record.node);
    const auto its = std::ranges::find(all, record.pid, [this](auto k) { return lives_[k].pid; });
    if (its != all.end()) return &lives_[*its];
  }
  // Others may have acted on a process that has no trace; and its monitor outlives it.
  if (!is_own(record)) return nullptr;
  if (life != nullptr && !life->is_over()) end_life(*life, Life::End::replaced, {i, record.t_ns});
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
  const bool is_known = !environment.waits.detector.empty();
  const Waits& waits = is_known ? environment.waits : usual_waits;
  for (const auto& [key, wait] : waits_fields)
    longest_.*wait = std::max(longest_.*wait, waits.*wait);
  is_unbounded_ = is_unbounded_ || waits.answer_timeout_ns == 0;
  is_unwatched_ = is_unwatched_ || waits.detector == detector_names.back();
  if (!record.algorithm.empty()) {
    life.algorithm = &algorithm_named(record.algorithm);
    named_.insert(life.algorithm);
    if (named_.size() == 1) algorithm_ = life.algorithm;
  }
  const Given given = record.given == nullptr ? Given() : *record.given;
  if (!given.variant.empty()) variants_.insert(given.variant);
  if (given.preset) {
    life.now.coordinator = given.preset;
  } else if (!life.observed) {
    life.takes_part = life.joining = now;
    latest_start_ns_ = now.t_ns;
    disturb({"start", life.node, i, now.t_ns, now.t_ns}, now, true);
  }
  return life;
}

void History::end_life(Life& life, Life::End how, Moment when) {
  if (life.paused) end_outage(life, when, true);
  if (how == Life::End::killed) take_back_suspicions(life, when);
  for (std::size_t timer = 0; timer < life.waiting.size(); ++timer) stop_waiting(life, timer);
  leave_office(life, how == Life::End::replaced ? life.last_own : when);
  life.takes_part.reset();
  life.how = how;
  life.end = when;
  leave_side(life, when);
  elections_.change(life.node);
  disturb({"end", life.node, when.record, when.t_ns, when.t_ns}, when, true);
}

// --- The next record ---

void History::take(const Record& record, std::size_t i) {
  const Moment now{i, record.t_ns};
  // Only the longest of the waits that are not over counts.
  while (!running_.empty() && std::get<1>(*running_.rbegin()) < record.t_ns) {
    const auto [longest_ns, over_ns, k, timer] = *running_.rbegin();
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
  const bool suspects = record.event == TraceEvent::suspect || record.event == TraceEvent::step;
  if (suspects) take_suspicion(record, now);
  take_timers(*life, record, now);
  take_state(*life, record, now);
  if (record.event == TraceEvent::rule) ++rules_[record.rule];
  if (record.event == TraceEvent::leave) end_life(*life, Life::End::left, now);
  elections_.take(*this, record, i);
}

void History::take_own_line(Life& life, const Record& record, Moment now) {
  count_line(life, record, now);
  if (record.n > 0 || life.damage) {
    const bool is_resumption = record.event == TraceEvent::step && record.reason == "resumed";
    const bool is_known = is_resumption && !life.silent && !life.gone && !life.outages.empty() &&
                          !life.outages.back().is_taken_up;
    if (life.paused || (is_resumption && !is_known)) {
      end_outage(life, now, life.silent || life.gone);
    }
    // A suspicion, or an expired timer, takes the place of that step.
    const bool acts =
        is_resumption || record.event == TraceEvent::suspect || record.event == TraceEvent::timeout;
    if (acts && !life.outages.empty()) life.outages.back().is_taken_up = true;
    life.gone.reset();
    life.silent.reset();
    life.found_down.clear();
    if (!life.damage) life.last_own = now;
  }
  if (begins_step(record)) life.step = {.begun = now, .opening = record};
}

// A line of other programs, or a network's loss, has no number.
void History::count_line(Life& life, const Record& record, Moment now) {
  const bool is_counted = record.n > 0 || (is_of_step(record) && !life.observed);
  if (!is_counted || life.damage) return;
  if (record.n == life.lines_due) return static_cast<void>(++life.lines_due);
  const DamageKind kind = record.n == 0               ? DamageKind("unnumbered")
                          : record.n < life.lines_due ? DamageKind("line_repeated")
                                                      : DamageKind("line_missing");
  life.damage = {kind, now.record, std::min(record.n, life.lines_due)};
}

void History::take_act(Life& life, const Record& record, Moment now) {
  if (record.event == TraceEvent::heal) return leave_side(life, now);
  if (record.event == TraceEvent::end) life.last_own = now;
  if (life.is_over()) return;
  if (record.event == TraceEvent::crash) {
    end_life(life, Life::End::killed, now);
  } else if (record.event == TraceEvent::pause && !life.paused) {
    life.paused = now;
    elections_.change(life.node);
    disturb({"outage", life.node, now.record, now.t_ns, forever}, now, true);
  } else if (record.event == TraceEvent::resume) {
    // The node itself may record this as well.
    end_outage(life, now, record.n == 0 || life.silent || life.gone);
    if (record.n > 0 && record.n == life.lines_due) ++life.lines_due;
  } else if (record.event == TraceEvent::partition) {
    const bool was_cut = std::exchange(life.side, record.side.value_or(1)) > 0;
    if (was_cut || cut_sides_++ > 0) return;
    disturb({"cut", life.node, now.record, now.t_ns, forever}, now, true);
  }
}

void History::leave_side(Life& life, Moment now) {
  if (std::exchange(life.side, 0) == 0 || --cut_sides_ > 0) return;
  end_disturbance("cut", life.node, now);
}

// It lasted from its `pause`, or from its latest own line, until now.
void History::end_outage(Life& life, Moment now, bool is_witnessed) {
  const std::optional<Moment> paused = std::exchange(life.paused, std::nullopt);
  elections_.change(life.node);
  // Two words of the same return are one outage.
  if (paused || !life.has_just_returned()) {
    life.outages.push_back({.from_ns = (paused ? *paused : life.last_own).t_ns});
  }
  Outage& outage = life.outages.back();
  outage.to_ns = now.t_ns;
  outage.is_witnessed = outage.is_witnessed || paused || is_witnessed;
  if (paused) return end_disturbance("outage", life.node, now);
  disturb({"outage", life.node, now.record, outage.from_ns, now.t_ns}, now, outage.is_witnessed);
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
  if (takes_part && !life.takes_part) {
    life.takes_part = now;
    life.joining = life.step.begun.record == no_record ? now : life.step.begun;
  }
  if (record.event != TraceEvent::coordinator) return;
  life.takes_part.reset();
  for (std::size_t timer = 0; timer < timer_count; ++timer) stop_waiting(life, timer);
  if (record.coordinator == life.node) return;
  life.reports = 0;  // its monitor forgets them
  stop_waiting(life, Life::wait_of_monitor);
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
  if (record.event == TraceEvent::suspect) {
    const bool is_report = record.reason == "found" || record.coordinator == life.node;
    return is_report ? take_report(life, now) : void();
  }
  if (record.event != TraceEvent::wait && record.event != TraceEvent::timeout) return;
  const std::size_t timer = record.timer == timer_name(Timer::answer) ? 0 : 1;
  stop_waiting(life, timer);
  if (record.event == TraceEvent::timeout) {
    if (!is_late(life, now.t_ns)) return;
    disturb({"late_timer", life.node, now.record, now.t_ns, now.t_ns}, now, true);
  } else if (record.longest_ns) {
    start_waiting(life, timer, *record.longest_ns, now);
  } else {
    is_unbounded_ = true;
  }
}

// A coordinator's monitor waits twice as long before each further report.
void History::take_report(Life& life, Moment now) {
  const int intervals = std::min(max_report_intervals, 1 << std::min(++life.reports, 10U));
  stop_waiting(life, Life::wait_of_monitor);
  start_waiting(life, Life::wait_of_monitor, intervals * longest_.ping_interval_ns, now);
}

void History::start_waiting(Life& life, std::size_t timer, std::int64_t longest_ns, Moment now) {
  const std::int64_t over_ns = now.t_ns + longest_ns + slack_ns;
  running_.insert(life.waiting.at(timer).emplace(longest_ns, over_ns, life.index, timer));
  longest_wait_ns_ = std::max(longest_wait_ns_, longest_ns);
}

void History::stop_waiting(Life& life, std::size_t timer) {
  const auto wait = std::exchange(life.waiting.at(timer), std::nullopt);
  if (wait) running_.erase(*wait);
}

}  // namespace bully
