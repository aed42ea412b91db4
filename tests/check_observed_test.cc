// check_observed_test.cc: what is judged of processes that were seen on their links alone.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "mutants.h"
#include "recorded_run.h"
#include "ring_mutants.h"
#include "sim/experiments.h"
#include "support/messages.h"
#include "support/observed.h"
#include "support/played.h"
#include "support/process.h"
#include "trace/json.h"
#include "view/check.h"
#include "view/diagram.h"

using namespace bully;
using namespace bully::recorded;

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Trace seen(const std::vector<Record>& full, const std::set<NodeId>& who = {}) {
  return trace_of(as_observed(trace_of(full), who));
}

std::uint64_t delivered(const Report& report, MessageType type) {
  std::uint64_t all = 0;
  for (const Figures& figures : report.figures) all += figures.delivered.of(type);
  return all;
}

std::vector<Record> faulty_run(const Algorithm& algorithm, std::uint64_t seed,
                               const ProtocolMaker& make) {
  Recorder recorder(algorithm);
  SweepOptions options;
  options.nodes = 6;
  options.crashes = 3;
  options.restarts = 2;
  options.pauses = 2;
  options.world.algorithm = &algorithm;
  options.world.delay = {Delay::Shape::uniform, milliseconds(1), milliseconds(30)};
  options.world.detection = seed % 2 == 0 ? Detection::ping : Detection::eof;
  if (seed % 3 == 0) options.world.loss_ppm = 10'000;
  sweep_one(options, seed, &recorder, make);
  return recorder.records;
}

// What a recorder has seen, told by hand: times in milliseconds.
struct Told {
  std::vector<Record> records = {};
  std::uint64_t last_number = 0;

  Record& add(double ms, NodeId node, TraceEvent event) {
    const auto t_ns = static_cast<std::int64_t>(ms * 1'000'000);
    return records.emplace_back(Record{.t_ns = t_ns, .node = node, .event = event});
  }
  void start(double ms, const std::vector<NodeId>& nodes) {
    for (const NodeId node : nodes) {
      Record& record = add(ms, node, TraceEvent::start);
      record.algorithm = default_algorithm().name;
      record.observed = true;
    }
  }
  void ping(double ms, NodeId node, NodeId coordinator) {
    add(ms, node, TraceEvent::coordinator).coordinator = coordinator;
  }
  // Each receiver has it in its socket at once.
  void say(double ms, MessageType type, NodeId from, const std::vector<NodeId>& receivers) {
    for (const NodeId to : receivers) {
      const std::uint64_t number = ++last_number;
      for (const TraceEvent event : {TraceEvent::send, TraceEvent::receive}) {
        Record& record = add(ms, event == TraceEvent::send ? from : to, event);
        record.type = type;
        record.from = from;
        record.to = to;
        record.number = number;
      }
    }
  }
  Report judged() const { return check_trace(trace_of(records)); }
};

// 3 is coordinator of 1 and 2, which ping it.
Told cluster_of_three() {
  Told told;
  told.start(0, {1, 2, 3});
  told.say(10, messages::coordinator, 3, {1, 2});
  told.ping(20, 1, 3);
  told.ping(20, 2, 3);
  return told;
}

}  // namespace

TEST_CASE("check: that a coordinator has left is seen only after its successor has won") {
  Told told = cluster_of_three();
  told.say(1000, messages::election, 1, {2});
  told.say(1000, messages::answer, 2, {1});
  told.say(1000.5, messages::coordinator, 2, {1});
  told.add(1004, 3, TraceEvent::stop);
  told.ping(1010, 1, 2);
  CHECK(told.judged().verdict == RunVerdict::right);
}

