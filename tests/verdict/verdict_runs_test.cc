// verdict_runs_test.cc: the verdict on each of the small runs in verdict.runs, and that it is
// monotone: what the beginning of a run shows violated, the whole run shows violated.
#include <doctest/doctest.h>

#include <deque>
#include <fstream>
#include <map>
#include <sstream>

#include "base/text.h"
#include "election/bully.h"
#include "election/participant.h"
#include "fixture/judged.h"
#include "history/figures.h"
#include "verdict/verdict.h"

using namespace bully;

namespace {

// A run of verdict.runs, with the verdict that it must get. The file says what a line means.
struct SmallRun {
  std::string title = {};
  std::vector<Record> records = {};
  std::string expected = {};
};

std::int64_t time_in(const std::string& word) {
  static const std::map<std::string, double> units = {
      {"", 1e9}, {"ms", 1e6}, {"s", 1e9}, {"h", 3600e9}};
  std::size_t end = 0;
  const double number = std::stod(word, &end);
  return static_cast<std::int64_t>(number * units.at(word.substr(end)));
}

MessageType type_in(const std::string& code) {
  const std::optional<MessageType> type = message_type(code);
  REQUIRE_MESSAGE(type, code);
  return *type;
}

class Writer {
 public:
  explicit Writer(SmallRun& run) : run_(run) {}

  void take(std::istringstream& line) {
    std::string time;
    NodeId node = 0;
    std::string verb;
    line >> time >> node >> verb;
    t_ns_ = time_in(time);
    std::string object;
    line >> object;
    std::string last;
    line >> last;
    write(node, verb, object, last);
  }

 private:
  void write(NodeId node, const std::string& verb, const std::string& object,
             const std::string& last) {
    static const std::map<std::string, TraceEvent> acts = {{"crash", TraceEvent::crash},
                                                           {"pause", TraceEvent::pause},
                                                           {"resume", TraceEvent::resume},
                                                           {"end", TraceEvent::end},
                                                           {"heal", TraceEvent::heal}};
    static const std::map<std::string, std::string> sends = {
        {"asks", "E"}, {"answers", "PE"}, {"announces", "C"}};
    const auto id = [&object] { return static_cast<NodeId>(std::stoull(object)); };
    if (verb == "start") return start(node, object, last);
    if (verb == "stop") return own({.node = node, .event = TraceEvent::leave});
    if (acts.contains(verb)) return add({.node = node, .event = acts.at(verb)});
    if (verb == "side") return add({.node = node, .event = TraceEvent::partition, .side = id()});
    if (sends.contains(verb)) return send(node, type_in(sends.at(verb)), id());
    if (verb == "hears") return arrive(node, type_in(object), std::stoull(last), {});
    if (verb == "loses") {
      const std::size_t colon = last.find(':');
      return arrive(node, type_in(object), std::stoull(last.substr(0, colon)),
                    last.substr(colon + 1));
    }
    if (verb == "waits") {
      return own({.node = node,
                  .event = TraceEvent::wait,
                  .timer = timer(object),
                  .longest_ns = time_in(last)});
    }
    if (verb == "timeout")
      return own({.node = node, .event = TraceEvent::timeout, .timer = timer(object)});
    if (verb == "suspects" || verb == "skips") {
      return own({.node = node,
                  .event = verb == "skips" ? TraceEvent::step : TraceEvent::suspect,
                  .reason = suspicion_name(last == "hung"      ? Suspicion::hung
                                           : last == "deposed" ? Suspicion::deposed
                                                               : Suspicion::down),
                  .coordinator = id()});
    }
    if (verb == "continues") {
      own({.node = node, .event = TraceEvent::resume});
      return own(
          {.node = node, .event = TraceEvent::step, .reason = "resumed", .coordinator = node});
    }
    if (verb == "candidate" || verb == "waiting") return state(node, verb);
    if (verb == "wins") return follow(node, "coordinator", node);
    if (verb == "follows") return follow(node, "follower", id());
    if (verb == "lives") return own({.node = node, .event = TraceEvent::rule, .rule = "start"});
    if (verb == "misses") return static_cast<void>(++lines_[node]);
    FAIL("verdict.runs: no verb " << verb);
  }

  static std::string_view timer(const std::string& name) {
    return timer_name(name == "answer" ? Timer::answer : Timer::coordinator);
  }

