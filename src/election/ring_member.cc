#include "election/ring_member.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace bully {

namespace {

// Waiting longer after ever more elections in vain has an end: 2^6 times the first wait.
constexpr std::uint8_t max_vain = 6;

// No process misses more elections than this. Beyond it somebody forges messages, or has misled
// this process or another before.
constexpr std::uint64_t most_missed = std::uint64_t{1} << 32U;

// Epochs go round: after the last comes 0 again. So no epoch can be the latest for ever.
bool is_newer(std::uint64_t epoch, std::uint64_t than) {
  return epoch != than && epoch - than <= most_missed;
}
bool is_far(std::uint64_t epoch, std::uint64_t from) {
  return epoch != from && !is_newer(epoch, from) && !is_newer(from, epoch);
}

// What is there, as the bits of a word, and what it is.
constexpr unsigned state_bits = 8;
std::uint64_t bit(bool is_there, unsigned number) {
  return is_there ? std::uint64_t{1} << (state_bits + number) : 0;
}
std::optional<NodeId> id_of(std::span<const std::uint64_t> words, std::size_t which,
                            unsigned number) {
  if ((words[0] & bit(true, number)) == 0) return std::nullopt;
  return words[which];
}

}  // namespace

void RingMember::handle(const Event& event, const Peers& peers, Actions& actions) {
  if (!std::holds_alternative<PeerGone>(event)) second_round_ = false;
  std::visit([&](const auto& e) { on(e, Step{peers, actions}); }, event);

  assert(is_settled() == coordinator_.has_value());
  assert((state_ == State::coordinator) == (coordinator_ == self_));
  assert(!coordinator_ || *coordinator_ >= self_);
  assert(clockwise_ != self_ && anticlockwise_ != self_);
}

// Who has just started does not know the latest epoch; nor does one that was stopped.
void RingMember::on(const Started&, Step step) {
  vain_ = 0;
  join(step);
}

void RingMember::on(const Founded& event, Step step) {
  follow(event.coordinator, step);
}

// A process that notices that the coordinator is gone holds an election.
void RingMember::on(const Suspected& event, Step step) {
  if (is_settled() && event.peer == coordinator_) {
    if (event.reason == Suspicion::hung) hung_.push_back(event.peer);
    // One that follows another, or has a higher one above it, has missed an election.
    if (event.reason == Suspicion::deposed) {
      join(step);
    } else {
      hold_election(epoch_ + 1, step);
    }
    return;
  }
  if (!clockwise_ || is_settled()) return;
  // Others may be hung besides its neighbour: they are passed over all at once, when their turn
  // comes.
  const bool known = std::find(hung_.begin(), hung_.end(), event.peer) != hung_.end();
  const bool hung = event.reason == Suspicion::hung && event.peer != self_;
  if (hung && !known) hung_.push_back(event.peer);
  if (event.peer == clockwise_ && event.reason != Suspicion::deposed) pass_over(event.peer, step);
}

void RingMember::on(const Received& event, Step step) {
  const Message& message = event.message;
  if (state_ == State::down || message.from == self_ || !message.epoch) return;
  misled_ = misled_ || is_far(*message.epoch, epoch_);
  if (message.type == MessageType::join) on_join(message, step);
  if (!message.subject) return;
  if (message.type == MessageType::leader) on_leader(message, step);
  if (message.type != MessageType::value && message.type != MessageType::second) return;
  if (is_news(*message.epoch)) hold_election(*message.epoch, step);
  if (!takes_part(message, step)) return;
  if (has_said_too_much(step)) {
    hold_election(epoch_ + 1, step);
  } else {
    on_number(message, step);
  }
}

// No election of n processes on a ring sends more than n + 2 messages on one link. Where there are
// more, all who took part have given way, and one number goes round for ever: somebody who had
// lost his memory, or a timeout that came too early, can bring that about.
bool RingMember::has_said_too_much(Step step) const {
  return said_.size() > step.peers.ids().size() + 3;  // it may not be counted in there itself
}

// Whether an election of this epoch is one that this process has not heard of.
bool RingMember::is_news(std::uint64_t epoch) const {
  if (is_newer(epoch, epoch_)) return true;
  // Who asks to take part may have been misled: then everyone else seems to be far away.
  return state_ == State::joining && is_far(epoch, epoch_);
}

// Somebody asks for an election in which it takes part.
void RingMember::on_join(const Message& message, Step step) {
  const std::uint64_t latest = is_newer(*message.epoch, epoch_) ? *message.epoch : epoch_;
  hold_election(latest + 1, step);
}

// The announcing lap. It ends where it began: with the process that knows already.
void RingMember::on_leader(const Message& message, Step step) {
  if (!takes_part(message, step)) return;
  announce(*message.subject, step);
}

// Whether `message` belongs to the election in which this process takes part, and comes from its
// anticlockwise neighbour.
bool RingMember::takes_part(const Message& message, Step step) {
  if (message.epoch != epoch_ || state_ == State::joining) return false;
  if (!anticlockwise_ && holds_election()) anticlockwise_ = message.from;
  if (anticlockwise_ == message.from) return holds_election();
  // A second one speaks up: the ring is not what it was.
  hold_election(epoch_ + 1, step);
  return false;
}

void RingMember::announce(NodeId leader, Step step) {
  if (leader < self_) {
    // The links cannot have been FIFO, or the ring was not whole: the highest always wins.
    hold_election(epoch_ + 1, step);
    return;
  }
  send(MessageType::leader, leader, step);
  follow(leader, step);
}

// There is no process behind that address. If it had said anything in this election, the next one
// clockwise will notice that it hears from somebody else now. If not, it never was on the ring.
void RingMember::on(const PeerGone& event, Step step) {
  if (event.peer == clockwise_) pass_over(event.peer, step);
}

