// diagram_html.cc: the page, with the run as data. How it looks and what it does: page.h.
#include "trace/json.h"
#include "view/diagram.h"
#include "view/page.h"
#include "view/svg.h"

namespace bully {

namespace {

std::string node_json(const Snapshot& node, Language language) {
  return json_object({{"words", json_string(state_words(node, language))},
                      {"look", json_string(css_of(node))},
                      {"variables", json_string(variables_words(node.variables))},
                      {"group", json_string(group_words(node.group))},
                      {"coordinator", json_number(node.coordinator)}});
}

std::string step_json(const Diagram& diagram, const Diagram::Step& step, Language language) {
  const bool lost = step.event == TraceEvent::lost;
  return json_object({{"lane", json_number(step.lane)},
                      {"time", json_string(milliseconds_text(step.t_ns, language))},
                      {"what", json_string(sentence_of(diagram, step, language))},
                      {"rule", json_string(rule_of(step, language))},
                      {"received", json_number(lost ? std::nullopt : step.ended)},
                      {"lost", json_number(lost ? step.ended : std::nullopt)},
                      {"stopped", json_array(step.stopped, json_number)},
                      {"after", node_json(step.after, language)}});
}

std::string message_json(const Diagram& diagram, const Diagram::Message& message,
                         Language language) {
  return json_object({{"name", json_string(short_name_of(message.type, message.values))},
                      {"kind", json_string(css_of(message.type))},
                      {"from", json_number(message.from)},
                      {"to", json_number(message.to)},
                      {"sent", json_number(message.sent)},
                      {"received", json_number(message.lost ? std::nullopt : message.ended)},
                      {"lost", json_number(message.lost ? message.ended : std::nullopt)},
                      {"words", json_string(sentence_of(diagram, message, language))}});
}

// Nothing in it can end the script in which it stands.
std::string run_json(const Diagram& diagram, Language language) {
  const auto group = [](const Group& one) { return json_string(group_words(one)); };
  const auto node = [&](const Snapshot& one) { return node_json(one, language); };
  const auto step = [&](const auto& one) { return step_json(diagram, one, language); };
  const auto message = [&](const auto& one) { return message_json(diagram, one, language); };
  const auto say = [&](Text words) { return json_string(text(words, language)); };
  const std::string words = json_object({{"none", say(Text::html_none)},
                                         {"step", say(Text::html_step)},
                                         {"group", say(Text::group_label)},
                                         {"hide", say(Text::html_hide)},
                                         {"stopped", say(Text::frame_paused)},
                                         {"beginning", say(Text::html_beginning)}});
  const std::string run =
      json_object({{"lanes", json_array(diagram.lanes, json_number)},
                   {"groups", json_array(groups_in(diagram), group)},
                   {"clockwise", json_array(clockwise_order(diagram), json_number)},
                   {"before", json_array(diagram.before, node)},
                   {"steps", json_array(diagram.steps, step, ",\n")},
                   {"messages", json_array(diagram.messages, message, ",\n")},
                   {"words", words}},
                  ",\n");
  std::string safe;
  for (const char c : run) safe += c == '<' ? "\\u003c" : std::string(1, c);
  return safe;
}

// The lines and heads of messages, by the colour that the page names for each.
std::string styles_of_messages() {
  std::string light;
  std::string dark;
  std::string rules;
  for (const MessageType type : known_messages()) {
    const MessageStyle& look = style_of(type);
    const std::string css = css_of(type);
    if (rules.find(" ." + css + ' ') != std::string::npos) continue;
    const std::string color = "var(--" + css + ')';
    light += " --" + css + ": " + std::string(look.ink) + ';';
    dark += " --" + css + ": " + std::string(look.ink_on_dark) + ';';
    const std::string_view wide = look.stroke > 2 ? "5" : look.stroke > 1 ? "3" : "1";
    rules += "svg ." + css + " { stroke: " + color + "; stroke-width: " + std::string(wide) +
             (look.dashes.empty() ? "" : "; stroke-dasharray: " + std::string(look.dashes)) +
             "; }\nsvg ." + css +
             ".head { fill: " + (look.head == Head::open ? "var(--paper)" : color) +
             "; stroke-width: 3; stroke-dasharray: none; }\n";
  }
  return ":root {" + light + " }\n@media (prefers-color-scheme: dark) { :root {" + dark + " } }\n" +
         rules;
}

std::string button(std::string_view id, std::string_view sign, Text words, Language language) {
  const std::string label = escaped(text(words, language));
  return "<button type=\"button\" id=\"" + std::string(id) + "\" title=\"" + label +
         "\" aria-label=\"" + label + "\">" + std::string(sign) + "</button>\n";
}

}  // namespace

std::string diagram_html(const Diagram& diagram, Language language) {
  const auto say = [&](Text words) { return escaped(text(words, language)); };
  const std::string title = escaped(title_of(diagram, language));
  const std::string lang(code_of(language));
  const std::string note = escaped(group_note(diagram, language));
  return "<!DOCTYPE html>\n<html lang=\"" + lang + "\">\n<head>\n<meta charset=\"utf-8\"/>\n" +
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>" +
         title + "</title>\n<style>" + std::string(page_style) + styles_of_messages() +
         "</style>\n</head>\n<body>\n<header><h1>" + title + "</h1></header>\n<nav>\n" +
         button("first", "|◀", Text::html_first, language) +
         button("back", "◀", Text::html_back, language) +
         button("play", "▷", Text::html_play, language) +
         button("forward", "▶", Text::html_forward, language) +
         button("last", "▶|", Text::html_last, language) + "<select id=\"speed\" title=\"" +
         say(Text::html_speed) + "\" aria-label=\"" + say(Text::html_speed) +
         "\">\n<option value=\"500\">" + decimal(0.5, 1, language) + " s</option>\n" +
         "<option value=\"1500\" selected=\"\">" + decimal(1.5, 1, language) + " s</option>\n" +
         "<option value=\"4000\">4 s</option>\n</select>\n" +
         "<input type=\"range\" id=\"slider\" min=\"0\" value=\"0\" aria-labelledby=\"when\"/>\n" +
         "</nav>\n<main>\n<svg id=\"ring\" role=\"img\" aria-labelledby=\"what\"></svg>\n" +
         "<section>\n<div aria-live=\"polite\">\n<p id=\"when\"></p>\n<p id=\"what\"></p>\n<h2>" +
         say(Text::html_rule) + "</h2>\n<p id=\"rule\"></p>\n</div>\n<h2>" + say(Text::html_nodes) +
         "</h2>\n<table><thead><tr><th>" + say(Text::html_process) + "</th><th>" +
         say(Text::html_state) + "</th><th>" +
         (note.empty() ? "" : say(Text::html_group) + "</th><th>") + say(Text::html_follows) +
         "</th></tr></thead><tbody id=\"processes\"></tbody></table>\n<h2>" +
         say(Text::html_under_way) + "</h2>\n<ul id=\"way\"></ul>\n</section>\n</main>\n<footer>" +
         say(Text::html_keys) + (note.empty() ? "" : "<br/>" + note) +
         "</footer>\n<script>\nconst run = " + run_json(diagram, language) + ";\n" +
         std::string(page_script) + "</script>\n</body>\n</html>\n";
}

}  // namespace bully
