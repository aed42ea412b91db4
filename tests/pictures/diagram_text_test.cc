// diagram_text_test.cc: the diagram as text fits a terminal, and cuts nothing.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/carried.h"
#include "base/layout.h"
#include "base/text.h"
#include "fixture/drawn.h"
#include "fixture/recorded_run.h"
#include "fixture/started.h"
#include "pictures/diagram.h"
#include "pictures/frames.h"
#include "trace/trace.h"
#include "words/names.h"

namespace bully {
namespace {

// By column.
std::vector<std::string> glyphs_of(std::string_view line) {
  std::vector<std::string> glyphs;
  while (!line.empty()) {
    glyphs.emplace_back(line.substr(0, first_glyph(line).size));
    line.remove_prefix(glyphs.back().size());
  }
  return glyphs;
}

// The columns [from, to) of a line, without the breaks of words.
std::string columns_of_line(const std::string& line, std::size_t from, std::size_t to) {
  const std::vector<std::string> glyphs = glyphs_of(line);
  std::string words;
  for (std::size_t i = from; i < std::min(to, glyphs.size()); ++i) words += glyphs[i];
  return words;
}

// Without spaces, hyphens and the ids in lists, which may be shortened.
std::string bare(const std::string& words) {
  std::string kept;
  bool in_list = false;
  for (const char c : words) {
    in_list = (in_list && c != ']') || c == '[';
    if (c == '[' || !(in_list || c == ' ' || c == '-')) kept += c;
  }
  return kept;
}

std::string expected_words(const Diagram& diagram, const Diagram::Step& step, Language language) {
  std::string all;
  for (const std::string& words : words_beside(step, language)) {
    const std::string_view star = "★ ";
    all += words.starts_with(star) ? words.substr(star.size()) : words;
  }
  for (const Sending& sending : sendings_of(diagram, step)) {
    all += short_name_of(sending.message.type, sending.message.values) + "→";
    for (const std::string& to : sending.to) all += to;
  }
  return bare(all);
}

// The rows of each step. Each begins with a time.
std::vector<std::vector<std::string>> rows_of(const std::vector<std::string>& lines,
                                              std::size_t first_lane, Language language) {
  const std::string legend(text(Text::diagram_legend, language));
  const auto end = std::ranges::find_if(
      lines, [&](const std::string& line) { return line.starts_with(legend); });
  REQUIRE(end - lines.begin() > 6);
  std::vector<std::vector<std::string>> rows;
  // Between the heads and the ends of the lanes.
  for (auto line = lines.begin() + 4; line < end - 2; ++line) {
    const std::string time = columns_of_line(*line, 0, first_lane);
    if (time.find_first_not_of(' ') != std::string::npos) rows.emplace_back();
    REQUIRE(!rows.empty());
    rows.back().push_back(*line);
  }
  return rows;
}

// The columns of the lanes' ids, and the end of the last lane.
std::vector<std::size_t> lanes_of(const std::string& header, const Diagram& diagram,
                                  Language language) {
  std::vector<std::size_t> lanes;
  const std::vector<std::string> glyphs = glyphs_of(header);
  std::size_t at = header.find(text(Text::diagram_milliseconds, language)) + 2;
  for (const NodeId id : diagram.lanes) {
    at = header.find(' ' + std::to_string(id), at) + 1;
    REQUIRE(at != 0);
    lanes.push_back(width(header.substr(0, at)));
  }
  lanes.push_back(lanes.size() > 1 ? 2 * lanes.back() - lanes[lanes.size() - 2] : 1000);
  return lanes;
}

void check_text(const Diagram& diagram, Language language) {
  const std::vector<std::string> lines = lines_in(diagram_text(diagram, language));
  CAPTURE(lines[0]);
  const std::size_t count = diagram.lanes.size();
  for (const std::string& line : lines) {
    if (count <= 5) CHECK_MESSAGE(width(line) <= 80, line);
    if (count <= 8) CHECK_MESSAGE(width(line) <= 120, line);
  }
  const std::vector<std::size_t> lanes = lanes_of(lines[2], diagram, language);
  const auto rows = rows_of(lines, lanes[0], language);
  REQUIRE(rows.size() == diagram.steps.size());
  for (std::size_t i = 0; i < diagram.steps.size(); ++i) {
    const Diagram::Step& step = diagram.steps[i];
    CAPTURE(rows[i][0]);
    const std::string time = columns_of_line(rows[i][0], 0, lanes[0]);
    CHECK(time.substr(0, time.find_last_not_of(' ') + 1)
              .ends_with(milliseconds_text(step.t_ns, language)));
    CHECK(time.ends_with(' '));
    if (step.ended) {
      const Diagram::Message& message = diagram.messages[*step.ended];
      const auto [left, right] = std::minmax(message.from, message.to);
      const std::string arrow = columns_of_line(rows[i][0], lanes[left], lanes[right] + 1);
      const std::string head = message.lost ? "✗" : message.from < message.to ? "▶" : "◀";
      CHECK(arrow.find(head) != std::string::npos);
      CHECK(arrow.find(' ' + std::string(message.type->code)) != std::string::npos);
    }
    std::string shown;
    for (std::size_t k = step.ended ? 1 : 0; k < rows[i].size(); ++k) {
      shown += columns_of_line(rows[i][k], lanes[step.lane] + 2, lanes[step.lane + 1]);
    }
    CHECK(bare(shown) == expected_words(diagram, step, language));
  }
}

}  // namespace

TEST_CASE("diagram: as text it fits 80 or 120 columns, and no arrow, label or time is cut") {
  std::vector<Diagram> all;
  for (const std::string name : {"election", "ring"}) {
    all.push_back(draw(read_traces({"tests/golden/" + name + ".jsonl"})));
  }
  for (const CarriedText& lesson : lessons()) {
    all.push_back(draw(recorded::trace_of(recorded::played(lesson.text))));
  }
  std::size_t fit = 0;
  for (const Diagram& diagram : all) {
    fit += diagram.lanes.size() <= 7 ? 1U : 0U;
    check_text(diagram, Language::english);
    check_text(diagram, Language::portuguese);
  }
  CHECK(fit > 20);
}

TEST_CASE("diagram: its title counts the messages that its frames count") {
  for (const CarriedText& lesson : lessons()) {
    CAPTURE(lesson.name);
    const Diagram diagram = draw(recorded::trace_of(recorded::played(lesson.text)));
    std::uint64_t sent = 0;
    each_frame(diagram, [&](const Frame& frame) {
      sent = 0;
      for (const auto& [type, count] : frame.sent) sent += count;
    });
    const std::string counted = ", " + grouped(sent, Language::english) + " message";
    CHECK(title_of(diagram, Language::english).find(counted) != std::string::npos);
  }
}

TEST_CASE("diagram: as text, times of days are not cut") {
  std::string lines;
  for (const std::int64_t day : {1, 400}) {
    lines += start_line(static_cast<NodeId>(day), 7, day * 86'400'000'000'000);
  }
  check_text(draw(parse_trace(lines, "days")), Language::english);
}

TEST_CASE("diagram: as text, the id of a process stays whole beside an arrow") {
  const std::string script = "algorithm chang-roberts\nnodes 123456..123458\ncrash 123458\nrun\n";
  const Diagram diagram = draw(recorded::trace_of(recorded::played(script)));
  const std::string text = diagram_text(diagram, Language::english);
  CHECK(text.find("123457→\n") != std::string::npos);
  CHECK(text.find("123-\n") == std::string::npos);
}

}  // namespace bully
