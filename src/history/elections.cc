// elections.cc: where an election begins and ends, and which messages are its own.
#include "history/elections.h"

#include <algorithm>

#include "history/history.h"

namespace bully {

// When a process ended, or was stopped, by a record.
static std::optional<Moment> loss_of(const Life& life) {
  return life.is_over() ? std::optional(life.end) : life.paused;
}

void Elections::change(NodeId node) {
  if (goes_on()) all_.back().changed.insert(node);
}

// The election to which a message belongs that was sent by this record.
Election* Elections::of_sending(std::size_t record) {
  const auto after = std::ranges::upper_bound(
      all_, record, {}, [](const Election& election) { return election.first.record; });
  return after == all_.begin() ? nullptr : &*std::prev(after);
}

void Elections::take(const History& history, const Record& record, std::size_t i) {
  const Life* life = history.current();
  if (life == nullptr) return;
  const Moment now{i, record.t_ns};
  const bool took_part = life->takes_part && life->takes_part->record == i;
  const bool sends = record.event == TraceEvent::send && is_about_election(record);
  // The step in which all came to agree may still have messages to send.
  const bool is_of_last = !all_.empty() && life->step.begun.record <= over_at_;
  if ((took_part || sends) && is_of_last) all_.back().is_over = false;
  const bool is_own_idea = life->step.is_own_idea();
  // Without being asked; or a stopped process goes on, and handles a message of an election that is
  // over by now. An answer belongs to the election of its request.
  const bool begins =
      sends && record.type->role != Role::answers && (is_own_idea || life->step.cause);
  if (!goes_on() && (took_part || begins)) open(history, *life, now);
  const bool ends = life->end.record == i && life->now.is_coordinator();
  if (ends && !goes_on()) left_ = life->index;
  if (is_about_election(record)) count(history, record, now);
  if (!goes_on()) return;

  Election& election = all_.back();
  const bool is_own = life->last_own.record == i || life->damage || life->observed;
  if (is_own && !is_about_ping(record)) {
    stepped_.insert(life->index);
    election.last = now;
  }
  const bool announces = sends && record.type->role == Role::announces && is_own_idea;
  const bool takes_office = life->office && life->office->record == i;
  if (takes_office || announces) won_.insert_or_assign(life->node, now);
  if (took_part || sends) detect(history, *life);
  close_if_over(history, now);
}

void Elections::open(const History& history, const Life& life, Moment now) {
  stepped_.clear();
  won_.clear();
  undecided_.reset();
  waited_for_ = 0;
  Election election{.number = all_.size() + 1, .first = now};
  const std::size_t after = all_.empty() ? 0 : all_.back().last.record + 1;
  const Moment step = life.step.begun;
  if (step.record != no_record && step.record >= after) election.first = step;
  // A coordinator that has ended, or that this process suspects since it was stopped.
  const Record& event = life.step.opening;
  const Life* lost = left_ ? &history.lives()[*left_] : nullptr;
  if (lost == nullptr && event.coordinator && event.event == TraceEvent::suspect &&
      is_loss(event.reason)) {
    lost = history.life(*event.coordinator);
  }
  const auto lost_at = lost == nullptr ? std::nullopt : loss_of(*lost);
  if (lost_at && lost_at->record >= after && lost_at->record < election.first.record) {
    election.first = *lost_at;
    election.lost_coordinator = lost->node;
    election.last_sign = lost_at;
    election.is_moment_of_loss = true;
    election.changed.insert(lost->node);
  }
  left_.reset();
  election.last = now;
  // The step that opens it may have begun with a start, or a suspicion.
  if (event.event == TraceEvent::start) election.changed.insert(life.node);
  if (all_.size() > most_described) all_.back().survivors = {};
  all_.push_back(std::move(election));
}

// A process takes part: by itself, unless a message asked it to.
void Elections::detect(const History& history, const Life& life) {
  if (!life.step.is_own_idea()) return;
  Election& election = all_.back();
  const auto is_it = [&](const Detection& one) {
    return one.node == life.node && one.when.record == life.step.begun.record;
  };
  if (std::ranges::any_of(election.detections, is_it)) return;
  const Record& event = life.step.opening;
  const std::string_view trigger = event.event == TraceEvent::start ? "start" : event.reason;
  election.detections.push_back({life.step.begun, life.node, trigger, event.coordinator});
  // A process that was in the election already suspects further ones: no new cause.
  if (election.lost_coordinator) return;
  const Detection& first = election.detections.front();
  if (!first.is_of_loss() || !first.suspected) return;
  election.lost_coordinator = first.suspected;
  const Life* lost = history.life_at(*first.suspected, first.when.t_ns);
  if (lost == nullptr) return;
  const auto lost_at = loss_of(*lost);
  election.is_moment_of_loss = lost_at.has_value();
  election.last_sign = lost_at.value_or(lost->last_own);
}

void Elections::count(const History& history, const Record& record, Moment now) {
  const bool is_sending = record.event == TraceEvent::send;
  const bool counts_lost = history.is_mixed() || history.algorithm().counts_lost;
  const SentMessage* message = nullptr;
  if (is_sending) message = &history.in_flight().at(now.record);
  if (!is_sending && history.arrived()) message = &*history.arrived();
  if (message == nullptr) return;
  // An answer belongs to the election of its request, however late it is.
  Election* election = of_sending(message->request.value_or(message->sent.record));
  if (election == nullptr) return;
  election->last = std::max(election->last, now,
                            [](const Moment& a, const Moment& b) { return a.record < b.record; });
  if (is_sending) {
    ++election->sent[record.type];
    ++election->receivers[record.to];
    if (record.type->role == Role::joins) {
      election->askers.insert(record.from);
    } else if (record.epoch()) {
      election->epochs.insert(*record.epoch());
    }
  } else if (record.event == TraceEvent::receive) {
    ++election->delivered[record.type];
    const bool is_numbered = record.epoch() && record.type->role != Role::joins;
    if (is_numbered) election->next.insert_or_assign(record.from, record.to);
  } else {
    const bool finds_nobody = record.reason == "gone";
    const bool is_skipped = finds_nobody && !counts_lost;
    is_skipped ? --election->sent[record.type] : ++election->lost[record.type];
    if (finds_nobody) ++election->refused;
    if (!finds_nobody) election->lost_on_the_way = true;
    if (!counts_lost && --election->receivers[record.to] == 0) {
      election->receivers.erase(record.to);
    }
  }
}

// True if all that took a step follow one live process, or are gone.
bool Elections::is_settled(const History& history, std::optional<NodeId>& coordinator) {
  if (undecided_ && history.is_undecided(history.lives()[*undecided_])) return false;
  for (const std::size_t k : stepped_) {
    const Life& life = history.lives()[k];
    if (!life.is_present()) continue;
    if (history.is_undecided(life)) {
      undecided_ = k;
      return false;
    }
    if (coordinator && coordinator != life.now.coordinator) return false;
    coordinator = life.now.coordinator;
  }
  const Life* followed = coordinator ? history.life(*coordinator) : nullptr;
  return followed == nullptr || followed->is_present();
}

// True if a message of it is in flight to a live process.
bool Elections::is_waited_for(const History& history) {
  const auto& all = history.in_flight();
  const auto known = all.find(waited_for_);
  if (known != all.end() && history.is_awaited(known->second)) return true;
  for (auto one = all.lower_bound(all_.back().first.record); one != all.end(); ++one) {
    if (!history.is_awaited(one->second)) continue;
    waited_for_ = one->first;
    return true;
  }
  return false;
}

void Elections::close_if_over(const History& history, Moment now) {
  Election& election = all_.back();
  std::optional<NodeId> coordinator;
  if (!is_settled(history, coordinator)) {
    election.settled.reset();
    return;
  }
  if (!election.settled) election.settled = now;
  if (is_waited_for(history)) return;
  // Others may still have to hear of it.
  for (const NodeId node : history.nodes()) {
    const Life* life = history.life(node);
    if (!history.is_undecided(*life)) continue;
    undecided_ = life->index;
    return;
  }
  election.is_over = true;
  over_at_ = now.record;
  election.winner = coordinator;
  election.survivors.clear();
  if (!coordinator) return;
  const auto won = won_.find(*coordinator);
  if (won != won_.end()) election.won = won->second;
  for (const NodeId node : history.nodes()) {
    const Life* life = history.life(node);
    const bool survives = life->is_present() && life->now.coordinator == coordinator;
    if (survives) election.survivors.push_back(node);
  }
}

}  // namespace bully
