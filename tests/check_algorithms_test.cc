// check_algorithms_test.cc: the verdict on simulated runs of every algorithm, and on broken rings.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

#include "sim/sweep.h"
#include "trace/json.h"
#include "trace/writer.h"
#include "view/check.h"

using namespace bully;

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t s = 1'000'000'000;

// All that happens, as a trace would have it.
struct Recorder : Sink {
  explicit Recorder(const Algorithm& algorithm) : name(algorithm.name) {}
  void record(const Record& record) override {
    records.push_back(record);
    if (record.event == TraceEvent::start) records.back().algorithm = name;
  }
  std::string_view name;
  std::vector<Record> records;
};

Trace trace_of(const std::vector<Record>& records) {
  std::string text;
  for (const Record& record : records) text += trace_line(record);
  return parse_trace(text, "t");
}

// The properties that are broken, by name.
std::string broken(const Report& report) {
  std::string names;
  for (const Breach& breach : report.breaches) {
    const std::string name(run_property_name(breach.property));
    if (names.find(name) == std::string::npos) names += (names.empty() ? "" : " ") + name;
  }
  return names;
}
std::string broken(const std::vector<Record>& records) {
  return broken(judge(trace_of(records)));
}

WorldOptions quiet(const Algorithm& algorithm) {
  WorldOptions options;
  options.detection = Detection::off;
  options.fifo = algorithm.is_ring;
  return options;
}

const Algorithm& ring() {
  return *find_algorithm("ring");
}

// `order`, clockwise, with a coordinator above them that crashes; `detectors` notice.
std::vector<Record> run_of(const Algorithm& algorithm, const std::vector<NodeId>& order,
                           const std::vector<NodeId>& detectors) {
  Recorder recorder(algorithm);
  World world(quiet(algorithm), &recorder, algorithm.make);
  std::vector<NodeId> all = order;
  const NodeId gone = *std::max_element(order.begin(), order.end()) + 1;
  all.push_back(gone);
  world.found(all);
  world.arrange(all);
  world.crash(gone);
  for (const NodeId detector : detectors) world.suspect(detector);
  world.run_until_settled(seconds(100));
  return recorder.records;
}
std::vector<Record> ring_of_four() {
  return run_of(ring(), {1, 3, 2, 4}, {3});
}

SweepOptions faulty(const Algorithm& algorithm) {
  SweepOptions options;
  options.nodes = 6;
  options.crashes = 3;
  options.restarts = 2;
  options.pauses = 2;
  options.loss_ppm = 10'000;
  options.world.fifo = algorithm.is_ring;
  options.world.delay = {Delay::Shape::uniform, milliseconds(1), milliseconds(30)};
  return options;
}

using Which = bool (*)(const Record&);
std::size_t first_of(const std::vector<Record>& records, Which which) {
  const auto found = std::find_if(records.begin(), records.end(), which);
  REQUIRE(found != records.end());
  return static_cast<std::size_t>(found - records.begin());
}
bool announces(const Record& record) {
  return record.event == TraceEvent::send && record.type == MessageType::leader;
}

// A message that `from` sends and `to` receives at once, before record `at`.
void insert_message(std::vector<Record>& records, std::size_t at, Record message,
                    std::uint64_t number) {
  message.t_ns = records[at].t_ns;
  message.number = number;
  message.node = message.from;
  message.pid = static_cast<std::int64_t>(message.from);
  message.event = TraceEvent::send;
  Record receipt = message;
  receipt.node = message.to;
  receipt.pid = static_cast<std::int64_t>(message.to);
  receipt.event = TraceEvent::receive;
  const auto place = records.begin() + static_cast<std::ptrdiff_t>(at);
  records.insert(records.insert(place, receipt), message);
}

}  // namespace

TEST_CASE("check: under random faults no right protocol is called violated") {
  for (const Algorithm& algorithm : algorithms()) {
    CAPTURE(algorithm.name);
    int right = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
      CAPTURE(seed);
      Recorder recorder(algorithm);
      SweepOptions options = faulty(algorithm);
      options.world.detection = seed % 2 == 0 ? Detection::ping : Detection::eof;
      if (seed % 3 == 0) options.loss_ppm = 0;
      sweep_one(options, seed, &recorder, algorithm.make);
      const Report report = judge(trace_of(recorder.records));
      CHECK(report.algorithm() == &algorithm);
      CHECK(report.verdict != RunVerdict::violated);
      CHECK(broken(report) == "");
      right += report.verdict == RunVerdict::right ? 1 : 0;
    }
    CHECK(right > 200);
  }
}