// No LEADER in time: somebody on the ring has died or left with what had been said to it.
void RingMember::on(const Expired& event, Step step) {
  if (event.timer != Timer::coordinator || state_ == State::down || is_settled()) return;
  vain_ = std::min<std::uint8_t>(static_cast<std::uint8_t>(vain_ + 1), max_vain);
  // Once is bad luck. Twice, and one that hears of an epoch far from its own may have been misled
  // to one that nobody else believes in: it counts anew, like one that has just started. Nobody
  // else does: among those that had begun to count anew, each at its own time, no election would
  // end.
  if (vain_ > 1 && std::exchange(misled_, false)) epoch_ = 0;
  join(step);
}

// It asks its neighbour for an election, and takes part in none until that begins.
void RingMember::join(Step step) {
  begin_as(State::joining, step);
  if (!clockwise_) return;
  // `said_` is what the next one hears if this one is gone.
  said_.push_back({.type = MessageType::join, .from = self_, .epoch = epoch_});
  step.actions.emplace_back(Send{*clockwise_, said_.back()});
}

// [DKR82] Every process starts active.
void RingMember::hold_election(std::uint64_t epoch, Step step) {
  epoch_ = epoch;
  begin_as(State::active, step);
  if (clockwise_) begin(step);
}

// Forgets the last election, and whom it made coordinator. Who is alone has won.
void RingMember::begin_as(State state, Step step) {
  state_ = state;
  coordinator_.reset();
  anticlockwise_.reset();
  said_.clear();
  clockwise_ = next_clockwise(self_, step);
  step.actions.emplace_back(Follow{std::nullopt});
  step.actions.emplace_back(StartTimer{Timer::coordinator, vain_});
  if (!clockwise_) follow(self_, step);
}

void RingMember::follow(NodeId leader, Step step) {
  state_ = leader == self_ ? State::coordinator : State::follower;
  coordinator_ = leader;
  vain_ = 0;
  misled_ = false;
  hung_.clear();
  step.actions.emplace_back(StopTimer{Timer::coordinator});
  step.actions.emplace_back(Follow{leader});
}

// REQUIRES: `peer` is the clockwise neighbour.
void RingMember::pass_over(NodeId peer, Step step) {
  clockwise_ = next_clockwise(peer, step);
  if (clockwise_) {
    for (const Message& message : said_) step.actions.emplace_back(Send{*clockwise_, message});
    return;
  }
  if (is_settled()) return;
  // The way round is over. Who was passed over may have come back since: it is asked once more.
  if (!second_round_) {
    second_round_ = true;
    join(step);
  } else {
    follow(self_, step);  // alone
  }
}

// The next one after `after` that is not known to be hung; nothing once the way round is over.
std::optional<NodeId> RingMember::next_clockwise(NodeId after, Step step) const {
  NodeId next = after;
  for (std::size_t left = step.peers.ids().size() + 1; left > 0; --left) {
    const NodeId before = std::exchange(next, step.peers.clockwise_of(next));
    if (next == self_ || next == before) return std::nullopt;
    if (std::find(hung_.begin(), hung_.end(), next) == hung_.end()) return next;
  }
  return std::nullopt;
}

// REQUIRES: there is a clockwise neighbour.
void RingMember::send(MessageType type, NodeId number, Step step) {
  said_.push_back({.type = type, .from = self_, .subject = number, .epoch = epoch_});
  if (clockwise_) step.actions.emplace_back(Send{*clockwise_, said_.back()});
}

std::optional<NodeId> RingMember::watched() const {
  return is_settled() ? coordinator_ : clockwise_;
}

std::string_view RingMember::state_name() const {
  return state_names.at(static_cast<std::size_t>(state_));
}

void RingMember::save(std::vector<std::uint64_t>& words) const {
  const std::uint64_t there = bit(coordinator_.has_value(), 0) | bit(clockwise_.has_value(), 1) |
                              bit(anticlockwise_.has_value(), 2) | bit(second_round_, 3) |
                              bit(misled_, 4);
  words.assign({static_cast<std::uint64_t>(state_) | there, epoch_, vain_, coordinator_.value_or(0),
                clockwise_.value_or(0), anticlockwise_.value_or(0), hung_.size(), said_.size()});
  words.insert(words.end(), hung_.begin(), hung_.end());
  for (const Message& message : said_) {
    words.push_back(static_cast<std::uint64_t>(message.type));
    words.push_back(message.subject.value_or(0));
  }
  save_variables(words);
}

void RingMember::load(std::span<const std::uint64_t> words) {
  constexpr std::size_t fixed = 8;
  state_ = static_cast<State>(words[0] & (bit(true, 0) - 1));
  epoch_ = words[1];
  vain_ = static_cast<std::uint8_t>(words[2]);
  coordinator_ = id_of(words, 3, 0);
  clockwise_ = id_of(words, 4, 1);
  anticlockwise_ = id_of(words, 5, 2);
  second_round_ = (words[0] & bit(true, 3)) != 0;
  misled_ = (words[0] & bit(true, 4)) != 0;
  const std::size_t hung = words[6];
  const std::size_t said = words[7];
  words = words.subspan(fixed);
  hung_.assign(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(hung));
  words = words.subspan(hung);
  said_.clear();
  for (std::size_t i = 0; i < said; ++i) {
    const auto type = static_cast<MessageType>(words[2 * i]);
    Message message{.type = type, .from = self_, .epoch = epoch_};
    if (type != MessageType::join) message.subject = words[2 * i + 1];
    said_.push_back(message);
  }
  load_variables(words.subspan(2 * said));
}

}  // namespace bully
