// scenario_line.h: one line of a script, read word by word.
//
// It knows words, numbers and durations; what they mean together is scenario.cc's affair.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario.h"

namespace bully {

// One line, word by word. Whatever does not fit throws the ScenarioError.
class ScriptLine {
 public:
  ScriptLine(std::string_view text, int number) : text_(text), number_(number) { skip_blanks(); }

  // Refuses what is not harmless (../trace/harmless.h), but for tabs, and for the carriage return
  // that ends a line of some editors.
  void require_text() const;
  bool at_end() const { return at_ == text_.size(); }
  std::string_view peek() const {
    std::size_t end = at_;
    while (end < text_.size() && !is_blank(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }
  std::string_view word() {
    const std::string_view word = peek();
    at_ += word.size();
    skip_blanks();
    return word;
  }
  bool accept(std::string_view wanted) {
    if (peek() != wanted) return false;
    word();
    return true;
  }
  void require(std::string_view wanted) {
    if (!accept(wanted)) fail("'" + std::string(wanted) + "'");
  }
  // The rest of the line as it stands, without the blanks around it.
  std::string rest() {
    std::string_view rest = text_.substr(at_);
    while (!rest.empty() && is_blank(rest.back())) rest.remove_suffix(1);
    at_ = text_.size();
    return std::string(rest);
  }
  void end() {
    if (!at_end()) fail("the end of the line");
  }
  [[noreturn]] void fail(std::string expected) const {
    throw ScenarioError{.file = {},
                        .line = number_,
                        .column = static_cast<int>(at_) + 1,
                        .expected = std::move(expected),
                        .found = std::string(peek())};
  }

  NodeId id() {
    const auto id = parse_id(peek());
    if (!id || *id > World::highest_id) fail("a node's id");
    word();
    return *id;
  }
  std::uint64_t number(std::string_view what) {
    const auto number = parse_id(peek());
    if (!number) fail(std::string(what));
    word();
    return *number;
  }
  // `1 3 5..8`: one or more ids and ranges. Sorted, each once.
  std::vector<NodeId> ids();
  // The same as they are written.
  std::vector<NodeId> ids_in_order();
  // `500ms`, `2s`, `50us`.
  std::chrono::nanoseconds duration();
  template <typename Value>
  Value one_of(const std::map<std::string_view, Value>& words);

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }

  std::string_view text_;
  int number_;
  std::size_t at_ = 0;
};

template <typename Value>
Value ScriptLine::one_of(const std::map<std::string_view, Value>& words) {
  const auto found = words.find(peek());
  if (found != words.end()) {
    word();
    return found->second;
  }
  std::string expected;
  for (const auto& [name, value] : words) {
    expected += (expected.empty() ? "one of '" : ", '") + std::string(name) + "'";
  }
  fail(expected);
}

}  // namespace bully
