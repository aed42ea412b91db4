// controlled_nodes.cc: events for real processes, and their replies as actions of a protocol.
#include "stage/controlled_nodes.h"

#include <algorithm>
#include <utility>

#include "election/endless_election.h"
#include "node/peer_process.h"
#include "node/status_reply.h"
#include "node/taken_names.h"
#include "trace/trace.h"

namespace bully {

namespace {

// A wait for a reply that lasts longer is interrupted, for signals and for the end of the process.
constexpr Duration between_looks = std::chrono::seconds(1);

class RealProcess : public Protocol {
 public:
  RealProcess(NodeId id, ControlledNodes& nodes) : id_(id), nodes_(nodes) {}

  void handle(const Event& event, const Peers& /*peers*/, Actions& actions) override {
    nodes_.handle(id_, event, actions);
  }
  NodeId id() const override { return id_; }
  std::string_view state_name() const override {
    const StateKind* state = find_state(nodes_.snapshot(id_).state);
    return state == nullptr ? std::string_view() : state->name;
  }
  std::optional<NodeId> coordinator() const override { return nodes_.snapshot(id_).coordinator; }
  std::optional<NodeId> watched() const override { return nodes_.watched(id_); }
  Variables variables() const override { return nodes_.snapshot(id_).variables; }
  void visit_fields(FieldVisitor& /*visit*/) override {}  // its state cannot be saved

