// verdict_faults_test.cc: real nodes with a planted fault (mutants/faulty_node.h) start, lose their
// coordinator, get it back, and see it stopped and continued. `bully check` calls no such run right
// in which a reader of the trace sees something wrong; and the run of right nodes it calls right.
//
// `make test` tries some of the faults. `make soak` tries all, and the wrong protocols with which
// the explorer is tested. BULLY_FAULTS_DUMP=DIR keeps the traces there.
#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/list.h"
#include "base/text.h"
#include "fixture/judged.h"
#include "mutants/table.h"
#include "stage/local_cluster.h"
#include "support/arena.h"

using namespace bully;
namespace fs = std::filesystem;

namespace {

using std::chrono::milliseconds;

constexpr NodeId node_count = 5;
constexpr std::size_t at_a_time = 6;
// Some faulty runs say the same forever.
constexpr std::uintmax_t max_trace_bytes = 2'000'000;

// All settle within twice the waits of a node, and 2 s. Right nodes wait for longer than a busy
// machine delays any message.
constexpr milliseconds settle_time = 2 * milliseconds(100 + 200 + 100 + 200) + milliseconds(2'000);
const Arguments faulty_waits = {"--ping-timeout=200ms", "--coordinator-timeout=200ms"};
const Arguments right_waits = {"--ping-timeout=2s", "--answer-timeout=2s",
                               "--coordinator-timeout=4s"};

struct Plan {
  const Algorithm* algorithm = &default_algorithm();
  std::string protocol = {};                 // empty: as it should be
  std::set<NodeId> nodes = {1, 2, 3, 4, 5};  // with that protocol
  bool only_returned = false;                // and only the one that comes back has it
  // Whether the run may be right, and otherwise the properties that it may break.
  bool may_be_right = true;
  std::set<std::string_view> broken = {};
};

// What is done to the nodes, one after the other.
enum class Act : std::uint8_t { none, begin, kill, bring_back, stop, resume, rest, end };

class Run {
 public:
  explicit Run(Plan plan)
      : plan_(std::move(plan)),
        arena_(Arguments{"--algorithm=" + std::string(plan_.algorithm->name), "--detector=ping",
                         "--ping-interval=100ms"} +
                   (plan_.protocol.empty() ? right_waits : faulty_waits),
               mutants_program()) {}

  // Takes the next act if the one before has had its effect, or its time. False: that was the end.
  bool go_on() {
    if (act_ == Act::end) return false;
    const bool is_over = act_ == Act::none || is_settled() || monotonic_now() >= deadline_;
    if (is_long()) {
      end();
    } else if (is_over) {
      if (!is_settled_ && act_ != Act::none) is_patient_ = false;
      act_ = static_cast<Act>(static_cast<int>(act_) + 1);
      take();
    }
    return true;
  }

  // False: it is right, and should not be.
  bool judge() const {
    const Report report = check_trace(read_traces({arena_.trace()}));
    dump();
    const std::string words = judged::words_of(report);
    CAPTURE(std::string(plan_.algorithm->name));
    CAPTURE(plan_.protocol);
    CAPTURE(words);
    if (plan_.protocol.empty()) CHECK(words == "RIGHT");
    if (plan_.algorithm == &default_algorithm() && !is_mutant()) {
      for (const Violation& one : report.found.violations) {
        CHECK(plan_.broken.contains(one.property->key));
      }
    }
    return plan_.may_be_right || words != "RIGHT";
  }
  const Plan& plan() const { return plan_; }

 private:
  bool is_mutant() const {
    return std::ranges::find(FaultyNode::names, plan_.protocol) == FaultyNode::names.end();
  }
  static std::string mutants_program() {
    return fs::path(own_program("build/tests/run")).parent_path() / "mutants/mutants";
  }

  void start(NodeId id, bool is_return) {
    Arguments options = {"--trace=" + arena_.trace()};
    const bool is_faulty = plan_.nodes.contains(id) && (is_return || !plan_.only_returned);
    if (is_faulty && !plan_.protocol.empty()) options.push_back("--protocol=" + plan_.protocol);
    // A lower process waits for a shorter time. So its fault shows before a higher one has won.
    if (!plan_.protocol.empty()) {
      options.push_back("--answer-timeout=" + std::to_string(50 + 10 * id) + "ms");
    }
    arena_.start(id, options);
  }

  void take() {
    switch (act_) {
      case Act::begin:
        // Each finds the higher ones there.
        for (NodeId id = node_count; id > 0; --id) {
          start(id, false);
          CHECK(wait_until([&] { return arena_.ask(id).has_value(); }));
        }
        break;
      case Act::kill: arena_.kill(node_count); break;
      case Act::bring_back: start(node_count, true); break;
      case Act::stop:
        arena_.stop(node_count);
        is_stopped_ = true;
        // The lowest is the first to suspect it, so all take part in the election.
        ::kill(arena_.pid_of(1), SIGUSR2);
        break;
      case Act::resume: go_on_after_stop(); break;
      case Act::rest: break;
      case Act::none:
      case Act::end: return end();
    }
    is_settled_ = false;
    // Nodes that do not agree have once the time to be wrong for longer than they may.
    const bool is_long_enough = is_patient_ || act_ == Act::rest;
    deadline_ = monotonic_now() + (plan_.protocol.empty() ? patience
                                   : is_long_enough       ? settle_time + milliseconds(500)
                                                          : milliseconds(500));
  }

  void go_on_after_stop() {
    is_stopped_ = false;
    arena_.resume(node_count);
  }

  void end() {
    act_ = Act::end;
    if (is_stopped_) go_on_after_stop();
    const bool is_flood = is_long();
    const std::string left = arena_.end();
    if (!is_flood) CHECK(left == "");
  }

  // All that run agree. Nodes with a fault rest for as long as they may take to settle: only then
  // do they have to agree.
  bool is_settled() {
    if (act_ == Act::rest && !plan_.protocol.empty()) return false;
    if (!is_settled_) is_settled_ = agree();
    return is_settled_;
  }
  bool agree() const {
    std::vector<Snapshot> nodes;
    for (const NodeId id : arena_.nodes()) {
      if (is_stopped_ && id == node_count) continue;
      const std::optional<NodeStatus> status = arena_.ask(id);
      if (!status || status->pid != arena_.pid_of(id)) return false;
      nodes.push_back(*status);
    }
    return is_kept(properties::highest_live, *plan_.algorithm, nodes);
  }

  bool is_long() const {
    std::error_code none_yet;
    const auto size = fs::file_size(arena_.trace(), none_yet);
    return !none_yet && size > max_trace_bytes;
  }

  void dump() const {
    const char* directory = std::getenv("BULLY_FAULTS_DUMP");
    if (directory == nullptr) return;
    std::string name = std::string(plan_.algorithm->name) + '.' + plan_.protocol + ".jsonl";
    std::ranges::replace(name, ' ', '_');
    fs::copy_file(arena_.trace(), fs::path(directory) / name, fs::copy_options::overwrite_existing);
  }

  Plan plan_;
  Arena arena_;
  Act act_ = Act::none;
  Time deadline_ = {};
  bool is_settled_ = false;
  bool is_patient_ = true;
  bool is_stopped_ = false;
};

// Returns the plans whose runs are right, and should not be.
std::vector<Plan> right_ones(const std::vector<Plan>& plans) {
  std::vector<Plan> right;
  for (std::size_t first = 0; first < plans.size(); first += at_a_time) {
    std::vector<std::unique_ptr<Run>> runs;
    for (std::size_t i = first; i < std::min(first + at_a_time, plans.size()); ++i) {
      runs.push_back(std::make_unique<Run>(plans[i]));
    }
    CHECK(wait_until(
        [&] {
          bool goes_on = false;
          for (const auto& run : runs) goes_on = run->go_on() || goes_on;
          return !goes_on;
        },
        4 * patience));
    for (const auto& run : runs) {
      if (!run->judge()) right.push_back(run->plan());
    }
  }
  return right;
}

// Some faults of real processes show only if messages cross in a certain way: most times, but not
// each time.
void check_runs(std::vector<Plan> plans) {
  constexpr int attempts = 3;
  for (int i = 0; i < attempts && !plans.empty(); ++i) plans = right_ones(plans);
  CHECK(joined(plans, ", ", &Plan::protocol) == "");
}

Plan fault(Fault fault, std::set<NodeId> nodes, std::set<std::string_view> broken) {
  return {.protocol = std::string(mistake_name<FaultyNode>(fault)),
          .nodes = std::move(nodes),
          .only_returned = fault == Fault::keeps_state,
          .may_be_right = broken.empty(),
          .broken = std::move(broken)};
}

// The faults, with the nodes that have them, and what is broken then. A process that suspects its
// coordinator, or says that it was stopped, begins elections too many, and nothing else comes of
// it: the coordinator answers each time.
std::vector<Plan> planted() {
  const std::set<NodeId> all = {1, 2, 3, 4, 5};
  const std::string_view answers = "answers";
  const std::string_view two = "one-coordinator";
  const std::string_view lower = "highest-wins";
  const std::string_view ends = "ends";
  const std::string_view agreement = "agreement";
  return {
      // A sample of all:
      fault(Fault::drops_coordinator, {4}, {two}),
      fault(Fault::hides_highest, {4}, {two, lower, agreement}),
      fault(Fault::never_suspects, all, {agreement}),
      fault(Fault::keeps_state, {5}, {two}),
      fault(Fault::continues, {3}, {}),
      // The others:
      fault(Fault::drops_election, {5}, {answers, two, lower, agreement}),
      fault(Fault::drops_answer, all, {lower}),
      fault(Fault::drops_highest, {4}, {two, lower, ends, agreement}),
      fault(Fault::hears_late, {4}, {answers, two, lower}),
      fault(Fault::answers_nobody, {4}, {answers, two, lower}),
      fault(Fault::answers_another, {4}, {answers, two, lower}),
      fault(Fault::announces_to_nobody, all, {two, ends, agreement}),
      fault(Fault::announces_to_others, all, {two}),
      fault(Fault::hides_next, all, {two, lower, agreement}),
      fault(Fault::asks_nobody, {3}, {two, lower, agreement}),
      fault(Fault::suspects_at_once, {3}, {}),
      fault(Fault::accepts_lower, all, {"never-lower"}),
      fault(Fault::becomes_coordinator, {3}, {two, lower, ends, agreement}),
  };
}

// Wrong protocols of which nothing wrong comes in these runs. They lack a timer or a rule that only
// another fault would need, or another rule makes up for it within the time that all may take; or
// only the number of messages shows them.
constexpr auto without_effect = std::to_array<std::string_view>({
    "bully: no coordinator timer",
    "bully: no answer timer",
    "bully: ignores deposed",
    "bully: holds no election",
    "bully: naive",
    "bully: ends at ANSWER",
    "dolev-klawe-rodeh: does not pass over",
    "dolev-klawe-rodeh: no timer",
    "dolev-klawe-rodeh: no epoch check",
    "dolev-klawe-rodeh: ignores deposed",
    "tanenbaum-ring: all begin",
    "tanenbaum-ring: does not pass over",
    "garcia-molina: names unhalted",
    "garcia-molina: is ready for any",
    "garcia-molina: takes any reply",
    "garcia-molina: reuses numbers",
    "garcia-molina: no answer timer",
    "garcia-molina: no patience timer",
    "garcia-molina: never checks",
});

}  // namespace

TEST_CASE("check: real nodes with a planted fault are not right") {
  constexpr std::size_t sample = 5;
  std::vector<Plan> plans = planted();
  CHECK(plans.size() == FaultyNode::names.size());
  if (!is_soak()) plans.resize(sample);
  plans.push_back({});
  check_runs(plans);
}

TEST_CASE("check: real nodes with a wrong protocol are not right") {
  if (!is_soak()) return;
  std::vector<Plan> plans;
  for (const Algorithm& algorithm : algorithms()) {
    plans.push_back({.algorithm = &algorithm});
    for (const Variant& mutant : mutants_of(algorithm)) {
      const std::string name = std::string(algorithm.name) + ": " + std::string(mutant.name);
      const bool is_harmless = std::ranges::find(without_effect, name) != without_effect.end();
      plans.push_back({.algorithm = &algorithm,
                       .protocol = std::string(mutant.name),
                       .may_be_right = is_harmless});
    }
  }
  check_runs(plans);
}
