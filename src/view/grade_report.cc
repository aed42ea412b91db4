// grade_report.cc: a grade as text, HTML, JSON and JUnit XML.
#include "view/grade_report.h"

#include <algorithm>
#include <chrono>

#include "base/json.h"
#include "base/layout.h"
#include "base/list.h"
#include "base/text.h"
#include "pictures/diagram.h"
#include "pictures/diagram_steps.h"
#include "pictures/page.h"
#include "trace/trace.h"
#include "words/keys.h"
#include "words/names.h"

namespace bully {

namespace {

// A value such as "1.5 s", with the language's decimal mark.
std::string localized(const std::string& value, Language language) {
  const bool is_time = value.ends_with(" s") && value.find('.') != std::string::npos;
  return is_time ? with_decimal_mark(value, language) : value;
}

static_assert(has_each("grade_", diagnosis_names));
static_assert(has_each("grade_", diagnosis_names, "_expected"));
static_assert(has_each("grade_", diagnosis_names, "_seen"));
static_assert(has_each("grade_", diagnosis_names, "_hint"));
static_assert(has_each("grade_unclear_", unclear_names));
static_assert(has_each("grade_played_", std::span(deviation_names).subspan(1)));

std::string words_of(const Finding& finding, std::string_view part, Language language) {
  const std::vector<std::string> values = list_of(
      finding.values, [language](const std::string& value) { return localized(value, language); });
  const std::string key = word_key("grade_", finding.diagnosis.name()) + '_' + std::string(part);
  return word(key, language, std::span<const std::string>(values));
}

std::string title_of(const CheckKind& kind, Language language) {
  return word(word_key("grade_check_", kind.name), language);
}

std::string title_of(Diagnosis diagnosis, Language language) {
  return word(word_key("grade_", diagnosis.name()), language);
}

// A name as scripts read it, and as people do.
std::string titled(std::string_view name, const std::string& title) {
  return std::string(name) + " – " + title;
}

std::string status_of(const CheckResult& result, Language language) {
  using enum CheckStatus;
  if (result.status == passed) return text(Text::grade_passed, language, {});
  if (result.status == failed) return text(Text::grade_failed, language, {});
  if (result.status == skipped) return text(Text::grade_skipped, language, {result.lacks});
  const std::string why = "grade_unclear_" + std::string(result.unclear.name());
  return text(Text::grade_inconclusive, language, {word(why, language, {result.refusal})});
}

std::pair<std::string_view, Color> sign_of(CheckStatus status) {
  constexpr std::pair<std::string_view, Color> signs[] = {
      {"✓", Color::green}, {"✗", Color::bold_red}, {"–", Color::yellow}, {"?", Color::yellow}};
  return signs[static_cast<std::size_t>(status)];
}

std::string points_of(const CheckResult& result) {
  return std::to_string(result.points()) + '/' + std::to_string(result.kind.points);
}

std::string in_seconds(Duration time, int places, Language language) {
  return decimal(std::chrono::duration<double>(time).count(), places, language);
}

std::string seconds(const std::optional<Duration>& time, Language language) {
  if (!time) return std::string(text(Text::grade_unmeasured, language));
  return in_seconds(*time, 2, language) + " s";
}

std::string total_of(const Grade& grade, Language language) {
  if (grade.count(CheckStatus::inconclusive) == 0) {
    return text(Text::grade_points, language, {grade.points(), grade.most()});
  }
  return text(Text::grade_open, language, {grade.points(), grade.most(), grade.most_open()});
}

std::vector<std::string> waits_of(const Grade& grade, Language language) {
  const MeasuredWaits& waits = grade.waits;
  if (!waits.detection && !waits.answer) return {};
  std::vector<std::string> lines = {
      text(Text::grade_waits, language,
           {seconds(waits.detection, language), seconds(waits.answer, language),
            seconds(waits.coordinator, language), seconds(waits.start, language)})};
  if (grade.limits) {
    const auto& [notice, election] = *grade.limits;
    lines.push_back(text(Text::grade_limits, language,
                         {seconds(notice, language), seconds(election, language)}));
  }
  return lines;
}

// The last acts and messages before the fault became clear, a line each.
std::vector<std::string> wire_of(const CheckResult& result, Language language) {
  constexpr std::size_t most = 8;
  std::vector<std::string> lines;
  for (const Record& record : result.records) {
    std::string what;
    if (record.event == TraceEvent::send) {
      const Message message = {.type = record.type, .from = record.from};
      what = joined(std::vector{record.from, record.to}, " → ") + "  " + encode(message) + "  " +
             bully::name_of(record.type, language);
    } else if (record.event == TraceEvent::crash) {
      what = std::to_string(record.node) + "  " + std::string(text(Text::grade_wire_end, language));
    } else if (record.event == TraceEvent::pause) {
      what = std::to_string(record.node) + "  SIGSTOP";
    } else if (record.event == TraceEvent::resume) {
      what = std::to_string(record.node) + "  SIGCONT";
    } else {
      continue;
    }
    const auto since = Duration(record.t_ns - result.records.front().t_ns);
    lines.push_back(right_aligned(in_seconds(since, 3, language), 7) + " s  " + what);
  }
  if (lines.size() > most) lines.erase(lines.begin(), lines.end() - most);
  return lines;
}

// The deviations of the fake processes.
std::vector<std::string> cast_of(const CheckResult& result, Language language) {
  return list_of(result.fakes, [language](const auto& fake) {
    return word(word_key("grade_played_", fake.second.name()), language, {fake.first});
  });
}

std::string markup(std::string_view outside) {
  return escaped(harmless(outside));
}

std::string in_check(const CheckResult& result, Language language) {
  return '(' + titled(result.kind.name, title_of(result.kind, language)) + ')';
}

// What a check that has not passed shows beside its title.
std::string outcome_of(const CheckResult& result, Language language) {
  if (result.status == CheckStatus::passed) return "";
  return result.finding ? fault_words(result.finding->diagnosis, language)
                        : status_of(result, language);
}

// All that is said of a fault: each part's title, and the end of its words' key.
constexpr auto fault_parts = std::to_array<std::pair<Text, std::string_view>>(
    {{Text::grade_expected, "expected"}, {Text::grade_seen, "seen"}, {Text::grade_hint, "hint"}});

std::string last_words(const std::string& printed) {
  std::string words;
  for (const std::string& line : lines_in(printed)) {
    const std::string shown = "     " + harmless(line);
    words += width(shown) <= terminal_columns ? shown + '\n' : beside("     ", shown);
  }
  return words;
}

std::string fault_text(const CheckResult& result, Language language) {
  const Finding& finding = *result.finding;
  std::size_t column = width(text(Text::grade_draw, language));
  for (const auto& [title, part] : fault_parts)
    column = std::max(column, width(text(title, language)));
  const auto left = [&](Text title) {
    return "   " + padded(text(title, language), column) + "  ";
  };
  std::string card;
  for (const auto& [title, part] : fault_parts) {
    card += beside(left(title), words_of(finding, part, language));
    if (title != Text::grade_seen) continue;
    for (const std::string& line : wire_of(result, language)) {
      card += std::string(column + 5, ' ') + line + '\n';
    }
    for (const std::string& line : cast_of(result, language)) {
      card += beside(std::string(column + 5, ' '), line);
    }
  }
  if (!result.trace.empty())
    card += left(Text::grade_draw) + "./bully diagram " + harmless(typed(result.trace)) + '\n';
  if (finding.printed.empty()) return card;
  card += "   " + std::string(text(Text::grade_last_words, language)) + ":\n";
  return card + last_words(finding.printed);
}

std::string in_lines(const std::vector<std::string>& lines) {
  return "<pre>" + joined(lines, "", [](const auto& line) { return markup(line) + '\n'; }) +
         "</pre>";
}

std::string last_words_html(const std::string& printed, Language language) {
  if (printed.empty()) return "";
  const std::string title = markup(text(Text::grade_last_words, language));
  return "<p>" + title + "</p>" + in_lines(lines_in(printed)) + '\n';
}

// A fault as an entry of the page: its parts, and the messages to step through.
std::string fault_html(const CheckResult& result, Language language) {
  const auto say = [language](Text key) { return markup(text(key, language)); };
  const Finding& finding = *result.finding;
  std::string page = "<li><strong>" + markup(fault_words(finding.diagnosis, language)) +
                     "</strong> " + markup(in_check(result, language)) + "<dl>";
  for (const auto& [title, part] : fault_parts) {
    page += "<dt>" + say(title) + "</dt><dd>" + markup(words_of(finding, part, language)) + "</dd>";
    if (title != Text::grade_seen) continue;
    const std::vector<std::string> wire = wire_of(result, language);
    if (!wire.empty()) page += "<dd>" + in_lines(wire) + "</dd>";
    for (const std::string& line : cast_of(result, language)) {
      page += "<dd>" + markup(line) + "</dd>";
    }
  }
  page += "</dl>\n";
  page += last_words_html(finding.printed, language);
  if (std::ranges::any_of(result.records, is_about_message)) {
    Trace trace;
    trace.records = result.records;
    constexpr std::size_t most = 2'000;  // the page has a frame for each
    const std::size_t end = trace.records.size();
    const Diagram diagram = make_diagram(trace, {end - std::min(end, most), end}, false);
    page += "<iframe title=\"" + markup(result.kind.name) + "\" srcdoc=\"" +
            escaped(diagram_html(diagram, language)) + "\"></iframe>\n";
  }
  return page + "</li>\n";
}

// The checks as a table, and the entries of the faults.
std::string results_html(const Grade& grade, Language language) {
  std::string page;
  for (const std::string& line : waits_of(grade, language)) page += "<p>" + markup(line) + "</p>\n";
  page += "<p>" + markup(text(Text::grade_seed, language, {grade.seed})) + "</p>\n<table>\n";
  for (const CheckResult& result : grade.results) {
    page += "<tr><td>" + std::string(sign_of(result.status).first) + "</td><td>" +
            markup(result.kind.name) + "</td><td>" + points_of(result) + "</td><td>" +
            markup(title_of(result.kind, language));
    const std::string outcome = markup(outcome_of(result, language));
    if (result.finding) page += "<br/><strong>" + outcome + "</strong>";
    if (!result.finding && !outcome.empty()) page += "<br/>" + outcome;
    page += "</td></tr>\n";
  }
  page += "</table>\n";
  const std::vector<const CheckResult*> faults = grade.faults();
  if (faults.empty()) return page;
  return page + "<h2>" + markup(text(Text::grade_repair, language)) + "</h2>\n<ol>\n" +
         joined(faults, "", [&](const auto* fault) { return fault_html(*fault, language); }) +
         "</ol>\n";
}

}  // namespace

std::string fault_words(Diagnosis fault, Language language) {
  return titled(fault.name(), title_of(fault, language));
}

std::string check_line(const CheckResult& result, Language language, bool color) {
  std::string words = title_of(result.kind, language);
  const std::string outcome = outcome_of(result, language);
  if (!outcome.empty()) words += result.finding ? ": " + outcome : " (" + outcome + ')';
  const auto [sign, shade] = sign_of(result.status);
  const std::string left = ' ' + colored(shade, sign, color) + ' ' + padded(result.kind.name, 20) +
                           ' ' + right_aligned(points_of(result), 5) + "  ";
  return beside(left, words);
}

std::string grade_card(const Grade& grade, Language language, bool color) {
  std::string card;
  for (const std::string& line : waits_of(grade, language)) {
    for (const std::string& part : wrapped(line, narration_columns)) card += part + '\n';
  }
  card += text(Text::grade_seed, language, {grade.seed}) + "\n\n";
  card += colored(Color::bold, total_of(grade, language), color) + '\n';
  const std::vector<const CheckResult*> faults = grade.faults();
  if (faults.empty()) {
    const bool is_open = grade.count(CheckStatus::inconclusive) > 0;
    return is_open ? card : card + std::string(text(Text::grade_all_passed, language)) + '\n';
  }
  card += '\n' + std::string(text(Text::grade_repair, language)) + '\n';
  std::size_t number = 0;
  for (const CheckResult* fault : faults) {
    card += '\n' + std::to_string(++number) + ". " +
            titled(colored(Color::bold_red, fault->finding->diagnosis.name(), color),
                   title_of(fault->finding->diagnosis, language)) +
            '\n' + beside("   ", in_check(*fault, language)) + fault_text(*fault, language);
  }
  return card;
}

std::string grade_json(const Grade& grade, Language language) {
  const auto check = [&](const CheckResult& result) {
    const auto& finding = result.finding;
    const std::string diagnosis = finding ? json_string(finding->diagnosis.name()) : std::string();
    JsonMembers members = {{"name", json_string(result.kind.name)},
                           {"title", json_string(title_of(result.kind, language))},
                           {"status", json_string(name_of(result.status))},
                           {"points", std::to_string(result.points())},
                           {"max", std::to_string(result.kind.points)},
                           {"diagnoses", '[' + diagnosis + ']'}};
    for (const auto& [title, part] : fault_parts) {
      const std::string otherwise = title == Text::grade_seen ? status_of(result, language) : "";
      members.emplace_back(part,
                           json_string(finding ? words_of(*finding, part, language) : otherwise));
    }
    members.emplace_back("printed", json_string(finding ? finding->printed : ""));
    members.emplace_back("trace", json_string(result.trace));
    return "\n  " + json_object(members);
  };
  return json_object({{"score", std::to_string(grade.points())},
                      {"max", std::to_string(grade.most())},
                      {"complete", json_bool(grade.is_complete)},
                      {"seed", std::to_string(grade.seed)},
                      {"checks", json_array(grade.results, check)},
                      {"diagnoses", json_array(grade.diagnoses(), json_string)}}) +
         '\n';
}

std::string grade_junit(const Grade& grade, Language language) {
  const auto counted = [&](const char* name, CheckStatus status) {
    return std::string(name) + "=\"" + std::to_string(grade.count(status)) + "\" ";
  };
  Duration all{0};
  std::string cases;
  for (const CheckResult& result : grade.results) {
    all += result.took;
    cases += "  <testcase name=\"" + markup(result.kind.name) +
             "\" classname=\"bully.grade\" time=\"" +
             in_seconds(result.took, 3, Language::english) + "\">";
    const std::string why = markup(status_of(result, language));
    if (const auto& finding = result.finding) {
      std::string text_of_finding;
      for (const auto& [title, part] : fault_parts) {
        text_of_finding.append(text(title, language)).append(": ");
        text_of_finding.append(words_of(*finding, part, language)).append("\n");
      }
      if (!finding->printed.empty()) {
        text_of_finding.append(text(Text::grade_last_words, language)).append(":\n");
        text_of_finding += last_words(finding->printed);
      }
      cases += "\n    <failure message=\"" + markup(words_of(*finding, "seen", language)) +
               "\" type=\"" + std::string(finding->diagnosis.name()) + "\">" +
               escaped(text_of_finding) + "</failure>\n  ";
    } else if (result.status == CheckStatus::skipped) {
      cases += "\n    <skipped message=\"" + why + "\"/>\n  ";
    } else if (result.status == CheckStatus::inconclusive) {
      cases += "\n    <error message=\"" + why + "\" type=\"inconclusive\"></error>\n  ";
    }
    cases += "</testcase>\n";
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n <testsuite name=\"" +
         markup(joined(grade.command, " ")) + "\" tests=\"" + std::to_string(grade.results.size()) +
         "\" " + counted("failures", CheckStatus::failed) +
         counted("errors", CheckStatus::inconclusive) + counted("skipped", CheckStatus::skipped) +
         "time=\"" + in_seconds(all, 3, Language::english) + "\">\n" + cases +
         " </testsuite>\n</testsuites>\n";
}

std::string grade_html(const Grade& grade, Language language) {
  return filled_page(
      "grade", language,
      {{"lang", std::string(code_of(language))},
       {"title", markup(text(Text::grade_title, language, {joined(grade.command, " ")}))},
       {"total",
        markup(grade.obstacle ? obstacle_words(grade, language) : total_of(grade, language))},
       {"printed", last_words_html(grade.printed, language)},
       {"results", grade.obstacle ? "" : results_html(grade, language)}});
}

std::string obstacle_words(const Grade& grade, Language language) {
  return text(Text::grade_not_gradable, language, {words_of(*grade.obstacle, language)});
}

std::string check_list(std::span<const CheckKind> checks, Language language) {
  std::string list = std::string(text(Text::grade_list, language)) + '\n';
  for (const CheckKind& kind : checks) {
    constexpr auto is_any = [](std::string_view needed) { return !needed.empty(); };
    std::string needs = joined(list_of(kind.needs, is_any, std::identity()), ", ");
    if (!needs.empty()) needs = " (" + text(Text::grade_needs, language, {needs}) + ')';
    list += beside(
        "  " + padded(kind.name, 20) + ' ' + right_aligned(std::to_string(kind.points), 2) + "  ",
        title_of(kind, language) + needs);
  }
  return list;
}

}  // namespace bully
