// class_table.cc: the grades of a class in a table of comma-separated values.
#include "view/class_table.h"

#include <array>

#include "base/text.h"
#include "view/grade_report.h"

namespace bully {

std::string class_csv_head(std::span<const CheckKind> checks, char separator) {
  const std::string between(1, separator);
  return joined(std::array{"program", "score", "max"}, between) + between +
         joined(checks, between, &CheckKind::name) + between + "diagnoses\n";
}

std::string class_csv_row(const std::string& name, const Grade& grade,
                          std::span<const CheckKind> checks, Language language, char separator) {
  const auto in_csv = [](const std::string& outside) {
    return '"' + replaced(harmless(outside), "\"", "\"\"") + '"';
  };
  unsigned most = 0;
  std::string points;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    most += checks[i].points;
    points += separator;
    if (grade.obstacle) continue;
    const CheckResult& result = grade.results.at(i);
    // An inconclusive check earns neither nothing nor all points.
    if (result.status != CheckStatus::inconclusive) points += std::to_string(result.points());
  }
  // The same file; otherwise a spreadsheet would take such a name for a formula, and calculate it.
  const bool is_formula = name.find_first_of("=+-@") == 0;
  const std::string score = grade.obstacle ? "" : std::to_string(grade.points());
  std::string why =
      grade.obstacle ? in_csv(obstacle_words(grade, language)) : joined(grade.diagnoses(), " ");
  if (!grade.is_complete) why += why.empty() ? "incomplete" : " incomplete";
  return in_csv((is_formula ? "./" : "") + name) + separator + score + separator +
         std::to_string(most) + points + separator + why + '\n';
}

}  // namespace bully
