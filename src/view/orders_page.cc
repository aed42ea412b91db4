// orders_page.cc: the page of every order: all states of an election, to click through (`bully
// verify --format=html`). The graph of states is its data: texts, turns, states and edges appear in
// it once, and refer to one another by index.
#include <algorithm>
#include <array>
#include <set>

#include "base/json.h"
#include "base/list.h"
#include "base/text.h"
#include "pictures/page.h"
#include "view/exploration_report.h"
#include "view/orders_page.h"
#include "words/names.h"

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

// The first to start joins none that run: it breaks nothing, unlike all later ones.
void excuse_first_start(StateMap& map) {
  const auto is_alive = [](const Diagram::Place& place) { return place.node.is_alive(); };
  if (std::ranges::any_of(map.states.front().places, is_alive)) return;
  for (StateMap::Edge& edge : map.states.front().edges) {
    if (map.turns[edge.turn].step.verb != Verb::restart) continue;
    map.turns.push_back(StateMap::Turn(map.turns[edge.turn]));
    edge.turn = map.turns.size() - 1;
  }
}

// Each state as a frame.
void each_frame(const StateMap& map, auto handle) {
  Frame frame;
  for (const StateMap::State& state : map.states) {
    frame.places = list_of(map.ring, [&](NodeId id) { return state.places[id - 1]; });
    frame.under_way = state.messages;
    frame.sides = state.sides;
    lay_arrows(map.scene, frame);
    // The way decides which of them are new: the page's script shows that.
    for (Frame::Arrow& arrow : frame.arrows) arrow.stage = Frame::Stage::sent;
    handle(frame);
  }
}

// --- The data ---

bool has_rivals(const StateMap::State& state) {
  return std::ranges::count_if(state.places, [](const Diagram::Place& place) {
           return place.node.is_alive() && place.node.is_coordinator();
         }) > 1;
}

// Marks of a state, as orders.js reads them: BITS, and from 8 on one for each property.
std::uint64_t marks_of(const StateMap::State& state) {
  return (state.is_end ? 1U : 0U) | (state.is_explored ? 0U : 2U) | (has_rivals(state) ? 4U : 0U) |
         state.broken.to_ullong() << 3U;
}

// Each state by the numbers of its parts on the page; and by part, for the processes: its number,
// its lane, and its state in words.
std::pair<std::string, std::string> states_json(const StateMap& map, WebPage& page,
                                                Language language) {
  std::set<std::size_t> known;
  std::vector<std::string> states;
  std::vector<std::string> processes;
  each_frame(map, [&](const Frame& frame) {
    const std::vector<std::size_t> drawn = page.numbers_of(frame);
    for (const Diagram::Place& place : frame.places) {
      const std::size_t number = drawn[drawn.size() - frame.places.size() + place.lane];
      if (!known.insert(number).second) continue;
      processes.push_back('[' + std::to_string(number) + ',' + std::to_string(place.lane) + ',' +
                          json_string(state_words(place.node, language)) + ']');
    }
    states.push_back(json_array(drawn, json_number));
  });
  return {json_array(states, std::identity()), json_array(processes, std::identity())};
}

bool finds_nobody(const StateMap::Turn& turn, const Diagram::Message& message) {
  return std::ranges::any_of(turn.taken.records, [&](const Record& record) {
    return record.event == TraceEvent::lost && record.reason == "gone" &&
           record.type == message.type && record.to == message.to + 1;
  });
}

// `number_of`: the number of a text on the page.
std::string turn_json(const StateMap::Turn& turn, const std::optional<Breach>& found,
                      const StateMap& map, Language language, const auto& number_of) {
  const Diagram::Step& taken = turn.taken;
  const bool acts = !turn.is_of_network();
  const std::string label = label_of(turn, language);
  const Breach breach = found.value_or(Breach{});
  // The page fills in the place of the step.
  const std::string why =
      found ? text(breach.words_on_page, language, {"{0}", turn.step.id()}) : "";
  const std::vector<MessageType>& types = map.scene.algorithm->messages;
  const auto type = [&](std::size_t sent) {
    return std::ranges::find(types, map.scene.messages[sent].type) - types.begin();
  };
  const auto is_counted = [&](std::size_t sent) {
    return map.scene.algorithm->counts_lost || !finds_nobody(turn, map.scene.messages[sent]);
  };
  return json_object({{"label", number_of(label)},
                      {"what", number_of(acts ? sentence_of(map.scene, taken, language) : label)},
                      {"rule", number_of(acts ? rule_of(taken, language) : "")},
                      {"lane", acts ? std::to_string(taken.lane) : "-1"},
                      {"message", taken.ended ? std::to_string(*taken.ended) : "-1"},
                      {"timer", json_bool(turn.step.verb == Verb::expire)},
                      {"fault", json_bool(turn.is_fault)},
                      {"breaks", json_array(breach.assumptions, assumption_json)},
                      {"why", number_of(why)},
                      {"sent", json_array(list_of(taken.sent, is_counted, type), json_number)},
                      {"messages", json_array(taken.sent, json_number)},
                      {"lines", json_array(turn.lines, number_of)}});
}