 private:
  NodeId id_;
  ControlledNodes& nodes_;
};

}  // namespace

ControlledNodes::ControlledNodes(Directory directory, Duration patience, LinkObserver& other)
    : directory_(std::move(directory)),
      patience_(patience),
      observer_(other),
      proxy_(directory_, *this) {}

std::unique_ptr<Protocol> ControlledNodes::make(NodeId id) {
  return std::make_unique<RealProcess>(id, *this);
}

void ControlledNodes::handle(NodeId id, const Event& event, Actions& actions) {
  Node& node = nodes_[id];
  // A stopped process finds all its messages when it continues.
  const bool is_stopped = node.snapshot.condition == Condition::stopped;
  if (const auto* received = std::get_if<Received>(&event)) {
    const Message& message = received->message;
    proxy_.deliver(nodes_.at(message.from).sent.at(*message.number - 1).ticket);
    if (is_stopped) return;
    query(id);
  } else if (const auto* gone = std::get_if<PeerGone>(&event)) {
    const auto found = node.unreported_gone.find(gone->peer);
    if (found == node.unreported_gone.end()) return;
    node.unreported_gone.erase(found);
    if (is_stopped) return leave_event(id, event);
    query(id, query_with(event));
  } else if (const auto* started = std::get_if<Started>(&event)) {
    started->resumed ? resume(id) : start(id);
  } else if (std::holds_alternative<Preset>(event)) {
    query(id);
    take_sent(id);
    return;  // already the case
  } else {
    query(id, query_with(event));
  }
  report(id, actions);
}

void ControlledNodes::record(const Record& record) {
  if (record.event != TraceEvent::lost) return;
  const Sent& sent = nodes_.at(record.node).sent.at(*record.number - 1);
  if (sent.ticket == 0) return;
  drop(sent.ticket);
  if (record.reason == "gone") nodes_.at(record.node).unreported_gone.insert(record.to);
  Record line = record;
  line.t_ns = monotonic_now().count();
  line.pid = sent.pid;
  line.n = 0;  // its sender has not written it
  line.number = sent.message.number;
  on_lost(line);
}

ControlledNodes::Node& ControlledNodes::begin_incarnation(NodeId id, const Snapshot& snapshot) {
  Node& node = nodes_[id];
  node = {.snapshot = snapshot, .sent = std::move(node.sent)};
  return node;
}

void ControlledNodes::resume(NodeId id) {
  if (const auto act = std::exchange(continue_, nullptr)) act();
  nodes_.at(id).snapshot.condition = Condition::running;
  // It first ends what it was stopped in, if that was no wait; then it replies before it starts
  // over, and the third time after that.
  for (int i = 0; i < 3; ++i) query(id);
}

// A process that starts may query others before it replies itself.
void ControlledNodes::query(NodeId id, const Message& question) {
  NodeStatus status;
  Message asked = question;
  wait_until(id, [&] {
    receive_all();
    status = query_node(directory_, id, std::min(patience_, between_looks), asked);
    // It has the event, and waits for the processor; or another program has stopped it.
    if (status.condition == Condition::stopped) asked = {.type = messages::status};
    return status.controlled.has_value();
  });
  receive_all();
  read_records();
  require_running(id);
  require_recorded(id, status.sent);
  Node& node = nodes_[id];
  node.snapshot.state = status.state;
  node.snapshot.coordinator = status.coordinator;
  node.controlled = *status.controlled;
  node.pid = status.pid;
}

void ControlledNodes::leave_event(NodeId id, const Event& event) {
  const Connection connection = connect_to_process(directory_, id);
  if (connection.reach != Reach::reached) return;
  send_once(connection.descriptor, encode(query_with(event)));
}

void ControlledNodes::report(NodeId id, Actions& actions) {
  Node& node = nodes_.at(id);
  for (const Sent& sent : take_sent(id)) {
    node.sent.push_back(sent);
    actions.emplace_back(
        Send{sent.to, {.type = sent.message.type, .from = id, .values = sent.message.values}});
  }
  for (std::size_t i = 0; i < timer_count; ++i) {
    const Controlled::RunningTimer& timer = node.controlled.timers.at(i);
    if (std::exchange(node.timers_reported.at(i), timer) == timer) continue;
    const auto which = static_cast<Timer>(i);
    const auto attempts = static_cast<std::uint8_t>(timer.attempts);
    if (timer.start == 0) {
      actions.emplace_back(StopTimer{which});
    } else {
      actions.emplace_back(StartTimer{which, attempts});
    }
  }
}

void ControlledNodes::deliver_all() {
  // More than several elections of these processes need.
  const std::uint64_t bound = 2'000 + 300 * nodes_.size() * nodes_.size();
  for (std::uint64_t delivered = 0; !waiting_.empty(); ++delivered) {
    const Sent first = waiting_.front();
    if (delivered > bound) throw EndlessElection(delivered, {{first.message, first.to}});
    waiting_.erase(waiting_.begin());
    proxy_.deliver(first.ticket);
    query(first.to);
  }
}

std::vector<ControlledNodes::Sent> ControlledNodes::take_sent(NodeId id) {
  std::vector<Sent> sent;
  for (Sent& waiting : waiting_) {
    if (waiting.message.from != id || std::exchange(waiting.is_posted, true)) continue;
    waiting.pid = nodes_.at(id).pid;
    sent.push_back(waiting);
  }
  std::ranges::sort(sent, {}, [](const Sent& each) { return each.message.number; });
  return sent;
}

// --- Waiting messages ---

void ControlledNodes::on_message(const Message& message, NodeId to, Way way, Ticket ticket) {
  has_come_ = has_come_ || way == Way::sent;
  if (!message.type.is_of_election()) return;
  observer_.on_message(message, to, way, ticket);
  if (way == Way::sent) {
    waiting_.push_back({message, to, ticket});
  } else {
    std::erase_if(waiting_, [&](const Sent& waiting) { return waiting.ticket == ticket; });
  }
}

void ControlledNodes::drop(Ticket ticket) {
  proxy_.drop(ticket);
  std::erase_if(waiting_, [&](const Sent& waiting) { return waiting.ticket == ticket; });
}

void ControlledNodes::receive_all() {
  std::vector<pollfd> none;
  do {
    has_come_ = false;
    proxy_.serve(none, monotonic_now());
  } while (has_come_);
}

bool ControlledNodes::has_proxy(NodeId id) {
  proxy_.look();
  return proxy_.has_proxy(id);
}

void ControlledNodes::require_running(NodeId id) {
  if (!has_proxy(id)) throw problem("play_not_running", {id});
}

void ControlledNodes::wait_until(NodeId id, const std::function<bool()>& condition) {
  const Time deadline = monotonic_now() + patience_;
  std::vector<pollfd> none;
  while (!condition()) {
    proxy_.serve(none, monotonic_now() + std::chrono::milliseconds(1));
    require_running(id);
    if (monotonic_now() > deadline) throw problem("play_timeout", {id});
  }
}

}  // namespace bully
