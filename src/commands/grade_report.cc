#include "commands/grade_report.h"

#include <algorithm>
#include <chrono>

#include "trace/json.h"
#include "trace/trace.h"
#include "view/diagram.h"
#include "view/style.h"

namespace bully {

namespace {

// A value such as "1.5 s", with the language's decimal mark.
std::string localized(const std::string& value, Language language) {
  const bool is_time = value.ends_with(" s") && value.find('.') != std::string::npos;
  return is_time ? with_decimal_mark(value, language) : value;
}

std::string words_of(const Finding& finding, std::string_view part, Language language) {
  std::vector<std::string> values;
  for (const std::string& value : finding.values) values.push_back(localized(value, language));
  return word(key_of(finding.diagnosis) + '_' + std::string(part), language,
              std::span<const std::string>(values));
}

std::string title_of(const CheckKind& kind, Language language) {
  std::string key = "grade_check_" + std::string(kind.name);
  std::ranges::replace(key, '-', '_');
  return std::string(word(key, language));
}

std::string status_of(const CheckResult& result, Language language) {
  switch (result.status) {
    case CheckStatus::passed: return text(Text::grade_passed, language, {});
    case CheckStatus::failed: return text(Text::grade_failed, language, {});
    case CheckStatus::skipped: return text(Text::grade_skipped, language, {result.lacks});
    case CheckStatus::inconclusive: break;
  }
  const std::string why = "grade_unclear_" + std::string(name_of(result.unclear));
  return text(Text::grade_inconclusive, language, {word(why, language)});
}

std::string_view sign_of(CheckStatus status) {
  switch (status) {
    case CheckStatus::passed: return "✓";
    case CheckStatus::failed: return "✗";
    case CheckStatus::skipped: return "–";
    case CheckStatus::inconclusive: break;
  }
  return "?";
}

Color color_of(CheckStatus status) {
  if (status == CheckStatus::passed) return Color::green;
  return status == CheckStatus::failed ? Color::bold_red : Color::yellow;
}

std::string points_of(const CheckResult& result) {
  return std::to_string(result.points()) + '/' + std::to_string(result.kind.points);
}

std::string seconds(const std::optional<Duration>& time, Language language) {
  if (!time) return std::string(text(Text::grade_unmeasured, language));
  return decimal(std::chrono::duration<double>(*time).count(), 2, language) + " s";
}

std::string command_of(const Grade& grade) {
  return joined(grade.command, " ");
}

std::string total_of(const Grade& grade, Language language) {
  if (!grade.is_unclear()) {
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
            seconds(waits.coordinator, language)})};
  if (waits.detection && waits.answer) {
    const Duration second = std::chrono::seconds(1);
    const Duration both = *waits.answer + waits.coordinator.value_or(*waits.answer);
    lines.push_back(text(
        Text::grade_limits, language,
        {seconds(3 * *waits.detection + second, language), seconds(3 * both + second, language)}));
  }
  return lines;
}

const CheckResult* first_with(const Grade& grade, Diagnosis diagnosis) {
  for (const CheckResult& result : grade.results) {
    for (const Finding& finding : result.findings) {
      if (finding.diagnosis == diagnosis) return &result;
    }
  }
  return nullptr;
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
      what = std::to_string(record.node) + "  SIGKILL";
    } else if (record.event == TraceEvent::pause) {
      what = std::to_string(record.node) + "  SIGSTOP";
    } else if (record.event == TraceEvent::resume) {
      what = std::to_string(record.node) + "  SIGCONT";
    } else {
      continue;
    }
    const auto since = Duration(record.t_ns - result.records.front().t_ns);
    const double time_s = std::chrono::duration<double>(since).count();
    lines.push_back(right_aligned(decimal(time_s, 3, language), 7) + " s  " + what);
  }
  if (lines.size() > most) lines.erase(lines.begin(), lines.end() - most);
  return lines;
}

std::string draw_command(const CheckResult& result) {
  return result.trace.empty() ? "" : "./bully diagram " + result.trace;
}

std::string markup(std::string_view outside) {
  return escaped(harmless(outside));
}

}  // namespace

