// orders_html.cc: the page, with the graph of all states as data: texts, turns, states and edges
// appear in it once, and refer to one another by index.
#include <map>
#include <set>

#include "base/json.h"
#include "view/page.h"

namespace bully {

namespace {

using Number = Orders::Number;

class OrdersData {
 public:
  OrdersData(const Orders& orders, Language language)
      : page(orders.scene, language), orders_(orders), language_(language) {
    for (const Frame::Place& place : orders.places) page.painter.fit(place);
    each_frame([this](const Frame& frame) {
      for (const Frame::Arrow& arrow : frame.arrows) page.painter.fit(arrow);
    });
    page.process_tip = Text::orders_choose;
    page.painter.measure();
  }

  WebPage page;

  std::string json() {
    std::vector<std::string> states;
    each_frame([&](const Frame& frame) { states.push_back(state_json(frame)); });
    std::vector<std::string> edges;
    std::vector<std::string> marks;
    for (const Orders::State& state : orders_.states) {
      std::vector<Number> numbers;
      for (const auto& [turn, target] : state.edges) numbers.insert(numbers.end(), {turn, target});
      edges.push_back(json_array(numbers, json_number));
      marks.push_back(json_number(marks_of(state)));
    }
    const std::string turns = json_array(
        orders_.turns, [this](const Orders::Turn& turn) { return turn_json(turn); }, ",\n");
    return json_object(
        {{"words", words_json()},
         {"lanes", json_array(orders_.scene.lanes, json_number)},
         {"turns", turns},
         {"texts", json_array(texts_, json_string, ",\n")},
         {"states", json_array(states, std::identity())},
         {"edges", json_array(edges, std::identity())},
         {"marks", json_array(marks, std::identity())},
         {"stands", json_array(stands_, std::identity())},
         {"parts", page.json()},
         {"properties", json_array(orders_.properties, claim_json)},
         {"types", json_array(orders_.counts,
                              [this](const auto& one) {
                                return json_object(
                                    {{"name", json_string(name_of(one.type, language_))},
                                     {"textbook", json_string(one.textbook)}});
                              })},
         {"textbook", json_string(orders_.textbook)},
         {"beginning", json_string(orders_.beginning)},
         {"file", json_string(std::string(orders_.scene.algorithm->name) + ".txt")}},
        ",\n");
  }

 private:
  // Each state as a frame, without the places of its processes, which are parts already.
  void each_frame(auto handle) const {
    Frame frame;
    for (const Orders::State& state : orders_.states) {
      frame.places.clear();
      for (const std::size_t lane : orders_.order) {
        frame.places.push_back(orders_.places[state.places[lane]]);
      }
      frame.under_way.assign(state.messages.begin(), state.messages.end());
      lay_arrows(orders_.scene, frame);
      // The way decides which of them are new: the page's script shows that.
      for (Frame::Arrow& arrow : frame.arrows) arrow.stage = Frame::Stage::sent;
      handle(frame);
    }
  }

  std::string state_json(const Frame& frame) {
    const std::vector<std::size_t> numbers = page.numbers_of(frame);
    for (const Frame::Place& place : frame.places) {
      const std::size_t number = numbers[numbers.size() - frame.places.size() + place.lane];
      if (!stood_.insert(number).second) continue;
      stands_.push_back('[' + std::to_string(number) + ',' + std::to_string(place.lane) + ',' +
                        json_string(state_words(place.node, language_)) + ']');
    }
    return json_array(numbers, json_number);
  }

  // Marks of a state, as orders.js reads them: BITS, and from here on one for each property.
  static constexpr std::uint64_t first_property = 8;

  static std::uint64_t marks_of(const Orders::State& state) {
    std::uint64_t marks =
        (state.is_end ? 1U : 0U) | (state.is_explored ? 0U : 2U) | (state.has_rivals ? 4U : 0U);
    std::uint64_t bit = first_property;
    for (const bool is_broken : state.broken) {
      if (is_broken) marks |= bit;
      bit <<= 1U;
    }
    return marks;
  }

  std::string turn_json(const Orders::Turn& turn) {
    const std::optional<Diagram::Step>& step = turn.step;
    std::string what = turn.label;
    std::vector<std::size_t> types;
    if (step) {
      what = sentence_of(orders_.scene, *step, language_);
      for (const std::size_t i : step->sent) types.push_back(type_of(orders_.scene.messages[i]));
    }
    const auto number = [&](const std::string& words) {
      return words.empty() ? std::string("-1") : std::to_string(number_of(words));
    };
    return json_object({{"label", number(turn.label)},
                        {"what", number(what)},
                        {"rule", number(step ? rule_of(*step, language_) : "")},
                        {"lane", step ? std::to_string(step->lane) : "-1"},
                        {"message", turn.delivered ? std::to_string(*turn.delivered) : "-1"},
                        {"timer", json_bool(turn.is_of_timer)},
                        {"fault", json_bool(turn.is_fault)},
                        {"breaks", json_array(turn.breaks, assumption_json)},
                        {"why", number(turn.breach)},
                        {"sent", json_array(types, json_number)},
                        {"messages", step ? json_array(step->sent, json_number) : "[]"},
                        {"lines", json_array(turn.lines, number)}});
  }

