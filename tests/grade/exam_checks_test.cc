// exam_checks_test.cc: `bully grade` names what is wrong with a program, accuses no right one, and
// leaves nothing behind, whatever the program does. The programs are one, grade/student.py, with a
// fault or a style of its own.
#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/layout.h"
#include "fixture/graded.h"
#include "fixture/said.h"
#include "support/markup.h"
#include "support/pattern.h"
#include "support/skip.h"

using namespace bully;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

constexpr const char* student = "tests/grade/student.py";
// A fault, as the grader names it, and a check that shows it.
struct Fault {
  std::string name;
  std::string check;
  std::string variant = {};  // of the program, if it has another name
};

const std::vector<Fault> faults = {
    {"never-starts", "starts"},
    {"wrong-name", "starts"},
    {"too-many-processes", "starts"},
    {"orphan-monitor", "lets-go"},
    {"orphan-monitor", "lets-go", "orphan-pinger"},
    {"no-election", "notices"},
    {"waits-for-answer", "notices"},
    {"no-coordinator", "notices"},
    {"wrong-bytes", "notices"},
    {"wrong-bytes", "notices", "wrong-bytes-zero"},
    {"answerer-dies", "waits-again"},
    {"wrong-coordinator", "waits-again"},
    {"died", "waits-again"},
    {"false-suspicion", "patient"},
    {"election-storm", "waits-again", "short-second-wait"},
    {"any-death", "patient"},
    {"answers-higher", "patient"},
    {"answers-higher", "patient", "elects-for-higher"},
    {"untold", "notices", "tells-higher"},
    {"asks-some", "own-election", "asks-next"},
    {"short-read", "small-ids", "short-read-ten"},
    {"leak", "idle", "leaks-refused"},
    {"answers-nothing", "answers"},
    {"answers-nothing", "idle", "answers-twenty"},
    {"hasty", "answers"},
    {"wrong-from", "answers"},
    {"wrong-from", "notices", "wrong-from-receiver"},
    {"answers-on-same-connection", "answers"},
    {"no-election-when-asked", "own-election"},
    {"election-storm", "one-election"},
    {"deaf-in-election", "hears-while-electing", "late-answer"},
    {"deaf-in-election", "hears-while-electing", "deaf-while-waiting"},
    {"deaf-in-election", "hears-while-electing"},
    {"announcement-ignored", "hears-while-electing", "asks-on"},
    {"answerer-dies", "lower-coordinator", "answerer-dies-twice"},
    {"usurper-deposes", "lower-coordinator"},
    {"usurper-ends-election", "lower-coordinator"},
    {"usurper-accepted", "lower-coordinator"},
    {"announcement-ignored", "dead-coordinator"},
    {"untold", "agrees", "tells-one"},
    {"two-coordinators", "agrees"},
    {"hard-coded-cluster", "agrees"},
    {"hangs", "agrees"},
    {"false-suspicion", "killed", "never-quiet"},
    {"false-suspicion", "two-killed", "old-coordinator"},
    {"silent-returner", "highest-returns"},
    {"returner-ignored", "highest-returns"},
    {"does-not-come-back", "highest-returns"},
    {"lost-lamb", "lowest-returns"},
    {"deaf-at-start", "lowest-returns"},
    {"hung-coordinator-unseen", "stopped"},
    {"ids-not-compared", "small-ids"},
    {"untold", "small-ids", "list-once"},
    {"ids-compared-as-text", "small-ids"},
    {"ids-compared-as-text", "small-ids", "asks-by-text"},
    {"asks-the-pid", "small-ids"},
    {"busy-loop", "idle", "busy-coordinator"},
    {"busy-loop", "idle"},
    {"leak", "idle", "leaks-descriptors"},
    {"leak", "idle", "leaks-sent"},
    {"leak", "idle", "leaks-accepted"},
    {"leak", "idle", "leaks-empty"},
    {"killed-by-garbage", "idle", "dies-of-nothing"},
    {"asks-lower", "messages"},
    {"further-fields", "mixed"},
    {"leak", "idle", "leaks-children"},
    {"leak", "idle", "leaks-memory"},
    {"deaf-while-blocked", "silence"},
    {"killed-by-garbage", "garbage"},
    {"killed-by-garbage", "foreign-file", "foreign-file"},
    {"untold", "notices,dead-peer", "ends-at-the-dead"},
    {"killed-by-a-dead-peer", "dead-peer"},
    {"any-death", "lower-coordinator", "any-death-as-coordinator"},
    {"repeats-coordinator", "killed"},
    {"repeats-coordinator", "idle", "repeats-coordinator-slowly"},
    {"repeats-coordinator", "lower-coordinator", "repeats-coordinator-slowly"},
    {"asks-some", "one-election"},
    {"hasty", "answers", "answers-late-in-its-wait"},
    {"deaf-while-blocked", "silence", "blocked-by-half"},
    {"wrong-bytes", "messages", "wrong-bytes-ping"},
    {"wrong-from", "messages", "asks-itself"},
    {"stale-timer", "hears-while-electing"},
    {"stale-timer", "hears-while-electing", "stale-second-timer"},
    {"waits-for-answer", "hears-while-electing", "keeps-answer"},
    {"killed-by-garbage", "silence", "dies-of-silence"},
};