TEST_CASE("check: a coordinator that says so again has won nothing, whoever has come meanwhile") {
  Told told = cluster_of_three();
  told.start(1000, {4});
  told.say(1000.1, messages::coordinator, 4, {1, 2, 3});
  told.say(1000.2, messages::election, 1, {3});
  told.say(1000.3, messages::answer, 3, {1});
  told.say(1000.3, messages::coordinator, 3, {1});
  SUBCASE("and lives") {
    for (const NodeId node : std::initializer_list<NodeId>{1, 2, 3}) told.ping(1010, node, 4);
    told.say(5000, messages::coordinator, 4, {1});
  }
  SUBCASE("and dies at once") {
    told.say(1002, messages::coordinator, 4, {1});
    told.add(1003, 4, TraceEvent::crash);
    told.say(1004, messages::coordinator, 3, {1, 2});
    told.ping(1010, 1, 3);
    told.ping(1010, 2, 3);
  }
  SUBCASE("and was told while it was stopped") {
    told.records.clear();
    told = cluster_of_three();
    told.start(1000, {4});
    told.say(1000.1, messages::coordinator, 4, {1, 2, 3});
    told.ping(1010, 1, 4);
    told.ping(1010, 2, 4);
    told.say(9000, messages::coordinator, 3, {2});
    told.ping(9010, 3, 4);
    told.say(9500, messages::coordinator, 4, {2});
  }
  CHECK(broken(told.judged()) == "");
}

TEST_CASE("check: who was stopped, and asks before it takes what it was told, has ignored nobody") {
  Told told = cluster_of_three();
  told.add(1000, 3, TraceEvent::crash);
  told.say(1000.1, messages::election, 1, {2});
  told.start(1000.2, {4});
  told.say(1000.3, messages::coordinator, 4, {1, 2});
  told.ping(1020, 1, 4);
  told.say(1900, messages::answer, 2, {1});
  told.say(1900, messages::election, 2, {4});
  told.say(1900.1, messages::answer, 4, {2});
  told.ping(1910, 2, 4);
  CHECK(told.judged().verdict == RunVerdict::right);
}

TEST_CASE("check: who may have been stopped since it was asked has not refused an answer") {
  Told told = cluster_of_three();
  told.say(1000, messages::election, 1, {2});
  told.say(1100, messages::coordinator, 3, {1});
  told.ping(1110, 1, 3);
  const auto ask_above = [&told](double ms) {
    told.say(ms, messages::election, 2, {3});
    told.say(ms + 0.1, messages::answer, 3, {2});
    told.say(ms + 0.2, messages::coordinator, 3, {2});
  };
  // Its timers expire before it reads what has come meanwhile.
  SUBCASE("and dies when it goes on") {
    ask_above(4000);
    told.add(4001, 2, TraceEvent::crash);
    CHECK(broken(told.judged()) == "");
  }
  SUBCASE("but has if it then lives on") {
    ask_above(4000);
    ask_above(6500);
    CHECK(broken(told.judged()) == "answered");
  }
  SUBCASE("and has if it was not") {
    ask_above(1200);
    ask_above(4000);
    told.add(4001, 2, TraceEvent::crash);
    CHECK(broken(told.judged()) == "answered");
  }
}

TEST_CASE("check: of who asks and is never seen to have a name no answer is seen") {
  Told told = cluster_of_three();
  told.say(1000, messages::election, 1, {2});
  SUBCASE("with one") {}
  SUBCASE("without one") {
    for (Record& record : told.records) {
      if (record.from == 1) record.from = 0;
      if (record.node == 1 && record.event == TraceEvent::send) record.node = 0;
    }
  }
  const bool has_name = told.records.back().from == 1;
  for (const double ms : {1200.0, 4000.0}) {
    told.say(ms, messages::election, 2, {3});
    told.say(ms + 0.1, messages::answer, 3, {2});
    told.say(ms + 0.2, messages::coordinator, 3, {2});
    told.ping(ms + 10, 2, 3);
  }
  CHECK(broken(told.judged()) == (has_name ? "answered" : ""));
}

