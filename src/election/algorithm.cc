#include "election/algorithm.h"

#include <algorithm>
#include <array>

#include "election/bully.h"
#include "election/chang_roberts.h"
#include "election/ring.h"

namespace bully {

namespace {

template <typename Kind>
std::unique_ptr<Protocol> make(NodeId self) {
  return std::make_unique<Kind>(self);
}

// On a ring everyone takes part, whoever noticed, and a lost coordinator is passed over.
template <MessageCounts (*messages)(std::span<const NodeId>)>
MessageCounts count_on_ring(const CountedElection& election) {
  return messages(election.processes);
}

constexpr std::array bully_messages = {MessageType::election, MessageType::answer,
                                       MessageType::coordinator};
constexpr std::array ring_messages_of = {MessageType::value, MessageType::second,
                                         MessageType::leader, MessageType::join};
constexpr std::array chang_roberts_messages_of = {MessageType::value, MessageType::leader,
                                                  MessageType::join};

const std::array table = {
    Algorithm{"bully", make<Bully>, false, bully_messages, bully_count, bully_bound, nullptr,
              Bully::forget_idle_words, Bully::state_names, bully_delivered},
    Algorithm{"ring", make<Ring>, true, ring_messages_of, count_on_ring<ring_messages>, ring_bound,
              arrange_ring_worst, nullptr, Ring::state_names},
    Algorithm{"chang-roberts", make<ChangRoberts>, true, chang_roberts_messages_of,
              count_on_ring<chang_roberts_messages>, chang_roberts_bound,
              arrange_chang_roberts_worst, nullptr, ChangRoberts::state_names},
};

}  // namespace

bool Algorithm::speaks(MessageType type) const {
  return std::find(messages.begin(), messages.end(), type) != messages.end();
}

std::span<const Algorithm> algorithms() {
  return table;
}

const Algorithm* find_algorithm(std::string_view name) {
  for (const Algorithm& algorithm : table) {
    if (algorithm.name == name) return &algorithm;
  }
  return nullptr;
}

const Algorithm& default_algorithm() {
  return table.front();
}

std::uint64_t election_total(const MessageCounts& counts) {
  std::uint64_t all = 0;
  for (std::size_t type = 0; type < counts.size(); ++type) {
    const auto message_type = static_cast<MessageType>(type);
    if (message_type == MessageType::ping || message_type == MessageType::status) continue;
    all += counts[type];
  }
  return all;
}

}  // namespace bully
