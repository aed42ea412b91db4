// compare.cc: `bully compare`, the same elections with each algorithm, side by side.
#include "sim/experiments.h"

#include <set>

#include "commands/commands.h"
#include "commands/terminal.h"
#include "view/compare.h"

namespace bully {

namespace {

enum class ReportFormat : std::uint8_t { text, svg, csv };
constexpr std::uint64_t most_runs = 100'000;

// Numbers and ranges, such as "2..8,16,32": sorted, each once.
std::vector<std::size_t> nodes_of(const std::string& given, const Invocation& invocation) {
  std::set<std::size_t> nodes;
  for (const std::string& part : split(given)) {
    const std::size_t dots = part.find("..");
    const std::optional<NodeId> first = parse_id(part.substr(0, dots));
    const std::optional<NodeId> last =
        dots == std::string::npos ? first : parse_id(part.substr(dots + 2));
    const bool fits = first && last && *first >= least_compared_nodes && *first <= *last &&
                      *last <= most_compared_nodes;
    if (!fits) {
      invocation.fail(Text::usage_not_nodes,
                      {"--nodes", given, least_compared_nodes, most_compared_nodes});
    }
    for (NodeId n = *first; n <= *last; ++n) nodes.insert(n);
  }
  return {nodes.begin(), nodes.end()};
}

// In each trial, of each algorithm.
constexpr std::uint64_t tries = 200;

std::string as_page(const Comparison& comparison, const CompareOptions& options,
                    Language language) {
  std::string page;
  for (const ComparedCase& compared : comparison.cases) {
    page += compare_table(compared, language) + '\n';
    for (const Quantity quantity : {&ComparedPoint::messages, &ComparedPoint::time}) {
      const std::string plot = compare_plot(compared, quantity, language);
      if (!plot.empty()) page += plot + '\n';
    }
  }
  page += compare_notes(language) + '\n';
  return page + survival_table(try_out(options.algorithms, tries, options.seed), language);
}

}  // namespace

int run_compare(Options& options) {
  CompareOptions compared;
  std::string nodes = "2..64";
  auto chosen = static_cast<std::size_t>(ElectionCase::worst);  // or, for all, what follows them
  auto format = ReportFormat::text;
  options.group(Text::help_compared);
  options.value("--nodes", "N..M", nodes, Text::option_compare_nodes);
  options.algorithms(compared.algorithms);
  options.choice("--case", {"best", "worst", "random", "all"}, chosen, Text::option_case);
  options.choice("--fault", {"case", "highest", "lowest", "all"}, compared.noticing,
                 Text::option_fault);
  options.number("--runs", compared.runs, 1, most_runs, Text::option_runs);
  options.number("--seed", compared.seed, 0, UINT64_MAX, Text::option_compare_seed);
  options.group(Text::help_output_options);
  options.choice("--format", {"text", "svg", "csv"}, format, Text::option_format);
  options.language();
  const Invocation& invocation = options.read();

  compared.nodes = nodes_of(nodes, invocation);
  for (std::size_t i = 0; i < election_case_names.size(); ++i) {
    const bool is_wanted = chosen == i || chosen == election_case_names.size();
    if (is_wanted) compared.cases.push_back(static_cast<ElectionCase>(i));
  }
  const Comparison comparison = compare(compared);
  write_to_stdout(format == ReportFormat::svg ? compare_svg(comparison, invocation.language)
                  : format == ReportFormat::csv
                      ? compare_csv(comparison)
                      : as_page(comparison, compared, invocation.language));
  return comparison.is_right ? exit_ok : exit_failed;
}

}  // namespace bully
