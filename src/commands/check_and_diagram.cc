// check_and_diagram.cc: of a recorded run, the verdict (`bully check`) and the diagram (`bully
// diagram`).
#include "base/json.h"
#include "base/list.h"
#include "base/text.h"
#include "commands/commands.h"
#include "history/figures.h"
#include "pictures/diagram.h"
#include "pictures/diagram_steps.h"
#include "terminal/output.h"
#include "terminal/traces.h"
#include "view/check_report.h"

namespace bully {

namespace {

// The traces of one run: the named files, otherwise $BULLY_TRACE.
struct RecordedCommand : Subcommand {
  void declare_traces(Options& options) {
    options.arguments(Text::help_trace_arguments, files);
    options.rules(&rules);
  }

  std::vector<std::string> named() const {
    return files.empty() ? std::vector{standard_trace()} : files;
  }

  // Throws UsageError if no trace is named or they are too large; and the exceptions of
  // read_traces().
  Trace read() const {
    if (named().front().empty()) fail(Text::check_needs_trace);
    try {
      Trace trace = read_traces(named());
      refuse_other_rules(trace);
      return trace;
    } catch (const TraceTooLarge& error) {
      fail_as_too_large(named(), error.bytes, invocation());
    }
  }

  // Rules of an outside program are of no use for a trace that no node with them has written.
  void refuse_other_rules(const Trace& trace) const {
    if (rules == nullptr) return;
    std::set<std::string_view> names;
    for (const Record& record : trace.records) {
      if (record.event == TraceEvent::start) names.insert(algorithm_named(record.algorithm).name);
    }
    if (names.empty() || names.contains(rules->name)) return;
    fail(Text::usage_other_rules, {std::string(rules->name), joined(names, ", ")});
  }

  std::vector<std::string> files;
  const Algorithm* rules = nullptr;  // of --algorithm
};

// A picture's memory for each drawn record, and, with that number, for each lane.
constexpr std::uint64_t drawn_record_bytes = 1500;
constexpr std::uint64_t drawn_lane_bytes = 20;
constexpr std::uint64_t most_drawn_mib = 1024;
// The processes and messages in all frames of a page: each has all that is there at a time. A
// process takes three times the work of a message.
constexpr std::uint64_t most_on_page = 3'000'000;

std::uint64_t count_on_page(const Diagram& diagram) {
  std::uint64_t count = 3 * diagram.steps.size() * diagram.lanes.size();
  for (const Diagram::Message& message : diagram.messages) {
    count += message.ended.value_or(diagram.steps.size()) - message.sent.value_or(0);
  }
  return count;
}

struct CheckCommand : RecordedCommand {
  void declare(Options& options) override {
    options.flag("--json", json, Text::option_json_object);
    declare_traces(options);
    options.style();
    options.no_effect_with({"--json", [this] { return json; }}, {"--color"});
  }

  int run() override {
    const std::vector<Trace> clusters = clusters_of(read());
    std::vector<std::string> reports;
    std::set<RunVerdict> verdicts;
    std::size_t lines = 0;
    for (const Trace& trace : clusters) {
      const Report report = check_trace(trace);
      verdicts.insert(report.verdict);
      if (!json && lines > max_report_lines) continue;
      reports.push_back(report_on(trace, report, clusters.size(), reports.size() + 1));
      lines += static_cast<std::size_t>(std::ranges::count(reports.back(), '\n'));
    }
    const std::size_t more = clusters.size() - reports.size();
    if (more > 0) reports.push_back('\n' + say(Text::check_more_clusters, {more}) + '\n');
    write_to_stdout(json && clusters.size() > 1 ? json_array(reports, std::identity()) + '\n'
                                                : joined(reports, ""));
    if (verdicts.contains(RunVerdict::violated)) return exit_failed;
    return verdicts.contains(RunVerdict::cannot_tell) ? exit_unknown : exit_ok;
  }

  // On cluster `number` of `clusters`.
  std::string report_on(const Trace& trace, const Report& report, std::size_t clusters,
                        std::size_t number) const {
    if (json) return check_json(trace, report);
    const LogStyle style = log_style(invocation());
    if (clusters == 1) return check_report(trace, report, style.language, style.color);
    const std::string heading = say(Text::check_cluster, {number, clusters});
    return (number > 1 ? "\n" : "") + colored(Color::bold, heading, style.color) + "\n\n" +
           check_report(trace, report, style.language, style.color, number);
  }

