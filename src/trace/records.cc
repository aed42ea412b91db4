// records.cc: packing and unpacking the records of a run.
#include <algorithm>
#include <limits>
#include <stdexcept>

#include "trace/trace.h"

namespace bully {

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
  const auto found = std::ranges::find(words_, word);
  const auto index = static_cast<std::size_t>(found - words_.begin());
  if (index > std::numeric_limits<std::uint8_t>::max()) throw std::length_error("too many words");
  if (found == words_.end()) words_.push_back(word);
  return static_cast<std::uint8_t>(index);
}

void Records::add(const Record& record, std::uint32_t line) {
  const EventFields& fields = fields_of(record.event);
  const auto word = fields.word == nullptr ? std::string_view() : record.*fields.word;
  Packed packed{.t_ns = record.t_ns,
                .line = line,
                .node = pack(record.node),
                .pid = pack(static_cast<std::uint64_t>(record.pid)),
                .numbers = {},
                .event = static_cast<std::uint8_t>(record.event),
                .observed = record.observed,
                .said = record.said,
                .type = static_cast<std::uint8_t>(bully::index_of(record.type)),
                .words = {index_of(word)}};
  packed.numbers.fill(none);
  auto number = packed.numbers.begin();
  if (is_about_message(record)) {
    for (const auto value : {std::optional(record.from), std::optional(record.to), record.number}) {
      *number++ = pack(value);
    }
    for (std::size_t k = 0; k < max_fields; ++k) *number++ = pack(record.values[k]);
    if (!record.values.list().empty()) {
      with_list_.emplace(line, record.values);
      list_bytes_ += record.values.list().size() * sizeof(NodeId) + 2 * sizeof record.values;
    }
  } else if (fields.has_coordinator) {
    *number = pack(record.coordinator);
  } else if (record.event == TraceEvent::start) {
    packed.words.at(1) = index_of(record.waits.detector);
    for (const WaitsField& field : waits_fields) {
      *number++ = pack(static_cast<std::uint64_t>(record.waits.*field.value));
    }
  } else {
    for (std::size_t k = 0; k < record.variables.size(); ++k) {
      packed.words.at(k + 1) = index_of(record.variables[k].name);
      *number++ = pack(record.variables[k].value);
    }
    if (record.group) {
      *number++ = pack(record.group->creator);
      *number = pack(record.group->count);
    }
  }
  packed_.push_back(packed);
}

Record Records::operator[](std::size_t i) const {
  const Packed& packed = packed_[i];
  const auto number = [&](std::size_t k) { return value_of(packed.numbers[k]); };
  Record record;
  record.t_ns = packed.t_ns;
  record.node = value_of(packed.node).value_or(0);
  record.pid = static_cast<std::int64_t>(value_of(packed.pid).value_or(0));
  record.event = static_cast<TraceEvent>(packed.event);
  record.type = known_messages()[packed.type];
  const EventFields& fields = fields_of(record.event);
  if (fields.word != nullptr) record.*fields.word = words_[packed.words[0]];
  record.observed = packed.observed;
  record.said = packed.said;
  if (is_about_message(record)) {
    record.from = number(0).value_or(0);
    record.to = number(1).value_or(0);
    record.number = number(2);
    for (std::size_t k = 0; k < max_fields; ++k) record.values.put(k, number(3 + k));
    if (record.type->list != nullptr) {
      const auto found = with_list_.find(packed.line);
      if (found != with_list_.end()) record.values = found->second;
    }
  } else if (fields.has_coordinator) {
    record.coordinator = number(0);
  } else if (record.event == TraceEvent::start) {
    record.waits.detector = words_[packed.words[1]];
    for (std::size_t k = 0; k < waits_fields.size(); ++k) {
      record.waits.*waits_fields[k].value = static_cast<std::int64_t>(number(k).value_or(0));
    }
  } else {
    for (std::size_t k = 0; k < record.variables.size(); ++k) {
      record.variables[k] = {words_[packed.words[k + 1]], number(k)};
    }
    const std::size_t group = record.variables.size();
    if (number(group)) record.group = {*number(group), number(group + 1).value_or(0)};
  }
  return record;
}

void Records::sort_by_time() {
  const auto place = [](const Packed& packed) { return std::pair(packed.t_ns, packed.line); };
  if (!std::ranges::is_sorted(packed_, {}, place)) std::ranges::sort(packed_, {}, place);
}

}  // namespace bully
