// redirect_terminal_test.cc: pages and pictures for other programs are not poured on a terminal.
#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "support/pseudo_terminal.h"

using namespace bully;

TEST_CASE("A page or picture on a terminal is refused, with the redirection that was meant") {
  const std::string run = "tests/golden/election.jsonl";
  for (const auto& [language, said] :
       {std::pair("en", "is not for a terminal: redirect it: > "),
        std::pair("pt-BR", "não é para um terminal: redirecione: > ")}) {
    for (const auto& [format, file] :
         {std::pair("html", "page.html"), std::pair("svg", "picture.svg")}) {
      const std::string option = std::string("--format=") + format;
      CAPTURE(option);
      const Arguments words = {"diagram", run, option, std::string("--lang=") + language};
      PseudoTerminal terminal(words, 24, 100);
      CHECK(terminal.shows(option + ' ' + said + file));
      CHECK(terminal.end().exit_code == 2);
      CHECK(!contains(terminal.text(), "<svg"));
    }
  }
}
