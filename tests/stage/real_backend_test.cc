// real_backend_test.cc: the simulator and real processes, held together. Every lesson is played in
// both worlds, and every step of it is compared: what all processes do about it, record by record
// and in the same order, which expectations hold, and what the frames show.
//
// What is not compared, and why:
//   - times, PIDs and the numbers of messages: real ones are the system's, and a real process that
//     restarts counts from 1;
//   - how the cluster came to agree before the lesson, which no script says. So epochs are counted
//     from there, and a process has the variables of that election until the next;
//   - the order of what is lost in one step: a real process learns at once of all that it wrote to
//     somebody who is gone, and what the network loses is recorded after what it knows itself.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/carried.h"
#include "fixture/played.h"
#include "fixture/recorded_run.h"
#include "sim/player.h"
#include "sim/script.h"
#include "stage/real_backend.h"
#include "support/process.h"
#include "support/sinks.h"
#include "trace/trace.h"
#include "view/errors.h"

namespace bully {
namespace {

std::string words(const Variables& variables) {
  std::string text;
  for (const Variable& variable : variables) {
    if (!variable.name.empty()) text.append(" ").append(variable.name).append("=");
    if (variable.value) text += std::to_string(*variable.value);
  }
  return text;
}

// What happened, without its time and its number.
std::string words(const Record& record, std::vector<std::uint64_t>& epochs) {
  std::string text(fields_of(record.event).name);
  const auto add = [&](std::string_view name, std::optional<std::uint64_t> value) {
    if (value) text.append(" ").append(name).append(" ").append(std::to_string(*value));
  };
  if (is_about_message(record)) {
    text.append(" ").append(record.type->code);
    add("from", record.from);
    add("to", record.to);
    for (const Field* field : record.type->fields) {
      std::optional<std::uint64_t> value = field != nullptr ? record.get(*field) : std::nullopt;
      if (field == &fields::epoch && value) {
        const auto found = std::ranges::find(epochs, *value);
        const auto place = static_cast<std::uint64_t>(found - epochs.begin());
        if (found == epochs.end()) epochs.push_back(*value);
        value = place;
      }
      // Calls are counted from where the caller's life began, which each world says in its own way.
      if (value && field->key == "call") value = 0;
      if (value) add(field->key, *value);
    }
  }
  for (const std::string_view word : {record.reason, record.timer, record.state, record.rule}) {
    if (!word.empty()) text.append(" ").append(word);
  }
  add("coordinator", record.coordinator);
  return text + words(record.variables);
}

// All that is seen and heard of a play, a line for each thing.
class LinkRecorder : public Sink, public Listener {
 public:
  void record(const Record& record) override {
    if (is_founding_) return;
    (record.event == TraceEvent::lost ? lost_ : lines)
        .push_back(std::to_string(record.node) + ": " + words(record, epochs_));
  }
  void on_step(const Step& step) override {
    std::ranges::sort(lost_);
    lines.insert(lines.end(), lost_.begin(), lost_.end());
    lost_.clear();
    is_founding_ = step.verb == Verb::nodes;
    lines.push_back("> " + step.text);
  }
  void on_frame(const Texts&, std::span<const Snapshot> nodes, const MessageCounts& sent) override {
    lines.push_back("sent " + std::to_string(election_total(sent)));
    for (const Snapshot& node : nodes) {
      std::string line = "frame " + std::to_string(node.id) + ' ' + node.state + " condition " +
                         std::to_string(static_cast<int>(node.condition));
      if (node.coordinator) line += " coordinator " + std::to_string(*node.coordinator);
      lines.push_back(line);
    }
  }
  void on_kept(const Step&) override { lines.emplace_back("kept"); }
  void on_broken(const Step&, std::span<const Problem> wrong) override {
    lines.push_back("broken: " + words_of(wrong, Language::english));
  }

  std::vector<std::string> lines;

