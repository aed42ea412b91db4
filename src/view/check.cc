#include "view/check.h"

#include <algorithm>
#include <cstdio>

#include "trace/harmless.h"
#include "view/looks.h"

namespace bully {

namespace {

constexpr std::string_view red = "\033[1;31m";
constexpr std::string_view green = "\033[1;32m";
constexpr std::string_view yellow = "\033[1;33m";
constexpr std::string_view bold = "\033[1m";

constexpr double us_per_ns = 1e-3;
constexpr double ms_per_ns = 1e-6;
constexpr double s_per_ns = 1e-9;

// In the unit that suits it, with three digits or so: "85 µs", "12.4 ms", "3.19 s".
std::string time_text(std::int64_t ns) {
  const auto value = static_cast<double>(ns);
  char shown[32];
  if (ns < 1'000'000) {
    std::snprintf(shown, sizeof shown, "%.0f µs", value * us_per_ns);
  } else if (ns < 1'000'000'000) {
    std::snprintf(shown, sizeof shown, "%.1f ms", value * ms_per_ns);
  } else {
    std::snprintf(shown, sizeof shown, "%.2f s", value * s_per_ns);
  }
  return shown;
}

Text words_of(RunProperty property) {
  switch (property) {
    case RunProperty::highest_live:
      return Text::check_highest_live;
    case RunProperty::never_lower:
      return Text::check_never_lower;
    case RunProperty::answered:
      return Text::check_answered;
    case RunProperty::ends:
      return Text::check_ends;
    case RunProperty::sent:
      return Text::check_sent;
    case RunProperty::fifo:
      return Text::check_fifo;
    case RunProperty::one_neighbour:
      return Text::check_one_neighbour;
    case RunProperty::own_numbers:
      return Text::check_own_numbers;
    case RunProperty::within_bound:
      return Text::check_within_bound;
  }
  return Text::count;
}

Text words_of(Manner manner) {
  switch (manner) {
    case Manner::took_office_unasked:
      return Text::check_took_office_unasked;
    case Manner::answered_in_vain:
      return Text::check_answered_in_vain;
    case Manner::all_follow_a_lower:
      return Text::check_all_follow_a_lower;
    case Manner::follows_below_itself:
      return Text::check_follows_below_itself;
    case Manner::follows_another:
      return Text::check_follows_another;
    case Manner::stayed_with_a_lower:
      return Text::check_stayed_with_a_lower;
    case Manner::not_answered:
      return Text::check_not_answered;
    case Manner::ignored_coordinator:
      return Text::check_ignored_coordinator;
    case Manner::never_decided:
      return Text::check_never_decided;
    case Manner::not_sent:
      return Text::check_not_sent;
    case Manner::overtaken:
      return Text::check_overtaken;
    case Manner::heard_two:
      return Text::check_heard_two;
    case Manner::foreign_number:
      return Text::check_foreign_number;
    case Manner::more_than_bound:
      return Text::check_more_than_bound;
  }
  return Text::count;
}

Text words_of(Doubt doubt) {
  switch (doubt) {
    case Doubt::empty:
      return Text::check_doubt_empty;
    case Doubt::mid_election:
      return Text::check_doubt_mid_election;
    case Doubt::names_only:
      return Text::check_doubt_names_only;
    case Doubt::no_beginning:
      return Text::check_doubt_no_beginning;
    case Doubt::end_of_answer:
      return Text::check_doubt_end_of_answer;
    case Doubt::cut_line:
      return Text::check_doubt_cut_line;
    case Doubt::mixed:
      return Text::check_doubt_mixed;
  }
  return Text::count;
}

Text words_of(Occasion occasion) {
  switch (occasion) {
    case Occasion::down:
      return Text::check_by_down;
    case Occasion::hung:
      return Text::check_by_hung;
    case Occasion::deposed:
      return Text::check_by_deposed;
    case Occasion::start:
      return Text::check_by_start;
    case Occasion::resumed:
      return Text::check_by_resumed;
  }
  return Text::count;
}

// A long list is cut where the eye would stop reading; the JSON has all of it.
constexpr std::size_t max_listed = 20;

template <class Range, class Show>
std::string list(const Range& range, Show show) {
  std::string shown;
  std::size_t count = 0;
  for (const auto& element : range) {
    if (count++ == max_listed) return shown + ", …";
    shown += (shown.empty() ? "" : ", ") + show(element);
  }
  return shown;
}

class Page {
 public:
  Page(const Trace& trace, const Report& report, Language language, bool color)
      : trace_(trace), report_(report), language_(language), color_(color) {
    for (const Text label : {Text::check_noticed, Text::check_won, Text::check_time,
                             Text::check_messages, Text::check_also}) {
      label_width_ = std::max(label_width_, width(say(label)));
    }
  }