std::string check_line(const CheckResult& result, Language language, bool color) {
  const Color shade = color_of(result.status);
  std::string words = title_of(result.kind, language);
  if (result.status == CheckStatus::failed) {
    words.append(": ").append(name_of(result.findings.front().diagnosis));
  } else if (result.status != CheckStatus::passed) {
    words += " (" + status_of(result, language) + ')';
  }
  const std::string left = ' ' + colored(shade, sign_of(result.status), color) + ' ' +
                           padded(result.kind.name, 20) + ' ' +
                           right_aligned(points_of(result), 5) + "  ";
  return beside(left, words);
}

std::string grade_card(const Grade& grade, Language language, bool color) {
  std::string card;
  for (const std::string& line : waits_of(grade, language)) {
    for (const std::string& part : wrapped(line, narration_columns)) card += part + '\n';
  }
  if (!card.empty()) card += '\n';
  card += colored(Color::bold, total_of(grade, language), color) + '\n';
  const std::vector<const Finding*> findings = grade.findings();
  if (findings.empty()) {
    if (!grade.has_failed() && !grade.is_unclear()) {
      card += std::string(text(Text::grade_all_passed, language)) + '\n';
    }
    return card;
  }
  card += '\n' + std::string(text(Text::grade_repair, language)) + '\n';
  std::size_t number = 0;
  for (const Finding* finding : findings) {
    const CheckResult* result = first_with(grade, finding->diagnosis);
    card += '\n' + std::to_string(++number) + ". " +
            colored(Color::bold_red, name_of(finding->diagnosis), color) + "  (" +
            std::string(result->kind.name) + ")\n";
    std::size_t column = 0;
    const auto keys = {Text::grade_expected, Text::grade_seen, Text::grade_hint, Text::grade_draw};
    for (const Text key : keys) column = std::max(column, width(text(key, language)));
    const auto row = [&](Text key, const std::string& words) {
      if (words.empty()) return;
      card += beside("   " + padded(text(key, language), column) + "  ", words);
    };
    row(Text::grade_expected, words_of(*finding, "expected", language));
    row(Text::grade_seen, words_of(*finding, "seen", language));
    for (const std::string& line : wire_of(*result, language)) {
      card += std::string(column + 5, ' ') + line + '\n';
    }
    row(Text::grade_hint, words_of(*finding, "hint", language));
    if (const std::string draw = draw_command(*result); !draw.empty()) {
      card += "   " + padded(text(Text::grade_draw, language), column) + "  " + draw + '\n';
    }
    if (finding->printed.empty()) continue;
    card += "   " + std::string(text(Text::grade_last_words, language)) + ":\n";
    std::vector<std::string> lines = lines_in(finding->printed);
    constexpr std::size_t most_lines = 6;
    if (lines.size() > most_lines) lines.erase(lines.begin(), lines.end() - most_lines);
    for (const std::string& line : lines) card += fitted("     " + harmless(line), 78) + '\n';
  }
  return card;
}

std::string grade_json(const Grade& grade, Language language) {
  const auto check = [&](const CheckResult& result) {
    const Finding* finding = result.findings.empty() ? nullptr : &result.findings.front();
    const auto part = [&](std::string_view name) {
      return json_string(finding == nullptr ? "" : words_of(*finding, name, language));
    };
    return "\n  " +
           json_object({{"name", json_string(result.kind.name)},
                        {"title", json_string(title_of(result.kind, language))},
                        {"status", json_string(name_of(result.status))},
                        {"points", std::to_string(result.points())},
                        {"max", std::to_string(result.kind.points)},
                        {"diagnoses", json_array(result.findings,
                                                 [](const Finding& one) {
                                                   return json_string(name_of(one.diagnosis));
                                                 })},
                        {"expected", part("expected")},
                        {"seen", finding == nullptr ? json_string(status_of(result, language))
                                                    : part("seen")},
                        {"hint", part("hint")},
                        {"printed", json_string(finding == nullptr ? "" : finding->printed)},
                        {"trace", json_string(result.trace)}});
  };
  return json_object({{"score", std::to_string(grade.points())},
                      {"max", std::to_string(grade.most())},
                      {"complete", json_bool(grade.is_complete)},
                      {"checks", json_array(grade.results, check)},
                      {"diagnoses", json_array(grade.findings(),
                                               [](const Finding* one) {
                                                 return json_string(name_of(one->diagnosis));
                                               })}}) +
         '\n';
}

