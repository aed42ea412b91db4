// verdict_mutants_test.cc: the judge is judged. Real nodes run each of the wrong protocols with
// which the explorer is tested; `bully check` calls none of their runs RIGHT in which the oracle
// sees a fault (oracle/oracle.h), and all runs of nodes with the right protocol.
//
// A quarter of the bully's are tried: the explorer catches them all. With BULLY_SOAK_ROUNDS all of
// each algorithm are, and have the time to be wrong for longer than a run may be.
// BULLY_MUTANTS_DUMP=DIR keeps the traces there.
#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <utility>

#include "fixture/recorded_run.h"
#include "mutants/table.h"
#include "oracle/oracle.h"
#include "stage/local_cluster.h"
#include "support/arena.h"
#include "verdict/verdict.h"

using namespace bully;
using recorded::first_reason;
namespace fs = std::filesystem;

namespace {

constexpr NodeId node_count = 5;
constexpr std::size_t at_a_time = 3;
// Some say the same for ever.
constexpr std::uintmax_t max_trace_bytes = 500'000;

std::string mutants_program() {
  return fs::path(own_program("build/tests/run")).parent_path() / "mutants/mutants";
}

struct Judgement {
  RunVerdict verdict = RunVerdict::cannot_tell;
  std::string why = {};
  Opinion opinion = {};

  bool is_right() const { return verdict == RunVerdict::right; }
  // The oracle knows no rules: of a mutant, a replica may find more.
  bool agrees(bool is_mutant) const {
    const bool is_by_rules = is_mutant && why.starts_with("by-rules/");
    return is_by_rules || is_right() == (opinion.right == Right::right);
  }
};

// What is done to the nodes, one after the other.
enum class Step : std::uint8_t { begin, kill, bring_back, pause, resume };
constexpr std::array steps = {Step::begin, Step::kill, Step::bring_back, Step::pause, Step::resume};
constexpr std::string_view step_letters = "bkrpc";

// For how long nodes that do not agree are waited for: for longer than a run may leave a lost
// coordinator unnoticed; and where all are tried, for longer than all of them may take to agree.
Duration deadline() {
  return std::chrono::milliseconds(is_soak() ? 13'000 : 2'500);
}

class Run {
 public:
  // An empty `protocol`: as it should be.
  Run(const Algorithm& algorithm, std::string_view protocol)
      : algorithm_(algorithm),
        protocol_(protocol),
        arena_(options_of(algorithm, protocol), mutants_program()) {}

  void take(Step step) {
    if (has_ended_) return;
    const Arguments trace = {"--trace=" + arena_.trace()};
    switch (step) {
      case Step::begin:
        // Each finds higher ones there.
        for (NodeId id = node_count; id > 0; --id) arena_.start(id, trace);
        break;
      case Step::kill:
        chosen_ = coordinator();
        arena_.kill(chosen_);
        break;
      case Step::bring_back: arena_.start(chosen_, trace); break;
      case Step::pause:
        chosen_ = coordinator();
        arena_.stop(paused_ = chosen_);
        break;
      case Step::resume:
        paused_ = 0;
        arena_.resume(chosen_);
        break;
    }
    is_settled_ = false;
  }

  // Whether all that run agree, or their trace has grown so long that they need not.
  bool is_done() {
    if (!has_ended_ && is_long()) end();
    if (!is_settled_ && !has_ended_) is_settled_ = agree();
    return is_settled_ || has_ended_;
  }
  // Notes whether the step was in vain.
  void end_step(Step step) {
    if (is_settled_ || (has_ended_ && !unsettled_.empty())) return;
    unsettled_ += step_letters[static_cast<std::size_t>(step)];
    // What they had the time to show is shown.
    if (is_soak()) end();
  }

  void end() {
    if (has_ended_) return;
    has_ended_ = true;
    const bool is_flooded = is_long();
    if (paused_ != 0) arena_.resume(std::exchange(paused_, 0));
    // Nodes that take no rest may have to be killed.
    if (is_flooded) arena_.end();
    if (!is_flooded) CHECK(arena_.end().empty());
  }

  void judge() {
    const std::string trace = contents(arena_.trace());
    const Report report = check_trace(read_traces({arena_.trace()}));
    traced_ = {report.verdict, first_reason(report), opinion_of(trace)};
    if (protocol_.empty()) {  // what was done to the nodes is in it
      for (const char* act : {R"("pause")", R"("crash")"}) CHECK(contains(trace, act));
    }
    dump();
  }

