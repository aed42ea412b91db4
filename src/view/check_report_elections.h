// check_report_elections.h: a report's paragraph for each election; and the run that a report
// shows, with the words and layout of all sections.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/layout.h"
#include "base/list.h"
#include "base/text.h"
#include "values/phases.h"
#include "verdict/verdict.h"
#include "words/words.h"

namespace bully {

struct CheckShown {
  const Trace& trace;
  const Report& report;
  Language language;
  bool color;
  std::vector<TwoCoordinators> two = two_coordinators(trace, report.timeline);

  std::string say(Text name, Values values = {}) const { return text(name, language, values); }
  std::string say(std::string_view topic, std::string_view name, Values values = {}) const {
    return word(word_key(topic, name), language, values);
  }
  std::string paint(std::string_view shown, Color shade) const {
    return colored(shade, shown, color);
  }
  std::string source(std::size_t record) const { return harmless(trace.source(record)); }
};

// The paragraph for report.elections[k], with an empty line behind it.
std::string paragraph(const CheckShown& run, std::size_t k);

// A long list is cut at a readable length; the JSON has all of it.
inline constexpr std::size_t max_listed = 20;

template <class Element, class Show = std::identity>
std::string short_list(const std::vector<Element>& all, Show show = {}) {
  const std::span<const Element> first(all.data(), std::min(all.size(), max_listed));
  return joined(first, ", ", show) + (all.size() > max_listed ? ", …" : "");
}

// In several lines if one would be wider than a terminal.
inline std::string in_lines(std::string_view left, const std::string& words) {
  const bool has_room = width(left) + width(words) <= terminal_columns;
  return has_room ? std::string(left) + words + '\n' : beside(left, words);
}

}  // namespace bully
