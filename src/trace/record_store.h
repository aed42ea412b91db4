// record_store.h: all records of a run, packed, so that a long run fits in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>

#include "trace/environment.h"

namespace bully {

// Equal values, each held once, with a number.
template <class Value>
class Pool {
 public:
  std::uint64_t number_of(const Value& value) {
    const auto [found, is_new] = numbers_.try_emplace(value, values_.size());
    if (is_new) values_.push_back(value);
    return found->second;
  }
  const Value& operator[](std::uint64_t number) const { return values_[number]; }

 private:
  std::map<Value, std::uint64_t> numbers_;
  std::deque<Value> values_;
};

// All records of a run, each with the number of its line. A loop over them gives each with its
// index. A record is a value made anew at each look: hold it, not a reference to a part of it.
//
// The records of a run have few forms, apart from their numbers. So each takes a byte or two for
// its form, and one to ten for each of its numbers: 20 to 30 in all, not the 384 of a Record.
class Records {
 public:
  Records() = default;
  // All of these, each on a separate line.
  explicit Records(const auto& records) {
    for (const Record& record : records) add(record, static_cast<std::uint32_t>(size() + 1));
  }

  std::size_t size() const { return places_.size(); }
  bool empty() const { return places_.empty(); }
  Record operator[](std::size_t i) const;
  std::uint32_t line_of(std::size_t i) const { return lines_[i]; }

  // Adds a record from `line`, a number above all earlier ones. Its words must outlive this object.
  void add(Record record, std::uint32_t line);
  // Sorts by time; equal times stay in the order of lines.
  void sort_by_time();

  struct Entry {
    std::size_t i;
    Record record;
  };
  struct Iterator {
    const Records* records;
    std::size_t i;
    Entry operator*() const { return {i, (*records)[i]}; }
    Iterator& operator++() { return ++i, *this; }
    bool operator==(const Iterator&) const = default;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

 private:
  // Deques, since they copy nothing as they grow.
  std::deque<std::uint8_t> bytes_;    // of all records, one behind the other
  std::deque<std::uint32_t> places_;  // by record: where it begins
  std::deque<std::uint32_t> lines_;   // by record
  Pool<Record> forms_;                // without numbers
  Pool<Given> given_;
  std::map<Environment, std::shared_ptr<const Environment>> environments_;
};

}  // namespace bully
