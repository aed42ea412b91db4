// compare_svg.cc: all plots of a comparison in one picture. With one case it has a slide's shape:
// two plots, and below them their content in words.
#include <algorithm>
#include <map>

#include "base/layout.h"
#include "base/list.h"
#include "pictures/compare.h"
#include "pictures/svg.h"

namespace bully {

namespace {

// The mark of each series: the rest of a path that begins at its centre. The style sheet has its
// colour and its dashes.
constexpr auto series_marks = std::to_array<std::string_view>({
    "m-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z",
    "m-4.5 -4.5h9v9h-9z",
    "m0 -5.5l5.5 10h-11z",
    "m0 -6l6 6l-6 6l-6 -6z",
    "m-4.5 -4.5l9 9m-9 0l9 -9",
    "m-5.5 0h11m-5.5 -5.5v11",
    "m0 5.5l5.5 -10h-11z",
});

constexpr double slide_width = 1280;
constexpr double plot_height = 400;
constexpr double words_height = 150;  // below the last row of plots, at least
constexpr double least_plot_width = 200;
constexpr double axis_room = 58;     // from the left edge of a column to its plot
constexpr double axis_height = 38;   // below a plot
constexpr double name_gap = 34;      // from a plot to the names, for a line and a mark
constexpr double plot_inset = 12;    // from the frame to the first and the last point
constexpr double header = 40;        // the end of the title
constexpr double note_column = 7.6;  // a character of a sentence, on average, is narrower
constexpr double name_font = 14;     // bold
constexpr double text_line = 18;     // of names
constexpr double sentence_line = 15;
constexpr double between_marks = 26;

struct Sheet {
  const Comparison& comparison;
  Language language;
  Svg svg = {};
  double bottom = 0;                                 // of the drawing so far
  Box box = {};                                      // of the present plot
  double column_width = (slide_width - margin) / 2;  // of a plot with its axis and its names
  double plot_width = 0;

  std::string draw() {
    measure();
    bottom = header;
    for (const ComparedCase& compared : comparison.cases) {
      draw_case(compared, &compared == &comparison.cases.back());
    }
    return svg.picture(say(Text::compare_title), page_file("compare", "css"), "",
                       margin + 2 * column_width, bottom + margin - 4);
  }

  std::string say(Text name) const { return text(name, language, {}); }

  // Each plot has room beside it for the longest name.
  void measure() {
    double longest = 0;
    for (const ComparedCase& compared : comparison.cases) {
      for (const ComparedSeries& series : compared.series) {
        longest = std::max(longest, text_width(series.algorithm, name_font));
      }
    }
    const double beside = axis_room + name_gap + longest + margin / 2;
    column_width = std::max(column_width, least_plot_width + beside);
    plot_width = column_width - beside;
  }

  static std::string kind_of(std::string_view shape, std::size_t series) {
    return std::string(shape) + " s" + std::to_string(series % series_marks.size());
  }

  void mark(std::size_t series, double x, double y) {
    const std::string shape(series_marks[series % series_marks.size()]);
    svg.path(kind_of("mark", series), "M " + svg_point(x, y) + ' ' + shape);
  }

  void draw_case(const ComparedCase& compared, bool is_last) {
    bottom += 32;
    svg.text("case", margin, bottom, case_words(compared, language));
    const double top = bottom + 4 + 36;
    const double words_top = top + plot_height + axis_height + 24;
    double left = margin;
    double below = words_top;
    for (const Quantity& quantity : compared_quantities) {
      if (const auto plot = plot_of(compared, quantity)) {
        box = {left + axis_room, top, plot_width, plot_height};
        draw_axes(*plot);
        names(*plot);
        for (std::size_t k = 0; k < plot->series.size(); ++k) curve(*plot, k);
      }
      below =
          std::max(below, paragraphs(ranking_words(compared, quantity, language), left, words_top));
      left += column_width;
    }
    if (is_last) below = std::max(words_top - 24 + words_height, notes(below + sentence_line / 3));
    bottom = below;
  }

  // In one column of the picture; returns the next line's place.
  double paragraphs(const std::vector<std::string>& sentences, double left, double y) {
    const auto columns = static_cast<std::size_t>((column_width - margin) / note_column);
    for (const std::string& sentence : sentences) {
      for (const std::string& line : wrapped(sentence, columns)) {
        svg.text("note", left + margin / 2, y, line);
        y += sentence_line;
      }
    }
    return y;
  }