std::string grade_junit(const Grade& grade, Language language) {
  const auto seconds_of = [](Duration time) {
    const auto ms = time / std::chrono::milliseconds(1);
    std::string digits = std::to_string(ms % 1000);
    digits.insert(0, 3 - digits.size(), '0');
    return std::to_string(ms / 1000) + '.' + digits;
  };
  Duration all{0};
  std::size_t failures = 0;
  std::size_t errors = 0;
  std::size_t skipped = 0;
  std::string cases;
  for (const CheckResult& result : grade.results) {
    all += result.took;
    cases += "  <testcase name=\"" + markup(result.kind.name) +
             "\" classname=\"bully.grade\" time=\"" + seconds_of(result.took) + "\">";
    const std::string why = markup(status_of(result, language));
    if (result.status == CheckStatus::failed) {
      ++failures;
      const Finding& finding = result.findings.front();
      std::string told;
      for (const auto& [key, part] :
           {std::pair(Text::grade_expected, "expected"), std::pair(Text::grade_seen, "seen"),
            std::pair(Text::grade_hint, "hint")}) {
        told.append(text(key, language)).append(": ");
        told.append(words_of(finding, part, language)).append("\n");
      }
      cases += "\n    <failure message=\"" + markup(words_of(finding, "seen", language)) +
               "\" type=\"" + std::string(name_of(finding.diagnosis)) + "\">" + escaped(told) +
               "</failure>\n  ";
    } else if (result.status == CheckStatus::skipped) {
      ++skipped;
      cases += "\n    <skipped message=\"" + why + "\"/>\n  ";
    } else if (result.status == CheckStatus::inconclusive) {
      ++errors;
      cases += "\n    <error message=\"" + why + "\" type=\"inconclusive\"></error>\n  ";
    }
    cases += "</testcase>\n";
  }
  const std::string counts = " tests=\"" + std::to_string(grade.results.size()) + "\" failures=\"" +
                             std::to_string(failures) + "\" errors=\"" + std::to_string(errors) +
                             "\" skipped=\"" + std::to_string(skipped) + "\" time=\"" +
                             seconds_of(all) + "\"";
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n <testsuite name=\"" +
         markup(command_of(grade)) + "\"" + counts + ">\n" + cases +
         " </testsuite>\n</testsuites>\n";
}

// A fault as an entry of the page: expected, seen, hint, and the messages to step through.
static std::string finding_html(const Grade& grade, const Finding& finding, Language language) {
  const auto say = [language](Text key) { return markup(text(key, language)); };
  const CheckResult* result = first_with(grade, finding.diagnosis);
  std::string page = "<li><strong>" + std::string(name_of(finding.diagnosis)) + "</strong> (" +
                     markup(result->kind.name) + ")<dl>";
  const auto row = [&](Text key, std::string_view part) {
    page += "<dt>" + say(key) + "</dt><dd>" + markup(words_of(finding, part, language)) + "</dd>";
  };
  row(Text::grade_expected, "expected");
  row(Text::grade_seen, "seen");
  std::string wire;
  for (const std::string& line : wire_of(*result, language)) wire += markup(line) + '\n';
  if (!wire.empty()) page += "<dd><pre>" + wire + "</pre></dd>";
  row(Text::grade_hint, "hint");
  page += "</dl>\n";
  if (!finding.printed.empty()) {
    std::string lines;
    for (const std::string& line : lines_in(finding.printed)) lines += markup(line) + '\n';
    page += "<p>" + say(Text::grade_last_words) + "</p><pre>" + lines + "</pre>\n";
  }
  const bool has_messages =
      std::ranges::any_of(result->records, [](const Record& one) { return is_about_message(one); });
  if (has_messages) {
    Trace trace;
    std::uint32_t line = 0;
    for (const Record& record : result->records) trace.records.add(record, ++line);
    const Diagram diagram =
        make_diagram(trace, timeline_of(trace), {0, trace.records.size()}, false);
    page += "<iframe title=\"" + markup(result->kind.name) + "\" srcdoc=\"" +
            escaped(diagram_html(diagram, language)) + "\"></iframe>\n";
  }
  return page + "</li>\n";
}

