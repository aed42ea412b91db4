#include "sim/scenario.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>

namespace bully {

namespace {

// More ids than this in one range is a slip of the pen.
constexpr std::uint64_t most_ids = 100'000;

bool blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

// One line, word by word. Whatever does not fit throws the ScenarioError; nobody outside sees it
// thrown.
class Line {
 public:
  Line(std::string_view text, int number) : text_(text), number_(number) { skip_blanks(); }

  bool at_end() const { return at_ == text_.size(); }
  std::string_view peek() const {
    std::size_t end = at_;
    while (end < text_.size() && !blank(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }
  std::string_view word() {
    const std::string_view word = peek();
    at_ += word.size();
    skip_blanks();
    return word;
  }
  bool accept(std::string_view wanted) {
    if (peek() != wanted) return false;
    word();
    return true;
  }
  void require(std::string_view wanted) {
    if (!accept(wanted)) fail("'" + std::string(wanted) + "'");
  }
  // The rest of the line as it stands, without the blanks around it.
  std::string rest() {
    std::string_view rest = text_.substr(at_);
    while (!rest.empty() && blank(rest.back())) rest.remove_suffix(1);
    at_ = text_.size();
    return std::string(rest);
  }
  void end() {
    if (!at_end()) fail("the end of the line");
  }
  [[noreturn]] void fail(std::string expected) const {
    throw ScenarioError{.file = {},
                        .line = number_,
                        .column = static_cast<int>(at_) + 1,
                        .expected = std::move(expected),
                        .found = std::string(peek())};
  }

  NodeId id() {
    const auto id = parse_id(peek());
    if (!id || *id > World::highest_id) fail("a node's id");
    word();
    return *id;
  }
  std::uint64_t number(std::string_view what) {
    const auto number = parse_id(peek());
    if (!number) fail(std::string(what));
    word();
    return *number;
  }
  std::vector<NodeId> ids();
  std::chrono::nanoseconds duration();
  template <typename Value>
  Value one_of(const std::map<std::string_view, Value>& words);

 private:
  void skip_blanks() {
    while (at_ < text_.size() && blank(text_[at_])) ++at_;
  }

  std::string_view text_;
  int number_;
  std::size_t at_ = 0;
};

// `1 3 5..8`: one or more ids and ranges. Sorted, each once.
std::vector<NodeId> Line::ids() {
  std::vector<NodeId> ids;
  const auto starts_id = [&] { return !at_end() && peek()[0] >= '0' && peek()[0] <= '9'; };
  if (!starts_id()) fail("a node's id, or a range such as 0..7");
  while (starts_id()) {
    const std::string_view range = peek();
    const std::size_t dots = range.find("..");
    const auto first = parse_id(range.substr(0, dots));
    const auto last = dots == std::string_view::npos ? first : parse_id(range.substr(dots + 2));
    const bool valid =
        first && last && *first <= *last && *last <= World::highest_id && *last - *first < most_ids;
    if (!valid) fail("a node's id, or a range such as 0..7");
    for (NodeId id = *first; id <= *last; ++id) ids.push_back(id);
    word();
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

// `500ms`, `2s`, `50us`.
std::chrono::nanoseconds Line::duration() {
  const std::string_view text = peek();
  std::uint32_t count = 0;
  const auto [unit_at, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const auto unit = text.substr(static_cast<std::size_t>(unit_at - text.data()));
  const bool known = unit == "us" || unit == "ms" || unit == "s";
  if (error != std::errc() || !known) fail("a duration such as 500ms or 2s");
  word();
  if (unit == "us") return std::chrono::microseconds(count);
  if (unit == "ms") return std::chrono::milliseconds(count);
  return std::chrono::seconds(count);
}

template <typename Value>
Value Line::one_of(const std::map<std::string_view, Value>& words) {
  const auto found = words.find(peek());
  if (found != words.end()) {
    word();
    return found->second;
  }
  std::string expected;
  for (const auto& [name, value] : words) {
    expected += (expected.empty() ? "one of '" : ", '") + std::string(name) + "'";
  }
  fail(expected);
}

const std::map<std::string_view, MessageType> message_words = {
    {"E", MessageType::election},    {"ELECTION", MessageType::election},
    {"PE", MessageType::answer},     {"ANSWER", MessageType::answer},
    {"C", MessageType::coordinator}, {"COORDINATOR", MessageType::coordinator},
};
const std::map<std::string_view, Timer> timer_words = {{"answer", Timer::answer},
                                                       {"coordinator", Timer::coordinator}};

// `E from 4 to 6`, `gone to 4`: each part may be left out.
MessageFilter filter(Line& line) {
  MessageFilter filter;
  if (line.accept("gone")) {
    filter.only_refused = true;
  } else if (!line.at_end() && line.peek() != "from" && line.peek() != "to") {
    filter.type = line.one_of(message_words);
  }
  if (line.accept("from")) filter.from = line.id();
  if (line.accept("to")) filter.to = line.id();
  return filter;
}

step::Suspect suspect(Line& line) {
  step::Suspect step;
  if (!line.accept("all")) step.id = line.id();
  if (line.at_end()) return step;
  step.reason = line.one_of<Suspicion>(
      {{"down", Suspicion::down}, {"hung", Suspicion::hung}, {"deposed", Suspicion::deposed}});
  return step;
}

Deed expect(Line& line) {
  if (line.accept("coordinator")) {
    step::ExpectCoordinator step{.coordinator = line.id(), .at = {}};
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
    line.fail("'coordinator', 'coordinators', 'state' or 'messages'");
  }
  step::ExpectMessages step;
  do {
    if (line.accept("all")) {
      step.all = line.number("a number of messages");
    } else {
      const MessageType type = line.one_of(message_words);
      step.sent.emplace_back(type, line.number("a number of messages"));
    }
  } while (!line.at_end());
  return step;
}

std::uint32_t loss(Line& line) {
  std::string_view text = line.peek();
  const bool percent = !text.empty() && text.back() == '%';
  if (percent) text.remove_suffix(1);
  const auto number = parse_id(text);
  if (!percent || !number || *number > 100) line.fail("a share such as 5%");
  line.word();
  return static_cast<std::uint32_t>(*number * 10'000);
}

step::Partition partition(Line& line) {
  step::Partition step;
  step.these = line.ids();
  line.require("from");
  step.those = line.ids();
  return step;
}

step::Slow slow(Line& line) {
  step::Slow step{.id = line.id()};
  line.require("by");
  const std::uint64_t factor = line.number("a factor");
  step.factor = static_cast<std::uint32_t>(std::min<std::uint64_t>(factor, 1'000'000));
  return step;
}

step::Cut cut(Line& line) {
  step::Cut step{.from = line.id()};
  line.require("to");
  step.to = line.id();
  return step;
}

step::Expire expire(Line& line) {
  step::Expire step{.id = line.id()};
  step.timer = line.one_of(timer_words);
  return step;
}

step::Run run(Line& line) {
  return {line.at_end() ? std::nullopt : std::optional(line.duration())};
}

Delay delay(Line& line) {
  Delay delay;
  delay.shape = line.one_of<Delay::Shape>({{"fixed", Delay::Shape::fixed},
                                           {"uniform", Delay::Shape::uniform},
                                           {"long", Delay::Shape::long_tailed}});
  delay.shortest = delay.longest = line.duration();
  if (delay.shape == Delay::Shape::fixed) return delay;
  const Line before = line;
  delay.longest = line.duration();
  if (delay.longest < delay.shortest) before.fail("a duration not shorter than the first");
  return delay;
}

using ReadStep = std::function<Deed(Line&)>;
const std::map<std::string_view, ReadStep> step_words = {
    {"nodes", [](Line& line) { return step::Nodes{line.ids()}; }},
    {"start", [](Line& line) { return step::Start{line.id()}; }},
    {"restart", [](Line& line) { return step::Start{line.id()}; }},
    {"crash", [](Line& line) { return step::Crash{line.id()}; }},
    {"pause", [](Line& line) { return step::Pause{line.id()}; }},
    {"resume", [](Line& line) { return step::Resume{line.id()}; }},
    {"slow", slow},
    {"suspect", suspect},
    {"partition", partition},
    {"cut", cut},
    {"heal", [](Line&) { return step::Heal{}; }},
    {"loss", [](Line& line) { return step::Loss{loss(line)}; }},
    {"run", run},
    {"hold", [](Line&) { return step::Hold{}; }},
    {"deliver", [](Line& line) { return step::Deliver{filter(line)}; }},
    {"drop", [](Line& line) { return step::Drop{filter(line)}; }},
    {"expire", expire},
    {"count", [](Line&) { return step::Count{}; }},
    {"en:",
     [](Line& line) {
       return step::Say{ScriptLanguage::english, line.rest()};
     }},
    {"pt:",
     [](Line& line) {
       return step::Say{ScriptLanguage::portuguese, line.rest()};
     }},
    {"frame", [](Line& line) { return step::Frame{line.rest()}; }},
    {"expect", expect},
};

using ReadSetting = std::function<void(Line&, Scenario&)>;
const std::map<std::string_view, ReadSetting> setting_words = {
    {"title",
     [](Line& line, Scenario& scenario) {
       const ScriptLanguage language = line.one_of<ScriptLanguage>(
           {{"en:", ScriptLanguage::english}, {"pt:", ScriptLanguage::portuguese}});
       (language == ScriptLanguage::english ? scenario.title_en : scenario.title_pt) = line.rest();
     }},
    {"detector",
     [](Line& line, Scenario& scenario) {
       scenario.options.detection = line.one_of<Detection>(
           {{"ping", Detection::ping}, {"eof", Detection::eof}, {"off", Detection::off}});
     }},
    {"protocol",
     [](Line& line, Scenario& scenario) {
       scenario.naive = line.one_of<bool>({{"bully", false}, {"naive", true}});
     }},
    {"seed",
     [](Line& line, Scenario& scenario) { scenario.options.seed = line.number("a number"); }},
    {"delay", [](Line& line, Scenario& scenario) { scenario.options.delay = delay(line); }},
    {"timeout",
     [](Line& line, Scenario& scenario) {
       WorldOptions& options = scenario.options;
       auto* timeout =
           line.one_of<std::chrono::nanoseconds*>({{"answer", &options.answer_timeout},
                                                   {"coordinator", &options.coordinator_timeout},
                                                   {"ping", &options.ping_timeout}});
       *timeout = line.duration();
     }},
    {"interval",
     [](Line& line, Scenario& scenario) {
       line.require("ping");
       const Line before = line;
       scenario.options.ping_interval = line.duration();
       if (scenario.options.ping_interval.count() == 0) before.fail("an interval above zero");
     }},
};

class Parser {
 public:
  explicit Parser(Scenario& scenario) : scenario_(scenario) {}

  void read(Line line, std::string_view text, int number) {
    if (line.at_end() || line.peek()[0] == '#') return;
    const Line before = line;
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
    if (!peopled_) Line({}, lines).fail("a line 'nodes ...'");
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
      Line trimmed(whole, number);
      const std::string shown = Line(trimmed).rest();
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
