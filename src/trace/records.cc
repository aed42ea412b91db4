#include "trace/records.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace bully {

namespace {

constexpr unsigned half = 32;

}  // namespace

std::int64_t Records::t_ns_of(const Packed& packed) {
  return static_cast<std::int64_t>(std::uint64_t{packed.t_ns[0]} << half | packed.t_ns[1]);
}

Records::Number Records::pack(std::optional<std::uint64_t> value) {
  if (!value) return none;
  if (*value < is_far) return static_cast<Number>(*value);
  // Large numbers come in rows: the epoch of an election, say.
  if (far_.empty() || far_.back() != *value) far_.push_back(*value);
  if (far_.size() >= none - is_far) throw std::length_error("too many large numbers in a trace");
  return is_far | static_cast<Number>(far_.size() - 1);
}

std::optional<std::uint64_t> Records::value_of(Number number) const {
  if (number == none) return std::nullopt;
  return number < is_far ? number : far_[number - is_far];
}

std::uint8_t Records::index_of(std::string_view word) {
  const auto found = std::find(words_.begin(), words_.end(), word);
  const auto index = static_cast<std::size_t>(found - words_.begin());
  if (index > std::numeric_limits<std::uint8_t>::max()) throw std::length_error("too many words");
  if (found == words_.end()) words_.push_back(word);
  return static_cast<std::uint8_t>(index);
}

void Records::add(const Record& record, std::uint32_t line) {
  const auto t_ns = static_cast<std::uint64_t>(record.t_ns);
  const auto& [first, second, third] = record.variables;
  Packed packed{
      .t_ns = {static_cast<std::uint32_t>(t_ns >> half), static_cast<std::uint32_t>(t_ns)},
      .line = line,
      .node = pack(record.node),
      .pid = pack(static_cast<std::uint64_t>(record.pid)),
      .numbers = {none, none, none, none, none},
      .event = static_cast<std::uint8_t>(record.event),
      .type = static_cast<std::uint8_t>(record.type),
      .words = {index_of(record.reason), 0, 0, 0}};
  switch (record.event) {
    case TraceEvent::send:
    case TraceEvent::receive:
    case TraceEvent::lost:
      packed.numbers = {pack(record.from), pack(record.to), pack(record.number),
                        pack(record.subject), pack(record.epoch)};
      break;
    case TraceEvent::state:
      packed.words = {index_of(record.state), index_of(first.name), index_of(second.name),
                      index_of(third.name)};
      packed.numbers = {pack(first.value), pack(second.value), pack(third.value), none, none};
      break;
    case TraceEvent::suspect:
    case TraceEvent::coordinator:
      packed.numbers[0] = pack(record.coordinator);
      break;
    case TraceEvent::timeout:
      packed.words[0] = index_of(record.timer);
      break;
    case TraceEvent::start:
      packed.words[0] = index_of(record.algorithm);
      break;
    case TraceEvent::drop:
    case TraceEvent::stop:
    case TraceEvent::crash:
      break;
  }
  packed_.push_back(packed);
}

void Records::push_back(const Record& record) {
  add(record, packed_.empty() ? 1 : packed_.back().line + 1);
}

Record Records::operator[](std::size_t i) const {
  const Packed& packed = packed_[i];
  const auto number = [&](std::size_t k) { return value_of(packed.numbers[k]); };
  const std::string_view word = words_[packed.words[0]];
  Record record;
  record.t_ns = t_ns_of(packed);
  record.node = value_of(packed.node).value_or(0);
  record.pid = static_cast<std::int64_t>(value_of(packed.pid).value_or(0));
  record.event = static_cast<TraceEvent>(packed.event);
  record.type = static_cast<MessageType>(packed.type);
  switch (record.event) {
    case TraceEvent::send:
    case TraceEvent::receive:
    case TraceEvent::lost:
      record.from = number(0).value_or(0);
      record.to = number(1).value_or(0);
      record.number = number(2);
      record.subject = number(3);
      record.epoch = number(4);
      record.reason = word;
      break;
    case TraceEvent::state:
      record.state = word;
      for (std::size_t k = 0; k < record.variables.size(); ++k) {
        record.variables[k] = {words_[packed.words[k + 1]], number(k)};
      }
      break;
    case TraceEvent::suspect:
    case TraceEvent::coordinator:
      record.coordinator = number(0);
      record.reason = word;
      break;
    case TraceEvent::timeout:
      record.timer = word;
      break;
    case TraceEvent::start:
      record.algorithm = word;
      break;
    case TraceEvent::drop:
      record.reason = word;
      break;
    case TraceEvent::stop:
    case TraceEvent::crash:
      break;
  }
  return record;
}

void Records::sort_by_time() {
  const auto earlier = [](const Packed& a, const Packed& b) {
    const std::int64_t a_ns = t_ns_of(a);
    const std::int64_t b_ns = t_ns_of(b);
    return a_ns != b_ns ? a_ns < b_ns : a.line < b.line;
  };
  if (!std::is_sorted(packed_.begin(), packed_.end(), earlier)) {
    std::sort(packed_.begin(), packed_.end(), earlier);
  }
}

}  // namespace bully