TEST_CASE("check: who may have been stopped when it was told who won, and follows the next") {
  Told told = cluster_of_three();
  told.start(1000, {4});
  told.say(1000.1, messages::coordinator, 4, {1, 2, 3});
  for (const NodeId node : std::initializer_list<NodeId>{1, 3}) told.ping(1010, node, 4);
  const auto ask = [&told](double ms) {
    told.say(ms, messages::election, 2, {3, 4});
    told.say(ms + 0.1, messages::answer, 3, {2});
    told.say(ms + 0.1, messages::answer, 4, {2});
    told.say(ms + 0.2, messages::election, 3, {4});
    told.say(ms + 0.3, messages::answer, 4, {3});
    told.say(ms + 0.4, messages::coordinator, 4, {2, 3});
    told.ping(ms + 10, 3, 4);
  };
  SUBCASE("has shown that it takes what it is told") {
    ask(5000);
    told.ping(5010, 2, 4);
    CHECK(told.judged().verdict == RunVerdict::right);
  }
  SUBCASE("has not shown it, and stays in doubt") {
    ask(5000);
    CHECK(told.judged().verdict == RunVerdict::cannot_tell);
  }
  SUBCASE("stays in doubt, though it follows the next, if it was alive meanwhile") {
    told.say(1500, messages::election, 1, {2});
    told.say(1500.1, messages::answer, 2, {1});
    told.say(1500.2, messages::coordinator, 4, {1});
    told.ping(1510, 1, 4);
    ask(5000);
    told.ping(5010, 2, 4);
    CHECK(told.judged().verdict == RunVerdict::cannot_tell);
  }
}

TEST_CASE("check: what is seen late on the first names may have happened in another order") {
  Told told;
  told.start(0, {1, 3});
  told.say(0.1, messages::coordinator, 3, {1});
  // 2 came first; but its stand-in did not.
  told.start(3, {2});
  told.say(3.1, messages::coordinator, 2, {1});
  told.say(12, messages::coordinator, 3, {1});
  told.ping(20, 1, 3);
  told.add(30, 2, TraceEvent::crash);
  CHECK(told.judged().verdict == RunVerdict::right);
}

TEST_CASE("check: one answer that was not seen from outside may have been lost on its way") {
  bool answers_others = false;
  SUBCASE("it answers others") {
    answers_others = true;
  }
  SUBCASE("it answers nobody") {}
  Told told = cluster_of_three();
  told.say(2000, messages::election, 1, {3});
  if (answers_others) told.say(2000.1, messages::answer, 3, {1});
  told.say(3000, messages::election, 2, {3});
  told.say(4000, messages::coordinator, 3, {1, 2});
  told.say(9000, messages::coordinator, 3, {1, 2});
  told.ping(9010, 1, 3);
  told.ping(9010, 2, 3);
  const Report report = told.judged();
  if (answers_others) {
    CHECK(report.verdict == RunVerdict::cannot_tell);
    CHECK(std::ranges::count(report.reasons, Doubt::unseen_message, &Reason::doubt) == 1);
  } else {
    CHECK(broken(report) == "answered");
  }
}