std::string grade_html(const Grade& grade, Language language) {
  const auto say = [language](Text key) { return markup(text(key, language)); };
  const std::string title = markup(text(Text::grade_title, language, {command_of(grade)}));
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"" + std::string(code_of(language)) +
      "\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width\"/>\n<title>" +
      title +
      "</title>\n<style>\n"
      ":root { color-scheme: light dark; }\n"
      "body { font: 17px/1.45 \"DejaVu Sans\", Verdana, Arial, sans-serif; max-width: 62rem;\n"
      "  margin: 1rem auto; padding: 0 1rem; }\n"
      "h1 { font-size: 1.3rem; overflow-wrap: anywhere; } h2 { font-size: 1.1rem; }\n"
      "table { border-collapse: collapse; } td { padding: 2px 10px; vertical-align: top; }\n"
      "tr { border-bottom: 1px solid #8886; }\n"
      "dt { color: #888; } dd { margin: 0 0 .5rem 1rem; }\n"
      "pre { overflow: auto; background: #8882; padding: .5rem; }\n"
      "iframe { width: 100%; height: 44rem; border: 1px solid #8886; }\n"
      "</style>\n</head>\n<body>\n<h1>" +
      title + "</h1>\n<p><strong>" + markup(total_of(grade, language)) + "</strong></p>\n";
  for (const std::string& line : waits_of(grade, language)) page += "<p>" + markup(line) + "</p>\n";
  page += "<table>\n";
  for (const CheckResult& result : grade.results) {
    page += "<tr><td>" + std::string(sign_of(result.status)) + "</td><td>" +
            markup(result.kind.name) + "</td><td>" + points_of(result) + "</td><td>" +
            markup(title_of(result.kind, language));
    if (result.status == CheckStatus::failed) {
      page +=
          "<br/><strong>" + std::string(name_of(result.findings.front().diagnosis)) + "</strong>";
    } else if (result.status != CheckStatus::passed) {
      page += "<br/>" + markup(status_of(result, language));
    }
    page += "</td></tr>\n";
  }
  page += "</table>\n";
  const std::vector<const Finding*> findings = grade.findings();
  if (!findings.empty()) page += "<h2>" + say(Text::grade_repair) + "</h2>\n<ol>\n";
  for (const Finding* finding : findings) page += finding_html(grade, *finding, language);
  if (!findings.empty()) page += "</ol>\n";
  return page + "</body>\n</html>\n";
}

std::string check_list(std::span<const Check> checks, Language language) {
  std::string list = std::string(text(Text::grade_list, language)) + '\n';
  for (const auto& [kind, run] : checks) {
    std::string needs;
    for (const std::string_view needed : kind.needs) {
      if (!needed.empty()) needs.append(needs.empty() ? "" : ", ").append(needed);
    }
    if (!needs.empty()) needs = " (" + text(Text::grade_needs, language, {needs}) + ')';
    list += beside(
        "  " + padded(kind.name, 20) + ' ' + right_aligned(std::to_string(kind.points), 2) + "  ",
        title_of(kind, language) + needs);
  }
  return list;
}

std::string class_csv_head(std::span<const Check* const> checks) {
  std::string head = "program,score,max";
  for (const Check* check : checks) head.append(",").append(check->kind.name);
  return head + ",diagnoses\n";
}

std::string class_csv_row(const std::string& name, const Grade& grade,
                          std::span<const Check* const> checks) {
  std::string quoted = "\"";
  for (const char c : harmless(name)) quoted += c == '"' ? "\"\"" : std::string(1, c);
  unsigned most = 0;
  std::string points;
  for (const Check* check : checks) {
    const auto name_of_result = [](const CheckResult& one) { return one.kind.name; };
    const auto result = std::ranges::find(grade.results, check->kind.name, name_of_result);
    const bool is_there = result != grade.results.end();
    most += is_there ? result->kind.points : check->kind.points;
    // An inconclusive check earns neither nothing nor all points.
    const bool is_open = is_there && result->status == CheckStatus::inconclusive;
    points += is_open ? "," : ',' + std::to_string(is_there ? result->points() : 0);
  }
  const std::string row =
      quoted + "\"," + std::to_string(grade.points()) + ',' + std::to_string(most) + points;
  return row + ',' +
         joined(grade.findings(), " ", [](const Finding* one) { return name_of(one->diagnosis); }) +
         '\n';
}

}  // namespace bully
