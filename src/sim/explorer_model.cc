#include "sim/explorer_model.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace bully {

namespace {

constexpr std::size_t max_messages = std::numeric_limits<MessageId>::max() + std::size_t{1};
// Faults left and messages sent; for each node where it stands, and its inbox.
constexpr std::size_t max_bytes = 5 + max_explored_nodes * (3 + max_inbox);

// No node counts up to more in one life.

std::uint8_t small(std::size_t number) {
  assert(number <= std::numeric_limits<std::uint8_t>::max());
  return static_cast<std::uint8_t>(number);
}

void require(bool is_met, const char* what) {
  if (!is_met) throw std::invalid_argument(what);
}

// A fault is possible while one of its kind is left.
void add(const Move& move, const Configuration& now, std::vector<Move>& moves) {
  const std::uint8_t left = move.kind == StepKind::crash   ? now.crashes_left
                            : move.kind == StepKind::start ? now.restarts_left
                                                           : now.false_alarms_left;
  if (!move.fault || left > 0) moves.push_back(move);
}

void crash(Configuration& now, std::size_t node) {
  --now.crashes_left;
  now.node[node] = crashed;
  now.inbox[node] = {};
}

}  // namespace

NodeId Model::Known::next_of(NodeId id, Direction way) const {
  return next_on_ring(ring, nodes, id, way);
}

Model::Model(const ExploreOptions& options, const ProtocolMaker& make) : options_(options) {
  require(options.nodes > 0 && options.nodes <= max_explored_nodes,
          "explore: too few or too many nodes");
  require(
      std::max({options.crashes, options.restarts, options.false_alarms}) <= max_explored_faults,
      "explore: too many faults of a kind");
  for (NodeId id = 1; id <= options.nodes; ++id) peers_.nodes.push_back(id);
  peers_.ring = options.arrangement.empty() ? peers_.nodes : options.arrangement;
  require(std::ranges::is_permutation(peers_.ring, peers_.nodes),
          "explore: an arrangement names each node once");
  require(std::ranges::all_of(options.detectors,
                              [&](NodeId id) { return id > 0 && id <= options.nodes; }),
          "explore: no such node to detect");
  for (const NodeId id : peers_.nodes) {
    const bool is_named = std::ranges::count(options.detectors, id) > 0;
    Node& node = nodes_.emplace_back();
    node.detects = options.detectors.empty() || is_named;
    node.protocol = make(id);
    Local down;
    node.protocol->save(down.words);
    down.snapshot.id = id;
    node.locals.assign(2, down);  // crashed and unborn
    node.locals[crashed].snapshot = crashed_snapshot(id);
    node.reactions.emplace_back();
  }
}

Configuration Model::beginning() {
  Configuration now;
  now.crashes_left = small(options_.crashes);
  now.restarts_left = small(options_.restarts);
  if (options_.timing == Timing::asynchronous) {
    now.false_alarms_left = small(options_.false_alarms);
  }
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    now.node[node] = unborn;
    if (options_.beginning == Beginning::starting) continue;
    now.node[node] = ask_protocol(node, unborn, Preset{first_coordinator(options_)}).next;
  }
  return now;
}

void Model::moves(const Configuration& now, std::vector<Move>& moves) const {
  moves.clear();
  const auto count = static_cast<std::uint8_t>(nodes_.size());
  for (std::uint8_t node = 0; node < count; ++node) {
    if (!live(now, node)) {
      const bool is_restart = now.node[node] == crashed;
      const unsigned life = is_restart ? options_.restarts - now.restarts_left + 1 : 0;
      add({StepKind::start, node, small(life), is_restart}, now, moves);
      continue;
    }
    // Inboxes are kept sorted by what Delivery lets through: see post().
    const auto inbox = now.inbox[node].all();
    for (std::size_t i = 0; i < inbox.size(); ++i) {
      if (i > 0 && options_.delivery == Delivery::arrival_order) break;
      if (i > 0 && inbox[i] == inbox[i - 1]) continue;
      const bool same_sender =
          i > 0 && message(node, inbox[i]).from == message(node, inbox[i - 1]).from;
      if (same_sender && options_.delivery == Delivery::pair_order) continue;
      add({StepKind::deliver, node, inbox[i]}, now, moves);
    }
    for (const Timer timer : {Timer::answer, Timer::coordinator}) {
      if (!local(now, node).runs(timer)) continue;
      const bool early = !timeout_is_right(now, node, timer);
      add({StepKind::expire, node, static_cast<std::uint8_t>(timer), early}, now, moves);
    }
    if (nodes_[node].detects) add_suspicions(now, node, moves);
    if (nodes_[node].detects) add_findings(now, node, moves);
    add({StepKind::crash, node, 0, true}, now, moves);
  }
}

