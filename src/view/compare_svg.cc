#include "view/compare_svg.h"

#include <algorithm>
#include <array>

#include "view/compare_words.h"
#include "view/svg_shapes.h"

namespace bully {

namespace {

constexpr std::string_view compare_style = R"(<style>
text { font-family: "DejaVu Sans", Verdana, Helvetica, Arial, sans-serif; fill: #111;
  font-size: 13px; }
.title { font-size: 20px; font-weight: bold; }
.case { font-size: 15px; font-weight: bold; }
.axis { font-size: 13px; font-style: italic; }
.tick { font-size: 12px; fill: #333; }
.count { text-anchor: end; }
.nodes { text-anchor: middle; }
.name { font-weight: bold; }
.frame { fill: none; stroke: #222; }
.grid { stroke: #ddd; }
.curve { fill: none; stroke-width: 2; }
.range { stroke-width: 1; }
.mark { stroke-width: 1.6; }
</style>
)";

// How a series looks: told apart in grey by dashes and marks.
struct Look {
  std::string_view color;
  std::string_view dashes;
  std::string_view mark;  // a path around 0 0
  bool filled;
};
constexpr std::array looks = {
    Look{"#a8450c", "none", "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z", true},
    Look{"#0b5fa5", "7 4", "M-4.5 -4.5h9v9h-9z", false},
    Look{"#17692f", "2 3", "M0 -5.5L5.5 4.5H-5.5z", true},
    Look{"#5b2a86", "10 3 2 3", "M0 -6L6 0L0 6L-6 0z", false},
    Look{"#333333", "4 2", "M-4.5 -4.5L4.5 4.5M-4.5 4.5L4.5 -4.5", false},
    Look{"#8a6d00", "12 3", "M-5.5 0H5.5M0 -5.5V5.5", false},
};
const Look& look_of(std::size_t series) {
  return looks[series % looks.size()];
}

constexpr double plot_width = 330;
constexpr double plot_height = 250;
constexpr double first_plot_x = 80;
constexpr double next_plot_x = 520;  // from one plot to the one beside it
constexpr double picture_width = 1060;
constexpr double text_line = 19;
constexpr double between_marks = 26;

std::string words_at(std::string_view kind, double x, double y, std::string_view words) {
  return svg_text(kind, x, y, words) + '\n';
}

std::string stroke(std::string_view kind, double x1, double y1, double x2, double y2,
                   const std::string& more = "") {
  return "<path class=\"" + std::string(kind) + "\" d=\"M" + svg_number(x1) + ' ' + svg_number(y1) +
         'L' + svg_number(x2) + ' ' + svg_number(y2) + '"' + more + "/>\n";
}

std::string ink(std::size_t series) {
  return " stroke=\"" + std::string(look_of(series).color) + '"';
}

std::string mark_at(std::size_t series, double x, double y) {
  const Look& look = look_of(series);
  return "<path class=\"mark\" transform=\"translate(" + svg_number(x) + ' ' + svg_number(y) +
         ")\" d=\"" + std::string(look.mark) + '"' + ink(series) + " fill=\"" +
         std::string(look.filled ? look.color : "#fff") + "\"/>\n";
}

std::string dashes(std::size_t series) {
  return " stroke-dasharray=\"" + std::string(look_of(series).dashes) + '"';
}

// One plot: a quantity of a case over the number of processes, its upper left corner at x, y.
class SvgPlot {
 public:
  SvgPlot(const ComparedCase& compared, Quantity quantity, CompareAxes axes, double x, double y)
      : compared_(compared), quantity_(quantity), axes_(std::move(axes)), x_(x), y_(y) {}

  std::string draw(Language language) {
    const Text name =
        quantity_ == Quantity::messages ? Text::compare_axis_messages : Text::compare_axis_time;
    shown_ = words_at("axis", x_ - 40, y_ - 12, text(name, language));
    grid();
    shown_ += words_at("axis nodes", x_ + plot_width / 2, y_ + plot_height + 38,
                       text(Text::compare_axis_n, language));
    for (std::size_t k = 0; k < compared_.series.size(); ++k) curve(k);
    names();
    return shown_;
  }

 private:
  double across(std::uint64_t nodes) const {
    return x_ + 12 + (plot_width - 24) * axes_.nodes.place(nodes);
  }
  double down(std::uint64_t figure) const {
    return y_ + plot_height * (1 - axes_.figures.place(figure));
  }

  void grid() {
    for (const std::uint64_t tick : axes_.figures.ticks) {
      shown_ += stroke("grid", x_, down(tick), x_ + plot_width, down(tick));
      shown_ += words_at("tick count", x_ - 8, down(tick) + 4, std::to_string(tick));
    }
    double free_from = 0;
    for (const std::uint64_t tick : axes_.nodes.ticks) {
      const std::string label = std::to_string(tick);
      const double half = 4.0 * static_cast<double>(label.size());
      shown_ += stroke("grid", across(tick), y_, across(tick), y_ + plot_height);
      if (across(tick) - half < free_from) continue;
      shown_ += words_at("tick nodes", across(tick), y_ + plot_height + 18, label);
      free_from = across(tick) + half + 6;
    }
    shown_ += "<rect class=\"frame\" x=\"" + svg_number(x_) + "\" y=\"" + svg_number(y_) +
              "\" width=\"" + svg_number(plot_width) + "\" height=\"" + svg_number(plot_height) +
              "\"/>\n";
  }

  // The medians as a line, with a mark where there is room for one; there, least to most as well.
  void curve(std::size_t k) {
    std::string line;
    std::string marks;
    double last_mark = -between_marks;
    const std::vector<ComparedPoint>& points = compared_.series[k].points;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Spread& spread = spread_in(points[i], quantity_);
      if (spread.median == 0) continue;
      const double x = across(points[i].nodes);
      const double y = down(spread.median);
      line += (line.empty() ? 'M' : 'L') + svg_number(x) + ' ' + svg_number(y);
      const bool is_last = i + 1 == points.size();
      if (!is_last && (x - last_mark < between_marks || across(points.back().nodes) - x < 12)) {
        continue;
      }
      last_mark = x;
      // Beside those of the others, not on them.
      const double aside = x + 3.0 * (static_cast<double>(k) - 1);
      if (spread.most > spread.least) {
        marks += stroke("range", aside, down(std::max<std::uint64_t>(spread.least, 1)), aside,
                        down(spread.most), ink(k));
      }
      marks += mark_at(k, x, y);
    }
    if (line.empty()) return;
    shown_ += "<path class=\"curve\" d=\"" + line + '"' + ink(k) + dashes(k) + "/>\n" + marks;
  }

  // Each series' name where its line ends, moved apart where lines end close together.
  void names() {
    struct Name {
      std::size_t series;
      double y;
    };
    std::vector<Name> ends;
    for (std::size_t k = 0; k < compared_.series.size(); ++k) {
      const std::vector<ComparedPoint>& points = compared_.series[k].points;
      const std::uint64_t last = points.empty() ? 0 : spread_in(points.back(), quantity_).median;
      if (last > 0) ends.push_back({k, down(last)});
    }
    std::stable_sort(ends.begin(), ends.end(),
                     [](const Name& a, const Name& b) { return a.y < b.y; });
    for (std::size_t i = 1; i < ends.size(); ++i) {
      ends[i].y = std::max(ends[i].y, ends[i - 1].y + text_line);
    }
    // What was pushed below the plot goes up again, and pushes the others.
    double lowest = y_ + plot_height;
    for (std::size_t i = ends.size(); i-- > 0;) {
      ends[i].y = std::min(ends[i].y, lowest);
      lowest = ends[i].y - text_line;
    }
    for (const Name& end : ends) {
      shown_ +=
          words_at("name", x_ + plot_width + 8, end.y + 4, compared_.series[end.series].algorithm);
    }
  }

  const ComparedCase& compared_;
  Quantity quantity_;
  CompareAxes axes_;
  double x_;
  double y_;
  std::string shown_;
};

class CompareSheet {
 public:
  CompareSheet(const Comparison& comparison, Language language)
      : comparison_(comparison), language_(language) {}

  std::string draw() {
    const std::string title = escaped(say(Text::compare_title));
    y_ = 70;
    legend();
    for (const ComparedCase& compared : comparison_.cases) draw_case(compared);
    notes();
    const std::string size = svg_number(picture_width) + "\" height=\"" + svg_number(y_);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"" + size +
           "\" viewBox=\"0 0 " + svg_number(picture_width) + ' ' + svg_number(y_) + "\">\n<title>" +
           title + "</title>\n" + std::string(compare_style) + "<rect width=\"" + size +
           "\" fill=\"#fff\"/>\n" + words_at("title", 40, 40, say(Text::compare_title)) + shown_ +
           "</svg>\n";
  }

 private:
  std::string say(Text name) const { return std::string(text(name, language_)); }

  // As many entries in a line as there is room for.
  void legend() {
    if (comparison_.cases.empty()) return;
    double x = 40;
    const std::vector<ComparedSeries>& series = comparison_.cases.front().series;
    for (std::size_t k = 0; k < series.size(); ++k) {
      const double needs = 84 + 9.0 * static_cast<double>(width(series[k].algorithm));
      if (x + needs > picture_width) {
        x = 40;
        y_ += text_line;
      }
      shown_ += stroke("curve", x, y_ - 5, x + 46, y_ - 5, ink(k) + dashes(k));
      shown_ += mark_at(k, x + 23, y_ - 5);
      shown_ += words_at("name", x + 56, y_, series[k].algorithm);
      x += needs;
    }
  }

  void draw_case(const ComparedCase& compared) {
    y_ += 44;
    shown_ += words_at("case", 40, y_, case_words(compared, language_));
    const double top = y_ + 42;
    double bottom = top;
    double x = first_plot_x;
    for (const Quantity quantity : {Quantity::messages, Quantity::time}) {
      double y = top;
      if (auto axes = axes_of(compared, quantity)) {
        shown_ += SvgPlot(compared, quantity, *std::move(axes), x, top).draw(language_);
        y += plot_height + 46;
      }
      for (const std::string& sentence : overtaking_words(compared, quantity, language_)) {
        y += text_line;
        shown_ += words_at("note", x - 40, y, sentence);
      }
      bottom = std::max(bottom, y);
      x += next_plot_x;
    }
    y_ = bottom;
  }

  void notes() {
    y_ += 16;
    const auto note = [&](Text words) {
      y_ += text_line;
      shown_ += words_at("note", 40, y_, say(words));
    };
    note(Text::compare_scales);
    const bool several = std::any_of(comparison_.cases.begin(), comparison_.cases.end(),
                                     [](const ComparedCase& c) { return c.runs > 1; });
    if (several) note(Text::compare_whiskers);
    note(Text::compare_note_n);
    note(Text::compare_note_counted);
    y_ += 24;
  }

  const Comparison& comparison_;
  Language language_;
  double y_ = 0;
  std::string shown_;
};

}  // namespace

std::string compare_svg(const Comparison& comparison, Language language) {
  return CompareSheet(comparison, language).draw();
}

}  // namespace bully
