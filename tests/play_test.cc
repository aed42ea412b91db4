// A play as it is shown: explanations, log, frames, expectations; and real processes on the stage.
#include <doctest/doctest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "commands/play_printer.h"
#include "node/query.h"
#include "sim/lessons.h"
#include "sim/simulated_stage.h"
#include "stage/real_stage.h"
#include "support/played.h"
#include "support/process.h"
#include "support/scratch.h"

namespace bully {
namespace {

struct Shown {
  std::string text;
  Performance performance;
};

Shown shown(std::string_view script, Language language = Language::english, bool quiet = false) {
  Shown result;
  const Scenario scenario = parsed(script);
  PlayPrinter printer({.log = {language, false},
                       .quiet = quiet,
                       .file = "test",
                       .output = [&](std::string_view lines) { result.text += lines; }});
  SimulatedStage stage(scenario, &printer);
  printer.begin(scenario);
  result.performance = play(scenario, stage, printer);
  printer.end(result.performance);
  return result;
}

std::string words(const std::vector<Arrow>& arrows) {
  std::string text;
  for (const Arrow& arrow : arrows) {
    const auto type = arrow.type == MessageType::election ? "E"
                      : arrow.type == MessageType::answer ? "PE"
                                                          : "C";
    text += (text.empty() ? "" : " ") + std::string(type) + ":" + std::to_string(arrow.from) +
            (arrow.lost ? "x" : ">") + std::to_string(arrow.to);
  }
  return text;
}

// The arrows of every frame, as the printer draws them.
class Arrows : public Audience, public Sink {
 public:
  void record(const Record& record) override { book.record(record); }
  void on_frame(std::string_view label, const std::vector<Actor>&) override {
    text += std::string(label) + " " + words(book.take()) + "\n";
  }
  ArrowBook book;
  std::string text;
};

const std::string program = [] {
  const char* given = std::getenv("BULLY_BINARY");
  return std::string(given == nullptr ? "./bully" : given);
}();

class Ignore : public Sink {
 public:
  void record(const Record&) override {}
};

class Notes : public Audience {
 public:
  void on_broken(const ScenarioStep& step, std::string_view what) override {
    broken += step.text + ": " + std::string(what) + "\n";
  }
  std::string broken;
};

Performance played_for_real(const Scenario& scenario, Notes& notes, std::string* directory) {
  Ignore sink;
  RealStage stage(scenario, program, sink);
  if (directory != nullptr) *directory = stage.directory();
  return play(scenario, stage, notes);
}

}  // namespace

TEST_CASE("a play shows what a student sees") {
  const Shown play = shown(
      "title en: Two\ntitle pt: Dois\ndetector off\nen: One dies,\nen: and that is all.\n"
      "pt: Um morre.\nnodes 1 2\ncrash 2\nsuspect 1\nrun\nframe (end)\nexpect coordinator 1\n");
  CHECK(play.text ==
        "\nTwo\n═══\n\n"
        "┃ One dies, and that is all.\n\n"
        "  ▸ nodes 1 2\n"
        "      0.000s      1  +  joins as process 1 (PID 1)\n"
        "      0.000s      2  +  joins as process 2 (PID 2)\n"
        "  * all follow 2\n"
        "  ▸ crash 2\n"
        "      0.000s      2  ✗  crashed (SIGKILL)\n"
        "  ▸ suspect 1\n"
        "      0.000s      1  !  coordinator 2 is down\n"
        "      0.000s      1  *  candidate: holds an election\n"
        "      0.000s      1  →  ELECTION     to 2\n"
        "      0.000s      1  ×  ELECTION     to 2: nobody there any more\n"
        "      0.000s      1  *  COORDINATOR: 1 has won\n"
        "  ▸ run\n\n"
        "  ── (end) ─────────────────────────────────────────────────────────────────\n"
        "   1  coordinator     ●\n"
        "   2  down            ×\n\n"
        "   1 ──ELECTION──▶ 2 ×\n"
        "  ──────────────────────────────────────────────────────────────────────────\n\n"
        "  ✓ expect coordinator 1: holds\n\n"
        "  ✓ 1 kept, 0 broken\n");
}

TEST_CASE("a play speaks the language that was asked for, and the other one not at all") {
  const std::string script =
      "title en: Two\ntitle pt: Dois\nen: English words.\npt: Palavras.\nnodes 1 2\n"
      "expect coordinator 1\n";
  const Shown portuguese = shown(script, Language::portuguese, true);
  CHECK(portuguese.text ==
        "\nDois\n════\n\n┃ Palavras.\n\n"
        "  ✗ test:6: expect coordinator 1: 1 follows 2, 2 follows 2\n\n"
        "  ✗ 0 cumpridas, 1 descumpridas\n");
  CHECK(portuguese.performance.broken == 1);
  CHECK(shown(script).text.find("Palavras") == std::string::npos);
}

TEST_CASE("the log says why a message was lost") {
  const Shown play = shown("nodes 1..3\ncut 1 to 2\nloss 0%\nsuspect 1\nrun 0s\n");
  CHECK(play.text.find("×  ELECTION     to 2: the network does not carry it there\n") !=
        std::string::npos);
  const Shown lossy = shown("nodes 1..3\nloss 100%\nsuspect 1\nrun 0s\n");
  CHECK(lossy.text.find("×  ELECTION     to 2, 3: lost on its way\n") != std::string::npos);
}

TEST_CASE("the textbook's frames have the textbook's arrows [Tan95] figure 3-12") {
  const Scenario scenario = parsed(*find_lesson("tanenbaum"));
  Arrows arrows;
  SimulatedStage stage(scenario, &arrows);
  play(scenario, stage, arrows);
  CHECK(arrows.text ==
        "(a) E:4>5 E:4>6 E:4>7\n"
        "(b) PE:5>4 PE:6>4\n"
        "(c) E:5>6 E:5>7 E:6>7\n"
        "(d) PE:6>5\n"
        "(e) C:6>0 C:6>1 C:6>2 C:6>3 C:6>4 C:6>5\n");
}

TEST_CASE("a frame shows what the textbook writes beside each process") {
  const Shown play = shown(
      "algorithm ring\ndetector off\nnodes 9..11\nleave 11\nhold\nsuspect 9\ndeliver V\n"
      "frame x\n",
      Language::english, true);
  CHECK(play.text.find("d  9  e  –  f  –") != std::string::npos);
  CHECK(play.text.find("d 10  e  9  f  –") != std::string::npos);
}

TEST_CASE("a ring's lesson from real processes, counted where their order is the script's") {
  Notes notes;
  const Performance performance = played_for_real(parsed(*find_lesson("ring")), notes, nullptr);
  CHECK(notes.broken == "");
  CHECK(performance.kept >= 2);
}

TEST_CASE("real processes stand on a ring by id, and say so where a script has them otherwise") {
  const Scenario scenario = parsed(
      "algorithm ring\ndetector eof\nnodes 1..5\nleave 5\nring 2 3 4 1\nring 1 3 2 4\ncount\n"
      "suspect all\nrun\nexpect coordinator 4\nexpect messages all 24\n");
  Notes notes;
  const Performance performance = played_for_real(scenario, notes, nullptr);
  CHECK(notes.broken == "");
  CHECK(performance.kept == 1);
  CHECK(performance.passed_over == 2);
}

TEST_CASE("an election that nobody stopped is cut into the same frames") {
  class Records : public Sink {
   public:
    void record(const Record& record) override { all.push_back(record); }
    std::vector<Record> all;
  } records;
  const Scenario scenario =
      parsed("detector off\nnodes 0..7\ncrash 7\nsuspect 4\nrun\nexpect coordinator 6");
  SimulatedStage stage(scenario, &records);
  Audience nobody;
  play(scenario, stage, nobody);
  const auto rounds = rounds_of(records.all, {}, 5);
  REQUIRE(rounds.size() == 5);
  CHECK(words(rounds[0].arrows) == "E:4>5 E:4>6 E:4x7");
  CHECK(words(rounds[1].arrows) == "PE:5>4 PE:6>4");
  CHECK(words(rounds[2].arrows) == "E:5>6 E:5x7 E:6x7");
  CHECK(rounds[0].standings.at(4).state == "candidate");
  CHECK_FALSE(rounds[0].standings.at(4).coordinator);
  CHECK(rounds[1].standings.at(4).state == "waiting");
  CHECK(rounds[4].standings.at(6).state == "coordinator");
  CHECK(rounds[4].standings.at(0).coordinator == 6);
  CHECK(rounds_of(records.all, {}, 0).empty());
}

TEST_CASE("long words are broken between words, counted in characters") {
  CHECK(wrapped("á é í ó ú", 3) == std::vector<std::string>{"á é", "í ó", "ú"});
  CHECK(wrapped("", 10).empty());
}

TEST_CASE("real processes play a script, and leave nothing behind") {
  const Scenario scenario = parsed(
      "interval ping 50ms\nnodes 3 5 8\ncrash 8\nrun\nexpect coordinator 5\ncount\nrestart 8\n"
      "run\nexpect coordinator 8\nexpect messages COORDINATOR 2\npause 8\nrun\n"
      "expect coordinators 5 8\nresume 8\nhold\nrun\nexpect coordinator 8\n");
  Notes notes;
  std::string directory;
  const Performance performance = played_for_real(scenario, notes, &directory);
  CHECK(notes.broken == "");
  CHECK(performance.kept + performance.passed_over == 6);
  CHECK(performance.passed_over >= 1);
  CHECK_FALSE(std::filesystem::exists(directory));
}

TEST_CASE("real processes play a script also where $TMPDIR is too long for a socket") {
  const Scratch scratch;
  const std::string place = scratch.path() + '/' + std::string(80, 'x');
  std::filesystem::create_directory(place);
  const Finished play =
      run_to_end(scratch.path(), {.arguments = {"scenario", "best-case", "--real", "--quiet"},
                                  .in_child = [&] { setenv("TMPDIR", place.c_str(), 1); }});
  CHECK(play.outcome.exit_code == 0);
  CHECK(play.errors.empty());
  CHECK(std::filesystem::is_empty(place));
}

TEST_CASE("the textbook's figure from eight real processes") {
  Notes notes;
  const Performance performance =
      played_for_real(parsed(*find_lesson("tanenbaum")), notes, nullptr);
  CHECK(notes.broken == "");
  CHECK(performance.kept >= 2);
}

TEST_CASE("a step on a node that is not there ends a real play too") {
  Notes notes;
  played_for_real(parsed("interval ping 50ms\nnodes 1\ncrash 2\nexpect coordinator 1"), notes,
                  nullptr);
  CHECK(notes.broken == "crash 2: no node 2 ever started\n");
}

TEST_CASE("a node that ends before it can be stopped is not taken for a stopped one") {
  const Scenario scenario = parsed("interval ping 50ms\nnodes 1 2");
  Ignore sink;
  RealStage stage(scenario, program, sink);
  REQUIRE(!stage.perform(scenario.steps[0].deed));
  const auto peers = query_status(Directory(stage.directory() + "/nodes", false), patience);
  REQUIRE(peers.size() == 2);
  const auto pid = static_cast<pid_t>(peers[0].status.pid);
  REQUIRE(pid > 1);
  kill(pid, SIGKILL);
  siginfo_t info{};
  REQUIRE(waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) == 0);
  const auto problem = stage.perform(step::Pause{1});
  REQUIRE(problem);
  CHECK(contains(*problem, "ended by itself, by signal 9"));
  // Its PID may be another process's by now: what follows must not signal that.
  CHECK(!stage.perform(step::Crash{1}));
}

TEST_CASE("no process outlives a stage that is killed") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    close(ends[0]);
    const Scenario scenario = std::get<Scenario>(parse_scenario("test", "nodes 1..3"));
    Ignore sink;
    RealStage stage(scenario, program, sink);
    if (stage.perform(scenario.steps[0].deed)) _exit(1);
    const std::string line = stage.directory() + "\n";
    if (write(ends[1], line.data(), line.size()) < 0) _exit(1);
    while (true) pause();
  }
  close(ends[1]);
  std::string said;
  char byte = 0;
  while (read(ends[0], &byte, 1) == 1 && byte != '\n') said += byte;
  CHECK(std::filesystem::exists(said));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  // Every process that it started holds the other end: this one closes when the last is gone.
  pollfd entry{ends[0], POLLIN, 0};
  CHECK(poll(&entry, 1, 30'000) == 1);
  CHECK(read(ends[0], &byte, 1) == 0);
  CHECK_FALSE(std::filesystem::exists(said));
  close(ends[0]);
}

}  // namespace bully
