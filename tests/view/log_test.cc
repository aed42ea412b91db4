// log_test.cc: what people read: the log says what happened.
#include <doctest/doctest.h>

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/carried.h"
#include "commands/commands.h"
#include "election/algorithm.h"
#include "election/participant.h"
#include "fixture/played.h"
#include "fixture/said.h"
#include "node/status_reply.h"
#include "sim/experiments.h"
#include "support/log_text.h"
#include "support/messages.h"
#include "support/process.h"
#include "trace/trace.h"
#include "values/status.h"
#include "view/ps_table.h"
#include "view/watch_screen.h"
#include "words/words.h"

using namespace bully;

namespace {

Record message(TraceEvent event, MessageType type, NodeId node, NodeId from, NodeId to) {
  return {.node = node, .event = event, .type = type, .from = from, .to = to};
}

}  // namespace

TEST_CASE("width counts characters, not bytes") {
  CHECK(width("ELEIÇÃO") == 7);
  CHECK(padded("ção", 5) == "ção  ");
  CHECK(right_aligned("ção", 5) == "  ção");
}

TEST_CASE("the log joins sends of one kind, and shows the processes that were gone") {
  std::vector<Record> records;
  for (const NodeId to : std::vector<NodeId>{5, 6, 7}) {
    records.push_back(message(TraceEvent::send, messages::election, 4, 4, to));
  }
  records.push_back(message(TraceEvent::lost, messages::election, 4, 4, 7));
  records.back().reason = "gone";
  records.push_back(message(TraceEvent::receive, messages::answer, 4, 6, 4));
  CHECK(log_text(records, Language::english) ==
        "00:00      4  →  ELECTION     to 5, 6, 7\n"
        "00:00      4  ×  ELECTION     to 7: no such process any more\n"
        "00:00      4  ←  ANSWER       from 6\n");
}

TEST_CASE("the log shows each lost message under its own name") {
  std::vector<Record> records = {message(TraceEvent::lost, messages::election, 4, 4, 7),
                                 message(TraceEvent::send, messages::answer, 4, 4, 7),
                                 message(TraceEvent::lost, messages::answer, 4, 4, 7)};
  for (Record& record : records) {
    if (record.event == TraceEvent::lost) record.reason = "gone";
  }
  CHECK(log_text(records, Language::english) ==
        "00:00      4  ×  ELECTION     to 7: no such process any more\n"
        "00:00      4  →  ANSWER       to 7\n"
        "00:00      4  ×  ANSWER       to 7: no such process any more\n");
}

TEST_CASE("the log shows dropped input, escaped and shortened, once") {
  for (const Language language : languages) {
    std::string shown;
    Log log({.language = language}, seconds_since(0),
            [&](std::string_view lines) { shown += lines; });
    const Record drop{.node = 4, .event = TraceEvent::drop, .reason = "malformed"};
    log.dropping("GET /\x1b\r\n");
    log.record(drop);
    log.flush();
    CHECK(contains(shown, ": 'GET /\\x1b\\x0d\\x0a'\n"));
    log.dropping(std::string(50, 'x'));
    log.record(drop);
    log.record(drop);
    log.flush();
    CHECK(count_of(shown, "'" + std::string(40, 'x') + "…'") == 1);
  }
}

TEST_CASE("the log shows a message that its receiver does not take, with the reason") {
  const Message question{.type = messages::election, .from = 3};
  const std::vector<Record> records = {message(TraceEvent::send, messages::election, 4, 4, 5),
                                       lost_message(4, question, Loss::foreign),
                                       lost_message(4, question, Loss::self)};
  CHECK(
      log_text(records, Language::english) ==
      "00:00      4  →  ELECTION     to 5\n"
      "00:00      4  ×  ELECTION     from 3: dropped: of another algorithm\n"
      "00:00      4  ×  ELECTION     from 3: dropped: it claims to come from this very process\n");
}

