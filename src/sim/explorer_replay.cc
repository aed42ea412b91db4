#include "sim/explorer_replay.h"

#include <algorithm>
#include <deque>
#include <stdexcept>

#include "sim/explorer_peers.h"

namespace bully {

namespace {

class Replay {
 public:
  Replay(const ExploreOptions& options, const ProtocolMaker& make, ReplayWatcher& watcher)
      : make_(make),
        watcher_(watcher),
        peers_(options.nodes, options.arrangement),
        nodes_(options.nodes) {
    if (options.beginning == Beginning::agreed) found(options.nodes);
    if (options.beginning == Beginning::leaderless) found(options.nodes + 1);
  }

  void play(const ExploreStep& step) {
    if (step.node == 0 || step.node > nodes_.size()) impossible("no such node");
    Node& at = node(step.node);
    if (step.kind == StepKind::start ? at.live() : !at.live()) impossible("node is not there");
    sends_left_ = step.crash_after_sends;
    if (step.kind != StepKind::deliver) watcher_.on_step(step, {});
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
      case StepKind::expire:
        react(step.node, Expired{step.timer});
        break;
      case StepKind::suspect:
        react(step.node, Suspected{step.coordinator, step.reason});
        break;
    }
  }

  ReplayEnd end() const {
    ReplayEnd end;
    for (const Node& node : nodes_) {
      ReplayEnd::Node& stands = end.nodes.emplace_back();
      stands.live = node.live();
      stands.started = node.started;
      if (!node.live()) continue;
      stands.coordinator = node.protocol->coordinator();
      stands.will_be_told =
          std::any_of(node.inbox.begin(), node.inbox.end(), [&](const Message& message) {
            return message.type == MessageType::coordinator && message.from > node.protocol->id();
          });
    }
    return end;
  }

 private:
  struct Node {
    std::unique_ptr<Protocol> protocol;  // nothing: crashed, or not started yet
    std::vector<Message> inbox;          // in flight to it
    bool started = false;                // ever
    bool live() const { return protocol != nullptr; }
  };
  [[noreturn]] static void impossible(const char* why) {
    throw std::invalid_argument(std::string("replay: impossible step: ") + why);
  }

  Node& node(NodeId id) { return nodes_[id - 1]; }

  // As explorer.h says: all follow this one, and nothing is in flight.
  void found(NodeId coordinator) {
    for (NodeId id = 1; id <= nodes_.size(); ++id) {
      node(id).protocol = make_(id);
      node(id).started = true;
      Protocol& protocol = *node(id).protocol;
      Actions ignored;
      protocol.handle(Founded{coordinator}, peers_, ignored);
    }
  }

  void start(NodeId id) {
    node(id).protocol = make_(id);
    node(id).started = true;
    react(id, Started{});
  }

  void crash(NodeId id) {
    node(id).protocol.reset();
    node(id).inbox.clear();
  }

  void deliver(const ExploreStep& step) {
    auto& inbox = node(step.node).inbox;
    const auto found = std::find_if(inbox.begin(), inbox.end(), [&](const Message& message) {
      return message.type == step.message.type && message.from == step.message.from &&
             message.subject == step.message.subject && message.epoch == step.message.epoch;
    });
    if (found == inbox.end()) impossible("no such message in flight");
    watcher_.on_step(step, {count_like(step.message, inbox.begin(), found) + 1,
                            count_like(step.message, inbox.begin(), inbox.end())});
    inbox.erase(found);
    react(step.node, Received{step.message});
  }

  // How many messages there are of this one's type and sender.
  template <typename Iterator>
  static std::size_t count_like(const Message& like, Iterator begin, Iterator end) {
    return static_cast<std::size_t>(std::count_if(begin, end, [&](const Message& message) {
      return message.type == like.type && message.from == like.from;
    }));
  }

  // One event and every PeerGone that follows from it.
  void react(NodeId id, const Event& first) {
    std::deque<Event> events = {first};
    while (!events.empty() && node(id).live()) {
      Protocol& protocol = *node(id).protocol;
      Actions actions;
      announce_gone(id, events);
      protocol.handle(events.front(), peers_, actions);
      events.pop_front();
      for (const Action& action : actions) {
        if (const auto* send = std::get_if<Send>(&action)) post(id, *send, events);
      }
      if (midway_) {
        midway_ = false;
        watcher_.on_crashed_midway(id);
        crash(id);
      }
    }
  }

  // The next of `events`, if it is PeerGone.
  void announce_gone(NodeId id, const std::deque<Event>& events) {
    const auto* next = std::get_if<PeerGone>(&events.front());
    if (!next) return;
    const auto times = std::count_if(events.begin(), events.end(), [next](const Event& event) {
      const auto* gone = std::get_if<PeerGone>(&event);
      return gone && gone->peer == next->peer;
    });
    watcher_.on_gone(id, next->peer, static_cast<std::size_t>(times));
  }

  // Of a sender that crashes midway, what comes after that is not sent.
  void post(NodeId from, const Send& send, std::deque<Event>& events) {
    auto& inbox = node(send.to).inbox;
    const bool live = node(send.to).live();
    if (live && sends_left_ && *sends_left_ == 0) midway_ = true;
    if (midway_) {
      if (live) {
        watcher_.on_withheld(from, send, count_like(send.message, inbox.begin(), inbox.end()));
      }
      return;
    }
    if (live && sends_left_) --*sends_left_;
    if (live) {
      inbox.push_back(send.message);
    } else {
      events.emplace_back(PeerGone{send.to});
    }
  }

  const ProtocolMaker& make_;
  ReplayWatcher& watcher_;
  ExplorerPeers peers_;
  std::vector<Node> nodes_;
  std::optional<unsigned> sends_left_;
  bool midway_ = false;  // the node that is sending has crashed, but for its being noted
};

}  // namespace

ReplayEnd replay(const ExploreOptions& options, const ProtocolMaker& make,
                 const std::vector<ExploreStep>& steps, ReplayWatcher& watcher) {
  Replay world(options, make, watcher);
  for (const ExploreStep& step : steps) world.play(step);
  return world.end();
}

}  // namespace bully
