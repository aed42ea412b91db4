#include "sim/explorer_model.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <stdexcept>

namespace bully::explorer {

namespace {

constexpr std::size_t max_messages = std::numeric_limits<MessageId>::max() + std::size_t{1};
// Faults left and messages sent; for each node where it stands, and its inbox.
constexpr std::size_t max_world_bytes = 5 + max_explored_nodes * (3 + max_inbox);
constexpr std::size_t suspicion_count = 3;
// Where the numbers of each kind of event begin.
constexpr std::size_t first_expired = 1;
constexpr std::size_t first_gone = first_expired + timer_count;
constexpr std::size_t first_suspected = first_gone + max_explored_nodes;
// One more can be suspected than there are nodes: see Beginning::leaderless.
constexpr std::size_t first_received = first_suspected + suspicion_count * (max_explored_nodes + 1);
constexpr std::size_t event_numbers = first_received + max_messages;

std::uint8_t small(std::size_t number) {
  assert(number <= std::numeric_limits<std::uint8_t>::max());
  return static_cast<std::uint8_t>(number);
}

void check(const ExploreOptions& options) {
  if (options.nodes == 0 || options.nodes > max_explored_nodes) {
    throw std::invalid_argument("explore: too few or too many nodes");
  }
  if (std::max({options.crashes, options.restarts, options.false_alarms}) > max_explored_faults) {
    throw std::invalid_argument("explore: too many faults of a kind");
  }
  for (const NodeId id : options.detectors) {
    if (id == 0 || id > options.nodes) {
      throw std::invalid_argument("explore: no node " + std::to_string(id) + " to detect");
    }
  }
}

}  // namespace

Model::Model(const ExploreOptions& options, const ProtocolMaker& make)
    : nodes_(options.nodes),
      options_((check(options), options)),
      peers_(options.nodes, options.arrangement) {
  detects_.assign(nodes_, options.detectors.empty());
  for (const NodeId id : options.detectors) detects_[id - 1] = true;
  locals_.resize(nodes_);
  local_ids_.resize(nodes_);
  reactions_.resize(nodes_);
  messages_.resize(nodes_);
  for (std::size_t node = 0; node < nodes_; ++node) {
    protocols_.push_back(make(node + 1));
    Local down;
    protocols_[node]->save(down.words);
    down.reactions.resize(event_numbers);
    locals_[node].assign(2, down);  // crashed and unborn
    reactions_[node].emplace_back();
  }
}

World Model::beginning() {
  World world;
  world.crashes_left = small(options_.crashes);
  world.restarts_left = small(options_.restarts);
  if (options_.timing == Timing::asynchronous) {
    world.false_alarms_left = small(options_.false_alarms);
  }
  for (std::size_t node = 0; node < nodes_; ++node) {
    world.node[node] = unborn;
    if (options_.beginning == Beginning::starting) continue;
    const bool agreed = options_.beginning == Beginning::agreed;
    world.node[node] = ask_protocol(node, unborn, Founded{agreed ? nodes_ : nodes_ + 1}).next;
  }
  return world;
}

void Model::moves(const World& world, std::vector<Move>& moves) const {
  moves.clear();
  for (std::size_t node = 0; node < nodes_; ++node) {
    const Move start{.kind = StepKind::start, .node = small(node)};
    if (world.node[node] == unborn) moves.push_back(start);
    if (world.node[node] == crashed && world.restarts_left > 0) {
      moves.push_back(start);
      moves.back().fault = true;
    }
    if (!live(world, node)) continue;
    add_deliveries(world, node, moves);
    add_timers(world, node, moves);
    if (detects_[node]) add_suspicions(world, node, moves);
    if (world.crashes_left > 0) {
      moves.push_back({.kind = StepKind::crash, .node = small(node), .fault = true});
    }
  }
}

// Inboxes are kept sorted by what Delivery lets through: see post().
void Model::add_deliveries(const World& world, std::size_t node, std::vector<Move>& moves) const {
  const auto inbox = world.inbox[node].all();
  for (std::size_t i = 0; i < inbox.size(); ++i) {
    if (i > 0 && options_.delivery == Delivery::arrival_order) break;
    if (i > 0 && inbox[i] == inbox[i - 1]) continue;
    const bool same_sender =
        i > 0 && message(node, inbox[i]).from == message(node, inbox[i - 1]).from;
    if (same_sender && options_.delivery == Delivery::pair_order) continue;
    moves.push_back({.kind = StepKind::deliver, .node = small(node), .detail = inbox[i]});
  }
}

void Model::add_timers(const World& world, std::size_t node, std::vector<Move>& moves) const {
  const Local& local = locals_[node][world.node[node]];
  for (const Timer timer : {Timer::answer, Timer::coordinator}) {
    if (!local.runs(timer)) continue;
    const bool early = !timeout_is_right(world, node, timer);
    if (early && world.false_alarms_left == 0) continue;
    moves.push_back({.kind = StepKind::expire,
                     .node = small(node),
                     .detail = static_cast<std::uint8_t>(timer),
                     .fault = early});
  }
}

void Model::add_suspicions(const World& world, std::size_t node, std::vector<Move>& moves) const {
  const std::optional<NodeId> watched = locals_[node][world.node[node]].watched;
  if (!watched || *watched == 0 || *watched > nodes_ + 1) return;
  const std::size_t other = *watched - 1;
  const auto suspect = [&](Suspicion reason, bool wrong) {
    moves.push_back({.kind = StepKind::suspect,
                     .node = small(node),
                     .detail = static_cast<std::uint8_t>(reason),
                     .fault = wrong});
  };
  if (other == node) {
    if (!highest_live(world, node)) suspect(Suspicion::deposed, false);
    return;
  }
  const bool follows_it = coordinator(world, node) == watched;
  if (other == nodes_ || !live(world, other)) {
    const bool early =
        !follows_it && !options_.algorithm->is_ring && !nothing_in_flight(world, node);
    if (!early || world.false_alarms_left > 0) suspect(Suspicion::down, early);
    return;
  }
  const std::optional<NodeId> theirs = coordinator(world, other);
  if (follows_it && theirs && theirs != watched) suspect(Suspicion::deposed, false);
  if (world.false_alarms_left > 0) suspect(Suspicion::hung, true);
}

bool Model::timeout_is_right(const World& world, std::size_t node, Timer timer) const {
  if (!nothing_in_flight(world, node)) return false;
  if (timer == Timer::answer) return true;
  for (std::size_t other = 0; other < nodes_; ++other) {
    if (world.inbox[other].size > 0) return false;
    if (locals_[other][world.node[other]].runs(Timer::answer)) return false;
  }
  return true;
}

// To or from `node`.
bool Model::nothing_in_flight(const World& world, std::size_t node) const {
  if (world.inbox[node].size > 0) return false;
  for (std::size_t other = 0; other < nodes_; ++other) {
    for (const MessageId id : world.inbox[other].all()) {
      if (message(other, id).from == node + 1) return false;
    }
  }
  return true;
}

bool Model::highest_live(const World& world, std::size_t node) const {
  for (std::size_t other = node + 1; other < nodes_; ++other) {
    if (live(world, other)) return false;
  }
  return true;
}

Outcome Model::apply(const Move& move, World& world) {
  if (move.kind == StepKind::crash) {
    crash(world, move.node);
    return Outcome::done;
  }
  const std::size_t event = event_number(world, move);
  if (move.kind == StepKind::start) {
    if (world.node[move.node] == crashed) --world.restarts_left;
  } else if (move.kind == StepKind::deliver) {
    Inbox& inbox = world.inbox[move.node];
    const auto end = inbox.messages.begin() + inbox.size;
    const auto found = std::find(inbox.messages.begin(), end, move.detail);
    assert(found != end);
    std::copy(found + 1, end, found);
    --inbox.size;
  } else if (move.fault) {
    --world.false_alarms_left;
  }
  return react(world, move.node, event, move.sends);
}

// REQUIRES: `move` is not a crash, which is no event for anybody.
std::size_t Model::event_number(const World& world, const Move& move) const {
  if (move.kind == StepKind::deliver) return first_received + move.detail;
  if (move.kind == StepKind::expire) return first_expired + move.detail;
  if (move.kind != StepKind::suspect) return 0;
  const std::size_t watched = *locals_[move.node][world.node[move.node]].watched - 1;
  return first_suspected + watched * suspicion_count + move.detail;
}

Event Model::numbered(std::size_t node, std::size_t number) const {
  if (number >= first_received) return Received{messages_[node][number - first_received]};
  if (number >= first_suspected) {
    const std::size_t rest = number - first_suspected;
    return Suspected{rest / suspicion_count + 1, static_cast<Suspicion>(rest % suspicion_count)};
  }
  if (number >= first_gone) return PeerGone{number - first_gone + 1};
  if (number >= first_expired) return Expired{static_cast<Timer>(number - first_expired)};
  return Started{};
}

// One event and every PeerGone that follows from it. `cut`: see Move::sends.
Outcome Model::react(World& world, std::size_t node, std::size_t event, unsigned cut) {
  std::array<std::uint8_t, max_inbox> gone;
  std::size_t gone_count = 0;
  unsigned posted = 0;
  for (std::size_t next = 0;; ++next) {
    const Reaction& planned = reaction(node, world.node[node], event);
    world.node[node] = planned.next;
    for (const PlannedSend send : planned.sends) {
      if (options_.max_messages) ++world.sent;
      if (live(world, send.to)) {
        if (cut > 0 && posted == cut) {
          crash(world, node);
          return Outcome::done;
        }
        if (!post(world, send)) return Outcome::overflow;
        ++posted;
      } else {
        if (gone_count == gone.size()) return Outcome::overflow;
        gone[gone_count++] = send.to;
      }
    }
    if (next == gone_count) break;
    event = first_gone + gone[next];
  }
  return cut > 0 ? Outcome::sent_less : Outcome::done;
}

// The inbox stays sorted: by message, by sender, or by age, so that worlds which differ only in
// what Delivery makes irrelevant are equal.
bool Model::post(World& world, PlannedSend send) const {
  Inbox& inbox = world.inbox[send.to];
  if (inbox.size == max_inbox) return false;
  const auto end = inbox.messages.begin() + inbox.size;
  auto place = end;
  if (options_.delivery == Delivery::any_order) {
    place = std::upper_bound(inbox.messages.begin(), end, send.message);
  }
  if (options_.delivery == Delivery::pair_order) {
    place = std::upper_bound(inbox.messages.begin(), end, send.message,
                             [this, &send](MessageId left, MessageId right) {
                               return message(send.to, left).from < message(send.to, right).from;
                             });
  }
  std::copy_backward(place, end, end + 1);
  *place = send.message;
  ++inbox.size;
  return true;
}

void Model::crash(World& world, std::size_t node) const {
  --world.crashes_left;
  world.node[node] = crashed;
  world.inbox[node] = Inbox{};
}

const Model::Reaction& Model::reaction(std::size_t node, LocalId from, std::size_t event) {
  std::uint32_t known = locals_[node][from].reactions[event];
  if (known == 0) {
    known = static_cast<std::uint32_t>(reactions_[node].size());
    reactions_[node].push_back(ask_protocol(node, from, numbered(node, event)));
    locals_[node][from].reactions[event] = known;
  }
  return reactions_[node][known];
}

Model::Reaction Model::ask_protocol(std::size_t node, LocalId from, const Event& event) {
  Protocol& protocol = *protocols_[node];
  protocol.load(locals_[node][from].words);
  Local next;
  if (from > unborn) next.timers = locals_[node][from].timers;
  const auto bit = [](Timer timer) { return 1U << static_cast<unsigned>(timer); };
  if (const auto* expired = std::get_if<Expired>(&event)) {
    next.timers = static_cast<std::uint8_t>(next.timers & ~bit(expired->timer));
  }
  actions_.clear();
  protocol.handle(event, peers_, actions_);

  Reaction reaction;
  for (const Action& action : actions_) {
    if (const auto* send = std::get_if<Send>(&action)) {
      if (send->to == 0 || send->to > nodes_) throw std::logic_error("explore: send to no peer");
      reaction.sends.push_back({small(send->to - 1), intern(send->to - 1, send->message)});
    } else if (const auto* begin = std::get_if<StartTimer>(&action)) {
      next.timers = static_cast<std::uint8_t>(next.timers | bit(begin->timer));
    } else if (const auto* stop = std::get_if<StopTimer>(&action)) {
      next.timers = static_cast<std::uint8_t>(next.timers & ~bit(stop->timer));
    }
  }
  next.coordinator = protocol.coordinator();
  next.watched = protocol.watched();
  protocol.save(next.words);
  if (options_.reduction) options_.reduction(next.words);
  reaction.next = intern(node, std::move(next));
  return reaction;
}

LocalId Model::intern(std::size_t node, Local local) {
  const std::size_t count = locals_[node].size();
  const auto [found, is_new] =
      local_ids_[node].try_emplace({local.words, local.timers}, static_cast<LocalId>(count));
  if (!is_new) return found->second;
  if (count > std::numeric_limits<LocalId>::max()) {
    throw OutOfNumbers("explore: a node has too many states");
  }
  local.reactions.resize(event_numbers);
  locals_[node].push_back(std::move(local));
  return found->second;
}

MessageId Model::intern(std::size_t receiver, const Message& message) {
  std::vector<Message>& known = messages_[receiver];
  const auto found = std::find(known.begin(), known.end(), message);
  const auto number = static_cast<std::size_t>(found - known.begin());
  if (found != known.end()) return small(number);
  if (known.size() == max_messages) throw OutOfNumbers("explore: too many messages to a node");
  known.push_back(message);
  return small(number);
}

void Model::encode(const World& world, std::vector<std::uint8_t>& bytes) const {
  bytes.resize(max_world_bytes);
  std::uint8_t* end = bytes.data();
  const auto add = [&](unsigned byte) { *end++ = static_cast<std::uint8_t>(byte & 0xFF); };
  add(world.crashes_left);
  add(world.restarts_left);
  if (options_.timing == Timing::asynchronous) add(world.false_alarms_left);
  if (options_.max_messages) {
    add(world.sent);
    add(world.sent >> 8U);
  }
  for (std::size_t node = 0; node < nodes_; ++node) {
    add(world.node[node]);
    add(world.node[node] >> 8U);
    const Inbox& inbox = world.inbox[node];
    add(inbox.size);
    for (std::size_t i = 0; i < inbox.size; ++i) add(inbox.messages[i]);
  }
  bytes.resize(static_cast<std::size_t>(end - bytes.data()));
}

World Model::decode(std::span<const std::uint8_t> bytes) const {
  std::size_t at = 0;
  const auto byte = [&] { return bytes[at++]; };
  const auto pair = [&] {
    const unsigned low = byte();
    return static_cast<std::uint16_t>(low | static_cast<unsigned>(byte()) << 8U);
  };
  World world;
  world.crashes_left = byte();
  world.restarts_left = byte();
  if (options_.timing == Timing::asynchronous) world.false_alarms_left = byte();
  if (options_.max_messages) world.sent = pair();
  for (std::size_t node = 0; node < nodes_; ++node) {
    world.node[node] = pair();
    Inbox& inbox = world.inbox[node];
    inbox.size = byte();
    for (std::size_t i = 0; i < inbox.size; ++i) inbox.messages[i] = byte();
  }
  return world;
}

ExploreStep Model::describe(const World& before, const Move& move) const {
  ExploreStep step{.kind = move.kind, .node = move.node + NodeId{1}};
  if (move.kind == StepKind::deliver) step.message = message(move.node, move.detail);
  if (move.kind == StepKind::expire) step.timer = static_cast<Timer>(move.detail);
  if (move.kind == StepKind::suspect) {
    step.coordinator = *locals_[move.node][before.node[move.node]].watched;
    step.reason = static_cast<Suspicion>(move.detail);
  }
  const bool alarm = move.kind == StepKind::expire || move.kind == StepKind::suspect;
  step.false_alarm = alarm && move.fault;
  if (move.sends > 0) step.crash_after_sends = move.sends;
  return step;
}

}  // namespace bully::explorer
