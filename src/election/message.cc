#include "election/message.h"

#include <array>
#include <charconv>

namespace bully {

namespace {

constexpr std::array<std::string_view, message_type_count> wire_names = {"1", "S",  "E", "PE", "C",
                                                                         "V", "V2", "L", "J"};
constexpr std::array<std::string_view, message_type_count> names = {
    "ping", "status", "election", "answer", "coordinator", "value", "second", "leader", "join"};

// Takes the text up to the next ';' off the front of `rest`.
std::string_view next_field(std::string_view& rest) {
  const std::size_t end = rest.find(';');
  const std::string_view field = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return field;
}

}  // namespace

std::string_view wire_name(MessageType type) {
  return wire_names.at(static_cast<std::size_t>(type));
}

std::string_view message_name(MessageType type) {
  return names.at(static_cast<std::size_t>(type));
}

std::optional<MessageType> message_type(std::string_view name) {
  for (std::size_t i = 0; i < wire_names.size(); ++i) {
    if (wire_names[i] == name) return static_cast<MessageType>(i);
  }
  return std::nullopt;
}

std::optional<NodeId> parse_id(std::string_view text) {
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  NodeId id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return id;
}

std::string encode(const Message& message) {
  std::string bytes(wire_name(message.type));
  bytes += ';';
  bytes += std::to_string(message.from);
  // A field that is missing before one that is not stays empty.
  std::size_t separators = 0;
  for (const auto& field : {message.number, message.subject, message.epoch}) {
    ++separators;
    if (!field) continue;
    bytes.append(separators, ';');
    bytes += std::to_string(*field);
    separators = 0;
  }
  return bytes;
}

std::optional<Message> decode(std::string_view bytes) {
  if (bytes.size() > max_message_bytes) return std::nullopt;
  const std::optional<MessageType> type = message_type(next_field(bytes));
  if (!type) return std::nullopt;
  const std::optional<NodeId> from = parse_id(next_field(bytes));
  if (!from) return std::nullopt;
  Message message{.type = *type, .from = *from};
  message.number = parse_id(next_field(bytes));
  message.subject = parse_id(next_field(bytes));
  message.epoch = parse_id(next_field(bytes));
  return message;
}

std::string encode(const PingReply& reply) {
  std::string bytes(wire_name(MessageType::ping));
  bytes += ';';
  bytes += std::to_string(reply.id);
  if (reply.coordinator) {
    bytes += ';';
    bytes += std::to_string(*reply.coordinator);
  }
  return bytes;
}

std::optional<PingReply> decode_ping_reply(std::string_view bytes) {
  if (next_field(bytes) != wire_name(MessageType::ping)) return std::nullopt;
  const std::optional<NodeId> id = parse_id(next_field(bytes));
  if (!id) return std::nullopt;
  return PingReply{.id = *id, .coordinator = parse_id(next_field(bytes))};
}

}  // namespace bully
