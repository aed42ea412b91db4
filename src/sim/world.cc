// world.cc: the calendar of events: messages, timers, monitors.
#include "sim/world.h"

#include <algorithm>

#include "base/interruption.h"
#include "base/list.h"
#include "election/endless_election.h"

namespace bully {

// Spreads the moments at which waits begin over the seeds: a prime.
static constexpr std::uint64_t wait_spread = 1'000'003;

World::World(const WorldOptions& options, Sink* sink, const ProtocolMaker& make)
    : options_(options),
      sink_(sink),
      make_(make ? make : options.algorithm->make),
      random_(options.seed),
      outputs_(sink != nullptr) {}

NodeIndex World::index_of(NodeId id) const {
  const auto found = index_of_.find(id);
  if (found == index_of_.end()) throw NoSuchNode(id);
  return found->second;
}

// An election of n processes has at most some n² messages; and there may be several in one run.
void World::count_event() {
  constexpr std::uint64_t least_bound = 300'000;
  constexpr std::uint64_t elections = 300;
  if (++events_ <= least_bound + elections * nodes_.size() * nodes_.size()) return;
  std::vector<EndlessElection::Sent> latest;
  const std::uint64_t shown = std::min<std::uint64_t>(sent_count_, latest_sent_.size());
  for (std::uint64_t i = sent_count_ - shown; i < sent_count_; ++i) {
    const InFlight sent = opened(latest_sent_.at(i % latest_sent_.size()));
    latest.push_back({sent.message, sent.to});
  }
  throw EndlessElection(events_, std::move(latest));
}

void World::give(NodeIndex index, const Event& event) {
  count_event();
  if (Slow* slow = nodes_[index].slow.get()) {
    slow->waiting.push_back(event);
    return go_on(index);
  }
  nodes_[index].participant->handle(event, *this, outputs_);
  carry_out(index);
}

void World::go_on(NodeIndex index) {
  Node& node = nodes_[index];
  Slow& slow = *node.slow;
  while (!slow.pauses && !node.paused) {
    if (Output* next = slow.outputs.take()) {
      std::visit([&](auto& output) { carry_out(index, output); }, *next);
    } else if (slow.in_hand) {
      node.participant->handle(*std::exchange(slow.in_hand, std::nullopt), *this, slow.outputs);
    } else if (!take_next(index)) {
      expire_late_timers(index);
      if (slow.is_free()) break;
    }
  }
  set_coordinator(node, node.protocol().coordinator() == node.id);
  if (node.monitor != nullptr) take_findings(index);
}

// The next event in hand, as a real node takes it. False: there is none.
bool World::take_next(NodeIndex index) {
  Slow& slow = *nodes_[index].slow;
  if (const std::optional<NodeId> gone = slow.outputs.take_gone()) {
    slow.in_hand = PeerGone{*gone};
    return true;
  }
  if (slow.waiting.empty()) return false;
  slow.in_hand = std::move(slow.waiting.front());
  slow.waiting.pop_front();
  if (std::holds_alternative<Received>(*slow.in_hand)) pause_slow(index);
  return true;
}

void World::pause_slow(NodeIndex index) {
  nodes_[index].slow->pauses = true;
  set_alarm({.at_ns = now_ns_ + options_.pace.count(), .node = index, .act = &World::end_pause});
}

void World::end_pause(const Alarm& alarm) {
  nodes_[alarm.node].slow->pauses = false;
  go_on(alarm.node);
}

// A timer that is over expires when its process is free.
void World::expire_late_timers(NodeIndex index) {
  Node& node = nodes_[index];
  for (const Timer timer : {Timer::answer, Timer::coordinator}) {
    if (!node.is_free() || node.deadline(timer) == never || node.deadline(timer) > now_ns_)
      continue;
    node.deadline(timer) = never;
    node.slow->waiting.emplace_back(Expired{timer});
  }
}

void World::carry_out(NodeIndex index) {
  if (nodes_[index].slow != nullptr) return go_on(index);
  Node& node = nodes_[index];
  do {
    while (Output* next = outputs_.take()) {
      std::visit([&](auto& output) { carry_out(index, output); }, *next);
    }
  } while (node.participant->handle_gone(*this, outputs_));
  set_coordinator(node, node.protocol().coordinator() == node.id);
}

void World::carry_out(NodeIndex index, const Send& send) {
  const Loss loss = post(index, send.to, send.message);
  if (loss != Loss::none) on_lost(index, send.to, send.message, loss);
}

void World::on_lost(NodeIndex from, NodeId to, const Message& message, Loss loss) {
  if (sink_ != nullptr) record(lost_message(to, message, loss));
  if (loss == Loss::gone) outputs_of(from).add_gone(to);
}

Loss World::post(NodeIndex from, NodeId to, const Message& message) {
  Envelope envelope{.to = index_of(to),
                    .from = from,
                    .number = static_cast<std::uint32_t>(*message.number),
                    .text = text_of(message) & Envelope::max_texts};
  count_event();
  const bool finds_nobody = !nodes_[envelope.to].runs();
  const bool lost = random_.chance(options_.loss_ppm);
  const bool is_on_its_way = !lost && !is_cut(from, envelope.to);
  // On a ring, the process behind a dead one gets the message instead: unless nobody knows of that.
  if (!finds_nobody || !is_on_its_way || ranking().counts_lost) ++sent_[message.type];
  latest_sent_.at(sent_count_++ % latest_sent_.size()) = envelope;
  latest_number_ = std::max(latest_number_, message.latest_number());

  if (!is_on_its_way) return lost ? Loss::chance : Loss::partition;
  if (!finds_nobody) {
    put(arrival_ns(envelope), envelope);
    return Loss::none;
  }
  // No process is behind the address. A real sender knows it before its next line of code.
  if (!held_) return Loss::gone;
  envelope.refused = 1;
  std::swap(envelope.from, envelope.to);
  put(now_ns_ + travel_ns(envelope.from, envelope.to), envelope);
  return Loss::none;
}

// After messages that arrive at the same moment.
void World::put(std::int64_t at_ns, const Envelope& envelope) {
  envelopes_[at_ns].push_back(envelope);
}

// On a FIFO link, not before the message sent before it; messages of one moment keep their order.
std::int64_t World::arrival_ns(const Envelope& envelope) {
  const std::int64_t at_ns = now_ns_ + travel_ns(envelope.from, envelope.to);
  if (!options_.is_fifo()) return at_ns;
  std::int64_t& latest = latest_[{envelope.from, envelope.to}];
  latest = std::max(latest, at_ns);
  return latest;
}

void World::carry_out(NodeIndex index, const StartTimer& start) {
  const auto [shortest_ns, longest_ns] =
      wait_range(start, options_.answer_timeout.count(), options_.coordinator_timeout.count());
  const std::int64_t pauses_ns = options_.pace.count() * pauses_in(start, ids_.size());
  // Not the network's random numbers: processes outside this program (../stage) report their
  // messages before their waits.
  const auto now = static_cast<std::uint64_t>(now_ns_);
  Random random(options_.seed ^ (now * wait_spread + nodes_[index].id));
  const std::int64_t at_ns = now_ns_ + pauses_ns + random.between(shortest_ns, longest_ns);
  if (sink_ != nullptr) {
    record(started_wait(nodes_[index].id, start.timer, longest_ns + pauses_ns));
  }
  nodes_[index].deadline(start.timer) = at_ns;
  set_alarm({.at_ns = at_ns, .node = index, .act = &World::on_timer, .timer = start.timer});
}

void World::arrive(const Envelope& envelope) {
  Node& node = nodes_[envelope.to];
  assert(node.runs());
  if (!node.paused) {
    receive(envelope);
  } else if (envelope.refused || node.inbox.size() < options_.backlog) {
    node.inbox.push_back(envelope);
  } else {
    lose(envelope, Loss::deadline);
  }
}

void World::receive(Envelope envelope) {
  if (envelope.refused) {
    std::swap(envelope.from, envelope.to);
    return lose(envelope, Loss::gone);
  }
  ++delivered_[*texts_[envelope.text]->first];
  give(envelope.to, Received{message_in(envelope)});
}

Message World::message_in(const Envelope& envelope) const {
  const auto& [kind, values] = *texts_[envelope.text];
  return {
      .type = *kind, .from = nodes_[envelope.from].id, .number = envelope.number, .values = values};
}

InFlight World::opened(const Envelope& envelope) const {
  return {nodes_[envelope.to].id, message_in(envelope), envelope.refused != 0};
}

std::uint32_t World::text_of(const Message& message) {
  const auto next = static_cast<std::uint32_t>(texts_.size());
  const auto [known, is_new] =
      places_.try_emplace({message.type.operator->(), message.values}, next);
  if (is_new) texts_.push_back(&known->first);
  return known->second;
}

void World::set_coordinator(Node& node, bool coordinator) {
  if (node.coordinator == coordinator) return;
  contested_ns_ = contested().count();
  contested_until_ns_ = now_ns_;
  node.coordinator = coordinator;
  coordinator ? ++coordinators_ : --coordinators_;
}

bool World::agreed() const {
  return is_kept(properties::highest_live, ranking(),
                 list_of(nodes_, [this](const Node& node) { return snapshot(node.id); }));
}

Snapshot World::snapshot(NodeId id) const {
  const Node& shown = node(id);
  if (!shown.runs()) return crashed_snapshot(id);
  Snapshot snapshot = snapshot_of(shown.protocol());
  if (shown.paused) snapshot.condition = Condition::stopped;
  return snapshot;
}

// One message's delay.
static std::chrono::nanoseconds drawn(const Delay& delay, Random& random) {
  const auto& [shape, shortest, longest] = delay;
  if (shape == Delay::Shape::fixed) return shortest;
  std::int64_t range = (longest - shortest) / Delay::step;
  if (shape == Delay::Shape::long_tailed) {
    int doublings = 0;
    while (doublings < Delay::tail_doublings && random.below(2) == 0) ++doublings;
    range >>= Delay::tail_doublings - doublings;
  }
  return shortest + Delay::step * random.between(0, range);
}

std::int64_t World::travel_ns(NodeIndex from, NodeIndex to) {
  const std::uint32_t slowness = std::max(nodes_[from].slowness, nodes_[to].slowness);
  return drawn(options_.delay, random_).count() * slowness;
}

static constexpr auto is_later = [](const auto& alarm, const auto& other) {
  return std::pair(alarm.at_ns, alarm.number) > std::pair(other.at_ns, other.number);
};

void World::set_alarm(const Alarm& alarm) {
  alarms_.push_back(alarm);
  alarms_.back().incarnation = nodes_[alarm.node].incarnation;
  alarms_.back().number = ++alarms_set_;
  std::ranges::push_heap(alarms_, is_later);
}

// The next event happens, if its time comes by `until_ns`. Messages go before timers. A signal is
// noticed between two events: a process that has handled half of one would be in no state.
bool World::step(std::int64_t until_ns) {
  assert(!held_);
  leave_if_asked();
  const auto next = envelopes_.begin();
  const bool is_message =
      next != envelopes_.end() && (alarms_.empty() || next->first <= alarms_.front().at_ns);
  if (!is_message && alarms_.empty()) return false;
  const std::int64_t at_ns = is_message ? next->first : alarms_.front().at_ns;
  if (at_ns > until_ns) return false;
  // A message that was held back may be overdue: it arrives now.
  now_ns_ = std::max(now_ns_, at_ns);
  if (is_message) {
    const Envelope envelope = next->second.front();
    next->second.pop_front();
    if (next->second.empty()) envelopes_.erase(next);
    arrive(envelope);
    return true;
  }
  std::ranges::pop_heap(alarms_, is_later);
  const Alarm alarm = alarms_.back();
  alarms_.pop_back();
  const Node& node = nodes_[alarm.node];
  if (alarm.incarnation == node.incarnation && node.runs()) (this->*alarm.act)(alarm);
  return true;
}

// Void if its deadline has changed since it was set.
void World::on_timer(const Alarm& alarm) {
  const Node& node = nodes_[alarm.node];
  if (node.deadline(alarm.timer) != alarm.at_ns || !node.is_free()) return;
  on_expired(alarm.node, alarm.timer);
}

void World::on_expired(NodeIndex index, Timer timer) {
  nodes_[index].deadline(timer) = never;
  give(index, Expired{timer});
}

void World::run_for(Time time) {
  events_ = 0;
  const std::int64_t until_ns = now_ns_ + time.count();
  while (step(until_ns)) continue;
  now_ns_ = until_ns;
}

void World::run_until_quiescent(Time at_most) {
  events_ = 0;
  const std::int64_t until_ns = now_ns_ + at_most.count();
  while (!is_quiescent() && step(until_ns)) continue;
}

bool World::is_quiescent() const {
  if (!envelopes_.empty()) return false;
  for (NodeIndex index = 0; index < nodes_.size(); ++index) {
    const Node& node = nodes_[index];
    if (!node.runs() || node.paused) continue;
    const bool waits = node.deadlines != std::array{never, never} || !node.is_free();
    if (waits || (options_.detection != Detector::off && will_suspect(index))) return false;
  }
  return std::ranges::none_of(alarms_, &Alarm::is_late_reply);
}

void World::record_ends() {
  for (const Node& node : nodes_) {
    if (node.runs()) record({.node = node.id, .event = TraceEvent::end});
  }
}

void World::record(Record record) {
  if (sink_ == nullptr) return;
  record.t_ns = now_ns_;
  record.pid = static_cast<std::int64_t>(record.node);
  Node& node = nodes_[index_of(record.node)];
  if (record.event == TraceEvent::start) {
    record.environment = make_environment(options_, options_.detection);
    node.lines = 0;
  }
  // Others write the acts on a process, and the fate of a message after its sender has ended.
  if (!is_act_on(record) && (node.runs() || record.event == TraceEvent::leave)) {
    record.n = ++node.lines;
  }
  sink_->record(record);
}

// Its sender may be dead by now. The network's loss of the message is visible all the same.
void World::lose(const Envelope& envelope, Loss loss) {
  const auto [to, message, refused] = opened(envelope);
  if (!nodes_[envelope.from].runs()) return record(lost_message(to, message, loss));
  on_lost(envelope.from, to, message, loss);
  carry_out(envelope.from);
}

}  // namespace bully
