// record_store.cc: the packed form of a record: its time, the numbers of its Given and of its form,
// and the other numbers in it, with seven bits in each byte, from the lowest, up to the last that
// is not zero.
#include "trace/record_store.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace bully {

namespace {

void put(std::deque<std::uint8_t>& bytes, std::uint64_t number) {
  for (; number > 0x7F; number >>= 7) bytes.push_back(static_cast<std::uint8_t>(number | 0x80));
  bytes.push_back(static_cast<std::uint8_t>(number));
}

std::uint64_t take(std::deque<std::uint8_t>::const_iterator& at) {
  std::uint64_t number = 0;
  for (unsigned shift = 0;; shift += 7) {
    const std::uint64_t byte = *at++;
    number |= (byte & 0x7F) << shift;
    if (byte <= 0x7F) return number;
  }
}

// Replaces each number of a record but its time, where the record has it.
void each_number(Record& record, auto replaced) {
  const auto replace = [&](auto& number) {
    number = static_cast<std::remove_cvref_t<decltype(number)>>(
        replaced(static_cast<std::uint64_t>(number)));
  };
  const auto replace_if_any = [&](auto& number) {
    if (number) replace(*number);
  };
  replace(record.node);
  replace(record.pid);
  replace(record.n);
  replace(record.from);
  replace(record.to);
  replace_if_any(record.number);
  replace_if_any(record.coordinator);
  replace_if_any(record.longest_ns);
  replace_if_any(record.side);
  for (std::size_t i = 0; i < max_fields; ++i) {
    FieldValues::Value value = record.values[i];
    replace_if_any(value);
    record.values.put(i, value);
  }
  for (Variable& variable : record.variables) replace_if_any(variable.value);
  if (record.values.list().empty()) return;
  FieldValues::List ids = record.values.list();
  for (NodeId& id : ids) replace(id);
  record.values.set_list(std::move(ids));
}

}  // namespace

void Records::add(Record record, std::uint32_t line) {
  places_.push_back(static_cast<std::uint32_t>(bytes_.size()));
  lines_.push_back(line);
  put(bytes_, static_cast<std::uint64_t>(std::exchange(record.t_ns, 0)));
  put(bytes_, record.given ? 1 + given_.number_of(*record.given) : 0);
  record.given.reset();
  // Forms are compared by the address of their environment.
  if (record.environment) {
    record.environment =
        environments_.try_emplace(*record.environment, record.environment).first->second;
  }
  std::vector<std::uint64_t> numbers;
  each_number(record, [&numbers](std::uint64_t number) {
    numbers.push_back(number);
    return 0;
  });
  put(bytes_, forms_.number_of(record));
  for (const std::uint64_t number : numbers) put(bytes_, number);
}

Record Records::operator[](std::size_t i) const {
  auto at = bytes_.begin() + places_[i];
  const auto t_ns = static_cast<std::int64_t>(take(at));
  const std::uint64_t given = take(at);
  Record record = forms_[take(at)];
  record.t_ns = t_ns;
  if (given > 0) record.given = std::make_shared<const Given>(given_[given - 1]);
  each_number(record, [&at](std::uint64_t /*none*/) { return take(at); });
  return record;
}

void Records::sort_by_time() {
  std::vector<std::pair<std::int64_t, std::uint32_t>> order;
  order.reserve(size());
  for (std::uint32_t i = 0; i < size(); ++i) {
    auto at = bytes_.cbegin() + places_[i];
    order.emplace_back(static_cast<std::int64_t>(take(at)), i);
  }
  if (std::ranges::is_sorted(order)) return;
  std::ranges::sort(order);
  const auto in_order = [&order](const std::deque<std::uint32_t>& values) {
    std::deque<std::uint32_t> sorted;
    for (const auto& [t_ns, i] : order) sorted.push_back(values[i]);
    return sorted;
  };
  places_ = in_order(places_);
  lines_ = in_order(lines_);
}

}  // namespace bully