TEST_CASE("check: who takes office beside a higher one that was there long before is named") {
  Told told = cluster_of_three();
  bool has_asked_before = false;
  SUBCASE("unasked as far as it was seen, though it has asked that one before") {
    has_asked_before = true;
    told.say(900, messages::election, 2, {3});
    told.say(900.1, messages::coordinator, 3, {1, 2});
  }
  told.start(1000, {4});
  told.say(1001, messages::coordinator, 4, {1, 2, 3});
  for (const NodeId node : std::initializer_list<NodeId>{1, 2, 3}) told.ping(1010, node, 4);
  const auto take_office = [&] {
    told.say(3000.5, messages::coordinator, 2, {1});
    told.ping(3010, 1, 2);
    // It is live, and holds no election of its own.
    told.say(4000, messages::election, 1, {3});
    told.say(4000.1, messages::answer, 3, {1});
    told.ping(4100, 1, 2);
  };
  told.add(2000, 4, TraceEvent::crash);
  constexpr auto took_office_unasked = ViolationKind::took_office_unasked;
  if (has_asked_before) {
    take_office();
    const Report report = told.judged();
    CHECK(std::ranges::count(report.violations, took_office_unasked, &Violation::kind) == 0);
    CHECK(std::ranges::count(report.reasons, Doubt::unseen_message, &Reason::doubt) == 1);
  }
  SUBCASE("unasked") {
    take_office();
    const Report report = told.judged();
    REQUIRE(broken(report) == "highest-live");
    CHECK(report.violations[0].kind == ViolationKind::took_office_unasked);
    CHECK(report.violations[0].node == 2);
    CHECK(report.violations[0].other == 3);
  }
  SUBCASE("asked, but a recorder under load saw that later than the victory, on another link") {
    take_office();
    told.say(4200, messages::election, 2, {3});
    CHECK(std::ranges::count(told.judged().violations, took_office_unasked, &Violation::kind) == 0);
  }
  SUBCASE("though it has answered") {
    told.say(2100, messages::election, 2, {3});
    told.say(2100.1, messages::answer, 3, {2});
    take_office();
    const Report report = told.judged();
    REQUIRE(broken(report) == "highest-live");
    CHECK(report.violations[0].kind == ViolationKind::answered_in_vain);
  }
  SUBCASE("but not if it was asked, and kept silent") {
    told.say(2100, messages::election, 2, {3});
    take_office();
    CHECK(std::ranges::none_of(told.judged().violations, [](const Violation& violation) {
      return violation.property == &properties::highest_live;
    }));
  }
}

// If a winner tells nobody that it has won, a recorder cannot see it either.
bool tells_winner(const Algorithm& algorithm) {
  return std::ranges::any_of(algorithm.messages, [](MessageType type) {
    return type->role == Role::announces || type->role == Role::spreads;
  });
}

TEST_CASE("check: each lesson that is right by its processes' traces is right from outside") {
  for (const Lesson& lesson : lessons()) {
    CAPTURE(lesson.name);
    const Scenario scenario = parsed(lesson.text);
    Recorder recorder(*scenario.algorithm);
    SimulatedBackend backend(scenario, &recorder);
    Played listener;
    play(scenario, backend, listener);
    const Report full = check_trace(trace_of(recorder.records));
    const Report report = check_trace(seen(recorder.records));
    CHECK(broken(report) == "");
    // Links that reorder are broken, and only the recorder could know.
    if (full.verdict != RunVerdict::right || !tells_winner(*scenario.algorithm)) continue;
    std::string reasons;
    for (const Reason& reason : report.reasons) {
      reasons.append(name_of(reason.doubt)).append(" ");
    }
    CAPTURE(reasons);
    // One that is left alone tells nobody that it has won.
    const std::vector<Election>& all = full.elections;
    const bool is_lone = std::ranges::count_if(all, &Election::held) == 1 && all.back().held &&
                         all.back().survivors.size() == 1;
    const RunVerdict seen_from_outside = is_lone ? RunVerdict::cannot_tell : RunVerdict::right;
    CHECK(report.verdict == seen_from_outside);
    if (is_lone) continue;
    REQUIRE(!report.elections.empty());
    CHECK(report.elections.back().winner == full.elections.back().winner);
    // That all agree from the beginning is an election only for those who write it down.
    CHECK(report.elections.size() + 1 >= full.elections.size());
    for (const MessageType type : scenario.algorithm->messages) {
      CAPTURE(type->code);
      // What has reached the socket of a process that then died was delivered, as far as one sees.
      std::uint64_t unread = 0;
      for (const Record& record : recorder.records) {
        if (!is_about_message(record) || record.type != type) continue;
        record.event == TraceEvent::send ? ++unread : --unread;
      }
      CHECK(delivered(report, type) >= delivered(full, type));
      CHECK(delivered(report, type) <= delivered(full, type) + unread);
    }
  }
}