TEST_CASE("the log shows a wait with the rules, and with the state in which it means something") {
  const std::vector<Record> records = {started_wait(4, Timer::answer, 500'900'000),
                                       started_wait(4, Timer::coordinator, std::nullopt),
                                       {.node = 4, .event = TraceEvent::state, .state = "joining"},
                                       started_wait(4, Timer::coordinator, 1'250'000'000)};
  const auto explained = [&](Language language) {
    return log_text(records, {.language = language, .explain = true});
  };
  CHECK(explained(Language::english) ==
        "00:00      4  …  waits at most 501 ms for an ANSWER\n"
        "00:00      4  …  waits for a COORDINATOR\n"
        "00:00      4  *  joining: asks its neighbour for an election\n"
        "00:00      4  …  waits at most 1.25 s for the end of the election\n");
  CHECK(
      contains(explained(Language::portuguese), "espera no máximo 501 ms por um PARAR ELEIÇÃO\n"));
  CHECK(contains(explained(Language::portuguese), "espera no máximo 1,25 s pelo fim da eleição\n"));
  CHECK(!contains(log_text(records, Language::english), "wait"));
}

TEST_CASE("the log's time of day follows a clock that is set, and a machine that has slept") {
  constexpr std::int64_t second = 1'000'000'000;
  constexpr int minutes_per_hour = 60;
  std::int64_t offset = 0;
  const TimeColumn time = time_of_day([&offset] { return offset; });
  const int first = std::stoi(time(0).substr(3, 2));  // a zone may have half an hour
  const auto minutes_later = [&](std::int64_t t_ns) {
    return (std::stoi(time(t_ns).substr(3, 2)) - first + minutes_per_hour) % minutes_per_hour;
  };
  CHECK(time(5 * second).substr(6) == "05.000");
  offset = second / 2;
  CHECK(time(6 * second).substr(6) == "06.000");
  offset = 20 * minutes_per_hour * second;
  CHECK(minutes_later(7 * second) == 20);
  offset = 10 * minutes_per_hour * second;
  CHECK(minutes_later(8 * second) == 10);
}

TEST_CASE("the log names many receivers by the first and the last") {
  std::vector<Record> records;
  for (NodeId to = 0; to < 20; ++to) {
    records.push_back(message(TraceEvent::send, messages::coordinator, 20, 20, to));
  }
  CHECK(log_text(records, Language::portuguese) ==
        "00:00     20  →  COORDENADOR    para 0 … 19 (20 processos)\n");
}

TEST_CASE("the log tells of every kind of event in both languages") {
  for (const Language language : {Language::english, Language::portuguese}) {
    for (std::size_t i = 0; i < trace_event_count; ++i) {
      Record record{.node = 4, .event = static_cast<TraceEvent>(i)};
      record.type = messages::election;
      record.reason = record.event == TraceEvent::drop ? "malformed" : "gone";
      record.timer = "answer";
      record.rule = "highest";
      record.state = "candidate";
      record.coordinator = 7;
      CAPTURE(fields_of(record.event).name);
      const std::string lines =
          log_text(std::array{record}, {.language = language, .explain = true});
      using enum TraceEvent;
      const bool is_news = record.event != end && record.event != step &&
                           record.event != partition && record.event != heal;
      CHECK(count_of(lines, "\n") == (is_news ? 1 : 0));
    }
  }
}

namespace {

// Holds each "… has won" of the log to the records: its process has come to be coordinator; and is
// told once.
class WinnersOnly : public Sink {
 public:
  explicit WinnersOnly(Language language)
      : log_(
            {.language = language, .color = false}, [](std::int64_t) { return "00:00"; },
            [this](std::string_view lines) { lines_ += lines; }),
        sentence_(text(Text::log_state_coordinator, language, {no_id})) {}

  void record(const Record& record) override {
    lines_.clear();
    log_.record(record);
    log_.flush();
    Snapshot& node = nodes_[record.node];
    const bool was_coordinator = is_coordinating(node.state);
    learn(node, record);
    const bool enters =
        record.event == TraceEvent::state && is_coordinating(record.state) && !was_coordinator;
    // A coordinator that starts over announces itself without another state.
    if (record.event == TraceEvent::rule && record.rule == "start") again_.insert(record.node);
    if (record.event == TraceEvent::state || record.event == TraceEvent::start) {
      again_.erase(record.node);
    }
    const bool announces = record.event == TraceEvent::send && record.type->role == Role::announces;
    const bool wins = enters || (announces && was_coordinator && again_.erase(record.node) > 0);
    const std::string expected = wins ? std::to_string(record.node) : "";
    CAPTURE(lines_);
    CHECK(winner_told() == expected);
    winners += wins ? 1 : 0;
  }
  void flush() override { log_.flush(); }

  int winners = 0;

 private:
  static constexpr NodeId no_id = 99;

  // What stands in the place of the id; empty if that sentence is not there.
  std::string winner_told() const {
    const std::size_t place = sentence_.find(std::to_string(no_id));
    const std::string before = sentence_.substr(0, place);
    const std::string after = sentence_.substr(place + std::to_string(no_id).size());
    const std::size_t from = lines_.find(before);
    if (from == std::string::npos) return "";
    const std::size_t begin = from + before.size();
    return lines_.substr(begin, lines_.find(after, begin) - begin);
  }

  std::string lines_;
  Log log_;
  std::string sentence_;
  std::map<NodeId, Snapshot> nodes_;
  std::set<NodeId> again_;  // coordinators that start over
};

}  // namespace

TEST_CASE("the log says of the processes that have won, and of no other, that they have") {
  for (const Language language : languages) {
    CAPTURE(code_of(language));
    std::set<std::string_view> played;
    for (const CarriedText& lesson : lessons()) {
      CAPTURE(lesson.name);
      const Scenario scenario = parsed(lesson.text);
      WinnersOnly winners(language);
      SimulatedBackend stage(scenario, &winners);
      Played listener;
      play(scenario, stage, listener);
      CHECK(winners.winners > 0);
      played.insert(scenario.algorithm().name);
    }
    CHECK(played.size() == algorithms().size());
    for (const Algorithm& algorithm : algorithms()) {
      CAPTURE(algorithm.name);
      for (std::uint64_t seed = 1; seed <= tried(20); ++seed) {
        SweepOptions options{.random_arrangement = true, .pauses = 1, .world = {}};
        options.world.algorithm = &algorithm;
        WinnersOnly winners(language);
        sweep_one(options, seed, &winners);
        CHECK(winners.winners > 0);
      }
    }
  }
}

TEST_CASE("colours only where they are wanted") {
  const Record record = message(TraceEvent::receive, messages::answer, 4, 6, 4);
  const std::string lines =
      log_text(std::array{record}, {.language = Language::english, .color = true});
  check_says(lines, {"\033[36m", "\033[0m\n"});
}

TEST_CASE("a status is read as it was written") {
  NodeStatus status{
      {.id = 7, .condition = Condition::running, .state = "coordinator", .coordinator = 7}, 123};
  status.algorithm = "bully";
  status.monitor_pid = 124;
  status.uptime_ms = 5;
  std::uint64_t sent = 0;
  for (const MessageType type : known_messages().first(5)) status.sent[type] = ++sent;
  status.dropped = 9;
  const auto read = decode_status(encode(status));
  REQUIRE(read);
  CHECK(encode(*read) == encode(status));
  CHECK(read->sent == status.sent);
  CHECK(decode_status("") == std::nullopt);
  CHECK(decode_status("{}") == std::nullopt);
  CHECK(decode_status(encode(status) + "x") == std::nullopt);
}

TEST_CASE("the table of nodes is aligned, and says what is not known") {
  NodeStatus ok{{.id = 12, .condition = Condition::running, .state = "follower"}, 123};
  NodeStatus silent{{.id = 7, .condition = Condition::stopped}, 99};
  NodeStatus stale{{.id = 3, .condition = Condition::crashed}};
  ok.dropped = 4;
  CHECK(ps_table({stale, silent, ok}, Language::english) ==
        "ID  PID  STATE      COORDINATOR  MONITOR  SENT E/PE/C/1  RECEIVED\n"
        " 3    -  stale      -            -        -              -\n"
        " 7   99  no answer  -            -        -              -\n"
        "12  123  follower   -            -        0/0/0/0        0/0/0/0\n"
        "sent and received, in this order: E ELECTION, PE ANSWER, C COORDINATOR, 1 PING\n"
        "12 has dropped input: 4 times; its log says why\n");
  CHECK(encode(std::vector<NodeStatus>{}) == "[]");
}

TEST_CASE("ps fits 80 columns with long ids, and names two coordinators as such") {
  for (const Language language : languages) {
    for (const auto& [algorithm, first] :
         {std::pair("bully", NodeId{4194302}), std::pair("dolev-klawe-rodeh", NodeId{65534})}) {
      std::vector<NodeStatus> peers;
      for (const NodeId id : {first, first + 1}) {
        const Snapshot self{
            .id = id, .condition = Condition::running, .state = "coordinator", .coordinator = id};
        peers.push_back({self, static_cast<std::int64_t>(id)});
        peers.back().algorithm = algorithm;
        peers.back().monitor_pid = static_cast<std::int64_t>(id);
        peers.back().sent[messages::ping] = 123;
        peers.back().dropped = 1'000'000;
      }
      std::istringstream table(ps_table(peers, language));
      std::string last;
      for (std::string line; std::getline(table, line); last = line) {
        CHECK_MESSAGE(width(line) <= 80, line);
      }
      CHECK(last == coordinators_words(peers, language));
      peers.pop_back();
      const std::string both(text(Text::two_coordinators, language, {""}));
      CHECK(ps_table(peers, language).find(both) == std::string::npos);
    }
  }
}

TEST_CASE("ps names the messages below a table that would be too wide") {
  NodeStatus wide{{.id = 4194302, .condition = Condition::running, .state = "reorganization"}};
  wide.pid = wide.monitor_pid = 4194302;
  wide.algorithm = "garcia-molina";
  for (const Language language : languages) {
    const std::string table = ps_table({wide}, language);
    CAPTURE(table);
    CHECK(contains(table, text(Text::ps_counts, language, {""})));
    const std::string heading = table.substr(0, table.find('\n'));
    CHECK(heading.find('/') == std::string::npos);
    CHECK(contains(heading, text(Text::watch_received, language)));
  }
}

TEST_CASE("options are read in both forms, and every mistake has its words") {
  std::string directory = "/a";
  std::chrono::nanoseconds pace{0};
  std::size_t color = 0;
  bool quiet = false;
  const auto parse = [&](const std::vector<std::string>& arguments) -> std::string {
    Invocation invocation;
    Options options(invocation);
    options.value("--dir", "DIR", directory, Text::option_dir);
    options.duration("--pace", pace, std::chrono::milliseconds(0), Text::option_pace);
    options.choice("--color", {"auto", "never"}, color, Text::option_color);
    options.flag("--quiet", quiet, Text::option_quiet);
    try {
      options.read(arguments);
      return "";
    } catch (const UsageError& error) {
      return error.what();
    }
  };
  CHECK(parse({"--dir=/b", "--pace", "1.5s", "--color=never", "--quiet"}).empty());
  CHECK(directory == "/b");
  CHECK(pace == std::chrono::milliseconds(1500));
  CHECK(color == 1);
  CHECK(quiet);
  for (const auto& [written, ms] :
       {std::pair("0.1s", 100), std::pair(".5s", 500), std::pair("2.s", 2000),
        std::pair("0.25s", 250), std::pair("0,25s", 250), std::pair("3599.999s", 3'599'999),
        std::pair("0ms", 0)}) {
    const std::string given = written;
    CAPTURE(given);
    CHECK(parse({"--pace=" + given}).empty());
    CHECK(pace == std::chrono::milliseconds(ms));
  }
  CHECK(parse({"--dri=/b"}) == "unknown option --dri; did you mean '--dir'?");
  CHECK(parse({"--dir", "--quiet"}) == "option --dir needs a value");
  for (const char* wrong : {"", "5", "ms", "5m", "-1s", "1e3s", "nan s", "nans", "inf", "infs",
                            "2h", "3601s", "1 s", "1s ", "0x1s", "+1s", "-0s", ".s", "1.2.3s"}) {
    CAPTURE(wrong);
    check_says(parse({std::string("--pace=") + wrong}), {"must be a duration from 0ms to 3600s"});
  }
}

TEST_CASE(
    "values are filled into a text in whichever order it names them, and never into a value") {
  CHECK(text(Text::usage_not_a_number, Language::english, {"--nodes", "{2}", "1", "9"}) ==
        "--nodes must be a number from 1 to 9, not '{2}'");
}

TEST_CASE("an id of seven digits, as Linux gives them, does not run into the time") {
  const Record record{.node = 4194213, .event = TraceEvent::leave};
  CHECK(log_text(std::array{record}, Language::english) == "00:00 4194213  -  leaves\n");
}