void Model::add_suspicions(const Configuration& now, std::uint8_t node,
                           std::vector<Move>& moves) const {
  const Local& self = local(now, node);
  if (!self.watched) return;
  const NodeId watched = *self.watched;
  const auto suspect = [&](Suspicion reason, bool wrong) {
    add({StepKind::suspect, node, static_cast<std::uint8_t>(reason), wrong}, now, moves);
  };
  if (watched == self.snapshot.id) {
    if (is_outranked(now, watched)) suspect(Suspicion::deposed, false);
    return;
  }
  const bool has_left = watched == 0 || watched > nodes_.size();
  if (has_left || !live(now, watched - 1)) {
    return suspect(Suspicion::down, self.waits && !nothing_in_flight(now, node));
  }
  const PingReply theirs = reply_of(local(now, watched - 1).snapshot);
  const bool follows_it = self.snapshot.coordinator == watched;
  if (follows_it && theirs.disowns(watched, self.snapshot.group)) {
    suspect(Suspicion::deposed, false);
  }
  suspect(Suspicion::hung, true);
}

void Model::add_findings(const Configuration& now, std::uint8_t node,
                         std::vector<Move>& moves) const {
  for (std::size_t other = 0; other < nodes_.size(); ++other) {
    if (!finds(now, node, other)) continue;
    const auto detail = static_cast<std::uint8_t>(other);
    add({StepKind::find, node, detail, !is_quiet(now)}, now, moves);
  }
}

// Whether `node`, as coordinator, finds what it looks for when it looks at `other`.
bool Model::finds(const Configuration& now, std::size_t node, std::size_t other) const {
  const auto finds = options_.algorithm->finds;
  if (finds == nullptr || other == node || !live(now, node) || !live(now, other)) return false;
  const PingReply own = reply_of(local(now, node).snapshot);
  return own.coordinator == own.id && finds(own, reply_of(local(now, other).snapshot));
}

bool Model::timeout_is_right(const Configuration& now, std::size_t node, Timer timer) const {
  if (timer == Timer::answer) return nothing_in_flight(now, node);
  for (std::size_t one = 0; one < nodes_.size(); ++one) {
    for (std::size_t other = 0; nodes_[one].detects && other < nodes_.size(); ++other) {
      if (finds(now, one, other)) return false;
    }
  }
  return is_quiet(now);
}

// Nothing is in flight at all, and nobody waits for an answer.
bool Model::is_quiet(const Configuration& now) const {
  for (std::size_t other = 0; other < nodes_.size(); ++other) {
    if (now.inbox[other].size > 0) return false;
    if (local(now, other).runs(Timer::answer)) return false;
  }
  return true;
}

// To or from `node`.
bool Model::nothing_in_flight(const Configuration& now, std::size_t node) const {
  if (now.inbox[node].size > 0) return false;
  for (std::size_t other = 0; other < nodes_.size(); ++other) {
    for (const MessageId id : now.inbox[other].all()) {
      if (message(other, id).from == node + 1) return false;
    }
  }
  return true;
}

bool Model::is_outranked(const Configuration& now, NodeId id) const {
  for (std::size_t other = 0; other < nodes_.size(); ++other) {
    if (live(now, other) && options_.algorithm->prefers(other + 1, id)) return true;
  }
  return false;
}

void Model::look(const Configuration& now, std::vector<const Snapshot*>& nodes) const {
  nodes.clear();
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    nodes.push_back(&local(now, node).snapshot);
  }
}

