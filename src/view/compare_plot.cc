#include "view/compare_plot.h"

#include <array>
#include <cmath>

#include "view/compare_words.h"

namespace bully {

namespace {

constexpr std::size_t plot_columns = 66;
constexpr std::size_t plot_rows = 16;
constexpr std::size_t label_columns = 9;

// So that marks of two series beside each other are told apart at a glance.
constexpr std::array series_marks = {'o', 'x', '+', '#', '%', '@'};
constexpr char several_mark = '*';

char mark_of(std::size_t series) {
  return series_marks[series % series_marks.size()];
}

std::size_t cell_at(double place, std::size_t cells) {
  return static_cast<std::size_t>(std::lround(place * static_cast<double>(cells - 1)));
}

class TextPlot {
 public:
  TextPlot(const ComparedCase& compared, Quantity quantity, const CompareAxes& axes)
      : compared_(compared), quantity_(quantity), axes_(axes) {
    canvas_.fill(std::string(plot_columns, ' '));
  }

  std::string draw(Language language) {
    for (std::size_t k = 0; k < compared_.series.size(); ++k) marks(k);
    const auto say = [language](Text name) { return std::string(text(name, language)); };
    const bool messages = quantity_ == Quantity::messages;
    std::string page =
        "  " + say(messages ? Text::compare_axis_messages : Text::compare_axis_time) + '\n';
    for (std::size_t row = 0; row < plot_rows; ++row) page += line(row);
    page += nodes_axis() + nodes_labels(say(Text::compare_axis_n));
    std::string legend = " ";
    for (std::size_t k = 0; k < compared_.series.size(); ++k) {
      legend += ' ' + std::string(1, mark_of(k)) + ' ' + std::string(compared_.series[k].algorithm);
      legend += "  ";
    }
    legend.resize(legend.size() - 2);
    if (several_) legend += "   " + std::string(1, several_mark) + ' ' + say(Text::compare_several);
    return page + legend + "\n  " + say(Text::compare_scales) + '\n';
  }

 private:
  void marks(std::size_t k) {
    for (const ComparedPoint& point : compared_.series[k].points) {
      const std::uint64_t figure = spread_in(point, quantity_).median;
      if (figure == 0) continue;
      char& cell = canvas_[row_of(figure)][column_of(point.nodes)];
      const bool taken = cell != ' ' && cell != mark_of(k);
      cell = taken ? several_mark : mark_of(k);
      several_ = several_ || taken;
    }
  }
  std::size_t row_of(std::uint64_t figure) const {
    return plot_rows - 1 - cell_at(axes_.figures.place(figure), plot_rows);
  }
  std::size_t column_of(std::uint64_t nodes) const {
    return cell_at(axes_.nodes.place(nodes), plot_columns);
  }

  std::string line(std::size_t row) const {
    std::string label;
    for (const std::uint64_t tick : axes_.figures.ticks) {
      if (row_of(tick) == row) label = std::to_string(tick);
    }
    std::string shown = right_aligned(label, label_columns) + (label.empty() ? " │ " : " ┤ ");
    const std::string& marks = canvas_[row];
    shown += marks.substr(0, marks.find_last_not_of(' ') + 1);
    return shown.substr(0, shown.find_last_not_of(' ') + 1) + '\n';
  }

  std::string nodes_axis() const {
    std::string shown(label_columns, ' ');
    shown += " └─";
    for (std::size_t column = 0; column < plot_columns; ++column) {
      bool tick = false;
      for (const std::uint64_t nodes : axes_.nodes.ticks) tick |= column_of(nodes) == column;
      shown += tick ? "┴" : "─";
    }
    return shown + '\n';
  }

  // As many as there is room for; the name of the axis below them.
  std::string nodes_labels(const std::string& name) const {
    std::string shown(label_columns + 3, ' ');
    const std::size_t left = shown.size();
    for (const std::uint64_t nodes : axes_.nodes.ticks) {
      const std::string label = std::to_string(nodes);
      const std::size_t column = left + column_of(nodes) - (label.size() - 1) / 2;
      const bool has_room = shown.size() == left || shown.size() < column;
      if (!has_room) continue;
      shown = padded(shown, column);
      shown += label;
    }
    return shown + '\n' + right_aligned(name, left + plot_columns) + '\n';
  }

  const ComparedCase& compared_;
  Quantity quantity_;
  const CompareAxes& axes_;
  std::array<std::string, plot_rows> canvas_;
  bool several_ = false;
};

}  // namespace

std::string compare_plot(const ComparedCase& compared, Quantity quantity, Language language) {
  const std::optional<CompareAxes> axes = axes_of(compared, quantity);
  if (!axes) return {};
  return TextPlot(compared, quantity, *axes).draw(language);
}

}  // namespace bully
