// class_table.h: the grades of a class, a line for each program, for a spreadsheet.
#pragma once

#include <span>
#include <string>

#include "values/grade.h"
#include "words/words.h"

namespace bully {

// A line for each program: its points by check, and its diagnoses. `separator` is between the
// cells. The grade has a result for each of `checks`, unless there is an obstacle.
std::string class_csv_head(std::span<const CheckKind> checks, char separator);
std::string class_csv_row(const std::string& name, const Grade& grade,
                          std::span<const CheckKind> checks, Language language, char separator);

}  // namespace bully
