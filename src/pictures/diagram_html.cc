// diagram_html.cc: the page of a recorded run, with its frames as data.
#include <algorithm>
#include <set>

#include "base/json.h"
#include "base/list.h"
#include "pictures/page.h"

namespace bully {

// An election begins when a process is asked to take over, or fails, or is suspected.
static bool begins_election(const Diagram& diagram, const Diagram::Step& one) {
  using enum TraceEvent;
  const bool is_join = (one.event == start && !one.restart) || one.event == receive ||
                       one.event == lost || one.event == send;
  return !is_join || std::ranges::any_of(one.sent, [&](std::size_t i) {
    const Role role = diagram.messages[i].type->role;
    return role == Role::asks || role == Role::claims;
  });
}

// The steps before it, in which processes join: one step of the page, which opens. None, if nothing
// else follows or precedes them.
static std::string joins_json(const Diagram& diagram, Language language) {
  const auto end = std::ranges::find_if(
      diagram.steps, [&](const Diagram::Step& step) { return begins_election(diagram, step); });
  std::set<NodeId> joined_ids;
  for (auto step = diagram.steps.begin(); step != end; ++step) {
    if (step->event == TraceEvent::start) joined_ids.insert(diagram.lanes[step->lane]);
  }
  const auto steps = static_cast<std::size_t>(end - diagram.steps.begin());
  if (end == diagram.steps.end() || steps < 2 || joined_ids.empty()) return "{\"steps\":0}";
  return json_object(
      {{"steps", json_number(steps)},
       {"when", json_string(text(Text::html_steps, language, {1, steps, diagram.steps.size()}))},
       {"what", json_string(text(Text::html_joined, language, {joined(joined_ids, ", ")}))}});
}

static std::string chapters_json(const std::vector<Chapter>& chapters) {
  return json_array(
      chapters,
      [](const Chapter& chapter) {
        return json_object({{"step", json_number(chapter.step)},
                            {"words", json_string(chapter.words)},
                            {"line", json_string(chapter.line)}});
      },
      ",\n");
}

static std::string frames_json(const Diagram& diagram, WebPage& page, Language language,
                               const Lesson& lesson) {
  std::string frames;
  each_frame(diagram, [&](const Frame& frame) {
    const auto [heading, caption, rule] = words_of(diagram, frame, language);
    frames += frames.empty() ? "[" : ",\n";
    frames += json_object({{"when", json_string(heading)},
                           {"what", json_string(caption)},
                           {"rule", json_string(rule)},
                           {"parts", json_array(page.numbers_of(frame), json_number)}});
  });
  return json_object(
      {{"lanes", json_array(diagram.lanes, json_number)},
       {"joins", lesson.chapters.empty() ? joins_json(diagram, language) : R"({"steps":0})"},
       {"chapters", chapters_json(lesson.chapters)},
       {"parts", page.json()},
       {"frames", frames + ']'}},
      ",\n");
}

std::string diagram_html(const Diagram& diagram, Language language, const Lesson& lesson) {
  WebPage page(diagram, language);
  each_frame(diagram, [&](const Frame& frame) { page.painter.fit(frame); });
  page.painter.measure();
  const std::string title = lesson.title.empty() ? title_of(diagram, language) : lesson.title;
  return page.html("run", title, frames_json(diagram, page, language, lesson),
                   {{"watch", escaped(lesson.watch)}});
}

}  // namespace bully