  // Of all cases, in two columns.
  double notes(double y) {
    std::vector<std::string> drawing = {say(Text::compare_scales)};
    const auto has_several = [](const ComparedCase& one) { return one.runs > 1; };
    if (std::ranges::any_of(comparison.cases, has_several)) {
      drawing.push_back(say(Text::compare_whiskers));
    }
    std::vector<std::string> counted = compare_notes(comparison, language);
    drawing.push_back(counted.front());
    counted.erase(counted.begin());
    const double left_end = paragraphs(drawing, margin, y);
    return std::max(left_end, paragraphs(counted, margin + column_width, y));
  }

  double across(const Plot& plot, std::uint64_t nodes) const {
    return box.x + plot_inset + (box.width - 2 * plot_inset) * plot.nodes.place(nodes);
  }
  double down(const Plot& plot, std::uint64_t figure) const {
    return box.y + box.height * (1 - plot.figures.place(figure));
  }

  void draw_axes(const Plot& plot) {
    svg.text("axis", box.x - 40, box.y - 12, say(plot.quantity.axis));
    for (const std::uint64_t tick : plot.figures.ticks) {
      const double y = down(plot, tick);
      svg.line("grid", {box.x, y, box.x + box.width, y});
      svg.text("tick count", box.x - 8, y + 4, grouped(tick, language));
    }
    const double foot = box.y + box.height;
    double free_from = 0;
    for (const std::uint64_t tick : plot.nodes.ticks) {
      const std::string label = std::to_string(tick);
      const double x = across(plot, tick);
      const double half = text_width(label, label_font) / 2;
      svg.line("grid", {x, box.y, x, foot});
      if (x - half < free_from) continue;
      svg.text("tick nodes", x, foot + 18, label);
      free_from = x + half + 6;
    }
    svg.rect("frame", box);
    svg.text("axis nodes", box.x + box.width / 2, foot + 38, say(Text::compare_axis_n));
  }

  // The medians as a line, with a mark if there is room for it, and then also a bar from least to
  // most.
  void curve(const Plot& plot, std::size_t k) {
    const std::vector<ComparedPoint>& points = plot.series[k].points;
    if (points.empty()) return;
    const auto place_of = [&](const ComparedPoint& point) {
      return svg_point(across(plot, point.nodes), down(plot, (point.*plot.quantity.spread).median));
    };
    svg.path(kind_of("curve", k), "M " + joined(points, " L ", place_of));
    double last_mark = -between_marks;
    const double end = across(plot, points.back().nodes);
    for (const ComparedPoint& point : points) {
      const Spread& spread = point.*plot.quantity.spread;
      const double x = across(plot, point.nodes);
      const bool has_room = x - last_mark >= between_marks && end - x >= plot_inset;
      if (!has_room && x < end) continue;
      last_mark = x;
      // Beside the other series' bars, not on them.
      const double aside = x + 3.0 * (static_cast<double>(k) - 1);
      if (spread.most > spread.least) {
        svg.line(kind_of("range", k),
                 {aside, down(plot, spread.least), aside, down(plot, spread.most)});
      }
      mark(k, x, down(plot, spread.median));
    }
  }

  // Each series' mark and name at the end of its line, moved apart if lines end close together.
  void names(const Plot& plot) {
    std::multimap<double, std::size_t> ends;
    for (std::size_t k = 0; k < plot.series.size(); ++k) {
      const std::vector<ComparedPoint>& points = plot.series[k].points;
      if (points.empty()) continue;
      ends.emplace(down(plot, (points.back().*plot.quantity.spread).median), k);
    }
    const double right = box.x + box.width;
    double free = box.y - text_line / 2;
    // No lower than the room for the names below allows.
    double lowest = box.y + box.height - text_line * static_cast<double>(ends.size());
    for (const auto& [end, k] : ends) {
      lowest += text_line;
      const double y = std::max(free, std::min(end, lowest));
      const ComparedSeries& series = plot.series[k];
      svg.line(kind_of("leader", k),
               {across(plot, series.points.back().nodes), end, right + name_gap - 18, y});
      mark(k, right + name_gap - 12, y);
      svg.text("name", right + name_gap, y + 4, series.algorithm);
      free = y + text_line;
    }
  }
};

}  // namespace

std::string compare_svg(const Comparison& comparison, Language language) {
  return Sheet{comparison, language}.draw();
}

}  // namespace bully
