// message.h: a message from one process to another, and its bytes on the wire.
//
// A message is `TYPE;FROM[;NUMBER[;FIELD]…]` in ASCII, with up to four fields, without a newline,
// alone on its connection. A list of ids, `ID,ID,…`, may follow as one more field. The message's
// kind gives the fields their meaning, beside its algorithm's rules (bully.h, ring_member.h). The
// Python example [PyBully] knows TYPE and FROM, and ignores the rest.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/problem.h"

namespace bully {

struct Json;

// A process's identity: its PID, or the number it was started with, from 0 to `highest_id`, which
// an `int` of any language holds. Compare ids as numbers, never as text. Text is compared digit by
// digit, so "999" would beat "1000" for its first 9, and the wrong process would win the election.
using NodeId = std::uint64_t;
inline constexpr NodeId highest_id = 2'147'483'647;

// The id that a text is: decimal digits, without a sign or leading zeros, at most `highest_id`; or
// nothing. The same for a value of JSON. Command line, scripts, wire, traces, the names of sockets
// and the answers of outside rules all follow this rule; other numbers: parse_number() (text.h).
std::optional<NodeId> parse_id(std::string_view text);
std::optional<NodeId> parse_id(const Json& value);
// That a text is no id: of this key, wherever it was read.
inline constexpr std::string_view no_id_key = "not_an_id";
Problem not_an_id(std::string_view text);

struct Field {
  enum class Meaning : std::uint8_t {
    id,      // a process
    number,  // a number of something else
    tally,   // a number that goes on from the sender's count so far
    flag,    // present or not; on the wire: 1
    sender,  // present or not; on the wire: the sender's own id, in the place of an `id`
    ids,     // a list of processes
  };
  std::string_view key;
  Meaning meaning = Meaning::id;
  std::size_t place = 0;  // on the wire, counted from the first one after NUMBER
  bool is_shown = false;  // beside the message's name, as in "VALUE 4"
};

// A message's purpose, the same for every algorithm: pictures and checks go by it.
enum class Role : std::uint8_t {
  none,       // no part of an election, such as a ping
  asks,       // asks the receiver to take over
  answers,    // replies at once to a message that asks
  announces,  // announces that its sender has won
  claims,     // carries a claim from one process to the next
  passes_on,  // carries another's claim
  spreads,    // carries the winner's name from one process to the next
  joins,      // asks for an election in which its sender takes part
};

inline constexpr std::size_t max_fields = 4;

// A message's kind: its code on the wire, the key of its name, its role and its fields.
struct MessageKind {
  std::string_view code;
  std::string_view name;
  Role role = Role::asks;
  std::array<const Field*, max_fields> fields = {};
  const Field* list = nullptr;  // behind all others
};

namespace fields {
// The number of the message's election, if elections have numbers.
inline constexpr Field epoch{"epoch", Field::Meaning::tally, 1};
}  // namespace fields

namespace messages {
// Is the receiver there? Its reply: ping_reply.h.
inline constexpr MessageKind ping{"1", "ping", Role::none};
}  // namespace messages

// A kind, by identity: two types are equal only if they are the same kind object.
class MessageType {
 public:
  constexpr MessageType() = default;
  constexpr MessageType(const MessageKind& kind) : kind_(&kind) {}  // NOLINT(*-explicit-*)

  constexpr const MessageKind* operator->() const { return kind_; }
  constexpr bool operator==(const MessageType&) const = default;
  constexpr auto operator<=>(const MessageType& other) const { return kind_->code <=> other->code; }
  bool is_of_election() const { return kind_->role != Role::none; }

 private:
  const MessageKind* kind_ = &messages::ping;
};

// Each kind of message that this program's elections know, once: ping, and the algorithms'
// (algorithm.h).
std::span<const MessageType> known_messages();
// The kind's index in known_messages(), for tables and packed forms.
std::size_t index_of(MessageType type);
std::optional<MessageType> message_type(std::string_view code);

// A count for each type of message, by code; 0 if absent. Few types are counted millions of times,
// so a search from the front is the fastest.
struct MessageCounts : std::vector<std::pair<MessageType, std::uint64_t>> {
  MessageCounts() = default;
  MessageCounts(std::initializer_list<value_type> counts) {
    for (const auto& [type, count] : counts) (*this)[type] = count;
  }

  std::uint64_t& operator[](MessageType type) {
    for (auto& [known, count] : *this) {
      if (known == type) return count;
    }
    return first(type);
  }
  std::uint64_t of(MessageType type) const;
  bool operator==(const MessageCounts& other) const;

 private:
  std::uint64_t& first(MessageType type);  // adds a type that is absent
};

// The values of a message's fields, in the order of its kind.
class FieldValues {
 public:
  using Value = std::optional<std::uint64_t>;
  using Places = std::array<Value, max_fields>;  // in the order of the wire
  using List = std::vector<NodeId>;

  // REQUIRES for set: `type` has this field.
  Value get(MessageType type, const Field& field) const;
  void set(MessageType type, const Field& field, std::uint64_t value);
  // Converts to and from the wire, for a message from `from`. Missing or unreadable fields are left
  // out, and so is a number that should be an id, and is too large.
  Places to_wire(MessageType type, NodeId from) const;
  static FieldValues from_wire(MessageType type, NodeId from, std::span<const Value> places);
  // The value of the field that appears beside the message's name.
  Value shown(MessageType type) const;

  Value operator[](std::size_t i) const { return values_.at(i); }
  void put(std::size_t i, Value value) { values_.at(i) = value; }
  // An empty list equals no list.
  const List& list() const;
  void set_list(List ids);
  bool operator==(const FieldValues&) const;
  std::strong_ordering operator<=>(const FieldValues&) const;

 private:
  std::array<Value, max_fields> values_ = {};
  std::shared_ptr<const List> list_;  // shared by all copies
};

struct Message {
  MessageType type = messages::ping;
  NodeId from = 0;
  // The sender's count of messages, so that a trace can pair a receipt with its sending. The
  // participant sets it, never the protocol; the example's messages have none.
  std::optional<std::uint64_t> number = std::nullopt;
  FieldValues values = {};

  std::optional<std::uint64_t> get(const Field& field) const { return values.get(type, field); }
  bool has(const Field& field) const { return get(field).has_value(); }
  const FieldValues::List& list() const { return values.list(); }
  Message& set(const Field& field, std::uint64_t value = 1) {
    values.set(type, field, value);
    return *this;
  }
  // The largest number in it that goes on from a count: of an election, or of a call. Otherwise 0.
  std::uint64_t latest_number() const;
  bool operator==(const Message&) const = default;
};

// The longest message; a longer one is never sent, and refused unread. Only a message with a list
// may be longer: its limit has room for a thousand ids of seven digits, eight times over.
inline constexpr std::size_t max_message_bytes = 255;
inline constexpr std::size_t max_list_message_bytes = 65535;
// The limit for a message that begins with these bytes.
std::size_t longest_message(std::string_view beginning);
bool is_too_long(const Message& message);

std::string encode(const Message& message);

// Decodes `bytes`; nothing if TYPE or FROM is invalid. A missing or unreadable field is left out;
// fields beyond the kind's are ignored.
std::optional<Message> decode(std::string_view bytes);
// The same for a message of this type, which need not be among known_messages(), and no other.
std::optional<Message> decode(std::string_view bytes, MessageType type);

}  // namespace bully
