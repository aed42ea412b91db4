#include "view/diagram_svg.h"

#include <algorithm>
#include <utility>

#include "view/diagram_rules.h"
#include "view/diagram_words.h"
#include "view/looks.h"
#include "view/svg_shapes.h"

namespace bully {

namespace {

constexpr std::string_view style = R"(<style>
text { font-family: "DejaVu Sans", Verdana, Helvetica, Arial, sans-serif; fill: #111; }
.title { font-size: 18px; font-weight: bold; }
.id { font-size: 15px; font-weight: bold; text-anchor: middle; }
.time { font-size: 10px; fill: #555; }
.cause, .outcome { font-size: 12px; stroke: #fff; stroke-width: 4px; paint-order: stroke; }
.cause { font-style: italic; }
.note { font-size: 12px; fill: #333; }
.letter { font-size: 10px; font-weight: bold; text-anchor: middle; stroke: #fff;
  stroke-width: 4px; paint-order: stroke; }
.lane { stroke: #222; fill: none; }
.absent { stroke: #888; stroke-dasharray: 2 5; }
.follower { stroke-width: 1.6; }
.candidate { fill: #b9b9b9; stroke-width: 1; }
.waiting { fill: #fff; stroke-dasharray: 3 2; stroke-width: 1; }
.relay { fill: #222; stroke-width: 1; }
.coordinator { fill: #222; stroke-width: 1; }
.row { stroke: #ececec; }
.head { fill: #fff; stroke: #222; stroke-width: 1.5; }
.winner { fill: #ffe08a; stroke-width: 3; }
.message { fill: none; stroke-width: 1.4; }
.any { stroke: #111; }
.cross { stroke: #b00020; stroke-width: 2.4; fill: none; }
.mark { fill: #fff; stroke: #111; stroke-width: 1.6; }
)";

// A lane in this state: a bar, or a line.
std::string stretch(std::string_view state, double x, double from, double to) {
  const StateLook& look = look_of_state(state);
  const std::string css = "lane " + std::string(look.css);
  if (look.lane == 0) return svg_line(css, {x, from, x, to});
  return "<rect class=\"" + css + "\" x=\"" + svg_number(x - look.lane / 2) + "\" y=\"" +
         svg_number(from) + "\" width=\"" + svg_number(look.lane) + "\" height=\"" +
         svg_number(std::max(0.0, to - from)) + "\"/>";
}

class Picture {
 public:
  Picture(const Diagram& diagram, const DiagramLayout& layout, Language language, Scale scale)
      : diagram_(diagram), layout_(layout), language_(language), scale_(scale) {}

  std::string draw() {
    rows();
    lanes();
    messages();
    marks();
    labels();
    legend();
    const double height = legend_y_ + 20;
    const std::string title = escaped(title_of(diagram_, language_));
    const std::string size = svg_number(layout_.width) + "\" height=\"" + svg_number(height);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"" + size +
           "\" viewBox=\"0 0 " + svg_number(layout_.width) + ' ' + svg_number(height) +
           "\">\n<title>" + title + "</title>\n" + std::string(style) +
           svg_looks_of(types_drawn()) + "<rect width=\"" + size +
           "\" fill=\"#fff\"/>\n<text class=\"title\" x=\"24\" y=\"36\">" + title + "</text>\n" +
           shown_ + "</svg>\n";
  }

  double height() const { return legend_y_ + 20; }

 private:
  void add(const std::string& shape) { shown_ += shape + '\n'; }

  // The messages of the legend, and pings where there are any.
  std::vector<MessageType> types_drawn() const {
    std::vector<MessageType> types = messages_in(diagram_);
    const auto is_other = [](const Diagram::Message& message) {
      return !is_of_election(message.type);
    };
    if (std::any_of(diagram_.messages.begin(), diagram_.messages.end(), is_other)) {
      types.push_back(MessageType::ping);
    }
    return types;
  }

  void rows() {
    if (layout_.lane_x.empty()) return;
    for (const DiagramLayout::Label& label : layout_.labels) {
      if (label.kind != DiagramLayout::Label::Kind::time) continue;
      const double y = layout_.step_y[label.of];
      add(svg_line("row", {label.box.x + label.box.width + 6, y, layout_.width - 24, y}));
    }
  }

  // How the lane stands, from y to y.
  std::string standing_of(std::size_t lane, const Diagram::Standing& standing, double from,
                          double to) {
    const double x = layout_.lane_x[lane];
    if (!standing.up) return svg_line("lane absent", {x, from, x, to});
    return stretch(standing.state, x, from, to);
  }

  void lanes() {
    std::vector<double> from(diagram_.lanes.size(), layout_.top - 10);
    std::vector<Diagram::Standing> standing = diagram_.before;
    for (std::size_t i = 0; i < diagram_.steps.size(); ++i) {
      const Diagram::Step& step = diagram_.steps[i];
      const Diagram::Standing& now = standing[step.lane];
      if (now.up == step.after.up && now.state == step.after.state) continue;
      add(standing_of(step.lane, now, from[step.lane], layout_.step_y[i]));
      from[step.lane] = layout_.step_y[i];
      standing[step.lane] = step.after;
    }
    for (std::size_t lane = 0; lane < from.size(); ++lane) {
      add(standing_of(lane, standing[lane], from[lane], layout_.bottom));
    }
  }

  void messages() {
    for (const Diagram::Message& message : diagram_.messages) {
      const Line line = line_of(layout_, message);
      std::string shapes = svg_line(svg_class_of(message.type), line,
                                    message.received ? svg_head_of(message.type) : std::string());
      if (message.lost) shapes += svg_cross(line.x2, line.y2, 5);
      if (!message.received && !message.lost) {
        shapes += "<circle class=\"mark\" r=\"3\" cx=\"" + svg_number(line.x2) + "\" cy=\"" +
                  svg_number(line.y2) + "\"/>";
      }
      std::string sentence = sentence_of(diagram_, message, language_);
      if (!message.sent) sentence += ": " + say(Text::diagram_from_before);
      if (!message.received && !message.lost) sentence += ": " + say(Text::diagram_under_way);
      shown_ += svg_titled(sentence, shapes);
    }
  }

  std::string mark_of(const Diagram::Step& step, double x, double y) const {
    if (step.crash) return svg_cross(x, y, 8);
    const std::string centre = "cx=\"" + svg_number(x) + "\" cy=\"" + svg_number(y) + "\"/>";
    const auto path = [&](const std::string& d) {
      return "<path class=\"mark\" d=\"M" + svg_number(x) + ' ' + svg_number(y) + d + "\"/>";
    };
    switch (step.records.front().event) {
      case TraceEvent::start:
        return "<circle class=\"mark\" r=\"5\" " + centre;
      case TraceEvent::stop:
        return path("m-8 0h16");
      case TraceEvent::suspect:
        return path("m0 -7l7 7l-7 7l-7 -7z");
      case TraceEvent::timeout:
        return path("m-5 -6h10l-10 12h10z");
      default:
        return "<circle r=\"3.4\" fill=\"#111\" stroke=\"#fff\" " + centre;
    }
  }

  void marks() {
    for (std::size_t i = 0; i < diagram_.steps.size(); ++i) {
      const Diagram::Step& step = diagram_.steps[i];
      shown_ += svg_titled(milliseconds_text(step.t_ns) + " ms  " +
                               sentence_of(diagram_, step, language_) + "\n" +
                               rule_of(diagram_, step, language_),
                           mark_of(step, layout_.lane_x[step.lane], layout_.step_y[i]));
    }
  }

  void labels() {
    using Kind = DiagramLayout::Label::Kind;
    for (const DiagramLayout::Label& label : layout_.labels) {
      const Box& box = label.box;
      const double middle = box.x + box.width / 2;
      if (label.kind == Kind::lane) {
        const bool won = diagram_.winner == diagram_.lanes[label.of];
        add("<rect class=\"head" + std::string(won ? " winner" : "") + "\" rx=\"14\" x=\"" +
            svg_number(box.x) + "\" y=\"" + svg_number(box.y) + "\" width=\"" +
            svg_number(box.width) + "\" height=\"" + svg_number(box.height) + "\"/>");
        add(svg_text("id", middle, box.y + 19.5, label.words));
      } else if (label.kind == Kind::letter) {
        add(svg_text("letter", middle, box.y + 9.5, label.words));
      } else if (label.kind == Kind::time) {
        add(svg_text("time", box.x, box.y + 9.5, label.words));
      } else {
        const std::string_view kind = label.kind == Kind::cause ? "cause" : "outcome";
        add(svg_text(kind, box.x, box.y + 11.5, label.words));
      }
    }
  }

  std::string say(Text words) const { return std::string(text(words, language_)); }

  void legend();
  void legend_notes();
  // The next place for an entry of this width.
  double place(double width) {
    if (legend_x_ + width > layout_.width - 24) {
      legend_x_ = 24;
      legend_y_ += 24;
    }
    return std::exchange(legend_x_, legend_x_ + width);
  }

  const Diagram& diagram_;
  const DiagramLayout& layout_;
  Language language_;
  Scale scale_;
  std::string shown_;
  double legend_x_ = 24;
  double legend_y_ = 0;
};

void Picture::legend() {
  legend_y_ = layout_.height + 12;
  add(svg_line("row", {24, legend_y_ - 22, layout_.width - 24, legend_y_ - 22}));
  const auto entry = [&](const std::string& words, auto draw) {
    const double x = place(52 + text_width(words, label_font) + 16);
    add(draw(x, legend_y_ - 4));
    add(svg_text("note", x + 50, legend_y_, words));
  };
  for (const MessageType type : messages_in(diagram_)) {
    entry(std::string(wire_name(type)) + ' ' + name_of(type, language_), [&](double x, double y) {
      return svg_line(svg_class_of(type), {x, y, x + 42, y}, svg_head_of(type));
    });
  }
  entry(say(Text::diagram_lost), [](double x, double y) {
    return svg_line("message any", {x, y, x + 36, y}) + svg_cross(x + 36, y, 5);
  });
  legend_x_ = layout_.width;
  for (const std::string_view state : states_in(diagram_)) {
    entry(state_words(state, language_),
          [&](double x, double y) { return stretch(state, x + 36, y - 9, y + 9); });
  }
  entry(say(Text::diagram_not_there), [](double x, double y) {
    return svg_line("lane absent", {x + 36, y - 9, x + 36, y + 9});
  });
  legend_notes();
}

void Picture::legend_notes() {
  const auto note = [&](const std::string& words) {
    legend_y_ += 22;
    add(svg_text("note", 24, legend_y_, words));
  };
  note(text(Text::diagram_time_note, language_,
            {say(scale_ == Scale::steps ? Text::diagram_by_steps : Text::diagram_to_scale)}));
  const auto crashed = [](const Diagram::Step& step) { return step.crash; };
  if (std::any_of(diagram_.steps.begin(), diagram_.steps.end(), crashed)) {
    note(say(Text::diagram_crash_note));
  }
}

}  // namespace

std::optional<std::string> diagram_svg(const Diagram& diagram, Language language, Scale scale) {
  const DiagramLayout layout = lay_out(diagram, language, scale);
  if (layout.width > max_picture_side || layout.height > max_picture_side) return std::nullopt;
  Picture picture(diagram, layout, language, scale);
  std::string shown = picture.draw();
  if (picture.height() > max_picture_side) return std::nullopt;
  return shown;
}

}  // namespace bully
