#include "toy/lowest.h"

#include <algorithm>
#include <cassert>

namespace bully::toy {

namespace {

namespace fields {
// CLAIM: the chief that its sender misses. A process that has only just started misses none.
constexpr Field missed{.key = "missed", .is_shown = true};
// CLAIM: its sender has claimed the office before, and nobody took it; nor did the process to which
// it was left. And how many lower processes are asked.
constexpr Field again{"again", Field::Meaning::flag, 1};
constexpr Field rival{"rival", Field::Meaning::id, 2};
constexpr Field asked{"asked", Field::Meaning::number, 3};
// OBJECT: the processes below its receiver.
constexpr Field lower{"lower", Field::Meaning::ids, 0};
}  // namespace fields

namespace messages {
constexpr MessageKind claim{
    "CL", "claim", Role::asks, {&fields::missed, &fields::again, &fields::rival, &fields::asked}};
constexpr MessageKind object{"OB", "object", Role::answers, {}, &fields::lower};
constexpr MessageKind lowest{"LO", "lowest", Role::announces};
}  // namespace messages
constexpr std::array<MessageType, 3> own_messages = {messages::claim, messages::object,
                                                     messages::lowest};

namespace rule {
constexpr Rule start{"toy-start", "[toy]"};
constexpr Rule miss{"toy-miss", "[toy]"};
constexpr Rule claim{"toy-claim", "[toy]"};
constexpr Rule object{"toy-object", "[toy]"};
constexpr Rule tell{"toy-tell", "[toy]"};
constexpr Rule join_in{"toy-join-in", "[toy]"};
constexpr Rule stand_by{"toy-stand-by", "[toy]"};
constexpr Rule unmoved{"toy-unmoved", "[toy]"};
constexpr Rule win{"toy-win", "[toy]"};
constexpr Rule follow{"toy-follow", "[toy]"};
constexpr Rule look{"toy-look", "[toy]"};
constexpr Rule never_higher{"toy-never-higher", "", 1};
constexpr Rule again{"toy-again", "", 2};
constexpr std::array all = {&start,   &miss, &claim,  &object, &tell,         &join_in, &stand_by,
                            &unmoved, &win,  &follow, &look,   &never_higher, &again};
}  // namespace rule

bool has_no_chief(const PingReply& chief, const PingReply& other) {
  return !other.coordinator && chief.id < other.id;
}

bool lower_first(NodeId a, NodeId b) {
  return a < b;
}

// Its own property: nobody leaves the office to a higher process.
bool bystanders_yield_downwards(const Algorithm& /*algorithm*/, Nodes nodes) {
  return std::ranges::all_of(nodes, [](const Snapshot* node) {
    return !node->is_alive() || node->variables.front().value.value_or(0) < node->id;
  });
}

// It holds as long as timeouts are right and nobody joins, is stopped or loses a message.
bool at_most_one_is_chief(const Algorithm& /*algorithm*/, Nodes nodes) {
  return std::ranges::count_if(nodes, [](const Snapshot* node) {
           return node->is_alive() && node->is_coordinator();
         }) <= 1;
}

constexpr Property lowest_live{"lowest-live", Property::Moment::in_the_end,
                               all_follow_the_preferred};
constexpr Property never_higher{.key = "never-higher",
                                .moment = Property::Moment::every,
                                .holds = none_follows_a_lesser,
                                .is_at_stake = has_taken_another};
constexpr Property yields_down{"yields-down", Property::Moment::every, bystanders_yield_downwards};
constexpr Property one_chief{.key = "one-chief",
                             .moment = Property::Moment::every,
                             .holds = at_most_one_is_chief,
                             .assumes = {Assumption::synchronous, Assumption::nobody_stopped,
                                         Assumption::nobody_joins, Assumption::no_loss},
                             .is_at_stake = has_taken_itself};
constexpr std::array owed = {&lowest_live,
                             &never_higher,
                             &yields_down,
                             &one_chief,
                             &properties::answered,
                             &properties::ends,
                             &properties::sent,
                             &properties::highest_wins,
                             &properties::one_coordinator};

// With n processes, the lost chief counted in, and k of them, without it, up to the highest that
// noticed: each of these k claims the office from all others, and each two exchange an objection.
// Without a loss, the lowest of all came back, and has only to say so.
MessageCounts count(const CountedElection& election) {
  MessageCounts counts;
  const std::uint64_t others = election.processes.size() - 1;
  counts[messages::lowest] = others;
  if (!election.lost_coordinator) return counts;
  const auto k = static_cast<std::uint64_t>(std::ranges::count_if(
      election.processes, [&](NodeId id) { return id <= election.detector; }));
  counts[messages::claim] = k * (others + 1);
  counts[messages::object] = k * (k - 1) / 2;
  return counts;
}

// All but the claims to the lost chief.
MessageCounts delivered(const CountedElection& election) {
  MessageCounts counts = count(election);
  const std::uint64_t claims = counts.of(messages::claim);
  counts[messages::claim] = claims - claims / election.processes.size();
  return counts;
}

MessageCounts bound(std::size_t n) {
  MessageCounts counts;
  if (n < 2) return counts;
  counts[messages::claim] = (n - 1) * (n - 1);
  counts[messages::object] = (n - 1) * (n - 2) / 2;
  counts[messages::lowest] = n - 2;
  return counts;
}

}  // namespace

Algorithm lowest_algorithm() {
  return {.name = "lowest",
          .make = make_protocol<Lowest>,
          .messages = own_messages,
          .states = Lowest::states,
          .rules = {rule::all.begin(), rule::all.end()},
          .properties = owed,
          .finds = has_no_chief,
          .prefers = lower_first,
          .count = count,
          .delivered = delivered,
          .bound = bound};
}

Algorithm meek_algorithm() {
  Algorithm meek = lowest_algorithm();
  meek.name = "meek";
  meek.make = make_protocol<Meek>;
  return meek;
}

void Lowest::handle(const Event& event, const Peers& peers, Actions& actions) {
  std::visit([&](const auto& e) { on(e, Turn{peers, actions}); }, event);

  assert((state_ == State::chief) == (chief_ == self_));
  assert(rival_.has_value() == (state_ == State::bystander));
  assert(asked_.empty() == (state_ != State::claimant));
}

void Lowest::on(const Started&, Turn turn) {
  turn.fire(rule::start);
  claim({}, turn);
}

void Lowest::on(const Preset& event, Turn turn) {
  enter(event.coordinator == self_ ? State::chief : State::member, turn);
  chief_ = event.coordinator;
}

void Lowest::on(const Suspected& event, Turn turn) {
  if (event.peer != watched()) return;
  turn.fire(rule::miss);
  FieldValues why;
  if (chief_) why.set(messages::claim, fields::missed, *chief_);
  claim(why, turn);
}

// It looks for processes that have no chief, and says who is.
void Lowest::on(const Found& event, Turn turn) {
  if (state_ != State::chief || event.peer < self_) return;
  turn.fire(rule::look);
  turn.send(event.peer, {.type = messages::lowest, .from = self_});
}

void Lowest::on(const Received& event, Turn turn) {
  const Message& message = event.message;
  if (state_ == State::down) return;
  if (message.type == messages::claim) on_claim(message, turn);
  if (message.type == messages::object) on_objection(message.from, turn);
  if (message.type == messages::lowest) on_announcement(message.from, turn);
}

void Lowest::on_claim(const Message& claim, Turn turn) {
  const bool misses_mine = chief_ && claim.get(fields::missed) == chief_;
  if (claim.from < self_) {
    // A process that follows a lower one still leaves it to that one to object.
    if (chief_ && *chief_ < claim.from && !misses_mine) return turn.fire(rule::unmoved);
    return stand_by(claim.from, turn);
  }
  turn.fire(rule::object);
  const auto lower = lower_than(claim.from, turn.peers.ids());
  Message objection{.type = messages::object, .from = self_};
  objection.values.set_list({lower.begin(), lower.end()});
  turn.send(claim.from, objection);
  const bool waits_too = state_ == State::bystander && claim.has(fields::again);
  // A process that misses another chief is told already.
  const bool knows_none = claim.get(fields::missed).value_or(self_) == self_;
  if (state_ == State::chief && knows_none) {
    turn.fire(rule::tell);
    turn.send(claim.from, {.type = messages::lowest, .from = self_});
  } else if (misses_mine || waits_too) {
    turn.fire(rule::join_in);
    this->claim(claim.values, turn);
  }
}

void Lowest::on_objection(NodeId lower, Turn turn) {
  if (holds_election() && lower < self_) stand_by(lower, turn);
}

void Lowest::on_announcement(NodeId chief, Turn turn) {
  if (chief < self_) {
    turn.fire(rule::follow);
    enter(State::member, turn);
    chief_ = chief;
  } else if (!holds_election()) {
    // DEVIATION 1: it never follows a higher process, which must have missed an objection.
    turn.fire(rule::never_higher);
    claim({}, turn);
  }
}

void Lowest::on(const PeerGone& event, Turn turn) {
  if (std::erase(asked_, event.peer) > 0 && asked_.empty()) become_chief(turn);
}

void Lowest::on(const Expired& event, Turn turn) {
  if (event.timer == Timer::answer && state_ == State::claimant) become_chief(turn);
  if (event.timer == Timer::coordinator && state_ == State::bystander) {
    // DEVIATION 2: the process to which it left the office has not taken it.
    turn.fire(rule::again);
    FieldValues why;
    why.set(messages::claim, fields::again, 1);
    why.set(messages::claim, fields::rival, *rival_);
    claim(why, turn);
  }
}

void Lowest::claim(FieldValues why, Turn turn) {
  const auto all = turn.peers.ids();
  const auto lower = lower_than(self_, all);
  if (lower.empty()) return become_chief(turn);
  turn.fire(rule::claim);
  enter(State::claimant, turn);
  asked_.assign(lower.begin(), lower.end());
  why.set(messages::claim, fields::asked, asked_.size());
  turn.start(Timer::answer);
  for (const NodeId peer : all) {
    if (peer == self_) continue;
    turn.send(peer, {.type = messages::claim, .from = self_, .values = why});
  }
}

void Lowest::become_chief(Turn turn) {
  turn.fire(rule::win);
  enter(State::chief, turn);
  chief_ = self_;
  // All lower ones are gone or silent.
  for (const NodeId peer : higher_than(self_, turn.peers.ids())) {
    turn.send(peer, {.type = messages::lowest, .from = self_});
  }
}

void Lowest::stand_by(NodeId rival, Turn turn) {
  turn.fire(rule::stand_by);
  const NodeId lowest = std::min(rival, rival_.value_or(rival));
  enter(State::bystander, turn);
  rival_ = lowest;
  turn.start(Timer::coordinator);
}

// What belongs to the state that it leaves is over.
void Lowest::enter(State state, Turn turn) {
  if (state_ == State::claimant) turn.stop(Timer::answer);
  if (state_ == State::bystander) turn.stop(Timer::coordinator);
  chief_.reset();
  rival_.reset();
  asked_.clear();
  state_ = state;
  turn.changed();
}

void Lowest::visit_fields(FieldVisitor& visit) {
  visit(state_);
  visit(chief_);
  visit(rival_);
  visit(asked_);
}

}  // namespace bully::toy
