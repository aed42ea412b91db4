// diagram.cc: `bully diagram`, the space-time diagram of a recorded run.
#include <cstdlib>
#include <iostream>

#include "commands/commands.h"
#include "commands/terminal.h"
#include "trace/elections.h"
#include "view/diagram_html.h"
#include "view/diagram_mermaid.h"
#include "view/diagram_shiviz.h"
#include "view/diagram_svg.h"
#include "view/diagram_text.h"
#include "view/diagram_words.h"
#include "view/ring_svg.h"
#include "view/ring_text.h"

namespace bully {

namespace {

enum Format : std::size_t { as_text, as_svg, as_mermaid, as_html, as_shiviz, as_ring, as_ring_svg };
const std::vector<std::string> formats = {"text",   "svg",  "mermaid", "html",
                                          "shiviz", "ring", "ring-svg"};

struct DiagramCommand {
  std::vector<std::string> traces;
  std::size_t format = as_text;
  std::string election = "all";
  std::size_t scale = 0;
  bool pings = false;
  bool help = false;
  std::uint64_t memory_mib = standard_memory_bytes / mib;
};

// What a picture takes of memory for each record that is drawn, and with that for each lane.
constexpr std::uint64_t drawn_record_bytes = 1500;
constexpr std::uint64_t drawn_lane_bytes = 20;

void declare(Options& options, DiagramCommand& command) {
  options.group(Text::help_output_options);
  options.choice("--format", formats, command.format, Text::option_format);
  options.value("--election", "K", command.election, Text::option_election);
  options.choice("--scale", {"steps", "time"}, command.scale, Text::option_scale);
  options.flag("--pings", command.pings, Text::option_pings);
  options.language();
  options.group(Text::help_other_options);
  options.number("--memory", command.memory_mib, 1, most_memory_mib, Text::option_memory);
  options.flag("--help", command.help, Text::option_help);
  options.argument([&](const std::string& given) { command.traces.push_back(given); });
}

// A recorded run and what is known of it.
struct Run {
  Trace trace;
  Causality pairs;
  Census census;
  std::vector<Election> elections;

  Run(const std::vector<std::string>& files, std::uint64_t memory_bytes)
      : trace(read_traces(files, memory_bytes)),
        pairs(pair_messages(trace)),
        census(census_of(trace, pairs)),
        elections(elections_of(trace, pairs, census)) {}
};

Excerpt choose(const Run& run, const std::string& election, const Options& options) {
  if (election == "all") return {0, run.trace.records.size()};
  const std::optional<NodeId> number = parse_id(election);
  if (!number || *number == 0 || *number > run.elections.size()) {
    options.fail(Text::usage_not_an_election, {election, std::to_string(run.elections.size())});
  }
  const Election& chosen = run.elections[*number - 1];
  return {chosen.first_record, chosen.last_record + 1};
}

Run read(const DiagramCommand& command, Language language) {
  try {
    return {command.traces, command.memory_mib * mib};
  } catch (const TraceTooLarge& error) {
    throw UsageError(too_large_words(error, command.memory_mib, language));
  }
}

// What was chosen is drawn in memory, as a whole.
void check_memory(const Run& run, Excerpt excerpt, const DiagramCommand& command,
                  Language language) {
  const std::uint64_t records = excerpt.last - excerpt.first;
  const std::uint64_t needed =
      run.trace.records.size() * judged_record_bytes +
      records * (drawn_record_bytes + run.census.nodes.size() * drawn_lane_bytes);
  if (needed <= command.memory_mib * mib) return;
  throw Refusal(text(Text::error_picture_too_large, language,
                     {std::to_string(records), std::to_string(needed / mib + 1),
                      std::to_string(command.memory_mib)}),
                text(Text::advice_draw_less, language, {std::to_string(run.elections.size())}));
}

std::optional<std::string> drawn(const Diagram& diagram, const DiagramCommand& command,
                                 Language language) {
  switch (command.format) {
    case as_svg:
      return diagram_svg(diagram, language, command.scale == 0 ? Scale::steps : Scale::time);
    case as_mermaid:
      return diagram_mermaid(diagram, language);
    case as_html:
      return diagram_html(diagram, language);
    case as_shiviz:
      return diagram_shiviz(diagram, language);
    case as_ring:
      return ring_text(diagram, language);
    case as_ring_svg:
      return ring_svg(diagram, language);
    default:
      return diagram_text(diagram, language);
  }
}

// Says why there is no picture, and what to do instead.
int refuse(const Diagram& diagram, const DiagramCommand& command, const Run& run,
           Language language) {
  const Text advice =
      command.format == as_ring_svg ? Text::usage_draw_ring_election : Text::usage_draw_one;
  std::cerr << "bully: "
            << text(Text::usage_too_large, language,
                    {formats[command.format], title_of(diagram, language)})
            << "\nbully: " << text(advice, language, {std::to_string(run.elections.size())})
            << '\n';
  return exit_failed;
}

}  // namespace

int run_diagram(const Invocation& invocation) {
  const Language language = invocation.language;
  DiagramCommand command;
  Options options(language);
  declare(options, command);
  options.parse(invocation.arguments);
  if (command.help) {
    write_to_stdout(options.page("bully diagram [TRACE…]", Text::help_diagram_intro));
    return exit_ok;
  }
  if (command.traces.empty()) {
    const char* trace = std::getenv("BULLY_TRACE");
    if (trace == nullptr) options.fail(Text::usage_no_trace, {});
    command.traces.emplace_back(trace);
  }
  const Run run = read(command, language);
  for (const std::string& file : run.trace.cut) {
    std::cerr << "bully: " << text(Text::diagram_cut, language, {file}) << '\n';
  }
  const Excerpt excerpt = choose(run, command.election, options);
  check_memory(run, excerpt, command, language);
  const Diagram diagram = make_diagram(run.trace, run.pairs, run.census, excerpt, command.pings);
  const bool is_of_ring = command.format == as_ring || command.format == as_ring_svg;
  if (is_of_ring && !diagram.algorithm->is_ring) {
    options.fail(Text::usage_not_a_ring, {formats[command.format], diagram.algorithm->name});
  }
  const std::optional<std::string> picture = drawn(diagram, command, language);
  if (!picture) return refuse(diagram, command, run, language);
  write_to_stdout(*picture);
  return exit_ok;
}

}  // namespace bully