bool Model::apply(const Move& move, Configuration& now) {
  if (move.kind == StepKind::crash) {
    crash(now, move.node);
    return true;
  }
  if (move.kind == StepKind::deliver) {
    Arrivals& inbox = now.inbox[move.node];
    const auto end = inbox.messages.begin() + inbox.size;
    const auto found = std::find(inbox.messages.begin(), end, move.detail);
    assert(found != end);
    std::copy(found + 1, end, found);
    --inbox.size;
  } else if (move.fault) {
    --(move.kind == StepKind::start ? now.restarts_left : now.false_alarms_left);
  }
  return react(now, move);
}

// One event and every PeerGone that follows from it.
bool Model::react(Configuration& now, const Move& move) {
  std::array<std::uint8_t, max_inbox> gone;
  std::size_t gone_count = 0;
  unsigned posted = 0;
  StepKind kind = move.kind;
  std::uint8_t detail = move.detail;
  for (std::size_t next = 0;; ++next) {
    const Reaction& planned = reaction(move.node, now.node[move.node], kind, detail);
    now.node[move.node] = planned.next;
    for (const PlannedSend send : planned.sends) {
      if (options_.max_messages) ++now.sent;
      if (live(now, send.to)) {
        if (move.sends > 0 && posted == move.sends) {
          crash(now, move.node);
          return true;
        }
        post(now, send);
        ++posted;
      } else {
        if (gone_count == gone.size()) throw BoundReached{"in-flight"};
        gone[gone_count++] = send.to;
      }
    }
    if (next == gone_count) break;
    kind = StepKind::crash;
    detail = gone[next];
  }
  return move.sends == 0;
}

// The inbox stays sorted: by message, by sender, or by age, so that worlds which differ only in
// what Delivery makes irrelevant are equal.
void Model::post(Configuration& now, PlannedSend send) const {
  Arrivals& inbox = now.inbox[send.to];
  if (inbox.size == max_inbox) throw BoundReached{"in-flight"};
  const auto end = inbox.messages.begin() + inbox.size;
  const auto place = std::upper_bound(
      inbox.messages.begin(), end, send.message, [&](MessageId left, MessageId right) {
        if (options_.delivery == Delivery::any_order) return left < right;
        return options_.delivery == Delivery::pair_order &&
               message(send.to, left).from < message(send.to, right).from;
      });
  std::copy_backward(place, end, end + 1);
  *place = send.message;
  ++inbox.size;
}

const Model::Reaction& Model::reaction(std::size_t node, LocalId from, StepKind kind,
                                       std::uint8_t detail) {
  Node& asked = nodes_[node];
  const auto of_kind = static_cast<std::size_t>(kind);
  std::vector<std::uint32_t>& numbers = asked.locals[from].reactions[of_kind];
  if (numbers.size() <= detail) numbers.resize(detail + std::size_t{1});
  std::uint32_t known = numbers[detail];
  if (known == 0) {
    Event event = Started{.life = std::uint64_t{detail} << 32U};
    if (kind == StepKind::deliver) event = Received{asked.messages[detail]};
    if (kind == StepKind::expire) event = Expired{static_cast<Timer>(detail)};
    if (kind == StepKind::crash) event = PeerGone{detail + NodeId{1}};
    if (kind == StepKind::suspect) {
      event = Suspected{*asked.locals[from].watched, static_cast<Suspicion>(detail)};
    }
    if (kind == StepKind::find) event = Found{detail + NodeId{1}};
    known = static_cast<std::uint32_t>(asked.reactions.size());
    asked.reactions.push_back(ask_protocol(node, from, event));
    asked.locals[from].reactions[of_kind][detail] = known;  // `numbers` may have moved
  }
  return asked.reactions[known];
}

