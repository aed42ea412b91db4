// script_line.h: one line of a script, read word by word. It knows words, numbers and durations;
// only script.cc includes it, and gives them a meaning.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/list.h"
#include "base/text.h"
#include "sim/script.h"

namespace bully {

// Throws a ScenarioError for any word that does not fit.
class ScriptLine {
 public:
  ScriptLine(std::string_view text, int number) : text_(text), number_(number) { skip_blanks(); }

  // Refuses harmful characters (../base/text.h), except tabs and an editor's carriage return.
  void require_text() const {
    std::string_view rest = text_;
    if (rest.ends_with('\r')) rest.remove_suffix(1);
    for (std::size_t at = 0; !rest.empty();) {
      const Glyph glyph = first_glyph(rest);
      if (!glyph.is_harmless && rest.front() != '\t') {
        throw error_at(at, {"script_utf8"}, harmless(rest.substr(0, glyph.size)));
      }
      at += glyph.size;
      rest.remove_prefix(glyph.size);
    }
  }
  bool at_end() const { return at_ == text_.size(); }
  std::string_view peek() const {
    return text_.substr(at_, text_.find_first_of(blanks, at_) - at_);
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
    if (!accept(wanted)) fail({"script_word", {std::string(wanted)}});
  }
  // The rest of the line unchanged, without the blanks around it.
  std::string rest() {
    const std::size_t from = std::exchange(at_, text_.size());
    return std::string(text_.substr(from, text_.find_last_not_of(blanks) + 1 - from));
  }
  void end() const {
    if (!at_end()) fail({"script_end"});
  }
  [[noreturn]] void fail(Problem expected) const {
    throw error_at(at_, std::move(expected), std::string(peek()));
  }

  NodeId id() {
    if (at_end()) fail({"script_id"});
    const NodeId id = id_in(peek());
    word();
    return id;
  }
  // `what`: the key of the counted thing.
  std::uint64_t number(std::string_view what) {
    const auto number = parse_number(peek());
    if (!number) fail({what});
    word();
    return *number;
  }
  // `1 3 5..8`: one or more ids and ranges, in written order; each once, if that is wanted.
  std::vector<NodeId> ids_in_order(bool once = false) {
    std::vector<NodeId> ids;
    std::set<NodeId> seen;
    const auto starts_id = [&] { return !at_end() && peek()[0] >= '0' && peek()[0] <= '9'; };
    if (!starts_id()) fail({"script_ids"});
    while (starts_id()) {
      const std::string_view range = peek();
      const std::size_t dots = range.find("..");
      const NodeId first = id_in(range.substr(0, dots));
      const NodeId last = dots == std::string_view::npos ? first : id_in(range.substr(dots + 2));
      if (first > last) fail({"script_ids"});
      if (last - first >= max_ids) fail({"script_range", {std::to_string(max_ids)}});
      for (NodeId id = first; id <= last; ++id) {
        if (!seen.insert(id).second && once) fail({"script_once"});
        ids.push_back(id);
      }
      word();
    }
    return ids;
  }
  // The same, sorted, each once.
  std::vector<NodeId> ids() {
    const std::vector<NodeId> written = ids_in_order();
    const std::set<NodeId> ids(written.begin(), written.end());
    return {ids.begin(), ids.end()};
  }
  Duration duration() {
    const std::optional<Duration> duration = parse_duration(peek());
    if (!duration) fail({"script_duration"});
    word();
    return *duration;
  }
  // True if the name comes next; it may have blanks in it.
  bool has_next(std::string_view name) const {
    const std::string_view rest = text_.substr(at_);
    return rest.starts_with(name) &&
           (rest.size() == name.size() || blanks.find(rest[name.size()]) != std::string_view::npos);
  }
  std::size_t one_of(std::vector<std::string_view> words) {
    std::size_t found = words.size();
    for (std::size_t i = 0; i < words.size(); ++i) {
      const bool is_longer = found == words.size() || words[i].size() > words[found].size();
      if (is_longer && has_next(words[i])) found = i;
    }
    if (found < words.size()) {
      at_ += words[found].size();
      skip_blanks();
      return found;
    }
    std::ranges::sort(words);
    fail({"script_one_of", {'\'' + joined(words, "', '") + '\''}});
  }

 private:
  // A range with more ids than this is a typing mistake.
  static constexpr std::uint64_t max_ids = 100'000;

  static constexpr std::string_view blanks = " \t\r";

  NodeId id_in(std::string_view text) const {
    const std::optional<NodeId> id = parse_id(text);
    if (!id) fail(not_an_id(text.empty() ? peek() : text));
    return *id;
  }
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(blanks, at_), text_.size()); }
  ScenarioError error_at(std::size_t at, Problem expected, std::string found) const {
    return {.file = {},
            .line = number_,
            .column = static_cast<int>(at) + 1,
            .expected = std::move(expected),
            .found = std::move(found)};
  }

  std::string_view text_;
  int number_;
  std::size_t at_ = 0;
};

}  // namespace bully
