// grade_test.cc: the report on a program, for people.
#include "grade/findings.h"
#include "view/class_table.h"
#include "view/grade_report.h"

#include <doctest/doctest.h>

#include <string>

#include "fixture/said.h"

using namespace bully;

namespace {

// Of a program whose announcement does not arrive, as one check has found.
Grade untold() {
  CheckResult result = {.kind = {.name = "agrees", .points = 6}, .status = CheckStatus::failed};
  result.finding = fault("untold", 7, 4);
  return {.results = {result}};
}

}  // namespace

TEST_CASE("grade: people read a title beside the name of each fault and of its check") {
  const Grade grade = untold();
  check_says(check_line(grade.results.front(), Language::english, false),
             {" ✗ agrees ", "untold – an announcement that does not arrive\n"});
  check_says(grade_card(grade, Language::english, false),
             {"\n1. untold – an announcement that does not arrive\n"
              "   (agrees – 2, 3 and 5 processes agree on the highest)\n"});
  check_says(grade_card(grade, Language::portuguese, false),
             {"\n1. untold – anúncio que não chega\n"
              "   (agrees – 2, 3 e 5 processos concordam sobre o maior)\n"});
  check_says(grade_html(grade, Language::portuguese),
             {"<br/><strong>untold – anúncio que não chega</strong>",
              "<li><strong>untold – anúncio que não chega</strong> "
              "(agrees – 2, 3 e 5 processos concordam sobre o maior)"});
}

TEST_CASE("grade: scripts read the name of a fault alone") {
  const Grade grade = untold();
  check_says(grade_json(grade, Language::portuguese), {"\"diagnoses\":[\"untold\"]"});
  check_says(grade_junit(grade, Language::portuguese), {" type=\"untold\">"});
  CHECK(class_csv_row("ana", grade, {}, Language::portuguese, ';') == "\"ana\";0;0;untold\n");
  // A name that a spreadsheet would calculate.
  CHECK(class_csv_row("=1+1.py", grade, {}, Language::english, ',') ==
        "\"./=1+1.py\",0,0,untold\n");
}
