// check.cc: the report's sections, from the verdict down to the rules.
#include "view/check.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <span>

#include "base/layout.h"
#include "base/list.h"
#include "base/text.h"
#include "words/keys.h"
#include "words/names.h"

namespace bully {

namespace {

Table transposed(const Table& rows) {
  Table columns(rows.front().size());
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) columns[i].push_back(row[i]);
  }
  return columns;
}

// In a suitable unit, with about three digits: "85 µs", "12.4 ms", "3.19 s".
std::string time_text(std::int64_t ns, Language language) {
  const auto value = static_cast<double>(ns);
  if (ns < 1'000'000) return decimal(value / 1e3, 0, language) + " µs";
  if (ns < 1'000'000'000) return decimal(value / 1e6, 1, language) + " ms";
  return decimal(value / 1e9, 2, language) + " s";
}

// The indentation of details and sources below a property.
constexpr std::string_view below = "      ";
constexpr std::string_view further_below = "        ";

// A long list is cut at a readable length; the JSON has all of it.
constexpr std::size_t max_listed = 20;

template <class Element, class Show = std::identity>
std::string list(const std::vector<Element>& all, Show show = {}) {
  const std::span<const Element> first(all.data(), std::min(all.size(), max_listed));
  return joined(first, ", ", show) + (all.size() > max_listed ? ", …" : "");
}

static_assert(has_each("check_", violation_names));
static_assert(has_each("check_doubt_", doubt_names));

struct Page {
  const Trace& trace;
  const Report& report;
  Language language;
  bool color;
  std::vector<TwoCoordinators> two = two_coordinators(trace, report.timeline);
  std::size_t label_width = 0;
  std::size_t key_columns = 15;  // the widest key of most algorithms' properties, and a blank
  std::size_t times_columns = 3;
  std::string page = {};

  std::string write() {
    for (const Property* property : report.properties) {
      key_columns = std::max(key_columns, property->key.size() + 1);
      times_columns = std::max(times_columns, width(times_words(property)));
    }
    page += verdict() + "   " + say(Text::check_algorithm, {algorithms()}) + ", " +
            say(Text::check_summary, {grouped(report.timeline.nodes.size(), language),
                                      grouped(report.elections.size(), language),
                                      grouped(trace.records.size(), language)}) +
            "\n\n";
    properties();
    doubts();
    for (std::size_t k = 0; k < report.figures.size(); ++k) election(k);
    const std::size_t more = report.elections.size() - report.figures.size();
    if (more > 0) page += say(Text::check_more_elections, {grouped(more, language)}) + "\n\n";
    rules();
    older_run();
    return std::move(page);
  }

  // With their variants, if nodes ran any.
  std::string algorithms() const {
    std::string names = list(report.timeline.algorithms, &Algorithm::name);
    const std::set<std::string_view> variants = variants_run(trace, report.timeline);
    return variants.empty() ? names : names + " (" + joined(variants, ", ") + ')';
  }

  // The line at which the file continues with a new run, if no earlier process writes after it,
  // though some had not ended: a newer run was appended to an old file.
  void older_run() {
    if (report.verdict == RunVerdict::right) return;
    std::vector<std::uint32_t> order(trace.records.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [this](std::size_t i) { return trace.records.line_of(i); });
    std::set<NodeId> running;
    std::set<NodeId> awaited;  // these have to start again before they write
    std::size_t begins = no_record;
    for (const std::size_t i : order) {
      const Record record = trace.records[i];
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
    if (begins == no_record) return;
    page += '\n' + rewrapped(say(Text::check_older_run, {source(begins)}) + '\n');
  }

  // In several lines if one would be wider than a terminal.
  void put(std::string_view left, const std::string& words) {
    const bool has_room = width(left) + width(words) <= terminal_columns;
    page += has_room ? std::string(left) + words + '\n' : beside(left, words);
  }

  std::string verdict() const {
    const RunVerdict verdict = report.verdict;
    if (verdict == RunVerdict::right) return paint(say(Text::check_right), Color::bold_green);
    if (verdict == RunVerdict::violated) return paint(say(Text::check_violated), Color::bold_red);
    return paint(say(Text::check_cannot_tell), Color::bold_yellow);
  }

  std::string say(Text name, Values values = {}) const { return text(name, language, values); }
  std::string say(std::string_view topic, std::string_view name, Values values = {}) const {
    return word(word_key(topic, name), language, values);
  }
  std::string paint(std::string_view shown, Color shade) const {
    return colored(shade, shown, color);
  }
  std::string source(std::size_t record) const { return harmless(trace.source(record)); }
  // From one record to another; names the file once if both are in it.
  std::string span(std::size_t from, std::size_t to) const {
    const std::string first = source(from);
    const std::string last = source(to);
    const std::size_t colon = last.rfind(':');
    const bool same_file = first.substr(0, first.rfind(':')) == last.substr(0, colon);
    return first + (same_file ? "–" + last.substr(colon + 1) : " – " + last);
  }

  std::string times_words(const Property* property) const {
    const std::uint64_t times = times_tested(report, property);
    return times > 0 ? say(Text::check_times, {grouped(times, language)}) : "";
  }

  void property(const std::string& mark, const Property* property) {
    put("  " + mark + ' ' + padded(property->key, key_columns) +
            right_aligned(times_words(property), times_columns) + "  ",
        say("check_", property->key));
  }

  void properties() {
    for (const Property* one : report.properties) {
      const std::optional<bool> held = holds(report, one);
      const bool untested = !held && times_tested(report, one) == 0;
      property(untested ? "–"
               : !held  ? paint("?", Color::bold_yellow)
               : *held  ? paint("✓", Color::bold_green)
                        : paint("✗", Color::bold_red),
               one);
      const std::string untested_key = word_key("check_untested_", one->key);
      if (untested) put(below, word_or(untested_key, "check_untested_other", language));
      std::size_t shown = 0;
      for (const Violation& each : report.violations) {
        if (each.property != one || ++shown > max_listed) continue;
        put(below, sentence(each));
        put(further_below, sources(each.records));
        put_picture(each.records.back());
        if (each.rule != nullptr) put(further_below, rule_words(each.rule->key, language));
      }
      if (shown > max_listed) put(below, "…");
    }
    for (const NotPromised& one : report.not_promised) {
      const std::string without = say("check_without_", assumption_name(one.assumption));
      property("–", one.property);
      put(below, say(Text::check_not_promised, {without}));
      put(further_below, source(one.shown_by));
    }
    page += '\n';
  }

  std::string sentence(const Violation& violation) const {
    if (violation.property != &properties::by_rules) {
      return say("check_", violation.kind.name(), {violation.node, violation.other});
    }
    const Record shown = trace.records[violation.records.back()];
    const std::string done = deed(&shown);
    std::string due = deed(violation.due.get());
    if (due == done) due = say(Text::check_other_values);
    return say(Text::check_not_by_rules, {violation.node, done, due});
  }

  // A process's deed, by its line, in the third person.
  std::string deed(const Record* line) const {
    if (line == nullptr) return say(Text::check_deed_nothing);
    const bool is_itself =
        line->event == TraceEvent::coordinator && line->coordinator == line->node;
    if (is_itself) return say(Text::check_deed_itself);
    std::string what(line->rule);
    std::uint64_t other = line->coordinator.value_or(line->node);
    if (is_about_message(*line)) {
      what = name_of(line->type, line->values, language);
      other = line->event == TraceEvent::receive ? line->from : line->to;
    }
    if (line->event == TraceEvent::state) what = state_words(line->state, language);
    return word_or(word_key("check_deed_", fields_of(line->event).name), "check_deed_other",
                   language, {what, other});
  }

  // Names the file once if all are in it.
  std::string sources(const std::vector<std::size_t>& records) const {
    std::string file;
    return list(records, [&](std::size_t record) {
      const std::string place = source(record);
      const std::size_t colon = place.rfind(':');
      const bool is_same = std::exchange(file, place.substr(0, colon)) == place.substr(0, colon);
      return is_same ? place.substr(colon + 1) : place;
    });
  }

  // How to see a record of an election in a picture.
  void put_picture(std::size_t record) {
    const auto is_in = [record](const Election& election) {
      return election.first_record <= record && record <= election.last_record;
    };
    const auto found = std::ranges::find_if(report.elections, is_in);
    if (found == report.elections.end()) return;
    put(further_below, "bully diagram --election=" + std::to_string(found->number));
  }

  void doubts() {
    const std::size_t before = page.size();
    for (const std::string& file : trace.cut) {
      put("  ", say(Text::check_cut, {file}));
    }
    for (const Reason& reason : report.reasons) {
      put("  " + paint("?", Color::bold_yellow) + ' ',
          say("check_doubt_", reason.doubt.name(),
              {list(reason.nodes), std::to_string(reason.line.value_or(0))}));
      if (!reason.records.empty()) put(below, sources(reason.records));
    }
    if (page.size() > before) page += '\n';
  }

  // With the label before the first of them.
  void lines(Text label, const std::vector<std::string>& told) {
    std::string left = "  " + padded(say(label), label_width) + "  ";
    for (const std::string& words : told) {
      put(left, words);
      left.assign(label_width + 4, ' ');
    }
  }

  void election(std::size_t k) {
    for (const Text label : {Text::check_noticed, Text::check_won, Text::check_time,
                             Text::check_messages, Text::check_also}) {
      label_width = std::max(label_width, width(say(label)));
    }
    const Election& election = report.elections[k];
    const Figures& figures = report.figures[k];
    page += paint(say(Text::check_election, {election.number}), Color::bold) + "   " +
            span(election.first_record, election.last_record) + '\n';
    noticed(election);
    winner(election);
    std::vector<std::string> times;
    const Phases phases = phases_of(trace, election, figures.lost_coordinator);
    for (const auto& [name, phase] :
         {std::pair{Text::check_detect, phases.detect}, std::pair{Text::check_elect, phases.elect},
          std::pair{Text::check_announce, phases.announce}}) {
      if (!phase) continue;
      times.push_back(say(name, {(phase->at_most ? "≤ " : "") + time_text(phase->ns, language)}));
    }
    if (!times.empty()) lines(Text::check_time, {joined(times, "   ")});
    messages(figures);
    // The periods that began during this election, or after it and before the next.
    const std::size_t end = k + 1 < report.elections.size() ? report.elections[k + 1].first_record
                                                            : trace.records.size();
    for (const auto& [lower, higher, from, to] : two) {
      if (from < election.first_record || from >= end) continue;
      const std::string took =
          time_text(trace.records[to].t_ns - trace.records[from].t_ns, language);
      lines(Text::check_also, {say(Text::check_two_coordinators, {lower, higher, took}) + "  (" +
                               span(from, to) + ')'});
    }
    page += '\n';
  }

  void noticed(const Election& election) {
    const Record& first = trace.records[election.first_record];
    std::vector<std::string> told;
    if (ends_life(first)) {
      const bool left = first.event == TraceEvent::stop;
      told.push_back(say(left ? Text::check_by_leaving : Text::check_by_crash, {first.node}));
    }
    for (const Noticed& detection : election.detections) {
      const bool is_itself =
          detection.trigger == "deposed" && detection.suspected == detection.node;
      told.push_back(say("check_by_", is_itself ? "deposed_itself" : detection.trigger,
                         {detection.node, detection.suspected.value_or(0)}));
    }
    if (told.empty()) told.push_back(say(Text::check_by_nobody));
    if (told.size() > max_listed) {
      told.resize(max_listed);
      told.emplace_back("…");
    }
    lines(Text::check_noticed, told);
  }

  void winner(const Election& election) {
    if (!election.settled_record) return lines(Text::check_won, {say(Text::check_not_ended)});
    if (!election.winner) return lines(Text::check_won, {say(Text::check_no_winner)});
    std::vector<NodeId> others = election.survivors;
    std::erase(others, *election.winner);
    const Text how = others.empty() ? Text::check_winner_alone : Text::check_winner;
    lines(Text::check_won, {say(how, {*election.winner, list(others)})});
  }

  void messages(const Figures& figures) {
    const std::vector<MessageType> columns = messages_of(report.timeline.algorithms);
    Table rows = {{""}};
    for (const MessageType type : columns) rows.front().push_back(name_of(type, language));
    rows.front().push_back(say(Text::check_total));
    const auto row = [&](Text name, const MessageCounts& counts) {
      std::vector<std::string> cells = {say(name)};
      std::uint64_t all = 0;
      for (const MessageType type : columns) {
        cells.push_back(grouped(counts.of(type), language));
        all += counts.of(type);
      }
      cells.push_back(grouped(all, language));
      if (all > 0 || name != Text::check_lost_row) rows.push_back(std::move(cells));
    };
    row(Text::check_sent_row, figures.sent);
    // Rules that no textbook has counted.
    const bool is_counted = std::ranges::none_of(
        report.timeline.algorithms,
        [](const Algorithm* algorithm) { return algorithm->count == nullptr; });
    if (!is_counted) {
      rows.emplace_back(rows.front().size(), "–").front() = say(Text::check_textbook_row);
    }
    if (figures.textbook) row(Text::check_textbook_row, figures.textbook->sent);
    row(Text::check_lost_row, figures.lost);
    row(Text::check_delivered_row, figures.delivered);
    if (figures.bound) row(Text::check_bound_row, *figures.bound);
    std::vector<std::string> told = aligned(rows, "lr");
    // Many types need a line each.
    const bool is_wide = label_width + 4 + width(told.front()) > terminal_columns;
    if (is_wide) told = aligned(transposed(rows), "lr");
    if (figures.refused > 0) told.push_back(say(Text::check_refused, {figures.refused}));
    if (!figures.textbook && is_counted) told.push_back(say(Text::check_textbook_none));
    if (figures.exceeds_bound) {
      told.push_back(say(Text::check_over_bound, {figures.nodes}));
    } else if (figures.bound) {
      above_bound(figures, told);
    }
    lines(Text::check_messages, told);
  }

  // The reason why a type may have more messages than the bound's row.
  void above_bound(const Figures& figures, std::vector<std::string>& told) const {
    std::vector<std::string> above;
    std::vector<std::string> beyond;
    for (const auto& [type, sent] : figures.sent) {
      const std::uint64_t most = figures.bound->of(type);
      if (sent > most)
        (type->role == Role::joins ? beyond : above).push_back(name_of(type, language));
    }
    if (!above.empty()) told.push_back(say(Text::check_above_one, {joined(above, ", ")}));
    if (!beyond.empty()) told.push_back(say(Text::check_beyond_bound, {joined(beyond, ", ")}));
  }

  void rules() {
    const std::vector<RuleCount> all = rules_fired(trace, report.timeline);
    if (all.empty()) {
      page += rewrapped(say(Text::check_no_rules)) + '\n';
      return;
    }
    const auto width_of = [](const RuleCount& count) { return width(count.rule->key); };
    const std::size_t columns = width_of(std::ranges::max(all, {}, width_of));
    for (const bool shown : {true, false}) {
      std::vector<RuleCount> rules = all;
      std::erase_if(rules, [shown](const RuleCount& one) { return shown != (one.fired > 0); });
      if (rules.empty()) continue;
      const Text heading = shown ? Text::check_rules_shown : Text::check_rules_not_shown;
      page += paint(say(heading, {rules.size(), all.size()}), Color::bold) + '\n';
      for (const auto& [rule, fired] : rules) {
        const std::string left = right_aligned(fired > 0 ? std::to_string(fired) + " ×" : "", 6) +
                                 "  " + padded(rule->key, columns) + "  ";
        page += beside(left, rule_words(rule->key, language));
      }
    }
  }
};

}  // namespace

std::uint64_t times_tested(const Report& report, const Property* property) {
  const auto tested = report.tested.find(property);
  return tested == report.tested.end() ? 0 : tested->second;
}

std::optional<bool> holds(const Report& report, const Property* property) {
  if (std::ranges::count(report.violations, property, &Violation::property) > 0) return false;
  if (times_tested(report, property) == 0) return std::nullopt;
  return report.verdict == RunVerdict::cannot_tell ? std::nullopt : std::optional(true);
}

std::string check_report(const Trace& trace, const Report& report, Language language, bool color) {
  if (const std::optional<Links> links = links_of(trace)) {
    return links_report(trace, report, *links, language, color);
  }
  return Page{trace, report, language, color}.write();
}

std::string election_paragraph(const Trace& trace, const Report& report, std::size_t k,
                               Language language, bool color) {
  Page page{trace, report, language, color};
  page.election(k);
  return page.page;
}

}  // namespace bully
