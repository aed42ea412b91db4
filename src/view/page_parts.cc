#include "view/page_parts.h"

#include "trace/json.h"
#include "view/page.h"

namespace bully {

namespace {

// The colours of messages and groups, which fit a dark screen as well.
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
  for (std::size_t i = 0; i < group_tints; ++i) {
    rules += ".tint-" + std::to_string(i) + " { stroke: hsl(" + std::to_string(210 + 137 * i) +
             " 60% 55%); }\n";
  }
  return ":root {" + light + " }\n@media (prefers-color-scheme: dark) { :root {" + dark + " } }\n" +
         rules;
}

}  // namespace

PageParts::PageParts(const Diagram& scene, Language language, std::vector<Group> groups)
    : painter{scene, language}, scene_(scene), language_(language) {
  painter.covered = 0.62;  // messages received in a step cover their whole way
  painter.groups = std::move(groups);
}

void PageParts::ready() {
  painter.measure();
  painter.centre = {painter.width() / 2, painter.height() / 2};
}

PagePart PageParts::links(const Frame& frame) const {
  Svg svg;
  painter.links(svg, frame);
  return {svg.shapes()};
}

PagePart PageParts::arrow(const Frame& frame, const Frame::Arrow& arrow) const {
  constexpr std::array stages = {"way", "way faint", "way ended received", "way ended"};
  const Diagram::Message& newest = scene_.messages[arrow.messages.back()];
  const std::string from = std::to_string(newest.from);
  const std::string to = std::to_string(newest.to);
  const std::string between = "of-" + from + " of-" + to;
  const bool is_lost = arrow.stage == Frame::Stage::lost;
  Svg svg;
  painter.message(svg, frame, arrow,
                  "link " + css_of(newest.type) + (is_lost ? " lost" : " arrives"));
  const auto item = [&](std::size_t i) {
    return "<li class=\"" + between + " to-" + to + "\" data-message=\"" + std::to_string(i) +
           "\">" + escaped(sentence_of(scene_, scene_.messages[i], language_)) + "</li>";
  };
  const std::string stage = stages.at(static_cast<std::size_t>(arrow.stage));
  return {"<g class=\"" + stage + ' ' + between + "\" data-from=\"" + from + "\" data-to=\"" + to +
              "\" data-messages=\"" + joined(arrow.messages, " ") + "\">" + svg.shapes() + "</g>",
          "", arrow.stage > Frame::Stage::under_way ? "" : joined(arrow.messages, "", item)};
}

PagePart PageParts::process(const Frame::Place& place, std::size_t at) const {
  const std::string lane = std::to_string(place.lane);
  const std::string id = std::to_string(place.node.id);
  const auto cell = [](const std::string& words) { return "<td>" + escaped(words) + "</td>"; };
  const auto known = [](const std::string& words) { return words.empty() ? "–" : words; };
  Svg svg;
  painter.process(svg, place, at);
  const std::optional<NodeId> followed = place.node.coordinator;
  return {"<g class=\"node of-" + lane + "\" data-lane=\"" + lane + "\">" + svg.shapes() + "</g>",
          "<tr class=\"of-" + lane + (place.acts ? " current" : "") +
              "\"><td><button type=\"button\" data-lane=\"" + lane + "\" title=\"" +
              escaped(text(process_tip, language_, {id})) + "\">" + id + "</button></td>" +
              cell(state_words(place, language_)) +
              (painter.groups.empty() ? "" : cell(known(group_words(place.node.group)))) +
              cell(known(followed ? std::to_string(*followed) : "")) + "</tr>",
          ""};
}

std::string PageParts::json() const {
  std::vector<std::string> parts(numbers_.size());
  for (const auto& [part, number] : numbers_) parts[number] = json_array(part, json_string);
  return json_array(parts, std::identity(), ",\n");
}

std::string PageParts::style() const {
  std::string heads;
  return styles(heads);
}

std::string PageParts::picture() const {
  std::string heads;
  styles(heads);
  const auto wide = static_cast<std::uint64_t>(painter.width());
  return "<svg id=\"ring\" role=\"img\" aria-labelledby=\"what\" viewBox=\"" + view_box() +
         "\" style=\"--wide: " + std::to_string(wide) + "\">\n<defs>" + std::string(frame_heads) +
         heads + "</defs>\n<g id=\"picture\"></g>\n</svg>\n";
}

std::string PageParts::table() const {
  return "<h2>" + say(Text::html_nodes) + "</h2>\n<table><thead><tr><th>" +
         say(Text::html_process) + "</th><th>" + say(Text::html_state) + "</th><th>" +
         (painter.groups.empty() ? "" : say(Text::html_group) + "</th><th>") +
         say(Text::html_follows) + "</th></tr></thead><tbody id=\"processes\"></tbody></table>\n";
}

std::string PageParts::list() const {
  return "<h2>" + say(Text::html_under_way) + "</h2>\n<ul id=\"way\"></ul>\n<p id=\"none\">" +
         say(Text::html_none) + "</p>\n";
}

std::string page_legend(const Diagram& diagram, Language language) {
  const auto entry = [&](MessageType type) {
    return "<b>" + escaped(type->code) + "</b> " + escaped(name_of(type, language));
  };
  return joined(messages_in(diagram), " · ", entry) + " · " +
         escaped(text(Text::html_signs, language));
}

// --- The page around it ---

std::string_view page_file(std::string_view name, std::string_view kind) {
  for (const PageFile& file : page_files()) {
    if (file.name == name && file.kind == kind) return file.text;
  }
  return {};
}

std::string page_button(std::string_view id, std::string_view sign, Text words, Language language) {
  const std::string label = escaped(text(words, language));
  return "<button type=\"button\" id=\"" + std::string(id) + "\" title=\"" + label +
         "\" aria-label=\"" + label + "\">" + std::string(sign) + "</button>\n";
}

std::string page_html(const WebPage& page, Language language) {
  const std::string title = escaped(page.title);
  std::string json;  // no content can end the script element around it
  for (const char c : page.json) json += c == '<' ? "\\u003c" : std::string(1, c);
  return "<!DOCTYPE html>\n<html lang=\"" + std::string(code_of(language)) +
         "\">\n<head>\n<meta charset=\"utf-8\"/>\n" +
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>" +
         title + "</title>\n<style>" + std::string(frame_style) +
         std::string(page_file("page", "css")) + page.style +
         "</style>\n</head>\n<body>\n<header><h1>" + title + "</h1></header>\n" + page.body +
         "<script>\nconst " + std::string(page.data) + " = " + json + ";\n" +
         std::string(page_file("frame", "js")) + std::string(page_file(page.script, "js")) +
         "</script>\n</body>\n</html>\n";
}

}  // namespace bully