  std::string write() {
    verdict();
    properties();
    doubts();
    for (std::size_t k = 0; k < report_.elections.size(); ++k) election(k);
    return std::move(page_);
  }

 private:
  std::string say(Text name) const { return std::string(text(name, language_)); }
  std::string say(Text name, std::initializer_list<std::string_view> values) const {
    return text(name, language_, values);
  }
  std::string paint(std::string_view shown, std::string_view color) const {
    if (!color_) return std::string(shown);
    return std::string(color) + std::string(shown) + "\033[0m";
  }
  std::string source(std::size_t record) const { return harmless(trace_.source(record)); }
  // From one record to another; the file only once where it is the same.
  std::string span(std::size_t from, std::size_t to) const {
    const std::string first = source(from);
    const std::string last = source(to);
    const std::size_t colon = last.rfind(':');
    const bool same_file = first.compare(0, first.rfind(':'), last, 0, colon) == 0;
    return first + (same_file ? "–" + last.substr(colon + 1) : " – " + last);
  }
  static std::string id(NodeId node) { return std::to_string(node); }

  void verdict() {
    switch (report_.verdict) {
      case RunVerdict::right:
        page_ += paint(say(Text::check_right), green);
        break;
      case RunVerdict::violated:
        page_ += paint(say(Text::check_violated), red);
        break;
      case RunVerdict::cannot_tell:
        page_ += paint(say(Text::check_cannot_tell), yellow);
        break;
    }
    const auto name = [](const Algorithm* algorithm) { return std::string(algorithm->name); };
    page_ += "   " + say(Text::check_algorithm, {list(report_.algorithms, name)}) + ", " +
             say(Text::check_summary, {id(report_.nodes.size()), id(report_.elections.size()),
                                       id(trace_.records.size())}) +
             "\n\n";
  }

  void properties() {
    for (const RunProperty property : report_.properties) {
      const bool broken = std::any_of(report_.breaches.begin(), report_.breaches.end(),
                                      [&](const Breach& b) { return b.property == property; });
      const bool told = report_.verdict != RunVerdict::cannot_tell;
      const std::string mark =
          broken ? paint("✗", red) : (told ? paint("✓", green) : paint("?", yellow));
      page_ += "  " + mark + ' ' + padded(run_property_name(property), 15) +
               say(words_of(property)) + '\n';
      std::size_t shown = 0;
      for (const Breach& breach : report_.breaches) {
        if (breach.property != property) continue;
        if (++shown > max_listed) {
          page_ += "      …\n";
          break;
        }
        page_ += "      " + say(words_of(breach.manner), {id(breach.node), id(breach.other)}) +
                 "\n        " + sources(breach.records) + '\n';
      }
    }
    page_ += '\n';
  }

  std::string sources(const std::vector<std::size_t>& records) const {
    return list(records, [this](std::size_t record) { return source(record); });
  }

  void doubts() {
    const std::size_t before = page_.size();
    for (const std::string& file : trace_.cut) {
      page_ += "  " + say(Text::check_cut, {file}) + '\n';
    }
    for (const Reason& reason : report_.reasons) {
      page_ +=
          "  " + paint("?", yellow) + ' ' + say(words_of(reason.doubt), {list(reason.nodes, id)});
      page_ += reason.records.empty() ? "\n" : "\n      " + sources(reason.records) + '\n';
    }
    if (page_.size() > before) page_ += '\n';
  }

  // A line of an election's paragraph, with what kind of thing it tells in front.
  void line(Text label, const std::string& words) {
    page_ += "  " + padded(say(label), label_width_) + "  " + words + '\n';
  }
  void line_below(const std::string& words) {
    page_ += std::string(label_width_ + 4, ' ') + words + '\n';
  }

  void election(std::size_t k) {
    const Election& election = report_.elections[k];
    page_ += paint(say(Text::check_election, {id(election.number)}), bold) + "   " +
             span(election.first_record, election.last_record) + '\n';
    noticed(election);
    winner(election);
    times(report_.figures[k]);
    messages(report_.figures[k]);
    overlaps(election, k);
    page_ += '\n';
  }

