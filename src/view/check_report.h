// check_report.h: the verdict on a run, for people and for programs; of a run that was recorded
// from outside, what its links show. It never judges.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "values/phases.h"
#include "values/recorded_links.h"
#include "values/rules_fired.h"
#include "verdict/verdict.h"
#include "words/words.h"

namespace bully {

// The report: the verdict, the properties with the lines that break them, the reasons for doubt,
// and a paragraph for each election. `color`: with the terminal's colours.
std::string check_report(const Trace& trace, const Report& report, Language language, bool color);

// The report's paragraph for report.elections[k], with an empty line behind it.
std::string election_paragraph(const Trace& trace, const Report& report, std::size_t k,
                               Language language, bool color);

// The report as one JSON object; times in nanoseconds, records as "FILE:LINE".
std::string check_json(const Trace& trace, const Report& report);

std::uint64_t times_tested(const Report& report, const Property* property);

// The report on a run that was recorded from outside. Of that: the messages of the algorithm that
// the recorder was told, and any others; and the nodes that have been recorded.
std::string links_report(const Trace& trace, const Report& report, const Links& links,
                         Language language, bool color);
std::vector<MessageType> types_in(const Report& report, const std::optional<Links>& links);
std::string what_is_seen(const Links& links, Language language);

// True if a property held; nothing if that is inconclusive, or if it was never put to the test.
std::optional<bool> holds(const Report& report, const Property* property);

}  // namespace bully
