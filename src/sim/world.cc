#include "sim/world.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <stdexcept>
#include <string>

namespace bully {

namespace {

constexpr NodeIndex nobody = UINT32_MAX;

// On its way back: from whom it was for, to whom it was from.
Flight turned(const Flight& flight) {
  Flight back = flight;
  back.from = flight.to;
  back.to = flight.from;
  return back;
}

}  // namespace

World::World(const WorldOptions& options, Sink* sink, ProtocolMaker make)
    : options_(options), sink_(sink), make_(std::move(make)), random_(options.seed) {}

NodeIndex World::index_of(NodeId id) const {
  const NodeIndex index = id < index_of_.size() ? index_of_[id] : nobody;
  if (index == nobody) throw std::out_of_range("no node " + std::to_string(id) + " ever started");
  return index;
}

// One event, and whatever follows from it within the node.
void World::give(NodeIndex index, const Event& event) {
  nothing_new_ = false;
  acting_ = index;
  Node& node = nodes_[index];
  node.participant->handle(event, *this, *this);
  set_coordinator(node, node.protocol().coordinator() == node.id);
}

// A message sets out, is lost, or finds nobody.
Loss World::send(NodeId to, const Message& message) {
  Flight flight;
  flight.to = index_of(to) & Flight::most_nodes;
  flight.from = acting_ & Flight::most_nodes;
  flight.number = static_cast<std::uint32_t>(*message.number);
  flight.type = static_cast<std::uint32_t>(message.type) & Flight::most_types;
  if (message.subject) {
    flight.subject = (index_of(NodeId{*message.subject}) + 1) & Flight::most_subjects;
  }
  if (message.epoch) {
    if (*message.epoch >= Flight::most_epochs) throw std::length_error("too many elections");
    flight.epoch = (*message.epoch + 1) & Flight::most_epochs;
  }
  ++sent_[flight.type];

  const bool lost = random_.chance(options_.loss_ppm);
  if (lost || is_cut(acting_, flight.to)) return lost ? Loss::chance : Loss::partition;
  if (!nodes_[flight.to].runs()) return refuse(flight);
  flights_.push(arrival_ns(flight), flight);
  return Loss::none;
}

// On a FIFO link, not before the one sent before it; what arrives at one moment arrives in order.
std::int64_t World::arrival_ns(const Flight& flight) {
  const std::int64_t at_ns = now_ns_ + travel_ns(flight.from, flight.to);
  if (!options_.fifo) return at_ns;
  std::int64_t& latest = latest_[{flight.from, flight.to}];
  latest = std::max(latest, at_ns);
  return latest;
}

// Nobody is behind the address. A real sender knows it before its next line of code.
Loss World::refuse(const Flight& flight) {
  if (!held_) return Loss::gone;
  Flight news = turned(flight);
  news.refused = 1;
  flights_.push(now_ns_ + travel_ns(news.from, news.to), news);
  return Loss::none;
}

void World::start_timer(const StartTimer& action) {
  Node& node = nodes_[acting_];
  std::int64_t wait_ns = options_.answer_timeout.count();
  if (action.timer == Timer::coordinator) {
    wait_ns = options_.coordinator_timeout.count() << action.vain;
    // Nodes whose wait for the same COORDINATOR timed out should not all start over together.
    wait_ns += random_.between(0, wait_ns / 4);
  }
  node.deadlines[static_cast<std::size_t>(action.timer)] = now_ns_ + wait_ns;
  set_alarm(
      {.at_ns = now_ns_ + wait_ns,
       .node = acting_,
       .incarnation = node.incarnation,
       .kind = action.timer == Timer::answer ? Alarm::Kind::answer : Alarm::Kind::coordinator});
}

void World::stop_timer(Timer timer) {
  nodes_[acting_].deadlines[static_cast<std::size_t>(timer)] = never;
}

// The monitor asks the protocol itself whom to watch when its time comes; but what it has found out
// about another process counts no more.
void World::watch(std::optional<NodeId> /*whom*/, bool /*as_coordinator*/) {
  ++nodes_[acting_].watch;
}

// A message has come to the process: it is handled, or waits for a paused process to go on.
void World::arrive(const Flight& flight) {
  Node& node = nodes_[flight.to];
  assert(node.runs());
  nothing_new_ = false;
  if (!node.paused) {
    receive(flight);
  } else if (flight.refused || node.inbox.size() < options_.backlog) {
    node.inbox.push_back(flight);
  } else {
    lose(flight, Loss::deadline);
  }
}

void World::receive(const Flight& flight) {
  if (flight.refused) {
    lose(turned(flight), Loss::gone);
    return;
  }
  ++delivered_[flight.type];
  give(flight.to, Received{message_of(flight)});
}

Message World::message_of(const Flight& flight) const {
  Message message{.type = flight.message_type(), .from = nodes_[flight.from].id};
  message.number = flight.number;
  if (flight.subject != 0) message.subject = nodes_[flight.subject - 1U].id;
  if (flight.epoch != 0) message.epoch = flight.epoch - 1U;
  return message;
}

// Keeps the count of acting coordinators, and of the time in which they are too many.
void World::set_coordinator(Node& node, bool coordinator) {
  if (node.coordinator == coordinator) return;
  node.coordinator = coordinator;
  if (coordinator) {
    if (++coordinators_ == 2) contested_since_ns_ = now_ns_;
  } else if (--coordinators_ == 1) {
    contested_ns_ += now_ns_ - contested_since_ns_;
    contested_since_ns_ = never;
  }
}

World::Time World::contested() const {
  return Time(contested_ns_ + (contested_since_ns_ == never ? 0 : now_ns_ - contested_since_ns_));
}

std::uint64_t World::delivered_total() const {
  return std::accumulate(delivered_.begin(), delivered_.end(), std::uint64_t{0});
}

bool World::agreed() const {
  const Node* highest = nullptr;
  for (const Node& node : nodes_) {
    const bool acts = node.runs() && !node.paused;
    if (acts && (highest == nullptr || node.id > highest->id)) highest = &node;
  }
  return std::all_of(nodes_.begin(), nodes_.end(), [&](const Node& node) {
    return !node.runs() || node.paused || node.protocol().coordinator() == highest->id;
  });
}

std::int64_t World::travel_ns(NodeIndex from, NodeIndex to) {
  const std::uint32_t slowness = std::max(nodes_[from].slowness, nodes_[to].slowness);
  return options_.delay.draw(random_).count() * slowness;
}

void World::set_alarm(Alarm alarm) {
  alarm.order = alarms_set_++;
  alarms_.push(alarm);
}

// The next thing happens, if it does by `until_ns`. Messages go before timers.
bool World::step(std::int64_t until_ns) {
  assert(!held_);
  const bool message =
      !flights_.empty() && (alarms_.empty() || flights_.next_at() <= alarms_.top().at_ns);
  if (message) {
    if (flights_.next_at() > until_ns) return false;
    // What was held back may be overdue: it arrives now.
    now_ns_ = std::max(now_ns_, flights_.next_at());
    arrive(flights_.pop());
    return true;
  }
  if (alarms_.empty() || alarms_.top().at_ns > until_ns) return false;
  const Alarm alarm = alarms_.top();
  alarms_.pop();
  now_ns_ = std::max(now_ns_, alarm.at_ns);
  ring(alarm);
  return true;
}

void World::ring(const Alarm& alarm) {
  if (alarm.too_slow) --late_replies_;
  const Node& node = nodes_[alarm.node];
  if (alarm.incarnation != node.incarnation || !node.runs()) return;
  switch (alarm.kind) {
    case Alarm::Kind::answer:
    case Alarm::Kind::coordinator: {
      const Timer timer = alarm.kind == Alarm::Kind::answer ? Timer::answer : Timer::coordinator;
      if (node.deadlines[static_cast<std::size_t>(timer)] == alarm.at_ns)
        on_expired(alarm.node, timer);
      break;
    }
    case Alarm::Kind::ping:
      ping(alarm.node);
      break;
    case Alarm::Kind::verdict:
      judge(alarm);
      break;
    case Alarm::Kind::eof:
      if (examine(alarm.node) == Suspicion::down) on_suspicion(alarm.node, Suspicion::down);
      break;
  }
}

void World::on_expired(NodeIndex index, Timer timer) {
  nodes_[index].deadlines[static_cast<std::size_t>(timer)] = never;
  give(index, Expired{timer});
}

std::uint64_t World::run_for(Time time) {
  const std::int64_t until_ns = now_ns_ + time.count();
  std::uint64_t steps = 0;
  while (step(until_ns)) ++steps;
  now_ns_ = until_ns;
  return steps;
}

std::uint64_t World::run_until_settled(Time at_most) {
  const std::int64_t until_ns = now_ns_ + at_most.count();
  std::uint64_t steps = 0;
  while (!settled() && step(until_ns)) ++steps;
  return steps;
}

bool World::settled() {
  if (!flights_.empty() || late_replies_ > 0) return false;
  if (nothing_new_) return true;
  for (NodeIndex index = 0; index < nodes_.size(); ++index) {
    const Node& node = nodes_[index];
    if (!node.runs() || node.paused) continue;
    const bool waits = node.deadlines[0] != never || node.deadlines[1] != never;
    if (waits || (options_.detection != Detection::off && will_suspect(index))) return false;
  }
  nothing_new_ = true;
  return true;
}

void World::record(Record record) {
  if (sink_ == nullptr) return;
  record.t_ns = now_ns_;
  record.pid = static_cast<std::int64_t>(record.node);
  sink_->record(record);
}

// Its sender may be dead by now. That the network lost the message can be seen all the same.
void World::lose(const Flight& flight, Loss loss) {
  const Node& sender = nodes_[flight.from];
  const Message message = message_of(flight);
  const NodeId to = nodes_[flight.to].id;
  if (sender.runs()) {
    acting_ = flight.from;
    nodes_[flight.from].participant->lose(to, message, loss, *this, *this);
  } else {
    record(lost_message(to, message, loss));
  }
}

}  // namespace bully
