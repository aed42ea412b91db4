// log_reasons_test.cc: the log says why each election starts.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/layout.h"
#include "fixture/played.h"
#include "fixture/recorded_run.h"
#include "support/process.h"
#include "view/log.h"

using namespace bully;

namespace {

// The rules by which a process starts an election, or takes part in one.
const std::set<std::string_view> beginnings = {"ask",         "highest",    "gm-ask",
                                               "ring-begin",  "list-begin", "plain-begin",
                                               "iv-recovery", "iv-merge"};

struct Line {
  NodeId node = 0;
  std::string sign;
  std::string words;
};

// Has the log's lines as soon as they are known, and looks for the reason where an election starts.
class Reader : public Sink {
 public:
  explicit Reader(Language language = Language::english) : language_(language) {}

  void record(const Record& record) override {
    log_.record(record);
    log_.flush();
    const bool begins = record.event == TraceEvent::rule && beginnings.contains(record.rule);
    const bool asks = record.event == TraceEvent::send && record.type->role == Role::joins;
    if (!begins && !asks) return;
    ++starts;
    const Line& reason = reason_of(record.node);
    // On a ring a process also takes part in what another has started: it says in which election.
    const bool is_joined =
        reason.sign == "←" && reason.words.find(", election ") != std::string::npos;
    if (reason.sign != "!" && reason.sign != "+" && !is_joined) {
      unexplained.insert(reason.sign + ' ' + reason.words + ", then " + std::string(record.rule));
    }
  }

  std::vector<Line> lines;
  std::size_t starts = 0;
  std::set<std::string> unexplained;

 private:
  // What the process met with last: not what it then became, sent and lost.
  const Line& reason_of(NodeId node) const {
    static const std::set<std::string_view> deeds = {"*", "→", "×"};
    const auto last = std::find_if(lines.rbegin(), lines.rend(), [&](const Line& line) {
      return line.node == node && !deeds.contains(line.sign);
    });
    REQUIRE(last != lines.rend());
    return *last;
  }

  void take(std::string_view text) {
    for (const std::string& line : lines_in(text)) {
      std::istringstream parts(line);
      Line& taken = lines.emplace_back();
      parts >> taken.node >> taken.sign >> std::ws;
      std::getline(parts, taken.words);
    }
  }

  Language language_;
  Log log_{{.language = language_, .simulated = true},
           [](std::int64_t) { return ""; },
           [this](std::string_view text) { take(text); }};
};

SweepOptions rough(const Algorithm& algorithm, std::uint64_t seed) {
  SweepOptions options = recorded::faulty(algorithm, seed);
  options.world.loss_ppm = seed % 3 == 0 ? 50'000 : 0;
  options.world.delay = {Delay::Shape::long_tailed, std::chrono::milliseconds(1),
                         std::chrono::milliseconds(400)};
  return options;
}

}  // namespace

TEST_CASE(
    "the log: each start of an election has its reason, whatever the algorithm and the faults") {
  for (const Algorithm& algorithm : algorithms()) {
    CAPTURE(algorithm.name);
    std::size_t starts = 0;
    std::set<std::string> unexplained;
    for (std::uint64_t seed = 1; seed <= tried(60); ++seed) {
      Reader reader;
      sweep_one(rough(algorithm, seed), seed, &reader);
      starts += reader.starts;
      unexplained.merge(reader.unexplained);
    }
    CHECK(starts > tried(400));
    for (const std::string& start : unexplained) FAIL_CHECK(start);
  }
}

TEST_CASE("the log: the reason is the true one") {
  struct Case {
    std::string script;
    NodeId node;
    const char* reason;
    const char* then;
  };
  const std::vector<Case> cases = {
      {"nodes 1..3\ncrash 3\nsuspect 1\nrun", 2, "1 asks it to take over", "candidate"},
      {"protocol naive\nnodes 1..3\ncrash 3\nsuspect 1\nrun", 2, "1 asks it to take over",
       "candidate"},
      {"nodes 1..3\npause 2\nresume 2\nrun", 2, "it may have missed an election: it starts over",
       "candidate"},
      {"algorithm dolev-klawe-rodeh\nnodes 1..3\npause 2\nresume 2\nrun", 2,
       "it may have missed an election: it starts over", "joining"},
      {"algorithm dolev-klawe-rodeh\nnodes 1..3\npause 2\nresume 2\nrun", 3,
       "2 asks for an election", "active"},
      {"algorithm garcia-molina\nnodes 1..3\npause 2\nresume 2\nrun", 2,
       "it may have missed an election: it starts over", "election"},
      // Who asks, and who hands out the task, waits for a reply, not to be told of a coordinator.
      {"algorithm garcia-molina\nnodes 1..3\npause 2\npause 3\nsuspect 1 hung\nexpire 1 answer", 1,
       "no reply came in time", "AREYOUTHERE"},
      {"algorithm garcia-molina\nnodes 1..3\nhold\ncrash 3\nsuspect 2\ndeliver\ndeliver\n"
       "deliver\n"
       "pause 1\nexpire 2 answer",
       2, "no reply came in time", "a process that it halted"},
  };
  for (const Case& played : cases) {
    CAPTURE(played.script);
    Reader reader;
    CHECK(play_script(played.script, {}, &reader).broken == "");
    const auto reason = std::ranges::find_if(reader.lines, [&](const Line& line) {
      return line.node == played.node && line.sign == "!" && line.words == played.reason;
    });
    REQUIRE(reason != reader.lines.end());
    const auto next = std::find_if(reason + 1, reader.lines.end(),
                                   [&](const Line& line) { return line.node == played.node; });
    REQUIRE(next != reader.lines.end());
    CHECK(next->words.starts_with(played.then));
  }
}

// Some come about only where links are not what they should be.
TEST_CASE("the log: a rule that starts an election has words that say why") {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"never-lower", "2 is lower than itself and cannot be its coordinator"},
      {"ring-void", "the election is void: 2 was not its neighbour before"},
      {"ring-too-many", "the election is void: it takes too many messages"},
      {"ring-low-leader", "election void: its leader would be lower than itself"},
      {"gm-on-timeout", "a process that it halted is silent: it begins again"},
  };
  for (const auto& expected : cases) {
    const std::string rule = expected.first;
    CAPTURE(rule);
    REQUIRE(find_rule(rule) != nullptr);
    Reader reader;
    reader.record({.node = 4, .event = TraceEvent::receive, .from = 2, .to = 4});
    reader.record({.node = 4, .event = TraceEvent::rule, .rule = rule});
    REQUIRE(reader.lines.size() == 2);
    CHECK(reader.lines.back().words == expected.second);
  }
}
