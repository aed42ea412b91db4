// message.cc: fields in their places on the wire, and messages as bytes.
#include "election/message.h"

#include <algorithm>

#include "base/json.h"
#include "base/list.h"
#include "base/text.h"

namespace bully {

namespace {

std::string_view next_field(std::string_view& rest, char separator = ';') {
  const std::size_t end = rest.find(separator);
  const std::string_view field = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return field;
}

// The index of this field in a message of this type; past the end if the type has no such field.
std::size_t index_in(MessageType type, const Field& field) {
  return static_cast<std::size_t>(std::ranges::find(type->fields, &field) - type->fields.begin());
}

// True if the sender's own id in this place means something other than that process.
bool may_hold_sender(MessageType type, std::size_t place) {
  return std::ranges::any_of(type->fields, [&](const Field* field) {
    return field != nullptr && field->place == place && field->meaning == Field::Meaning::sender;
  });
}

std::size_t fields_on_wire(MessageType type) {
  return type->list == nullptr ? max_fields : type->list->place;
}

// Nothing if any id cannot be read.
FieldValues::List parse_list(std::string_view text) {
  FieldValues::List ids;
  if (text.ends_with(',')) return {};
  while (!text.empty()) {
    const std::optional<NodeId> id = parse_id(next_field(text, ','));
    if (!id) return {};
    ids.push_back(*id);
  }
  return ids;
}

}  // namespace

std::size_t longest_message(std::string_view beginning) {
  const std::optional<MessageType> type = message_type(beginning.substr(0, beginning.find(';')));
  return type && (*type)->list != nullptr ? max_list_message_bytes : max_message_bytes;
}

// An id takes 11 bytes at most, with its comma.
bool is_too_long(const Message& message) {
  constexpr std::size_t surely_short = (max_list_message_bytes - max_message_bytes) / 11;
  return message.type->list != nullptr && message.list().size() > surely_short &&
         encode(message).size() > max_list_message_bytes;
}

std::size_t index_of(MessageType type) {
  const auto known = known_messages();
  return static_cast<std::size_t>(std::ranges::find(known, type) - known.begin());
}

std::optional<MessageType> message_type(std::string_view code) {
  for (const MessageType type : known_messages()) {
    if (type->code == code) return type;
  }
  return std::nullopt;
}

std::uint64_t& MessageCounts::first(MessageType type) {
  return insert(std::ranges::lower_bound(*this, type, {}, &value_type::first), {type, 0})->second;
}

std::uint64_t MessageCounts::of(MessageType type) const {
  const auto found = std::ranges::find(*this, type, &value_type::first);
  return found == end() ? 0 : found->second;
}

bool MessageCounts::operator==(const MessageCounts& other) const {
  return std::ranges::all_of(known_messages(),
                             [&](MessageType type) { return of(type) == other.of(type); });
}

FieldValues::Value FieldValues::get(MessageType type, const Field& field) const {
  const std::size_t index = index_in(type, field);
  return index < max_fields ? (*this)[index] : std::nullopt;
}

void FieldValues::set(MessageType type, const Field& field, std::uint64_t value) {
  put(index_in(type, field), value);
}

FieldValues::Places FieldValues::to_wire(MessageType type, NodeId from) const {
  Places places = {};
  for (std::size_t i = 0; i < max_fields; ++i) {
    const Field* field = type->fields.at(i);
    const Value value = (*this)[i];
    if (field == nullptr || !value) continue;
    places.at(field->place) = field->meaning == Field::Meaning::sender ? from : value;
  }
  return places;
}

FieldValues FieldValues::from_wire(MessageType type, NodeId from, std::span<const Value> places) {
  FieldValues read;
  for (std::size_t i = 0; i < max_fields; ++i) {
    const Field* field = type->fields.at(i);
    if (field == nullptr || field->place >= places.size()) continue;
    const Value value = places[field->place];
    const bool is_senders = value == from && may_hold_sender(type, field->place);
    using enum Field::Meaning;
    if (field->meaning == id && !is_senders && value <= highest_id) read.put(i, value);
    if (field->meaning == number || field->meaning == tally) read.put(i, value);
    if (field->meaning == flag && value == 1) read.put(i, 1);
    if (field->meaning == sender && is_senders) read.put(i, 1);
  }
  return read;
}

FieldValues::Value FieldValues::shown(MessageType type) const {
  for (std::size_t i = 0; i < max_fields; ++i) {
    const Field* field = type->fields.at(i);
    if (field != nullptr && field->is_shown) return (*this)[i];
  }
  return std::nullopt;
}

const FieldValues::List& FieldValues::list() const {
  static const List none;
  return list_ ? *list_ : none;
}

void FieldValues::set_list(List ids) {
  list_ = ids.empty() ? nullptr : std::make_shared<const List>(std::move(ids));
}

bool FieldValues::operator==(const FieldValues& other) const {
  return std::is_eq(*this <=> other);
}

std::strong_ordering FieldValues::operator<=>(const FieldValues& other) const {
  const auto numbers = values_ <=> other.values_;
  if (std::is_neq(numbers) || list_ == other.list_) return numbers;
  return list() <=> other.list();
}

std::optional<NodeId> parse_id(std::string_view text) {
  const std::optional<std::uint64_t> number = parse_number(text);
  return number <= highest_id ? number : std::nullopt;
}

std::optional<NodeId> parse_id(const Json& value) {
  return value.kind == Json::Kind::number ? parse_id(value.text) : std::nullopt;
}

Problem not_an_id(std::string_view text) {
  return {no_id_key, {std::string(text), std::to_string(highest_id)}};
}

std::uint64_t Message::latest_number() const {
  std::uint64_t latest = 0;
  for (const Field* field : type->fields) {
    const bool counts = field != nullptr && field->meaning == Field::Meaning::tally;
    if (counts) latest = std::max(latest, get(*field).value_or(0));
  }
  return latest;
}

std::string encode(const Message& message) {
  std::string bytes(message.type->code);
  bytes += ';';
  bytes += std::to_string(message.from);
  // A missing field before a present one stays empty.
  std::size_t separators = 0;
  const auto add = [&](std::string_view field) {
    ++separators;
    if (field.empty()) return;
    bytes.append(separators, ';').append(field);
    separators = 0;
  };
  const auto add_number = [&](FieldValues::Value field) {
    add(field ? std::to_string(*field) : std::string());
  };
  add_number(message.number);
  const auto places = message.values.to_wire(message.type, message.from);
  std::ranges::for_each(std::span(places).first(fields_on_wire(message.type)), add_number);
  add(joined(message.list(), ","));
  return bytes;
}

std::optional<Message> decode(std::string_view bytes) {
  const std::optional<MessageType> type = message_type(bytes.substr(0, bytes.find(';')));
  return type ? decode(bytes, *type) : std::nullopt;
}

std::optional<Message> decode(std::string_view bytes, MessageType type) {
  if (bytes.size() > longest_message(bytes) || next_field(bytes) != type->code) {
    return std::nullopt;
  }
  const std::optional<NodeId> from = parse_id(next_field(bytes));
  if (!from) return std::nullopt;
  Message message{.type = type, .from = *from};
  message.number = parse_number(next_field(bytes));
  FieldValues::Places places;
  const std::size_t numbers = fields_on_wire(type);
  for (std::size_t i = 0; i < numbers; ++i) places.at(i) = parse_number(next_field(bytes));
  message.values = FieldValues::from_wire(type, *from, std::span(places).first(numbers));
  if (type->list != nullptr) message.values.set_list(parse_list(next_field(bytes)));
  return message;
}

}  // namespace bully
