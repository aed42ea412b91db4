#include "toy/lowest.h"

#include <algorithm>
#include <cassert>

#include "election/field_visitor.h"

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

constexpr RuleTable rules{{
    {"toy-start", "[toy]"},
    {"toy-miss", "[toy]"},
    {"toy-claim", "[toy]"},
    {"toy-object", "[toy]"},
    {"toy-tell", "[toy]"},
    {"toy-join-in", "[toy]"},
    {"toy-stand-by", "[toy]"},
    {"toy-unmoved", "[toy]"},
    {"toy-win", "[toy]"},
    {"toy-follow", "[toy]"},
    {"toy-look", "[toy]"},
    {"toy-never-higher", "", 1},
    {"toy-again", "", 2},
}};

bool has_no_chief(const PingReply& chief, const PingReply& other) {
  return !other.coordinator && chief.id < other.id;
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

constexpr Property yields_down{"yields-down", Property::Moment::every, bystanders_yield_downwards};
constexpr Property one_chief{.key = "one-chief",
                             .moment = Property::Moment::every,
                             .holds = at_most_one_is_chief,
                             .assumes = {Assumption::synchronous, Assumption::nobody_stopped,
                                         Assumption::nobody_joins, Assumption::no_loss},
                             .is_at_stake = has_taken_itself};
constexpr std::array owed = {&properties::lowest_live,
                             &properties::never_higher,
                             &yields_down,
                             &one_chief,
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
          .messages = {own_messages.begin(), own_messages.end()},
          .states = Lowest::states,
          .rules = rules.all(),
          .properties = {owed.begin(), owed.end()},
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
  std::visit([&](const auto& e) { on(e, Context{peers, actions}); }, event);

  assert((state_ == State::chief) == (chief_ == self_));
  assert(rival_.has_value() == (state_ == State::bystander));
  assert(asked_.empty() == (state_ != State::claimant));
}

void Lowest::on(const Started&, Context context) {
  context.fire(rules("toy-start"));
  claim({}, context);
}

void Lowest::on(const Preset& event, Context context) {
  enter(event.coordinator == self_ ? State::chief : State::member, context);
  chief_ = event.coordinator;
}

void Lowest::on(const Suspected& event, Context context) {
  if (event.peer != watched()) return;
  context.fire(rules("toy-miss"));
  FieldValues why;
  if (chief_) why.set(messages::claim, fields::missed, *chief_);
  claim(why, context);
}

// It looks for processes that have no chief, and says who is.
void Lowest::on(const PeerFound& event, Context context) {
  if (state_ != State::chief || event.peer < self_) return;
  context.fire(rules("toy-look"));
  context.send(event.peer, {.type = messages::lowest, .from = self_});
}

void Lowest::on(const Received& event, Context context) {
  const Message& message = event.message;
  if (state_ == State::down) return;
  if (message.type == messages::claim) on_claim(message, context);
  if (message.type == messages::object) on_objection(message.from, context);
  if (message.type == messages::lowest) on_announcement(message.from, context);
}

void Lowest::on_claim(const Message& claim, Context context) {
  const bool misses_mine = chief_ && claim.get(fields::missed) == chief_;
  if (claim.from < self_) {
    // A process that follows a lower one still leaves it to that one to object.
    if (chief_ && *chief_ < claim.from && !misses_mine) return context.fire(rules("toy-unmoved"));
    return stand_by(claim.from, context);
  }
  context.fire(rules("toy-object"));
  const auto lower = lower_than(claim.from, context.peers.ids());
  Message objection{.type = messages::object, .from = self_};
  objection.values.set_list({lower.begin(), lower.end()});
  context.send(claim.from, objection);
  const bool waits_too = state_ == State::bystander && claim.has(fields::again);
  // A process that misses another chief is told already.
  const bool knows_none = claim.get(fields::missed).value_or(self_) == self_;
  if (state_ == State::chief && knows_none) {
    context.fire(rules("toy-tell"));
    context.send(claim.from, {.type = messages::lowest, .from = self_});
  } else if (misses_mine || waits_too) {
    context.fire(rules("toy-join-in"));
    this->claim(claim.values, context);
  }
}

void Lowest::on_objection(NodeId lower, Context context) {
  if (is_in_election() && lower < self_) stand_by(lower, context);
}

void Lowest::on_announcement(NodeId chief, Context context) {
  if (chief < self_) {
    context.fire(rules("toy-follow"));
    enter(State::member, context);
    chief_ = chief;
  } else if (!is_in_election()) {
    // DEVIATION 1: it never follows a higher process, which must have missed an objection.
    context.fire(rules("toy-never-higher"));
    claim({}, context);
  }
}

void Lowest::on(const PeerGone& event, Context context) {
  if (std::erase(asked_, event.peer) > 0 && asked_.empty()) become_chief(context);
}

void Lowest::on(const Expired& event, Context context) {
  if (event.timer == Timer::answer && state_ == State::claimant) become_chief(context);
  if (event.timer == Timer::coordinator && state_ == State::bystander) {
    // DEVIATION 2: the process to which it left the office has not taken it.
    context.fire(rules("toy-again"));
    FieldValues why;
    why.set(messages::claim, fields::again, 1);
    why.set(messages::claim, fields::rival, *rival_);
    claim(why, context);
  }
}

void Lowest::claim(FieldValues why, Context context) {
  const auto all = context.peers.ids();
  const auto lower = lower_than(self_, all);
  if (lower.empty()) return become_chief(context);
  context.fire(rules("toy-claim"));
  enter(State::claimant, context);
  asked_.assign(lower.begin(), lower.end());
  why.set(messages::claim, fields::asked, asked_.size());
  context.start(Timer::answer);
  for (const NodeId peer : all) {
    if (peer == self_) continue;
    context.send(peer, {.type = messages::claim, .from = self_, .values = why});
  }
}

void Lowest::become_chief(Context context) {
  context.fire(rules("toy-win"));
  enter(State::chief, context);
  chief_ = self_;
  // All lower ones are gone or silent.
  for (const NodeId peer : higher_than(self_, context.peers.ids())) {
    context.send(peer, {.type = messages::lowest, .from = self_});
  }
}

void Lowest::stand_by(NodeId rival, Context context) {
  context.fire(rules("toy-stand-by"));
  const NodeId lowest = std::min(rival, rival_.value_or(rival));
  enter(State::bystander, context);
  rival_ = lowest;
  context.start(Timer::coordinator);
}

// What belongs to the state that it leaves is over.
void Lowest::enter(State state, Context context) {
  if (state_ == State::claimant) context.stop(Timer::answer);
  if (state_ == State::bystander) context.stop(Timer::coordinator);
  chief_.reset();
  rival_.reset();
  asked_.clear();
  state_ = state;
  context.changed();
}

void Lowest::visit_fields(FieldVisitor& visit) {
  visit(state_);
  visit(chief_);
  visit(rival_);
  visit(asked_);
}

}  // namespace bully::toy
