// field_visitor.h: a protocol's state as a list of numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "election/message.h"

namespace bully {

// A protocol lists its fields once, in visit_fields, and passes each of them to a visitor.
class FieldVisitor {
 public:
  // The first saves the fields here. The second loads them from words that the first has saved.
  explicit FieldVisitor(std::vector<std::uint64_t>& saved) : saved_(&saved) { saved.clear(); }
  explicit FieldVisitor(std::span<const std::uint64_t> loaded) : loaded_(loaded) {}

  template <typename T>
  requires(std::is_integral_v<T> || std::is_enum_v<T>) void operator()(T& value) {
    if (saved_ != nullptr) return saved_->push_back(static_cast<std::uint64_t>(value));
    value = static_cast<T>(loaded_.front());
    loaded_ = loaded_.subspan(1);
  }
  template <typename T>
  void operator()(std::optional<T>& value) {
    bool is_there = value.has_value();
    T inside = value.value_or(T{});
    (*this)(is_there);
    (*this)(inside);
    if (saved_ == nullptr) value = is_there ? std::optional(inside) : std::nullopt;
  }
  template <typename T>
  void operator()(std::vector<T>& values) {
    std::size_t size = values.size();
    (*this)(size);
    if (saved_ == nullptr) values.resize(size);
    for (T& value : values) (*this)(value);
  }
  // A message that this process has sent: its type, fields and sender belong to the state.
  void operator()(Message& message);

 private:
  std::vector<std::uint64_t>* saved_ = nullptr;
  std::span<const std::uint64_t> loaded_;
};

}  // namespace bully