 private:
  std::vector<std::string> lost_;  // in this step
  bool is_founding_ = false;
  // Each world counts epochs from its own beginning: an epoch is known by its place among those
  // met.
  std::vector<std::uint64_t> epochs_;
};

std::vector<std::string> simulated(const Scenario& scenario) {
  LinkRecorder recording;
  SimulatedBackend backend(scenario, &recording);
  play(scenario, backend, recording);
  return recording.lines;
}

std::vector<std::string> real(const Scenario& scenario) {
  LinkRecorder recording;
  std::string directory;
  {
    LocalCluster cluster(Guard::Ending::kill);
    directory = cluster.private_directory();
    const auto backend = make_real_backend(scenario, cluster, binary_under_test(), recording);
    play(scenario, *backend, recording);
  }
  CHECK_FALSE(std::filesystem::exists(directory));
  return recording.lines;
}

bool is_broken(const std::string& line) {
  return line.starts_with("broken");
}

// `broken`: that something does not hold is what the script is for.
void check_alike(const std::string& script, bool broken = false) {
  CAPTURE(script);
  const Scenario scenario = parsed(script);
  const std::vector<std::string> expected = simulated(scenario);
  const std::vector<std::string> found = real(scenario);
  const auto first = std::ranges::mismatch(expected, found);
  const auto here = first.in1;
  const auto there = first.in2;
  CAPTURE(here - expected.begin());
  CHECK((there == found.end() ? "nothing" : *there) ==
        (here == expected.end() ? "nothing" : *here));
  CHECK(std::ranges::any_of(expected, is_broken) == broken);
}

}  // namespace

TEST_CASE("every step of every lesson happens alike in the simulator and on real processes") {
  for (const CarriedText& lesson : lessons()) {
    CAPTURE(lesson.name);
    check_alike(std::string(lesson.text));
  }
}

TEST_CASE("a timer of a controlled process is not early: it expires by the script's clock") {
  const Scenario scenario = parsed(std::string(*find_carried(lessons(), "two-coordinators")));
  recorded::TraceText trace;
  {
    LocalCluster cluster(Guard::Ending::kill);
    const auto backend = make_real_backend(scenario, cluster, binary_under_test(), trace);
    LinkRecorder heard;
    play(scenario, *backend, heard);
  }
  const Report report = check_trace(parse_trace(trace.text, "t"));
  CHECK(recorded::first_reason(report).empty());
  CHECK(report.verdict == RunVerdict::right);
}

TEST_CASE("a cut of the network is recorded for the real processes that it concerns") {
  const Scenario scenario =
      parsed("nodes 1..4\ncrash 3\npartition 1 from 2..4\nrun 5s\nheal\nrun\n");
  std::vector<std::string> told;
  EachRecord sink([&](const Record& record) {
    if (record.event != TraceEvent::partition && record.event != TraceEvent::heal) return;
    CHECK(record.pid > 0);
    told.push_back(std::to_string(record.node) + ' ' +
                   (record.side ? std::to_string(*record.side) : "heals"));
  });
  {
    LocalCluster cluster(Guard::Ending::kill);
    const auto backend = make_real_backend(scenario, cluster, binary_under_test(), sink);
    LinkRecorder heard;
    play(scenario, *backend, heard);
  }
  CHECK(told == std::vector<std::string>{"1 1", "2 2", "4 2", "1 heals", "2 heals", "4 heals"});
}

TEST_CASE("steps that no lesson has happen alike in the simulator and on real processes") {
  for (const char* script : {
           "nodes 1..5\npartition 1 2 from 3..5\nrun 5s\nexpect coordinators 2 5\nheal\nrun\n"
           "expect coordinators 5\n",
           "detector off\nnodes 1..4\nhold\ncrash 4\nsuspect 1\ndrop E from 1 to 3\n"
           "deliver E from 1 to 2\nexpect state candidate at 2\nrun\nexpect coordinator 3\n",
           "detector off\nnodes 1..3\ncrash 3\ncut 1 to 2\ncut 1 to 3\nsuspect 1\nrun 600ms\n"
           "expect coordinator 1 at 1\nheal\nsuspect 2\nrun\nexpect coordinator 2\n",
           "seed 3\nnodes 1..5\nloss 30%\nsuspect all\nrun 2s\nloss 0%\nrun\n"
           "expect coordinator 5\n",
           "nodes 1..3\ncrash 3\ncrash 2\nhold\nsuspect 1\nrestart 3\ndeliver gone from 2 to 1\n"
           "deliver gone to 1\nrun\nexpect coordinator 3\n",
           "nodes 1..3\npause 3\ncrash 3\nrun\nexpect coordinator 2\nrestart 3\nrun\npause 3\nrun\n"
           "leave 3\nrun\nexpect coordinator 2\n",
           "nodes 1..4\npause 2\nrun\nexpect coordinator 4\ncrash 4\nrun\n"
           "expect coordinator 3 at 1 3\nexpect coordinator 4 at 2\ncrash 2\nexpect coordinator "
           "3\n",
           "algorithm chang-roberts\nnodes 1..6\nring 3 1 6 2 5 4\ncrash 6\npause 5\nrun\n"
           "expect coordinator 4 at 1..4\nresume 5\nrun\nexpect coordinator 5\n",
           // The epoch of these messages is 1 in the simulator, and a time in real processes.
           "algorithm chang-roberts\nnodes 1..4\ncrash 4\nhold\nsuspect 1\nsuspect 2\n"
           "deliver V from 2 to 3 with 2;1\nrun\nexpect coordinator 3\n",
           "detector off\nnodes 1..3\npartition 1 2 from 3\nleave 3\nstart 3\ncrash 3\n"
           "suspect 2\nrun\nexpect coordinator 2\n",
           "detector off\nnodes 1..3\ncrash 3\nhold\nsuspect 1\ncut 1 to 3\n"
           "crash 2\nrestart 2\ndeliver gone from 3 to 1\nrun\nheal\nsuspect 1\nrun\n"
           "expect coordinator 2\n",
           // Answers that do not come back do not stop an election.
           "detector off\nnodes 1..3\ncut 3 to 1\ncut 2 to 1\nsuspect 1\nrun\n"
           "expect coordinator 1 at 1\nheal\nsuspect 1 deposed\nrun\nexpect coordinator 3\n",
           // What is on its way to a process that dies is lost without a word.
           "detector off\nnodes 1..3\nhold\nsuspect 1\ncrash 3\nrun\nexpect coordinator 2\n",
           // 1 learns message by message that 4 is gone, and writes to it again when it goes on.
           "detector off\nnodes 1..4\nhold\ncrash 4\nsuspect 1\npause 1\n"
           "deliver gone from 4 to 1\nresume 1\ndeliver E\ndeliver gone from 4 to 2\n"
           "deliver gone from 4 to 1\nrun\nexpect coordinators 3\n",
           // Why a process suspects that a script makes suspicious: of a crash, of a stop, or of a
           // process that lives.
           "detector off\nnodes 1..4\ncrash 4\nsuspect 2\nrun\nexpect coordinator 3\ncrash 3\n"
           "suspect 1\nrun\nexpect coordinator 2\n",
           "detector off\ntimeout answer 100ms\nnodes 1..3\npause 3\nsuspect 2 hung\nrun\n"
           "expect coordinator 2 at 1 2\n",
           "detector off\nnodes 1..3\nsuspect 1\nrun\nexpect coordinator 3\n",
           // A process reports its messages first, and its waits later.
           "algorithm garcia-molina\nnodes 1..4\nsuspect 4 hung\npartition 2..4 from 1\nloss 30%\n"
           "run 1s\n",
           "interval ping 50ms\nnodes 3 5 8\ncrash 8\nrun\nexpect coordinator 5\ncount\n"
           "restart 8\nrun\nexpect coordinator 8\nexpect messages COORDINATOR 2\n",
       }) {
    check_alike(script);
  }
}

TEST_CASE("each message that the network loses is lost alike in both worlds") {
  const std::string elections =
      "nodes 1..6\ncrash 6\nloss 50%\ncrash 5\nsuspect all\nrun 3s\nloss 0%\nrun\n"
      "expect coordinator 4\n";
  for (const char* seed : {"seed 1\n", "seed 2\n", "seed 3\n"}) {
    check_alike(seed + elections);
  }
  for (const char* script : {
           // What 1 says to 3 later reaches 3.
           "detector off\nnodes 1..3\ncrash 3\nhold\nloss 100%\nsuspect 1\nloss 0%\nrestart 3\n"
           "run\nsuspect 1\nrun\nexpect coordinator 3\n",
           "detector off\nnodes 1..3\ncrash 3\nhold\nsuspect 1\ndrop gone from 3 to 1\nrun\n"
           "restart 3\nrun\nexpect coordinator 3\n",
           "algorithm dolev-klawe-rodeh\ndetector off\nnodes 1..4\ncrash 4\nloss 100%\nsuspect "
           "3\nrun 50ms\n"
           "loss 0%\nrun\nexpect coordinator 3\n",
       }) {
    check_alike(script);
  }
}

TEST_CASE("a step that fails, or does not hold, does so alike in both worlds") {
  for (const char* script : {
           "nodes 1..4\npause 2\ncrash 4\nrun\nexpect coordinator 3\nexpect no coordinator 4\n",
           "nodes 1..3\npause 2\npause 2\n",
           "nodes 1..3\npause 3\nrun\nresume 3\nresume 3\n",
           "nodes 1..3\nresume 2\n",
           "nodes 1..3\ncrash 2\npause 2\n",
           "nodes 1..3\npause 2\ncrash 2\nresume 2\n",
           "interval ping 50ms\nnodes 1\ncrash 2\nexpect coordinator 1\n",
       }) {
    check_alike(script, true);
  }
}

}  // namespace bully
