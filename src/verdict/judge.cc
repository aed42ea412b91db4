// judge.cc: the properties, each a function over the history, in the order of `bully help
// guarantees`.
//
// A property about states is judged when a process writes a line: this shows that it has
// been alive, and in the same state, since its line before. So the functions called from
// before() look at the time between these two lines.
#include "verdict/judge.h"

#include <algorithm>
#include <iterator>

namespace bully {

namespace {

// True if this line shows that its process is alive.
bool shows_life(const Record& record) {
  return (record.n > 0 && record.event != TraceEvent::resume) || record.event == TraceEvent::end;
}

}  // namespace

Judge::Judge(const History& history, Reading reading, std::vector<const Property*> promised)
    : history_(history), reading_(reading), promised_(std::move(promised)) {}

bool Judge::judges(const Property& property) const {
  const bool is_of_links = &property == &properties::sent || &property == &properties::arrives;
  if (history_.is_mixed() && !is_of_links) return false;
  return std::ranges::find(promised_, &property) != promised_.end();
}

void Judge::violation(const Property& property, ViolationKind kind, NodeId node, NodeId other,
                      std::int64_t t_ns, std::vector<std::size_t> records) {
  if (!judges(property) || ++found_.violated[&property] > most_violations) return;
  found_.violations.push_back({&property, kind, node, other, t_ns, std::move(records)});
}

// --- The next record ---

void Judge::before(const Record& record, std::size_t i) {
  const Life* life = history_.life(record.node);
  in_office_ = life != nullptr && life->office ? life : nullptr;
  if (in_office_ != nullptr) office_ = *life->office;
  election_went_on_ = history_.elections().goes_on();
  // Its next life begins, or it is over, or its lines are not whole: no line shows that it lives. A
  // recorder sees no steps.
  const bool is_its = life != nullptr && life->pid == record.pid && !life->is_over() &&
                      !life->observed && record.event != TraceEvent::start;
  if (!is_its) return;
  const Moment now{i, record.t_ns};
  check_answers(*life, record, now);
  if (life->damage) return;
  // Until it was killed it was alive, unless it was stopped without a record. Its killer may have
  // recorded that a moment later.
  if (record.event == TraceEvent::crash && reading_ == Reading::strict && life->is_present()) {
    const Moment alive{i, record.t_ns - slack_ns};
    if (alive.t_ns > life->last_own.t_ns) check_states(*life, false, alive);
  }
  if (!shows_life(record)) return;
  if (record.n > 0 && record.n != life->lines_due) return;
  confirm_unsent(*life, now);
  check_arrives(*life, now);
  check_states(*life, begins_step(record) || record.event == TraceEvent::leave, now);
}

// The properties of states: the process was alive until now.
void Judge::check_states(const Life& life, bool ends_step, Moment now) {
  check_one_coordinator(life, ends_step, now);
  check_highest_wins(life, now);
  check_calm(life, now);
}

void Judge::after(const Record& record, std::size_t i) {
  const Life* life = history_.current();
  if (life == nullptr) return;
  const Moment now{i, record.t_ns};
  if (record.event == TraceEvent::coordinator && !life->observed) {
    check_never_lower(*life, record, now);
  }
  if (is_about_election(record)) {
    check_sent(record, now);
    if (record.event != TraceEvent::send) test(properties::arrives);
    check_fifo(record, now);
  }
  // Of a process that starts again, the life before was in office.
  if (in_office_ != nullptr && !in_office_->office) leave_office(*in_office_, office_, now);
  if (life->office && life->office->record == i) claim(*life, now);
  if (election_went_on_ && !history_.elections().goes_on()) check_within_bound(now);
  check_every_moment(*life, record, now);
}

Findings Judge::findings() && {
  for (const auto& [life, its] : cases_) {
    for (const auto& [receipt, node] : its.unsent_by_it) {
      found_.unsent.emplace_back(history_.lives()[life].node, receipt);
    }
  }
  const auto ended = std::ranges::count_if(history_.elections().all(), &Election::is_over);
  if (ended > 0) found_.tested[&properties::ends] = static_cast<std::uint64_t>(ended);
  std::ranges::sort(found_.unsent, {}, &std::pair<NodeId, std::size_t>::second);
  return std::move(found_);
}

// --- never-lower ---

// No process follows a process that its election ranks below it.
void Judge::check_never_lower(const Life& life, const Record& record, Moment now) {
  const Property& property =
      judges(properties::never_higher) ? properties::never_higher : properties::never_lower;
  if (record.coordinator == life.node) return;
  test(property);
  if (!history_.algorithm().prefers(life.node, *record.coordinator)) return;
  violation(property, "follows_a_lower", life.node, *record.coordinator, now.t_ns, {now.record});
}

// --- sent ---

// Each receipt has its sending, earlier. The sender's lines have to be whole: its next one shows
// that none is missing.
void Judge::check_sent(const Record& record, Moment now) {
  if (record.event != TraceEvent::receive) return;
  if (history_.arrived()) return test(properties::sent);
  const Life* sender = history_.life(record.from);
  if (sender == nullptr || sender->observed) return;  // it has no trace, so it says nothing
  cases_[sender->index].unsent_by_it.emplace_back(now.record, record.node);
}

void Judge::confirm_unsent(const Life& life, Moment now) {
  const auto found = cases_.find(life.index);
  if (found == cases_.end()) return;
  for (const auto& [receipt, node] : std::exchange(found->second.unsent_by_it, {})) {
    violation(properties::sent, "not_sent", node, life.node, now.t_ns, {receipt, now.record});
  }
}

// --- arrives ---

// Each message is received or recorded as lost, once both processes have written a line that is
// later by the time within which messages arrive, and were not stopped for as long before it.
void Judge::check_arrives(const Life& life, Moment now) {
  const std::int64_t arrive = history_.arrive_ns();
  if (life.open.empty() || life.was_away(reading_, now.t_ns - arrive, now.t_ns)) return;
  std::size_t& before = cases_[life.index].overdue_before;
  for (auto one = life.open.lower_bound(before); one != life.open.end(); ++one) {
    const SentMessage& message = history_.in_flight().at(*one);
    if (now.t_ns - message.sent.t_ns <= arrive) return;
    before = *one + 1;
    const bool by_both = message.receiver && cases_[message.sender].overdue_before > *one &&
                         cases_[*message.receiver].overdue_before > *one;
    if (!by_both) continue;  // the other side is still to come
    violation(properties::arrives, "not_arrived", message.to, message.from, now.t_ns,
              {*one, now.record});
  }
}

// --- answers ---

// A message of which the description names the answer gets it within the step that handles it: the
// life's next step begins. A kill may have ended the one before.
void Judge::check_answers(const Life& life, const Record& record, Moment now) {
  const Life::Step& step = life.step;
  if (!step.owes || life.damage) return;
  if (step.is_owed(record)) return test(properties::answers);
  if (!begins_step(record)) return;
  test(properties::answers);
  violation(properties::answers, "not_answered", life.node, step.opening.from, now.t_ns,
            {step.begun.record, now.record});
}

// --- one-coordinator ---

// Two processes are in office only while the lower may still have to hear of it. It is enough to
// look at the moments of their lines, and at the ends of the times in which this is promised:
// in between, news may come, but no other process is known to be alive.
void Judge::check_one_coordinator(const Life& life, bool ends_step, Moment now) {
  if (!life.office || !judges(properties::one_coordinator)) return;
  Case& its = cases_[life.index];
  if (its.is_accused_as_rival) return;
  its.announcing = history_.announcing(now.t_ns, ends_step ? &life : nullptr);
  const std::int64_t from_ns = std::max(life.last_own.t_ns, life.office->t_ns);
  const auto promised = history_.right(reading_, from_ns, now.t_ns);
  if (promised.empty()) return;
  // A rival that left before the life's line before has met that line.
  for (auto rival = past_rivals_.rbegin(); rival != past_rivals_.rend(); ++rival) {
    if (rival->left <= life.last_own.record) break;
    if (overlap(life, *rival, promised, ends_step, now)) return;
  }
  for (const std::size_t k : history_.offices()) {
    const Life& other = history_.lives()[k];
    Case& its_rival = cases_[k];
    if (k == life.index || other.observed || its_rival.is_accused_as_rival) continue;
    const Rival rival{&other, other.office->t_ns, other.last_own, its_rival.announcing};
    if (!overlap(life, rival, promised, ends_step, now)) continue;
    its_rival.is_accused_as_rival = true;
    return;
  }
}

bool Judge::overlap(const Life& life, const Rival& rival,
                    const std::vector<Quiet::Stretch>& promised, bool ends_step, Moment now) {
  // Both are known to be alive and in office from here until the rival's last line. If the life now
  // begins another step, it had sent all of its news by then.
  const std::int64_t from_ns = std::max({life.last_own.t_ns, life.office->t_ns, rival.since_ns});
  if (rival.until.t_ns <= from_ns || rival.until.t_ns > now.t_ns) return false;
  const auto prefers = history_.algorithm().prefers;
  const bool is_lower = prefers(rival.life->node, life.node);
  const Life& lower = is_lower ? life : *rival.life;
  const Life& higher = is_lower ? *rival.life : life;
  for (const Quiet::Stretch& one : promised) {
    const std::int64_t at_ns = std::min(one.to_ns, rival.until.t_ns);
    if (at_ns <= std::max(from_ns, one.settled_ns)) continue;
    const std::optional<NodeId> announcing =
        one.to_ns < rival.until.t_ns ? one.announcing
                                     : rival.announcing.without(ends_step ? &life : nullptr);
    if (announcing && prefers(*announcing, lower.node)) continue;
    if (history_.is_away(lower, reading_, at_ns)) continue;
    if (history_.is_away(higher, reading_, at_ns)) continue;
    cases_[life.index].is_accused_as_rival = true;
    violation(properties::one_coordinator, "two_coordinators_at_once", lower.node, higher.node,
              at_ns, {rival.until.record, now.record});
    return true;
  }
  return false;
}

// Others in office may still have to write the line that shows that they were alive until then.
void Judge::leave_office(const Life& life, Moment since, Moment now) {
  Case& its = cases_[life.index];
  const bool is_accused = std::exchange(its.is_accused_as_rival, false);
  if (is_accused || life.observed || history_.offices().empty()) return;
  past_rivals_.push_back({&life, since.t_ns, life.last_own, its.announcing, now.record});
}

// --- highest-wins ---

// A process takes office.
void Judge::claim(const Life& life, Moment now) {
  if (!judges(properties::highest_wins) || life.observed) return;
  test(properties::one_coordinator);
  if (history_.is_away(life, reading_, now.t_ns)) return;
  const Moment since = life.takes_part ? life.joining : life.step.begun;
  if (history_.was_right(reading_, since.t_ns, now.t_ns)) test(properties::highest_wins);
  claims_.push_back({life.node, since, now});
}

// Live processes that rank above it, and were alive and not stopped since it takes part, speak
// against it with their next lines, if timeouts were right all the while.
void Judge::check_highest_wins(const Life& life, Moment now) {
  for (auto claim = claims_.rbegin(); claim != claims_.rend(); ++claim) {
    const auto& [winner, since, office] = *claim;
    if (office.record <= life.last_own.record) break;
    if (office.t_ns > now.t_ns) continue;
    if (!history_.algorithm().prefers(life.node, winner)) continue;
    if (life.first.record >= since.record) continue;
    if (!history_.was_right(reading_, since.t_ns, office.t_ns)) continue;
    if (life.was_away(reading_, since.t_ns, office.t_ns)) continue;
    violation(properties::highest_wins, "not_highest", winner, life.node, office.t_ns,
              {office.record, now.record});
  }
}

// --- ends, agreement ---

// True just before this time: a stretch of a calm ends where an outage begins.
bool Judge::was_stopped(const Life& life, std::int64_t t_ns) const {
  return life.was_away(reading_, t_ns - 1, t_ns - 1);
}

// The times since its latest line in which nothing disturbed the processes for long enough.
void Judge::check_calm(const Life& life, Moment now) {
  for (const Quiet::Stretch& one : history_.calm(reading_, life.last_own.t_ns, now.t_ns)) {
    const std::int64_t at_ns = std::min(one.to_ns, now.t_ns);
    if (at_ns <= one.settled_ns || was_stopped(life, at_ns)) continue;
    life.takes_part ? check_ends(life, one, at_ns, now) : check_agreement(life, one, at_ns, now);
    // It runs, so no other may follow a process that it outranks.
    const auto prefers = history_.algorithm().prefers;
    for (auto sample = samples_.rbegin(); sample != samples_.rend(); ++sample) {
      if (sample->t_ns <= std::max(life.last_own.t_ns, life.first.t_ns)) break;
      if (sample->t_ns > at_ns || !prefers(life.node, sample->followed)) continue;
      if (was_stopped(life, sample->t_ns)) continue;
      violation(properties::agreement, "not_agreed", sample->node, life.node, sample->t_ns,
                {sample->record, now.record});
    }
  }
}

// No process takes part for longer than all need to settle, undisturbed.
void Judge::check_ends(const Life& life, const Quiet::Stretch& stretch, std::int64_t at_ns,
                       Moment now) {
  const std::int64_t since_ns = std::max(life.takes_part->t_ns, stretch.from_ns);
  const std::int64_t settle_ns =
      std::max(history_.settle_ns(), stretch.settled_ns - stretch.from_ns);
  if (at_ns - since_ns <= settle_ns) return;
  Case& its = cases_[life.index];
  if (std::exchange(its.overdue, life.takes_part->record) == life.takes_part->record) return;
  violation(properties::ends, "never_decided", life.node, life.node, at_ns,
            {life.takes_part->record, now.record});
}

// From then on all that are alive follow the highest that runs; or a higher process of which no
// record shows the end.
void Judge::check_agreement(const Life& life, const Quiet::Stretch& stretch, std::int64_t at_ns,
                            Moment now) {
  const std::optional<NodeId> followed = life.now.coordinator;
  if (!followed) return;
  Case& its = cases_[life.index];
  const std::pair agreed(stretch.settled_ns, followed);
  if (std::exchange(its.agreed, agreed) == agreed) return;
  const Property& property = properties::agreement;
  test(property);
  const Life* coordinator = history_.life_at(*followed, at_ns);
  if (coordinator != nullptr && coordinator->is_over() && coordinator->end.t_ns < at_ns) {
    return violation(property, "stayed_with_the_dead", life.node, *followed, at_ns,
                     {coordinator->end.record, now.record});
  }
  for (const NodeId node : history_.nodes()) {
    if (!history_.algorithm().prefers(node, *followed)) continue;
    const Life* other = history_.life_at(node, at_ns);
    if (other == nullptr || other->last_own.t_ns < at_ns || was_stopped(*other, at_ns)) continue;
    return violation(property, "not_agreed", life.node, node, at_ns,
                     {other->last_own.record, now.record});
  }
  samples_.push_back({at_ns, *followed, life.node, now.record});
}

// --- fifo, within-bound, properties of single states ---

// [DKR82] Messages from one process to another arrive in the order of sending.
void Judge::check_fifo(const Record& record, Moment now) {
  if (record.event != TraceEvent::receive || !history_.arrived()) return;
  const SentMessage& message = *history_.arrived();
  const std::pair link(message.sender, history_.current()->index);
  const auto [found, is_first] =
      links_.try_emplace(link, std::pair(message.sent.record, now.record));
  auto& [sending, receipt] = found->second;
  if (is_first || !judges(properties::fifo)) return;
  test(properties::fifo);
  if (sending > message.sent.record) {
    violation(properties::fifo, "overtaken", record.node, record.from, now.t_ns,
              {message.sent.record, sending, receipt, now.record});
  } else {
    found->second = {message.sent.record, now.record};
  }
}

// [DKR82, CR79] An undisturbed election takes no more messages than the worst case.
void Judge::check_within_bound(Moment now) {
  if (!judges(properties::within_bound)) return;
  const Election& election = history_.elections().all().back();
  const Figures figures = figures_of(history_, election);
  if (!figures.bound || !figures.textbook) return;
  test(properties::within_bound);
  if (!figures.exceeds_bound) return;
  violation(properties::within_bound, "more_than_bound", election.detections.front().node,
            *election.winner, now.t_ns, {election.first.record, now.record});
}

// Properties that must hold whenever a process has taken a step. If one broke while it was not
// promised, no later step is to blame for that.
void Judge::check_every_moment(const Life& life, const Record& record, Moment now) {
  if (record.event != TraceEvent::state && record.event != TraceEvent::coordinator) return;
  if (life.observed) return;
  for (const Property* property : promised_) {
    const bool is_of_states = property->moment == Property::Moment::every &&
                              property != &properties::never_lower &&
                              property != &properties::never_higher;
    if (!is_of_states) continue;
    const bool joins = property->assumes.has(Assumption::nobody_joins) &&
                       now.t_ns - history_.latest_start_ns() <= history_.settle_ns();
    const bool needs_right = property->assumes.has(Assumption::synchronous);
    bool is_promised = !joins && (!needs_right || history_.was_right(reading_, now.t_ns, now.t_ns));
    std::vector<const Snapshot*> nodes;
    for (const NodeId node : history_.nodes()) {
      const Life& other = *history_.life(node);
      if (other.is_over() || other.gone || other.observed) continue;
      nodes.push_back(&other.now);
      if (needs_right && history_.is_away(other, reading_, now.t_ns)) is_promised = false;
    }
    const bool is_at_stake =
        property->is_at_stake == nullptr || property->is_at_stake(life.now, nodes);
    if (is_promised && is_at_stake) test(*property);
    const bool holds = property->holds(history_.algorithm(), nodes);
    const bool has_held = std::exchange(held_.try_emplace(property, true).first->second, holds);
    if (!is_promised || !has_held || holds) continue;
    violation(*property, "not_kept", life.node, life.now.coordinator.value_or(life.node), now.t_ns,
              {now.record});
  }
}

}  // namespace bully