TEST_CASE("check: killed at whatever moment, a ring has nothing held against it") {
  Recorder recorder(ring());
  SweepOptions options = faulty(ring());
  options.loss_ppm = 0;
  sweep_one(options, 4, &recorder, ring().make);
  const auto& all = recorder.records;
  REQUIRE(all.size() > 100);
  for (std::size_t size = 1; size <= all.size(); ++size) {
    CAPTURE(size);
    CHECK(broken({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(size)}) == "");
  }
}

TEST_CASE("check: a ring whose links reorder is called violated, by the name of what it breaks") {
  for (const char* name : {"ring", "chang-roberts"}) {
    const Algorithm& algorithm = *find_algorithm(name);
    int caught = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      CAPTURE(seed);
      Recorder recorder(algorithm);
      SweepOptions options = faulty(algorithm);
      options.world.fifo = false;
      sweep_one(options, seed, &recorder, algorithm.make);
      const Report report = judge(trace_of(recorder.records));
      const bool by_name = broken(report).find("fifo") != std::string::npos;
      CHECK((report.verdict == RunVerdict::violated) == by_name);
      caught += by_name ? 1 : 0;
    }
    CHECK(caught > 30);
  }
}

TEST_CASE("check: an undisturbed election costs what the textbook counts, whoever sits where") {
  const std::vector<std::vector<NodeId>> orders = {
      {1, 2, 3, 4, 5, 6}, {6, 5, 4, 3, 2, 1}, {1, 5, 3, 7, 2, 6, 4, 8}, {1, 2}};
  for (const Algorithm& algorithm : algorithms()) {
    for (const auto& order : orders) {
      for (const std::vector<NodeId>& detectors : {std::vector<NodeId>{2}, order}) {
        const Report report = judge(trace_of(run_of(algorithm, order, detectors)));
        CAPTURE(algorithm.name);
        CHECK(report.verdict == RunVerdict::right);
        const Figures& figures = report.figures.back();
        REQUIRE(figures.textbook);
        REQUIRE(figures.bound);
        CHECK(!figures.exceeds_bound);
        for (const MessageType type : algorithm.messages) {
          CAPTURE(wire_name(type));
          const MessageFigures& messages = figures.messages[static_cast<std::size_t>(type)];
          CHECK(messages.delivered == count_of(figures.textbook->delivered, type));
          CHECK(messages.sent - (algorithm.is_ring ? messages.lost : 0) ==
                count_of(figures.textbook->sent, type));
          CHECK(count_of(figures.textbook->sent, type) <= count_of(figures.bound->sent, type));
        }
      }
    }
  }
}

TEST_CASE("check: who joins a ring begins an election that the textbook counts") {
  for (const char* name : {"ring", "chang-roberts"}) {
    const Algorithm& algorithm = *find_algorithm(name);
    Recorder recorder(algorithm);
    World world(quiet(algorithm), &recorder, algorithm.make);
    world.found(std::vector<NodeId>{1, 2, 4, 5});
    world.start(3);
    world.run_until_settled(seconds(100));
    const Report report = judge(trace_of(recorder.records));
    CHECK(report.verdict == RunVerdict::right);
    const Election& election = report.elections.back();
    REQUIRE(election.detections.size() == 1);
    CHECK(election.detections[0].occasion == Occasion::start);
    CHECK(election.detections[0].node == 3);
    CHECK(election.winner == 5);
    const Figures& figures = report.figures.back();
    CHECK(figures.messages[static_cast<std::size_t>(MessageType::join)].delivered == 1);
    REQUIRE(figures.textbook);
    CHECK(figures.messages[static_cast<std::size_t>(MessageType::value)].delivered ==
          count_of(figures.textbook->sent, MessageType::value));
  }
}

TEST_CASE("check: a neighbour that dies in mid-election is not a coordinator that was lost") {
  Recorder recorder(ring());
  WorldOptions options = quiet(ring());
  options.detection = Detection::eof;
  World world(options, &recorder, ring().make);
  world.found(std::vector<NodeId>{1, 2, 3, 4, 5, 6});
  world.crash(6);
  world.run_for(milliseconds(1));
  world.suspect(1);
  world.run_for(milliseconds(1));
  REQUIRE(!world.protocol(2).coordinator());
  world.crash(3);
  world.run_until_settled(seconds(100));
  REQUIRE(std::any_of(recorder.records.begin(), recorder.records.end(), [](const Record& r) {
    return r.event == TraceEvent::suspect && r.coordinator == 3;
  }));
  const Report report = judge(trace_of(recorder.records));
  CHECK(report.verdict == RunVerdict::right);
  const Election& election = report.elections.back();
  CHECK(election.winner == 5);
  CHECK(!election.detections.empty());
  for (const Noticed& detection : election.detections) CHECK(detection.suspected == 6);
  CHECK(!report.figures.back().textbook);  // somebody died meanwhile
}

