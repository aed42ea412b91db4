// compare.cc: `bully compare`, the same elections with each algorithm, side by side.
#include "sim/experiments.h"

#include <set>

#include "base/text.h"
#include "commands/commands.h"
#include "pictures/compare.h"
#include "terminal/output.h"

namespace bully {

namespace {

enum class ReportFormat : std::uint8_t { text, svg, csv };
constexpr std::uint64_t max_runs = 65'536;  // each draws other numbers

std::string as_page(const Comparison& comparison, Language language) {
  std::string page;
  for (const ComparedCase& compared : comparison.cases) {
    page += compare_table(compared, language) + '\n';
  }
  for (const std::string& note : compare_notes(comparison, language)) page += beside("", note);
  return page;
}

struct CompareCommand : Subcommand {
  using enum ElectionCase;
  using enum Noticing;

  void declare(Options& options) override {
    options.group(Text::help_compared);
    options.value("--nodes", "N..M", nodes, Text::option_compare_nodes);
    options.algorithms(compared.algorithms);
    options.choice("--case", {"best", "worst", "random", "all"}, chosen, Text::option_case);
    options.choice("--fault", {"case", "highest", "lowest", "all"}, fault, Text::option_fault);
    options.number("--runs", compared.runs, 1, max_runs, Text::option_runs);
    options.number("--seed", compared.seed, 0, UINT64_MAX, Text::option_compare_seed);
    options.group(Text::help_output_options);
    options.choice("--format", {"text", "svg", "csv"}, format, Text::option_format);
    options.for_files({{"svg", "picture.svg"}});
    options.language();
    const auto is_random = [this] { return chosen >= 2; };
    options.needs({"--case=random", is_random}, {"--runs", "--seed"});
  }

  int run() override {
    compared.nodes = nodes_of(nodes);
    compared.noticing = noticing.at(fault);
    compared.cases = cases.at(chosen);
    const Comparison comparison = compare(compared);
    write_to_stdout(format == ReportFormat::svg   ? compare_svg(comparison, language())
                    : format == ReportFormat::csv ? compare_csv(comparison)
                                                  : as_page(comparison, language()));
    return comparison.is_right ? exit_ok : exit_failed;
  }

  // Numbers and ranges, such as "2..8,16,32": sorted, each once.
  std::vector<std::size_t> nodes_of(const std::string& given) const {
    std::set<std::size_t> numbers;
    for (const std::string& part : split(given)) {
      const std::size_t dots = part.find("..");
      const std::optional<std::uint64_t> first = parse_number(part.substr(0, dots));
      const std::optional<std::uint64_t> last =
          dots == std::string::npos ? first : parse_number(part.substr(dots + 2));
      const bool fits = first && last && *first >= min_compared_nodes && *first <= *last &&
                        *last <= max_compared_nodes;
      if (!fits) {
        fail(Text::usage_not_nodes, {"--nodes", given, min_compared_nodes, max_compared_nodes});
      }
      for (std::uint64_t n = *first; n <= *last; ++n) numbers.insert(n);
    }
    return {numbers.begin(), numbers.end()};
  }

  CompareOptions compared;
  std::string nodes = "2..64";
  // The choices, in the order of the option's words.
  const std::vector<std::vector<ElectionCase>> cases = {
      {best}, {worst}, {random}, {best, worst, random}};
  const std::vector<std::optional<Noticing>> noticing = {{}, highest, lowest, all};
  std::size_t chosen = 1;
  std::size_t fault = 0;
  ReportFormat format = ReportFormat::text;
};

}  // namespace

const CommandKind compare_command = {.name = "compare",
                                     .summary = Text::command_compare,
                                     .intro = Text::help_compare_intro,
                                     .make = make_command<CompareCommand>,
                                     .judges = true};

}  // namespace bully
