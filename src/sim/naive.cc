#include "sim/naive.h"

namespace bully {

void Naive::handle(const Event& event, const Peers& peers, Actions& actions) {
  if (std::holds_alternative<Started>(event)) hold_election(peers, actions);
  if (const auto* founded = std::get_if<Founded>(&event)) coordinator_ = founded->coordinator;
  if (const auto* suspected = std::get_if<Suspected>(&event)) {
    if (coordinator_ == suspected->peer) hold_election(peers, actions);
  }
  if (const auto* received = std::get_if<Received>(&event)) {
    on_message(received->message, peers, actions);
  }
  const bool waits = !coordinator_;
  if (std::holds_alternative<PeerGone>(event) && waits && unanswered_ > 0) {
    if (--unanswered_ == 0 && !answered_) become_coordinator(peers, actions);
  }
  if (const auto* expired = std::get_if<Expired>(&event); expired != nullptr && waits) {
    if (expired->timer == Timer::answer) become_coordinator(peers, actions);
    if (expired->timer == Timer::coordinator) hold_election(peers, actions);
  }
}

void Naive::on_message(const Message& message, const Peers& peers, Actions& actions) {
  if (message.type == MessageType::election && message.from < self_) {
    actions.emplace_back(Send{message.from, Message{.type = MessageType::answer, .from = self_}});
    hold_election(peers, actions);  // here [Tan95] says: unless it is already holding one
  }
  if (message.type == MessageType::answer && !coordinator_ && !answered_) {
    answered_ = true;
    actions.emplace_back(StopTimer{Timer::answer});
    actions.emplace_back(StartTimer{Timer::coordinator, 0});
  }
  if (message.type == MessageType::coordinator && message.from > self_) {
    coordinator_ = message.from;
    actions.emplace_back(StopTimer{Timer::answer});
    actions.emplace_back(StopTimer{Timer::coordinator});
    actions.emplace_back(Follow{coordinator_});
  }
}

void Naive::hold_election(const Peers& peers, Actions& actions) {
  const auto higher = higher_than(self_, peers.ids());
  if (higher.empty()) {
    become_coordinator(peers, actions);
    return;
  }
  coordinator_.reset();
  answered_ = false;
  unanswered_ = higher.size();
  actions.emplace_back(StopTimer{Timer::coordinator});
  actions.emplace_back(StartTimer{Timer::answer, 0});
  for (const NodeId peer : higher) {
    actions.emplace_back(Send{peer, Message{.type = MessageType::election, .from = self_}});
  }
}

void Naive::become_coordinator(const Peers& peers, Actions& actions) {
  coordinator_ = self_;
  actions.emplace_back(StopTimer{Timer::answer});
  actions.emplace_back(StopTimer{Timer::coordinator});
  actions.emplace_back(Follow{self_});
  for (const NodeId peer : lower_than(self_, peers.ids())) {
    actions.emplace_back(Send{peer, Message{.type = MessageType::coordinator, .from = self_}});
  }
}

std::string_view Naive::state_name() const {
  if (coordinator_ == self_) return "coordinator";
  if (coordinator_) return "follower";
  return answered_ ? "waiting" : "candidate";
}

void Naive::save(std::vector<std::uint64_t>& words) const {
  words.assign({coordinator_.has_value(), coordinator_.value_or(0), unanswered_, answered_});
}

void Naive::load(std::span<const std::uint64_t> words) {
  coordinator_ = words[0] != 0 ? std::optional<NodeId>(words[1]) : std::nullopt;
  unanswered_ = words[2];
  answered_ = words[3] != 0;
}

}  // namespace bully