TEST_CASE("check: messages that a ring loses to dead neighbours are shown, and not counted") {
  const Report report = judge(trace_of(run_of(ring(), {3, 1, 2}, {1, 2, 3})));
  const Figures& figures = report.figures.back();
  const auto& values = figures.messages[static_cast<std::size_t>(MessageType::value)];
  CHECK(values.lost > 0);  // 4 is gone, and was next to 2
  REQUIRE(figures.textbook);
  CHECK(values.sent - values.lost == count_of(figures.textbook->sent, MessageType::value));
  CHECK(figures.textbook->nodes == 3);
}

TEST_CASE("check: a ring's message that overtakes another is named") {
  std::vector<Record> records = ring_of_four();
  // The first two receipts on one link change places.
  const auto is_on_link = [](const Record& r) {
    return r.event == TraceEvent::receive && r.from == 1 && r.to == 3;
  };
  const std::size_t first = first_of(records, is_on_link);
  std::size_t second = first + 1;
  while (!is_on_link(records[second])) ++second;
  // Both had been sent by then.
  std::vector<Record> sendings;
  for (const std::size_t i : {first, second}) {
    const auto sending = std::find_if(records.begin(), records.end(), [&](const Record& r) {
      return r.event == TraceEvent::send && r.from == 1 && r.number == records[i].number;
    });
    sendings.push_back(*sending);
  }
  std::swap(records[first].number, records[second].number);
  std::swap(records[first].type, records[second].type);
  std::erase_if(records, [&](const Record& r) {
    return r.event == TraceEvent::send && r.from == 1 && r.number == sendings[1].number;
  });
  const std::size_t at = first_of(records, [](const Record& r) {
    return r.event == TraceEvent::send && r.from == 1 && r.to == 3;
  });
  sendings[1].t_ns = records[at].t_ns;
  records.insert(records.begin() + static_cast<std::ptrdiff_t>(at) + 1, sendings[1]);
  const Report report = judge(trace_of(records));
  CHECK(report.verdict == RunVerdict::violated);
  CHECK(broken(report) == "fifo");
  CHECK(report.breaches[0].node == 3);
  CHECK(report.breaches[0].other == 1);
}

TEST_CASE("check: who goes on with an election in which a second neighbour speaks is named") {
  // Far from the bound, since ids rise.
  std::vector<Record> records = run_of(ring(), {1, 2, 3, 4}, {3});
  // 2 sends to 1 as well, to which 4 sends already; and 1 goes on.
  const std::size_t at = first_of(records, announces);
  Record message = records[at];
  message.type = MessageType::value;
  message.from = 2;
  message.to = 1;
  message.subject = 2;
  insert_message(records, at, message, 99);
  const Report report = judge(trace_of(records));
  CHECK(report.verdict == RunVerdict::violated);
  CHECK(broken(report) == "one-neighbour");
  CHECK(report.breaches[0].node == 1);
  CHECK(report.breaches[0].other == 2);
}

TEST_CASE("check: a number that is nobody's is named") {
  std::vector<Record> records = ring_of_four();
  const std::size_t at = first_of(records, [](const Record& r) {
    return r.event == TraceEvent::send && r.subject && *r.subject != r.node;
  });
  const NodeId from = records[at].from;
  const auto number = records[at].number;
  for (Record& record : records) {
    if (record.from == from && record.number == number) record.subject = 77;
  }
  const Report report = judge(trace_of(records));
  CHECK(report.verdict == RunVerdict::violated);
  CHECK(broken(report) == "own-numbers");
  CHECK(report.breaches[0].node == from);
  CHECK(report.breaches[0].other == 77);
}