TEST_CASE("check: under random faults nothing is held against what is seen from outside") {
  constexpr std::uint64_t seeds = is_sanitized ? 40 : 200;
  for (const Algorithm& algorithm : algorithms()) {
    CAPTURE(algorithm.name);
    std::uint64_t right = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      CAPTURE(seed);
      const std::vector<Record> records = faulty_run(algorithm, seed, algorithm.make);
      const Report report = check_trace(seen(records));
      CHECK(report.verdict != RunVerdict::violated);
      CHECK(broken(report) == "");
      right += report.verdict == RunVerdict::right ? 1 : 0;
      // Some write a trace, and some are observed.
      const Report mixed = check_trace(seen(records, {2, 3, 5}));
      CHECK(mixed.verdict != RunVerdict::violated);
      CHECK(broken(mixed) == "");
      CHECK(mixed.observed == std::vector<NodeId>{2, 3, 5});
    }
    CHECK(
        (right > seeds / 2 || !tells_winner(algorithm)));  // a stopped process leaves much in doubt
  }
}

TEST_CASE("check: a fault that shows in the messages is found from outside") {
  // How many runs of a mutant, by their seeds, are judged so. Nodes of ours tell whom they follow
  // at the next ping.
  const auto judged = [](Mutation mutation, RunVerdict verdict, std::uint64_t first,
                         std::uint64_t last) {
    constexpr std::int64_t ping_ns = 30'000'000;
    int count = 0;
    for (std::uint64_t seed = first; seed <= last; ++seed) {
      const Trace full = trace_of(faulty_run(default_algorithm(), seed, [&](NodeId id) {
        return std::make_unique<Mutant>(mutation, id);
      }));
      count += check_trace(trace_of(as_observed(full, {}, ping_ns))).verdict == verdict ? 1 : 0;
    }
    return count;
  };
  CHECK(judged(Mutation::no_answer, RunVerdict::violated, 1, 40) > 25);
  // Few are: what is repaired before the end breaks nothing, and most of it is.
  CHECK(judged(Mutation::asks_nobody, RunVerdict::violated, 110, 130) > 0);
  CHECK(judged(Mutation::silent_restart, RunVerdict::violated, 140, 160) > 0);
  CHECK(judged(Mutation::follows_lower, RunVerdict::violated, 40, 60) > 0);
  // That it was told and went on is seen; that it had taken the message by then is not.
  CHECK(judged(Mutation::ignores_coordinator, RunVerdict::right, 1, 40) < 15);
}

