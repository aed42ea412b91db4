// samples_test.cc: what the READMEs show of the program is what it prints (samples.sh).
#include <doctest/doctest.h>

#include <filesystem>

#include "fixture/scripts.h"
#include "support/process.h"
#include "support/skip.h"

using namespace bully;

namespace {

void check_samples(const Words& readmes) {
  const Place place;
  const std::string checked = output_of(place, Words{"tests/samples.sh", "--check"} + readmes);
  if (contains(checked, "skipped: no python3")) skip("no python3");
}

}  // namespace

TEST_CASE("samples: README.md shows what the program prints") {
  check_samples({"README.md"});
}

TEST_CASE("samples: README.pt-BR.md shows what the program prints") {
  check_samples({"README.pt-BR.md"});
}

TEST_CASE("samples: the READMEs of the rooms show what the program prints") {
  Words readmes;
  for (const auto& room : std::filesystem::directory_iterator("src")) {
    const std::filesystem::path readme = room.path() / "README.md";
    if (exists(readme)) readmes.push_back(readme);
  }
  CHECK(readmes.size() > 5);
  check_samples(readmes);
}
