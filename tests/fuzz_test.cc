// fuzz_test.cc: the inputs that fuzzers have found worth keeping, and what they have found wrong.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "fuzz/targets.h"
#include "node/status_reply.h"
#include "support/process.h"
#include "values/status.h"

namespace bully {
namespace {

std::vector<std::filesystem::path> corpus_of(std::string_view target) {
  std::vector<std::filesystem::path> files;
  for (const auto& file :
       std::filesystem::directory_iterator(std::filesystem::path("tests/corpus") / target)) {
    files.push_back(file.path());
  }
  std::ranges::sort(files);
  return files;
}

TEST_CASE("what fuzzers have kept is read or refused, and every election ends") {
  for (const fuzz::Target& target : fuzz::targets) {
    const auto files = corpus_of(target.name);
    CHECK_MESSAGE(files.size() >= 10, target.name);
    for (const auto& file : files) {
      CAPTURE(file.string());
      CHECK_NOTHROW(target.run(contents(file)));
    }
  }
}

TEST_CASE("whatever happens to processes, each keeps its duties, and all soon follow the highest") {
  std::minstd_rand chance(7);
  for (std::uint64_t run = 0; run < tried(2000); ++run) {
    CAPTURE(run);
    std::string bytes(1 + chance() % 400, '\0');
    for (char& byte : bytes) byte = static_cast<char>(chance());
    CHECK_NOTHROW(fuzz::fuzz_elections(bytes));
  }
}

TEST_CASE("a status with a PID or a time that there cannot be is refused, or that is unknown") {
  const std::string known = R"({"id":7,"algorithm":"bully",)";
  // As a pid_t, 4294967295 would be -1, which to kill(2) means all processes.
  for (const char* pid : {"0", "-1", "4294967295", "2147483648", "18446744073709551615"}) {
    CHECK_MESSAGE(!decode_status(known + R"("pid":)" + std::string(pid) + '}'), pid);
  }
  CHECK(decode_status(known + R"("pid":8,"monitor_pid":4294967295})")->monitor_pid == 0);
  const auto status = decode_status(known + R"("pid":8,"monitor_pid":-9,"uptime_ms":-1})");
  REQUIRE(status);
  CHECK(status->monitor_pid == 0);
  CHECK(status->uptime_ms == 0);
}

}  // namespace
}  // namespace bully