// The sockets in the standard directory under a name that is no number.
std::ptrdiff_t standard_sockets() {
  std::error_code ignored;
  const fs::directory_iterator entries(standard_directory, ignored);
  return std::count_if(begin(entries), end(entries), [](const fs::directory_entry& entry) {
    return entry.path().extension() == ".sock";
  });
}

// With a report to be read here.
Graded report(int status, const Words& options, const Words& program) {
  return grade(Place(), status, Words{"--format=json"} + options, program);
}

// An option for how long the grader waits: so long on an idle machine, and longer while a busy one
// takes long to start Python.
std::string waiting(const std::string& option, std::chrono::milliseconds on_idle) {
  const Place place;
  const Time begin = monotonic_now();
  REQUIRE(run(place, {"python3", "-c", "import os, select, signal, socket, threading"}).status ==
          0);
  const auto start = std::chrono::ceil<std::chrono::milliseconds>(monotonic_now() - begin);
  return option + '=' + std::to_string(std::max(on_idle, 20 * start).count()) + "ms";
}

Words faulty(const std::string& name) {
  return {"python3", student, "--fault=" + name};
}

// Where its wait for ANSWER is judged, this is long enough for a machine with many tests.
Words program_with(const Fault& fault) {
  const bool is_wait_judged = fault.name.starts_with("deaf-") || fault.name == "election-storm" ||
                              fault.name == "wrong-coordinator" || fault.name == "untold";
  return faulty(fault.variant.empty() ? fault.name : fault.variant) +
         Words{is_wait_judged ? "--times=4" : "--times=1"};
}

// Every line has the element that may stand there, with the attributes that readers of it require.
void check_junit(const std::string& text) {
  const std::string value = "=\"[^\"]*\"";
  const std::string number = "=\"[0-9]+\"";
  const std::string time = "=\"[0-9]+\\.[0-9]{3}\"";
  const std::string allowed =
      "<\\?xml version=\"1\\.0\" encoding=\"UTF-8\"\\?>|</?testsuites>| </testsuite>| *</testcase>"
      "| <testsuite name" +
      value + " tests" + number + " failures" + number + " errors" + number + " skipped" + number +
      " time" + time +
      ">"
      "|  <testcase name" +
      value + " classname" + value + " time" + time +
      ">(</testcase>)?"
      "|    <failure message" +
      value + " type" + value +
      ">[^<]*|[^<>]*</failure>|[^<>]+"
      "|    <skipped message" +
      value + "/>|    <error message" + value + " type" + value + "></error>";
  for (const std::string& line : lines_in(text)) {
    CAPTURE(line);
    CHECK(matches(line, allowed));
  }
}

// One fault for each check; in the long form, all.
std::vector<Fault> tried_faults() {
  std::vector<Fault> tried;
  for (const Fault& fault : faults) {
    const bool is_repeated = std::ranges::count(tried, fault.check, &Fault::check) > 0;
    if (!is_repeated || is_soak()) tried.push_back(fault);
  }
  return tried;
}

// Those of the zoo with this number modulo `shares`: so that tests run beside each other.
void check_zoo(std::size_t share, std::size_t shares) {
  if (lacks("python3")) return;
  const std::vector<Fault> tried = tried_faults();
  for (std::size_t i = share; i < tried.size(); i += shares) {
    const Fault& fault = tried[i];
    CAPTURE(fault.name);
    CAPTURE(fault.variant);
    const std::chrono::seconds start(fault.check == "starts" ? 2 : 20);
    const Graded graded = report(1,
                                 {waiting("--longest-wait", 3s), waiting("--start-timeout", start),
                                  "--checks=" + fault.check},
                                 program_with(fault));
    INFO(graded.output);
    CHECK(graded.diagnoses() == std::vector{fault.name});
  }
}

}  // namespace

