// message.h: what one process says to another, and its bytes on the wire.
//
// A message is `TYPE;FROM[;NUMBER[;SUBJECT[;EPOCH]]]` in ASCII, without a newline, alone on its
// connection. The first two fields are all that the Python example knows [PyBully]; it ignores
// the others, and so its messages are complete without them. Those of a ring need all five.
//
// This unit never sends or receives anything: it is text in, value out, and back.
// Read next: protocol.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bully {

// A process's identity: its PID, or the number it was started with. Compared as a number: as text
// "999" would beat "1000", and the wrong process would be elected.
using NodeId = std::uint64_t;

enum class MessageType : std::uint8_t {
  ping,         // "1": its sender's monitor asks whether the receiver is there
  status,       // "S": its sender wants the receiver's status (`bully ps`)
  election,     // "E": ELECTION [Tan95], eleição
  answer,       // "PE": ANSWER [CDK], OK in [Tan95]; parar eleição, "stop your election"
  coordinator,  // "C": COORDINATOR [Tan95], coordenador
  // On a ring, to the clockwise neighbour:
  value,   // "V": VALUE, the number for which an active process is responsible [DKR82]
  second,  // "V2": SECOND, that number passed on: of the second nearest active neighbour [DKR82]
  leader,  // "L": LEADER, the announcing lap
  join,    // "J": JOIN: its sender does not take part yet; hold an election with it
};
inline constexpr std::size_t message_type_count = 9;

// How many messages, by MessageType.
using MessageCounts = std::array<std::uint64_t, message_type_count>;
inline std::uint64_t& count_of(MessageCounts& counts, MessageType type) {
  return counts[static_cast<std::size_t>(type)];
}
inline std::uint64_t count_of(const MessageCounts& counts, MessageType type) {
  return counts[static_cast<std::size_t>(type)];
}

// The TYPE field of a message: "1", "S", "E", "PE", "C", "V", "V2", "L" or "J".
std::string_view wire_name(MessageType type);
// Its name in English and lower case, for files that programs read: "election", "second".
std::string_view message_name(MessageType type);
// The type that a TYPE field names, if it names one.
std::optional<MessageType> message_type(std::string_view wire_name);

struct Message {
  MessageType type = MessageType::ping;
  NodeId from = 0;
  // The sender's count of messages, so that a trace can pair a receipt with its sending. Set by the
  // world that carries the message, not by the protocol; the example's messages have none.
  std::optional<std::uint64_t> number = std::nullopt;
  // ELECTION: the coordinator whose loss its sender noticed, if that is why it holds the election;
  // its sender itself, if nobody was lost and it has only been away.
  // VALUE and SECOND: the number. LEADER: the leader. Ping: see `hold_open`.
  std::optional<std::uint64_t> subject = std::nullopt;
  // On a ring: the election that it belongs to. JOIN: the latest one that its sender knows of.
  std::optional<std::uint64_t> epoch = std::nullopt;

  bool operator==(const Message&) const = default;
};

// The subject of a ping whose sender wants the connection to stay open after the reply, so that the
// kernel tells it of the receiver's death (`--detector=eof`).
inline constexpr std::uint64_t hold_open = 1;

// No message is longer. A longer one is refused unread.
inline constexpr std::size_t max_message_bytes = 255;

// A node's id as text: decimal digits, no sign, no leading zero, at most 64 bits; else nothing.
// The names of sockets and the FROM field are read by this same rule.
std::optional<NodeId> parse_id(std::string_view text);

// The message's bytes, at most `max_message_bytes`.
std::string encode(const Message& message);

// The message that `bytes` is, or nothing where TYPE or FROM is not one. Further fields that are
// missing or cannot be read are ignored, as are fields after them.
std::optional<Message> decode(std::string_view bytes);

// What a pinged node of ours replies before it closes: `1;ID` or `1;ID;COORDINATOR`.
struct PingReply {
  NodeId id = 0;
  std::optional<NodeId> coordinator = std::nullopt;  // nothing while it holds an election

  bool operator==(const PingReply&) const = default;
};
std::string encode(const PingReply& reply);
std::optional<PingReply> decode_ping_reply(std::string_view bytes);

}  // namespace bully
