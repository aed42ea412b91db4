#include "sim/explorer_replay.h"

#include <algorithm>
#include <deque>
#include <stdexcept>

namespace bully {

namespace {

constexpr std::int64_t step_ns = 1'000'000;

class Replay {
 public:
  Replay(const ExploreOptions& options, const ProtocolMaker& make, Sink& sink)
      : make_(make), sink_(sink), nodes_(options.nodes) {
    for (NodeId id = 1; id <= options.nodes; ++id) peers_.known.push_back(id);
    if (options.beginning == Beginning::agreed) begin_agreed();
  }

  void play(const ExploreStep& step) {
    now_ns_ += step_ns;
    if (step.node == 0 || step.node > nodes_.size()) impossible("no such node");
    Node& at = node(step.node);
    if (step.kind == StepKind::start ? at.live() : !at.live()) impossible("node is not there");
    sends_left_ = step.crash_after_sends;
    switch (step.kind) {
      case StepKind::start:
        start(step.node);
        break;
      case StepKind::crash:
        crash(step.node);
        break;
      case StepKind::deliver:
        deliver(step);
        break;
      case StepKind::expire: {
        Record record = record_of(step.node, TraceEvent::timeout);
        record.timer = timer_name(step.timer);
        sink_.record(record);
        react(step.node, Expired{step.timer});
        break;
      }
      case StepKind::suspect: {
        Record record = record_of(step.node, TraceEvent::suspect);
        record.coordinator = step.coordinator;
        record.reason = suspicion_name(step.reason);
        sink_.record(record);
        react(step.node, Suspected{step.coordinator, step.reason});
        break;
      }
    }
    sink_.flush();
  }

 private:
  struct Node {
    std::unique_ptr<Protocol> protocol;  // nothing: crashed, or not started yet
    std::vector<Message> inbox;          // in flight to it
    std::uint64_t sent = 0;              // counts on over a restart, so that numbers stay unique
    bool live() const { return protocol != nullptr; }
  };
  struct AllPeers : Peers {
    std::vector<NodeId> known;
    std::span<const NodeId> ids() const override { return known; }
  };

  [[noreturn]] static void impossible(const char* why) {
    throw std::invalid_argument(std::string("replay: impossible step: ") + why);
  }

  Node& node(NodeId id) { return nodes_[id - 1]; }

  // As explorer.h says: all have heard the highest, and nothing is in flight.
  void begin_agreed() {
    const NodeId highest = nodes_.size();
    for (NodeId id = 1; id <= highest; ++id) {
      node(id).protocol = make_(id);
      Protocol& protocol = *node(id).protocol;
      Actions ignored;
      protocol.handle(Started{}, peers_, ignored);
      const Message announcement{.type = MessageType::coordinator, .from = highest};
      if (id != highest) protocol.handle(Received{announcement}, peers_, ignored);
      sink_.record(record_of(id, TraceEvent::start));
      record_state(id);
      record_coordinator(id, protocol.coordinator());
    }
  }

  void start(NodeId id) {
    node(id).protocol = make_(id);
    sink_.record(record_of(id, TraceEvent::start));
    react(id, Started{});
  }

  void crash(NodeId id) {
    node(id).protocol.reset();
    node(id).inbox.clear();
    sink_.record(record_of(id, TraceEvent::stop));
  }

  void deliver(const ExploreStep& step) {
    auto& inbox = node(step.node).inbox;
    const auto found = std::find_if(inbox.begin(), inbox.end(), [&](const Message& message) {
      return message.type == step.message.type && message.from == step.message.from &&
             message.subject == step.message.subject;
    });
    if (found == inbox.end()) impossible("no such message in flight");
    record_message(step.node, TraceEvent::receive, *found, step.node);
    inbox.erase(found);
    react(step.node, Received{step.message});
  }

  // One event and every PeerGone that follows from it.
  void react(NodeId id, const Event& first) {
    std::deque<Event> events = {first};
    while (!events.empty() && node(id).live()) {
      Protocol& protocol = *node(id).protocol;
      const std::string_view before = protocol.state_name();
      Actions actions;
      protocol.handle(events.front(), peers_, actions);
      events.pop_front();
      if (protocol.state_name() != before) record_state(id);
      for (const Action& action : actions) {
        if (const auto* follow = std::get_if<Follow>(&action)) {
          record_coordinator(id, follow->coordinator);
        }
        const auto* send = std::get_if<Send>(&action);
        if (send && !post(id, *send, events)) break;
      }
    }
  }

  // False when this is where the sender crashes.
  bool post(NodeId from, const Send& send, std::deque<Event>& events) {
    const bool live = node(send.to).live();
    if (live && sends_left_ && (*sends_left_)-- == 0) {
      crash(from);
      return false;
    }
    Message message = send.message;
    message.number = ++node(from).sent;
    record_message(from, TraceEvent::send, message, send.to);
    if (live) {
      node(send.to).inbox.push_back(message);
    } else {
      record_message(from, TraceEvent::lost, message, send.to);
      events.emplace_back(PeerGone{send.to});
    }
    return true;
  }

  Record record_of(NodeId id, TraceEvent event) const {
    return {.t_ns = now_ns_, .node = id, .pid = static_cast<std::int64_t>(id), .event = event};
  }

  void record_state(NodeId id) {
    Record record = record_of(id, TraceEvent::state);
    record.state = node(id).protocol->state_name();
    sink_.record(record);
  }

  void record_coordinator(NodeId id, std::optional<NodeId> coordinator) {
    Record record = record_of(id, TraceEvent::coordinator);
    record.coordinator = coordinator;
    sink_.record(record);
  }

  void record_message(NodeId at, TraceEvent event, const Message& message, NodeId to) {
    Record record = record_of(at, event);
    record.type = message.type;
    record.from = message.from;
    record.to = to;
    record.number = message.number;
    if (event == TraceEvent::lost) record.reason = "gone";
    sink_.record(record);
  }

  const ProtocolMaker& make_;
  Sink& sink_;
  AllPeers peers_;
  std::vector<Node> nodes_;
  std::optional<unsigned> sends_left_;
  std::int64_t now_ns_ = 0;
};

}  // namespace

void replay(const ExploreOptions& options, const ProtocolMaker& make,
            const std::vector<ExploreStep>& steps, Sink& sink) {
  Replay world(options, make, sink);
  for (const ExploreStep& step : steps) world.play(step);
}

}  // namespace bully