TEST_CASE("grade: each fault has its name, and nothing else is said (first quarter)" *
          doctest::test_suite("long")) {
  check_zoo(0, 4);
}
TEST_CASE("grade: each fault has its name, and nothing else is said (second quarter)" *
          doctest::test_suite("long")) {
  check_zoo(1, 4);
}
TEST_CASE("grade: each fault has its name, and nothing else is said (third quarter)" *
          doctest::test_suite("long")) {
  check_zoo(2, 4);
}
TEST_CASE("grade: each fault has its name, and nothing else is said (fourth quarter)" *
          doctest::test_suite("long")) {
  check_zoo(3, 4);
}

TEST_CASE("grade: a right program passes everything, whatever its style" *
          doctest::test_suite("long")) {
  if (lacks("python3")) return;
  constexpr unsigned most_rounds = 20;  // of a minute for each style
  const unsigned rounds = std::min(from_environment("BULLY_SOAK_ROUNDS", 1), most_rounds);
  for (unsigned round = 0; round < rounds; ++round) {
    for (const char* style : {"", "heartbeats", "pings-all", "wordless", "two-writes", "slow",
                              "pool", "pauses", "late-start", "tells-itself", "soon-again"}) {
      const bool is_sampled = rounds == 1 && *style != '\0';
      if (is_sampled) continue;
      CAPTURE(std::string(style));
      const Graded graded =
          report(0, {}, {"python3", student, "--times=4", "--style=" + std::string(style)});
      INFO(graded.output);
      CHECK(graded.report["score"].text == "100");
      CHECK(graded.report["complete"].text == "true");
    }
  }
}

TEST_CASE("grade: an id that is cut is a wrong FROM, and no missing election") {
  if (lacks("python3")) return;
  const Graded graded = report(1, {"--with-id", "--checks=notices"}, faulty("wrong-from-cut"));
  CHECK(graded.diagnoses() == std::vector<std::string>{"wrong-from"});
}

TEST_CASE("grade: a process that answers late is not said to have heard no ANSWER") {
  if (lacks("python3")) return;
  const Graded graded = report(1, {"--checks=answers,lowest-returns"},
                               faulty("sleeps-before-answer") + Words{"--times=4"});
  INFO(graded.output);
  CHECK(graded.diagnoses() == std::vector<std::string>{"hasty"});
}

TEST_CASE("grade: a program that starts too late once, after it has started, is tried again") {
  if (lacks("python3")) return;
  const Place place;
  const std::string starts = (place.path() / "starts").string();
  const std::string late = "echo >>" + starts + "; [ $(wc -l <" + starts +
                           ") -ne 8 ] || sleep 5; exec python3 " + student + " \"$@\"";
  const Graded graded =
      grade(place, 0, {"--jobs=1", "--start-timeout=4s", "--checks=agrees", "--format=json"},
            {"sh", "-c", late, "sh"});
  CHECK(lines_in(contents(starts)).size() > 8);
  CHECK(graded.diagnoses().empty());
}

TEST_CASE("grade: the wait for COORDINATOR may be shorter than the one for ANSWER") {
  if (lacks("python3")) return;
  report(0, {"--checks=waits-again,one-election"},
         {"python3", student, "--style=soon-again", "--times=2"});
}

TEST_CASE("grade: a check that cannot be set up leaves the other results, and says why") {
  if (lacks("python3")) return;
  const Graded graded = report(2, {"--checks=notices"}, faulty("opens-directory"));
  const auto& checks = graded.report["checks"].elements;
  CHECK(checks.at(0)["status"].text == "passed");
  CHECK(checks.at(1)["status"].text == "inconclusive");
  CHECK(contains(checks.at(1)["seen"].text, "could not be set up"));
}

TEST_CASE("grade: an empty file of the user's stays in the directory") {
  if (lacks("python3")) return;
  const Place place;
  const fs::path directory = place.path() / "own";
  fs::create_directories(directory);
  const std::ofstream empty(directory / "notes.txt");
  const Result result = run(place, {"./bully", "grade", "--dir=" + directory.string(),
                                    "--checks=foreign-file", "--", "python3", student});
  CHECK(result.status == 0);
  CHECK(fs::exists(directory / "notes.txt"));
  CHECK(fs::file_size(directory / "notes.txt") == 0);
}

TEST_CASE("grade: the winner's late announcements do not count as a second victory") {
  if (lacks("python3")) return;
  report(0, {"--checks=stopped"}, {"python3", student, "--style=pauses-down", "--times=2"});
}