  void start(NodeId node, const std::string& how, const std::string& what) {
    lines_[node] = numbers_[node] = 0;
    ++pids_[node];
    Environment environment{
        .waits = {"ping", 1'000'000'000, 1'000'000'000, 500'000'000, 1'000'000'000, 0}};
    Given given;
    if (how == "preset") given.preset = std::stoull(what);
    if (how == "held") environment.waits.answer_timeout_ns = 0;
    own({.node = node,
         .event = TraceEvent::start,
         .algorithm = "bully",
         .given = std::make_shared<const Given>(given),
         .environment = std::make_shared<const Environment>(environment)});
    if (how == "preset")
      follow(node, node == *given.preset ? "coordinator" : "follower", *given.preset);
  }

  void state(NodeId node, const std::string& name) {
    own({.node = node, .event = TraceEvent::state, .state = find_state(name)->name});
  }
  void follow(NodeId node, const std::string& name, NodeId coordinator) {
    state(node, name);
    own({.node = node, .event = TraceEvent::coordinator, .coordinator = coordinator});
  }

  void send(NodeId node, MessageType type, NodeId to) {
    const Message message{type, node, ++numbers_[node], {}};
    in_flight_[{node, to, std::string(type->code)}].push_back(*message.number);
    own(sent_message(to, message));
  }

  // The earliest message from this process; or, if there is none, one that was never sent.
  void arrive(NodeId node, MessageType type, NodeId other, const std::string& loss) {
    const bool is_receipt = loss.empty();
    const NodeId from = is_receipt ? other : node;
    const NodeId to = is_receipt ? node : other;
    auto& sent = in_flight_[{from, to, std::string(type->code)}];
    Message message{type, from, 1000, {}};
    if (!sent.empty()) {
      message.number = sent.front();
      sent.erase(sent.begin());
    }
    if (is_receipt) return own(receipt_of(message, node));
    const bool is_network = loss == "loss";
    Record lost = lost_message(to, message, is_network ? Loss::chance : Loss::gone);
    is_network ? add(std::move(lost)) : own(std::move(lost));
  }

  void own(Record record) {
    record.n = ++lines_[record.node];
    add(std::move(record));
  }
  void add(Record record) {
    record.t_ns = t_ns_;
    record.pid = static_cast<std::int64_t>(record.node * 100 + pids_[record.node]);
    run_.records.push_back(std::move(record));
  }

  SmallRun& run_;
  std::int64_t t_ns_ = 0;
  std::map<NodeId, std::uint64_t> lines_;
  std::map<NodeId, std::uint64_t> numbers_;
  std::map<NodeId, std::uint64_t> pids_;
  std::map<std::tuple<NodeId, NodeId, std::string>, std::vector<std::uint64_t>> in_flight_;
};

std::deque<SmallRun> small_runs() {
  std::ifstream file("tests/verdict/verdict.runs");
  REQUIRE(file);
  std::deque<SmallRun> runs;
  std::optional<Writer> writer;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with("#")) continue;
    if (line.starts_with("= ")) {
      runs.back().expected = line.substr(2);
    } else if (line.starts_with(" ")) {
      std::istringstream words(line);
      REQUIRE(writer);
      writer->take(words);
    } else {
      runs.push_back({.title = line});
      writer.emplace(runs.back());
    }
  }
  return runs;
}

}  // namespace

TEST_CASE("check: each small run gets its verdict") {
  const std::deque<SmallRun> runs = small_runs();
  CHECK(runs.size() >= 30);
  for (const SmallRun& run : runs) {
    CAPTURE(run.title);
    CHECK(judged::words_of(judged::judge(run.records)) == run.expected);
  }
}

TEST_CASE("check: what the beginning of a small run shows violated, the whole shows violated") {
  for (const SmallRun& run : small_runs()) {
    CAPTURE(run.title);
    judged::check_monotone(run.records, 1);
  }
}

TEST_CASE("check: a coordinator that comes back before it is missed was lost when it crashed") {
  SmallRun run;
  Writer writer(run);
  for (const char* line :
       {"0 1 start preset 2", "0 2 start preset 2", "1s 2 crash", "1.5s 2 start", "1.5s 2 wins",
        "1.5s 2 announces 1", "1.501s 1 hears C 2", "1.501s 1 follows 2"}) {
    std::istringstream words(line);
    writer.take(words);
  }
  const Report report = judged::judge(run.records);
  const Election& election = report.history.elections().all().back();
  CHECK(election.lost_coordinator == 2);
  REQUIRE(phases_of(election).detect);
  CHECK(phases_of(election).detect->ns == 500'000'000);
}
