#include "view/diagram_html.h"

#include "trace/json.h"
#include "view/diagram_page.h"
#include "view/diagram_rules.h"
#include "view/diagram_words.h"
#include "view/looks.h"
#include "view/ring_frames.h"
#include "view/svg_shapes.h"

namespace bully {

namespace {

// A JSON string that may stand in a script: nothing in it can end the script.
std::string quoted(std::string_view words) {
  std::string shown;
  for (const char c : json_string(words)) {
    if (c == '<') {
      shown += "\\u003c";
    } else {
      shown += c;
    }
  }
  return shown;
}

// `"key":value,`
std::string member(std::string_view key, const std::string& value) {
  return '"' + std::string(key) + "\":" + value + ',';
}

std::string number(std::optional<std::uint64_t> value) {
  return value ? std::to_string(*value) : "null";
}

// Members with a comma after each, as an object; elements likewise, as an array.
std::string closed(char open, std::string parts, char close) {
  if (!parts.empty() && parts.back() == ',') parts.pop_back();
  return open + parts + close;
}

std::string standing_json(const Diagram::Standing& standing) {
  return closed('{',
                member("up", standing.up ? "true" : "false") +
                    member("state", quoted(standing.state)) +
                    member("look", quoted(look_of_state(standing.state).css)) +
                    member("variables", quoted(variables_words(standing.variables))) +
                    member("coordinator", number(standing.coordinator)),
                '}');
}

std::string standings_json(const std::vector<Diagram::Standing>& standings) {
  std::string all;
  for (const Diagram::Standing& standing : standings) all += standing_json(standing) + ',';
  return closed('[', all, ']');
}

std::string step_json(const Diagram& diagram, const Diagram::Step& step, Language language) {
  return closed('{',
                member("lane", std::to_string(step.lane)) +
                    member("time", quoted(milliseconds_text(step.t_ns))) +
                    member("what", quoted(sentence_of(diagram, step, language))) +
                    member("rule", quoted(rule_of(diagram, step, language))) +
                    member("received", number(step.received)) + member("lost", number(step.lost)) +
                    member("after", standing_json(step.after)),
                '}');
}

std::string message_json(const Diagram& diagram, const Diagram::Message& message,
                         Language language) {
  Diagram::Message not_yet_lost = message;  // while it is under way, nobody knows
  not_yet_lost.lost.reset();
  return closed(
      '{',
      member("name", quoted(short_name_of(message.type, message.subject))) +
          member("kind", quoted(look_of(message.type).css)) +
          member("from", std::to_string(message.from)) + member("to", std::to_string(message.to)) +
          member("sent", number(message.sent)) + member("received", number(message.received)) +
          member("lost", number(message.lost)) +
          member("words", quoted(sentence_of(diagram, not_yet_lost, language))),
      '}');
}

std::string words_json(Language language) {
  const auto say = [&](Text words) { return quoted(text(words, language)); };
  return closed('{',
                member("absent", say(Text::diagram_not_there)) +
                    member("unknown", say(Text::html_unknown)) +
                    member("none", say(Text::html_none)) + member("step", say(Text::html_step)) +
                    member("beginning", say(Text::html_beginning)),
                '}');
}

// Every state that occurs, as people read it.
std::string states_json(const Diagram& diagram, Language language) {
  std::string states;
  const auto add = [&](std::string_view state) {
    const std::string one = member(state, quoted(state_words(state, language)));
    if (!state.empty() && states.find(one) == std::string::npos) states += one;
  };
  for (const Diagram::Standing& standing : diagram.before) add(standing.state);
  for (const Diagram::Step& step : diagram.steps) add(step.after.state);
  return closed('{', states, '}');
}

std::string run_json(const Diagram& diagram, Language language) {
  std::string lanes;
  std::string order;
  std::string steps;
  std::string messages;
  for (const NodeId id : diagram.lanes) lanes += std::to_string(id) + ',';
  for (const std::size_t lane : clockwise_order(diagram)) order += std::to_string(lane) + ',';
  for (const auto& step : diagram.steps) steps += step_json(diagram, step, language) + ",\n";
  for (const auto& message : diagram.messages) {
    messages += message_json(diagram, message, language) + ",\n";
  }
  for (std::string* list : {&steps, &messages}) {
    if (!list->empty()) list->resize(list->size() - 2);
  }
  return closed('{',
                member("lanes", closed('[', lanes, ']')) + "\n" +
                    member("clockwise", closed('[', order, ']')) + "\n" +
                    member("before", standings_json(diagram.before)) + "\n" +
                    member("end", standings_json(standing_at_end(diagram))) + "\n" +
                    member("steps", "[\n" + steps + "]") + "\n" +
                    member("messages", "[\n" + messages + "]") + "\n" +
                    member("states", states_json(diagram, language)) + "\n" +
                    member("words", words_json(language)),
                '}');
}

// The lines and heads of messages, by the colour that the page names for each.
std::string message_styles() {
  std::string light;
  std::string dark;
  std::string rules;
  for (std::size_t i = 0; i < message_type_count; ++i) {
    const MessageLook& look = look_of(static_cast<MessageType>(i));
    if (rules.find(" ." + std::string(look.css) + ' ') != std::string::npos) continue;
    const std::string css(look.css);
    const std::string color = "var(--" + css + ')';
    light += " --" + css + ": " + std::string(look.ink) + ';';
    dark += " --" + css + ": " + std::string(look.ink_on_dark) + ';';
    const bool open = look.head == Head::open;
    rules += "svg ." + css + " { stroke: " + color + "; stroke-width: " +
             std::to_string(look.stroke > 2   ? 5
                            : look.stroke > 1 ? 3
                                              : 1) +
             (look.dashes.empty() ? "" : "; stroke-dasharray: " + std::string(look.dashes)) +
             "; }\nsvg ." + css + ".head { fill: " + (open ? "var(--paper)" : color) +
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
  const std::string lang = language == Language::english ? "en" : "pt-BR";
  return "<!DOCTYPE html>\n<html lang=\"" + lang + "\">\n<head>\n<meta charset=\"utf-8\"/>\n" +
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>" +
         title + "</title>\n<style>" + std::string(diagram_page_style) + message_styles() +
         "</style>\n</head>\n<body>\n<header><h1>" + title + "</h1></header>\n<nav>\n" +
         button("first", "|◀", Text::html_first, language) +
         button("back", "◀", Text::html_back, language) +
         button("forward", "▶", Text::html_forward, language) +
         button("last", "▶|", Text::html_last, language) +
         "<input type=\"range\" id=\"slider\" min=\"0\" value=\"0\" aria-labelledby=\"when\"/>\n" +
         "</nav>\n<main>\n<svg id=\"ring\" role=\"img\" aria-labelledby=\"what\"></svg>\n" +
         "<section>\n<div aria-live=\"polite\">\n<p id=\"when\"></p>\n<p id=\"what\"></p>\n<h2>" +
         say(Text::html_rule) + "</h2>\n<p id=\"rule\"></p>\n</div>\n<h2>" + say(Text::html_nodes) +
         "</h2>\n<table><thead><tr><th>" + say(Text::html_process) + "</th><th>" +
         say(Text::html_state) + "</th><th>" + say(Text::html_follows) +
         "</th></tr></thead><tbody id=\"processes\"></tbody></table>\n<h2>" +
         say(Text::html_under_way) + "</h2>\n<ul id=\"way\"></ul>\n</section>\n</main>\n<footer>" +
         say(Text::html_keys) + "</footer>\n<script>\nconst run = " + run_json(diagram, language) +
         ";\n" + std::string(diagram_page_script) + "</script>\n</body>\n</html>\n";
}

}  // namespace bully