  void noticed(const Election& election) {
    const Record& first = trace_.records[election.first_record];
    std::vector<std::string> told;
    if (ends_life(first)) {
      const bool left = first.event == TraceEvent::stop;
      told.push_back(say(left ? Text::check_by_leaving : Text::check_by_crash, {id(first.node)}));
    }
    for (const Noticed& detection : election.detections) {
      told.push_back(say(words_of(detection.occasion),
                         {id(detection.node), id(detection.suspected.value_or(0))}));
    }
    if (told.empty()) told.push_back(say(Text::check_by_nobody));
    line(Text::check_noticed, told.front());
    for (std::size_t i = 1; i < told.size(); ++i) {
      line_below(i < max_listed ? told[i] : "…");
      if (i == max_listed) break;
    }
  }

  void winner(const Election& election) {
    if (!election.settled_record) return line(Text::check_won, say(Text::check_not_ended));
    if (!election.winner) return line(Text::check_won, say(Text::check_no_winner));
    std::vector<NodeId> others = election.survivors;
    std::erase(others, *election.winner);
    const std::string name = id(*election.winner);
    line(Text::check_won, others.empty() ? say(Text::check_winner_alone, {name})
                                         : say(Text::check_winner, {name, list(others, id)}));
  }

  void times(const Figures& figures) {
    std::string told;
    const auto add = [&](Text name, const std::optional<Phase>& phase) {
      if (!phase) return;
      const std::string took = (phase->at_most ? "≤ " : "") + time_text(phase->ns);
      told += (told.empty() ? "" : "   ") + say(name, {took});
    };
    add(Text::check_detect, figures.detect);
    add(Text::check_elect, figures.elect);
    add(Text::check_announce, figures.announce);
    if (!told.empty()) line(Text::check_time, told);
  }

  void messages(const Figures& figures) {
    const std::vector<MessageType> columns = messages_of(report_.algorithms);
    std::vector<std::string> headings;
    for (const MessageType type : columns) headings.push_back(name_of(type, language_));
    headings.push_back(say(Text::check_total));
    std::size_t first = 0;
    for (const Text row : {Text::check_sent_row, Text::check_lost_row, Text::check_textbook_row,
                           Text::check_bound_row, Text::check_delivered_row}) {
      first = std::max(first, width(say(row)));
    }
    std::string heading(first, ' ');
    for (const std::string& name : headings) heading += "  " + right_aligned(name, 7);
    line(Text::check_messages, heading);
    const auto row = [&](Text name, auto number_of) {
      std::string shown = padded(say(name), first);
      std::uint64_t all = 0;
      for (std::size_t i = 0; i <= columns.size(); ++i) {
        const std::uint64_t number = i < columns.size() ? number_of(columns[i]) : all;
        all += number;
        shown += "  " + right_aligned(id(number), std::max<std::size_t>(7, width(headings[i])));
      }
      if (all > 0 || name != Text::check_lost_row) line_below(shown);
    };
    const auto measured = [&](std::uint64_t MessageFigures::*figure) {
      return [&figures, figure](MessageType type) {
        return figures.messages[static_cast<std::size_t>(type)].*figure;
      };
    };
    const auto counted = [](const MessageCounts& counts) {
      return [&counts](MessageType type) { return count_of(counts, type); };
    };
    row(Text::check_sent_row, measured(&MessageFigures::sent));
    if (figures.textbook) row(Text::check_textbook_row, counted(figures.textbook->sent));
    row(Text::check_lost_row, measured(&MessageFigures::lost));
    row(Text::check_delivered_row, measured(&MessageFigures::delivered));
    if (figures.bound) row(Text::check_bound_row, counted(figures.bound->sent));
    if (!figures.textbook) line_below(say(Text::check_textbook_none));
    if (figures.exceeds_bound) {
      line_below(say(Text::check_over_bound, {id(figures.bound->nodes)}));
    }
  }

  // Those that began during this election, or after it and before the next.
  void overlaps(const Election& election, std::size_t k) {
    const std::size_t end = k + 1 < report_.elections.size() ? report_.elections[k + 1].first_record
                                                             : trace_.records.size();
    for (const TwoCoordinators& two : report_.two_coordinators) {
      if (two.from_record < election.first_record || two.from_record >= end) continue;
      const std::int64_t took =
          trace_.records[two.to_record].t_ns - trace_.records[two.from_record].t_ns;
      line(Text::check_also,
           say(Text::check_two_coordinators, {id(two.lower), id(two.higher), time_text(took)}) +
               "  (" + span(two.from_record, two.to_record) + ')');
    }
  }

  const Trace& trace_;
  const Report& report_;
  Language language_;
  bool color_;
  std::size_t label_width_ = 0;
  std::string page_;
};

}  // namespace

std::string check_report(const Trace& trace, const Report& report, Language language, bool color) {
  return Page(trace, report, language, color).write();
}

}  // namespace bully
