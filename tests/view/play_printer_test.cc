// A play as it is shown: explanations, log, frames, expectations; and real processes on the stage.
#include <doctest/doctest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/carried.h"
#include "fixture/played.h"
#include "fixture/session.h"
#include "history/figures.h"
#include "node/peer_process.h"
#include "pictures/diagram.h"
#include "pictures/diagram_steps.h"
#include "sim/player.h"
#include "sim/script.h"
#include "stage/real_backend.h"
#include "support/messages.h"
#include "support/process.h"
#include "support/scratch.h"
#include "support/sinks.h"
#include "view/errors.h"
#include "view/play_frames.h"
#include "view/play_printer.h"

namespace bully {
namespace {

struct Shown {
  std::string text;
  PlayResult result;
};

Shown shown(std::string_view script, Language language = Language::english, bool explain = false) {
  Shown result;
  const Scenario scenario = parsed(script);
  const PlayStyle style = {.log = {language, false, explain, true},
                           .output = [&](std::string_view lines) { result.text += lines; }};
  PlayPrinter printer(scenario, style);
  SimulatedBackend stage(scenario, &printer);
  printer.begin();
  result.result = play(scenario, stage, printer);
  printer.end(result.result);
  return result;
}

std::string words(const std::vector<Arrow>& arrows) {
  std::string text;
  for (const Arrow& arrow : arrows) {
    const std::string_view type = arrow.type == messages::election ? "E"
                                  : arrow.type == messages::answer ? "PE"
                                                                   : "C";
    text += (text.empty() ? "" : " ") + std::string(type) + ":" + std::to_string(arrow.from) +
            (arrow.event == TraceEvent::lost ? "x" : ">") + std::to_string(arrow.to);
  }
  return text;
}

// The arrows of every frame, as the printer draws them.
class Arrows : public Listener, public Sink {
 public:
  void record(const Record& record) override {
    history.take(record, records);
    book.record(record, records++, history);
  }
  void on_frame(const Texts& label, std::span<const Snapshot>, const MessageCounts&) override {
    text += text_for(label, Language::english) + " " + words(book.take()) + "\n";
  }
  History history{default_algorithm()};
  std::size_t records = 0;
  ArrowBook book;
  std::string text;
};

// Real processes for one script.
struct RealStage {
  explicit RealStage(const std::string& script, Sink& sink)
      : scenario(parsed(script)),
        backend(make_real_backend(scenario, cluster, binary_under_test(), sink)) {}
  // Checks that nothing is broken.
  void play_well() {
    Played played;
    play(scenario, *backend, played);
    CHECK(played.broken == "");
  }

