// diagram_html.cc: the page of a recorded run, with its frames as data.
#include "base/json.h"
#include "pictures/page.h"

namespace bully {

static std::string frames_json(const Diagram& diagram, WebPage& page, Language language) {
  std::string frames;
  each_frame(diagram, [&](const Frame& frame) {
    const auto [heading, caption, rule] = words_of(diagram, frame, language);
    frames += frames.empty() ? "[" : ",\n";
    frames += json_object({{"when", json_string(heading)},
                           {"what", json_string(caption)},
                           {"rule", json_string(rule)},
                           {"parts", json_array(page.numbers_of(frame), json_number)}});
  });
  return json_object({{"lanes", json_array(diagram.lanes, json_number)},
                      {"parts", page.json()},
                      {"frames", frames + ']'}},
                     ",\n");
}

std::string diagram_html(const Diagram& diagram, Language language) {
  WebPage page(diagram, language);
  each_frame(diagram, [&](const Frame& frame) { page.painter.fit(frame); });
  page.painter.measure();
  const std::string speed = page.say(Text::html_speed);
  const std::string body =
      "<nav>\n" + page.button("first", "⇤", Text::html_first) +
      page.button("back", "←", Text::html_back) + page.button("forward", "→", Text::html_forward) +
      page.button("last", "⇥", Text::html_last) + page.button("play", "▶", Text::html_play) +
      "<select id=\"speed\" title=\"" + speed + "\" aria-label=\"" + speed +
      "\">\n<option value=\"500\">" + decimal(0.5, 1, language) + " s</option>\n" +
      "<option value=\"1500\" selected=\"\">" + decimal(1.5, 1, language) + " s</option>\n" +
      "<option value=\"4000\">4 s</option>\n</select>\n" +
      "<input type=\"range\" id=\"slider\" min=\"0\" value=\"0\" aria-labelledby=\"when\"/>\n" +
      "</nav>\n<main>\n" + page.picture() +
      "<section>\n<div aria-live=\"polite\">\n<p id=\"when\"></p>\n<p id=\"what\"></p>\n" +
      page.heading(Text::html_rule) + "<p id=\"rule\"></p>\n</div>\n" + page.tables() +
      "</section>\n</main>\n<footer>" + page.legend() + "<br/>" + page.say(Text::html_keys) +
      "</footer>\n";
  return page.html(title_of(diagram, language), body, "run", frames_json(diagram, page, language));
}

}  // namespace bully