  bool json = false;
};

struct DiagramCommand : RecordedCommand {
  void declare(Options& options) override {
    options.group(Text::help_output_options);
    options.choice("--format", {"text", "svg", "html"}, format, Text::option_format);
    options.for_files({{"html", "page.html"}, {"svg", "picture.svg"}});
    options.value("--election", "K", election, Text::option_election);
    options.value("--cluster", "K", cluster, Text::option_cluster);
    options.language();
    options.group(Text::help_other_options);
    declare_traces(options);
  }

  int run() override {
    const Trace trace = one_cluster();
    if (trace.records.empty()) {
      complain(joined(named(), ", ") + ": " + say(Text::check_doubt_empty));
      return exit_unknown;
    }
    const History history = history_of(trace);
    const std::vector<Election>& elections = history.elections().all();
    for (const std::string& file : trace.cut) complain(say(Text::check_cut, {file}));
    const Excerpt excerpt = choose(trace, elections);
    const auto refuse = [&](const std::string& problem, const std::string& advice) {
      const bool is_part = election != "all" || elections.size() < 2;
      throw Refusal(problem,
                    is_part ? advice : say(Text::advice_draw_less, {elections.size(), advice}));
    };
    // The chosen part is drawn in memory, as a whole.
    const std::uint64_t records = excerpt.last - excerpt.first;
    const std::uint64_t needed_mib =
        (records * (drawn_record_bytes + history.nodes().size() * drawn_lane_bytes) >> 20) + 1;
    if (needed_mib > most_drawn_mib) {
      refuse(say(Text::error_picture_too_large,
                 {grouped(records, language()), grouped(needed_mib, language()),
                  grouped(most_drawn_mib, language())}),
             say(Text::advice_draw_shorter));
    }
    const Diagram diagram = make_diagram(trace, excerpt, false);
    if (diagram.lanes.empty()) {
      complain(joined(named(), ", ") + ": " + say(Text::diagram_nobody));
      return exit_unknown;
    }
    const std::optional<std::string> picture = drawn(diagram);
    if (!picture) {
      const std::string kind = format == Format::svg ? "svg" : "html";
      refuse(say(Text::usage_too_large, {title_of(diagram, language()), kind}),
             say(format == Format::svg && count_on_page(diagram) <= most_on_page
                     ? Text::advice_draw_page
                     : Text::advice_draw_as));
    }
    write_to_stdout(*picture);
    return exit_ok;
  }

  // Empty if it would be too large.
  std::optional<std::string> drawn(const Diagram& diagram) const {
    switch (format) {
      case Format::svg: return diagram_svg(diagram, language());
      case Format::html:
        if (count_on_page(diagram) > most_on_page) return std::nullopt;
        return diagram_html(diagram, language());
      case Format::text: break;
    }
    return diagram_text(diagram, language());
  }

  Excerpt choose(const Trace& trace, const std::vector<Election>& elections) const {
    if (election == "all") return {0, trace.records.size()};
    if (elections.empty()) fail(Text::usage_no_election, {election});
    const auto k = index_of(election, elections.size());
    if (!k) fail(Text::usage_not_an_election, {election, elections.size()});
    return {elections[*k].first.record, elections[*k].last.record + 1};
  }

  Trace one_cluster() const {
    std::vector<Trace> clusters = clusters_of(read());
    if (clusters.size() == 1) {
      if (!cluster.empty()) fail(Text::usage_one_cluster);
      return std::move(clusters[0]);
    }
    const auto k = index_of(cluster, clusters.size());
    if (!k) fail(Text::usage_clusters, {clusters.size()});
    return std::move(clusters[*k]);
  }

  // K, counted from 1.
  static std::optional<std::size_t> index_of(std::string_view k, std::size_t count) {
    const auto number = parse_number(k);
    return number && *number >= 1 && *number <= count ? std::optional(*number - 1) : std::nullopt;
  }

  enum class Format : std::uint8_t { text, svg, html };
  Format format = Format::text;
  std::string cluster;
  std::string election = "all";
};

}  // namespace

const CommandKind check_command = {.name = "check",
                                   .summary = Text::command_check,
                                   .intro = Text::help_check_intro,
                                   .make = make_command<CheckCommand>,
                                   .closing = {Text::help_check_exit},
                                   .judges = true};
const CommandKind diagram_command = {"diagram", Text::command_diagram, Text::help_diagram_intro,
                                     make_command<DiagramCommand>};

}  // namespace bully