TEST_CASE("grade: a message of which it reads a part only is no missing election") {
  if (lacks("python3")) return;
  const Graded graded = report(1, {"--with-id", "--checks=notices"}, faulty("short-read"));
  CHECK(graded.diagnoses() == std::vector<std::string>{"short-read"});
}

TEST_CASE("grade: a fault that shows in one run of three is found by repeating") {
  if (lacks("python3")) return;
  const Graded graded =
      report(1, {"--seed=7", "--repeat=30", "--checks=last-left"}, faulty("race"));
  // Where chance spares two and three processes, and not five, it looks like a fixed number of
  // them.
  REQUIRE(graded.diagnoses().size() == 1);
  const std::string found = graded.diagnoses().front();
  CAPTURE(found);
  CHECK((found == "untold" || found == "hard-coded-cluster"));
  CHECK(graded.report["seed"].text == "7");
}

TEST_CASE("grade: a program is right in whichever order its threads handle two messages") {
  if (lacks("python3")) return;
  for (int round = 0; round < 3; ++round) {
    report(0, {"--checks=lower-coordinator,dead-coordinator"},
           {"python3", student, "--style=pool", "--times=2"});
  }
}

TEST_CASE("grade: a right program in C passes, with a process for each connection") {
  if (lacks("cc")) return;
  const Place place;
  const std::string program = place.path() / "forking";
  REQUIRE(run(place, {"cc", "-O1", "-o", program, "tests/grade/forking.c"}).status == 0);
  const Words sample = {"--checks=one-election,hears-while-electing,killed"};
  report(0, is_soak() ? Words() : sample, {program});
}

TEST_CASE("grade: our own program passes, with ids that are given and without" *
          doctest::test_suite("long")) {
  for (const Words& ids : {Words{}, Words{"--with-id"}}) {
    const Graded graded =
        report(0, Words{"--checks=answers,killed,lowest-returns"} + ids,
               {"./bully", "--quiet", "--ping-interval=100ms", "--answer-timeout=1s"});
    CHECK(graded.diagnoses().empty());
  }
}

TEST_CASE("grade: a program behind a shell is known by its name, and ended as a whole") {
  if (lacks("python3")) return;
  report(0, {"--checks=waits-again,lets-go"},
         {"bash", "-c", "sleep 1000 & python3 tests/grade/student.py; true"});
}

TEST_CASE("grade: of a hostile program nothing is left, and its report comes in time") {
  if (lacks_standard_directory()) return;
  const std::vector<std::string> programs = {
      "exit 3",
      "trap '' TERM HUP INT; sleep 1000",
      "yes",
      "(setsid sleep 1000 &) ; (setsid sh -c 'sleep 1000 & sleep 1000' &); sleep 1000",
      "kill -STOP $$",
      "i=0; while [ $i -lt 100 ]; do : >$BULLY_DIR/$i; i=$((i+1)); done; sleep 1000",
  };
  for (const std::string& program : programs) {
    CAPTURE(program);
    const Graded graded =
        report(1, {"--start-timeout=1s", "--checks=starts"}, {"sh", "-c", program});
    // Nor in the standard directory, where the last of these is tried as well.
    CHECK(!fs::exists(fs::path(standard_directory) / "99"));
    const std::string expected = program == "exit 3" ? "died" : "never-starts";
    CHECK(graded.diagnoses() == std::vector{expected});
  }
}

TEST_CASE("grade: each format says the same of one result") {
  if (lacks("python3")) return;
  const Place place;
  const Words options = {waiting("--longest-wait", 2s), "--checks=notices"};
  const auto in_format = [&](const std::string& format) {
    return grade(place, 1, options + Words{"--format=" + format}, faulty("wrong-bytes"));
  };
  const Graded text = in_format("text");
  const std::string trace = place.path() / "traces/notices.jsonl";
  check_says(text.output, {"✗ notices", "1. wrong-bytes", "./bully diagram " + trace});
  const Graded json = in_format("json");
  CHECK(json.diagnoses() == std::vector<std::string>{"wrong-bytes"});
  const std::string junit = in_format("junit").output;
  CHECK(markup_error(junit.substr(junit.find('\n') + 1)) == "");
  check_says(junit,
             {"tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\"", "type=\"wrong-bytes\""});
  check_junit(junit);
  const std::string html = in_format("html").output;
  CHECK(contains(html, "<iframe"));
  CHECK(markup_error(html.substr(html.find('\n') + 1)) == "");
  // The command that it names draws the election.
  check_said(run(place, {"./bully", "diagram", trace}), 0, {"ELECTION"});
}

