// trace_test.cc: what is written is read back, and damage is named with its place.
#include <doctest/doctest.h>

#include <cstdio>
#include <memory>
#include <string>

#include "base/json.h"
#include "base/text.h"
#include "election/algorithm.h"
#include "election/participant.h"
#include "fixture/started.h"
#include "node/status_reply.h"
#include "support/messages.h"
#include "support/process.h"
#include "trace/trace.h"
#include "values/status.h"
#include "view/errors.h"

using namespace bully;

namespace {

// Of these lines, the last of which ends here.
std::string error_of(const std::string& text) {
  try {
    parse_trace(text + '\n', "t");
    return "";
  } catch (const TraceError& error) {
    return words_of(error, Language::english);
  }
}

// A line as it was written, without its end.
Record read_back(std::string_view line) {
  REQUIRE(line.ends_with('\n'));
  return parse_trace_line(line.substr(0, line.size() - 1));
}

// A line without its end.
std::string good() {
  std::string line = start_line(4, 9, 1);
  line.pop_back();
  return line;
}

}  // namespace

TEST_CASE("every kind of record is read as it was written") {
  for (std::size_t i = 0; i < trace_event_count; ++i) {
    Record record{.t_ns = 12, .node = 4, .pid = 99, .event = static_cast<TraceEvent>(i)};
    record.type = messages::answer;
    const bool arrives = record.event == TraceEvent::receive;
    record.from = arrives ? highest_id : 4;
    record.to = arrives ? 4 : highest_id;
    Environment environment = {.from_reply = record.event == TraceEvent::coordinator};
    record.environment = std::make_shared<const Environment>(environment);
    if (record.event == TraceEvent::start) record = start_of(4, 99, 12, {.cluster = 3});
    record.reason = record.event == TraceEvent::suspect ? "hung" : "deadline";
    record.timer = "answer";
    record.rule = "ask";
    record.state = "waiting";
    record.coordinator = 7;
    if (record.event == TraceEvent::wait) record.longest_ns = 500'000'000;
    if (record.event == TraceEvent::partition) record.side = 2;
    const std::string line = trace_line(record);
    CAPTURE(line);
    CHECK(trace_line(read_back(line)) == line);
  }
}

TEST_CASE("a wait tells how long it may last, if it has an end") {
  Record wait = started_wait(4, Timer::answer, 500'000'000);
  const std::string line = trace_line(wait);
  CHECK(contains(line, R"("event":"wait","timer":"answer","longest_ns":500000000})"));
  CHECK(read_back(line).longest_ns == std::int64_t{500'000'000});
  wait = started_wait(4, Timer::coordinator, std::nullopt);
  CHECK(contains(trace_line(wait), R"("event":"wait","timer":"coordinator"})"));
  CHECK(read_back(trace_line(wait)).longest_ns == std::nullopt);
}

TEST_CASE("a cut of the network names the side of each process, and its end names none") {
  const Record cut{.node = 4, .event = TraceEvent::partition, .side = 2};
  CHECK(contains(trace_line(cut), R"("event":"partition","side":2})"));
  CHECK(read_back(trace_line(cut)).side == std::uint64_t{2});
  CHECK(contains(trace_line({.node = 4, .event = TraceEvent::heal}), R"("event":"heal"})"));
}

TEST_CASE("the receiver records the loss of a message that it does not take") {
  const Message message{.type = messages::election, .from = 3, .number = 7};
  for (const Loss loss : {Loss::crowded, Loss::foreign, Loss::self}) {
    const Record lost = lost_message(4, message, loss);
    CHECK(is_dropped_by_receiver(lost));
    CHECK(lost.node == 4);
    const std::string line = trace_line(lost);
    CHECK(contains(line, R"("event":"lost","type":"E","from":3,"to":4,"seq":7)"));
    const Record read = read_back(line);
    CHECK(read.node == 4);
    CHECK(read.reason == lost.reason);
  }
  const std::string lost = R"("event":"lost","type":"E","from":3,"to":4,"seq":7,"reason":)";
  CHECK(error_of(R"({"t":1,"node":3,"pid":9,)" + lost + R"("foreign"})") ==
        "t:1: the line contradicts itself: its 'node' must be its 'to'");
  CHECK(error_of(R"({"t":1,"node":4,"pid":9,)" + lost + R"("loss"})") ==
        "t:1: the line contradicts itself: its 'node' must be its 'from'");
}

