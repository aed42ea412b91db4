#include "view/diagram_text.h"

#include <algorithm>
#include <vector>

#include "view/diagram_words.h"
#include "view/looks.h"

namespace bully {

namespace {

constexpr std::size_t time_columns = 9;
constexpr std::size_t least_lane_columns = 14;

std::string_view line_of(const Diagram::Standing& standing) {
  return standing.up ? look_of_state(standing.state).line : " ";
}

// `words`, broken between words into lines of at most `columns`; a longer word stands alone.
std::vector<std::string> wrapped(const std::string& words, std::size_t columns) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    const std::string word = words.substr(at, end - at);
    if (!lines.empty() && width(lines.back()) + 1 + width(word) <= columns) {
      lines.back() += ' ' + word;
    } else {
      lines.push_back(word);
    }
    at = end + 1;
  }
  return lines;
}

class Painter {
 public:
  Painter(const Diagram& diagram, Language language)
      : diagram_(diagram), language_(language), standing_(diagram.before) {
    std::size_t longest = 0;
    for (const NodeId id : diagram.lanes) longest = std::max(longest, std::to_string(id).size());
    lane_columns_ = std::max(least_lane_columns, longest + 8);
  }

  std::string paint() {
    shown_ = title_of(diagram_, language_) + "\n\n";
    Row header = blank();
    for (std::size_t i = 0; i < diagram_.lanes.size(); ++i) {
      const std::string won = diagram_.winner == diagram_.lanes[i] ? " ★" : "";
      put(header, column_of(i), std::to_string(diagram_.lanes[i]) + won);
    }
    finish(header, text(Text::diagram_milliseconds, language_));
    finish(lanes(), "");
    for (const Diagram::Step& step : diagram_.steps) paint_step(step);
    finish(lanes(), "");
    legend();
    return shown_;
  }

 private:
  // A cell for each column, so that a character of several bytes is still one.
  using Row = std::vector<std::string>;

  Row blank() const { return Row(diagram_.lanes.size() * lane_columns_, " "); }
  std::size_t column_of(std::size_t lane) const { return lane * lane_columns_ + 1; }

  Row lanes() const {
    Row row = blank();
    for (std::size_t i = 0; i < standing_.size(); ++i) row[column_of(i)] = line_of(standing_[i]);
    return row;
  }

  static void put(Row& row, std::size_t at, std::string_view words) {
    for (std::size_t i = 0; i < words.size();) {
      std::size_t end = i + 1;
      while (end < words.size() && (static_cast<unsigned char>(words[end]) & 0xC0) == 0x80) ++end;
      if (at < row.size()) row[at++] = words.substr(i, end - i);
      i = end;
    }
  }

  void finish(const Row& row, std::string_view time) {
    std::string line = right_aligned(time, time_columns) + ' ';
    for (const std::string& cell : row) line += cell;
    line.erase(line.find_last_not_of(' ') + 1);
    shown_ += line + '\n';
  }

