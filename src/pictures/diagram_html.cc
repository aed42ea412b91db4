// diagram_html.cc: the page of a recorded run, with its frames as data.
#include <algorithm>
#include <map>
#include <set>

#include "base/json.h"
#include "base/list.h"
#include "pictures/page.h"
#include "words/names.h"

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

// The frames of the page by the number of steps before them.
using FrameNumbers = std::map<std::size_t, std::size_t>;

static std::string chapters_json(const std::vector<Chapter>& chapters, const FrameNumbers& frames) {
  return json_array(
      chapters,
      [&](const Chapter& chapter) {
        return json_object({{"frame", json_number(frames.at(chapter.step))},
                            {"words", json_string(chapter.words)},
                            {"line", json_string(chapter.line)}});
      },
      ",\n");
}

static MessageCounts difference(const MessageCounts& later, const MessageCounts& earlier) {
  MessageCounts counts;
  for (const auto& [type, count] : later) {
    if (count > earlier.of(type)) counts[type] = count - earlier.of(type);
  }
  return counts;
}

// The counter of a page, which takes all frames in turn.
struct Counter {
  const Diagram& diagram;
  const Lesson& lesson;
  MessageCounts before = {};  // the messages before the counter began again
  MessageCounts latest = {};  // of the frame before
  std::size_t counted = 0;    // elections that are over

  std::string words(const Frame& frame, Language language) {
    const auto& all = diagram.counted;
    while (counted < all.size() && all[counted].steps <= frame.steps) ++counted;
    const bool begins_again =
        frame.steps > 0 && std::ranges::count(lesson.counted_from, frame.steps - 1) > 0;
    if (begins_again) before = latest;
    latest = frame.sent;
    const MessageCounts sent = difference(frame.sent, before);
    std::optional<MessageCounts> textbook;
    if (counted > 0 && all[counted - 1].sent == sent) textbook = all[counted - 1].textbook;
    return counts_words(sent, textbook, *diagram.algorithm, language);
  }
};

// The frames that a page shows, by the steps behind them: of a long lesson, the chapters and the
// end. Empty: all.
static std::set<std::size_t> shown_frames(const Diagram& diagram, const Lesson& lesson) {
  if (lesson.chapters.empty() || diagram.steps.size() <= most_lesson_steps) return {};
  std::set<std::size_t> shown = {diagram.steps.size()};
  for (const Chapter& chapter : lesson.chapters) shown.insert(chapter.step);
  return shown;
}

static std::string frames_json(const Diagram& diagram, WebPage& page, Language language,
                               const Lesson& lesson, const std::set<std::size_t>& shown) {
  Counter counter{.diagram = diagram, .lesson = lesson};
  FrameNumbers numbers;
  Numbered<std::string> texts;
  std::string frames;
  each_frame(
      diagram,
      [&](const Frame& frame) {
        const std::string counts = counter.words(frame, language);
        if (!shown.empty() && !shown.contains(frame.steps)) return;
        numbers.emplace(frame.steps, numbers.size());
        const auto [heading, caption, rule] = words_of(diagram, frame, language);
        frames += frames.empty() ? "[" : ",\n";
        frames += json_object({{"when", json_string(heading)},
                               {"what", json_string(caption)},
                               {"rule", json_number(texts.number_of(rule))},
                               {"counts", json_number(texts.number_of(counts))},
                               {"parts", json_array(page.numbers_of(frame), json_number)}});
      },
      shown);
  return json_object(
      {{"lanes", json_array(diagram.lanes, json_number)},
       {"joins", lesson.chapters.empty() ? joins_json(diagram, language) : R"({"steps":0})"},
       {"chapters", chapters_json(lesson.chapters, numbers)},
       {"texts", texts.json(json_string)},
       {"parts", page.json()},
       {"frames", frames + ']'}},
      ",\n");
}

std::string diagram_html(const Diagram& diagram, Language language, const Lesson& lesson) {
  WebPage page(diagram, language);
  const std::set<std::size_t> shown = shown_frames(diagram, lesson);
  each_frame(
      diagram, [&](const Frame& frame) { page.painter.fit(frame); }, shown);
  page.painter.measure();
  const std::string title = lesson.title.empty() ? title_of(diagram, language) : lesson.title;
  return page.html("run", title, frames_json(diagram, page, language, lesson, shown),
                   {{"watch", escaped(lesson.watch)}});
}

}  // namespace bully