TEST_CASE("grade: what is over is written down, though it is asked to end") {
  if (lacks("python3")) return;
  const Place place;
  const std::string report = place.path() / "report.json";
  Command command(place,
                  {"./bully", "grade", "--format=json", "--output=" + report,
                   "--traces=" + (place.path() / "traces").string(), "--", "python3", student});
  const auto has_one = [&] { return contains(contents(report), "\"passed\""); };
  REQUIRE(wait_until(has_one, until_graded));
  // A grader that is killed now leaves this one.
  const auto first = parse_json(contents(report));
  REQUIRE(first);
  CHECK((*first)["complete"].text == "false");
  CHECK((*first)["max"].text == "100");
  command.signal(SIGINT);
  REQUIRE(wait_until([&] { return command.has_ended(); }, until_graded));
  CHECK(command.exit_status() == 2);
  const auto json = parse_json(contents(report));
  REQUIRE(json);
  CHECK((*json)["complete"].text == "false");
  CHECK(command.left_no_process());
}

TEST_CASE("grade: a socket under another name is no wrong FROM, and the limit is named as given") {
  if (lacks("python3") || lacks_standard_directory()) return;
  const std::ptrdiff_t before = standard_sockets();
  const Graded graded = report(1, {"--start-timeout=1500ms", "--checks=starts"},
                               {"python3", student, "--fault=name-suffix"});
  CHECK(graded.diagnoses() == std::vector<std::string>{"never-starts"});
  check_says(graded.report["checks"].elements[0]["seen"].text, {"no such name within 1.5 s"});
  // It was tried in the standard directory as well, where its name, which is no number, is gone.
  CHECK(standard_sockets() == before);
}

TEST_CASE("grade: a coordinator that answers nothing compares its ids rightly") {
  if (lacks("python3")) return;
  const Graded graded = report(1, {waiting("--longest-wait", 3s), "--checks=small-ids"},
                               faulty("coordinator-answers-nothing"));
  CHECK(std::ranges::none_of(graded.diagnoses(), [](const std::string& one) {
    return one == "ids-not-compared" || one == "ids-compared-as-text";
  }));
}

TEST_CASE("grade: out of time is inconclusive, and no fault") {
  if (lacks("python3")) return;
  for (const std::string limit : {"100ms", "2s"}) {
    CAPTURE(limit);
    const Graded graded =
        report(2, {"--time-limit=" + limit, "--checks=killed"}, {"python3", student});
    CHECK(graded.diagnoses().empty());
  }
}

// Where a program has no name in its own directory, the standard one is tried, which there is once.
TEST_CASE("grade: several at a time say the same as one") {
  if (lacks_standard_directory()) return;
  const Place place;
  std::vector<std::unique_ptr<Command>> graders;
  for (int i = 0; i < 3; ++i) {
    graders.push_back(std::make_unique<Command>(
        place,
        Words{"./bully", "grade", "--format=json", "--start-timeout=300ms", "--checks=starts",
              "--traces=" + (place.path() / "traces").string(), "--", "sleep", "1000"}));
  }
  for (const auto& grader : graders) {
    REQUIRE(wait_until([&] { return grader->has_ended(); }, until_graded));
    CAPTURE(grader->output());
    CHECK(grader->exit_status() == 1);
    CHECK(contains(grader->output(), "\"diagnoses\":[\"never-starts\"]"));
    CHECK(grader->left_no_process());
  }
}

TEST_CASE("grade: a check brings all that it depends on, and is skipped if that fails") {
  if (lacks("python3")) return;
  const Graded graded =
      report(1, {waiting("--longest-wait", 2s), "--checks=lowest-returns"}, faulty("no-election"));
  Words told;
  for (const Json& check : graded.report["checks"].elements) {
    told.push_back(check["name"].text + ' ' + check["status"].text);
    if (check["name"].text == "patient") CHECK(check["seen"].text == "skipped: needs notices");
  }
  CHECK(told == Words{"starts passed", "notices failed", "waits-again skipped", "patient skipped",
                      "agrees skipped", "highest-returns skipped", "lowest-returns skipped"});
}

TEST_CASE("grade: the starting point has the points for starting and robustness, and no others") {
  if (lacks("python3")) return;
  const Graded graded =
      report(1, {waiting("--longest-wait", 2s)}, {"python3", "tests/grade/skeleton.py"});
  CHECK(graded.diagnoses() == std::vector<std::string>{"no-election"});
  Words passed;
  for (const Json& check : graded.report["checks"].elements) {
    if (check["status"].text == "passed") passed.push_back(check["name"].text);
  }
  CHECK(passed == Words{"starts", "lets-go", "silence", "garbage", "foreign-file", "dead-peer"});
}
