// check_report.cc: the report, from the verdict down to the rules. check_report_elections.cc has
// its paragraphs of elections.
#include "view/check_report.h"

#include <numeric>
#include <set>

#include "words/keys.h"
#include "words/names.h"

namespace bully {

namespace {

// The indentation of details and sources below a property.
constexpr std::string_view below = "      ";
constexpr std::string_view further_below = "        ";

static_assert(has_each("check_", violation_names));
static_assert(has_each("check_doubt_", doubt_names));

// With their variants, if nodes ran any.
std::string algorithms(const CheckShown& run) {
  std::string names = short_list(run.report.history.algorithms(), &Algorithm::name);
  const std::set<std::string_view>& variants = run.report.history.variants();
  return variants.empty() ? names : names + " (" + joined(variants, ", ") + ')';
}

// The record at which the file continues with a new run, if no earlier process writes after it,
// though some had not ended: a newer run was appended to an old file. no_record: none does.
std::size_t begin_of_newer_run(const Trace& trace) {
  std::vector<std::uint32_t> order(trace.records.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::size_t i) { return trace.records[i].line; });
  std::set<NodeId> running;
  std::set<NodeId> awaited;  // these have to start again before they write
  std::size_t begins = no_record;
  for (const std::size_t i : order) {
    const Record& record = trace.records[i];
    const bool starts = record.event == TraceEvent::start;
    if (starts && begins == no_record && running.contains(record.node)) {
      begins = i;
      awaited = running;
    }
    if (starts) {
      awaited.erase(record.node);
    } else if (!is_act_on(record) && awaited.contains(record.node)) {
      begins = no_record;
    }
    if (ends_life(record)) {
      running.erase(record.node);
    } else if (!is_act_on(record) && record.event != TraceEvent::lost) {
      running.insert(record.node);
    }
  }
  return begins;
}

std::string verdict(const CheckShown& run) {
  constexpr std::pair<Color, Text> shown[] = {{Color::bold_green, Text::check_right},
                                              {Color::bold_red, Text::check_violated},
                                              {Color::bold_yellow, Text::check_cannot_tell}};
  const auto& [color, words] = shown[static_cast<std::size_t>(run.report.verdict)];
  return run.paint(color, run.say(words));
}

std::string times_words(const CheckShown& run, const Property* property) {
  const std::uint64_t times = times_tested(run.report, property);
  return times > 0 ? run.say(Text::check_times, {grouped(times, run.language)}) : "";
}

// Names the file once if all are in it.
std::string sources(const CheckShown& run, const std::vector<std::size_t>& records) {
  std::string file;
  return short_list(records, [&](std::size_t record) {
    const std::string place = run.source(record);
    const std::size_t colon = place.rfind(':');
    const bool is_same = std::exchange(file, place.substr(0, colon)) == place.substr(0, colon);
    return is_same ? place.substr(colon + 1) : place;
  });
}

// How to see a record in a picture, if it is of an election.
std::string picture(const CheckShown& run, std::size_t record) {
  const auto is_in = [record](const Election& election) {
    return election.first.record <= record && record <= election.last.record;
  };
  const std::vector<Election>& all = run.report.history.elections().all();
  const auto found = std::ranges::find_if(all, is_in);
  if (found == all.end()) return "";
  const std::string cluster = run.cluster ? " --cluster=" + std::to_string(*run.cluster) : "";
  const std::string files = joined(
      run.trace.files, " ", [](const Trace::File& file) { return harmless(typed(file.name)); });
  const Algorithm& algorithm = run.report.history.algorithm();
  const std::string rules = algorithm.option.empty() ? "" : harmless(algorithm_option(algorithm));
  return in_lines(further_below, "bully diagram" + cluster + " --election=" +
                                     std::to_string(found->number) + rules + ' ' + files);
}

// How many of all are not listed.
std::string more(const CheckShown& run, Text words, std::uint64_t all) {
  if (all <= max_listed) return "";
  return in_lines(below, run.say(words, {grouped(all - max_listed, run.language)}));
}

std::string violation_words(const CheckShown& run, const Violation& one) {
  return run.say("check_", one.kind.name(), {one.node, one.other});
}

std::string violations(const CheckShown& run, const Property* property) {
  std::string page;
  std::size_t shown = 0;
  for (const Violation& each : run.report.found.violations) {
    if (each.property != property || ++shown > max_listed) continue;
    page += in_lines(below, violation_words(run, each)) +
            in_lines(further_below, sources(run, each.records)) + picture(run, each.records.back());
  }
  return page + more(run, Text::check_more_violations, times_violated(run.report, property));
}

// The times in which a timeout was no proof, and so the properties that need it were not
// promised.
std::string not_promised(const CheckShown& run) {
  const History& history = run.report.history;
  const auto needs_it = [](const Property* one) {
    return one->assumes.has(Assumption::synchronous);
  };
  const std::vector<const Property*> all = run.report.properties;
  const std::vector<std::string_view> keys =
      list_of<std::string_view>(all, needs_it, &Property::key);
  if (keys.empty() || history.disturbances().empty()) return "";
  const std::int64_t begin_ns = run.trace.records[0].t_ns;
  const auto seconds = [&](std::int64_t ns) {
    return decimal(static_cast<double>(ns) / 1e9, 3, run.language);
  };
  const std::int64_t settle_ns = history.settle_ns();
  const int places = settle_ns % 1'000'000'000 == 0 ? 0 : 1;
  const std::string settle = decimal(static_cast<double>(settle_ns) / 1e9, places, run.language);
  const std::string properties = joined(keys, ", ");
  std::string page = in_lines(
      "  ", settle_ns == forever ? run.say(Text::check_no_more_promised, {properties})
                                 : run.say(Text::check_not_promised, {properties, settle + " s"}));
  for (const Disturbance& one : listed(history.disturbances())) {
    const bool lasts = one.to_ns == forever;
    const std::string when = one.from_ns == one.to_ns
                                 ? seconds(one.from_ns - begin_ns) + " s"
                                 : seconds(one.from_ns - begin_ns) + " – " +
                                       (lasts ? "" : seconds(one.to_ns - begin_ns) + " s");
    page += in_lines(
        std::string(below) + when + "  ",
        run.say("check_disturbed_", one.kind.name(), {one.node}) + "  " + run.source(one.record));
  }
  return page + more(run, Text::check_more_disturbances, history.disturbance_count());
}

std::string property_lines(const CheckShown& run) {
  std::size_t key_columns = 15;  // the widest key of most algorithms' properties, and a blank
  std::size_t times_columns = 3;
  for (const Property* property : run.report.properties) {
    key_columns = std::max(key_columns, property->key.size() + 1);
    times_columns = std::max(times_columns, width(times_words(run, property)));
  }
  const auto line_of = [&](const std::string& mark, const Property* property) {
    return in_lines("  " + mark + ' ' + padded(property->key, key_columns) +
                        right_aligned(times_words(run, property), times_columns) + "  ",
                    run.say("check_", property->key));
  };
  std::string page;
  for (const Property* one : run.report.properties) {
    const std::optional<bool> held = holds(run.report, one);
    const bool untested = !held && times_tested(run.report, one) == 0;
    page += line_of(untested ? "–"
                    : !held  ? run.paint(Color::bold_yellow, "?")
                    : *held  ? run.paint(Color::bold_green, "✓")
                             : run.paint(Color::bold_red, "✗"),
                    one);
    const std::string key = word_key("check_untested_", one->key);
    if (untested) page += in_lines(below, word_or(key, "check_untested_other", run.language));
    page += violations(run, one);
  }
  return page + not_promised(run) + '\n';
}

std::string doubts(const CheckShown& run) {
  std::string page;
  for (const std::string& file : run.trace.cut) {
    page += in_lines("  ", run.say(Text::check_cut, {file}));
  }
  for (const Reason& reason : listed(run.report.reasons)) {
    page += in_lines("  " + run.paint(Color::bold_yellow, "?") + ' ',
                     run.say("check_doubt_", reason.doubt.name(),
                             {short_list(reason.nodes), std::to_string(reason.line.value_or(0))}));
    if (reason.violation) page += in_lines(below, violation_words(run, *reason.violation));
    if (!reason.records.empty()) page += in_lines(below, sources(run, reason.records));
  }
  page += more(run, Text::check_more_doubts, run.report.reasons.size());
  return page.empty() ? page : page + '\n';
}

std::string rules(const CheckShown& run) {
  const std::vector<RuleCount> fired = rules_fired(run.report.history);
  if (fired.empty()) return "";
  std::string page = run.paint(Color::bold, run.say(Text::check_rules_shown)) + '\n';
  const auto width_of = [](const RuleCount& count) { return width(count.rule->key); };
  const std::size_t columns = width_of(std::ranges::max(fired, {}, width_of));
  for (const auto& [rule, times] : fired) {
    const std::string left =
        right_aligned(std::to_string(times) + " ×", 6) + "  " + padded(rule->key, columns) + "  ";
    page += beside(left, rule_words(rule->key, run.language));
  }
  return page;
}

}  // namespace

