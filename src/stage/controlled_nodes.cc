// controlled_nodes.cc: orders to real processes, and their replies as actions of a protocol.
#include "stage/controlled_nodes.h"

#include <algorithm>
#include <utility>

#include "node/peer_process.h"
#include "node/taken_names.h"
#include "trace/trace.h"

namespace bully {

namespace {

class RealProcess : public Protocol {
 public:
  RealProcess(NodeId id, ControlledNodes& led) : id_(id), led_(led) {}

  void handle(const Event& event, const Peers& /*peers*/, Actions& actions) override {
    led_.handle(id_, event, actions);
  }
  NodeId id() const override { return id_; }
  std::string_view state_name() const override {
    const StateKind* state = find_state(led_.snapshot(id_).state);
    return state == nullptr ? std::string_view() : state->name;
  }
  std::optional<NodeId> coordinator() const override { return led_.snapshot(id_).coordinator; }
  std::optional<NodeId> watched() const override { return led_.watched(id_); }
  Variables variables() const override { return led_.snapshot(id_).variables; }
  void visit_fields(FieldVisitor& /*visit*/) override {}  // its state cannot be saved

 private:
  NodeId id_;
  ControlledNodes& led_;
};

}  // namespace

ControlledNodes::ControlledNodes(Directory directory, Duration patience, LinkObserver& other)
    : directory_(std::move(directory)),
      patience_(patience),
      other_(other),
      relay_(directory_, *this) {}

std::unique_ptr<Protocol> ControlledNodes::make(NodeId id) {
  return std::make_unique<RealProcess>(id, *this);
}

void ControlledNodes::handle(NodeId id, const Event& event, Actions& actions) {
  Node& node = nodes_[id];
  // A stopped process finds all its messages when it continues.
  const bool is_stopped = node.snapshot.condition == Condition::stopped;
  if (const auto* received = std::get_if<Received>(&event)) {
    const Message& message = received->message;
    relay_.deliver(nodes_.at(message.from).said.at(*message.number - 1).ticket);
    if (is_stopped) return;
    meet(id);
  } else if (const auto* gone = std::get_if<PeerGone>(&event)) {
    const auto untold = node.untold.find(gone->peer);
    if (untold == node.untold.end()) return;
    node.untold.erase(untold);
    if (is_stopped) return leave_order(id, event);
    meet(id, order_to_meet(event));
  } else if (const auto* started = std::get_if<Started>(&event)) {
    started->resumed ? go_on(id) : start(id);
  } else if (std::holds_alternative<Preset>(event)) {
    meet(id);
    take_sent(id);
    return;  // already the case
  } else {
    meet(id, order_to_meet(event));
  }
  tell(id, actions);
}

void ControlledNodes::record(const Record& told) {
  if (told.event != TraceEvent::lost) return;
  const Sent& said = nodes_.at(told.node).said.at(*told.number - 1);
  if (said.ticket == 0) return;
  drop(said.ticket);
  if (told.reason == "gone") nodes_.at(told.node).untold.insert(told.to);
  on_lost(told, said);
}

ControlledNodes::Node& ControlledNodes::begin_life(NodeId id, const Snapshot& snapshot) {
  Node& node = nodes_[id];
  node = {.snapshot = snapshot, .said = std::move(node.said)};
  return node;
}

void ControlledNodes::go_on(NodeId id) {
  nodes_.at(id).snapshot.condition = Condition::running;
  // It first ends what it was stopped in, if that was no wait; then it replies before it starts
  // over, and the third time after that.
  for (int i = 0; i < 3; ++i) meet(id);
}

// A process that starts may query others before it replies itself.
void ControlledNodes::meet(NodeId id, const Message& question) {
  NodeStatus status;
  wait_until(id, [&] {
    take_in();
    status = query_node(directory_, id, patience_, question);
    return status.by_hand.has_value();
  });
  take_in();
  look();
  check(id);
  Node& node = nodes_[id];
  node.snapshot.state = status.state;
  node.snapshot.coordinator = status.coordinator;
  node.by_hand = *status.by_hand;
}

void ControlledNodes::leave_order(NodeId id, const Event& event) {
  const Connection connection = connect_to_process(directory_, id);
  if (connection.reach != Reach::reached) return;
  send_once(connection.descriptor, encode(order_to_meet(event)));
}

void ControlledNodes::tell(NodeId id, Actions& actions) {
  Node& node = nodes_.at(id);
  for (const Sent& said : take_sent(id)) {
    node.said.push_back(said);
    actions.emplace_back(
        Send{said.to, {.type = said.message.type, .from = id, .values = said.message.values}});
  }
  for (std::size_t i = 0; i < timer_count; ++i) {
    const ByHand::RunningTimer& timer = node.by_hand.timers.at(i);
    if (std::exchange(node.timers_told.at(i), timer) == timer) continue;
    const auto which = static_cast<Timer>(i);
    const auto attempts = static_cast<std::uint8_t>(timer.attempts);
    if (timer.start == 0) {
      actions.emplace_back(StopTimer{which});
    } else {
      actions.emplace_back(StartTimer{which, attempts});
    }
  }
}

void ControlledNodes::carry_all() {
  while (!waiting_.empty()) {
    const Sent first = waiting_.front();
    waiting_.erase(waiting_.begin());
    relay_.deliver(first.ticket);
    meet(first.to);
  }
}

std::vector<ControlledNodes::Sent> ControlledNodes::take_sent(NodeId id) {
  std::vector<Sent> sent;
  for (Sent& waiting : waiting_) {
    if (waiting.message.from != id || std::exchange(waiting.is_told, true)) continue;
    sent.push_back(waiting);
  }
  std::ranges::sort(sent, {}, [](const Sent& said) { return said.message.number; });
  return sent;
}

// --- Waiting messages ---

void ControlledNodes::on_message(const Message& message, NodeId to, Way way, Ticket ticket) {
  has_come_ = has_come_ || way == Way::sent;
  if (!message.type.is_of_election()) return;
  other_.on_message(message, to, way, ticket);
  if (way == Way::sent) {
    waiting_.push_back({message, to, ticket});
  } else {
    std::erase_if(waiting_, [&](const Sent& waiting) { return waiting.ticket == ticket; });
  }
}

void ControlledNodes::drop(Ticket ticket) {
  relay_.drop(ticket);
  std::erase_if(waiting_, [&](const Sent& waiting) { return waiting.ticket == ticket; });
}

void ControlledNodes::take_in() {
  std::vector<pollfd> none;
  do {
    has_come_ = false;
    relay_.serve(none, monotonic_now());
  } while (has_come_);
}

bool ControlledNodes::stands_for(NodeId id) {
  relay_.look();
  return relay_.stands_for(id);
}

void ControlledNodes::check(NodeId id) {
  if (!stands_for(id)) throw problem("play_not_running", {id});
}

void ControlledNodes::wait_until(NodeId id, const std::function<bool()>& condition) {
  const Time deadline = monotonic_now() + patience_;
  std::vector<pollfd> none;
  while (!condition()) {
    relay_.serve(none, monotonic_now() + std::chrono::milliseconds(1));
    check(id);
    if (monotonic_now() > deadline) throw problem("play_timeout", {id});
  }
}

}  // namespace bully