TEST_CASE("check: two coordinators that stay so are found from outside") {
  Told told = cluster_of_three();
  told.start(1000, {4});
  // It tells 1 alone, and all live on: 2 with 3, though every ping could tell it better.
  told.say(1001, messages::coordinator, 4, {1});
  told.ping(1010, 1, 4);
  told.add(100'000, 2, TraceEvent::stop);
  told.say(100'001, messages::coordinator, 4, {1});
  const Report report = told.judged();
  REQUIRE(broken(report) == "never-lower");
  CHECK(report.violations[0].kind == ViolationKind::stayed_with_a_lower);
  CHECK(report.violations[0].node == 2);
  CHECK(report.violations[0].other == 4);
}

TEST_CASE("check: who follows a forged coordinator is found from outside; who forged it is not") {
  Told told = cluster_of_three();
  told.say(2000, messages::coordinator, 1, {2});
  SUBCASE("it is believed") {
    told.ping(2010, 2, 1);
    SUBCASE("and it only pings that one") {
      // A process may ping a lower one for another reason.
      CHECK(broken(told.judged()) == "");
      CHECK(told.judged().verdict == RunVerdict::cannot_tell);
      return;
    }
    SUBCASE("and it says so") {
      told.records.back().said = true;
    }
    told.say(3000, messages::coordinator, 3, {1});
    const Report report = told.judged();
    REQUIRE(broken(report) == "never-lower");
    CHECK(report.violations[0].kind == ViolationKind::follows_below_itself);
    CHECK(report.violations[0].node == 2);
  }
  SUBCASE("it is not") {
    told.say(2001, messages::election, 2, {3});
    told.say(2001.1, messages::answer, 3, {2});
    told.say(2001.1, messages::coordinator, 3, {2});
    told.ping(2010, 2, 3);
    told.ping(2010, 1, 3);
    CHECK(broken(told.judged()) == "");
  }
}

TEST_CASE("check: followers of a dead coordinator without an election are not called right") {
  Told told = cluster_of_three();
  told.add(2000, 3, TraceEvent::crash);
  told.say(100'000, messages::election, 1, {2});
  const Report report = told.judged();
  CHECK(report.verdict != RunVerdict::right);
}

TEST_CASE("check: who was told who has won, and goes on pinging another, has ignored it") {
  std::vector<Record> records = run_of(default_algorithm(), {1, 2, 3, 4}, {2});
  std::erase_if(records, [](const Record& record) {
    return record.node == 1 && (record.coordinator == 4 || record.state == "follower") &&
           record.event != TraceEvent::start && record.t_ns > 0;
  });
  const Report early = check_trace(seen(records));
  CHECK(early.verdict == RunVerdict::cannot_tell);
  REQUIRE(!early.reasons.empty());
  CHECK(early.reasons[0].doubt == Doubt::unconfirmed);
  CHECK(early.reasons[0].nodes == std::vector<NodeId>{1});
  records.push_back({.t_ns = records.back().t_ns + 100 * std::int64_t{1'000'000'000},
                     .node = 1,
                     .pid = 1,
                     .event = TraceEvent::stop});
  std::vector<Record> observed = as_observed(trace_of(records));
  // Only of one that pings is it told.
  observed.insert(observed.begin() + 5,
                  {.node = 1, .pid = 1, .event = TraceEvent::coordinator, .coordinator = 5});
  const Report late = check_trace(trace_of(observed));
  CHECK(broken(late) == "ends");
}

TEST_CASE("check: of a ring a number that is nobody's, and too many messages, show from outside") {
  std::vector<Record> records = run_of(ring(), {1, 3, 2, 4}, {3});
  SUBCASE("a number") {
    const auto at = std::find_if(records.begin(), records.end(), [](const Record& r) {
      return r.event == TraceEvent::send && subject_of(r) && *subject_of(r) != r.node;
    });
    REQUIRE(at != records.end());
    const auto [from, number] = std::pair(at->from, at->number);
    for (Record& record : records) {
      if (record.from == from && record.number == number) set_wire(record, 77, record.epoch());
    }
    CHECK(broken(check_trace(seen(records))) == "own-numbers");
  }
  SUBCASE("too many") {
    std::vector<Record> observed = as_observed(trace_of(records));
    const auto at = std::ranges::find_if(observed, [](const Record& r) {
      return r.event == TraceEvent::send && r.type == messages::value;
    });
    REQUIRE(at != observed.end());
    Record sending = *at;
    std::vector<Record> more;
    for (std::uint64_t number = 99; number < 130; ++number) {
      sending.number = number;
      more.push_back(sending);
      more.push_back(sending);
      more.back().event = TraceEvent::receive;
      more.back().node = sending.to;
      more.back().pid = static_cast<std::int64_t>(sending.to);
    }
    observed.insert(at + 1, more.begin(), more.end());
    // Only where it is known who was lost is there a count to compare with.
    const auto first = std::ranges::find_if(
        observed, [](const Record& r) { return r.event != TraceEvent::start; });
    std::vector<Record> pings;
    for (const NodeId node : std::initializer_list<NodeId>{1, 2, 3, 4}) {
      pings.push_back({.t_ns = first->t_ns,
                       .node = node,
                       .pid = static_cast<std::int64_t>(node),
                       .event = TraceEvent::coordinator,
                       .coordinator = 5});
    }
    observed.insert(first, pings.begin(), pings.end());
    CHECK(broken(check_trace(trace_of(observed))) == "within-bound");
  }
}

TEST_CASE("trace: that a node was observed stands in its start, and is read again") {
  const Record start{.t_ns = 7, .node = 3, .algorithm = "bully", .observed = true};
  const std::string line = trace_line(start);
  CHECK(line ==
        "{\"t\":7,\"node\":3,\"pid\":0,\"event\":\"start\",\"algorithm\":\"bully\",\"observed\":"
        "true}\n");
  CHECK(parse_trace_line(line.substr(0, line.size() - 1)).observed);
  CHECK(parse_trace(line, "t").records[0].observed);
  CHECK_THROWS_AS(parse_trace_line(R"({"t":7,"node":3,"pid":0,"event":"start","observed":"yes"})"),
                  TraceError);
}

TEST_CASE("diagram: of an observed run nothing is drawn that was not seen") {
  const Trace trace = seen(run_of(default_algorithm(), {1, 2, 3}, {1}));
  const Diagram diagram = make_diagram(trace, timeline_of(trace), {0, trace.records.size()}, false);
  CHECK(diagram.winners == std::vector<NodeId>{3});
  CHECK(states_in(diagram).empty());
  for (const Diagram::Step& step : diagram.steps) {
    // No sending is drawn at a step of another time.
    for (const Record& record : step.records) CHECK(record.t_ns - step.t_ns <= 10'000'000);
    if (step.event != TraceEvent::crash && step.event != TraceEvent::start) {
      CHECK(rule_of(step, Language::english).starts_with("Seen from outside"));
    }
  }
  const std::string picture = diagram_text(diagram, Language::english);
  CHECK(picture.find("no coordinator yet") == std::string::npos);
  CHECK(picture.find("3 ★") != std::string::npos);
  CHECK(picture.find("seen") != std::string::npos);
}

TEST_CASE("check: the report on an observed run says on what it rests, and what is not judged") {
  for (const Algorithm& algorithm : algorithms()) {
    if (!tells_winner(algorithm)) continue;
    const Trace trace = seen(run_of(algorithm, {1, 2, 3}, {1}));
    const Report report = check_trace(trace);
    CHECK(report.verdict == RunVerdict::right);
    CHECK(report.rules.empty());
    CHECK(report.not_judged.size() == (algorithm.topology == Topology::ring ? 3 : 1));
    for (const Property* one : report.not_judged) {
      CHECK(std::ranges::count(report.properties, one) == 0);
    }
    const std::string page = check_report(trace, report, Language::english, false);
    CHECK(page.find("Recorded from outside, on the links of the nodes") != std::string::npos);
    CHECK(page.find("not judged: the recorder itself carries the messages") != std::string::npos);
    CHECK(page.find("The rules by which the nodes act cannot be seen") != std::string::npos);
    CHECK(check_report(trace, report, Language::portuguese, false).find("Gravado de fora") !=
          std::string::npos);
    const std::optional<Json> json = parse_json(check_json(trace, report));
    REQUIRE(json);
    CHECK((*json)["evidence"]["observed"].elements.size() == report.nodes.size());
    CHECK((*json)["evidence"]["not_judged"].elements.size() == report.not_judged.size());
  }
  const Trace mixed = seen(run_of(default_algorithm(), {1, 2, 3}, {1}), {2});
  const Report report = check_trace(mixed);
  CHECK(report.verdict == RunVerdict::right);
  const std::string page = check_report(mixed, report, Language::english, false);
  CHECK(page.find("Recorded from outside, on their links: 2.") != std::string::npos);
  CHECK(page.find("not judged of observed nodes") != std::string::npos);
}

TEST_CASE("check: a process that was observed and has written a trace is judged by neither") {
  std::vector<Record> records = run_of(default_algorithm(), {1, 2, 3}, {1});
  const std::vector<Record> observed = as_observed(trace_of(records));
  records.insert(records.end(), observed.begin(), observed.end());
  const Report report = check_trace(trace_of(records));
  CHECK(report.verdict == RunVerdict::cannot_tell);
  REQUIRE(!report.reasons.empty());
  CHECK(report.reasons[0].doubt == Doubt::twice);
}
