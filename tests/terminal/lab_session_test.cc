// lab_session_test.cc: `bully lab` beside real nodes: the test predicts through a pipe, and does
// what a student would do in another terminal.
#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/carried.h"
#include "base/layout.h"
#include "base/list.h"
#include "commands/help.h"
#include "fixture/cluster.h"
#include "fixture/said.h"
#include "fixture/session.h"
#include "sim/script.h"
#include "terminal/exercises.h"
#include "words/names.h"

using namespace bully;

namespace {

const Arguments quick = {"--ping-interval=50ms", "--ping-timeout=300ms", "--answer-timeout=200ms"};

class LabRun {
 public:
  LabRun(const Cluster& cluster, const Arguments& more) : output_(cluster.scratch("lab.out")) {
    unlink(output_.c_str());
    const Arguments words = {"lab", "--dir=" + cluster.directory(), "--interval=20ms"};
    process_ =
        Child({.arguments = words + more, .output = output_, .errors = output_, .in_child = [this] {
                 dup2(input_.read_end.get(), STDIN_FILENO);
               }});
  }

  void type(const std::string& line) const {
    REQUIRE(write(input_.write_end.get(), line.data(), line.size()) ==
            static_cast<ssize_t>(line.size()));
  }
  std::string output() const { return contents(output_); }
  bool shows(const std::string& words) const {
    const bool found = wait_until([&] { return contains(output(), words); });
    if (!found) MESSAGE("the lab shows: " << output());
    return found;
  }
  Outcome end() { return process_.end(); }

 private:
  std::string output_;
  Pipe input_ = make_pipe("of the test");
  Child process_;
};

// An exercise from start to end: what it asks, `line` as the prediction, `command` as what to do,
// which `deed` does, and then what it says.
std::string done(const Cluster& cluster, const Arguments& more, const std::string& question,
                 const std::string& line, const std::string& command,
                 const std::function<void()>& deed) {
  LabRun lab(cluster, more);
  REQUIRE(lab.shows(question));
  lab.type(line);
  REQUIRE(lab.shows("\n  " + command + "\n"));
  deed();
  CHECK(lab.end().exit_code == 0);
  const std::string output = lab.output();
  CHECK(!contains(output, "\033"));  // no colours, in a file
  for (const std::string& said : lines_in(output)) {
    CAPTURE(said);
    const bool has_place = contains(said, cluster.directory());  // which may be longer
    CHECK((has_place || width(said) <= 80));
  }
  return output;
}

// The line of the table of messages with this name, without further spaces.
std::string row_of(const std::string& output, const std::string& name) {
  const std::size_t at = output.find("\n  " + name + ' ');
  if (at == std::string::npos) return "";
  const auto words = wrapped(output.substr(at + 1, output.find('\n', at + 1) - at - 1), 1);
  return joined(words, " ");
}

}  // namespace

TEST_CASE("Lab: all six exercises, one after the other") {
  RunningCluster cluster(1, 5, quick);
  const auto kill_9 = [&](NodeId id) { return "kill -9 " + std::to_string(cluster.pid_of(id)); };

  std::string seen = done(cluster, {"1"}, "Process 5 will be killed. Which process", "4\n",
                          kill_9(5), [&] { cluster.kill(5); });
  check_says(seen, {"✓ The coordinator is 4. You predicted 4.",
                    "Messages of 1, 2, 3, 4 since the beginning:",
                    "Missing: the messages that 5 has sent and received. It no longer answers.",
                    "./bully scenario tanenbaum"});

  const auto elections = [&] {
    std::uint64_t sent = 0;
    for (const NodeId id : {NodeId{1}, NodeId{2}, NodeId{3}}) {
      sent += cluster.status_of(id)->sent.of(first_type(default_algorithm()));
    }
    return sent;
  };
  const std::uint64_t before = elections();
  seen = done(cluster, {"2"}, "How many ELECTION messages", "99\n", kill_9(4),
              [&] { cluster.kill(4); });
  const std::string sent = std::to_string(elections() - before);
  check_says(seen, {"✗ ELECTION messages: " + sent + ". You predicted 99.",
                    "for 4 processes of which one is killed: from 1 to 6."});
  CHECK(row_of(seen, "ELECTION").starts_with("ELECTION " + sent + ' '));

  const std::string stopped = std::to_string(cluster.pid_of(3));
  seen = done(cluster, {"3"}, "Process 3 will be stopped", "1\n", "kill -STOP " + stopped,
              [&] { cluster.stop(3); });
  check_says(seen, {"✗ Processes that believe that they are coordinator: 2 (2, 3).",
                    "Missing: the messages that 3 has sent and received. It no longer answers."});

  seen = done(cluster, {"4", "--lang=pt-BR"}, "O processo suspenso 3 será retomado", "3\n",
              "kill -CONT " + stopped, [&] { cluster.resume(3); });
  check_says(seen, {"✓ O coordenador é 3. Você previu 3.",
                    "Faltam as mensagens que 3 enviou e recebeu: ele não respondia no início."});

  seen =
      done(cluster, {"5"}, "Process 4 will join, the highest of all", "\n",
           binary_under_test() + " --dir=" + cluster.directory() + " 4", [&] { cluster.start(9); });
  check_says(seen, {"\nELECTION messages that it sent: 0. You made no prediction.",
                    "Messages of 1, 2, 3, 9 since the beginning:"});

  seen = done(cluster, {"6"}, "Process 1, which is not the coordinator", "0\n", kill_9(1),
              [&] { cluster.kill(2); });  // another that is not does as well
  CHECK(contains(seen, "✓ Messages of an election: 0. You predicted 0."));
  CHECK(row_of(seen, "COORDINATOR") == "COORDINATOR 0 0");
}

