#include "view/ring_text.h"

#include <algorithm>
#include <vector>

#include "view/diagram_words.h"
#include "view/looks.h"
#include "view/narration.h"
#include "view/ring_frames.h"

namespace bully {

namespace {

constexpr std::size_t columns = narration_columns;
constexpr std::size_t arrow_room = 5;  // beside what is written on an arrow

// A cell for each column, so that a character of several bytes is still one.
class Canvas {
 public:
  Canvas(std::size_t wide, std::size_t high) : rows_(high, std::vector<std::string>(wide, " ")) {}

  void put(std::size_t x, std::size_t y, std::string_view words) {
    for (std::size_t i = 0; i < words.size();) {
      std::size_t end = i + 1;
      while (end < words.size() && width(words.substr(end, 1)) == 0) ++end;
      rows_.at(y).at(x++) = words.substr(i, end - i);
      i = end;
    }
  }
  void centered(std::size_t x, std::size_t y, std::string_view words) {
    put(x - width(words) / 2, y, words);
  }
  std::string text() const {
    std::string all;
    for (const auto& row : rows_) {
      std::string line;
      for (const std::string& cell : row) line += cell;
      line.erase(line.find_last_not_of(' ') + 1);
      all += line + '\n';
    }
    return all;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

class Painter {
 public:
  Painter(const Diagram& diagram, Language language)
      : diagram_(diagram), language_(language), frames_(ring_frames(diagram)) {
    for (const RingFrame& frame : frames_) measure(frame);
    const std::size_t top = (most_ + 1) / 2;
    is_ring_ = most_ > 0 && right_of(top) + margin() <= columns;
  }

  std::string paint() {
    std::string shown = title_of(diagram_, language_) + "\n";
    for (const RingFrame& frame : frames_) {
      shown += '\n' + caption(frame);
      shown += is_ring_ ? ring(frame) : list(frame);
      shown += others(frame);
    }
    return shown + '\n' + legend();
  }

 private:
  std::size_t margin() const { return label_ / 2 + 3; }
  // From one process to the next in a row: its arrow, or the words below it.
  std::size_t pitch() const { return std::max(sign_ + label_ + arrow_room, words_ + 2); }
  // The column of the track's right side, with so many processes in its upper row.
  std::size_t right_of(std::size_t top) const {
    return margin() + 7 + (top - 1) * pitch() + std::max(sign_, words_);
  }

  void measure(const RingFrame& frame) {
    most_ = std::max(most_, frame.ring.size());
    for (const std::size_t lane : frame.ring) {
      const Diagram::Standing& standing = frame.standing[lane];
      sign_ = std::max(sign_, width(sign_of(frame, lane)));
      words_ = std::max({words_, 1 + width(state_of(lane, standing)),
                         1 + width(variables_words(standing.variables))});
      has_variables_ = has_variables_ || has_variables(standing.variables);
    }
    for (const RingArrow& arrow : frame.arrows) {
      if (!is_between_neighbours(frame, arrow)) continue;
      label_ = std::max(label_, width(channel_words(diagram_, arrow)));
    }
  }

  // "[○ 1]" for the one that acts.
  std::string sign_of(const RingFrame& frame, std::size_t lane) const {
    const bool acts = frame.steps > 0 && diagram_.steps[frame.steps - 1].lane == lane;
    const std::string sign = std::string(look_of_state(frame.standing[lane].state).mark) + ' ' +
                             std::to_string(diagram_.lanes[lane]);
    return acts ? '[' + sign + ']' : ' ' + sign + ' ';
  }

  std::string state_of(std::size_t lane, const Diagram::Standing& standing) const {
    const bool follows = standing.coordinator && *standing.coordinator != diagram_.lanes[lane];
    if (follows) {
      return text(Text::diagram_follows, language_, {std::to_string(*standing.coordinator)});
    }
    return state_words(standing.state, language_);
  }

  std::string caption(const RingFrame& frame) const {
    std::string head = text(Text::html_step, language_,
                            {std::to_string(frame.steps), std::to_string(diagram_.steps.size())});
    std::string words(text(Text::html_beginning, language_));
    if (frame.steps > 0) {
      const Diagram::Step& step = diagram_.steps[frame.steps - 1];
      head += " · " + milliseconds_text(step.t_ns) + ' ' +
              std::string(text(Text::diagram_milliseconds, language_));
      words = sentence_of(diagram_, step, language_);
    }
    std::string shown = "── " + head + ' ';
    for (std::size_t at = width(shown); at < columns; ++at) shown += "─";
    shown += '\n';
    for (const std::string& line : wrapped(words, columns)) shown += line + '\n';
    return shown + '\n';
  }

  // What is on its way from the place `at` of the ring to the next.
  std::string channel_from(const RingFrame& frame, std::size_t at) const {
    const std::size_t to = frame.ring[(at + 1) % frame.ring.size()];
    for (const RingArrow& arrow : frame.arrows) {
      if (arrow.from == frame.ring[at] && arrow.to == to) return channel_words(diagram_, arrow);
    }
    return "";
  }

  // A track: one half of the processes on the way there, the other on the way back.
  std::string ring(const RingFrame& frame) const;
  void way(Canvas& canvas, std::size_t from, std::size_t to, std::size_t y, bool right,
           const std::string& words) const;
  std::string list(const RingFrame& frame) const;

  std::string others(const RingFrame& frame) const {
    std::string shown;
    for (const RingArrow& arrow : frame.arrows) {
      if (is_between_neighbours(frame, arrow)) continue;
      const std::string way = std::to_string(diagram_.lanes[arrow.from]) + " → " +
                              std::to_string(diagram_.lanes[arrow.to]) + ": ";
      shown +=
          "  " + text(Text::ring_beside, language_, {way + channel_words(diagram_, arrow)}) + '\n';
    }
    return shown;
  }

  std::string legend() const {
    std::string shown = std::string(text(Text::diagram_legend, language_)) + ':';
    for (const std::string_view state : states_in(diagram_)) {
      shown.append("  ").append(look_of_state(state).mark).append(" ");
      shown += state_words(state, language_);
    }
    shown += '\n';
    std::string_view gap = "  ";
    for (const MessageType type : messages_in(diagram_)) {
      shown.append(gap).append(wire_name(type)).append(" ").append(name_of(type, language_));
      gap = "   ";
    }
    shown += "\n  " + text(Text::ring_acts, language_, {"[ ]"}) + '\n';
    shown += "  " + std::string(text(Text::ring_on_arrows, language_)) + '\n';
    if (!has_variables_) return shown;
    return shown + "  " + text(Text::ring_variables, language_, {variable_names(diagram_)}) + '\n';
  }

  const Diagram& diagram_;
  Language language_;
  std::vector<RingFrame> frames_;
  std::size_t most_ = 0;   // processes on the ring
  std::size_t sign_ = 0;   // columns of a process
  std::size_t words_ = 0;  // columns of the words below it
  std::size_t label_ = 0;  // columns of what is on an arrow
  bool has_variables_ = false;
  bool is_ring_ = false;
};

std::string Painter::ring(const RingFrame& frame) const {
  const std::size_t count = frame.ring.size();
  if (count == 0) return "";
  const std::size_t top = (count + 1) / 2;
  const std::size_t bottom = count - top;
  const std::size_t infos = has_variables_ ? 2 : 1;
  const std::size_t last = 2 * infos + 2;
  const std::size_t left = margin();
  const std::size_t right = right_of(top);
  Canvas canvas(columns, count > 1 ? last + 1 : infos + 1);
  // Where each stands: clockwise.
  const auto x_of = [&](std::size_t at) {
    if (at < top) return left + 4 + at * pitch();
    const std::size_t from_left = bottom - 1 - (at - top);
    return left + 4 + from_left * pitch() + (top - bottom) * pitch() / 2;
  };
  for (std::size_t at = 0; at < count; ++at) {
    const std::size_t lane = frame.ring[at];
    const Diagram::Standing& standing = frame.standing[lane];
    const bool up = at < top;
    canvas.put(x_of(at), up ? 0 : last, sign_of(frame, lane));
    canvas.put(x_of(at) + 1, up ? 1 : last - infos, state_of(lane, standing));
    if (has_variables_) {
      canvas.put(x_of(at) + 1, up ? 2 : last - 1, variables_words(standing.variables));
    }
  }
  if (count == 1) return canvas.text();
  const auto end_of = [&](std::size_t at) {
    return x_of(at) + width(sign_of(frame, frame.ring[at]));
  };
  for (std::size_t at = 0; at + 1 < count; ++at) {
    if (at + 1 == top) continue;  // round the corner
    const bool up = at < top;
    way(canvas, up ? end_of(at) : end_of(at + 1), up ? x_of(at + 1) : x_of(at), up ? 0 : last, up,
        channel_from(frame, at));
  }
  for (std::size_t y = 1; y < last; ++y) {
    canvas.put(left, y, "│");
    canvas.put(right, y, "│");
  }
  canvas.put(left, 0, "╭");
  way(canvas, left + 1, x_of(0), 0, true, "");
  way(canvas, end_of(top - 1), right, 0, true, "");
  canvas.put(right - 1, 0, "─╮");
  canvas.put(right, last, "╯");
  way(canvas, end_of(top), right, last, false, "");
  canvas.put(left, last, "╰");
  way(canvas, left + 1, x_of(count - 1), last, false, "");
  canvas.put(left + 1, last, "─");
  canvas.centered(right, infos + 1, channel_from(frame, top - 1));
  canvas.centered(left, infos + 1, channel_from(frame, count - 1));
  return canvas.text();
}

// A line in row `y`, from one column to before another, with its head at one end.
void Painter::way(Canvas& canvas, std::size_t from, std::size_t to, std::size_t y, bool right,
                  const std::string& words) const {
  for (std::size_t x = from; x < to; ++x) canvas.put(x, y, "─");
  canvas.put(right ? to - 1 : from, y, right ? "▶" : "◀");
  if (!words.empty()) canvas.centered((from + to) / 2, y, ' ' + words + ' ');
}

std::string Painter::list(const RingFrame& frame) const {
  std::string shown;
  std::size_t signs = 0;
  std::size_t states = 0;
  std::size_t variables = 0;
  for (const std::size_t lane : frame.ring) {
    signs = std::max(signs, width(sign_of(frame, lane)));
    states = std::max(states, width(state_of(lane, frame.standing[lane])));
    variables = std::max(variables, width(variables_words(frame.standing[lane].variables)));
  }
  const std::size_t count = frame.ring.size();
  for (std::size_t at = 0; at < count; ++at) {
    const std::size_t lane = frame.ring[at];
    const Diagram::Standing& standing = frame.standing[lane];
    const bool alone = count == 1;
    const std::string_view side = at == 0 ? " ╭▶" : at + 1 == count ? " ╰─" : " │ ";
    std::string line(alone ? "   " : side);
    line += padded(sign_of(frame, lane), signs) + ' ' + padded(state_of(lane, standing), states);
    if (has_variables_) line += ' ' + padded(variables_words(standing.variables), variables);
    const std::string words = channel_from(frame, at);
    const std::string arrow =
        alone ? ""
              : "  ──" + (words.empty() ? "──" : ' ' + words + ' ') + "──▶ " +
                    std::to_string(diagram_.lanes[frame.ring[(at + 1) % count]]);
    // What does not fit beside the process stands below it.
    if (width(line) + width(arrow) > columns) {
      line.erase(line.find_last_not_of(' ') + 1);
      line += at + 1 == count ? "\n   " : "\n │ ";
      line += std::string(signs - 1, ' ');
    }
    line += arrow;
    line.erase(line.find_last_not_of(' ') + 1);
    shown += line;
    shown += '\n';
  }
  return shown;
}

}  // namespace

std::string ring_text(const Diagram& diagram, Language language) {
  return Painter(diagram, language).paint();
}

}  // namespace bully
