// orders.cc: the page of every order: all states of an election, to click through (`bully
// verify --format=html`). The graph of states is its data: texts, turns, states and edges appear in
// it once, and refer to one another by index.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/json.h"
#include "base/list.h"
#include "base/text.h"
#include "pictures/page.h"
#include "view/errors.h"
#include "view/exploration.h"
#include "words/names.h"
#include "words/words.h"

namespace bully {

namespace {

// The meaning of a timeout depends on the process's state; the step alone does not show it.
std::string label_of(const StateMap::Turn& turn, Language language) {
  if (turn.step.verb != Verb::expire) return step_text(turn.step, language);
  const std::string cause = std::to_string(turn.step.id()) + ": " + cause_of(turn.taken, language);
  return step_text(turn.step, language, cause);
}

std::string assumption_json(Assumption assumption) {
  return std::to_string(static_cast<unsigned>(assumption));
}

// The names by which orders.js knows its words.
constexpr auto script_words = std::to_array<std::pair<std::string_view, Text>>({
    {"step", Text::orders_step},
    {"beginning", Text::orders_beginning},
    {"beginningIs", Text::html_beginning},
    {"nothing", Text::orders_nothing},
    {"unexplored", Text::orders_unexplored},
    {"breaks", Text::orders_breaks},
    {"border", Text::orders_border},
    {"tried", Text::orders_tried},
    {"coming", Text::orders_coming},
    {"rivals", Text::orders_rivals},
    {"notPromised", Text::orders_not_promised},
    {"all", Text::orders_all},
    {"anEnd", Text::orders_an_end},
    {"stands", Text::orders_stands},
    {"found", Text::orders_found},
    {"foundOne", Text::orders_found_one},
    {"cannot", Text::orders_cannot},
});

struct OrdersPage {
  StateMap map;
  const ExploreOptions& options;
  Language language;
  WebPage page{map.scene, language};
  std::size_t turns_found = map.turns.size();  // the later ones are excused: they break nothing
  std::vector<std::string> texts = {};
  std::map<std::string, std::size_t> numbers = {};
  std::set<std::size_t> stood = {};
  std::vector<std::string> stands = {};  // a process's part, its lane, and its state in words

  std::string html() {
    excuse_first_start();
    each_frame([this](const Frame& frame) { page.painter.fit(frame); });
    page.process_tip = Text::orders_choose;
    page.painter.measure();
    const std::string election = word_or(word_key("election_", options.algorithm->name),
                                         "election_other", language, {options.algorithm->name});
    return page.html(text(Text::orders_title, language, {election}), body(), "orders", json());
  }

  // The first to start joins none that run: it breaks nothing, unlike all later ones.
  void excuse_first_start() {
    const auto is_alive = [](const Diagram::Place& place) { return place.node.is_alive(); };
    if (std::ranges::any_of(map.states.front().places, is_alive)) return;
    for (StateMap::Edge& edge : map.states.front().edges) {
      if (map.turns[edge.turn].step.verb != Verb::restart) continue;
      map.turns.push_back(StateMap::Turn(map.turns[edge.turn]));
      edge.turn = map.turns.size() - 1;
    }
  }

  void each_frame(auto handle) const {
    Frame frame;
    for (const StateMap::State& state : map.states) {
      frame.places = list_of(map.ring, [&](NodeId id) { return state.places[id - 1]; });
      frame.under_way = state.messages;
      lay_arrows(map.scene, frame);
      // The way decides which of them are new: the page's script shows that.
      for (Frame::Arrow& arrow : frame.arrows) arrow.stage = Frame::Stage::sent;
      handle(frame);
    }
  }

  // --- The data ---

