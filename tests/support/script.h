// script.h: a protocol under test and the world around it, made of plain lists.
#pragma once

#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "election/bully.h"
#include "election/hirschberg_sinclair.h"
#include "support/messages.h"

namespace bully::test {

class FixedPeers : public Peers {
 public:
  FixedPeers(std::initializer_list<NodeId> ids) : ids_(ids) {}
  std::span<const NodeId> ids() const override { return ids_; }

 private:
  std::vector<NodeId> ids_;
};

// One process of a cluster, and what it did about the last event.
template <class Kind>
class ProcessOf {
 public:
  ProcessOf(NodeId id, std::initializer_list<NodeId> cluster) : protocol_(id), peers_(cluster) {}

  // Hands over an event; returns what the process did, in words: "E>5", "VALUE 4>2", "start
  // answer", "follow 7", "follow nobody". Stopping a timer is left out: see running.
  std::string on(const Event& event) {
    actions.clear();
    if (const auto* expired = std::get_if<Expired>(&event)) running.erase(expired->timer);
    protocol_.handle(event, peers_, actions);
    std::string did;
    for (const Action& action : actions) {
      const std::string words = std::visit([&](const auto& a) { return said(a); }, action);
      if (!words.empty()) did += (did.empty() ? "" : ", ") + words;
    }
    if (names_rules && !fired().empty()) did += (did.empty() ? "[" : " [") + fired() + ']';
    return did;
  }
  std::string start() { return on(Started{}); }
  std::string gone(NodeId peer) { return on(PeerGone{peer}); }
  std::string expire(Timer timer) { return on(Expired{timer}); }
  std::string suspect(NodeId who, Suspicion reason = Suspicion::down) {
    return on(Suspected{who, reason});
  }

  // Its messages alone: "V 4>2", or "HP 3:1<2" for one process anticlockwise.
  std::string sent() const {
    std::string all;
    for (const Action& action : actions) {
      const auto* send = std::get_if<Send>(&action);
      if (send != nullptr) all += (all.empty() ? "" : " ") + said(*send);
    }
    return all;
  }

  // The keys of the rules that it acted by: "answer take-over ask".
  std::string fired() const {
    std::string keys;
    for (const Action& action : actions) {
      const auto* fired = std::get_if<Fired>(&action);
      if (fired != nullptr) keys.append(keys.empty() ? "" : " ").append(fired->rule->key);
    }
    return keys;
  }
  // The same, added to those of other processes.
  void add_fired(std::set<std::string_view>& keys) const {
    for (const Action& action : actions) {
      if (const auto* fired = std::get_if<Fired>(&action)) keys.insert(fired->rule->key);
    }
  }

  std::string state() const { return std::string(protocol_.state_name()); }
  std::optional<NodeId> coordinator() const { return protocol_.coordinator(); }
  Kind& protocol() { return protocol_; }
  std::vector<std::uint64_t> saved() const {
    std::vector<std::uint64_t> words;
    protocol_.save(words);
    return words;
  }
  // The same process, of which only what it saves is known.
  ProcessOf loaded() const {
    ProcessOf twin = *this;
    twin.protocol_ = Kind(protocol_.id());
    twin.protocol_.load(saved());
    return twin;
  }

  Actions actions;
  std::set<Timer> running;   // its timers
  bool names_rules = false;  // behind what it did, those by which it did so: "E>5 [ask]"

 private:
  static std::string said(const Send& send) {
    const Message& message = send.message;
    const auto number = message.values.shown(message.type);
    std::string words(message.type->code);
    if (number) words += ' ' + std::to_string(*number);
    if (message.type == messages::probe) words += ':' + std::to_string(*message.get(fields::left));
    return words + (message.has(fields::anticlockwise) ? '<' : '>') + std::to_string(send.to);
  }
  std::string said(const StartTimer& start) {
    running.insert(start.timer);
    return "start " + std::string(timer_name(start.timer));
  }
  std::string said(const StopTimer& stop) {
    running.erase(stop.timer);
    return "";
  }
  static std::string said(const Fired&) { return ""; }
  std::string said(const Changed&) const {
    // A process that waits has said before that it follows nobody.
    if (state() == "waiting") return "";
    return "follow " + (coordinator() ? std::to_string(*coordinator()) : "nobody");
  }

  Kind protocol_;
  FixedPeers peers_;
};

// What a process that runs the bully election may hear.
inline Event election(NodeId from, std::optional<NodeId> lost = std::nullopt) {
  return Received{wire_message(messages::election, from, {}, lost)};
}
inline Event answer(NodeId from) {
  return Received{wire_message(messages::answer, from)};
}
inline Event coordinator(NodeId from) {
  return Received{wire_message(messages::coordinator, from)};
}

// One that runs it.
class Process : public ProcessOf<Bully> {
 public:
  using ProcessOf::ProcessOf;

  std::string election_from(NodeId from, std::optional<NodeId> lost = std::nullopt) {
    return on(election(from, lost));
  }
  std::string answer_from(NodeId from) { return on(answer(from)); }
  std::string coordinator_from(NodeId from) { return on(test::coordinator(from)); }
};

inline std::set<std::string_view> keys_of(std::span<const Rule* const> rules) {
  std::set<std::string_view> keys;
  for (const Rule* rule : rules) keys.insert(rule->key);
  return keys;
}

}  // namespace bully::test
