// main.cc: runs the tests, and ends with one line: how many passed, failed and were skipped, and
// for which reasons.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <signal.h>

#include <cstdio>
#include <set>
#include <string>

#include "node/system.h"
#include "support/scratch.h"
#include "support/skip.h"

namespace {

unsigned begun = 0;
unsigned failed = 0;
unsigned skipped = 0;
std::set<std::string> reasons;

struct Counter : doctest::IReporter {
  explicit Counter(const doctest::ContextOptions&) {}
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats& run) override { failed = run.numTestCasesFailed; }
  void test_case_start(const doctest::TestCaseData&) override { ++begun; }
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats& test) override {
    const std::string reason = bully::take_skip_reason();
    if (reason.empty() || test.failure_flags != 0) return;
    ++skipped;
    reasons.insert(reason);
  }
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};
REGISTER_LISTENER("counter", 1, Counter);

// A signal that a stage has read instead of us was meant for us.
REGISTER_EXCEPTION_TRANSLATOR(const bully::Interrupted& interrupted) {
  signal(interrupted.signal, SIG_DFL);
  raise(interrupted.signal);
  return "interrupted";
}

}  // namespace

int main(int argc, char** argv) {
  bully::guard_this_program();
  doctest::Context context(argc, argv);
  const int status = context.run();
  if (context.shouldExit()) return status;  // --help, --list-test-cases and the like
  std::printf("%u passed, %u failed", begun - failed - skipped, failed);
  if (skipped > 0) std::printf(", %u skipped", skipped);
  const char* mark = ": ";
  for (const std::string& reason : reasons) {
    std::printf("%s%s", mark, reason.c_str());
    mark = "; ";
  }
  std::printf("\n");
  // A run that tests nothing proves nothing.
  return begun == 0 ? 1 : status;
}
