// explorer_model.cc: encodes configurations, and finds all steps from one.
#include "explorer/explorer_model.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "base/list.h"

namespace bully {

namespace {

constexpr std::size_t max_messages = std::numeric_limits<MessageId>::max() + std::size_t{1};
// Faults left, the far side and messages sent; for each node its state and its inbox.
constexpr std::size_t max_bytes = 7 + max_explored_nodes * (3 + sizeof(MessageId) * max_inbox);

std::uint8_t small(std::size_t number) {
  assert(number <= std::numeric_limits<std::uint8_t>::max());
  return static_cast<std::uint8_t>(number);
}

void require(bool is_met, const char* what) {
  if (!is_met) throw std::invalid_argument(what);
}

void crash(Configuration& now, std::size_t node) {
  --now.crashes_left;
  now.node[node] = crashed;
  now.inbox[node] = {};
}

}  // namespace

Model::Model(const ExploreOptions& options, const ProtocolMaker& make) : options_(options) {
  require(options.nodes > 0 && options.nodes <= max_explored_nodes,
          "explore: too few or too many nodes");
  const auto faults = {options.crashes, options.restarts, options.partitions, options.false_alarms};
  require(std::max(faults) <= max_explored_faults, "explore: too many faults of a kind");
  peers_.nodes = one_to(options.nodes);
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
    node.locals.assign(2, down);  // crashed and not_started
    node.locals[crashed].snapshot = crashed_snapshot(id);
    node.reactions.emplace_back();
  }
}

Configuration Model::beginning() {
  Configuration now;
  now.crashes_left = small(options_.crashes);
  now.restarts_left = small(options_.restarts);
  now.partitions_left = small(options_.partitions);
  if (options_.timing == Timing::asynchronous) {
    now.false_alarms_left = small(options_.false_alarms);
  }
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    now.node[node] = not_started;
    if (options_.beginning == Beginning::starting) continue;
    now.node[node] = ask_protocol(node, not_started, Preset{first_coordinator(options_)}).next;
  }
  return now;
}

void Model::look(const Configuration& now, std::vector<const Snapshot*>& nodes) const {
  nodes.resize(nodes_.size());
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    nodes[node] = &look(now, node);
  }
}

std::vector<Receipt> Model::ignored() const {
  const auto is_ignored = [](const auto& one) { return !one.second; };
  return list_of(heeded_, is_ignored, [](const auto& one) { return one.first; });
}

bool Model::apply(const Move& move, Configuration& now) {
  took_coordinator_ = false;
  if (move.verb == Verb::crash) {
    crash(now, move.node);
    return true;
  }
  if (move.fault) --faults_left(now, move.verb);
  if (is_of_network(move.verb)) {
    now.far_side = small(move.detail);
    return move.sends == 0;
  }
  if (move.verb == Verb::deliver) {
    Arrivals& inbox = now.inbox[move.node];
    const auto end = inbox.messages.begin() + inbox.size;
    const auto found = std::find(inbox.messages.begin(), end, move.detail);
    assert(found != end);
    std::copy(found + 1, end, found);
    --inbox.size;
  }
  return react(now, move);
}

bool Model::react(Configuration& now, const Move& move) {
  unsigned posted = 0;
  for (const std::uint16_t detail : details_of(now, move)) {
    if (!handle(now, move, detail, posted)) return true;
  }
  return move.sends == 0;
}

std::uint16_t Model::detail_of(const Configuration& now, const Move& move) const {
  if (move.verb != Verb::restart) return move.detail;
  const std::uint64_t incarnation = next_incarnation(now);
  if (incarnation > std::numeric_limits<std::uint16_t>::max()) throw BoundReached{"numbers"};
  return static_cast<std::uint16_t>(incarnation);
}

// One more than any number that is still in use: of the elections that live nodes know of, and of
// the messages in flight. A smaller one than a real process gets is harder on the election: the
// elections of others reach it soon.
std::uint64_t Model::next_incarnation(const Configuration& now) const {
  std::uint64_t latest = 0;
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (live(now, node)) latest = std::max(latest, local(now, node).latest_election);
    for (const MessageId id : now.inbox[node].all()) {
      latest = std::max(latest, message(node, id).latest_number());
    }
  }
  return latest + 1;
}

