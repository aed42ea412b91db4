// diagram_html.cc: the page of a recorded run, with its frames as data.
#include "trace/json.h"
#include "view/page.h"
#include "view/page_parts.h"

namespace bully {

namespace {

class FrameData {
 public:
  FrameData(const Diagram& diagram, Language language)
      : diagram_(diagram), language_(language), parts_(diagram, language, groups_in(diagram)) {
    each_frame(diagram_, [this](const Frame& frame) { parts_.painter.fit(frame); });
    parts_.ready();
  }

  const PageParts& parts() const { return parts_; }
  std::string json() {
    std::string frames;
    each_frame(diagram_, [&](const Frame& frame) {
      frames += (frames.empty() ? "[" : ",\n") + frame_json(frame);
    });
    return json_object({{"lanes", json_array(diagram_.lanes, json_number)},
                        {"parts", parts_.json()},
                        {"frames", frames + ']'}},
                       ",\n");
  }

 private:
  // A ring's links; the messages in flight; the message that the step has ended; and on top, the
  // processes.
  std::string frame_json(const Frame& frame) {
    std::vector<std::size_t> parts = {parts_.number_of(parts_.links(frame))};
    for (const Frame::Arrow& arrow : frame.arrows) {
      parts.push_back(parts_.number_of(parts_.arrow(frame, arrow)));
    }
    if (frame.ended) parts.push_back(parts_.number_of(parts_.arrow(frame, *frame.ended)));
    process_parts_.resize(frame.places.size());
    for (std::size_t i = 0; i < frame.places.size(); ++i) {
      const Frame::Place& place = frame.places[i];
      if (frame.steps > 0 && places_[i] == place) continue;
      process_parts_[place.lane] = parts_.number_of(parts_.process(place, i));
    }
    places_ = frame.places;
    parts.insert(parts.end(), process_parts_.begin(), process_parts_.end());
    const auto [heading, caption, rule] = words_of(diagram_, frame, language_);
    return json_object({{"when", json_string(heading)},
                        {"what", json_string(caption)},
                        {"rule", json_string(rule)},
                        {"parts", json_array(parts, json_number)}});
  }

  const Diagram& diagram_;
  Language language_;
  PageParts parts_;
  // As in the frame before.
  std::vector<Frame::Place> places_ = {};
  std::vector<std::size_t> process_parts_ = {};  // by lane
};

}  // namespace

std::string diagram_html(const Diagram& diagram, Language language) {
  const auto say = [&](Text words) { return escaped(text(words, language)); };
  const std::string note = escaped(group_note(diagram, language));
  FrameData frames(diagram, language);
  const PageParts& parts = frames.parts();
  const std::string body =
      "<nav>\n" + page_button("first", "⇤", Text::html_first, language) +
      page_button("back", "←", Text::html_back, language) +
      page_button("forward", "→", Text::html_forward, language) +
      page_button("last", "⇥", Text::html_last, language) +
      page_button("play", "▶", Text::html_play, language) + "<select id=\"speed\" title=\"" +
      say(Text::html_speed) + "\" aria-label=\"" + say(Text::html_speed) +
      "\">\n<option value=\"500\">" + decimal(0.5, 1, language) + " s</option>\n" +
      "<option value=\"1500\" selected=\"\">" + decimal(1.5, 1, language) + " s</option>\n" +
      "<option value=\"4000\">4 s</option>\n</select>\n" +
      "<input type=\"range\" id=\"slider\" min=\"0\" value=\"0\" aria-labelledby=\"when\"/>\n" +
      "</nav>\n<main>\n" + parts.picture() +
      "<section>\n<div aria-live=\"polite\">\n<p id=\"when\"></p>\n<p id=\"what\"></p>\n<h2>" +
      say(Text::html_rule) + "</h2>\n<p id=\"rule\"></p>\n</div>\n" + parts.table() + parts.list() +
      "</section>\n</main>\n<footer>" + page_legend(diagram, language) + "<br/>" +
      say(Text::html_keys) + (note.empty() ? "" : "<br/>" + note) + "</footer>\n";
  return page_html({.title = title_of(diagram, language),
                    .style = parts.style(),
                    .body = body,
                    .data = "run",
                    .json = frames.json(),
                    .script = "run"},
                   language);
}

}  // namespace bully
