// messages.h: messages for tests, built from their fields as they stand on the wire; and peers.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "election/bully.h"
#include "election/dolev_klawe_rodeh.h"
#include "election/record.h"

namespace bully {

using Number = std::optional<std::uint64_t>;

inline Message wire_message(MessageType type, NodeId from, Number number = {}, Number subject = {},
                            Number epoch = {}, Number third = {}, Number fourth = {}) {
  Message message{.type = type, .from = from, .number = number};
  message.values = FieldValues::from_wire(type, from, std::array{subject, epoch, third, fourth});
  return message;
}

// The fourth and the fifth field.
inline Number subject_of(const Message& message) {
  return message.values.to_wire(message.type, message.from)[0];
}
inline Number subject_of(const Record& record) {
  return record.values.to_wire(record.type, record.from)[0];
}
// Gives a message or a record these fields.
template <typename Told>
void set_wire(Told& told, Number subject, Number epoch) {
  told.values = FieldValues::from_wire(told.type, told.from, std::array{subject, epoch});
}

// What is no message: nobody may take it for one.
inline const std::vector<std::string_view> malformed_messages = {
    "",      "E",     "E;",    ";",    ";1",    "1",          "1;",      "S",    "S;x",
    "X;1",   "e;1",   "EE;1",  "2;1",  "E 1",   "E,1",        "E:1",     " E;1", "E ;1",
    "E; 1",  "E;1 ",  "E;1\n", "E;x",  "E;one", "E;-1",       "E;+1",    "E;01", "E;00",
    "E;1.0", "E;1e3", "E;0x1", "E;;1", "C;;1",  "E;\xd9\xa1", "\xff\xfe"};

}  // namespace bully
