// elections.cc: where an election begins and ends, and which messages are its own.
#include "history/elections.h"

#include <algorithm>

#include "history/history.h"

namespace bully {

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
  const bool is_of_last = !all_.empty() && life->step.begun.record <= all_.back().last.record;
  if ((took_part || sends) && is_of_last) all_.back().is_over = false;
  const bool is_asked_by_none = sends && life->step.is_own_idea();
  if (!goes_on() && (took_part || is_asked_by_none)) open(history, *life, now);
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
  const bool announces = is_asked_by_none && record.type->role == Role::announces;
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
  const Life* left = left_ ? &history.lives()[*left_] : nullptr;
  if (left != nullptr && left->end.record >= after) {
    election.first = left->end;
    election.lost_coordinator = left->node;
    election.last_sign = left->end;
    election.is_last_sign_its_end = true;
    election.changed.insert(left->node);
  }
  left_.reset();
  election.last = now;
  // The step that opens it may have begun with a start, or a suspicion.
  if (life.step.opening.event == TraceEvent::start) election.changed.insert(life.node);
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
  election.is_last_sign_its_end = lost->is_over();
  election.last_sign = lost->is_over() ? lost->end : lost->last_own;
}

void Elections::count(const History& history, const Record& record, Moment now) {
  const bool is_sending = record.event == TraceEvent::send;
  const bool counts_lost = history.is_mixed() || history.algorithm().counts_lost;
  // An answer belongs to the election of its request, however late it is.
  const bool answers = is_sending && record.type->role == Role::answers;
  std::optional<std::size_t> sending;
  if (is_sending) sending = now.record;
  if (answers && history.current()->step.cause) sending = history.current()->step.cause;
  if (!is_sending && history.arrived()) sending = history.arrived()->sent.record;
  Election* election = sending ? of_sending(*sending) : nullptr;
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
