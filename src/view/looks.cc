#include "view/looks.h"

#include <algorithm>
#include <array>

#include "trace/harmless.h"

namespace bully {

namespace {

// In the order of MessageType; checked below.
constexpr std::array<MessageLook, message_type_count> message_looks = {{
    {.type = MessageType::ping,
     .css = "ping",
     .ink = "#777777",
     .ink_on_dark = "#a5a5a5",
     .dashes = "1 3",
     .stroke = 1},
    {.type = MessageType::status,
     .css = "ping",
     .ink = "#777777",
     .ink_on_dark = "#a5a5a5",
     .dashes = "1 3",
     .stroke = 1},
    {.type = MessageType::election,
     .name = Text::election,
     .color = Color::yellow,
     .css = "E",
     .ink = "#a8450c",
     .ink_on_dark = "#f0a060"},
    {.type = MessageType::answer,
     .name = Text::answer,
     .answers = true,
     .color = Color::cyan,
     .css = "PE",
     .ink = "#0b5fa5",
     .ink_on_dark = "#74b9f5",
     .dashes = "6 4",
     .head = Head::open,
     .line = "╌"},
    {.type = MessageType::coordinator,
     .name = Text::coordinator,
     .announces = true,
     .color = Color::green,
     .css = "C",
     .ink = "#17692f",
     .ink_on_dark = "#74d08e",
     .stroke = 2.6,
     .head = Head::heavy,
     .line = "═"},
    {.type = MessageType::value,
     .name = Text::message_value,
     .carries_number = true,
     .color = Color::yellow,
     .css = "V",
     .ink = "#a8450c",
     .ink_on_dark = "#f0a060"},
    {.type = MessageType::second,
     .name = Text::message_second,
     .carries_number = true,
     .color = Color::cyan,
     .css = "V2",
     .ink = "#0b5fa5",
     .ink_on_dark = "#74b9f5",
     .dashes = "6 4",
     .head = Head::open,
     .line = "╌"},
    {.type = MessageType::leader,
     .name = Text::message_leader,
     .carries_number = true,
     .announces = true,
     .color = Color::green,
     .css = "L",
     .ink = "#17692f",
     .ink_on_dark = "#74d08e",
     .stroke = 2.6,
     .head = Head::heavy,
     .line = "═"},
    {.type = MessageType::join,
     .name = Text::message_join,
     .color = Color::magenta,
     .css = "J",
     .ink = "#7a2a8c",
     .ink_on_dark = "#d59be6",
     .dashes = "2 3",
     .line = "┄"},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < message_type_count; ++i) {
    if (message_looks[i].type != static_cast<MessageType>(i)) return false;
  }
  return true;
}
static_assert(in_order(), "looks must stand in the order of enum MessageType");

constexpr std::array state_looks = {
    StateLook{.name = "down", .words = Text::state_down, .mark = "×"},
    StateLook{.name = "follower", .words = Text::state_follower, .mark = "◎"},
    StateLook{.name = "candidate",
              .words = Text::state_candidate,
              .log = Text::log_candidate,
              .holds_election = true,
              .time_is_up = Text::log_no_answer_in_time,
              .color = Color::yellow,
              .row_color = Color::yellow,
              .css = "candidate",
              .lane = 8,
              .line = "┇"},
    StateLook{.name = "waiting",
              .words = Text::state_waiting,
              .log = Text::log_waiting,
              .holds_election = true,
              .time_is_up = Text::log_no_coordinator_in_time,
              .watched_is_down = Text::log_answerer_down,
              .watched_is_hung = Text::log_answerer_hung,
              .color = Color::cyan,
              .row_color = Color::cyan,
              .css = "waiting",
              .lane = 8,
              .line = "┊"},
    StateLook{.name = "joining",
              .words = Text::state_joining,
              .log = Text::log_joining,
              .holds_election = true,
              .time_is_up = Text::log_no_end_in_time,
              .watched_is_down = Text::log_neighbour_down,
              .watched_is_hung = Text::log_neighbour_hung,
              .color = Color::magenta,
              .row_color = Color::magenta,
              .css = "waiting",
              .lane = 8,
              .line = "┊",
              .mark = "◌"},
    StateLook{.name = "active",
              .words = Text::state_active,
              .log = Text::log_active,
              .holds_election = true,
              .time_is_up = Text::log_no_end_in_time,
              .watched_is_down = Text::log_neighbour_down,
              .watched_is_hung = Text::log_neighbour_hung,
              .color = Color::yellow,
              .row_color = Color::yellow,
              .css = "candidate",
              .lane = 8,
              .line = "┇"},
    StateLook{.name = "relay",
              .words = Text::state_relay,
              .log = Text::log_relay,
              .holds_election = true,
              .time_is_up = Text::log_no_end_in_time,
              .watched_is_down = Text::log_neighbour_down,
              .watched_is_hung = Text::log_neighbour_hung,
              .color = Color::cyan,
              .row_color = Color::cyan,
              .css = "relay",
              .lane = 3.4,
              .line = "┃",
              .mark = "●"},
    StateLook{.name = "coordinator",
              .words = Text::state_coordinator,
              .log = Text::log_won,
              .color = Color::bold_green,
              .row_color = Color::bold_green,
              .css = "coordinator",
              .lane = 8,
              .line = "║",
              .mark = "★"},
};
constexpr StateLook no_state;
// A settled process is a follower or the coordinator, in every algorithm.
constexpr StateLook unknown_state = {.holds_election = true, .css = "candidate", .lane = 8};

struct AlgorithmLook {
  std::string_view name;
  Text election;
};
constexpr std::array algorithm_looks = {
    AlgorithmLook{"bully", Text::election_bully},
    AlgorithmLook{"ring", Text::election_ring},
    AlgorithmLook{"chang-roberts", Text::election_chang_roberts},
};

constexpr std::string_view no_value = "–";

}  // namespace

std::string_view escape_of(Color color) {
  constexpr std::array<std::string_view, color_count> codes = {
      "", "\033[2m", "\033[31m", "\033[32m", "\033[33m", "\033[36m", "\033[35m", "\033[1;32m"};
  return codes.at(static_cast<std::size_t>(color));
}

const MessageLook& look_of(MessageType type) {
  return message_looks.at(static_cast<std::size_t>(type));
}

bool is_of_election(MessageType type) {
  return type != MessageType::ping && type != MessageType::status;
}

std::vector<MessageType> messages_of(const std::vector<const Algorithm*>& algorithms) {
  std::vector<MessageType> types;
  for (const MessageLook& look : message_looks) {
    const auto speaks = [&](const Algorithm* algorithm) { return algorithm->speaks(look.type); };
    if (std::any_of(algorithms.begin(), algorithms.end(), speaks)) types.push_back(look.type);
  }
  return types;
}

std::string name_of(MessageType type, Language language) {
  return std::string(text(look_of(type).name, language));
}

std::string name_of(MessageType type, std::optional<std::uint64_t> subject, Language language) {
  const bool numbered = look_of(type).carries_number && subject;
  return name_of(type, language) + (numbered ? ' ' + std::to_string(*subject) : "");
}

std::string short_name_of(MessageType type, std::optional<std::uint64_t> subject) {
  const bool numbered = look_of(type).carries_number && subject;
  return std::string(wire_name(type)) + (numbered ? ' ' + std::to_string(*subject) : "");
}

const StateLook& look_of_state(std::string_view state) {
  const auto found = std::find_if(state_looks.begin(), state_looks.end(),
                                  [&](const StateLook& look) { return look.name == state; });
  if (state.empty()) return no_state;
  return found == state_looks.end() ? unknown_state : *found;
}

std::string state_words(std::string_view state, Language language) {
  const StateLook& look = look_of_state(state);
  return look.name.empty() ? harmless(state) : std::string(text(look.words, language));
}

std::vector<std::string_view> known_states() {
  std::vector<std::string_view> names;
  for (const StateLook& look : state_looks) names.push_back(look.name);
  return names;
}

std::string election_words(std::string_view algorithm, Language language) {
  for (const AlgorithmLook& look : algorithm_looks) {
    if (look.name == algorithm) return std::string(text(look.election, language));
  }
  return text(Text::election_other, language, {algorithm});
}

const Algorithm& algorithm_named(std::string_view name) {
  const Algorithm* found = find_algorithm(name);
  return found == nullptr ? default_algorithm() : *found;
}

std::vector<const Algorithm*> algorithms_named(const std::vector<std::string_view>& names) {
  std::vector<const Algorithm*> found;
  for (const Algorithm& algorithm : algorithms()) {
    const auto names_it = [&](std::string_view name) {
      return &algorithm_named(name) == &algorithm;
    };
    if (std::any_of(names.begin(), names.end(), names_it)) found.push_back(&algorithm);
  }
  if (found.empty()) found.push_back(&default_algorithm());
  return found;
}

bool is_default(const std::vector<const Algorithm*>& algorithms) {
  return algorithms.size() == 1 && algorithms.front() == &default_algorithm();
}

bool has_variables(const Variables& variables) {
  return !variables.front().name.empty();
}

std::string variables_words(const Variables& variables) {
  const auto is_set = [](const Variable& variable) { return variable.value.has_value(); };
  if (std::none_of(variables.begin(), variables.end(), is_set)) return "";
  std::string words;
  for (const auto& [name, value] : variables) {
    if (name.empty()) continue;
    words += words.empty() ? "(" : ", ";
    words += value ? std::to_string(*value) : no_value;
  }
  return words.empty() ? words : words + ')';
}

std::string named_variables_words(const Variables& variables) {
  std::string words;
  for (const auto& [name, value] : variables) {
    if (name.empty()) continue;
    words.append(words.empty() ? "" : " ").append(name).append("=");
    words += value ? std::to_string(*value) : no_value;
  }
  return words;
}

}  // namespace bully
