// script.h: a protocol under test and the world around it, made of plain lists.
#pragma once

#include <initializer_list>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "election/bully.h"

namespace bully::test {

class FixedPeers : public Peers {
 public:
  FixedPeers(std::initializer_list<NodeId> ids) : ids_(ids) {}
  std::span<const NodeId> ids() const override { return ids_; }

 private:
  std::vector<NodeId> ids_;
};

// One process of a cluster, and what it did about the last event.
class Process {
 public:
  Process(NodeId id, std::initializer_list<NodeId> cluster) : protocol_(id), peers_(cluster) {}

  // Hands over an event; returns what the process did, in words: "E>5", "PE>4", "C>1", "start
  // answer", "follow 7", "follow nobody". Stopping a timer is left out unless a rule is about it.
  std::string on(const Event& event) {
    actions.clear();
    protocol_.handle(event, peers_, actions);
    std::string did;
    for (const Action& action : actions) {
      const std::string words = std::visit([](const auto& a) { return said(a); }, action);
      if (!words.empty()) did += (did.empty() ? "" : ", ") + words;
    }
    return did;
  }
  std::string start() { return on(Started{}); }
  std::string receive(MessageType type, NodeId from, std::optional<NodeId> lost = std::nullopt) {
    return on(Received{Message{.type = type, .from = from, .subject = lost}});
  }
  std::string election_from(NodeId from, std::optional<NodeId> lost = std::nullopt) {
    return receive(MessageType::election, from, lost);
  }
  std::string answer_from(NodeId from) { return receive(MessageType::answer, from); }
  std::string coordinator_from(NodeId from) { return receive(MessageType::coordinator, from); }
  std::string gone(NodeId peer) { return on(PeerGone{peer}); }
  std::string expire(Timer timer) { return on(Expired{timer}); }
  std::string suspect(NodeId who, Suspicion reason = Suspicion::down) {
    return on(Suspected{who, reason});
  }

  std::string state() const { return std::string(protocol_.state_name()); }
  std::optional<NodeId> coordinator() const { return protocol_.coordinator(); }
  Bully& protocol() { return protocol_; }

  Actions actions;

 private:
  static std::string said(const Send& send) {
    return std::string(wire_name(send.message.type)) + ">" + std::to_string(send.to);
  }
  static std::string said(const StartTimer& start) {
    return "start " + std::string(timer_name(start.timer));
  }
  static std::string said(const StopTimer&) { return ""; }
  static std::string said(const Follow& follow) {
    return "follow " + (follow.coordinator ? std::to_string(*follow.coordinator) : "nobody");
  }

  Bully protocol_;
  FixedPeers peers_;
};

}  // namespace bully::test
