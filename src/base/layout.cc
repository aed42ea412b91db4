// layout.cc: widths, wrapped lines, tables, and pictures made of text.
#include "base/layout.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/list.h"
#include "base/text.h"

namespace bully {

namespace {

constexpr std::string_view color_reset = "\033[0m";

// The bytes of the longest beginning of `line` that fits; colours behind it as well.
std::size_t fitting(std::string_view line, std::size_t columns) {
  std::size_t bytes = 0;
  while (bytes < line.size() && width(line.substr(0, bytes + 1)) <= columns) ++bytes;
  return bytes;
}

}  // namespace

std::size_t width(std::string_view shown) {
  bool in_color = false;
  const auto takes_column = [&in_color](char c) {
    in_color = in_color || c == '\033';
    const bool counts = !in_color && (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    in_color = in_color && c != 'm';
    return counts;
  };
  return static_cast<std::size_t>(std::ranges::count_if(shown, takes_column));
}

std::string padded(std::string_view shown, std::size_t columns) {
  return std::string(shown) + std::string(columns - std::min(columns, width(shown)), ' ');
}

std::string right_aligned(std::string_view shown, std::size_t columns) {
  return std::string(columns - std::min(columns, width(shown)), ' ') + std::string(shown);
}

std::string fitted(std::string_view line, std::size_t columns) {
  std::string shown(line.substr(0, fitting(line, columns)));
  if (shown.find('\033') != std::string::npos) shown += color_reset;
  return padded(shown, columns);
}

std::string repeated(std::string_view sign, std::size_t times) {
  std::string shown;
  for (std::size_t i = 0; i < times; ++i) shown += sign;
  return shown;
}

std::vector<std::string> wrapped(std::string_view words, std::size_t columns) {
  std::vector<std::string> lines;
  std::string line;
  while (!words.empty()) {
    const std::size_t closing = words.starts_with('[') ? words.find(']') : 0;
    const std::string_view word = words.substr(0, words.find(' ', closing));
    words.remove_prefix(std::min(word.size() + 1, words.size()));
    if (word.empty()) continue;
    if (!line.empty() && width(line) + 1 + width(word) > columns) {
      lines.push_back(line);
      line.clear();
    }
    line.append(line.empty() ? "" : " ").append(word);
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

std::vector<std::string> lines_in(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    lines.emplace_back(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(lines.back().size() + 1, text.size()));
  }
  return lines;
}

std::string rewrapped(std::string_view text) {
  const auto has_layout = [](std::string_view line) {
    return line.find("  ") != std::string_view::npos;
  };
  std::vector<std::string> shown;
  bool overflows = false;  // the next line continues the end of a broken one
  for (const std::string& line : lines_in(text)) {
    const bool goes_on = overflows && !line.empty() && line.front() != ' ' && !has_layout(line);
    const std::string words = goes_on ? shown.back() + ' ' + line : line;
    if (goes_on) shown.pop_back();
    const bool is_broken = width(words) > narration_columns && !has_layout(words);
    if (!is_broken) shown.push_back(words);
    if (is_broken) std::ranges::move(wrapped(words, narration_columns), std::back_inserter(shown));
    const bool ends_sentence =
        !words.empty() && std::string_view(".?!:").find(words.back()) != std::string::npos;
    overflows = (is_broken || goes_on) && !ends_sentence;
  }
  return joined(shown, "\n") + (text.ends_with('\n') ? "\n" : "");
}

std::string folded(std::string_view text, std::size_t columns) {
  constexpr std::string_view indent = "      ";
  std::string all;
  for (std::string line : lines_in(text)) {
    while (width(line) > columns) {
      const std::size_t fits = fitting(line, columns);
      const std::size_t begin = line.find_first_not_of(' ');
      // The last space that leaves a line that fits, with a word in it; in a longer word, a comma.
      std::size_t at = line.rfind(' ', fits);
      std::size_t next = line.find_first_not_of(' ', at);
      if (next == std::string::npos || at == std::string::npos || at < begin) {
        if (columns < 2 * indent.size() || fits <= begin) break;
        const std::size_t comma = line.rfind(',', fits - 1);
        at = next = comma == std::string::npos || comma < begin ? fits : comma + 1;
      }
      all.append(line, 0, line.find_last_not_of(' ', at - 1) + 1).append("\n");
      line.replace(0, next, indent);
    }
    all += line + '\n';
  }
  return all;
}

std::vector<std::string> packed(std::string_view entries, std::string_view gap, std::size_t columns,
                                std::string_view indent) {
  std::vector<std::string> lines(1);
  while (!entries.empty()) {
    const std::string_view entry = entries.substr(0, entries.find(gap));
    const std::string_view before = lines.back().empty() ? "" : gap;
    if (!before.empty() && width(lines.back()) + gap.size() + width(entry) > columns) {
      lines.emplace_back(indent).append(entry);
    } else {
      lines.back().append(before).append(entry);
    }
    entries.remove_prefix(std::min(entries.size(), entry.size() + gap.size()));
  }
  return lines;
}

std::string beside(std::string_view left, std::string_view words) {
  const std::size_t indent = width(left);
  const auto lines = wrapped(words, narration_columns - indent);
  return std::string(left) + joined(lines, '\n' + std::string(indent, ' ')) + '\n';
}

std::vector<std::string> aligned(const Table& rows, std::string_view sides) {
  std::vector<std::size_t> columns;
  for (const auto& row : rows) {
    columns.resize(std::max(columns.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) columns[i] = std::max(columns[i], width(row[i]));
  }
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    std::string& line = lines.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool is_right = sides[std::min(i, sides.size() - 1)] == 'r';
      line += i > 0 ? "  " : "";
      line += is_right ? right_aligned(row[i], columns[i]) : padded(row[i], columns[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
  }
  return lines;
}

Canvas::Canvas(std::size_t columns, std::size_t rows)
    : rows_(rows, std::vector<std::string>(columns, " ")) {}

void Canvas::put(std::size_t x, std::size_t y, std::string_view words) {
  std::vector<std::string>& row = rows_.at(y);
  while (!words.empty() && x < row.size()) {
    const std::size_t bytes = first_glyph(words).size;
    row[x++] = words.substr(0, bytes);
    words.remove_prefix(bytes);
  }
}

void Canvas::fill(std::size_t from, std::size_t to, std::size_t y, std::string_view sign) {
  for (std::size_t x = from; x < to; ++x) put(x, y, sign);
}

std::string Canvas::text() const {
  std::string all;
  for (const std::vector<std::string>& row : rows_) {
    const std::string line = joined(row, "");
    all += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return all;
}

std::string colored(Color color, std::string_view words, bool is_on) {
  if (!is_on || color == Color::plain) return std::string(words);
  constexpr std::array codes = {"",   "2",  "1",  "7",    "31",   "32",
                                "33", "36", "35", "1;31", "1;32", "1;33"};
  const std::string code = codes.at(static_cast<std::size_t>(color));
  return "\033[" + code + 'm' + std::string(words) + std::string(color_reset);
}

}  // namespace bully
