// frames_text.cc: the frames of a run in a terminal.
#include <algorithm>

#include "pictures/frames.h"
#include "pictures/style.h"
#include "words/names.h"
#include "words/words.h"

namespace bully {

namespace {

// The ring in a terminal: from the upper left down the right side and up the left one, two lines
// for each row of it. Words are outside, and messages in flight inside.
struct RingPainter {
  const Diagram& diagram;
  Language language;
  std::size_t count = diagram.lanes.size();
  std::size_t label_columns = 0;
  std::size_t left = 0;  // the columns of the two sides
  std::size_t right = 0;
  std::size_t bottom = 0;  // the line

  void measure() {
    const std::size_t id_columns =
        diagram.lanes.empty() ? 0 : std::to_string(diagram.lanes.back()).size();
    std::size_t longest = 8;
    each_frame(diagram, [&](const Frame& frame) {
      for (std::size_t place = 0; place < count; ++place) {
        left = std::max(left, width(first_of(frame.places[place])) + id_columns + 3);
        left = std::max(left, width(variables_of(frame.places[place])) + 1);
        longest = std::max(longest, width(words_behind(frame, place)));
      }
    });
    const std::size_t taken = 2 * left + 9;  // beside the words on an arrow
    label_columns = taken < narration_columns ? std::min(longest, narration_columns - taken) : 0;
    right = left + label_columns + 8;
    bottom = 2 * (count - count / 2);
  }

  std::string paint() {
    measure();
    std::string shown = title_of(diagram, language) + "\n";
    each_frame(diagram, [&](const Frame& frame) {
      const auto [heading, caption, rule] = words_of(diagram, frame, language);
      const std::string head = "── " + heading + ' ';
      shown += '\n' + head +
               repeated("─", narration_columns - std::min(narration_columns, width(head))) + '\n';
      shown += beside("", caption) + '\n' + ring(frame) + others(frame);
    });
    const auto message = [](MessageType type) { return std::string(type->code); };
    shown += '\n' + legend_of(diagram, language, &StateStyle::mark, message) + "\n  ";
    shown += text(Text::ring_acts, language, {"[ ]"}) + "\n  ";
    return shown + joined(ring_notes(diagram, language), "\n  ") + '\n';
  }

  std::string first_of(const Diagram::Place& place) const {
    return words_beside(place.node, language).front();
  }
  static std::string variables_of(const Diagram::Place& place) {
    return variables_words(place.node.variables);
  }
  static std::string id_of(const Diagram::Place& place) { return std::to_string(place.node.id); }
  bool is_right(std::size_t place) const { return place > 0 && place <= count / 2; }
  std::size_t line_of(std::size_t place) const {
    const std::size_t row = is_right(place) ? place - 1 : (count - place) % count;
    return 2 * row;
  }

  // An arrow from a present process to the next one, or to an absent one between them.
  static bool is_on_ring(const Frame& frame, const Frame::Arrow& arrow) {
    if (arrow.from == arrow.to || !frame.is_there(arrow.from)) return false;
    std::size_t place = frame.beside(arrow.from);
    while (place != arrow.to && !frame.is_there(place)) place = frame.beside(place);
    return place == arrow.to;
  }
  // Its words are at its end: between this place and the next one clockwise.
  static std::size_t place_before(const Frame& frame, const Frame::Arrow& arrow) {
    return (arrow.to + frame.places.size() - 1) % frame.places.size();
  }
  static std::string words_behind(const Frame& frame, std::size_t place) {
    std::string words;
    for (const Frame::Arrow& arrow : frame.arrows) {
      if (!is_on_ring(frame, arrow) || place_before(frame, arrow) != place) continue;
      words += (words.empty() ? "" : " ") + arrow.words;
    }
    return words;
  }
  // Words below the ring describe the others.
  bool is_drawn(const Frame& frame, const Frame::Arrow& arrow) const {
    return is_on_ring(frame, arrow) &&
           width(words_behind(frame, place_before(frame, arrow))) <= label_columns;
  }

  std::string ring(const Frame& frame) const {
    Canvas canvas(right + left + 1, bottom + 1);
    const bool is_closed =
        std::ranges::count_if(frame.places, &Snapshot::is_alive, &Diagram::Place::node) > 1;
    for (std::size_t place = 0; place < count; ++place) {
      process(canvas, frame, place);
      if (is_closed) link(canvas, frame, place);
    }
    for (const Frame::Arrow& arrow : frame.arrows) {
      const std::size_t before = place_before(frame, arrow);
      if (is_drawn(frame, arrow)) label(canvas, before, words_behind(frame, before));
    }
    return canvas.text();
  }

  void process(Canvas& canvas, const Frame& frame, std::size_t at) const {
    const Diagram::Place& place = frame.places[at];
    const std::string mark(place.node.is_alive() ? style_of_state(place.node.state).mark : "×");
    const std::string open = place.mark == Diagram::Mark::acts ? "[" : " ";
    const std::string close = place.mark == Diagram::Mark::acts ? "]" : " ";
    const std::size_t y = line_of(at);
    if (is_right(at)) {
      canvas.put(right - 1, y, open + mark + ' ' + id_of(place) + close + ' ' + first_of(place));
      canvas.put(right + 2, y + 1, variables_of(place));
    } else {
      const std::string sign = first_of(place) + ' ' + open + id_of(place) + ' ' + mark + close;
      canvas.put(0, y, right_aligned(sign, left + 2));
      canvas.put(0, y + 1, right_aligned(variables_of(place), left - 1));
    }
  }

  // From one place to the next, with an arrow's head for each present process that it leads to.
  void link(Canvas& canvas, const Frame& frame, std::size_t from) const {
    const std::size_t to = (from + 1) % count;
    const bool head = frame.is_there(to);
    const std::string down = head ? "▼" : "│";
    const std::string up = head ? "▲" : "│";
    if (from == 0) {
      canvas.fill(left + 2, right - 1, 0, "─");
      if (head) canvas.put(right - 2, 0, "▶");
    } else if (is_right(to)) {
      canvas.put(right, line_of(from) + 1, down);
    } else {
      if (is_right(from)) {
        for (std::size_t y = line_of(from) + 1; y < bottom; ++y) canvas.put(right, y, "│");
        canvas.put(left, bottom, "╰");
        canvas.fill(left + 1, right, bottom, "─");
        canvas.put(right, bottom, "╯");
      }
      canvas.put(left, line_of(to) + 1, up);
    }
  }

  void label(Canvas& canvas, std::size_t before, const std::string& wording) const {
    const std::string words = ' ' + wording + ' ';
    const std::size_t middle = (left + right + 1 - width(words)) / 2;
    if (before == 0) {
      canvas.put(middle, 0, words);
    } else if (is_right((before + 1) % count)) {
      canvas.put(right - width(words), line_of(before) + 1, words);
    } else if (is_right(before)) {
      canvas.put(middle, bottom, words);
    } else {
      canvas.put(left + 2, line_of(before), words);
    }
  }

  std::string others(const Frame& frame) const {
    std::string shown;
    for (const Frame::Arrow& arrow : frame.arrows) {
      if (is_drawn(frame, arrow)) continue;
      const std::string way =
          id_of(frame.places[arrow.from]) + " → " + id_of(frame.places[arrow.to]) + ": ";
      shown += beside("  ", text(Text::ring_beside, language, {way + arrow.words}));
    }
    return shown;
  }
};

}  // namespace

std::string ring_text(const Diagram& diagram, Language language) {
  return RingPainter{diagram, language}.paint();
}

}  // namespace bully