std::vector<std::uint16_t> Model::details_of(const Configuration& before, const Move& move) const {
  std::vector<std::uint16_t> details;
  const bool is_hung = move.verb == Verb::suspect && suspicion_in(move.detail) == Suspicion::hung;
  const bool is_neighbour = is_hung && options_.algorithm->watches_neighbour &&
                            local(before, move.node).snapshot.coordinator != hung_in(move.detail);
  // On a ring, a node first learns of all other processes that do not react.
  for (std::size_t other = 0; is_neighbour && other < nodes_.size(); ++other) {
    if (other + 1 == hung_in(move.detail) || !live(before, other)) continue;
    if (!connects(before, move.node, other)) details.push_back(suspicion(Suspicion::hung, other));
  }
  details.push_back(detail_of(before, move));
  return details;
}

std::vector<Event> Model::events_of(const Configuration& before, const Move& move) const {
  return list_of(details_of(before, move), [&](std::uint16_t detail) {
    return event_of(move.node, before.node[move.node], move.verb, detail);
  });
}

void Model::ask_again(const Configuration& before, const Move& move) {
  for (const Event& event : events_of(before, move)) {
    ask_protocol(move.node, before.node[move.node], event);
  }
}

// Handles one event of the move's verb and every PeerGone that follows from it. False: the node has
// crashed in midst of it, as the move says.
bool Model::handle(Configuration& now, const Move& move, std::uint16_t detail, unsigned& posted) {
  std::array<std::uint16_t, max_inbox> gone;
  std::size_t gone_count = 0;
  Verb verb = move.verb;
  for (std::size_t next = 0;; ++next) {
    const Reaction& planned = reaction(move.node, now.node[move.node], verb, detail);
    now.node[move.node] = planned.next;
    took_coordinator_ = took_coordinator_ || planned.takes_coordinator;
    for (const PlannedSend& send : planned.sends) {
      if (options_.max_messages) ++now.sent;
      const Loss why = loss(now, move.node, send.to + NodeId{1});
      if (why == Loss::gone) {
        if (gone_count == gone.size()) throw BoundReached{"in-flight"};
        gone[gone_count++] = send.to;
      }
      if (why != Loss::none) continue;
      if (move.sends > 0 && posted == move.sends) {
        crash(now, move.node);
        return false;
      }
      post(now, send);
      ++posted;
    }
    if (next == gone_count) return true;
    verb = Verb::crash;
    detail = gone[next];
  }
}

// Sorted, so that worlds are equal if they differ only in an order that Delivery makes irrelevant.
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

const Model::Reaction& Model::reaction(std::size_t node, LocalId from, Verb verb,
                                       std::uint16_t detail) {
  Node& asked = nodes_[node];
  const auto of_verb = static_cast<std::size_t>(verb);
  std::vector<std::uint32_t>& numbers = asked.locals[from].reactions[of_verb];
  if (numbers.size() <= detail) {
    bytes_ += (detail + 1 - numbers.size()) * sizeof(std::uint32_t);
    numbers.resize(detail + std::size_t{1});
  }
  std::uint32_t known = numbers[detail];
  if (known == 0) {
    known = static_cast<std::uint32_t>(asked.reactions.size());
    bytes_ += sizeof(Reaction);
    asked.reactions.push_back(ask_protocol(node, from, event_of(node, from, verb, detail)));
    asked.locals[from].reactions[of_verb][detail] = known;  // `numbers` may have moved
  }
  return asked.reactions[known];
}

Event Model::event_of(std::size_t node, LocalId from, Verb verb, std::uint16_t detail) const {
  const Node& asked = nodes_[node];
  if (verb == Verb::deliver) return Received{asked.messages[detail]};
  if (verb == Verb::expire) return Expired{static_cast<Timer>(detail)};
  if (verb == Verb::crash) {
    return PeerGone{is_node(detail + NodeId{1}) ? detail + NodeId{1} : first_coordinator(options_)};
  }
  if (verb == Verb::check) return PeerFound{detail + NodeId{1}};
  if (verb == Verb::suspect) {
    const Suspicion reason = suspicion_in(detail);
    const bool is_hung = reason == Suspicion::hung;
    return Suspected{is_hung ? hung_in(detail) : *asked.locals[from].watched, reason};
  }
  return Started{.incarnation = detail};
}

// One more than the last for a coordinator that has left.
std::size_t Model::place_of(NodeId id) const {
  if (is_node(id)) return id - 1;
  if (id != first_coordinator(options_)) throw std::logic_error("explore: send to no peer");
  return nodes_.size();
}