TEST_CASE("check: an election that nothing disturbs and that exceeds the bound is named") {
  std::vector<Record> records = ring_of_four();
  const std::size_t at = first_of(records, announces);
  Record message = records[at];
  message.type = MessageType::value;
  for (std::uint64_t i = 0; i < 30; ++i) insert_message(records, at + 2 * i, message, 99 + i);
  CHECK(broken(records) == "within-bound");

  // Where somebody comes meanwhile, it is only noted.
  Record newcomer;
  newcomer.t_ns = records[at].t_ns;
  newcomer.node = 9;
  newcomer.pid = 9;
  newcomer.algorithm = "ring";
  records.insert(records.begin() + static_cast<std::ptrdiff_t>(at), newcomer);
  newcomer.event = TraceEvent::stop;
  records.insert(records.begin() + static_cast<std::ptrdiff_t>(at) + 1, newcomer);
  const Trace trace = trace_of(records);
  const Report report = judge(trace);
  CHECK(broken(report) == "");
  CHECK(report.figures.back().exceeds_bound);
  CHECK(check_report(trace, report, Language::english, false).find("more than the bound") !=
        std::string::npos);
}

TEST_CASE("check: a ring on which all follow a lower one is named") {
  std::vector<Record> records = ring_of_four();
  const std::size_t begins =
      first_of(records, [](const Record& r) { return r.event == TraceEvent::suspect; });
  for (std::size_t i = begins; i < records.size(); ++i) {
    Record& record = records[i];
    if (record.event == TraceEvent::coordinator && record.coordinator == 4) record.coordinator = 3;
    if (record.state == "coordinator") record.state = "follower";
    if (record.event == TraceEvent::state && record.node == 3 && record.state == "follower") {
      record.state = "coordinator";
    }
  }
  CHECK(broken(records) == "highest-live never-lower");
}

TEST_CASE("check: a ring's election of which nothing comes, and a receipt of nothing, are named") {
  std::vector<Record> records = ring_of_four();
  records.resize(first_of(records, announces));
  Record stop;
  stop.t_ns = records.back().t_ns + 30 * s;
  stop.node = 1;
  stop.pid = 1;
  stop.event = TraceEvent::stop;
  records.push_back(stop);
  CHECK(broken(records) == "ends");

  records = ring_of_four();
  records.erase(records.begin() + static_cast<std::ptrdiff_t>(first_of(records, announces)));
  CHECK(broken(records) == "sent");
}

TEST_CASE("check: different algorithms in one trace are a reason to tell nothing") {
  std::vector<Record> records = run_of(default_algorithm(), {1, 2, 3}, {1});
  const std::int64_t ended = records.back().t_ns;
  for (Record record : run_of(ring(), {11, 12, 13}, {11})) {
    record.t_ns += ended;
    records.push_back(record);
  }
  const Trace trace = trace_of(records);
  const Report report = judge(trace);
  CHECK(report.verdict == RunVerdict::cannot_tell);
  CHECK(report.algorithm() == nullptr);
  REQUIRE(report.algorithms.size() == 2);
  const auto mixed = std::find_if(report.reasons.begin(), report.reasons.end(),
                                  [](const Reason& r) { return r.doubt == Doubt::mixed; });
  REQUIRE(mixed != report.reasons.end());
  CHECK(mixed->records.size() == 2);
  for (const Language language : {Language::english, Language::portuguese}) {
    CHECK(check_report(trace, report, language, false).find("bully, ring") != std::string::npos);
  }
  CHECK(check_json(trace, report).find("\"reason\":\"mixed\"") != std::string::npos);
}

TEST_CASE("check: what is judged follows from the algorithm, and the report names it") {
  for (const Algorithm& algorithm : algorithms()) {
    const Trace trace = trace_of(run_of(algorithm, {1, 2, 3}, {1}));
    const Report report = judge(trace);
    const auto judges = [&](RunProperty property) {
      return std::find(report.properties.begin(), report.properties.end(), property) !=
             report.properties.end();
    };
    CHECK(judges(RunProperty::highest_live));
    CHECK(judges(RunProperty::answered) != algorithm.is_ring);
    CHECK(judges(RunProperty::fifo) == algorithm.is_ring);
    const std::string page = check_report(trace, report, Language::english, false);
    CHECK(page.find("algorithm " + std::string(algorithm.name)) != std::string::npos);
    const std::optional<Json> json = parse_json(check_json(trace, report));
    REQUIRE(json);
    CHECK((*json)["algorithms"].elements.at(0).text == algorithm.name);
    CHECK((*json)["properties"].keys.size() == report.properties.size());
    const Json& messages = (*json)["elections"].elements.back()["messages"];
    CHECK(messages.keys.size() == algorithm.messages.size());
  }
}