  std::string json() {
    std::vector<std::string> states;
    each_frame([&](const Frame& frame) { states.push_back(state_json(frame)); });
    const auto edge = [](const StateMap::Edge& one) {
      return std::to_string(one.turn) + ',' + std::to_string(one.target);
    };
    const auto edges = [&](const StateMap::State& state) { return json_array(state.edges, edge); };
    std::vector<std::string> turns;
    for (std::size_t i = 0; i < map.turns.size(); ++i) turns.push_back(turn_json(i));
    const auto claim = [this](const Property* property) { return claim_json(*property); };
    const auto [types, textbook] = counts_json();
    return json_object({{"words", words_json()},
                        {"lanes", json_array(map.scene.lanes, json_number)},
                        {"turns", json_array(turns, std::identity(), ",\n")},
                        {"texts", json_array(texts, json_string, ",\n")},
                        {"states", json_array(states, std::identity())},
                        {"edges", json_array(map.states, edges)},
                        {"marks", json_array(map.states, marks_of)},
                        {"stands", json_array(stands, std::identity())},
                        {"parts", page.json()},
                        {"properties", json_array(map.judged, claim)},
                        {"types", types},
                        {"textbook", textbook},
                        {"beginning", json_string(map.beginning)},
                        {"file", json_string(std::string(options.algorithm->name) + ".txt")}},
                       ",\n");
  }

  std::string state_json(const Frame& frame) {
    const std::vector<std::size_t> drawn = page.numbers_of(frame);
    for (const Diagram::Place& place : frame.places) {
      const std::size_t number = drawn[drawn.size() - frame.places.size() + place.lane];
      if (!stood.insert(number).second) continue;
      stands.push_back('[' + std::to_string(number) + ',' + std::to_string(place.lane) + ',' +
                       json_string(state_words(place.node, language)) + ']');
    }
    return json_array(drawn, json_number);
  }

  static bool has_rivals(const StateMap::State& state) {
    return std::ranges::count_if(state.places, [](const Diagram::Place& place) {
             return place.node.is_alive() && place.node.is_coordinator();
           }) > 1;
  }

  // Marks of a state, as orders.js reads them: BITS, and from 8 on one for each property.
  static std::uint64_t marks_of(const StateMap::State& state) {
    return (state.is_end ? 1U : 0U) | (state.is_explored ? 0U : 2U) |
           (has_rivals(state) ? 4U : 0U) | state.broken.to_ullong() << 3U;
  }

  std::string turn_json(std::size_t i) {
    const StateMap::Turn& turn = map.turns[i];
    const Diagram::Step& taken = turn.taken;
    const bool acts = !turn.is_of_network();
    const std::string label = label_of(turn, language);
    const std::optional<Breach> found = i < turns_found ? breach_of(turn.step) : std::nullopt;
    const Breach breach = found.value_or(Breach{});
    // The page fills in the place of the step.
    const std::string why =
        found ? text(breach.words_on_page, language, {"{0}", turn.step.id()}) : "";
    const std::vector<MessageType>& types = options.algorithm->messages;
    const auto type = [&](std::size_t sent) {
      return std::ranges::find(types, map.scene.messages[sent].type) - types.begin();
    };
    const auto number = [this](const std::string& words) { return number_of(words); };
    return json_object({{"label", number_of(label)},
                        {"what", number_of(acts ? sentence_of(map.scene, taken, language) : label)},
                        {"rule", number_of(acts ? rule_of(taken, language) : "")},
                        {"lane", acts ? std::to_string(taken.lane) : "-1"},
                        {"message", taken.ended ? std::to_string(*taken.ended) : "-1"},
                        {"timer", json_bool(turn.step.verb == Verb::expire)},
                        {"fault", json_bool(turn.is_fault)},
                        {"breaks", json_array(breach.assumptions, assumption_json)},
                        {"why", number_of(why)},
                        {"sent", json_array(taken.sent, type)},
                        {"messages", json_array(taken.sent, json_number)},
                        {"lines", json_array(turn.lines, number)}});
  }

  // The index of the words in `texts`; -1 if there are none.
  std::string number_of(const std::string& words) {
    if (words.empty()) return "-1";
    const auto [found, is_new] = numbers.try_emplace(words, texts.size());
    if (is_new) texts.push_back(words);
    return std::to_string(found->second);
  }

  std::string claim_json(const Property& property) const {
    const auto is_assumed = [&](Assumption each) { return property.assumes.has(each); };
    const auto assumes = list_of(assumptions, is_assumed, assumption_json);
    return json_object({{"key", json_string(property.key)},
                        {"words", json_string(violation_words(property, language))},
                        {"assumes", json_array(assumes, std::identity())}});
  }