  const std::string& protocol() const { return protocol_; }
  const std::string& unsettled() const { return unsettled_; }
  const Judgement& traced() const { return traced_; }

 private:
  static Arguments options_of(const Algorithm& algorithm, std::string_view protocol) {
    // As it should be, a protocol is right only where messages are not late: with waits that are
    // longer than a busy machine delays any.
    const bool is_mutant = !protocol.empty();
    const std::string wait = is_mutant ? "60ms" : "1s";
    Arguments options = {"--algorithm=" + std::string(algorithm.name),
                         "--detector=ping",
                         "--ping-interval=20ms",
                         "--ping-timeout=" + wait,
                         "--answer-timeout=" + wait,
                         std::string("--coordinator-timeout=") + (is_mutant ? "120ms" : "2s")};
    if (is_mutant) options.push_back("--protocol=" + std::string(protocol));
    return options;
  }

  bool agree() const {
    std::vector<Snapshot> nodes;
    for (const NodeId id : arena_.nodes()) {
      if (id == paused_) continue;
      const std::optional<NodeStatus> status = arena_.ask(id);
      if (!status || status->pid != arena_.pid_of(id)) return false;
      nodes.push_back(*status);
    }
    return holds_in_the_end(algorithm_, nodes);
  }

  // As the lowest sees it; or the highest.
  NodeId coordinator() const {
    const std::vector<NodeId> nodes = arena_.nodes();
    const std::optional<NodeStatus> status = arena_.ask(nodes.front());
    const bool is_known = status && status->coordinator && arena_.has(*status->coordinator);
    return is_known ? *status->coordinator : nodes.back();
  }

  bool is_long() const { return fs::file_size(arena_.trace()) > max_trace_bytes; }

  void dump() const {
    const char* directory = std::getenv("BULLY_MUTANTS_DUMP");
    if (directory == nullptr) return;
    std::string name = std::string(algorithm_.name) + '.' + protocol_ + ".jsonl";
    std::ranges::replace(name, ' ', '_');
    fs::copy_file(arena_.trace(), fs::path(directory) / name, fs::copy_options::overwrite_existing);
  }

  const Algorithm& algorithm_;
  std::string protocol_;
  Arena arena_;
  NodeId chosen_ = 0;
  NodeId paused_ = 0;
  bool is_settled_ = false;
  bool has_ended_ = false;
  std::string unsettled_;
  Judgement traced_;
};

using Runs = std::vector<std::unique_ptr<Run>>;

void go_through(Runs& runs) {
  for (const Step step : steps) {
    for (const auto& run : runs) run->take(step);
    wait_until(
        [&] {
          bool are_done = true;
          for (const auto& run : runs) are_done = run->is_done() && are_done;
          return are_done;
        },
        deadline());
    for (const auto& run : runs) {
      if (run->protocol().empty()) wait_until([&] { return run->is_done(); });
      run->end_step(step);
    }
  }
  for (const auto& run : runs) run->end();
}

void check(const Run& run) {
  const bool is_mutant = !run.protocol().empty();
  const Judgement& judgement = run.traced();
  CAPTURE(run.protocol());
  CAPTURE(run.unsettled());
  CAPTURE(judgement.why);
  CAPTURE(judgement.opinion.reason);
  CHECK(judgement.agrees(is_mutant));
  if (!is_mutant) CHECK(judgement.is_right());
}

}  // namespace

TEST_CASE("check: real nodes with a wrong protocol are judged as the oracle judges them") {
  for (const Algorithm& algorithm : algorithms()) {
    const char* chosen = std::getenv("BULLY_MUTANTS_OF");
    if (chosen != nullptr ? algorithm.name != chosen
                          : !is_soak() && &algorithm != &default_algorithm()) {
      continue;
    }
    std::vector<std::string_view> protocols = {""};
    const auto mutants = mutants_of(algorithm);
    for (std::size_t i = 0; i < mutants.size(); i += is_soak() ? 1 : 4) {
      protocols.push_back(mutants[i].name);
    }
    CAPTURE(algorithm.name);
    for (std::size_t first = 0; first < protocols.size(); first += at_a_time) {
      Runs runs;
      for (std::size_t i = first; i < std::min(first + at_a_time, protocols.size()); ++i) {
        runs.push_back(std::make_unique<Run>(algorithm, protocols[i]));
      }
      go_through(runs);
      for (const auto& run : runs) run->judge();
      for (const auto& run : runs) check(*run);
    }
  }
}