  Scenario scenario;
  LocalCluster cluster{Guard::Ending::kill};
  std::unique_ptr<Backend> backend;
};

}  // namespace

TEST_CASE("a play shows what a student sees") {
  const Shown play = shown(
      "title en: Two\ntitle pt: Dois\ndetector off\nen: One dies,\nen: and that is all.\n"
      "pt: Um morre.\nnodes 1 2\ncrash 2\nsuspect 1\nrun\nframe (end)\nexpect coordinator 1\n");
  CHECK(play.text ==
        "\nTwo\n═══\n\n"
        "┃ One dies, and that is all.\n\n"
        "  ▸ nodes 1 2\n"
        "      0.000s      1  +  joins as process 1\n"
        "      0.000s      2  +  joins as process 2\n"
        "  * all follow 2\n"
        "  ▸ crash 2\n"
        "      0.000s      2  ✗  crashed (SIGKILL)\n"
        "  ▸ suspect 1\n"
        "      0.000s      1  !  coordinator 2 is down\n"
        "      0.000s      1  *  candidate: starts an election\n"
        "      0.000s      1  →  ELECTION     to 2\n"
        "      0.000s      1  ×  ELECTION     to 2: no such process any more\n"
        "      0.000s      1  *  COORDINATOR: 1 has won\n"
        "  ▸ run\n\n"
        "  ── (end) ─────────────────────────────────────────────────────────────────\n"
        "   1  coordinator   ●\n"
        "   2  down          ×\n\n"
        "   1 ──ELECTION──▶ 2 ×\n"
        "   messages: ELECTION 1: 1 (textbook 1)\n"
        "  ──────────────────────────────────────────────────────────────────────────\n\n"
        "  ✓ expect coordinator 1: holds\n\n"
        "  ✓ 1 kept, 0 broken\n");
}

TEST_CASE("a play speaks the language that was asked for, and the other one not at all") {
  const std::string script =
      "title en: Two\ntitle pt: Dois\nen: English words.\npt: Palavras.\nnodes 1 2\n"
      "expect coordinator 1\n";
  const Shown portuguese = shown(script, Language::portuguese);
  CHECK(portuguese.text ==
        "\nDois\n════\n\n┃ Palavras.\n\n  ▸ nodes 1 2\n"
        "      0,000s      1  +  entra como processo 1\n"
        "      0,000s      2  +  entra como processo 2\n"
        "  * todos seguem 2\n"
        "  ✗ test:6: expect coordinator 1: 1 segue 2, 2 segue 2\n\n"
        "  ✗ conferem: 0, não conferem: 1\n");
  CHECK(portuguese.result.broken == 1);
  CHECK(shown(script).text.find("Palavras") == std::string::npos);
}

TEST_CASE("Whatever a process is told to suspect, the log has words for it") {
  for (const char* const reason : {"down", "hung", "deposed"}) {
    for (const char* const who : {"1", "3"}) {  // a follower; the coordinator, and so itself
      const Shown play =
          shown("nodes 1..3\nsuspect " + std::string(who) + ' ' + reason + "\nrun\n");
      CAPTURE(play.text);
      CHECK_FALSE(contains(play.text, "log_"));
    }
  }
}

TEST_CASE("with --explain each rule stands below its event, once however many peers it is about") {
  const std::string play =
      shown("detector off\nnodes 1..3\ncrash 2\ncrash 3\nsuspect 1\n", Language::english, true)
          .text;
  const std::size_t begin = play.find("  ▸ suspect 1\n");
  REQUIRE(begin != std::string::npos);
  CHECK(play.substr(begin, play.find("\n\n") + 1 - begin) ==
        "  ▸ suspect 1\n"
        "      0.000s      1  !  coordinator 3 is down\n"
        "                  1  §  A process that notices that the coordinator is gone\n"
        "                        starts an election. [Tan95, CDK]\n"
        "                  1  §  It sends ELECTION to every process with a higher id.\n"
        "                        [Tan95, WP 1]\n"
        "      0.000s      1  *  candidate: starts an election\n"
        "      0.000s      1  …  waits at most 500 ms for an ANSWER\n"
        "      0.000s      1  →  ELECTION     to 2, 3\n"
        "      0.000s      1  ×  ELECTION     to 2, 3: no such process any more\n"
        "                  1  §  No process is behind that address any longer, so it\n"
        "                        does not wait for a reply. [deviation 1]\n"
        "                  1  §  It becomes coordinator and announces it with\n"
        "                        COORDINATOR to every lower process.\n"
        "                        [Tan95, WP 1, WP 2]\n"
        "      0.000s      1  *  COORDINATOR: 1 has won\n");
}

TEST_CASE("a play says why a message was lost, what was suspected, and by which rules") {
  check_session("tests/view/play.session");
}

TEST_CASE("the textbook's frames have the textbook's arrows [Tan95] figure 3-12") {
  const Scenario scenario = parsed(*find_carried(lessons(), "tanenbaum"));
  Arrows arrows;
  SimulatedBackend stage(scenario, &arrows);
  play(scenario, stage, arrows);
  CHECK(arrows.text ==
        "(a) E:4>5 E:4>6 E:4>7\n"
        "(b) PE:5>4 PE:6>4\n"
        "(c) E:5>6 E:5>7 E:6>7\n"
        "(d) PE:6>5\n"
        "(e) C:6>0 C:6>1 C:6>2 C:6>3 C:6>4 C:6>5\n");
}

TEST_CASE("long words are broken between words, counted in characters") {
  CHECK(wrapped("á é í ó ú", 3) == std::vector<std::string>{"á é", "í ó", "ú"});
  CHECK(wrapped("", 10).empty());
  // The spaces of a table stay, colours take no room, and what has no space is not broken.
  CHECK(folded("1  ←  two words\n", 11) == "1  ←  two\n      words\n");
  CHECK(folded("1  ←  two\n2\n", 11) == "1  ←  two\n2\n");
  CHECK(folded("\033[32maaa  bb\033[0m\n", 7) == "\033[32maaa  bb\033[0m\n");
  CHECK(folded("\033[32maaa  bbb\033[0m\n", 7) == "\033[32maaa\n      bbb\033[0m\n");
  CHECK(folded("  abcdefghijklm no\n", 12) == "  abcdefghij\n      klm no\n");
  CHECK(folded("4 ← [1,2,3000] to 5\n", 12) == "4 ←\n      [1,2,\n      3000]\n      to 5\n");
  CHECK(folded("  abcdefghij kl\n", 5) == "  abcdefghij kl\n");  // no room for an indent
}

TEST_CASE("the end of a line that is too wide goes before the next one, in the same sentence") {
  const std::string wide = repeated("word ", 16) + "end";
  CHECK(rewrapped(wide + ",\nand more.\n") ==
        repeated("word ", 14) + "word\nword end, and more.\n");
  CHECK(rewrapped(wide + ".\nAnother one.\n") ==
        repeated("word ", 14) + "word\nword end.\nAnother one.\n");
  CHECK(rewrapped(wide + "\n  a command\n\nnarrow\nlines\n") ==
        repeated("word ", 14) + "word\nword end\n  a command\n\nnarrow\nlines\n");
}

TEST_CASE("a node that ends before it can be stopped is not taken for a stopped one") {
  Unread sink;
  const RealStage stage("interval ping 50ms\nnodes 1 2", sink);
  REQUIRE(!stage.backend->perform(stage.scenario.steps[0]));
  const auto peers =
      query_status(Directory(stage.cluster.private_directory() + "/nodes", false), patience);
  REQUIRE(peers.size() == 2);
  const auto pid = static_cast<pid_t>(peers[0].pid);
  REQUIRE(pid > 1);
  kill(pid, SIGKILL);
  siginfo_t info{};
  REQUIRE(waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) == 0);
  const auto problem = stage.backend->perform({.verb = Verb::pause, .ids = {1}});
  REQUIRE(problem);
  CHECK(words_of(*problem, Language::english) == "node 1 was ended by signal 9");
  // Its PID may be another process's by now: what follows must not signal that.
  CHECK(!stage.backend->perform({.verb = Verb::crash, .ids = {1}}));
}