Model::Reaction Model::ask_protocol(std::size_t node, LocalId from, const Event& event) {
  Protocol& protocol = *nodes_[node].protocol;
  protocol.load(nodes_[node].locals[from].words);
  Local next;
  if (from > not_started) next.timers = nodes_[node].locals[from].timers;
  const auto place = [](Timer timer) { return static_cast<std::size_t>(timer); };
  if (const auto* expired = std::get_if<Expired>(&event)) next.timers.reset(place(expired->timer));
  actions_.clear();
  protocol.handle(event, peers_, actions_);

  Reaction reaction;
  for (const Action& action : actions_) {
    if (const auto* send = std::get_if<Send>(&action)) {
      const std::size_t to = place_of(send->to);
      reaction.sends.push_back(
          {small(to), is_node(send->to) ? intern(to, send->message) : MessageId{0}});
    } else if (const auto* begin = std::get_if<StartTimer>(&action)) {
      next.timers.set(place(begin->timer));
    } else if (const auto* stop = std::get_if<StopTimer>(&action)) {
      next.timers.reset(place(stop->timer));
    } else if (const auto* fired = std::get_if<Fired>(&action)) {
      fired_.insert(fired->rule);
    }
  }
  next.watched = protocol.watched();
  next.latest_election = protocol.latest_election();
  next.snapshot = snapshot_of(protocol);
  const std::optional<NodeId>& coordinator = next.snapshot.coordinator;
  reaction.takes_coordinator =
      coordinator && coordinator != nodes_[node].locals[from].snapshot.coordinator;
  next.waits = role_of(next.snapshot.state) == StateRole::waiting;
  protocol.save(next.words);
  if (options_.reduction) options_.reduction(next.words);
  if (const auto* received = std::get_if<Received>(&event)) {
    const Local& before = nodes_[node].locals[from];
    const bool is_changed = next.words != before.words || next.timers != before.timers;
    bool& is_heeded = heeded_[{before.snapshot.state, received->message.type}];
    is_heeded = is_heeded || is_changed || !reaction.sends.empty();
  }
  reaction.next = intern(node, std::move(next));
  return reaction;
}

LocalId Model::intern(std::size_t node, Local local) {
  const std::size_t count = nodes_[node].locals.size();
  const auto [found, is_new] = nodes_[node].local_ids.try_emplace(
      {local.words, local.timers.to_ulong()}, static_cast<LocalId>(count));
  if (!is_new) return found->second;
  if (count > std::numeric_limits<LocalId>::max()) throw BoundReached{"numbers"};
  // Twice: also as a key.
  bytes_ += sizeof(Local) + 2 * local.words.size() * sizeof(std::uint64_t);
  nodes_[node].locals.push_back(std::move(local));
  return found->second;
}

MessageId Model::intern(std::size_t receiver, const Message& message) {
  std::vector<Message>& known = nodes_[receiver].messages;
  const auto found = std::ranges::find(known, message);
  const auto number = static_cast<std::size_t>(found - known.begin());
  if (number == max_messages) throw BoundReached{"numbers"};
  if (found == known.end()) {
    bytes_ += sizeof(Message);
    known.push_back(message);
  }
  return static_cast<MessageId>(number);
}

template <typename Some, typename Field>
void Model::each_field(Some& now, Field field) const {
  field(now.crashes_left);
  field(now.restarts_left);
  if (options_.timing == Timing::asynchronous) field(now.false_alarms_left);
  if (options_.partitions > 0) {
    field(now.partitions_left);
    field(now.far_side);
  }
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

Step Model::describe(const Configuration& before, const Move& move) const {
  Step step{.verb = move.verb};
  for (const NodeId id : peers_.nodes) {
    const bool is_far = (move.detail >> (id - 1) & 1U) != 0;
    if (move.verb == Verb::partition) (is_far ? step.others : step.ids).push_back(id);
  }
  if (!is_of_network(move.verb)) step.ids = {move.node + NodeId{1}};
  if (move.verb == Verb::deliver) {
    const Message& given = message(move.node, move.detail);
    step.filter = {.type = given.type, .from = given.from, .to = step.id(), .values = given.values};
  }
  if (move.verb == Verb::expire) step.timer = static_cast<Timer>(move.detail);
  if (move.verb == Verb::suspect) {
    step.whom = local(before, move.node).watched;
    step.reason = suspicion_in(move.detail);
  }
  if (move.verb == Verb::check) step.whom = move.detail + NodeId{1};
  step.false_alarm = move.fault && (move.verb == Verb::expire || move.verb == Verb::suspect ||
                                    move.verb == Verb::check);
  step.duly = move.verb == Verb::expire && !move.fault;
  if (move.sends > 0) step.crash_after = move.sends;
  return step;
}

}  // namespace bully
