// check_report.h: the verdict on a run, for people and for programs; of a run that was recorded
// from outside, what its links show. It never judges.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/layout.h"
#include "base/list.h"
#include "base/text.h"
#include "history/figures.h"
#include "verdict/verdict.h"
#include "view/log.h"
#include "words/words.h"

namespace bully {

// The report: the verdict, the properties with the lines that break them, the reasons for doubt,
// and a paragraph for each election. `color`: with the terminal's colours. `cluster`: its number,
// if the files have lines of several.
std::string check_report(const Trace& trace, const Report& report, Language language, bool color,
                         std::optional<std::size_t> cluster = std::nullopt);

// The report as one JSON object; times in nanoseconds, records as "FILE:LINE".
std::string check_json(const Trace& trace, const Report& report);

// A run whose report is shown: what all sections of it need.
struct CheckShown : LogStyle {
  const Trace& trace;
  const Report& report;
  std::optional<std::size_t> cluster = std::nullopt;
  Overlaps overlaps = two_coordinators(report.history);

  using LogStyle::say;
  std::string say(std::string_view topic, std::string_view name, Values values = {}) const {
    return word(word_key(topic, name), language, values);
  }
  std::string source(std::size_t record) const { return harmless(trace.source(record)); }
};

// The report's paragraph for the k-th of the run's elections, with an empty line behind it.
std::string election_paragraph(const CheckShown& run, std::size_t k);

// The report on a run that was recorded from outside. Of that: the messages of the algorithm that
// the recorder was told, and any others; and the nodes that have been recorded.
std::string links_report(const CheckShown& run, const Links& links);
std::vector<MessageType> types_in(const Report& report, const std::optional<Links>& links);
std::string what_is_seen(const Links& links, Language language);

std::uint64_t times_tested(const Report& report, const Property* property);
std::uint64_t times_violated(const Report& report, const Property* property);
// True if a property held; nothing if that is inconclusive, or if it was never put to the test.
std::optional<bool> holds(const Report& report, const Property* property);

// A long list is cut at a readable length; the JSON has all of it. A report has as many lines at
// most, and a few more, whatever the run.
inline constexpr std::size_t max_listed = 20;
inline constexpr std::size_t max_report_lines = 4'000;

template <class Element>
std::span<const Element> listed(const std::vector<Element>& all) {
  return {all.data(), std::min(all.size(), max_listed)};
}

template <class Element, class Show = std::identity>
std::string short_list(const std::vector<Element>& all, Show show = {}) {
  return joined(listed(all), ", ", show) + (all.size() > max_listed ? ", …" : "");
}

// In several lines if one would be wider than a terminal.
inline std::string in_lines(std::string_view left, const std::string& words) {
  const bool has_room = width(left) + width(words) <= terminal_columns;
  return has_room ? std::string(left) + words + '\n' : beside(left, words);
}

}  // namespace bully
