// check_command_test.cc: `bully check` as a program calls it: its exit status says the verdict.
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "support/cluster.h"

using namespace bully;

namespace {

// A right run: 1 and 2 start, and 1 follows 2.
const std::string right_run =
    R"({"t":1000,"node":1,"pid":11,"event":"start"}
{"t":2000,"node":1,"pid":11,"event":"state","state":"coordinator"}
{"t":3000,"node":1,"pid":11,"event":"coordinator","coordinator":1}
{"t":4000,"node":2,"pid":12,"event":"start"}
{"t":5000,"node":2,"pid":12,"event":"state","state":"coordinator"}
{"t":6000,"node":2,"pid":12,"event":"coordinator","coordinator":2}
{"t":7000,"node":2,"pid":12,"event":"send","type":"C","from":2,"to":1,"seq":1}
{"t":8000,"node":1,"pid":11,"event":"receive","type":"C","from":2,"to":1,"seq":1}
{"t":9000,"node":1,"pid":11,"event":"state","state":"follower"}
{"t":10000,"node":1,"pid":11,"event":"coordinator","coordinator":2}
)";

struct Verdict {
  int status = -1;
  std::string output;
  std::string errors;
};

// What `bully check` says of such a trace.
Verdict verdict_on(const std::string& trace, const Arguments& options = {}) {
  const Scratch scratch;
  const std::string path = scratch.path() + "/trace";
  std::ofstream(path) << trace;
  Arguments arguments = {"check", path, "--lang=en"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const Finished finished = run_to_end(scratch.path(), {.arguments = arguments});
  return {finished.outcome.exit_code, finished.output, finished.errors};
}

}  // namespace

TEST_CASE("check exits with 0 for a right run") {
  const Verdict verdict = verdict_on(right_run);
  CAPTURE(verdict.output);
  CHECK(verdict.status == 0);
  CHECK(verdict.output.find("RIGHT ") == 0);
  CHECK(verdict.errors.empty());
  CHECK(verdict_on(right_run, {"--json"}).status == 0);
}

TEST_CASE("check exits with 1 for a run that breaks a property, and names it with its line") {
  // A receipt that nobody has sent.
  const Verdict verdict = verdict_on(
      right_run +
      R"({"t":11000,"node":1,"pid":11,"event":"receive","type":"C","from":2,"to":1,"seq":9})"
      "\n");
  CAPTURE(verdict.output);
  CHECK(verdict.status == 1);
  CHECK(verdict.output.find("VIOLATED ") == 0);
  CHECK(verdict.output.find("\u2717 sent ") != std::string::npos);
  CHECK(verdict.output.find("trace:11") != std::string::npos);
}

TEST_CASE("check exits with 2 where nothing can be told, and says why") {
  const std::string election_open =
      right_run + R"({"t":11000,"node":1,"pid":11,"event":"state","state":"candidate"})"
                  "\n";
  const Verdict open = verdict_on(election_open);
  CAPTURE(open.output);
  CHECK(open.status == 2);
  CHECK(open.output.find("CANNOT TELL ") == 0);

  const Verdict damaged = verdict_on("this is no trace\n" + right_run);
  CHECK(damaged.status == 2);
  CHECK(damaged.output.empty());
  CHECK(damaged.errors.find("trace:1: not a JSON object") != std::string::npos);
}

TEST_CASE("check of a real cluster's trace exits with 0") {
  Cluster cluster;
  const std::string trace = cluster.scratch("checked");
  cluster.start_range(1, 3, {"--trace=" + trace});
  REQUIRE(cluster.agrees_in_time());
  cluster.kill(3);
  REQUIRE(cluster.agrees_in_time());
  cluster.end_all();
  const Scratch scratch;
  const Finished finished =
      run_to_end(scratch.path(), {.arguments = {"check", trace, "--lang=en"}});
  CAPTURE(finished.output);
  CHECK(finished.outcome.exit_code == 0);
  CHECK(finished.output.find("RIGHT ") == 0);
}
