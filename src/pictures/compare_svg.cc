// compare_svg.cc: all plots of a comparison in one picture.
#include <algorithm>
#include <array>
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

constexpr double plot_width = 214;
constexpr double plot_height = 250;
constexpr double plot_inset = 12;  // from the frame to the first and the last point
constexpr double first_plot_x = 76;
constexpr double note_font = 13;
constexpr double name_font = 14;  // bold
constexpr double text_line = 19;
constexpr double between_marks = 26;

struct Sheet {
  const Comparison& comparison;
  Language language;
  Svg svg = {};
  double bottom = 0;       // of the drawing so far
  Box box = {};            // of the present plot
  double next_plot_x = 0;  // from one plot to the one beside it
  double picture_width = 0;

  std::string draw() {
    measure();
    legend();
    for (const ComparedCase& compared : comparison.cases) draw_case(compared);
    notes();
    return svg.picture(say(Text::compare_title), page_file("compare", "css"), "", picture_width,
                       bottom + margin);
  }

  std::string say(Text name) const { return text(name, language, {}); }

  // Each plot has room beside it for the longest name.
  void measure() {
    for (const ComparedCase& compared : comparison.cases) {
      for (const ComparedSeries& series : compared.series) {
        const double name = text_width(series.algorithm, name_font);
        next_plot_x = std::max(next_plot_x, first_plot_x + plot_width + name + margin);
      }
    }
    picture_width = 2 * next_plot_x + 20;
  }

  static std::string kind_of(std::string_view shape, std::size_t series) {
    return std::string(shape) + " s" + std::to_string(series % series_marks.size());
  }

  void mark(std::size_t series, double x, double y) {
    const std::string shape(series_marks[series % series_marks.size()]);
    svg.path(kind_of("mark", series), "M " + svg_point(x, y) + ' ' + shape);
  }

  void legend() {
    LegendFlow flow{.right = picture_width, .y = 70, .line = text_line};
    bottom = flow.y;
    if (comparison.cases.empty()) return;
    for (std::size_t k = 0; const ComparedSeries& series : comparison.cases.front().series) {
      const double x = flow.place(84 + text_width(series.algorithm, name_font));
      svg.line(kind_of("curve", k), {x, flow.y - 5, x + 46, flow.y - 5});
      mark(k++, x + 23, flow.y - 5);
      svg.text("name", x + 56, flow.y, series.algorithm);
      bottom = flow.y;
    }
  }

  void draw_case(const ComparedCase& compared) {
    bottom += 44;
    svg.text("case", margin, bottom, case_words(compared, language));
    double top = bottom + 42;
    double x = first_plot_x;
    for (const Quantity& quantity : compared_quantities) {
      if (x + plot_width > picture_width) {
        top = bottom + 60;
        x = first_plot_x;
      }
      double y = top;
      if (const auto plot = plot_of(compared, quantity)) {
        box = {x, top, plot_width, plot_height};
        draw_axes(*plot);
        for (std::size_t k = 0; k < plot->series.size(); ++k) curve(*plot, k);
        names(*plot);
        y += plot_height + 46;
      }
      for (const std::string& sentence : ranking_words(compared, quantity, language)) {
        const double of_column = next_plot_x / text_width(sentence, note_font);
        const auto columns = of_column * static_cast<double>(width(sentence)) - 2;
        for (const std::string& line : wrapped(sentence, static_cast<std::size_t>(columns))) {
          y += text_line;
          svg.text("note", x - 40, y, line);
        }
      }
      bottom = std::max(bottom, y);
      x += next_plot_x;
    }
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

  // Each series' name at the end of its line, moved apart if lines end close together.
  void names(const Plot& plot) {
    std::multimap<double, std::string_view> ends;
    for (const ComparedSeries& series : plot.series) {
      if (series.points.empty()) continue;
      ends.emplace(down(plot, (series.points.back().*plot.quantity.spread).median),
                   series.algorithm);
    }
    double free = 0;
    // No lower than the room for the names below allows.
    double lowest = box.y + box.height - text_line * static_cast<double>(ends.size());
    for (const auto& [end, name] : ends) {
      lowest += text_line;
      const double y = std::max(free, std::min(end, lowest));
      svg.text("name", box.x + box.width + 8, y + 4, name);
      free = y + text_line;
    }
  }

  void notes() {
    bottom += 16;
    const auto note = [&](Text words) {
      bottom += text_line;
      svg.text("note", margin, bottom, say(words));
    };
    note(Text::compare_scales);
    const auto has_several = [](const ComparedCase& compared) { return compared.runs > 1; };
    if (std::ranges::any_of(comparison.cases, has_several)) note(Text::compare_whiskers);
    note(Text::compare_note_n);
    note(Text::compare_note_counted);
  }
};

}  // namespace

std::string compare_svg(const Comparison& comparison, Language language) {
  return Sheet{comparison, language}.draw();
}

}  // namespace bully