TEST_CASE("Lab: the messages are those of the algorithm that the nodes run") {
  for (const Algorithm& algorithm : algorithms()) {
    // The lab asks the table what differs between elections: a ring shows that.
    if (algorithm.name != "chang-roberts" && !is_soak()) continue;
    CAPTURE(algorithm.name);
    const std::string option = "--algorithm=" + std::string(algorithm.name);
    RunningCluster cluster(1, 4, quick + Arguments{option});
    const std::string type = name_of(first_type(algorithm), Language::english);
    std::string seen =
        done(cluster, {"2"}, "How many " + type + " messages", "0\n",
             "kill -9 " + std::to_string(cluster.pid_of(4)), [&] { cluster.kill(4); });
    CHECK(contains(seen, "✗ " + type + " messages: "));
    CHECK(row_of(seen, type) != "");
    seen = done(cluster, {"5"}, "Process 4 will join", "\n",
                binary_under_test() + " --dir=" + cluster.directory() + ' ' + option + " 4",
                [&] { cluster.start(4); });
    CHECK(contains(seen, type + " messages that it sent: "));
  }
}

TEST_CASE("Lab: each explanation points to lessons and topics that exist") {
  std::set<std::string> known;
  for (const CarriedText& lesson : lessons()) known.insert("scenario " + std::string(lesson.name));
  for (const CarriedText& topic : help_topics()) known.insert("help " + std::string(topic.name));
  for (const Language language : languages) {
    for (const Exercise& exercise : exercises()) {
      std::vector<std::string> keys = {std::string(exercise.why)};
      for (const Algorithm& algorithm : algorithms()) {
        const std::string own = word_key(keys[0], '_' + std::string(algorithm.name));
        if (has_word(own)) keys.push_back(own);
      }
      for (const std::string& key : keys) {
        CAPTURE(key);
        const std::string words = word(key, language);
        constexpr std::string_view command = "  ./bully ";
        std::size_t at = words.find(command);
        CHECK(at != std::string_view::npos);
        for (; at != std::string_view::npos; at = words.find(command, at + 1)) {
          const std::string rest = words.substr(at + command.size());
          CHECK(known.contains(rest.substr(0, rest.find('\n'))));
        }
      }
    }
  }
}

TEST_CASE("Lab: the textbook's numbers go from the best to the worst case, one for each process") {
  const std::vector<NodeId> seven = {1, 2, 3, 4, 5, 6, 7};  // of eight
  CHECK(textbook_numbers(default_algorithm(), seven) ==
        std::vector<std::uint64_t>{1, 3, 6, 10, 15, 21, 28, 28});
  for (const Algorithm& algorithm : algorithms()) {
    CAPTURE(algorithm.name);
    const auto numbers = textbook_numbers(algorithm, seven);
    CHECK(numbers.front() > 0);
    CHECK(std::ranges::is_sorted(numbers));
  }
}

TEST_CASE("Lab: it waits for what an exercise begins with, and reads a prediction") {
  check_session("tests/terminal/lab.session");
}
