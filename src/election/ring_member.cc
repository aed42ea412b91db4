// ring_member.cc: numbers of elections, joins, timers and retries on a ring.
#include "election/ring_member.h"

#include <cassert>
#include <utility>

#include "election/field_visitor.h"

namespace bully {

static constexpr RuleTable ring_rules{{
    {"ring-start", "", 8},
    {"ring-alone", "", 8},
    {"ring-suspect", "", 8},
    {"ring-deposed", "", 8},
    {"ring-asked", "", 8},
    {"ring-newer", "", 8},
    {"ring-stale", "", 8},
    {"ring-apart", "", 8},
    {"ring-void", "", 8},
    {"ring-too-many", "", 8},
    {"ring-low-leader", "", 8},
    {"ring-lap", "[DKR82]"},
    {"ring-lap-ends", "[DKR82]"},
    {"ring-passed-over", "", 8},
    {"ring-no-end", "", 8},
}};

namespace {

// No two epochs that processes have begun to count from lie further apart: in nanoseconds, two
// years. A larger gap means a forged message, or a process that has believed one.
constexpr std::uint64_t max_missed = std::uint64_t{1} << 56U;

// Epochs go round: after the last comes 0 again. So no epoch can be the latest forever.
bool is_newer(std::uint64_t epoch, std::uint64_t than) {
  return epoch != than && epoch - than <= max_missed;
}
bool is_far(std::uint64_t epoch, std::uint64_t from) {
  return epoch != from && !is_newer(epoch, from) && !is_newer(from, epoch);
}

}  // namespace

Algorithm on_a_ring(Algorithm own) {
  own.topology = Topology::ring;
  own.is_fifo = true;
  own.watches_neighbour = true;
  own.counts_lost = false;
  own.states = RingMember::states;
  const std::vector<const Rule*> shared = ring_rules.all();
  own.rules.insert(own.rules.end(), shared.begin(), shared.end());
  own.properties = {&properties::highest_live, &properties::never_lower,
                    &properties::ends,         &properties::sent,
                    &properties::fifo,         &properties::within_bound,
                    &properties::highest_wins, &properties::one_coordinator};
  return own;
}

void RingMember::handle(const Event& event, const Peers& peers, Actions& actions) {
  if (!std::holds_alternative<PeerGone>(event)) second_round_ = false;
  std::visit([&](const auto& e) { on(e, Context{peers, actions}); }, event);

  assert(is_settled() == coordinator_.has_value());
  assert((state_ == State::coordinator) == (coordinator_ == self_));
  assert(!coordinator_ || *coordinator_ >= self_);
  assert(next_ != self_ && before_ != self_);
  assert(next_ || is_settled() || state_ == State::down);
}

// A process that has just started does not know the latest epoch; neither does one after a stop.
void RingMember::on(const Started& event, Context context) {
  context.fire(ring_rules("ring-start"));
  epoch_ = std::max(epoch_, event.incarnation);
  attempts_ = 0;
  join(context);
}

void RingMember::on(const Preset& event, Context context) {
  follow(event.coordinator, context);
}

// A process that detects the coordinator's end starts an election. During an election it skips its
// neighbour instead. If others are hung as well, their turn to be skipped comes.
void RingMember::on(const Suspected& event, Context context) {
  if (state_ == State::down || (is_settled() && event.peer != coordinator_)) return;
  const bool is_deposed = event.reason == Suspicion::deposed;
  if (event.reason == Suspicion::hung && !is_hung(event.peer)) hung_.push_back(event.peer);
  if (!is_settled()) {
    if (!is_deposed) skip(event.peer, context);
  } else if (is_deposed) {
    // A coordinator that follows another, or has a higher process above it, has missed an election.
    context.fire(ring_rules("ring-deposed"));
    join(context);
  } else {
    context.fire(ring_rules("ring-suspect"));
    start_election(epoch_ + 1, context);
  }
}

void RingMember::on(const Received& event, Context context) {
  const Message& message = event.message;
  const std::optional<std::uint64_t> epoch = message.get(fields::epoch);
  if (state_ == State::down || message.from == self_ || !epoch) return;
  met_far_epoch_ = met_far_epoch_ || is_far(*epoch, epoch_);
  if (message.type == messages::join) on_join(*epoch, context);
  const bool is_lap = message.type->role == Role::spreads && message.has(fields::leader);
  const bool has_list = message.type->role == Role::claims && !message.list().empty();
  if (!is_lap && !message.has(fields::value) && !has_list) return;
  if (!is_lap && is_news(*epoch)) {
    context.fire(ring_rules("ring-newer"));
    adopted_far_epoch_ = adopted_far_epoch_ || (state_ != State::joining && is_far(*epoch, epoch_));
    start_election(*epoch, context, true);
  }
  if (!takes_part(message, context)) return;
  if (has_said_too_much(context)) {
    context.fire(ring_rules("ring-too-many"));
    start_election(epoch_ + 1, context);
  } else {
    is_lap ? on_leader(message, context) : on_number(message, context);
  }
}

// If more messages pass one link than any election sends, all processes have given way, and one
// number goes round forever. The cause can be a process that lost its memory, or a timeout that
// came too early.
bool RingMember::has_said_too_much(Context context) const {
  // The list of ids may lack this process itself.
  return said_.size() > max_on_link(context.peers.ids().size() + 1);
}

bool RingMember::is_news(std::uint64_t epoch) const {
  if (!is_far(epoch, epoch_)) return is_newer(epoch, epoch_);
  // A process that asks to take part may have believed a forged epoch: then all others seem to be
  // far away. So may a process whose election timed out. Of two such processes the larger epoch
  // counts: if each asked the next and adopted its epoch, they could do so in turn forever.
  return state_ == State::joining || (attempts_ > 0 && !adopted_far_epoch_ && epoch > epoch_);
}

void RingMember::on_join(std::uint64_t epoch, Context context) {
  context.fire(ring_rules("ring-asked"));
  start_election((is_newer(epoch, epoch_) ? epoch : epoch_) + 1, context);
}

// The announcing lap. It ends at its origin, the process that knows already.
void RingMember::on_leader(const Message& message, Context context) {
  const NodeId leader = *message.get(fields::leader);
  if (leader >= self_) context.fire(ring_rules("ring-lap"));
  announce(leader, context);
}

bool RingMember::takes_part(const Message& message, Context context) {
  const bool is_of_this = message.get(fields::epoch) == epoch_;
  if (!is_of_this || state_ == State::joining) {
    context.fire(is_of_this ? ring_rules("ring-apart") : ring_rules("ring-stale"));
    return false;
  }
  if (hears(message.from)) {
    if (is_in_election() || is_for_settled(message)) return true;
    const bool is_announced = message.get(fields::leader) == coordinator_;
    context.fire(is_announced ? ring_rules("ring-lap-ends") : ring_rules("ring-apart"));
    return false;
  }
  // A second neighbour sends: the ring has changed.
  context.fire(ring_rules("ring-void"));
  start_election(epoch_ + 1, context);
  return false;
}

// The first process from which a message comes becomes the predecessor.
bool RingMember::hears(NodeId peer) {
  if (!before_ && is_in_election()) before_ = peer;
  return before_ == peer;
}

void RingMember::announce(NodeId leader, Context context) {
  announce(Message{.type = messages::leader}.set(fields::leader, leader), context);
}

void RingMember::announce(const Message& lap, Context context) {
  const NodeId leader = *lap.get(fields::leader);
  if (leader >= self_) {
    send(lap, context);
    follow(leader, context);
  } else {
    // The links cannot have been FIFO, or the ring was not whole: the highest process always wins.
    context.fire(ring_rules("ring-low-leader"));
    start_election(epoch_ + 1, context);
  }
}

// No process is behind that address. If it had sent anything in this election, the next process
// clockwise will detect a new neighbour. If not, it was never on the ring.
void RingMember::on(const PeerGone& event, Context context) {
  skip(event.peer, context);
}

// No LEADER in time: a process on the ring has died or left with the messages sent to it.
void RingMember::on(const Expired& event, Context context) {
  if (event.timer != Timer::coordinator || state_ == State::down || is_settled()) return;
  context.fire(ring_rules("ring-no-end"));
  attempts_ = std::min<std::uint8_t>(attempts_ + 1U, max_attempts);
  // The first timeout proves nothing. After two, a process that has met an epoch far from its own
  // may have adopted an epoch that no other process believes: it counts from 0 again, as if
  // just started. No other process does so: if each restarted its count at a different time, no
  // election would end.
  if (attempts_ > 1 && std::exchange(met_far_epoch_, false)) epoch_ = 0;
  adopted_far_epoch_ = false;
  join(context);
}

void RingMember::join(Context context) {
  begin_as(State::joining, context);
  if (next_) send(Message{.type = messages::join}, context);
}

// [DKR82] Every process starts active.
void RingMember::start_election(std::uint64_t epoch, Context context, bool began_elsewhere) {
  epoch_ = epoch;
  begin_as(State::active, context);
  if (next_) began_elsewhere ? take_part(context) : begin(context);
}

// Forgets the last election and its coordinator. A lone process has won.
void RingMember::begin_as(State state, Context context) {
  state_ = state;
  coordinator_.reset();
  next_ = next_after(self_, context);
  before_.reset();
  said_.clear();
  if (!next_) return win_alone(context);
  context.changed();
  context.start(Timer::coordinator, attempts_);
}

void RingMember::follow(NodeId leader, Context context) {
  state_ = leader == self_ ? State::coordinator : State::follower;
  coordinator_ = leader;
  attempts_ = 0;
  met_far_epoch_ = adopted_far_epoch_ = false;
  hung_.clear();
  context.stop(Timer::coordinator);
  context.changed();
}

void RingMember::win_alone(Context context) {
  context.fire(ring_rules("ring-alone"));
  follow(self_, context);
}

// If `peer` is its neighbour, the process behind takes that place, and receives all messages that
// `peer` got.
void RingMember::skip(NodeId peer, Context context) {
  if (next_ != peer) return;
  next_ = next_after(peer, context);
  if (next_) {
    context.fire(ring_rules("ring-passed-over"));
    for (const Message& message : said_) context.send(*next_, message);
  } else if (!is_settled()) {
    // The way round is over. A skipped process may have come back: it gets one more JOIN.
    std::exchange(second_round_, true) ? win_alone(context) : join(context);
  }
}

// Nothing once the way round is over.
std::optional<NodeId> RingMember::next_after(NodeId after, Context context) const {
  NodeId next = after;
  for (std::size_t left = context.peers.ids().size() + 1; left > 0; --left) {
    const NodeId before = std::exchange(next, context.peers.next_of(next));
    if (next == self_ || next == before) return std::nullopt;
    if (!is_hung(next)) return next;
  }
  return std::nullopt;
}

void RingMember::send(MessageType type, NodeId number, Context context) {
  send(Message{.type = type}.set(fields::value, number), context);
}

// Sends nothing if this process knows the leader, its neighbour is gone and no other is left.
void RingMember::send(Message message, Context context) {
  message.from = self_;
  message.set(fields::epoch, epoch_);
  said_.push_back(message);
  if (next_) context.send(*next_, message);
}

void RingMember::visit_fields(FieldVisitor& visit) {
  visit(state_);
  visit(epoch_);
  visit(coordinator_);
  visit(next_);
  visit(before_);
  visit(said_);
  visit(hung_);
  visit(second_round_);
  visit(met_far_epoch_);
  visit(adopted_far_epoch_);
  visit(attempts_);
}

}  // namespace bully
