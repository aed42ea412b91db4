#include "view/diagram_layout.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "view/diagram_words.h"
#include "view/looks.h"

namespace bully {

namespace {

constexpr double margin = 24;
constexpr double time_width = 76;
constexpr double header_y = 76;
constexpr double line_height = 15;
constexpr double label_gap = 10;  // from the lane to its labels
constexpr double legend_room = 170;
constexpr double cross_gap = 12;  // a lost message's cross stands so far from the lane
constexpr double stub = 34;

using Kind = DiagramLayout::Label::Kind;

class Layout {
 public:
  Layout(const Diagram& diagram, Language language, Scale scale)
      : diagram_(diagram), language_(language), scale_(scale) {}

  DiagramLayout make() {
    for (const Diagram::Step& step : diagram_.steps) {
      words_.push_back(words_of(diagram_, step, language_));
    }
    place_lanes();
    place_steps();
    label_lanes();
    label_steps();
    label_times();
    // Finding places takes long in a picture that is too large to be shown anyway.
    const bool is_shown = out_.width <= max_picture_side && out_.bottom <= max_picture_side;
    if (is_shown) label_messages();
    out_.height = out_.bottom + margin;
    return std::move(out_);
  }

 private:
  void place_lanes() {
    std::vector<double> widths(diagram_.lanes.size(), 74);
    for (std::size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], text_width(std::to_string(diagram_.lanes[i]), 15) + 30);
    }
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const double needed = std::max(text_width(words_[i].cause, label_font),
                                     text_width(words_[i].outcome, label_font));
      double& lane = widths[diagram_.steps[i].lane];
      lane = std::max(lane, needed + label_gap + 22);
    }
    // Alike, where there is room for it: that is easier to read.
    const double widest = widths.empty() ? 0 : *std::max_element(widths.begin(), widths.end());
    if (widest * static_cast<double>(widths.size()) < 1500) {
      std::fill(widths.begin(), widths.end(), widest);
    }
    double x = margin + time_width + 30;
    for (const double lane : widths) {
      out_.lane_x.push_back(x);
      x += lane;
    }
    const double title = 2 * margin + text_width(title_of(diagram_, language_), 18);
    out_.width = std::max({x + margin, title, 720.0});
  }

  double lines_of(std::size_t step) const {
    return (words_[step].cause.empty() ? 0.0 : 1.0) + (words_[step].outcome.empty() ? 0.0 : 1.0);
  }

  // The largest of a few distances between rows with which the picture is not too high.
  void place_steps() {
    out_.top = header_y + 24;
    for (const double row : {30.0, 22.0, 17.0, 13.0, 9.0}) {
      place_rows(row);
      if (out_.bottom + legend_room <= max_picture_side) break;
    }
    if (scale_ == Scale::steps || diagram_.steps.empty()) return;
    const double last = static_cast<double>(std::max<std::int64_t>(1, diagram_.steps.back().t_ns));
    const double span = std::clamp(out_.bottom - out_.top, 400.0, 3000.0);
    for (std::size_t i = 0; i < out_.step_y.size(); ++i) {
      const double part = static_cast<double>(diagram_.steps[i].t_ns) / last;
      out_.step_y[i] = out_.top + 24 + part * span;
    }
    out_.bottom = out_.step_y.back() + 40;
  }

  // How far a step's labels begin above (or, as a negative number, below) its mark. Out of the way
  // of its arrows, which run downwards: above those that leave to the right, else below those that
  // arrive from the right.
  double label_rise(std::size_t i) const {
    const Diagram::Step& step = diagram_.steps[i];
    const auto is_right = [&](std::size_t lane) { return lane > step.lane; };
    const bool leaves = std::any_of(step.sent.begin(), step.sent.end(), [&](std::size_t m) {
      return is_right(diagram_.messages[m].to);
    });
    if (step.received && is_right(diagram_.messages[*step.received].from)) return -3;
    if (leaves) return lines_of(i) * line_height;
    return line_height / 2;
  }

  void place_rows(double row) {
    out_.step_y.clear();
    std::vector<double> free_from(diagram_.lanes.size(), out_.top);
    double y = out_.top - 4;
    for (std::size_t i = 0; i < diagram_.steps.size(); ++i) {
      const double rise = label_rise(i);
      double& free = free_from[diagram_.steps[i].lane];
      y = std::max(y + row, lines_of(i) > 0 ? free + rise : 0);
      out_.step_y.push_back(y);
      if (lines_of(i) > 0) free = y - rise + lines_of(i) * line_height;
    }
    out_.bottom = y + 16;
  }

  void add(Kind kind, Box box, std::string words, std::size_t of) {
    out_.labels.push_back({kind, box, std::move(words), of});
  }

  void label_lanes() {
    for (std::size_t i = 0; i < diagram_.lanes.size(); ++i) {
      const std::string id = std::to_string(diagram_.lanes[i]);
      const double wide = std::max(28.0, text_width(id, 15) + 14);
      add(Kind::lane, {out_.lane_x[i] - wide / 2, header_y - 14, wide, 28}, id, i);
    }
  }

  void label_steps() {
    std::vector<double> free_from(diagram_.lanes.size(), 0);
    for (std::size_t i = 0; i < diagram_.steps.size(); ++i) {
      const std::size_t lane = diagram_.steps[i].lane;
      double y = std::max(out_.step_y[i] - label_rise(i), free_from[lane]);
      const auto put = [&](Kind kind, const std::string& words) {
        if (words.empty()) return;
        const double wide = text_width(words, label_font);
        add(kind, {out_.lane_x[lane] + label_gap, y, wide, line_height - 1}, words, i);
        y += line_height;
        free_from[lane] = y;
      };
      put(Kind::cause, words_[i].cause);
      put(Kind::outcome, words_[i].outcome);
      out_.bottom = std::max(out_.bottom, y + 12);
    }
  }

  // Where rows are closer than a time is high, not each has one.
  void label_times() {
    double free_from = 0;
    for (std::size_t i = 0; i < diagram_.steps.size(); ++i) {
      const double y = out_.step_y[i] - small_font / 2 - 1;
      if (y < free_from) continue;
      const std::string time = milliseconds_text(diagram_.steps[i].t_ns);
      const double wide = text_width(time, small_font);
      add(Kind::time, {margin + time_width - wide, y, wide, small_font + 2}, time, i);
      free_from = y + small_font + 2;
    }
  }

  bool is_free(const Box& box) const {
    return std::none_of(out_.labels.begin(), out_.labels.end(),
                        [&](const DiagramLayout::Label& label) { return label.box.overlaps(box); });
  }

  // The type on the arrow, where there is room for it.
  void label_messages() {
    constexpr std::array places = {0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82};
    for (std::size_t i = 0; i < diagram_.messages.size(); ++i) {
      const Line line = line_of(out_, diagram_.messages[i]);
      const Diagram::Message& message = diagram_.messages[i];
      const std::string words = short_name_of(message.type, message.subject);
      const double wide = text_width(words, small_font) + 4;
      for (const double place : places) {
        const double x = line.x1 + place * (line.x2 - line.x1);
        const double y = line.y1 + place * (line.y2 - line.y1);
        const Box box{x - wide / 2, y - small_font / 2 - 1, wide, small_font + 2};
        if (!is_free(box)) continue;
        add(Kind::letter, box, words, i);
        break;
      }
    }
  }

  const Diagram& diagram_;
  Language language_;
  Scale scale_;
  std::vector<StepWords> words_;
  DiagramLayout out_;
};

}  // namespace

