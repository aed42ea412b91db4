#include "view/diagram_svg.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "view/diagram_words.h"

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
.coordinator { fill: #222; stroke-width: 1; }
.row { stroke: #ececec; }
.head { fill: #fff; stroke: #222; stroke-width: 1.5; }
.winner { fill: #ffe08a; stroke-width: 3; }
.message { fill: none; stroke-width: 1.4; }
.election { stroke: #a8450c; }
.answer { stroke: #0b5fa5; stroke-dasharray: 6 4; }
.announce { stroke: #17692f; stroke-width: 2.6; }
.ping { stroke: #777; stroke-width: 1; stroke-dasharray: 1 3; }
.cross { stroke: #b00020; stroke-width: 2.4; fill: none; }
.mark { fill: #fff; stroke: #111; stroke-width: 1.6; }
</style>
<defs>
<marker id="full" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9"
 markerUnits="userSpaceOnUse" orient="auto"><path d="M0 1L10 5L0 9z" fill="#777"/></marker>
<marker id="open" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="10" markerHeight="10"
 markerUnits="userSpaceOnUse" orient="auto"><path d="M1 1L9 5L1 9" fill="none" stroke="#0b5fa5"
 stroke-width="1.6"/></marker>
<marker id="heavy" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="12" markerHeight="12"
 markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L10 5L0 10z" fill="#17692f"/></marker>
<marker id="election" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9"
 markerUnits="userSpaceOnUse" orient="auto"><path d="M0 1L10 5L0 9z" fill="#a8450c"/></marker>
</defs>
)";

// A coordinate, to the tenth of a pixel.
std::string at(double value) {
  const auto tenths = std::llround(value * 10);
  std::string shown = std::to_string(tenths / 10);
  if (tenths % 10 != 0) shown += '.' + std::to_string(std::llabs(tenths % 10));
  return tenths < 0 && tenths > -10 ? '-' + shown : shown;
}

std::string text_at(std::string_view kind, double x, double y, std::string_view words) {
  return "<text class=\"" + std::string(kind) + "\" x=\"" + at(x) + "\" y=\"" + at(y) + "\">" +
         escaped(words) + "</text>";
}

std::string line_at(std::string_view kind, const Line& line, std::string_view more = "") {
  return "<line class=\"" + std::string(kind) + "\" x1=\"" + at(line.x1) + "\" y1=\"" +
         at(line.y1) + "\" x2=\"" + at(line.x2) + "\" y2=\"" + at(line.y2) + "\"" +
         std::string(more) + "/>";
}

std::string cross_at(double x, double y, double arm) {
  return "<path class=\"cross\" d=\"M" + at(x - arm) + ' ' + at(y - arm) + 'L' + at(x + arm) + ' ' +
         at(y + arm) + 'M' + at(x - arm) + ' ' + at(y + arm) + 'L' + at(x + arm) + ' ' +
         at(y - arm) + "\"/>";
}

std::string titled(const std::string& sentence, const std::string& shapes) {
  return "<g><title>" + escaped(sentence) + "</title>" + shapes + "</g>\n";
}

std::string bar(std::string_view state, double x, double from, double to) {
  return "<rect class=\"lane " + std::string(state) + "\" x=\"" + at(x - 4) + "\" y=\"" + at(from) +
         "\" width=\"8\" height=\"" + at(std::max(0.0, to - from)) + "\"/>";
}

std::string_view class_of(MessageType type) {
  switch (type) {
    case MessageType::election:
      return "message election";
    case MessageType::answer:
      return "message answer";
    case MessageType::coordinator:
      return "message announce";
    case MessageType::ping:
    case MessageType::status:
    case MessageType::value:
    case MessageType::second:
    case MessageType::leader:
    case MessageType::join:
      break;
  }
  return "message ping";
}

std::string head_of(MessageType type) {
  if (type == MessageType::answer) return " marker-end=\"url(#open)\"";
  if (type == MessageType::coordinator) return " marker-end=\"url(#heavy)\"";
  if (type == MessageType::election) return " marker-end=\"url(#election)\"";
  return " marker-end=\"url(#full)\"";
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
    const std::string size = at(layout_.width) + "\" height=\"" + at(height);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"" + size +
           "\" viewBox=\"0 0 " + at(layout_.width) + ' ' + at(height) + "\">\n<title>" + title +
           "</title>\n" + std::string(style) + "<rect width=\"" + size +
           "\" fill=\"#fff\"/>\n<text class=\"title\" x=\"24\" y=\"36\">" + title + "</text>\n" +
           shown_ + "</svg>\n";
  }

  double height() const { return legend_y_ + 20; }

 private:
  void add(const std::string& shape) { shown_ += shape + '\n'; }

  void rows() {
    if (layout_.lane_x.empty()) return;
    for (const DiagramLayout::Label& label : layout_.labels) {
      if (label.kind != DiagramLayout::Label::Kind::time) continue;
      const double y = layout_.step_y[label.of];
      add(line_at("row", {label.box.x + label.box.width + 6, y, layout_.width - 24, y}));
    }
  }

  // How the lane stands, from y to y.
  std::string stretch(std::size_t lane, const Diagram::Standing& standing, double from, double to) {
    const double x = layout_.lane_x[lane];
    if (!standing.up) return line_at("lane absent", {x, from, x, to});
    for (const std::string_view state : {"candidate", "waiting", "coordinator"}) {
      if (standing.state == state) return bar(state, x, from, to);
    }
    return line_at("lane follower", {x, from, x, to});
  }

  void lanes() {
    std::vector<double> from(diagram_.lanes.size(), layout_.top - 10);
    std::vector<Diagram::Standing> standing = diagram_.before;
    for (std::size_t i = 0; i < diagram_.steps.size(); ++i) {
      const Diagram::Step& step = diagram_.steps[i];
      const Diagram::Standing& now = standing[step.lane];
      if (now.up == step.after.up && now.state == step.after.state) continue;
      add(stretch(step.lane, now, from[step.lane], layout_.step_y[i]));
      from[step.lane] = layout_.step_y[i];
      standing[step.lane] = step.after;
    }
    for (std::size_t lane = 0; lane < from.size(); ++lane) {
      add(stretch(lane, standing[lane], from[lane], layout_.bottom));
    }
  }

  void messages() {
    for (const Diagram::Message& message : diagram_.messages) {
      const Line line = line_of(layout_, message);
      std::string shapes = line_at(class_of(message.type), line,
                                   message.received ? head_of(message.type) : std::string());
      if (message.lost) shapes += cross_at(line.x2, line.y2, 5);
      if (!message.received && !message.lost) {
        shapes += "<circle class=\"mark\" r=\"3\" cx=\"" + at(line.x2) + "\" cy=\"" + at(line.y2) +
                  "\"/>";
      }
      std::string sentence = sentence_of(diagram_, message, language_);
      if (!message.sent) sentence += ": " + say(Text::diagram_from_before);
      if (!message.received && !message.lost) sentence += ": " + say(Text::diagram_under_way);
      shown_ += titled(sentence, shapes);
    }
  }

  std::string mark_of(const Diagram::Step& step, double x, double y) const {
    if (step.crash) return cross_at(x, y, 8);
    const std::string centre = "cx=\"" + at(x) + "\" cy=\"" + at(y) + "\"/>";
    const auto path = [&](const std::string& d) {
      return "<path class=\"mark\" d=\"M" + at(x) + ' ' + at(y) + d + "\"/>";
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
      shown_ +=
          titled(milliseconds_text(step.t_ns) + " ms  " + sentence_of(diagram_, step, language_) +
                     "\n" + rule_of(diagram_, step, language_),
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
            at(box.x) + "\" y=\"" + at(box.y) + "\" width=\"" + at(box.width) + "\" height=\"" +
            at(box.height) + "\"/>");
        add(text_at("id", middle, box.y + 19.5, label.words));
      } else if (label.kind == Kind::letter) {
        add(text_at("letter", middle, box.y + 9.5, label.words));
      } else if (label.kind == Kind::time) {
        add(text_at("time", box.x, box.y + 9.5, label.words));
      } else {
        const std::string_view kind = label.kind == Kind::cause ? "cause" : "outcome";
        add(text_at(kind, box.x, box.y + 11.5, label.words));
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
  add(line_at("row", {24, legend_y_ - 22, layout_.width - 24, legend_y_ - 22}));
  const auto entry = [&](const std::string& words, auto draw) {
    const double x = place(52 + text_width(words, label_font) + 16);
    add(draw(x, legend_y_ - 4));
    add(text_at("note", x + 50, legend_y_, words));
  };
  for (const MessageType type :
       {MessageType::election, MessageType::answer, MessageType::coordinator}) {
    entry(std::string(wire_name(type)) + ' ' + name_of(type, language_), [&](double x, double y) {
      return line_at(class_of(type), {x, y, x + 42, y}, head_of(type));
    });
  }
  entry(say(Text::diagram_lost), [](double x, double y) {
    return line_at("message election", {x, y, x + 36, y}) + cross_at(x + 36, y, 5);
  });
  legend_x_ = layout_.width;
  for (const std::string_view state : {"follower", "candidate", "waiting", "coordinator"}) {
    entry(state_words(state, language_), [&](double x, double y) {
      return state == "follower" ? line_at("lane follower", {x + 36, y - 9, x + 36, y + 9})
                                 : bar(state, x + 36, y - 9, y + 9);
    });
  }
  entry(say(Text::diagram_not_there), [](double x, double y) {
    return line_at("lane absent", {x + 36, y - 9, x + 36, y + 9});
  });
  legend_notes();
}

void Picture::legend_notes() {
  const auto note = [&](const std::string& words) {
    legend_y_ += 22;
    add(text_at("note", 24, legend_y_, words));
  };
  note(text(Text::diagram_time_note, language_,
            {say(scale_ == Scale::steps ? Text::diagram_by_steps : Text::diagram_to_scale)}));
  const auto crashed = [](const Diagram::Step& step) { return step.crash; };
  if (std::any_of(diagram_.steps.begin(), diagram_.steps.end(), crashed)) {
    note(say(Text::diagram_crash_note));
  }
}

}  // namespace

std::string escaped(std::string_view words) {
  std::string shown;
  for (const char c : words) {
    if (c == '&') {
      shown += "&amp;";
    } else if (c == '<') {
      shown += "&lt;";
    } else if (c == '>') {
      shown += "&gt;";
    } else if (c == '"') {
      shown += "&quot;";
    } else {
      shown += c;
    }
  }
  return shown;
}

std::optional<std::string> diagram_svg(const Diagram& diagram, Language language, Scale scale) {
  const DiagramLayout layout = lay_out(diagram, language, scale);
  if (layout.width > max_picture_side || layout.height > max_picture_side) return std::nullopt;
  Picture picture(diagram, layout, language, scale);
  std::string shown = picture.draw();
  if (picture.height() > max_picture_side) return std::nullopt;
  return shown;
}

}  // namespace bully
