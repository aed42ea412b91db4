#include "sim/scenario.h"

#include <algorithm>
#include <functional>
#include <map>

#include "sim/scenario_line.h"

namespace bully {

namespace {

const std::map<std::string_view, MessageType> message_words = {
    {"E", MessageType::election},    {"ELECTION", MessageType::election},
    {"PE", MessageType::answer},     {"ANSWER", MessageType::answer},
    {"C", MessageType::coordinator}, {"COORDINATOR", MessageType::coordinator},
};
const std::map<std::string_view, Timer> timer_words = {{"answer", Timer::answer},
                                                       {"coordinator", Timer::coordinator}};

// `E from 4 to 6 only 2`, `gone to 4`: each part may be left out.
MessageFilter filter(ScriptLine& line) {
  MessageFilter filter;
  if (line.accept("gone")) {
    filter.only_refused = true;
  } else if (!line.at_end() && line.peek() != "from" && line.peek() != "to" &&
             line.peek() != "only") {
    filter.type = line.one_of(message_words);
  }
  if (line.accept("from")) filter.from = line.id();
  if (line.accept("to")) filter.to = line.id();
  if (line.accept("only")) {
    const ScriptLine before = line;
    filter.only = line.number("a number of order, such as 1 for the oldest");
    if (filter.only == 0) before.fail("a number of order, such as 1 for the oldest");
  }
  return filter;
}

step::Suspect suspect(ScriptLine& line) {
  step::Suspect step;
  if (!line.accept("all")) step.id = line.id();
  if (line.at_end()) return step;
  step.reason = line.one_of<Suspicion>(
      {{"down", Suspicion::down}, {"hung", Suspicion::hung}, {"deposed", Suspicion::deposed}});
  return step;
}

Deed expect(ScriptLine& line) {
  const bool denied = line.accept("no");
  if (denied && line.peek() != "coordinator") line.fail("'coordinator'");
  if (line.accept("coordinator")) {
    step::ExpectCoordinator step{.coordinator = line.id(), .at = {}, .denied = denied};
    if (line.accept("at")) step.at = line.ids();
    return step;
  }
  if (line.accept("coordinators")) return step::ExpectCoordinators{line.ids()};
  if (line.accept("state")) {
    step::ExpectState step;
    step.state = line.one_of<std::string>({{"follower", "follower"},
                                           {"candidate", "candidate"},
                                           {"waiting", "waiting"},
                                           {"coordinator", "coordinator"},
                                           {"down", "down"}});
    line.require("at");
    step.at = line.ids();
    return step;
  }
  if (!line.accept("messages")) {
    line.fail("'coordinator', 'no coordinator', 'coordinators', 'state' or 'messages'");
  }
  step::ExpectMessages step;
  do {
    if (line.accept("at")) {
      line.require("most");
      step.at_most = line.number("a number of messages");
    } else if (line.accept("all")) {
      step.all = line.number("a number of messages");
    } else {
      const MessageType type = line.one_of(message_words);
      step.sent.emplace_back(type, line.number("a number of messages"));
    }
  } while (!line.at_end());
  return step;
}

std::uint32_t loss(ScriptLine& line) {
  std::string_view text = line.peek();
  const bool percent = !text.empty() && text.back() == '%';
  if (percent) text.remove_suffix(1);
  const auto number = parse_id(text);
  if (!percent || !number || *number > 100) line.fail("a share such as 5%");
  line.word();
  return static_cast<std::uint32_t>(*number * 10'000);
}

step::Partition partition(ScriptLine& line) {
  step::Partition step;
  step.these = line.ids();
  line.require("from");
  step.those = line.ids();
  return step;
}

step::Slow slow(ScriptLine& line) {
  step::Slow step{.id = line.id()};
  line.require("by");
  const std::uint64_t factor = line.number("a factor");
  step.factor = static_cast<std::uint32_t>(std::min<std::uint64_t>(factor, 1'000'000));
  return step;
}

step::Cut cut(ScriptLine& line) {
  step::Cut step{.from = line.id()};
  line.require("to");
  step.to = line.id();
  return step;
}

step::Expire expire(ScriptLine& line) {
  step::Expire step{.id = line.id()};
  step.timer = line.one_of(timer_words);
  step.duly = line.accept("duly");
  return step;
}

step::Run run(ScriptLine& line) {
  return {line.at_end() ? std::nullopt : std::optional(line.duration())};
}

Delay delay(ScriptLine& line) {
  Delay delay;
  delay.shape = line.one_of<Delay::Shape>({{"fixed", Delay::Shape::fixed},
                                           {"uniform", Delay::Shape::uniform},
                                           {"long", Delay::Shape::long_tailed}});
  delay.shortest = delay.longest = line.duration();
  if (delay.shape == Delay::Shape::fixed) return delay;
  const ScriptLine before = line;
  delay.longest = line.duration();
  if (delay.longest < delay.shortest) before.fail("a duration not shorter than the first");
  return delay;
}

using ReadStep = std::function<Deed(ScriptLine&)>;
const std::map<std::string_view, ReadStep> step_words = {
    {"nodes", [](ScriptLine& line) { return step::Nodes{line.ids()}; }},
    {"start", [](ScriptLine& line) { return step::Start{line.id()}; }},
    {"restart", [](ScriptLine& line) { return step::Start{line.id()}; }},
    {"crash", [](ScriptLine& line) { return step::Crash{line.id()}; }},
    {"pause", [](ScriptLine& line) { return step::Pause{line.id()}; }},
    {"resume", [](ScriptLine& line) { return step::Resume{line.id()}; }},
    {"slow", slow},
    {"suspect", suspect},
    {"partition", partition},
    {"cut", cut},
    {"heal", [](ScriptLine&) { return step::Heal{}; }},
    {"loss", [](ScriptLine& line) { return step::Loss{loss(line)}; }},
    {"run", run},
    {"hold", [](ScriptLine&) { return step::Hold{}; }},
    {"deliver", [](ScriptLine& line) { return step::Deliver{filter(line)}; }},
    {"drop", [](ScriptLine& line) { return step::Drop{filter(line)}; }},
    {"expire", expire},
    {"count", [](ScriptLine&) { return step::Count{}; }},
    {"en:",
     [](ScriptLine& line) {
       return step::Say{ScriptLanguage::english, line.rest()};
     }},
    {"pt:",
     [](ScriptLine& line) {
       return step::Say{ScriptLanguage::portuguese, line.rest()};
     }},
    {"frame", [](ScriptLine& line) { return step::Frame{line.rest()}; }},
    {"expect", expect},
};

using ReadSetting = std::function<void(ScriptLine&, Scenario&)>;
const std::map<std::string_view, ReadSetting> setting_words = {
    {"title",
     [](ScriptLine& line, Scenario& scenario) {
       const ScriptLanguage language = line.one_of<ScriptLanguage>(
           {{"en:", ScriptLanguage::english}, {"pt:", ScriptLanguage::portuguese}});
       (language == ScriptLanguage::english ? scenario.title_en : scenario.title_pt) = line.rest();
     }},
    {"detector",
     [](ScriptLine& line, Scenario& scenario) {
       scenario.options.detection = line.one_of<Detection>(
           {{"ping", Detection::ping}, {"eof", Detection::eof}, {"off", Detection::off}});
     }},
    {"protocol",
     [](ScriptLine& line, Scenario& scenario) {
       scenario.naive = line.one_of<bool>({{"bully", false}, {"naive", true}});
     }},
    {"seed",
     [](ScriptLine& line, Scenario& scenario) { scenario.options.seed = line.number("a number"); }},
    {"delay", [](ScriptLine& line, Scenario& scenario) { scenario.options.delay = delay(line); }},
    {"timeout",
     [](ScriptLine& line, Scenario& scenario) {
       WorldOptions& options = scenario.options;
       auto* timeout =
           line.one_of<std::chrono::nanoseconds*>({{"answer", &options.answer_timeout},
                                                   {"coordinator", &options.coordinator_timeout},
                                                   {"ping", &options.ping_timeout}});
       *timeout = line.duration();
     }},
    {"interval",
     [](ScriptLine& line, Scenario& scenario) {
       line.require("ping");
       const ScriptLine before = line;
       scenario.options.ping_interval = line.duration();
       if (scenario.options.ping_interval.count() == 0) before.fail("an interval above zero");
     }},
};

class Parser {
 public:
  explicit Parser(Scenario& scenario) : scenario_(scenario) {}

  void read(ScriptLine line, std::string_view text, int number) {
    if (line.at_end() || line.peek()[0] == '#') return;
    const ScriptLine before = line;
    const std::string_view verb = line.word();
    const auto setting = setting_words.find(verb);
    if (setting != setting_words.end()) {
      if (peopled_) before.fail("this setting before 'nodes'");
      setting->second(line, scenario_);
      line.end();
      return;
    }
    const auto step = step_words.find(verb);
    if (step == step_words.end()) before.fail("a step such as 'nodes', 'crash' or 'expect'");
    const bool words_only = verb == "en:" || verb == "pt:" || verb == "frame";
    if (verb == "nodes") {
      if (peopled_) before.fail("'nodes' only once");
      peopled_ = true;
    } else if (!peopled_ && !words_only) {
      before.fail("'nodes' before any other step");
    }
    Deed deed = step->second(line);
    line.end();
    scenario_.steps.push_back({number, std::string(text), std::move(deed)});
  }

  void finish(int lines) const {
    if (!peopled_) ScriptLine({}, lines).fail("a line 'nodes ...'");
  }

 private:
  Scenario& scenario_;
  bool peopled_ = false;
};

}  // namespace

std::string ScenarioError::message() const {
  return file + ":" + std::to_string(line) + ":" + std::to_string(column) + ": expected " +
         expected + ", found " + (found.empty() ? "the end of the line" : "'" + found + "'");
}

std::variant<Scenario, ScenarioError> parse_scenario(std::string_view name, std::string_view text) {
  Scenario scenario;
  scenario.name = name;
  Parser parser(scenario);
  int number = 0;
  try {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view whole = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      ++number;
      ScriptLine trimmed(whole, number);
      const std::string shown = ScriptLine(trimmed).rest();
      parser.read(trimmed, shown, number);
    }
    parser.finish(number + 1);
  } catch (ScenarioError& error) {
    error.file = name;
    return error;
  }
  return scenario;
}

}  // namespace bully
