// records.h: all records of a run, each in a fifth or less of the memory that a Record takes.
//
// A trace has a record for each hundred bytes or so, and of each kind of record most fields are
// empty: so a record is packed when it is added, and unpacked when it is looked at. It never reads
// a file (reader.h) and never judges.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "election/record.h"

namespace bully {

class Records {
 public:
  std::size_t size() const { return packed_.size(); }
  bool empty() const { return packed_.empty(); }
  // A copy: what is changed in it changes nothing here.
  Record operator[](std::size_t i) const;
  // The number with which it was added.
  std::uint32_t line_of(std::size_t i) const { return packed_[i].line; }

  // Adds a record that stood at `line`, a number above that of all before it. Its words must last.
  void add(const Record& record, std::uint32_t line);
  // The same, in the line after the last.
  void push_back(const Record& record);
  // By time, and of equal times by line.
  void sort_by_time();

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Record;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Record;

    Iterator(const Records& records, std::size_t at) : records_(&records), at_(at) {}
    Record operator*() const { return (*records_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return {*records_, at_++}; }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    const Records* records_;
    std::size_t at_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }
  // From record `i` on.
  Iterator from(std::size_t i) const { return {*this, i}; }

 private:
  // A number in 32 bits, or where in `far_` it stands; or none.
  using Number = std::uint32_t;
  static constexpr Number none = 0xFFFFFFFF;
  static constexpr Number is_far = 0x80000000;

  // `numbers` and `words` are those of its kind of event, in the order in which pack() gives them.
  struct Packed {
    std::array<std::uint32_t, 2> t_ns;  // its halves: no gap for alignment
    std::uint32_t line = 0;
    Number node = none;
    Number pid = none;
    std::array<Number, 5> numbers;
    std::uint8_t event = 0;
    std::uint8_t type = 0;
    std::array<std::uint8_t, 4> words;
  };

  static std::int64_t t_ns_of(const Packed& packed);
  Number pack(std::optional<std::uint64_t> value);
  std::optional<std::uint64_t> value_of(Number number) const;
  std::uint8_t index_of(std::string_view word);

  std::deque<Packed> packed_;
  std::vector<std::uint64_t> far_;
  std::vector<std::string_view> words_ = {std::string_view()};
};

}  // namespace bully
