// html_test.cc: tests/html_test.sh, as one of these tests: so the guard over them ends its browser,
// and removes its directory, however the tests end. Run from the top level.
#include <doctest/doctest.h>

#include <filesystem>

#include "fixture/scripts.h"
#include "support/process.h"

using namespace bully;

TEST_CASE("a diagram's page plays itself in a browser, where there is one") {
  if (is_sanitized) return;  // it is the browser that runs
  for (const std::string run_name : {"election", "ring"}) {
    for (const std::string language : {"en", "pt-BR"}) {
      const Place place;
      const Result result = run(place, {"tests/html_test.sh", run_name, language});
      MESSAGE(result.output);
      CHECK(result.status == 0);
      CHECK(std::filesystem::is_empty(place.temporary()));
    }
  }
}