  // Each type with the textbook's count, and the count of all types together. The smallest and the
  // largest number of messages of an election after a crash of the coordinator: the next in line
  // detects it, or the lowest does. Empty: the textbook gives no count.
  std::pair<std::string, std::string> counts_json() const {
    const Algorithm& algorithm = *options.algorithm;
    std::vector<NodeId> processes = map.ring;
    if (algorithm.count == nullptr) processes.clear();
    if (options.beginning == Beginning::agreed) std::erase(processes, first_coordinator(options));
    std::vector<MessageCounts> counts;
    for (const NodeId detector : processes) {
      counts.push_back(algorithm.count(
          {.processes = processes, .detector = detector, .lost_coordinator = true, .noticed = 1}));
    }
    const auto between = [&](const auto& number) {
      if (counts.empty()) return json_string("");
      const auto [low, high] = std::ranges::minmax(counts, {}, number);
      const auto shown = [&](const MessageCounts& one) { return grouped(number(one), language); };
      return json_string(number(low) == number(high) ? shown(low)
                                                     : shown(low) + " – " + shown(high));
    };
    const auto row = [&](MessageType type) {
      const auto of_type = [type](const MessageCounts& one) { return one.of(type); };
      return json_object(
          {{"name", json_string(name_of(type, language))}, {"textbook", between(of_type)}});
    };
    return {json_array(algorithm.messages, row),
            between([](const MessageCounts& one) { return election_total(one); })};
  }

  std::string words_json() const {
    return json_object(list_of(script_words, [this](const auto& entry) {
      return std::pair(entry.first, json_string(text(entry.second, language)));
    }));
  }

  // --- The page ---

  std::string body() const {
    const auto button = [&](std::string_view id, Text words) {
      return "<button type=\"button\" id=\"" + std::string(id) + "\">" + page.say(words) +
             "</button>\n";
    };
    return "<p id=\"question\">" + escaped(question_text(options, language)) + "</p>\n<nav>\n" +
           page.button("start", "⇤", Text::orders_start) +
           page.button("undo", "←", Text::orders_undo) +
           page.button("redo", "→", Text::orders_redo) +
           page.button("last", "⇥", Text::orders_last) + page.player() + "<label for=\"goal\">" +
           page.say(Text::orders_go_to) + "</label>\n<select id=\"goal\"></select>\n" +
           button("find", Text::orders_find) + button("save", Text::orders_save) +
           "<span id=\"found\" role=\"status\"></span>\n</nav>\n<main class=\"orders\">\n<div "
           "class=\"stage\">\n" +
           page.picture() + "<div id=\"broken\" role=\"alert\">" +
           page.heading(Text::orders_broken) + "<ul id=\"broken-list\"></ul></div>\n</div>\n" +
           "<div class=\"told\" aria-live=\"polite\">\n<p id=\"when\"></p>\n<p id=\"what\"></p>\n" +
           page.heading(Text::html_rule) +
           "<p id=\"rule\"></p>\n</div>\n<section class=\"may\">\n" +
           page.heading(Text::orders_may_happen) +
           "<p id=\"nothing\"></p>\n<div id=\"choices\" class=\"choices\"></div>\n" +
           "<h2 id=\"faults-heading\">" + page.say(Text::orders_faults) +
           "</h2>\n<div id=\"faults\" class=\"choices\"></div>\n</section>\n" +
           "<section class=\"tables\">\n" + page.tables() + "</section>\n" +
           "<section class=\"sums\">\n" + page.heading(Text::orders_counts) +
           "<table><thead><tr><th>" + page.say(Text::orders_message) + "</th><th>" +
           page.say(Text::orders_sent) + "</th><th>" + page.say(Text::orders_textbook) +
           "</th></tr></thead><tbody id=\"counts\"></tbody></table>\n</section>\n" +
           "<section class=\"gone\">\n" + page.heading(Text::orders_way) +
           "<ol id=\"steps\" start=\"0\"></ol>\n" + "</section>\n</main>\n<footer>" +
           page.legend() + "<br/>" + page.say(Text::orders_keys) + "</footer>\n";
  }
};

}  // namespace

std::string orders_html(StateMap map, const ExploreOptions& options, Language language) {
  return OrdersPage{std::move(map), options, language}.html();
}

}  // namespace bully