bool Box::overlaps(const Box& other) const {
  return x < other.x + other.width && other.x < x + width && y < other.y + other.height &&
         other.y < y + height;
}

double text_width(std::string_view words, double font_size) {
  double em = 0;
  for (const char c : words) {
    if ((static_cast<unsigned char>(c) & 0xC0) == 0x80) continue;  // counted with its first byte
    const bool narrow = c == ' ' || c == 'i' || c == 'l' || c == 'j' || c == '.' || c == ':';
    const bool wide = (c >= 'A' && c <= 'Z') || c == 'm' || c == 'w';
    const bool other = static_cast<unsigned char>(c) >= 0x80;
    em += other ? 0.85 : wide ? 0.78 : narrow ? 0.36 : 0.635;
  }
  return em * font_size;
}

Line line_of(const DiagramLayout& layout, const Diagram::Message& message) {
  const double from = layout.lane_x[message.from];
  const double to = layout.lane_x[message.to];
  const double way = to < from ? -1 : 1;
  const auto end = message.received ? message.received : message.lost;
  Line line{from, 0, to, 0};
  if (message.sent) line.y1 = layout.step_y[*message.sent];
  if (end) line.y2 = layout.step_y[*end];
  if (!end) {  // under way still
    line.x2 = from + way * stub;
    line.y2 = line.y1 + stub / 2;
  }
  if (!message.sent) {
    line.x1 = (message.lost ? from : to - way * stub);
    line.y1 = line.y2 - stub / 2;
  }
  if (message.lost) line.x2 -= way * cross_gap;
  if (message.received) line.x2 -= way * 4;  // the head touches the lane's bar
  return line;
}

DiagramLayout lay_out(const Diagram& diagram, Language language, Scale scale) {
  return Layout(diagram, language, scale).make();
}

}  // namespace bully
