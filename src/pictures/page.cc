// page.cc: the parts of a page, each drawn once.
#include "pictures/page.h"

#include <array>

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
    if (light.find(' ' + name + ':') != std::string::npos) continue;
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

std::size_t WebPage::number_of(const Part& part) {
  return numbers_.try_emplace(part, numbers_.size()).first->second;
}

std::vector<std::size_t> WebPage::numbers_of(const Frame& frame) {
  std::vector<std::size_t> numbers = {number_of(links(frame))};
  for (const Frame::Arrow& one : frame.arrows) numbers.push_back(number_of(arrow(frame, one)));
  if (frame.ended) numbers.push_back(number_of(arrow(frame, *frame.ended)));
  processes_.resize(frame.places.size());
  for (std::size_t i = 0; i < frame.places.size(); ++i) {
    const Diagram::Place& place = frame.places[i];
    if (i < places_.size() && places_[i] == place) continue;
    processes_[place.lane] = number_of(process(place, i));
  }
  places_ = frame.places;
  numbers.insert(numbers.end(), processes_.begin(), processes_.end());
  return numbers;
}

WebPage::Part WebPage::links(const Frame& frame) const {
  Svg svg;
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
  const bool is_lost = arrow.stage == Frame::Stage::lost;
  Svg svg;
  painter.message(svg, frame, arrow,
                  "link " + css_of(newest.type) + (is_lost ? " lost" : " arrives"));
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

std::string WebPage::json() const {
  std::vector<std::string> parts(numbers_.size());
  for (const auto& [part, number] : numbers_) parts[number] = json_array(part, json_string);
  return json_array(parts, std::identity(), ",\n");
}

// --- The page around them ------------------------------------------------------------------------

std::string WebPage::picture() const {
  std::string heads;
  styles(heads);
  // The picture's measures, by which frame.js fits it into its room.
  const auto room =
      joined(std::array{painter.centre.real(), painter.centre.imag(), painter.reach(),
                        painter.radius, painter.fall(), painter.lowest(), painter.circle,
                        painter.beside, painter.lines * painter.line()},
             " ", svg_number);
  return "<svg id=\"ring\" role=\"img\" aria-labelledby=\"what\" viewBox=\"0 0 " +
         svg_point(painter.width(), painter.height()) + "\" data-room=\"" + room +
         "\" style=\"--circle: " + svg_number(painter.circle) +
         "px; --row: " + svg_number(painter.line()) +
         "px; --more: " + svg_number((painter.lines - 1) * painter.line()) +
         "px; --id: " + svg_number(painter.most_of_id()) + "\">\n<defs>" +
         std::string(frame_heads) + heads + "</defs>\n<g id=\"picture\"></g>\n</svg>\n";
}

std::string WebPage::tables() const {
  return "<div>" + heading(Text::html_nodes) + "<table><thead><tr><th>" + say(Text::html_process) +
         "</th><th>" + say(Text::html_state) + "</th><th>" + say(Text::html_follows) +
         "</th></tr></thead><tbody id=\"processes\"></tbody></table></div>\n" + "<div>" +
         heading(Text::html_under_way) + "<ul id=\"way\"></ul>\n<p id=\"none\">" +
         say(Text::html_none) + "</p></div>\n";
}

std::string WebPage::legend() const {
  const auto entry = [&](MessageType type) {
    return "<b>" + escaped(type->code) + "</b> " + escaped(name_of(type, painter.language));
  };
  return joined(messages_in(painter.diagram), " · ", entry) + " · " + say(Text::html_signs);
}

std::string WebPage::player() const {
  const std::string speed = say(Text::html_speed);
  return button("play", "▶", Text::html_play) + "<select id=\"speed\" title=\"" + speed +
         "\" aria-label=\"" + speed + "\">\n<option value=\"500\">" +
         decimal(0.5, 1, painter.language) + " s</option>\n<option value=\"1500\" selected=\"\">" +
         decimal(1.5, 1, painter.language) +
         " s</option>\n<option value=\"4000\">4 s</option>\n</select>\n";
}

std::string WebPage::button(std::string_view id, std::string_view sign, Text words) const {
  const std::string label = say(words);
  return "<button type=\"button\" id=\"" + std::string(id) + "\" title=\"" + label +
         "\" aria-label=\"" + label + "\">" + std::string(sign) + "</button>\n";
}

std::string WebPage::html(const std::string& title, const std::string& body,
                          std::string_view script, const std::string& data) const {
  // No content can end the script element around it.
  const std::string json = replaced(data, "<", "\\u003c");
  std::string heads;
  return "<!DOCTYPE html>\n<html lang=\"" + std::string(code_of(painter.language)) +
         "\">\n<head>\n<meta charset=\"utf-8\"/>\n" +
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>" +
         escaped(title) + "</title>\n<style>" + page_file("frames", "css") +
         page_file("page", "css") + styles(heads) + "</style>\n</head>\n<body>\n<header><h1>" +
         escaped(title) + "</h1></header>\n" + body + "<script>\nconst " + std::string(script) +
         " = " + json + ";\n" + page_file("frame", "js") + page_file(script, "js") +
         "</script>\n</body>\n</html>\n";
}

}  // namespace bully