TEST_CASE("what a ring adds is written where it is, and read back") {
  Record message{.event = TraceEvent::send, .type = messages::value};
  message.number = 3;
  set_wire(message, highest_id, 18446744073709551615ULL);
  std::string line = trace_line(message);
  CHECK(contains(line, R"("seq":3,"subject":2147483647,"epoch":18446744073709551615})"));
  Record read = read_back(line);
  CHECK(read.values == message.values);
  CHECK(trace_line(read) == line);

  Record state{.event = TraceEvent::state, .state = "joining"};
  state.variables = {Variable{"d", 1}, Variable{"e", 4}, Variable{"f", std::nullopt}};
  line = trace_line(state);
  CHECK(contains(line, R"("state":"joining","variables":{"d":1,"e":4,"f":null}})"));
  {
    const std::string gone = line;
    read = read_back(gone);
  }
  CHECK(read.variables == state.variables);  // the words outlive the line
  CHECK(read.state == "joining");

  for (const Algorithm& algorithm : algorithms()) {
    Record start = start_of(4, 9, 1, {.cluster = 3});
    start.algorithm = algorithm.name;
    line = trace_line(start);
    CHECK(contains(line, R"(,"algorithm":")" + std::string(algorithm.name) + '"'));
    CHECK(read_back(line).algorithm == algorithm.name);
    for (const StateKind& kind : algorithm.states) {
      line = trace_line({.event = TraceEvent::state, .state = kind.name});
      CHECK(read_back(line).state == kind.name);
    }
    for (const Rule* rule : algorithm.rules) {
      line = trace_line({.event = TraceEvent::rule, .rule = rule->key});
      CHECK(read_back(line).rule == rule->key);
    }
  }
}

TEST_CASE("what only a ring adds is not written elsewhere") {
  const auto has_none = [](const Record& record) {
    const std::string line = trace_line(record);
    for (const char* key : {"subject", "epoch", "variables"}) CHECK(!contains(line, key));
  };
  has_none({.event = TraceEvent::send, .type = messages::coordinator});
  has_none({.event = TraceEvent::state, .state = "follower"});
}

TEST_CASE("fields that nobody knows are skipped") {
  const std::string state = R"({"t":1,"node":4,"pid":9,"event":"state","state":"relay",)";
  const Record read = parse_trace_line(
      state + R"("mood":[1],"variables":{"x":"?","d":1,"y":2,"z":3,"e":4,"f":null}})");
  CHECK(trace_line(read) == R"({"t":1,"node":4,"pid":9,"event":"state","state":"relay",)"
                            R"("variables":{"d":1,"e":4,"f":null}})"
                            "\n");
}

TEST_CASE("a start that lacks what is needed is refused with its line and the missing field") {
  const std::string ok = good() + "\n";
  for (const char* key : {"algorithm", "detector", "ping_interval_ns", "ping_timeout_ns",
                          "answer_timeout_ns", "coordinator_timeout_ns", "pace_ns", "n"}) {
    const std::string quoted = '"' + std::string(key) + '"';
    REQUIRE(contains(good(), quoted));
    const std::string without = replaced(good(), quoted, "\"other\"");
    CHECK(error_of(ok + without) == "t:2: '" + std::string(key) + "' is missing or malformed");
  }
  CHECK(error_of(start_line(4, 9, 1, {.preset = 3})) == "t:1: 'preset' is missing or malformed");
  CHECK(error_of(R"({"t":1,"node":4,"pid":9,"event":"start"})") ==
        "t:1: 'algorithm' is missing or malformed");
  CHECK(parse_trace_line(R"({"t":1,"node":4,"pid":0,"event":"start","observed":true})").node == 4);
}

TEST_CASE("a reply that names no algorithm is none") {
  CHECK(decode_status(R"({"id":4,"pid":9,"algorithm":"bully","state":"follower"})"));
  for (const char* algorithm : {"", R"("algorithm":"",)", R"("algorithm":null,)"}) {
    CHECK(!decode_status("{" + std::string(algorithm) + R"("id":4,"pid":9,"state":"follower"})"));
  }
}

TEST_CASE("a reply counts the messages of elections, pings and status queries") {
  NodeStatus status{{.id = 4, .condition = Condition::running}, 9};
  status.algorithm = "bully";
  status.received = {{messages::ping, 1}, {messages::status, 2}, {messages::election, 3}};
  const std::string json = encode(status);
  CHECK(contains(json, R"("received":{"1":1,"S":2,"E":3,)"));
  const auto read = decode_status(json);
  REQUIRE(read);
  for (const auto& [type, count] : status.received) CHECK(read->received.of(type) == count);
}

TEST_CASE("a message of a peer that counts none has no number") {
  const Record record{.event = TraceEvent::receive, .type = messages::election};
  const std::string line = trace_line(record);
  CHECK(contains(line, "\"seq\":null"));
  CHECK(read_back(line).number == std::nullopt);
}

TEST_CASE("records are ordered by time, and keep their places") {
  const std::string later = R"({"t":5,"node":4,"pid":9,"event":"stop"})";
  const Trace trace = parse_trace(later + "\n" + good() + "\n", "t");
  REQUIRE(trace.records.size() == 2);
  CHECK(trace.records[0].event == TraceEvent::start);
  CHECK(trace.source(0) == "t:2");
  CHECK(trace.cut.empty());
}

TEST_CASE("a line that a crash cut off where another process goes on is skipped, and said") {
  const Trace trace =
      parse_trace(good() + "\n{\"t\":2,\"no" + good() + "\n{\"t\":4,\"no{\"t\":5,\"no", "t");
  CHECK(trace.records.size() == 2);
  CHECK(trace.cut == std::vector<std::string>{"t"});
}

TEST_CASE("a last line that a crash cut off is skipped, and said") {
  const Trace trace = parse_trace(good() + "\n{\"t\":5,\"no", "t");
  CHECK(trace.records.size() == 1);
  CHECK(trace.cut == std::vector<std::string>{"t"});
  CHECK(parse_trace(good(), "t").cut.empty());  // only its newline is missing
}

TEST_CASE("other damage is named with file and line") {
  const std::string ok = good() + "\n";
  CHECK(error_of(ok + "{\"t\":5,\"no\n" + good()) == "t:2: not a JSON object");
  CHECK(error_of("") == "t:1: not a JSON object");
  CHECK(error_of("[]") == "t:1: not a JSON object");
  CHECK(error_of(R"({"node":4,"pid":9,"event":"start"})") == "t:1: 't' is missing or malformed");
  CHECK(error_of(R"({"t":1,"node":-4,"pid":9,"event":"start"})") ==
        R"(t:1: '"node":-4' is not the id of a process: a whole number from 0 to 2147483647, )"
        "without leading zeros");
  CHECK(error_of(R"({"t":1,"node":"4","pid":9,"event":"stop"})") ==
        "t:1: 'node' is missing or malformed");
  for (
      const char* line :
      {R"({"t":1,"node":2147483648,"pid":9,"event":"stop"})",
       R"({"t":1,"node":4,"pid":9,"event":"coordinator","coordinator":2147483648})",
       R"({"t":1,"node":4,"pid":9,"event":"send","type":"V","from":4,"to":2147483648})",
       R"({"t":1,"node":4,"pid":9,"event":"receive","type":"V","from":2147483648,"to":4})",
       R"({"t":1,"node":4,"pid":9,"event":"send","type":"V","from":4,"to":5,"subject":2147483648})",
       R"({"t":1,"node":4,"pid":9,"event":"send","type":"T","from":4,"to":5,"members":[2147483648]})"}) {
    CAPTURE(line);
    CHECK(contains(error_of(line), ":2147483648' is not the id of a process: "));
  }
  CHECK(error_of(R"({"t":1,"node":4,"pid":9,"event":"begin"})") ==
        "t:1: 'event' is missing or malformed");
  CHECK(error_of(R"({"t":1,"node":4,"pid":9,"event":"state","state":"happy"})") ==
        "t:1: 'state' has a value that no trace has");
  CHECK(error_of(ok + R"({"t":1,"node":4,"pid":9,"event":"start","algorithm":"gone"})") ==
        "t:2: it was recorded with the election 'gone', which this program does not have");
  const std::string sending =
      R"({"t":1,"node":4,"pid":9,"event":"send","type":"V","from":4,"to":5,"seq":1,)";
  CHECK(error_of(sending + "\"subject\":-1}") ==
        R"(t:1: '"subject":-1' is not the id of a process: a whole number from 0 to 2147483647, )"
        "without leading zeros");
  CHECK(error_of(sending + "\"epoch\":\"1\"}") == "t:1: 'epoch' is missing or malformed");
  const std::string state = R"({"t":1,"node":4,"pid":9,"event":"state","state":"relay",)";
  for (const char* variables : {"[]", "1", "\"d\""}) {
    CHECK(error_of(state + "\"variables\":" + variables + '}') ==
          "t:1: 'variables' is missing or malformed");
  }
  CHECK(error_of(state + R"("variables":{"d":"1"}})") == "t:1: 'd' is missing or malformed");
  const std::string line = R"({"t":1,"node":4,"pid":9,"event":)";
  CHECK(error_of(line + R"("wait","timer":"loss"})") ==
        "t:1: 'timer' has a value that no trace has");
  CHECK(error_of(line + R"("wait","timer":"answer","longest_ns":-1})") ==
        "t:1: 'longest_ns' is missing or malformed");
  CHECK(error_of(line + R"("partition"})") == "t:1: 'side' is missing or malformed");
  CHECK(error_of(line + R"("partition","side":0})") == "t:1: 'side' is missing or malformed");
}

TEST_CASE("a file that cannot be read is named") {
  try {
    read_traces({"/nonexistent/trace"});
    FAIL("it was read");
  } catch (const std::system_error& error) {
    CHECK(std::string(error.what()).find("/nonexistent/trace") != std::string::npos);
  }
}

TEST_CASE("a pipe is read as a file, up to the same number of bytes") {
  const std::string path = "tests/golden/election.jsonl";
  const auto read_through_pipe = [&](std::uint64_t most_bytes) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(("cat " + path).c_str(), "r"),
                                                               pclose);
    return read_traces({"/dev/fd/" + std::to_string(fileno(pipe.get()))}, most_bytes);
  };
  const std::uint64_t bytes = bytes_of({path});
  CHECK(read_through_pipe(bytes).records.size() == read_traces({path}, bytes).records.size());
  CHECK_THROWS_AS(read_through_pipe(bytes - 1), TraceTooLarge);
  CHECK_THROWS_AS(read_traces({path}, bytes - 1), TraceTooLarge);
  CHECK_THROWS_AS(read_traces({path, path}, 2 * bytes - 1), TraceTooLarge);
}

TEST_CASE("JSON that is none is refused") {
  for (const char* text :
       {"",    "{",          "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "[1,]",  "\"a", "tru",
        "1 2", "{\"a\":1}}", "\"\\x\"", "\"\n\"",   "-",          "1e",    "+1",  ".5",
        "01x", "1.",         "-1.e3",   "1e+",      "00",         "1.5.2", "- 1", "1e5e5"}) {
    CAPTURE(text);
    CHECK(!parse_json(text));
  }
  std::string deep(100, '[');
  CHECK(!parse_json(deep + std::string(100, ']')));
  for (const char* number : {"0", "-0", "10", "0.5", "-1.5e3", "1E+2", "2e-10"}) {
    CAPTURE(number);
    CHECK(parse_json(number));
  }
  CHECK(parse_json(R"( {"a" : [1, "x\u0041\n", true, null, {}], "b": -1.5e3} )"));
  CHECK((*parse_json(R"({"a":"\"q\""})"))["a"].text == "\"q\"");
  CHECK((*parse_json(json_string("a\"\\\n\x01")))[""].kind == Json::Kind::null);
}
