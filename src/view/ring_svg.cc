#include "view/ring_svg.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "view/diagram_rules.h"
#include "view/diagram_words.h"
#include "view/looks.h"
#include "view/narration.h"
#include "view/ring_frames.h"
#include "view/ring_layout.h"
#include "view/svg_shapes.h"

namespace bully {

namespace {

constexpr double least_radius = 62;  // a ring's
constexpr double most_radius = 900;
constexpr double line = 15;           // from one line of words to the next
constexpr double margin = 24;         // round the drawing, and between its pictures
constexpr double wide_enough = 1500;  // then pictures go on in the next row
constexpr double title_room = 60;
constexpr double legend_line = 26;

constexpr std::string_view style = R"(<style>
text { font-family: "DejaVu Sans", Verdana, Helvetica, Arial, sans-serif; fill: #111; }
.title { font-size: 18px; font-weight: bold; }
.id { font-size: 15px; font-weight: bold; text-anchor: middle; }
.on-black { fill: #fff; }
.state, .note, .caption { font-size: 12px; }
.variables { font-size: 12px; font-weight: bold; }
.channel { font-size: 12px; font-weight: bold; stroke: #fff; stroke-width: 6px; paint-order: stroke; }
.number { font-size: 12px; font-weight: bold; }
.frame { fill: none; stroke: #ddd; }
.process { fill: #fff; stroke: #222; stroke-width: 1.6; }
.candidate { stroke-width: 2.4; }
.waiting { stroke-dasharray: 5 3; }
.relay { fill: #111; }
.coordinator { fill: #ffe08a; stroke-width: 4; }
.absent { stroke: #999; stroke-dasharray: 1 4; }
.acts { fill: none; stroke: #222; stroke-width: 1.2; stroke-dasharray: 3 2; }
.link { fill: none; stroke: #bbb; stroke-width: 1.2; }
.full { stroke: #111; stroke-width: 2; }
</style>
<defs>
<marker id="empty" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9"
 markerUnits="userSpaceOnUse" orient="auto"><path d="M0 1L10 5L0 9z" fill="#bbb"/></marker>
<marker id="full" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="11" markerHeight="11"
 markerUnits="userSpaceOnUse" orient="auto"><path d="M0 1L10 5L0 9z" fill="#111"/></marker>
</defs>
)";

class Drawing {
 public:
  Drawing(const Diagram& diagram, Language language)
      : diagram_(diagram),
        language_(language),
        frames_(ring_frames(diagram)),
        order_(clockwise_order(diagram)) {}

  std::optional<std::string> draw() {
    if (!choose_radius()) return std::nullopt;
    measure();
    const auto rows_with = [this](double columns) {
      return std::ceil(static_cast<double>(frames_.size()) / columns);
    };
    // More pictures in a row, rather than too many rows.
    while (rows_with(columns_) * (frame_high_ + margin) > max_picture_side - 200 &&
           (columns_ + 1) * (frame_wide_ + margin) + margin <= max_picture_side) {
      ++columns_;
    }
    const double rows = rows_with(columns_);
    width_ = std::max(margin + columns_ * (frame_wide_ + margin),
                      2 * margin + text_width(title_of(diagram_, language_), 18));
    legend_y_ = title_room + rows * (frame_high_ + margin) + 14;
    if (width_ > max_picture_side || legend_y_ > max_picture_side) return std::nullopt;
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      const std::size_t frames_in_row = static_cast<std::size_t>(columns_);
      const std::size_t row_number = i / frames_in_row;
      const auto column = static_cast<double>(i % frames_in_row);
      const auto row = static_cast<double>(row_number);
      frame(i, margin + column * (frame_wide_ + margin), title_room + row * (frame_high_ + margin));
    }
    legend();
    const double height = legend_y_ + margin;
    if (height > max_picture_side) return std::nullopt;
    const std::string title = escaped(title_of(diagram_, language_));
    const std::string size = svg_number(width_) + "\" height=\"" + svg_number(height);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"" + size +
           "\" viewBox=\"0 0 " + svg_number(width_) + ' ' + svg_number(height) + "\">\n<title>" +
           title + "</title>\n" + std::string(style) + "<rect width=\"" + size +
           "\" fill=\"#fff\"/>\n" + svg_text("title", margin, 38, title_of(diagram_, language_)) +
           '\n' + shown_ + "</svg>\n";
  }

 private:
  // The smallest with which no picture's labels overlap.
  bool choose_radius() {
    for (radius_ = least_radius; radius_ <= most_radius; radius_ += 6) {
      places_.clear();
      for (const RingFrame& frame : frames_) {
        places_.push_back(place_ring(diagram_, frame, order_, radius_, language_));
        if (!is_clear(places_.back())) break;
      }
      if (is_clear(places_.back())) return true;
    }
    return false;
  }

  std::string caption_of(const RingFrame& frame) const {
    if (frame.steps == 0) return std::string(text(Text::html_beginning, language_));
    return sentence_of(diagram_, diagram_.steps[frame.steps - 1], language_);
  }

  // All pictures are of one size: that of the largest.
  void measure() {
    for (const RingPlaces& places : places_) {
      for (const RingPlaces::Label& label : places.labels) {
        left_ = std::max(left_, -label.box.x + 10);
        right_ = std::max(right_, label.box.x + label.box.width + 10);
        top_ = std::max(top_, -label.box.y + 8);
        bottom_ = std::max(bottom_, label.box.y + label.box.height + 8);
      }
    }
    frame_wide_ = std::max(left_ + right_, 250.0);
    left_ += (frame_wide_ - left_ - right_) / 2;
    for (const RingFrame& frame : frames_) {
      captions_.push_back(broken(caption_of(frame)));
      const auto lines = static_cast<double>(captions_.back().size());
      caption_high_ = std::max(caption_high_, (lines + 1) * line + 8);
    }
    frame_high_ = caption_high_ + top_ + bottom_;
    columns_ = std::clamp(std::floor(wide_enough / (frame_wide_ + margin)), 1.0,
                          static_cast<double>(frames_.size()));
  }

  std::vector<std::string> broken(const std::string& words) const {
    for (std::size_t most = 80; most > 12; --most) {
      std::vector<std::string> lines = wrapped(words, most);
      const bool fits = std::all_of(lines.begin(), lines.end(), [this](const std::string& one) {
        return text_width(one, label_font) <= frame_wide_ - 16;
      });
      if (fits) return lines;
    }
    return wrapped(words, 12);
  }

  void add(const std::string& shape) { shown_ += shape + '\n'; }

  void frame(std::size_t i, double x, double y) {
    const RingFrame& frame = frames_[i];
    add("<rect class=\"frame\" rx=\"6\" x=\"" + svg_number(x) + "\" y=\"" + svg_number(y) +
        "\" width=\"" + svg_number(frame_wide_) + "\" height=\"" + svg_number(frame_high_) +
        "\"/>");
    std::string head = text(Text::html_step, language_,
                            {std::to_string(frame.steps), std::to_string(diagram_.steps.size())});
    if (frame.steps > 0) {
      head += " · " + milliseconds_text(diagram_.steps[frame.steps - 1].t_ns) + " ms";
    }
    add(svg_text("number", x + 8, y + 16, head));
    std::string words;
    for (std::size_t l = 0; l < captions_[i].size(); ++l) {
      words +=
          svg_text("caption", x + 8, y + 16 + static_cast<double>(l + 1) * line, captions_[i][l]);
    }
    const std::string rule = frame.steps == 0
                                 ? caption_of(frame)
                                 : rule_of(diagram_, diagram_.steps[frame.steps - 1], language_);
    shown_ += svg_titled(rule, words);
    origin_ = {x + left_, y + caption_high_ + top_};
    links(frame);
    for (const RingArrow& arrow : frame.arrows) message(arrow);
    processes(frame, places_[i]);
    labels(places_[i]);
  }

  // An arrow along the ring from one process to the next of `ring`, or straight to any other.
  std::string arrow(std::size_t from, std::size_t to, const std::string& kind) const {
    const double a = ring_angle(order_, from);
    const double b = ring_angle(order_, to);
    const double gap = (ring_circle + 4) / radius_;
    const auto point = [&](double angle) {
      const RingPoint p = on_circle(radius_, angle);
      return svg_number(origin_.x + p.x) + ' ' + svg_number(origin_.y + p.y);
    };
    const std::string marker = kind == "link" ? "empty" : "full";
    std::string path = "<path class=\"" + kind + "\" marker-end=\"url(#" + marker + ")\" d=\"M";
    if (stands_before(order_, from, to)) {
      const bool large = way_round(a, b) - 2 * gap > std::numbers::pi;
      const std::string radius = svg_number(radius_);
      return path + point(a + gap) + 'A' + radius + ' ' + radius + " 0 " + (large ? '1' : '0') +
             " 1 " + point(a + way_round(a, b) - gap) + "\"/>";
    }
    const RingPoint p = on_circle(radius_, a);
    const RingPoint q = on_circle(radius_, b);
    const double length = std::max(1.0, std::hypot(q.x - p.x, q.y - p.y));
    const double part = (ring_circle + 4) / length;
    const auto between = [&](double t) {
      return svg_number(origin_.x + p.x + (q.x - p.x) * t) + ' ' +
             svg_number(origin_.y + p.y + (q.y - p.y) * t);
    };
    return path + between(part) + 'L' + between(1 - part) + "\"/>";
  }

  // The channels of the ring, those that are empty too.
  void links(const RingFrame& frame) {
    for (std::size_t i = 0; i < frame.ring.size() && frame.ring.size() > 1; ++i) {
      add(arrow(frame.ring[i], frame.ring[(i + 1) % frame.ring.size()], "link"));
    }
  }

  void message(const RingArrow& on_way) {
    std::string sentences;
    for (const std::size_t i : on_way.messages) {
      Diagram::Message message = diagram_.messages[i];
      message.lost.reset();  // while it is under way, nobody knows
      sentences += (sentences.empty() ? "" : "\n") + sentence_of(diagram_, message, language_);
    }
    shown_ += svg_titled(sentences, arrow(on_way.from, on_way.to, "link full"));
  }

  void circle_at(RingPoint at, const std::string& kind, double wide) {
    add("<circle class=\"" + kind + "\" r=\"" + svg_number(wide) + "\" cx=\"" + svg_number(at.x) +
        "\" cy=\"" + svg_number(at.y) + "\"/>");
  }

  void processes(const RingFrame& frame, const RingPlaces& places) {
    for (const RingPlaces::Label& label : places.labels) {
      if (label.kind != RingPlaces::Label::Kind::id) continue;
      const Diagram::Standing& standing = frame.standing[label.of];
      const double half = label.box.width / 2;
      const RingPoint at{origin_.x + label.box.x + half, origin_.y + label.box.y + half};
      const std::string look(standing.up ? look_of_state(standing.state).css : "absent");
      circle_at(at, "process " + look, half - 5);
      const bool acts = frame.steps > 0 && diagram_.steps[frame.steps - 1].lane == label.of;
      if (acts) circle_at(at, "acts", half - 1);
      add(svg_text(look == "relay" ? "id on-black" : "id", at.x, at.y + 5.5, label.words));
    }
  }

  void labels(const RingPlaces& places) {
    using Kind = RingPlaces::Label::Kind;
    for (const RingPlaces::Label& label : places.labels) {
      if (label.kind == Kind::id) continue;
      const std::string_view kind = label.kind == Kind::state       ? "state"
                                    : label.kind == Kind::variables ? "variables"
                                                                    : "channel";
      const double inset = label.kind == Kind::channel ? 3 : 0;
      add(svg_text(kind, origin_.x + label.box.x + inset, origin_.y + label.box.y + 11.5,
                   label.words));
    }
  }

  void legend();

  const Diagram& diagram_;
  Language language_;
  std::vector<RingFrame> frames_;
  std::vector<std::size_t> order_;
  std::vector<RingPlaces> places_;
  std::vector<std::vector<std::string>> captions_;
  double radius_ = 0;
  // How far a picture reaches from the centre of its ring.
  double left_ = 0, right_ = 0, top_ = 0, bottom_ = 0;
  double caption_high_ = 0;
  double frame_wide_ = 0, frame_high_ = 0;
  double columns_ = 1;
  double width_ = 0;
  double legend_y_ = 0;
  RingPoint origin_;
  std::string shown_;
};

void Drawing::legend() {
  double x = margin;
  const auto place = [&](double wide) {
    if (x > margin && x + wide > width_ - margin) {
      x = margin;
      legend_y_ += legend_line;
    }
    return std::exchange(x, x + wide);
  };
  const auto process = [&](const std::string& look, const std::string& words) {
    const double at = place(text_width(words, label_font) + 46);
    circle_at({at + 10, legend_y_ - 4}, look, 9);
    add(svg_text("note", at + 26, legend_y_, words));
  };
  for (const std::string_view state : states_in(diagram_)) {
    process("process " + std::string(look_of_state(state).css), state_words(state, language_));
  }
  process("process absent", std::string(text(Text::diagram_not_there, language_)));
  process("acts", text(Text::ring_acts, language_, {"○"}));
  x = margin;
  legend_y_ += legend_line;
  std::vector<std::string> notes;
  for (const MessageType type : messages_in(diagram_)) {
    notes.push_back(std::string(wire_name(type)) + ": " + name_of(type, language_));
  }
  notes.emplace_back(text(Text::ring_on_arrows, language_));
  const std::string names = variable_names(diagram_);
  if (!names.empty()) notes.push_back(text(Text::ring_variables, language_, {names}));
  for (const std::string& note : notes) {
    const double at = place(text_width(note, label_font) + 24);
    add(svg_text("note", at, legend_y_, note));
  }
}

}  // namespace

std::optional<std::string> ring_svg(const Diagram& diagram, Language language) {
  return Drawing(diagram, language).draw();
}

}  // namespace bully