  void paint_step(const Diagram::Step& step) {
    const std::string time = milliseconds_text(step.t_ns);
    const StepWords words = words_of(diagram_, step, language_);
    std::vector<std::string> lines;
    const auto add = [&](const std::string& part) {
      const auto more = wrapped(part, lane_columns_ - 3);
      lines.insert(lines.end(), more.begin(), more.end());
    };
    bool timed = false;
    if (step.received || step.lost) {
      paint_message(step, time);
      timed = true;
    }
    if (step.crash) {
      add("✗ " + words.cause);
    } else {
      add(words.cause);
    }
    standing_[step.lane] = step.after;
    // The star stands at the lane's head: there is no room for it here.
    add(words.outcome.starts_with("★") ? state_words("coordinator", language_) : words.outcome);
    add_sendings(step, lines);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      Row row = lanes();
      put(row, column_of(step.lane) + (step.crash && i == 0 ? 0 : 2), lines[i]);
      finish(row, timed || i > 0 ? "" : time);
    }
    if (lines.empty() && !timed) finish(lanes(), time);
  }

  // "E→3 4 5", "V 4→2"
  void add_sendings(const Diagram::Step& step, std::vector<std::string>& lines) const {
    for (std::size_t i = 0; i < step.sent.size();) {
      const std::string name = short_name(step.sent[i]);
      std::string to = name + "→";
      bool first = true;
      for (; i < step.sent.size() && short_name(step.sent[i]) == name; ++i) {
        to +=
            (first ? "" : " ") + std::to_string(diagram_.lanes[diagram_.messages[step.sent[i]].to]);
        first = false;
      }
      const auto more = wrapped(to, lane_columns_ - 3);
      lines.insert(lines.end(), more.begin(), more.end());
    }
  }

  std::string short_name(std::size_t message) const {
    return short_name_of(diagram_.messages[message].type, diagram_.messages[message].subject);
  }

  void paint_message(const Diagram::Step& step, const std::string& time) {
    const std::size_t which = step.received ? *step.received : *step.lost;
    const Diagram::Message& message = diagram_.messages[which];
    Row row = lanes();
    const std::size_t from = column_of(message.from);
    const std::size_t to = column_of(message.to);
    const bool right = from < to;
    const std::string_view line = look_of(message.type).line;
    for (std::size_t i = std::min(from, to) + 1; i < std::max(from, to); ++i) row[i] = line;
    if (from != to) {
      // A line into a process that is not there ends before it.
      row[from] = message.sent ? "●" : "○";
      row[right ? to - 1 : to + 1] = step.lost ? "✗" : right ? "▶" : "◀";
      const std::string name = ' ' + short_name(which) + ' ';
      const std::size_t middle = right ? from + lane_columns_ / 2 : from - lane_columns_ / 2;
      put(row, middle - name.size() / 2, name);
    }
    finish(row, time);
  }

  void legend() {
    const auto say = [&](Text words) { return std::string(text(words, language_)); };
    shown_ += '\n' + say(Text::diagram_legend) + ':';
    std::string_view gap = "  ";
    for (const std::string_view state : states_in(diagram_)) {
      shown_.append(gap).append(look_of_state(state).line).append(" ");
      shown_ += state_words(state, language_);
      gap = "   ";
    }
    shown_ += '\n';
    gap = "  ";
    for (const MessageType type : messages_in(diagram_)) {
      const std::string_view line = look_of(type).line;
      shown_.append(gap).append(line).append(" ").append(wire_name(type)).append(" ");
      shown_.append(line).append("▶ ").append(name_of(type, language_));
      gap = "   ";
    }
    shown_ += "   ─✗ " + say(Text::diagram_lost) + '\n';
    notes();
  }

  void notes() {
    for (const Diagram::Message& message : diagram_.messages) {
      if (message.received || message.lost) continue;
      shown_ += "  " + sentence_of(diagram_, message, language_) + ": " +
                std::string(text(Text::diagram_under_way, language_)) + '\n';
    }
    const auto received_from_before = [](const Diagram::Message& m) { return !m.sent; };
    if (std::any_of(diagram_.messages.begin(), diagram_.messages.end(), received_from_before)) {
      shown_ += "  ○ " + std::string(text(Text::diagram_from_before, language_)) + '\n';
    }
    const auto crashed = [](const Diagram::Step& step) { return step.crash; };
    if (std::any_of(diagram_.steps.begin(), diagram_.steps.end(), crashed)) {
      for (const std::string& line :
           wrapped("✗ " + std::string(text(Text::diagram_crash_note, language_)), 76)) {
        shown_ += "  " + line + '\n';
      }
    }
  }

  const Diagram& diagram_;
  Language language_;
  std::vector<Diagram::Standing> standing_;
  std::size_t lane_columns_ = 0;
  std::string shown_;
};

}  // namespace

std::string diagram_text(const Diagram& diagram, Language language) {
  return Painter(diagram, language).paint();
}

}  // namespace bully
