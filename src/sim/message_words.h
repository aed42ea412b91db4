// message_words.h: how scripts name messages: as on the wire, or in full.
//
// Words for people are in ../view; these are of the scenario language, and the same in all tongues.
// Read next: scenario.h.
#pragma once

#include <array>
#include <map>
#include <string_view>

#include "election/algorithm.h"

namespace bully {

// "ELECTION", "VALUE", …: what the textbook calls it.
inline std::string_view message_word(MessageType type) {
  constexpr std::array<std::string_view, message_type_count> words = {
      "PING", "STATUS", "ELECTION", "ANSWER", "COORDINATOR", "VALUE", "SECOND", "LEADER", "JOIN"};
  return words.at(static_cast<std::size_t>(type));
}

// Both names of each of the algorithm's own messages.
inline std::map<std::string_view, MessageType> message_words(const Algorithm& algorithm) {
  std::map<std::string_view, MessageType> words;
  for (const MessageType type : algorithm.messages) {
    words.emplace(wire_name(type), type);
    words.emplace(message_word(type), type);
  }
  return words;
}

}  // namespace bully