TEST_CASE("a real process that is stopped already is not waited for, and can be killed") {
  LocalCluster cluster(Guard::Ending::kill);
  const pid_t pid = cluster.start({"sleep", "300"});
  CHECK(cluster.stop(pid));
  CHECK(cluster.stop(pid));
  kill(pid, SIGCONT);
  CHECK(cluster.stop(pid));
  CHECK(cluster.kill(pid));
  CHECK(cluster.status_of(pid) == 128 + SIGKILL);
  CHECK(!cluster.stop(pid));
  CHECK(!cluster.kill(pid));
}

TEST_CASE("a real process that is killed has a crash in the trace, after all that it did itself") {
  std::vector<Record> kept;
  EachRecord sink([&](const Record& record) {
    // A monitor may outlive its node by a ping.
    if (record.node == 2 && !is_about_ping(record)) kept.push_back(record);
  });
  RealStage("interval ping 50ms\nnodes 1..3\ncrash 2\nrun\npause 3\ncrash 3\nrun", sink)
      .play_well();
  REQUIRE(kept.size() > 1);
  const Record& crash = kept.back();
  CHECK(crash.event == TraceEvent::crash);
  const Record& before = kept[kept.size() - 2];
  CHECK(before.event != TraceEvent::crash);
  CHECK(crash.pid == before.pid);
  CHECK(crash.t_ns > before.t_ns);
}

TEST_CASE("a message of real processes is lost once, and all that count messages count the same") {
  const Scratch scratch;
  std::size_t number = 0;
  for (const char* settings :
       {"seed 1", "seed 4\nalgorithm garcia-molina", "seed 5\nalgorithm dolev-klawe-rodeh",
        "seed 2", "seed 3", "seed 6\nalgorithm chang-roberts"}) {
    if (number++ > 2 && !is_soak()) break;
    CAPTURE(std::string(settings));
    const std::string script = scratch.path() + "/script";
    const std::string file = scratch.path() + "/trace";
    std::filesystem::remove(file);
    std::ofstream(script) << settings
                          << "\nnodes 1..6\ncrash 6\nloss 50%\ncrash 5\nsuspect all\nrun 2s\n"
                             "loss 0%\nrun\nexpect coordinator 4\n";
    const Finished played =
        run_bully({"scenario", script, "--real", "--lang=en", "--trace=" + file});
    CAPTURE(played.output);
    CHECK(played.outcome.exit_code == 0);
    const Trace trace = read_traces({file});
    History history(algorithm_of(trace));
    for (std::size_t i = 0; i < trace.records.size(); ++i) {
      const Record& record = trace.records[i];
      history.take(record, i);
      const bool arrives = record.event == TraceEvent::receive || record.event == TraceEvent::lost;
      if (arrives) CHECK(history.arrived());
    }
    // A ring's figures leave out the messages that find nobody; the picture has them.
    const bool leaves_out = !algorithm_of(trace).counts_lost;
    std::uint64_t counted = 0;
    for (const Election& election : history.elections().all()) {
      counted += election_total(election.sent) + (leaves_out ? election.refused : 0);
    }
    CHECK(counted > 20);
    CHECK(make_diagram(trace, {0, trace.records.size()}, false).messages.size() == counted);
  }
}

TEST_CASE("no process outlives a stage that is killed") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  Child child([&] {
    close(ends[0]);
    Unread sink;
    const RealStage stage("nodes 1..3", sink);
    if (stage.backend->perform(stage.scenario.steps[0])) _exit(1);
    const std::string line = stage.cluster.private_directory() + "\n";
    if (write(ends[1], line.data(), line.size()) < 0) _exit(1);
    while (true) pause();
  });
  close(ends[1]);
  std::string said;
  char byte = 0;
  while (read(ends[0], &byte, 1) == 1 && byte != '\n') said += byte;
  CHECK(std::filesystem::exists(said));
  child.kill();
  // Every process that it started holds the other end: this one closes when the last is gone.
  pollfd entry{ends[0], POLLIN, 0};
  CHECK(poll(&entry, 1, 30'000) == 1);
  CHECK(read(ends[0], &byte, 1) == 0);
  CHECK_FALSE(std::filesystem::exists(said));
  close(ends[0]);
}

}  // namespace bully
