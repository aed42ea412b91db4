#include "sim/scenario.h"

#include <algorithm>
#include <functional>
#include <map>

#include "sim/message_words.h"
#include "sim/overloaded.h"
#include "sim/scenario_line.h"

namespace bully {

namespace {

const std::map<std::string_view, Timer> timer_words = {{"answer", Timer::answer},
                                                       {"coordinator", Timer::coordinator}};

// `E from 4 to 6 only 2`, `gone to 4`: each part may be left out.
MessageFilter filter(ScriptLine& line, const Algorithm& algorithm) {
  MessageFilter filter;
  if (line.accept("gone")) {
    filter.only_refused = true;
  } else if (!line.at_end() && line.peek() != "from" && line.peek() != "to" &&
             line.peek() != "only") {
    filter.type = line.one_of(message_words(algorithm));
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
  if (step.id && line.accept("of")) step.whom = line.id();
  if (line.at_end()) return step;
  step.reason = line.one_of<Suspicion>(
      {{"down", Suspicion::down}, {"hung", Suspicion::hung}, {"deposed", Suspicion::deposed}});
  return step;
}

step::ExpectState expect_state(ScriptLine& line, const Algorithm& algorithm) {
  std::map<std::string_view, std::string> words;
  for (const std::string_view state : algorithm.states) words.emplace(state, state);
  step::ExpectState step;
  step.state = line.one_of(words);
  line.require("at");
  step.at = line.ids();
  return step;
}

// By the names that the textbook gives them, where it has any.
std::map<std::string_view, std::string> variable_words(const Algorithm& algorithm) {
  std::map<std::string_view, std::string> words;
  for (const Variable& variable : algorithm.make(0)->variables()) {
    if (!variable.name.empty()) words.emplace(variable.name, variable.name);
  }
  return words;
}

// `d 4 e 4 f nothing at 1`
step::ExpectVariables expect_variables(ScriptLine& line, const Algorithm& algorithm) {
  const auto names = variable_words(algorithm);
  step::ExpectVariables step;
  do {
    const std::string name = line.one_of(names);
    const bool nothing = line.accept("nothing");
    step.values.emplace_back(name, nothing ? std::nullopt : std::optional(line.id()));
  } while (!line.accept("at"));
  step.at = line.ids();
  return step;
}

step::ExpectMessages expect_messages(ScriptLine& line, const Algorithm& algorithm) {
  const auto words = message_words(algorithm);
  step::ExpectMessages step;
  do {
    if (line.accept("at")) {
      line.require("most");
      step.at_most = line.number("a number of messages");
    } else if (line.accept("all")) {
      step.all = line.number("a number of messages");
    } else {
      const MessageType type = line.one_of(words);
      step.sent.emplace_back(type, line.number("a number of messages"));
    }
  } while (!line.at_end());
  return step;
}

Deed expect(ScriptLine& line, const Algorithm& algorithm) {
  const bool denied = line.accept("no");
  if (denied && line.peek() != "coordinator") line.fail("'coordinator'");
  if (line.accept("coordinator")) {
    step::ExpectCoordinator step{.coordinator = line.id(), .at = {}, .denied = denied};
    if (line.accept("at")) step.at = line.ids();
    return step;
  }
  if (line.accept("coordinators")) return step::ExpectCoordinators{line.ids()};
  if (line.accept("state")) return expect_state(line, algorithm);
  if (line.accept("messages")) return expect_messages(line, algorithm);
  if (variable_words(algorithm).contains(line.peek())) return expect_variables(line, algorithm);
  std::string variables;
  for (const auto& [name, word] : variable_words(algorithm)) variables += "'" + word + "', ";
  line.fail(variables + "'coordinator', 'no coordinator', 'coordinators', 'state' or 'messages'");
}

step::Ring ring(ScriptLine& line) {
  const ScriptLine before = line;
  step::Ring step{line.ids_in_order()};
  std::vector<NodeId> sorted = step.ids;
  std::sort(sorted.begin(), sorted.end());
  const bool twice = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
  if (twice) before.fail("each id once");
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

using ReadStep = std::function<Deed(ScriptLine&, const Algorithm&)>;
const std::map<std::string_view, ReadStep> step_words = {
    {"nodes", [](ScriptLine& line, const Algorithm&) { return step::Nodes{line.ids()}; }},
    {"start", [](ScriptLine& line, const Algorithm&) { return step::Start{line.id()}; }},
    {"restart", [](ScriptLine& line, const Algorithm&) { return step::Start{line.id()}; }},
    {"crash", [](ScriptLine& line, const Algorithm&) { return step::Crash{line.id()}; }},
    {"leave", [](ScriptLine& line, const Algorithm&) { return step::Leave{line.ids()}; }},
    {"ring", [](ScriptLine& line, const Algorithm&) { return ring(line); }},
    {"pause", [](ScriptLine& line, const Algorithm&) { return step::Pause{line.id()}; }},
    {"resume", [](ScriptLine& line, const Algorithm&) { return step::Resume{line.id()}; }},
    {"slow", [](ScriptLine& line, const Algorithm&) -> Deed { return slow(line); }},
    {"suspect", [](ScriptLine& line, const Algorithm&) -> Deed { return suspect(line); }},
    {"partition", [](ScriptLine& line, const Algorithm&) -> Deed { return partition(line); }},
    {"cut", [](ScriptLine& line, const Algorithm&) -> Deed { return cut(line); }},
    {"heal", [](ScriptLine&, const Algorithm&) { return step::Heal{}; }},
    {"loss", [](ScriptLine& line, const Algorithm&) { return step::Loss{loss(line)}; }},
    {"run", [](ScriptLine& line, const Algorithm&) -> Deed { return run(line); }},
    {"hold", [](ScriptLine&, const Algorithm&) { return step::Hold{}; }},
    {"deliver",
     [](ScriptLine& line, const Algorithm& its) { return step::Deliver{filter(line, its)}; }},
    {"drop", [](ScriptLine& line, const Algorithm& its) { return step::Drop{filter(line, its)}; }},
    {"expire", [](ScriptLine& line, const Algorithm&) -> Deed { return expire(line); }},
    {"count", [](ScriptLine&, const Algorithm&) { return step::Count{}; }},
    {"en:",
     [](ScriptLine& line, const Algorithm&) {
       return step::Say{ScriptLanguage::english, line.rest()};
     }},
    {"pt:",
     [](ScriptLine& line, const Algorithm&) {
       return step::Say{ScriptLanguage::portuguese, line.rest()};
     }},
    {"frame", [](ScriptLine& line, const Algorithm&) { return step::Frame{line.rest()}; }},
    {"expect", expect},
};

// What comes before `nodes`.
struct Settings {
  Scenario& scenario;
  std::optional<bool> fifo = std::nullopt;  // not said: as the algorithm asks
};
using ReadSetting = std::function<void(ScriptLine&, Settings&)>;
const std::map<std::string_view, ReadSetting> setting_words = {
    {"title",
     [](ScriptLine& line, Settings& settings) {
       const ScriptLanguage language = line.one_of<ScriptLanguage>(
           {{"en:", ScriptLanguage::english}, {"pt:", ScriptLanguage::portuguese}});
       (language == ScriptLanguage::english ? settings.scenario.title_en
                                            : settings.scenario.title_pt) = line.rest();
     }},
    {"detector",
     [](ScriptLine& line, Settings& settings) {
       settings.scenario.options.detection = line.one_of<Detection>(
           {{"ping", Detection::ping}, {"eof", Detection::eof}, {"off", Detection::off}});
     }},
    {"algorithm",
     [](ScriptLine& line, Settings& settings) {
       std::map<std::string_view, const Algorithm*> words;
       for (const Algorithm& algorithm : algorithms()) words.emplace(algorithm.name, &algorithm);
       settings.scenario.algorithm = line.one_of(words);
     }},
    {"links",
     [](ScriptLine& line, Settings& settings) {
       settings.fifo = line.one_of<bool>({{"fifo", true}, {"reorder", false}});
     }},
    {"protocol",
     [](ScriptLine& line, Settings& settings) {
       settings.scenario.naive = line.one_of<bool>({{"bully", false}, {"naive", true}});
     }},
    {"seed", [](ScriptLine& line,
                Settings& settings) { settings.scenario.options.seed = line.number("a number"); }},
    {"delay",
     [](ScriptLine& line, Settings& settings) { settings.scenario.options.delay = delay(line); }},
    {"timeout",
     [](ScriptLine& line, Settings& settings) {
       WorldOptions& options = settings.scenario.options;
       auto* timeout =
           line.one_of<std::chrono::nanoseconds*>({{"answer", &options.answer_timeout},
                                                   {"coordinator", &options.coordinator_timeout},
                                                   {"ping", &options.ping_timeout}});
       *timeout = line.duration();
     }},
    {"interval",
     [](ScriptLine& line, Settings& settings) {
       line.require("ping");
       const ScriptLine before = line;
       settings.scenario.options.ping_interval = line.duration();
       if (settings.scenario.options.ping_interval.count() == 0)
         before.fail("an interval above zero");
     }},
};

// Whether it is a step of one algorithm's election, and would make no sense of another.
bool is_of_one_algorithm(const Deed& deed) {
  return std::visit(Overloaded{
                        [](const step::Ring&) { return true; },
                        [](const step::Hold&) { return true; },
                        [](const step::Deliver&) { return true; },
                        [](const step::Drop&) { return true; },
                        [](const step::Expire&) { return true; },
                        [](const step::ExpectState&) { return true; },
                        [](const step::ExpectVariables&) { return true; },
                        [](const step::ExpectMessages&) { return true; },
                        [](const auto&) { return false; },
                    },
                    deed);
}

class Parser {
 public:
  Parser(Scenario& scenario, const Algorithm* instead)
      : settings_{scenario}, scenario_(scenario), instead_(instead) {}

  void read(ScriptLine line, std::string_view text, int number) {
    if (line.at_end() || line.peek()[0] == '#') return;
    const ScriptLine before = line;
    const std::string_view verb = line.word();
    const auto setting = setting_words.find(verb);
    if (setting != setting_words.end()) {
      if (peopled_) before.fail("this setting before 'nodes'");
      setting->second(line, settings_);
      line.end();
      return;
    }
    const auto step = step_words.find(verb);
    if (step == step_words.end()) before.fail("a step such as 'nodes', 'crash' or 'expect'");
    const bool words_only = verb == "en:" || verb == "pt:" || verb == "frame";
    if (verb == "nodes") {
      if (peopled_) before.fail("'nodes' only once");
      peopled_ = true;
      check_settings(before);
    } else if (!peopled_ && !words_only) {
      before.fail("'nodes' before any other step");
    }
    Deed deed = step->second(line, *scenario_.algorithm);
    line.end();
    if (replaces() && is_of_one_algorithm(deed)) before.fail(any_algorithm("a step"));
    scenario_.steps.push_back({number, std::string(text), std::move(deed)});
  }

  void finish(int lines) {
    if (!peopled_) ScriptLine({}, lines).fail("a line 'nodes ...'");
    if (replaces()) scenario_.algorithm = instead_;
    scenario_.options.fifo = settings_.fifo.value_or(scenario_.algorithm->is_ring);
  }

 private:
  bool replaces() const { return instead_ != nullptr && instead_ != scenario_.algorithm; }
  std::string any_algorithm(const char* what) const {
    return std::string(what) + " that does not depend on the algorithm, as " +
           std::string(instead_->name) + " takes the place of " +
           std::string(scenario_.algorithm->name);
  }
  // REQUIRES: the settings are over.
  void check_settings(const ScriptLine& at) const {
    if (!scenario_.naive) return;
    if (scenario_.algorithm != &default_algorithm()) at.fail("'protocol naive' only with bully");
    if (replaces()) at.fail(any_algorithm("a script"));
  }

  Settings settings_;
  Scenario& scenario_;
  const Algorithm* instead_;
  bool peopled_ = false;
};

}  // namespace

std::string ScenarioError::message() const {
  return file + ":" + std::to_string(line) + ":" + std::to_string(column) + ": expected " +
         expected + ", found " + (found.empty() ? "the end of the line" : "'" + found + "'");
}

std::variant<Scenario, ScenarioError> parse_scenario(std::string_view name, std::string_view text,
                                                     const Algorithm* instead) {
  Scenario scenario;
  scenario.name = name;
  Parser parser(scenario, instead);
  int number = 0;
  try {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view whole = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      ++number;
      ScriptLine trimmed(whole, number);
      trimmed.require_text();
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