// The first `found` turns break what their steps break, the later ones nothing. And their texts,
// each once.
std::pair<std::string, std::string> turns_json(const StateMap& map, std::size_t found,
                                               Language language) {
  Numbered<std::string> texts;
  const auto number_of = [&](const std::string& words) {
    return words.empty() ? "-1" : json_number(texts.number_of(words));
  };
  std::vector<std::string> turns;
  for (const StateMap::Turn& turn : map.turns) {
    const auto breach = turns.size() < found ? breach_of(turn.step) : std::nullopt;
    turns.push_back(turn_json(turn, breach, map, language, number_of));
  }
  return {json_array(turns, std::identity(), ",\n"), texts.json(json_string)};
}

std::string claim_json(const Property& property, Language language) {
  const auto is_assumed = [&](Assumption each) { return property.assumes.has(each); };
  const auto assumes = list_of(assumptions, is_assumed, assumption_json);
  return json_object({{"key", json_string(property.key)},
                      {"words", json_string(violation_words(property, language))},
                      {"assumes", json_array(assumes, std::identity())}});
}

// True if a process has crashed, or may: the textbook counts the election after that.
bool has_crash(const ExploreOptions& options) {
  return options.crashes > 0 || options.beginning == Beginning::leaderless;
}

// Each type with the textbook's count, and the count of all types together. The smallest and the
// largest number of messages of an election after a crash of the coordinator: the next in line
// detects it, or the lowest does. `lost`: the coordinator, if it is one of the processes. Empty:
// the textbook gives no count.
std::pair<std::string, std::string> counts_json(std::vector<NodeId> processes,
                                                std::optional<NodeId> lost,
                                                const ExploreOptions& options, Language language) {
  const Algorithm& algorithm = *options.algorithm;
  if (algorithm.count == nullptr || !has_crash(options)) processes.clear();
  if (lost) std::erase(processes, *lost);
  std::vector<MessageCounts> counts;
  for (const NodeId detector : processes) {
    // Where only the next in line holds the election, it has to notice as well.
    const bool is_alone =
        algorithm.must_notice != Noticing::highest || detector == algorithm.preferred_of(processes);
    counts.push_back(algorithm.count({.processes = processes,
                                      .detector = detector,
                                      .lost_coordinator = true,
                                      .noticed = is_alone ? 1U : 2U}));
  }
  const auto between = [&](const auto& number) {
    if (counts.empty()) return json_string("");
    const auto [low, high] = std::ranges::minmax(counts, {}, number);
    const auto shown = [&](const MessageCounts& one) { return grouped(number(one), language); };
    return json_string(number(low) == number(high) ? shown(low) : shown(low) + " – " + shown(high));
  };
  const auto row = [&](MessageType type) {
    const auto of_type = [type](const MessageCounts& one) { return one.of(type); };
    return json_object(
        {{"name", json_string(name_of(type, language))}, {"textbook", between(of_type)}});
  };
  return {json_array(algorithm.messages, row),
          between([](const MessageCounts& one) { return election_total(one); })};
}

std::string words_json(Language language) {
  return json_object(list_of(script_words, [language](const auto& entry) {
    return std::pair(entry.first, json_string(text(entry.second, language)));
  }));
}

std::string data_json(const StateMap& map, std::size_t turns_found, const ExploreOptions& options,
                      WebPage& page, Language language) {
  const auto edge = [](const StateMap::Edge& one) {
    return std::to_string(one.turn) + ',' + std::to_string(one.target);
  };
  const auto edges = [&](const StateMap::State& state) { return json_array(state.edges, edge); };
  const auto claim = [language](const Property* each) { return claim_json(*each, language); };
  const auto [states, processes] = states_json(map, page, language);
  const auto [turns, texts] = turns_json(map, turns_found, language);
  std::optional<NodeId> lost;
  if (options.beginning == Beginning::agreed) {
    lost = map.states.front().places.front().node.coordinator;
  }
  const auto [types, textbook] = counts_json(map.ring, lost, options, language);
  return json_object({{"words", words_json(language)},
                      {"lanes", json_array(map.scene.lanes, json_number)},
                      {"turns", turns},
                      {"texts", texts},
                      {"states", states},
                      {"edges", json_array(map.states, edges)},
                      {"marks", json_array(map.states, marks_of)},
                      {"stands", processes},
                      {"parts", page.json()},
                      {"properties", json_array(map.judged, claim)},
                      {"types", types},
                      {"textbook", textbook},
                      {"beginning", json_string(map.beginning)},
                      {"file", json_string(std::string(options.algorithm->name) + ".txt")}},
                     ",\n");
}

}  // namespace

std::string orders_html(StateMap map, const ExploreOptions& options, Language language) {
  const std::size_t turns_found = map.turns.size();
  excuse_first_start(map);
  WebPage page(map.scene, language);
  each_frame(map, [&page](const Frame& frame) { page.painter.fit(frame); });
  page.process_tip = Text::orders_choose;
  page.painter.measure();
  const std::string election =
      word_or(word_key("election_", options.algorithm->name), "title_of_other_election", language,
              {options.algorithm->name});
  return page.html(
      "orders", text(Text::orders_title, language, {election}),
      data_json(map, turns_found, options, page, language),
      {{"question", escaped(question_text(options, language))},
       {"textbook", has_crash(options) ? escaped(text(Text::orders_textbook, language)) : ""}});
}

}  // namespace bully
