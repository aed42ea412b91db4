// compare.cc: `bully compare`, the same elections with each algorithm, side by side.
#include "sim/compare.h"

#include <algorithm>
#include <set>

#include "commands/commands.h"
#include "commands/terminal.h"
#include "view/compare_plot.h"
#include "view/compare_svg.h"
#include "view/compare_table.h"

namespace bully {

namespace {

enum Format : std::size_t { as_text, as_svg, as_csv };
constexpr std::uint64_t most_runs = 100'000;
constexpr std::size_t all_cases = election_case_count;

struct CompareCommand {
  std::string nodes = "2..64";
  std::string algorithms;
  std::size_t election_case = static_cast<std::size_t>(ElectionCase::worst);
  std::size_t noticing = 0;
  std::uint64_t runs = 101;
  std::uint64_t seed = 1;
  std::size_t format = as_text;
  bool help = false;
};

std::vector<std::string> split(const std::string& given) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (std::size_t comma = 0; comma != std::string::npos; from = comma + 1) {
    comma = given.find(',', from);
    parts.push_back(given.substr(from, comma - from));
  }
  return parts;
}

std::string algorithm_names(std::string_view between) {
  std::string names;
  for (const Algorithm& algorithm : algorithms()) {
    names.append(names.empty() ? "" : between).append(algorithm.name);
  }
  return names;
}

void declare(Options& options, CompareCommand& command) {
  command.algorithms = algorithm_names(",");
  options.group(Text::help_compared);
  options.value("--nodes", "N..M", command.nodes, Text::option_compare_nodes);
  options.value("--algorithms", "A,B", command.algorithms, Text::option_algorithms);
  options.choice("--case", {"best", "worst", "random", "all"}, command.election_case,
                 Text::option_case);
  options.choice("--fault", {"case", "highest", "lowest", "all"}, command.noticing,
                 Text::option_fault);
  options.number("--runs", command.runs, 1, most_runs, Text::option_runs);
  options.number("--seed", command.seed, 0, UINT64_MAX, Text::option_compare_seed);
  options.group(Text::help_output_options);
  options.choice("--format", {"text", "svg", "csv"}, command.format, Text::option_compare_format);
  options.language();
  options.group(Text::help_other_options);
  options.flag("--help", command.help, Text::option_help);
}

// Numbers and ranges, such as "2..8,16,32": sorted, each once.
std::vector<std::size_t> nodes_of(const std::string& given, const Options& options) {
  std::set<std::size_t> nodes;
  for (const std::string& part : split(given)) {
    const std::size_t dots = part.find("..");
    const std::optional<NodeId> first = parse_id(part.substr(0, dots));
    const std::optional<NodeId> last =
        dots == std::string::npos ? first : parse_id(part.substr(dots + 2));
    const bool fits = first && last && *first >= least_compared_nodes && *first <= *last &&
                      *last <= most_compared_nodes;
    if (!fits) {
      options.fail(Text::usage_not_nodes, {"--nodes", given, std::to_string(least_compared_nodes),
                                           std::to_string(most_compared_nodes)});
    }
    for (NodeId n = *first; n <= *last; ++n) nodes.insert(n);
  }
  return {nodes.begin(), nodes.end()};
}

std::vector<const Algorithm*> algorithms_of(const std::string& given, const Options& options) {
  std::vector<const Algorithm*> chosen;
  for (const std::string& name : split(given)) {
    const Algorithm* algorithm = find_algorithm(name);
    if (algorithm == nullptr) {
      options.fail(Text::usage_not_one_of, {"--algorithms", name, algorithm_names(", ")});
    }
    if (std::find(chosen.begin(), chosen.end(), algorithm) == chosen.end()) {
      chosen.push_back(algorithm);
    }
  }
  return chosen;
}

CompareOptions compare_options(const CompareCommand& command, const Options& options) {
  CompareOptions chosen;
  chosen.algorithms = algorithms_of(command.algorithms, options);
  chosen.nodes = nodes_of(command.nodes, options);
  for (std::size_t i = 0; i < election_case_count; ++i) {
    const bool wanted = command.election_case == all_cases || command.election_case == i;
    if (wanted) chosen.cases.push_back(static_cast<ElectionCase>(i));
  }
  chosen.noticing = static_cast<Noticing>(command.noticing);
  chosen.runs = command.runs;
  chosen.seed = command.seed;
  return chosen;
}

std::string as_page(const Comparison& comparison, Language language) {
  std::string page;
  for (const ComparedCase& compared : comparison.cases) {
    page += compare_table(compared, language) + '\n';
    for (const Quantity quantity : {Quantity::messages, Quantity::time}) {
      const std::string plot = compare_plot(compared, quantity, language);
      if (!plot.empty()) page += plot + '\n';
    }
  }
  return page + compare_notes(language);
}

}  // namespace

int run_compare(const Invocation& invocation) {
  const Language language = invocation.language;
  CompareCommand command;
  Options options(language);
  declare(options, command);
  options.parse(invocation.arguments);
  if (command.help) {
    write_to_stdout(options.page("bully compare", Text::help_compare_intro));
    return exit_ok;
  }
  const Comparison comparison = compare(compare_options(command, options));
  if (command.format == as_svg) {
    write_to_stdout(compare_svg(comparison, language));
  } else if (command.format == as_csv) {
    write_to_stdout(compare_csv(comparison));
  } else {
    write_to_stdout(as_page(comparison, language));
  }
  return comparison.is_right() ? exit_ok : exit_failed;
}

}  // namespace bully
