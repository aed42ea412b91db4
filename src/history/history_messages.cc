// history_messages.cc: messages from their sending to their end, and news of coordinators that is
// still to arrive.
#include <algorithm>

#include "history/history.h"

namespace bully {

namespace {

// Nothing if its description promises no answer to this message.
std::optional<MessageType> owed_by(const Life& life, const Record& receipt) {
  if (life.observed || life.algorithm == nullptr || receipt.from == receipt.to) return std::nullopt;
  const bool is_from_preferred = life.algorithm->prefers(receipt.from, receipt.to);
  for (const Answered& one : life.algorithm->answers) {
    if (one.request != receipt.type || one.from_preferred != is_from_preferred) continue;
    return one.answer;
  }
  return std::nullopt;
}

}  // namespace

// Sender, receiver, type and the sender's number identify a message. A process that comes back
// under its id counts from 1 again; so the latest life of the sender comes first, and in it the
// earliest message, as messages on a link arrive in the order of sending.
void History::take_message(Life& life, const Record& record, Moment now) {
  if (record.event == TraceEvent::receive) {
    names_.insert(record.from);
    if (is_about_election(record)) life.step.owes = owed_by(life, record);
    if (is_about_election(record) && this->life(record.from) == nullptr) {
      disturb({"untraced", record.from, now.record, now.t_ns, now.t_ns}, now, true);
    }
  }
  if (life.step.is_owed(record)) life.step.owes.reset();
  if (record.event == TraceEvent::lost && record.reason != "gone") names_.insert(record.to);
  if (record.event != TraceEvent::send) return take_arrival(life, record, now);
  SentMessage message{.sent = now,
                      .type = record.type,
                      .from = record.from,
                      .to = record.to,
                      .sender = life.index,
                      .announces = winner_in(record)};
  if (record.type->role == Role::answers) message.request = life.step.cause;
  const Life* receiver = this->life(record.to);
  if (receiver != nullptr && !receiver->is_over()) message.receiver = receiver->index;
  if (message.announces) announced_[*message.announces].emplace(now.record, record.to);
  if (is_about_election(record)) {
    life.open.insert(now.record);
    if (message.receiver) lives_[*message.receiver].open.insert(now.record);
  }
  Sendings& alike = by_name_[{record.from, record.to, record.type, record.number}];
  alike[{message.sender, message.receiver}].push_back(now.record);
  in_flight_.emplace(now.record, message);
}

void History::take_arrival(Life& life, const Record& record, Moment now) {
  const auto name = by_name_.find({record.from, record.to, record.type, record.number});
  if (name == by_name_.end()) return;
  // A number is given once in a life. Without one, a message sent before the receiver's start was
  // most likely for the life before.
  const bool is_receipt = record.event == TraceEvent::receive;
  const auto fitting_life = [&](const Sendings::value_type& alike) {
    const auto& [sender, receiver] = alike.first;
    // The simulator writes the network's losses into the sender's present life.
    const bool is_of_any = record.n > 0 && is_of_network(record);
    const bool fits = record.node == record.from
                          ? sender == life.index || is_of_any
                          : record.number || !is_receipt || receiver == life.index;
    return fits ? std::optional(sender) : std::nullopt;
  };
  // The oldest of the latest life that fits.
  const auto found = std::ranges::max_element(name->second, {}, [&](const auto& alike) {
    return std::pair(fitting_life(alike), no_record - alike.second.front());
  });
  if (!is_receipt && !fitting_life(*found)) return;
  const std::size_t sending = found->second.front();
  found->second.pop_front();
  if (found->second.empty()) name->second.erase(found);
  if (name->second.empty()) by_name_.erase(name);
  arrived_ = in_flight_.at(sending);
  in_flight_.erase(sending);
  lives_[arrived_->sender].open.erase(sending);
  if (arrived_->receiver) lives_[*arrived_->receiver].open.erase(sending);
  if (arrived_->announces) {
    const auto winner = announced_.find(*arrived_->announces);
    winner->second.erase(sending);
    if (winner->second.empty()) announced_.erase(winner);
  }
  if (is_receipt) return static_cast<void>(life.step.cause = sending);
  Life* receiver = latest_life(record.to);
  if (record.reason == "gone") {
    if (receiver != nullptr && !receiver->is_over()) find_gone(*receiver, now);
    return;
  }
  // Even if the receiver is dead, the sender does not learn that, and waits.
  const bool is_network =
      is_of_network(record) || record.reason == "deadline" || record.reason == "crowded";
  if (!is_network || !is_about_election(record)) return;
  disturb({"loss", record.to, now.record, now.t_ns, now.t_ns}, now, true);
}

bool History::is_awaited(const SentMessage& message) const {
  return message.type.is_of_election() && message.receiver &&
         lives_[*message.receiver].is_present();
}

// True if its step may be unfinished.
bool History::is_in_step(const Life& life, std::int64_t t_ns) const {
  return !life.is_over() && life.step.begun.record != no_record &&
         t_ns - life.last_own.t_ns <= arrive_ns();
}

// A timer of this process expired: true if a process that is neither known to be gone nor, by a
// record, stopped still has to send the answer to a request of it, in a step that may be
// unfinished; or if a message from or to it is in flight to such a process.
bool History::is_late(const Life& life, std::int64_t t_ns) const {
  if (!life.takes_part) return false;
  const std::size_t since = life.takes_part->record;
  const auto owes_it = [&](const auto& of_node) {
    const Life& other = lives_[of_node.second.back()];
    return other.step.owes && other.step.opening.from == life.node && other.step.cause >= since &&
           !other.paused && is_in_step(other, t_ns);
  };
  if (std::ranges::any_of(lives_of_, owes_it)) return true;
  return std::any_of(life.open.lower_bound(since), life.open.end(), [this](std::size_t sending) {
    const Life* receiver = this->life(in_flight_.at(sending).to);
    return receiver == nullptr || (!receiver->is_over() && !receiver->paused);
  });
}

Announcing History::announcing(std::int64_t t_ns, const Life* stepping) const {
  Announcing found;
  if (offices_.size() < 2) return found;
  const std::int64_t arrive = arrive_ns();
  const auto is_before = [&](NodeId winner, const std::optional<Announcing::One>& one) {
    return !one || algorithm_->prefers(winner, one->winner);
  };
  const auto add = [&](NodeId winner, const Life* in_step) {
    const bool is_same = found.first && found.first->in_step == in_step;
    if (is_before(winner, found.first)) {
      if (!is_same) found.second = found.first;
      found.first = {winner, in_step};
    } else if (!is_same && is_before(winner, found.second)) {
      found.second = {winner, in_step};
    }
  };
  // On a ring the news passes through others.
  const bool passes_on = algorithm_->has_ring();
  for (const auto& [winner, messages] : announced_) {
    for (auto one = messages.rbegin(); one != messages.rend(); ++one) {
      if (t_ns - in_flight_.at(one->first).sent.t_ns > arrive) break;
      const Life* receiver = this->life(one->second);
      if (!passes_on && (receiver == nullptr || !receiver->office)) continue;
      add(winner, nullptr);
      break;
    }
  }
  const auto add_step = [&](const Life& life) {
    if (&life == stepping || !is_in_step(life, t_ns)) return;
    const Life* in_step = life.office ? &life : nullptr;
    if (life.office) add(life.node, in_step);
    if (life.step.opening.event != TraceEvent::receive) return;
    if (const auto heard = winner_in(life.step.opening)) add(*heard, in_step);
  };
  if (passes_on) {
    for (const auto& [node, lives] : lives_of_) add_step(lives_[lives.back()]);
  } else {
    for (const std::size_t k : offices_) add_step(lives_[k]);
  }
  return found;
}

}  // namespace bully