  std::size_t type_of(const Diagram::Message& message) const {
    const auto found = std::ranges::find(orders_.counts, message.type, &Orders::Count::type);
    return static_cast<std::size_t>(found - orders_.counts.begin());
  }

  std::size_t number_of(const std::string& words) {
    const auto [found, is_new] = numbers_.try_emplace(words, texts_.size());
    if (is_new) texts_.push_back(words);
    return found->second;
  }

  static std::string assumption_json(Assumption assumption) {
    return std::to_string(static_cast<unsigned>(assumption));
  }
  static std::string claim_json(const Orders::Claim& claim) {
    std::vector<Assumption> assumes;
    for (const Assumption each : assumptions) {
      if (claim.property->assumes.has(each)) assumes.push_back(each);
    }
    return json_object({{"key", json_string(claim.property->key)},
                        {"words", json_string(claim.violated)},
                        {"assumes", json_array(assumes, assumption_json)}});
  }

  std::string words_json() const {
    JsonMembers members;
    const auto add = [&](std::string_view name, Text words) {
      members.push_back({name, json_string(text(words, language_))});
    };
    add("step", Text::orders_step);
    add("beginning", Text::orders_beginning);
    add("beginningIs", Text::html_beginning);
    add("nothing", Text::orders_nothing);
    add("unexplored", Text::orders_unexplored);
    add("breaks", Text::orders_breaks);
    add("border", Text::orders_border);
    add("tried", Text::orders_tried);
    add("coming", Text::orders_coming);
    add("rivals", Text::orders_rivals);
    add("notPromised", Text::orders_not_promised);
    add("all", Text::orders_all);
    add("anEnd", Text::orders_an_end);
    add("stands", Text::orders_stands);
    add("found", Text::orders_found);
    add("cannot", Text::orders_cannot);
    return json_object(members);
  }

  const Orders& orders_;
  Language language_;
  std::vector<std::string> texts_ = {};
  std::map<std::string, std::size_t> numbers_ = {};
  std::set<std::size_t> stood_ = {};
  std::vector<std::string> stands_ = {};  // a process's part, its lane, and its state in words
};

}  // namespace

std::string orders_html(const Orders& orders, Language language) {
  OrdersData data(orders, language);
  const WebPage& page = data.page;
  const auto button = [&](std::string_view id, Text words) {
    return "<button type=\"button\" id=\"" + std::string(id) + "\">" + page.say(words) +
           "</button>\n";
  };
  const std::string body =
      "<p id=\"question\">" + escaped(orders.question) + "</p>\n<nav>\n" +
      page.button("start", "⇤", Text::orders_start) + page.button("undo", "←", Text::orders_undo) +
      page.button("redo", "→", Text::orders_redo) + page.button("last", "⇥", Text::orders_last) +
      button("save", Text::orders_save) + "<label for=\"goal\">" + page.say(Text::orders_go_to) +
      "</label>\n<select id=\"goal\"></select>\n" + button("find", Text::orders_find) +
      "<span id=\"found\" role=\"status\"></span>\n</nav>\n<main class=\"orders\">\n<div>\n" +
      page.picture() + "<div id=\"broken\" role=\"alert\">" + page.heading(Text::orders_broken) +
      "<ul id=\"broken-list\"></ul></div>\n</div>\n<section>\n" +
      "<div aria-live=\"polite\">\n<p id=\"when\"></p>\n<p id=\"what\"></p>\n" +
      page.heading(Text::html_rule) + "<p id=\"rule\"></p>\n</div>\n" +
      page.heading(Text::orders_may_happen) +
      "<p id=\"nothing\"></p>\n<div id=\"choices\" class=\"choices\"></div>\n" +
      "<h2 id=\"faults-heading\">" + page.say(Text::orders_faults) +
      "</h2>\n<div id=\"faults\" class=\"choices\"></div>\n</section>\n<section>\n" +
      page.tables() + page.heading(Text::orders_counts) + "<table><thead><tr><th>" +
      page.say(Text::orders_message) + "</th><th>" + page.say(Text::orders_sent) + "</th><th>" +
      page.say(Text::orders_textbook) +
      "</th></tr></thead><tbody id=\"counts\"></tbody></table>\n" + page.heading(Text::orders_way) +
      "<ol id=\"steps\" start=\"0\"></ol>\n" + "</section>\n</main>\n<footer>" + page.legend() +
      "<br/>" + page.say(Text::orders_keys) + "</footer>\n";
  return page.html(orders.title, body, "orders", data.json());
}

}  // namespace bully
