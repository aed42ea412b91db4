#include "view/compare_table.h"

#include <algorithm>
#include <bit>

#include "view/compare_words.h"

namespace bully {

namespace {

// More numbers of processes than this do not all get their rows.
constexpr std::size_t most_rows = 12;
constexpr std::size_t at_most_columns = 11;

std::string figure(std::uint64_t number) {
  return std::to_string(number);
}

class CompareTable {
 public:
  CompareTable(const ComparedCase& compared, Language language)
      : compared_(compared), language_(language), several_(compared.runs > 1) {
    name_columns_ = width(say(Text::compare_algorithm));
    for (const ComparedSeries& series : compared.series) {
      name_columns_ = std::max(name_columns_, width(series.algorithm));
    }
  }

  std::string write() {
    page_ = case_words(compared_, language_) + "\n\n";
    headings();
    const std::size_t count = compared_.series.empty() ? 0 : compared_.series[0].points.size();
    bool left_out = false;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t nodes = compared_.series[0].points[i].nodes;
      const bool shown =
          count <= most_rows || i == 0 || i + 1 == count || std::has_single_bit(nodes);
      if (shown) rows(i);
      left_out = left_out || !shown;
    }
    if (left_out) note(say(Text::compare_more_rows));
    page_ += '\n';
    for (const Quantity quantity : {Quantity::messages, Quantity::time}) {
      for (const std::string& sentence : overtaking_words(compared_, quantity, language_)) {
        note(sentence);
      }
    }
    const bool right = verdicts();
    if (several_ && right) note(say(Text::compare_note_equal));
    return std::move(page_);
  }

 private:
  std::string say(Text name) const { return std::string(text(name, language_)); }
  void note(const std::string& words) { page_ += "  " + words + '\n'; }
  void cell(std::string_view words) { page_ += right_aligned(words, columns()); }
  std::size_t columns() const { return several_ ? 8 : 11; }
  void begin(std::string_view nodes, std::string_view name) {
    page_ += right_aligned(nodes, 5) + "  " + padded(name, name_columns_);
  }
  void end() { page_ += '\n'; }

  void headings() {
    if (several_) {
      begin("", "");
      page_ += right_aligned(say(Text::compare_messages), 2 * columns());
      page_ += right_aligned(say(Text::compare_time), at_most_columns + 2 * columns());
      end();
    }
    begin("n", say(Text::compare_algorithm));
    if (several_) {
      spread_headings();
      page_ += right_aligned(say(Text::compare_at_most), at_most_columns);
      spread_headings();
    } else {
      for (const Text heading : {Text::compare_messages, Text::compare_textbook,
                                 Text::compare_at_most, Text::compare_time}) {
        cell(say(heading));
      }
    }
    end();
  }
  void spread_headings() {
    for (const Text heading : {Text::compare_least, Text::compare_median, Text::compare_most}) {
      cell(say(heading));
    }
  }

  void rows(std::size_t i) {
    for (std::size_t k = 0; k < compared_.series.size(); ++k) {
      const ComparedSeries& series = compared_.series[k];
      const ComparedPoint& point = series.points[i];
      begin(k == 0 ? figure(point.nodes) : "", series.algorithm);
      if (several_) {
        spread(point.messages);
        page_ += right_aligned(figure(point.bound), at_most_columns);
        spread(point.time);
      } else {
        for (const std::uint64_t number :
             {point.messages.median, point.textbook.median, point.bound, point.time.median}) {
          cell(figure(number));
        }
      }
      end();
    }
  }
  void spread(const Spread& spread) {
    for (const std::uint64_t number : {spread.least, spread.median, spread.most}) {
      cell(figure(number));
    }
  }

  // Whether all was right; tells what was not.
  bool verdicts() {
    bool right = true;
    for (const ComparedSeries& series : compared_.series) {
      for (const ComparedPoint& point : series.points) {
        if (point.is_right()) continue;
        right = false;
        note("✗ " +
             text(Text::compare_wrong, language_,
                  {figure(point.nodes), series.algorithm, figure(point.runs),
                   figure(point.disagreed), figure(point.over_bound), figure(point.miscounted)}));
      }
    }
    return right;
  }

  const ComparedCase& compared_;
  Language language_;
  bool several_;
  std::size_t name_columns_ = 0;
  std::string page_;
};

}  // namespace

std::string compare_table(const ComparedCase& compared, Language language) {
  return CompareTable(compared, language).write();
}

std::string compare_notes(Language language) {
  return std::string(text(Text::compare_note_n, language)) + '\n' +
         std::string(text(Text::compare_note_counted, language)) + '\n';
}

std::string compare_csv(const Comparison& comparison) {
  std::string lines =
      "case,nodes,algorithm,runs,messages_least,messages_median,messages_most,textbook_least,"
      "textbook_median,textbook_most,bound,time_least,time_median,time_most,disagreed,over_bound,"
      "miscounted\n";
  for (const ComparedCase& compared : comparison.cases) {
    for (const ComparedSeries& series : compared.series) {
      for (const ComparedPoint& point : series.points) {
        lines += std::string(election_case_name(compared.election_case)) + ',' +
                 figure(point.nodes) + ',' + std::string(series.algorithm) + ',' +
                 figure(point.runs);
        const auto add = [&](std::uint64_t number) { lines += ',' + figure(number); };
        const auto add_spread = [&](const Spread& spread) {
          for (const std::uint64_t number : {spread.least, spread.median, spread.most}) add(number);
        };
        add_spread(point.messages);
        add_spread(point.textbook);
        add(point.bound);
        add_spread(point.time);
        add(point.disagreed);
        add(point.over_bound);
        add(point.miscounted);
        lines += '\n';
      }
    }
  }
  return lines;
}

}  // namespace bully
