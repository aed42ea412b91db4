// verify_test.cc: `bully verify` as a user runs it: what it says of a long search, and its limits.
#include <doctest/doctest.h>

#include <string>

#include "base/layout.h"
#include "explorer/explorer.h"
#include "fixture/said.h"
#include "support/pattern.h"
#include "support/process.h"
#include "support/pseudo_terminal.h"
#include "support/scratch.h"
#include "view/exploration_report.h"

using namespace bully;

TEST_CASE("verify ends where its memory is used up, and says so") {
  const auto verify = [](const Arguments& options) {
    return run_bully(Arguments{"verify", "--brief"} + options);
  };
  const Finished four = verify({"--nodes=4", "--max-memory=10"});
  CHECK(four.outcome.exit_code == 2);
  CHECK(four.errors == "");
  CHECK(contains(four.output, "the bound --max-memory was reached; so far nothing is violated"));
  const Finished three = verify({"--max-memory=10"});
  CHECK(three.outcome.exit_code == 0);
  check_refused({"verify", "--brief", "--max-memory=0"}, 2, {"--max-memory"});
}

namespace {

// A report with each sentence in one line again.
std::string unwrapped(const std::string& report) {
  const std::string rest = "\\n( {16}(?! )|  (?!step |passo )(?=[^ 0-9\\n][^ \\n]*( [^ ]|\\n)))";
  return with_matches_replaced(report, rest, " ");
}

struct Verified {
  int status = 0;
  std::string verdict;     // without its label
  std::string conclusion;  // what stands below the counterexample's steps
  std::string title;       // of its script, in English
};

Verified verified(const Scratch& scratch, const Arguments& options) {
  const std::string script = scratch.path() + "/script";
  const Finished run = run_bully(Arguments{"verify", "--counterexample=" + script} + options);
  Verified found{.status = run.outcome.exit_code, .verdict = {}, .conclusion = {}, .title = {}};
  bool after_steps = false;
  for (const std::string& line : lines_in(unwrapped(run.output))) {
    const std::size_t verdict = line.find("viola");
    if (found.verdict.empty() && verdict != std::string::npos) found.verdict = line.substr(verdict);
    const bool is_step = line.starts_with("  ") && contains(line, ". ");
    if (after_steps && !is_step) found.conclusion += line + '\n';
    after_steps = after_steps || is_step;
  }
  for (const std::string& line : lines_in(contents(script))) {
    if (line.starts_with("title en: ")) found.title = line;
  }
  return found;
}

}  // namespace

TEST_CASE("verify says which steps of a counterexample break what the property assumes") {
  const Scratch scratch;
  const std::string asynchronous = "--timing=asynchronous";
  const Verified early = verified(scratch, {asynchronous, "--property=highest-wins"});
  CHECK(early.status == 1);
  CHECK(early.verdict == "violated: highest-wins: a node follows a node lower than a live one");
  CHECK(early.title == "title en: Counterexample: a node follows a node lower than a live one");
  CHECK(early.conclusion ==
        "highest-wins is not promised in this run, which breaks an assumption:\n"
        "  step 2: a process starts, or comes back, while others run\n"
        "  step 3, a false alarm: the timeout is wrong: the awaited message may still come\n");
  const ExploreOptions two_alarms{.nodes = 2,
                                  .crashes = 0,
                                  .restarts = 0,
                                  .timing = Timing::asynchronous,
                                  .false_alarms = 2,
                                  .only = &properties::one_coordinator};
  const ExploreResult rivals = explore(two_alarms, two_alarms.algorithm->make);
  CHECK(contains(
      unwrapped(explore_report(two_alarms, rivals, {}, Language::english)),
      "one-coordinator is not promised in this run, which breaks an assumption:\n"
      "  step 1, a false alarm: a live process is suspected\n"
      "  step 2, a false alarm: the timeout is wrong: the awaited message may still come\n"));
  const Verified cut = verified(
      scratch, {"--partitions=1", "--property=one-coordinator", "--crashes=0", "--restarts=0"});
  CHECK(cut.verdict == "violated: one-coordinator: two live nodes believe they are coordinator");
  CHECK(cut.conclusion ==
        "one-coordinator is not promised in this run, which breaks an assumption:\n"
        "  step 1: the network is cut: live processes on the other side look dead\n");
  // The first to start does not join any that run.
  const Verified starting = verified(
      scratch, {"--beginning=starting", "--property=highest-wins", "--crashes=0", "--restarts=0"});
  CHECK(starting.conclusion ==
        "highest-wins is not promised in this run, which breaks an assumption:\n"
        "  step 2: a process starts, or comes back, while others run\n");
}

TEST_CASE("verify names the broken assumptions in Portuguese") {
  const Scratch scratch;
  const Verified early =
      verified(scratch, {"--timing=asynchronous", "--property=highest-wins", "--lang=pt-BR"});
  CHECK(early.verdict ==
        "violada: highest-wins: um processo segue outro, menor que um processo vivo");
  CHECK(early.conclusion ==
        "highest-wins não é prometida nesta execução, que viola uma hipótese:\n"
        "  passo 2: um processo entra, ou volta, enquanto outros estão em execução\n"
        "  passo 3, um alarme falso: o tempo limite está errado: a mensagem esperada "
        "ainda pode chegar\n");
}

TEST_CASE("verify says of a counterexample that breaks no assumption that they held") {
  const Scratch scratch;
  // On links that are not FIFO, this ring elects wrongly.
  const Verified wrong = verified(scratch, {"--algorithm=dolev-klawe-rodeh", "--delivery=any",
                                            "--nodes=3", "--crashes=1", "--beginning=leaderless"});
  CHECK(wrong.verdict ==
        "violated: highest-wins: a node follows a node lower than a live one, though the "
        "assumptions held: none restarted, timeouts were right");
  CHECK(wrong.conclusion == "");
}

TEST_CASE("verify shows on a terminal how far it has come, until it is interrupted") {
  PseudoTerminal terminal({"verify", "--nodes=4"}, 24, 120);
  CHECK(terminal.shows(" of them still to explore"));
  CHECK(terminal.shows(" MiB"));
  CHECK(terminal.end_by("\x03").exit_code == 2);
  CHECK(terminal.shows("you ended the search"));
}
