// style.cc: the look of each role.
#include "pictures/style.h"

#include <array>

namespace bully {

namespace {

constexpr MessageStyle ping_style = {.dashes = "1 3", .stroke = 1};
constexpr MessageStyle asks_style = {Color::yellow, "#a8450c", "#f0a060"};
constexpr MessageStyle answers_style = {Color::cyan, "#0b5fa5",  "#74b9f5", "6 4",
                                        1.4,         Head::open, "╌"};
constexpr MessageStyle announces_style = {Color::green, "#17692f",   "#74d08e", "",
                                          2.6,          Head::heavy, "═"};
constexpr MessageStyle joins_style = {Color::magenta, "#7a2a8c", "#d59be6", "2 3", 1.4,
                                      Head::filled,   "┄"};

// In the order of Role.
constexpr std::array message_styles = {&ping_style,      &asks_style, &answers_style,
                                       &announces_style, &asks_style, &answers_style,
                                       &announces_style, &joins_style};

// In the order of StateRole.
constexpr std::array state_styles = {
    StateStyle{},
    StateStyle{},
    StateStyle{.color = Color::bold_green, .css = "coordinator", .lane = 8, .line = "║"},
    StateStyle{.color = Color::yellow, .css = "candidate", .lane = 8, .line = "┇"},
    StateStyle{.color = Color::cyan, .css = "waiting", .lane = 8, .line = "┊"},
    StateStyle{.color = Color::cyan, .css = "relay", .lane = 3.4, .line = "┃"},
    StateStyle{.color = Color::magenta, .css = "waiting", .lane = 8, .line = "┊"},
};
constexpr StateStyle no_state;
constexpr StateStyle unknown_state = {.css = "candidate", .lane = 8};

}  // namespace

const MessageStyle& style_of(MessageType type) {
  return *message_styles.at(static_cast<std::size_t>(type->role));
}

std::string css_of(MessageType type) {
  const std::string_view name = type.is_of_election() ? type->code : messages::ping.name;
  // No class begins with a digit; the code of an outside program's message may.
  const bool is_class = name.front() < '0' || name.front() > '9';
  return (is_class ? "" : "_") + std::string(name);
}

const StateStyle& style_of_state(std::string_view state) {
  if (state.empty()) return no_state;
  const StateKind* kind = find_state(state);
  return kind == nullptr ? unknown_state : state_styles.at(static_cast<std::size_t>(kind->role));
}

std::string css_of(const Snapshot& node) {
  return std::string(node.is_alive() ? style_of_state(node.state).css : "absent");
}

}  // namespace bully
