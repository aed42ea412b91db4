#include "view/style.h"

#include <algorithm>
#include <array>

namespace bully {

namespace {

constexpr std::string_view color_reset = "\033[0m";

constexpr MessageStyle ping_style = {.dashes = "1 3", .stroke = 1};
constexpr MessageStyle asks_style = {Color::yellow, "#a8450c", "#f0a060"};
constexpr MessageStyle answers_style = {Color::cyan, "#0b5fa5",  "#74b9f5", "6 4",
                                        1.4,         Head::open, "╌"};
constexpr MessageStyle announces_style = {Color::green, "#17692f",   "#74d08e", "",
                                          2.6,          Head::heavy, "═"};
constexpr MessageStyle joins_style = {Color::magenta, "#7a2a8c", "#d59be6", "2 3", 1.4,
                                      Head::filled,   "┄"};

// In the order of Role.
constexpr std::array message_styles = {&ping_style,    &ping_style,      &asks_style,
                                       &answers_style, &announces_style, &asks_style,
                                       &answers_style, &announces_style, &joins_style};

// In the order of StateRole.
constexpr std::array state_styles = {
    StateStyle{.mark = "×"},
    StateStyle{.mark = "◎"},
    StateStyle{
        .color = Color::bold_green, .css = "coordinator", .lane = 8, .line = "║", .mark = "★"},
    StateStyle{.color = Color::yellow, .css = "candidate", .lane = 8, .line = "┇"},
    StateStyle{.color = Color::cyan, .css = "waiting", .lane = 8, .line = "┊"},
    StateStyle{.color = Color::cyan, .css = "relay", .lane = 3.4, .line = "┃", .mark = "●"},
    StateStyle{.color = Color::magenta, .css = "waiting", .lane = 8, .line = "┊", .mark = "◌"},
};
constexpr StateStyle no_state;
constexpr StateStyle unknown_state = {.css = "candidate", .lane = 8};

// A long list is shortened to its beginning and end: in full it would need too much room.
std::string short_list(const FieldValues::List& ids) {
  constexpr std::size_t most = 8;
  constexpr std::size_t at_each_end = 3;
  if (ids.empty()) return "";
  const std::span all(ids);
  if (all.size() <= most) return " [" + joined(all, ",") + ']';
  return " [" + joined(all.first(at_each_end), ",") + ",…," + joined(all.last(at_each_end), ",") +
         ']';
}

// The bytes of the longest beginning of `line` that fits; colours behind it as well.
std::size_t fitting(std::string_view line, std::size_t columns) {
  std::size_t bytes = 0;
  while (bytes < line.size() && width(line.substr(0, bytes + 1)) <= columns) ++bytes;
  return bytes;
}

std::string number_of(MessageType type, const FieldValues& values) {
  const FieldValues::Value number = values.shown(type);
  return (number ? ' ' + std::to_string(*number) : "") + short_list(values.list());
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
  const auto fit = [](const std::string& line) {
    const bool stays = width(line) <= narration_columns || line.find("  ") != std::string::npos;
    return stays ? line : joined(wrapped(line, narration_columns), "\n");
  };
  return joined(lines_in(text), "\n", fit) + (text.ends_with('\n') ? "\n" : "");
}

std::string folded(std::string_view text, std::size_t columns) {
  constexpr std::string_view indent = "      ";
  std::string all;
  for (std::string line : lines_in(text)) {
    while (width(line) > columns) {
      // The last space that leaves a line that fits, with a word in it.
      const std::size_t at = line.rfind(' ', fitting(line, columns));
      const std::size_t next = line.find_first_not_of(' ', at);
      if (next == std::string::npos || at < line.find_first_not_of(' ')) break;
      all.append(line, 0, line.find_last_not_of(' ', at) + 1).append("\n");
      line.replace(0, next, indent);
    }
    all += line + '\n';
  }
  return all;
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

const MessageStyle& style_of(MessageType type) {
  return *message_styles.at(static_cast<std::size_t>(type->role));
}

std::string css_of(MessageType type) {
  const std::string_view name = type.is_of_election() ? type->code : messages::ping.name;
  // No class begins with a digit; the code of an outside program's message may.
  const bool is_class = name.front() < '0' || name.front() > '9';
  return (is_class ? "" : "_") + std::string(name);
}

std::vector<MessageType> messages_of(const std::vector<const Algorithm*>& algorithms,
                                     const std::function<bool(MessageType)>& as_well) {
  const auto is_wanted = [&](MessageType type) {
    const auto speaks = [type](const Algorithm* algorithm) { return algorithm->speaks(type); };
    return std::ranges::any_of(algorithms, speaks) || (as_well && as_well(type));
  };
  return list_of(known_messages(), is_wanted, std::identity());
}

std::string name_of(MessageType type, Language language) {
  return std::string(word(word_key("message_", type->name), language));
}

std::string name_of(MessageType type, const FieldValues& values, Language language) {
  return name_of(type, language) + number_of(type, values);
}

std::string short_name_of(MessageType type, const FieldValues& values) {
  return std::string(type->code) + number_of(type, values);
}

const StateStyle& style_of_state(std::string_view state) {
  if (state.empty()) return no_state;
  const StateKind* kind = find_state(state);
  return kind == nullptr ? unknown_state : state_styles.at(static_cast<std::size_t>(kind->role));
}

std::string state_words(std::string_view state, Language language) {
  if (state.empty()) return std::string(text(Text::html_unknown, language));
  const std::string key = word_key("state_", state);
  return has_word(key) ? std::string(word(key, language)) : harmless(state);
}

std::string state_words(const Snapshot& node, Language language) {
  if (node.condition == Condition::crashed) return text(Text::diagram_crashed, language, {});
  if (!node.is_alive()) return text(Text::diagram_not_there, language, {});
  return state_words(node.state, language) + stopped_words(node, language);
}

std::string stopped_words(const Snapshot& node, Language language) {
  return node.condition == Condition::stopped ? text(Text::frame_paused, language, {}) : "";
}

std::string css_of(const Snapshot& node) {
  return std::string(node.is_alive() ? style_of_state(node.state).css : "absent");
}

std::string word_or(std::string_view key, std::string_view otherwise, Language language,
                    Values values) {
  return word(has_word(key) ? key : otherwise, language, values);
}

std::string rule_words(std::string_view key, Language language) {
  const Rule* rule = find_rule(key);
  std::string words(word(word_key("rule_", key), language));
  if (rule == nullptr) return words;
  if (!rule->source.empty()) words.append(" ").append(rule->source);
  if (rule->deviation == 0) return words;
  return words + ' ' + text(Text::rule_deviation, language, {rule->deviation});
}

std::vector<const Algorithm*> algorithms_named(const std::vector<std::string_view>& names) {
  std::vector<const Algorithm*> found;
  for (const Algorithm& algorithm : algorithms()) {
    const auto address = [](std::string_view name) { return &algorithm_named(name); };
    if (std::ranges::count(names, &algorithm, address) > 0) found.push_back(&algorithm);
  }
  if (found.empty()) found.push_back(&default_algorithm());
  return found;
}

bool is_default(const std::vector<const Algorithm*>& algorithms) {
  return algorithms.size() == 1 && algorithms.front() == &default_algorithm();
}

std::span<const Variable> named(const Variables& variables) {
  const auto end = std::ranges::find(variables, std::string_view(), &Variable::name);
  return {variables.begin(), end};
}

std::string value_words(const Variable& variable) {
  return variable.value ? std::to_string(*variable.value) : "–";
}

std::string variables_words(const Variables& variables) {
  const auto is_set = [](const Variable& variable) { return variable.value.has_value(); };
  if (std::ranges::none_of(variables, is_set)) return "";
  return '(' + joined(named(variables), ", ", value_words) + ')';
}

std::string variable_names(const Variables& variables) {
  const std::string names = joined(named(variables), ", ", &Variable::name);
  return names.empty() ? "" : '(' + names + ')';
}

}  // namespace bully
