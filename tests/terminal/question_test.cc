// question_test.cc: answers to an expectation, in words and numbers.
#include "terminal/question.h"

#include <doctest/doctest.h>

#include <string>
#include <variant>

#include "sim/script.h"

using namespace bully;

namespace {

Step expectation(const std::string& words) {
  const auto read = parse_scenario("script", words);
  REQUIRE(std::holds_alternative<Scenario>(read));
  return std::get<Scenario>(read).steps.back();
}

const std::string ring = "algorithm dolev-klawe-rodeh\nnodes 1..4\n";

}  // namespace

TEST_CASE("The solution of a question is a right answer to it, in both languages") {
  for (const std::string& script : {std::string("nodes 1..4\nexpect messages E 6 PE 2\n"),
                                    std::string("nodes 1..4\nexpect messages all 8\n"),
                                    std::string("nodes 1..4\nexpect state waiting at 3\n"),
                                    std::string("nodes 1..4\nexpect coordinators 1 2 3\n"),
                                    ring + "expect d 4 e 3 f nothing at 1\n"}) {
    CAPTURE(script);
    const Step expected = expectation(script);
    for (const Language language : languages) {
      const std::string solution = solution_words(expected, language);
      CAPTURE(solution);
      CHECK(is_right(solution, expected, language) == true);
    }
  }
}

TEST_CASE("An answer without its accents is right as well") {
  const Step state =
      expectation("algorithm garcia-molina\nnodes 1..4\nexpect state election at 3\n");
  for (const char* const right : {"eleição", "eleicao", "ELEIÇAO", "election"}) {
    CAPTURE(right);
    CHECK(is_right(right, state, Language::portuguese) == true);
  }
  CHECK(is_right("reorganizacao", state, Language::portuguese) == false);
  const Step counts = expectation("nodes 1..4\nexpect messages E 6 PE 2\n");
  CHECK(is_right("eleicao 6, parar eleicao 2", counts, Language::portuguese) == true);
  CHECK(is_right("ELEIÇAO 5, parar eleicão 2", counts, Language::portuguese) == false);
}

TEST_CASE("Counts and variables are beside their names in any order, or alone in the question's") {
  const Step counts = expectation("nodes 1..4\nexpect messages E 6 PE 2\n");
  for (const char* const right : {"6 2", "parar eleição 2, eleição 6", "2 PE, 6 E"}) {
    CAPTURE(right);
    CHECK(is_right(right, counts, Language::portuguese) == true);
  }
  CHECK(is_right("2 6", counts, Language::portuguese) == false);
  for (const char* const none : {"6", "eleição 6 eleição 2", "parar 2 eleição 6", "6 2 eleição"}) {
    CAPTURE(none);
    CHECK(!is_right(none, counts, Language::portuguese));
  }
  const Step none = expectation("nodes 1..4\nexpect messages E 0\n");
  CHECK(is_right("nada", none, Language::portuguese) == true);
  const Step variables = expectation(ring + "expect d 4 e 3 f nothing at 1\n");
  for (const char* const right : {"4 3 –", "f=nada e=3 d=4", "d 4, f -, e 3"}) {
    CAPTURE(right);
    CHECK(is_right(right, variables, Language::portuguese) == true);
  }
  CHECK(is_right("e 4 d 3 f nada", variables, Language::portuguese) == false);
  CHECK(!is_right("4 3", variables, Language::portuguese));
}
