// page.cc: the parts of a page, each drawn once.
#include "pictures/page.h"

#include "base/carried.h"
#include "base/json.h"
#include "base/layout.h"
#include "base/list.h"
#include "base/text.h"
#include "pictures/style.h"
#include "words/names.h"

namespace bully {

namespace {

// The colours of messages, which fit a dark screen as well.
std::string styles(std::string& heads) {
  std::string light;
  std::string dark;
  std::string rules;
  for (const MessageType type : known_messages()) {
    const std::string name = "--" + css_of(type);
    light += ' ' + name + ": " + std::string(style_of(type).ink) + ';';
    dark += ' ' + name + ": " + std::string(style_of(type).ink_on_dark) + ';';
    define_message(type, "var(" + name + ')', rules, heads);
  }
  return ":root {" + light + " }\n@media (prefers-color-scheme: dark) { :root {" + dark + " } }\n" +
         rules;
}

// Without line ends, which thousands of parts would repeat.
std::string markup_of(const Svg& svg) {
  return replaced(svg.shapes(), ">\n", ">");
}

}  // namespace

// --- Parts ---------------------------------------------------------------------------------------

std::vector<std::size_t> WebPage::numbers_of(const Frame& frame) {
  std::vector<std::size_t> numbers = {parts_.number_of(links(frame))};
  // Its line may cross the words on an answer, which are in front.
  if (frame.ended) numbers.push_back(parts_.number_of(arrow(frame, *frame.ended)));
  for (const Frame::Arrow& one : frame.arrows)
    numbers.push_back(parts_.number_of(arrow(frame, one)));
  processes_.resize(frame.places.size());
  for (std::size_t i = 0; i < frame.places.size(); ++i) {
    const Diagram::Place& place = frame.places[i];
    if (i < places_.size() && places_[i] == place) continue;
    processes_[place.lane] = parts_.number_of(process(place, i));
  }
  places_ = frame.places;
  numbers.insert(numbers.end(), processes_.begin(), processes_.end());
  return numbers;
}

WebPage::Part WebPage::links(const Frame& frame) const {
  Svg svg;
  painter.sides(svg, frame);
  painter.links(svg, frame);
  return {markup_of(svg)};
}

WebPage::Part WebPage::arrow(const Frame& frame, const Frame::Arrow& arrow) const {
  constexpr std::array stages = {"way", "way faint", "way ended received", "way ended"};
  const std::vector<Diagram::Message>& messages = painter.diagram.messages;
  const Diagram::Message& newest = messages[arrow.messages.back()];
  const std::string from = std::to_string(newest.from);
  const std::string to = std::to_string(newest.to);
  const std::string between = "of-" + from + " of-" + to;
  Svg svg;
  painter.message(svg, frame, arrow);
  const auto item = [&](std::size_t i) {
    return "<li class=\"" + between + " to-" + to + "\" data-message=\"" + std::to_string(i) +
           "\">" + escaped(sentence_of(painter.diagram, messages[i], painter.language)) + "</li>";
  };
  const std::string stage = stages.at(static_cast<std::size_t>(arrow.stage));
  return {"<g class=\"" + stage + ' ' + between + "\" data-from=\"" + from + "\" data-to=\"" + to +
              "\" data-messages=\"" + joined(arrow.messages, " ") + "\">" + markup_of(svg) + "</g>",
          "", arrow.stage > Frame::Stage::under_way ? "" : joined(arrow.messages, "", item)};
}

WebPage::Part WebPage::process(const Diagram::Place& place, std::size_t at) const {
  const std::string lane = std::to_string(place.lane);
  const std::string id = std::to_string(place.node.id);
  const auto cell = [](const std::string& words) { return "<td>" + escaped(words) + "</td>"; };
  Svg svg;
  painter.process(svg, place, at);
  const std::optional<NodeId> followed = place.node.coordinator;
  const bool is_up = painter.on_ring(painter.angle_of(at)).imag() < painter.centre.imag() - 1;
  return {"<g class=\"node " + std::string(is_up ? "up" : "down") + " of-" + lane +
              "\" data-lane=\"" + lane + "\">" + markup_of(svg) + "</g>",
          "<tr class=\"of-" + lane + (place.mark == Diagram::Mark::acts ? " current" : "") +
              "\"><td><button type=\"button\" data-lane=\"" + lane + "\" title=\"" +
              escaped(text(process_tip, painter.language, {id})) + "\">" + id + "</button></td>" +
              cell(state_words(place.node, painter.language)) +
              cell(followed ? std::to_string(*followed) : "–") + "</tr>",
          ""};
}

// --- The page around them ------------------------------------------------------------------------

std::string filled_page(std::string_view name, Language language, const PageValues& values) {
  const std::string page = page_file(name, "html");
  std::string all;
  std::size_t at = 0;
  for (std::size_t begin = 0; (begin = page.find("{{", at)) != page.npos;) {
    const std::size_t end = page.find("}}", begin);
    const std::string_view place = std::string_view(page).substr(begin + 2, end - begin - 2);
    all.append(page, at, begin - at);
    at = end + 2;
    const std::string_view file = place.substr(0, place.find('.'));
    const auto value = values.find(place);
    if (value != values.end()) {
      all += value->second;
    } else if (file == place) {
      all += escaped(text(find_text(place).value(), language));
    } else {
      all += place.ends_with(".html") ? filled_page(file, language, values)
                                      : page_file(file, place.substr(file.size() + 1));
      all.pop_back();  // the end of its last line
    }
  }
  return all + page.substr(at);
}

std::string WebPage::html(std::string_view page, const std::string& title, const std::string& data,
                          PageValues values) const {
  // The picture's measures, by which frame.js fits it into its room.
  const auto room =
      joined(std::array{painter.centre.real(), painter.centre.imag(), painter.reach(),
                        painter.radius, painter.fall(), painter.lowest(), painter.circle,
                        painter.beside, painter.lines * painter.line()},
             " ", svg_number);
  const auto entry = [&](MessageType type) {
    return "<b>" + escaped(type->code) + "</b> " + escaped(name_of(type, painter.language));
  };
  std::string heads;
  const std::string rules = styles(heads);
  values.insert({{"lang", std::string(code_of(painter.language))},
                 {"title", escaped(title)},
                 {"styles", rules},
                 {"heads", heads},
                 {"size", svg_point(painter.width(), painter.height())},
                 {"room", room},
                 {"circle", svg_number(painter.circle)},
                 {"more", svg_number((painter.lines - 1) * painter.line())},
                 {"id", svg_number(painter.most_of_id())},
                 {"fast", decimal(0.5, 1, painter.language)},
                 {"normal", decimal(1.5, 1, painter.language)},
                 {"legend", joined(messages_in(painter.diagram), " · ", entry)},
                 // No content can end the script element around it.
                 {"data", replaced(data, "<", "\\u003c")}});
  return filled_page(page, painter.language, values);
}

}  // namespace bully
