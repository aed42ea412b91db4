// readers.cc: everything that reads what others wrote. Whatever it is, it is read or refused; what
// was read can be shown, and says the same when it is written and read again.
#include <chrono>
#include <limits>
#include <optional>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/layout.h"
#include "commands/commands.h"
#include "election/message.h"
#include "election/ping_reply.h"
#include "fuzz/targets.h"
#include "node/status_reply.h"
#include "pictures/diagram.h"
#include "pictures/diagram_steps.h"
#include "sim/player.h"
#include "support/markup.h"
#include "trace/trace.h"
#include "values/status.h"
#include "verdict/verdict.h"
#include "view/check_report.h"
#include "view/errors.h"
#include "view/ps_table.h"
#include "view/watch_screen.h"

namespace bully::fuzz {

void fuzz_wire(std::string_view bytes) {
  if (const auto message = decode(bytes)) {
    const std::string written = encode(*message);
    require(written.size() <= longest_message(written), "no message is too long to be sent");
    require(decode(written) == message, "a message is read as it was written");
  }
  if (const auto reply = decode_ping_reply(bytes)) {
    require(decode_ping_reply(encode(*reply)) == reply, "a reply is read as it was written");
  }
  if (const auto id = parse_id(bytes)) {
    require(std::to_string(*id) == bytes, "an id has one way to be written");
  }
}

// --- The trace ---

namespace {

void check_records(const Trace& trace) {
  for (std::size_t i = 0; i < trace.records.size(); ++i) {
    const Record& record = trace.records[i];
    require(trace.source(i).starts_with("trace:"), "each record has a source");
    require(i == 0 || trace.records[i - 1].t_ns <= record.t_ns, "by time");
    const std::string line = trace_line(record);
    require(trace_line(parse_trace_line({line.data(), line.size() - 1})) == line,
            "a record is read as it was written");
  }
}

void check_report_of(const Trace& trace) {
  const Report report = check_trace(trace);
  for (const Language language : languages) {
    const std::string words = check_report(trace, report, language, false);
    require(is_plain(words), "a report is plain text");
    require(std::ranges::count(words, '\n') <= 5'000, "a report is bounded");
  }
  require(parse_json(check_json(trace, report)).has_value(), "a report is JSON");
}

void check_pictures_of(const Trace& trace) {
  for (const bool pings : {false, true}) {
    const Diagram diagram = make_diagram(trace, {0, trace.records.size()}, pings);
    for (const Language language : languages) {
      require(is_plain(diagram_text(diagram, language)), "a diagram is plain text");
      require(markup_error(diagram_html(diagram, language)).empty(), "a page is well-formed");
      const auto picture = diagram_svg(diagram, language);
      require(!picture || markup_error(*picture).empty(), "a picture is well-formed");
    }
  }
}

}  // namespace

void fuzz_trace(std::string_view bytes) {
  Trace trace;
  try {
    trace = parse_trace(bytes, "trace");
  } catch (const TraceError&) {
    return;
  }
  check_records(trace);
  check_report_of(trace);
  check_pictures_of(trace);
}

// --- What a node says of itself ---

void fuzz_status(std::string_view bytes) {
  if (const auto json = parse_json(bytes)) {
    if (json->is_string()) {
      const auto again = parse_json(json_string(json->text));
      require(again && again->text == json->text, "a string is read as it was written");
    }
    json->as_signed();
  }
  const std::optional<NodeStatus> status = decode_status(bytes);
  if (!status) return;
  const std::string written = encode(*status);
  const std::optional<NodeStatus> again = decode_status(written);
  require(again && encode(*again) == written, "a status is read as it was written");
  const std::vector<NodeStatus> peers = {*status};
  require(parse_json(encode(peers)).has_value(), "what `ps` says is JSON");
  for (const Language language : languages) {
    require(is_plain(ps_table(peers, language)), "what `ps` shows is plain text");
  }
}

// --- A script ---

namespace {

// How much of a script a fuzzer has time for: with more, it would wait, and learn nothing.
constexpr std::size_t max_nodes = 12;
constexpr std::size_t max_steps = 60;
constexpr std::chrono::seconds longest_play(120);
constexpr std::chrono::milliseconds shortest_wait(10);

bool is_modest(const Scenario& scenario) {
  const WorldOptions& options = scenario.options;
  for (const auto wait : {options.answer_timeout, options.coordinator_timeout, options.ping_timeout,
                          options.ping_interval}) {
    if (wait < shortest_wait) return false;
  }
  if (options.delay.longest > longest_play || scenario.steps.size() > max_steps) return false;
  std::size_t nodes = 0;
  std::chrono::nanoseconds played{};
  for (const Step& step : scenario.steps) {
    if (step.verb == Verb::nodes || step.verb == Verb::start) nodes += step.ids.size();
    if (step.ids.size() * step.others.size() > max_steps) return false;
    if (step.verb == Verb::run) played += step.time.value_or(longest_play / 4);
  }
  return nodes <= max_nodes && played <= longest_play;
}

bool is_plain_but_for_tabs(std::string shown) {
  std::erase(shown, '\t');
  return is_plain(shown);
}

// What a play records can be read again.
class Reader : public Sink {
 public:
  void record(const Record& record) override {
    require(record.node <= highest_id, "a node of the script");
    const std::string line = trace_line(record);
    parse_trace_line({line.data(), line.size() - 1});
  }
};

}  // namespace

void fuzz_scenario(std::string_view bytes) {
  const auto read = parse_scenario("script", bytes);
  if (const auto* error = std::get_if<ScenarioError>(&read)) {
    require(error->line >= 1 && error->column >= 1, "an error has a place");
    for (const Language language : languages) {
      const std::string words = words_of(*error, language);
      require(!words.empty(), "an error has words");
      require(is_plain_but_for_tabs(words), "an error is plain text");
    }
    return;
  }
  const auto& scenario = std::get<Scenario>(read);
  if (!is_modest(scenario)) return;
  for (const Step& step : scenario.steps) {
    require(is_plain_but_for_tabs(step.text), "a step is plain text");
  }
  Reader sink;
  SimulatedBackend stage(scenario, &sink);
  Listener nobody;
  const PlayResult result = play(scenario, stage, nobody);
  const int steps = result.kept + result.broken;
  require(steps <= static_cast<int>(scenario.steps.size()), "each step is judged once at most");
}

// --- A command line ---

void fuzz_options(std::string_view bytes) {
  using std::chrono::milliseconds;
  // A path names a program with rules, which would be started.
  if (bytes.find('/') != std::string_view::npos) return;
  const std::vector<std::string> arguments = lines_in(bytes);
  Invocation invocation{.program = "bully", .language = language_of(arguments)};
  Options options(invocation);
  bool flag = false;
  std::string value = "standard";
  std::vector<std::string> values;
  std::chrono::nanoseconds duration = milliseconds(5);
  std::uint64_t number = 5;
  std::optional<std::uint64_t> wanted;
  std::uint32_t share = 50'000;
  std::size_t choice = 1;
  const Algorithm* algorithm = &default_algorithm();
  std::vector<std::string> taken;
  options.group(Text::help_output_options);
  options.flag("--flag", flag, Text::option_help);
  options.value("--value", "WORD", value, Text::option_help);
  options.files("--values", values, Text::option_help);
  options.duration("--duration", duration, milliseconds(1), Text::option_help);
  options.number("--number", number, 3, 1000, Text::option_help);
  options.number("--wanted", wanted, 1, std::numeric_limits<std::uint64_t>::max(),
                 Text::option_help);
  options.share("--share", share, Text::option_help);
  options.choice("--choice", {"one", "other"}, choice, Text::option_help);
  options.algorithm(algorithm);
  options.language();
  options.arguments(Text::help_trace_arguments, taken);
  require(!options.help().empty(), "there is always help");
  try {
    options.read(arguments);
    if (options.shows_help() || options.shows_version()) return;
  } catch (const UsageError& error) {
    require(error.what()[0] != '\0', "an error has words");
    return;
  }
  require(duration >= milliseconds(1) && duration <= std::chrono::hours(1), "a duration's limits");
  require(number >= 3 && number <= 1000, "a number's limits");
  require(!wanted || *wanted >= 1, "another number's limits");
  require(share <= 1'000'000, "a share's limits");
  require(choice <= 1, "a choice");
  require(algorithm != nullptr && find_algorithm(algorithm->name) == algorithm, "an algorithm");
  require(!value.empty(), "a value");
  require(taken.size() + values.size() <= arguments.size(), "nothing is taken twice");
}

}  // namespace bully::fuzz