std::uint64_t times_tested(const Report& report, const Property* property) {
  const auto tested = report.found.tested.find(property);
  return tested == report.found.tested.end() ? 0 : tested->second;
}

std::uint64_t times_violated(const Report& report, const Property* property) {
  const auto violated = report.found.violated.find(property);
  return violated == report.found.violated.end() ? 0 : violated->second;
}

std::optional<bool> holds(const Report& report, const Property* property) {
  if (times_violated(report, property) > 0) return false;
  if (times_tested(report, property) == 0) return std::nullopt;
  return report.verdict == RunVerdict::cannot_tell ? std::nullopt : std::optional(true);
}

std::string check_report(const Trace& trace, const Report& report, Language language, bool color,
                         std::optional<std::size_t> cluster) {
  const CheckShown run{{language, color}, trace, report, cluster};
  if (const std::optional<Links> links = links_of(trace)) return links_report(run, *links);
  const std::size_t elections = report.history.elections().all().size();
  std::string page =
      verdict(run) + "   " + run.say(Text::check_algorithm, {algorithms(run)}) + ", " +
      run.say(Text::check_summary,
              {grouped(report.history.nodes().size(), language), grouped(elections, language),
               grouped(trace.records.size(), language)}) +
      "\n\n" + property_lines(run) + doubts(run);
  std::size_t described = 0;
  for (std::size_t lines = 0; described < std::min(elections, most_described); ++described) {
    const std::string paragraph = election_paragraph(run, described);
    lines += static_cast<std::size_t>(std::ranges::count(paragraph, '\n'));
    if (lines > max_report_lines) break;
    page += paragraph;
  }
  const std::size_t more = elections - described;
  if (more > 0) page += run.say(Text::check_more_elections, {grouped(more, language)}) + "\n\n";
  page += rules(run);
  if (report.verdict == RunVerdict::right) return page;
  const std::size_t begin = begin_of_newer_run(trace);
  if (begin == no_record) return page;
  return page + '\n' + rewrapped(run.say(Text::check_older_run, {run.source(begin)}) + '\n');
}

}  // namespace bully
