// watch_screen_held.cc: messages that wait for the person at the screen, between sender and
// receiver.
#include <algorithm>

#include "pictures/style.h"
#include "view/watch_screen.h"
#include "words/names.h"
#include "words/words.h"

namespace bully {

static std::string heading_words(const HeldMessages& held, Language language) {
  if (!held.has_begun) return std::string(text(Text::hold_not_begun, language));
  std::string words = text(Text::hold_waiting, language, {held.waiting.size()});
  if (held.is_released) words.append(", ").append(text(Text::hold_runs, language));
  if (!held.cut.empty() && held.cut != held.last_line) words.append(", ").append(held.cut);
  if (held.has_script_ended) words.append("  ").append(text(Text::hold_ended, language));
  if (held.lines > 0) {
    words += "  " + text(Text::hold_lines, language, {held.lines, held.last_line});
  }
  return words;
}

std::string held_heading(const HeldMessages& held, std::size_t columns, Language language) {
  constexpr std::string_view rule = "── ";
  constexpr std::string_view rule_after = " ──";
  const std::size_t room = columns - std::min(columns, width(rule) + width(rule_after));
  std::string words = heading_words(held, language);
  if (width(words) > room) {
    while (width(words) + 2 > room && words.find(' ') != std::string::npos) {
      words.erase(words.rfind(' '));
    }
    words += " …";
  }
  return std::string(rule).append(words).append(rule_after);
}

std::vector<std::string> held_rows(const HeldMessages& held, std::size_t most, std::size_t columns,
                                   const LogStyle& style, std::size_t sender_columns) {
  const auto name_in = [&style](const Message& message) {
    return name_of(message.type, message.values, style.language);
  };
  constexpr std::size_t arrow_columns = 5;  // of its line, on either side of the name
  std::size_t name_columns = 0;
  for (const MessageType type : known_messages()) {
    if (type.is_of_election()) {
      name_columns = std::max(name_columns, width(name_of(type, style.language)));
    }
  }
  for (const auto& [to, message] : held.waiting) {
    sender_columns = std::max(sender_columns, std::to_string(message.from).size());
    name_columns = std::max(name_columns, width(name_in(message)));
  }
  const std::size_t first = held.selected < most ? 0 : held.selected + 1 - most;
  std::vector<std::string> rows;
  for (std::size_t i = first; i < std::min(held.waiting.size(), first + most); ++i) {
    const auto& [to, message] = held.waiting[i];
    const MessageStyle& look = style_of(message.type);
    const std::string name = name_in(message);
    const std::size_t after_columns = arrow_columns + name_columns - width(name);
    const bool is_selected = i == held.selected;
    std::string row = is_selected ? "> " : "  ";
    row += right_aligned(std::to_string(message.from), sender_columns) + ' ';
    row += repeated(look.line, arrow_columns) + ' ' + name + ' ';
    row += repeated(look.line, after_columns) + "▶ " + std::to_string(to);
    row = style.paint(look.color, fitted(row, columns));
    rows.push_back(is_selected ? style.paint(Color::reversed, row) : row);
  }
  return rows;
}

}  // namespace bully