Model::Reaction Model::ask_protocol(std::size_t node, LocalId from, const Event& event) {
  Protocol& protocol = *nodes_[node].protocol;
  protocol.load(nodes_[node].locals[from].words);
  Local next;
  if (from > unborn) next.timers = nodes_[node].locals[from].timers;
  const auto place = [](Timer timer) { return static_cast<std::size_t>(timer); };
  if (const auto* expired = std::get_if<Expired>(&event)) next.timers.reset(place(expired->timer));
  actions_.clear();
  protocol.handle(event, peers_, actions_);

  Reaction reaction;
  for (const Action& action : actions_) {
    if (const auto* send = std::get_if<Send>(&action)) {
      if (send->to == 0 || send->to > nodes_.size()) {
        throw std::logic_error("explore: send to no peer");
      }
      reaction.sends.push_back({small(send->to - 1), intern(send->to - 1, send->message)});
    } else if (const auto* begin = std::get_if<StartTimer>(&action)) {
      next.timers.set(place(begin->timer));
    } else if (const auto* stop = std::get_if<StopTimer>(&action)) {
      next.timers.reset(place(stop->timer));
    }
  }
  next.watched = protocol.watched();
  next.snapshot = snapshot_of(protocol);
  const StateKind* state = find_state(next.snapshot.state);
  next.waits = state != nullptr && state->role == StateRole::waiting;
  protocol.save(next.words);
  if (options_.reduction) options_.reduction(next.words);
  reaction.next = intern(node, std::move(next));
  return reaction;
}

LocalId Model::intern(std::size_t node, Local local) {
  const std::size_t count = nodes_[node].locals.size();
  const auto [found, is_new] = nodes_[node].local_ids.try_emplace(
      {local.words, local.timers.to_ulong()}, static_cast<LocalId>(count));
  if (!is_new) return found->second;
  if (count > std::numeric_limits<LocalId>::max()) throw BoundReached{"numbers"};
  nodes_[node].locals.push_back(std::move(local));
  return found->second;
}

MessageId Model::intern(std::size_t receiver, const Message& message) {
  std::vector<Message>& known = nodes_[receiver].messages;
  const auto found = std::ranges::find(known, message);
  const auto number = static_cast<std::size_t>(found - known.begin());
  if (number == max_messages) throw BoundReached{"numbers"};
  if (found == known.end()) known.push_back(message);
  return small(number);
}

template <typename Some, typename Field>
void Model::each_field(Some& now, Field field) const {
  field(now.crashes_left);
  field(now.restarts_left);
  if (options_.timing == Timing::asynchronous) field(now.false_alarms_left);
  if (options_.max_messages) field(now.sent);
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    field(now.node[node]);
    field(now.inbox[node].size);
    for (std::size_t i = 0; i < now.inbox[node].size; ++i) field(now.inbox[node].messages[i]);
  }
}

void Model::encode(const Configuration& now, std::vector<std::uint8_t>& bytes) const {
  bytes.resize(max_bytes);
  std::uint8_t* end = bytes.data();
  each_field(now, [&end](const auto& field) {
    std::memcpy(end, &field, sizeof(field));
    end += sizeof(field);
  });
  bytes.resize(static_cast<std::size_t>(end - bytes.data()));
}

Configuration Model::decode(std::span<const std::uint8_t> bytes) const {
  Configuration now;
  const std::uint8_t* at = bytes.data();
  each_field(now, [&at](auto& field) {
    std::memcpy(&field, at, sizeof(field));
    at += sizeof(field);
  });
  return now;
}

ExploreStep Model::describe(const Configuration& before, const Move& move) const {
  ExploreStep step{.kind = move.kind, .node = move.node + NodeId{1}};
  if (move.kind == StepKind::deliver) step.message = message(move.node, move.detail);
  if (move.kind == StepKind::expire) step.timer = static_cast<Timer>(move.detail);
  if (move.kind == StepKind::suspect) {
    step.coordinator = *local(before, move.node).watched;
    step.reason = static_cast<Suspicion>(move.detail);
  }
  if (move.kind == StepKind::find) step.coordinator = move.detail + NodeId{1};
  step.false_alarm = move.fault && move.kind != StepKind::crash && move.kind != StepKind::start;
  if (move.sends > 0) step.crash_after_sends = move.sends;
  return step;
}

}  // namespace bully
