// rules_faults_test.cc: what `bully verify` says of rules from outside that are wrong, slow, or not
// to be judged at all.
#include <doctest/doctest.h>
#include <signal.h>

#include <filesystem>
#include <string>

#include "fixture/rules.h"
#include "fixture/said.h"
#include "fixture/scripts.h"
#include "support/pattern.h"
#include "support/skip.h"

using namespace bully;

// The example in the help, if the highest wins.
static std::string highest_of(const std::string& lowest) {
  return with_replaced(lowest,
                       {{R"("prefers": "lowest")", R"("prefers": "highest")"},
                        {R"(peer < q["id"])", R"(peer > q["id"])"},
                        {R"(p in q["ids"] if p > q["id"])", R"(p in q["ids"] if p < q["id"])"},
                        {R"("ASK" and q["from"] > )", R"("ASK" and q["from"] < )"},
                        {R"("LOW" and q["from"] < )", R"("LOW" and q["from"] > )"}});
}

TEST_CASE("rules: a process may ask the coordinator that left before the run began") {
  if (lacks("python3")) return;
  const Place place;
  const std::string lowest = contents(example_in_help(place));
  for (const std::string& text : {lowest, highest_of(lowest)}) {
    const std::string asks = program_of(
        place, with_replaced(
                   text, {{"]  # asked", "] + ([q[\"peer\"]] if event == \"suspected\" else [])"},
                          {"def elect(q, do):", "def elect(q, do):\n    event = q[\"event\"]"}}));
    const Words search =
        with_rules(asks, {"verify", "--beginning=leaderless", "--crashes=1", "--restarts=0"});
    check_says(output_of(place, search), {"holds in every run"});
    CHECK(run(place, search + Words{"--format=html"}).status == 0);
  }
}

TEST_CASE("rules: a request to leave ends verify at once, however slow the answers are") {
  const Place place;
  const std::string diary = place.path() / "questions";
  const std::string slow = program_of(
      place, answering("echo asked >>'" + diary + "'; sleep 1.5; echo '{\"state\":\"member\"}'"));
  for (const int number : {SIGTERM, SIGINT}) {
    std::filesystem::remove(diary);
    Command verify(place, with_rules(slow, {"verify"}));
    CHECK(happens([&] { return std::filesystem::exists(diary); }));
    verify.signal_group(number);
    CHECK(verify.exit_status() == 2);
    check_says(verify.output(), {"unfinished: you ended the search"});
    CHECK(contents(diary) == "asked\n");
    CHECK(verify.left_no_process());
  }
}

TEST_CASE("rules: a program that closes its standard error costs no processor") {
  const Place place;
  const std::string quiet =
      program_of(place, "#!/bin/sh\nexec 2>&-\n" + answering("sleep 1.5; echo '{}'").substr(10));
  const double before = seconds_of_processor(RUSAGE_CHILDREN);
  CHECK(run(place, {binary_under_test(), "rules", "test", quiet}).status == 1);
  CHECK(seconds_of_processor(RUSAGE_CHILDREN) - before < 1);
}

TEST_CASE("rules: an endless counterexample shows how the cycle begins, and asks who is at fault") {
  if (lacks("python3")) return;
  const Place place;
  // It never says to its askers that it is coordinator.
  const std::string text = with_replaced(highest_of(contents(example_in_help(place))),
                                         {{R"("LOW" if state == "chief" else "YES")", R"("YES")"}});
  const Result search = run(place, with_rules(program_of(place, text), {"verify"}));
  check_said(
      search, 1,
      {"  and then, again and again:\n", "  asked     {\"event\":\"received\",\"type\":\"ASK\"",
       "\"state\":\"chief\",\"coordinator\":3"});
  // What the cycle's first step delivers was sent before it, and the steps before say so.
  check_says(search.output.substr(0, search.output.find("  and then, again")), {". 2 starts\n"});
}

TEST_CASE("rules: verify says that the detector has repaired what a silent winner omits") {
  if (lacks("python3")) return;
  const Place place;
  const std::string announces = R"(do += [{"send": "LOW", "to": p} for p in q["ids"])";
  const std::string program = program_of(
      place,
      with_replaced(contents(example_in_help(place)), {{announces, "[0 for p in q[\"ids\"]"}}));
  const std::string search = in_one_line(output_of(place, with_rules(program, {"verify"})));
  CAPTURE(search);
  CHECK(has_match(search, "Your election relied on the failure detector: in [2-9] of "));
  CHECK(!contains(run(place, {binary_under_test(), "verify"}).output, "relied on"));
}

TEST_CASE("rules: verify says that the detector has repaired what a process that is asked omits") {
  if (lacks("python3")) return;
  const Place place;
  const auto verified = [&](const std::string& text) {
    return in_one_line(output_of(place, with_rules(program_of(place, text), {"verify"})));
  };
  const std::string right = contents(example_in_help(place));
  CHECK(!contains(verified(right), "No process in the state"));
  // Who is asked leaves it to its own monitor to report the loss.
  check_says(
      verified(with_replaced(right, {{R"("ASK" and)", R"("ASK" and state == "chief" and)"}})),
      {"holds in every run", "in the state member ever did anything about a message ASK: "});
}
