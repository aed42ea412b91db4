// script.cc: a method for each word of the language.
#include "sim/script.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include "base/list.h"
#include "base/text.h"
#include "sim/script_line.h"
#include "sim/script_text.h"

namespace bully {

namespace {

constexpr std::uint64_t most_slow = 1'000;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";  // as some editors write it

// `en:`, `pt:`
std::optional<Language> language_of(std::string_view word) {
  if (!word.ends_with(':')) return std::nullopt;
  word.remove_suffix(1);
  const auto found = std::ranges::find(languages, word, short_code_of);
  return found == languages.end() ? std::nullopt : std::optional(*found);
}

// A method named after the word reads the rest of the line: settings into the scenario, others into
// the step.
struct Reader {
  Scenario& scenario;
  const Algorithm* instead;
  const Algorithm* variant_of = nullptr;
  ScriptLine protocol_line{{}, 0};
  bool peopled = false;  // the settings are over
  std::set<NodeId> running = {};
  ScriptLine line{{}, 0};
  Step step = {};

  // The word's index in the list is the enumerator's value.
  template <typename Enum>
  Enum choice(std::vector<std::string_view> words) {
    return static_cast<Enum>(line.one_of(std::move(words)));
  }

  void read(const ScriptLine& whole, int number);
  void count_running();

  void finish(int lines) {
    if (!peopled) ScriptLine({}, lines).fail({"script_nodes"});
    if (replaces()) scenario.options.algorithm = instead;
  }
  bool replaces() const { return instead != nullptr && instead != &scenario.algorithm(); }
  // True if it has the same messages and states: then it can take all the script's steps.
  bool is_alike() const {
    const Algorithm& own = scenario.algorithm();
    return std::ranges::all_of(own.messages, [&](auto type) { return instead->speaks(type); }) &&
           std::ranges::all_of(own.states, [&](const StateKind& state) {
             return std::ranges::count(instead->states, state.name, &StateKind::name) > 0;
           });
  }
  Problem any_algorithm(std::string_view what) const {
    return {what, {std::string(instead->name), std::string(scenario.algorithm().name)}};
  }
  void begin_step(Verb verb, const ScriptLine& whole) {
    step.verb = verb;
    if (!peopled && verb != Verb::nodes && verb != Verb::frame) whole.fail({"script_nodes_first"});
    if (verb != Verb::nodes) return;
    if (peopled) whole.fail({"script_nodes_once"});
    peopled = true;
    if (variant_of != nullptr && variant_of != &scenario.algorithm()) {
      const std::string its_name(variant_of->name);
      const std::string name(scenario.variant == nullptr ? its_name : scenario.variant->name);
      protocol_line.fail({"script_variant", {name, its_name}});
    }
    const bool is_bound = scenario.variant != nullptr && replaces();
    if (is_bound) protocol_line.fail(any_algorithm("script_any_script"));
  }
  // True if this is the same picture's label in another language.
  bool is_label_of_last() {
    if (step.verb != Verb::frame || scenario.steps.empty()) return false;
    Step& last = scenario.steps.back();
    if (last.verb != Verb::frame) return false;
    const auto is_empty = [](const std::string& label) { return label.empty(); };
    for (const Step* each : {&last, &step}) {
      if (std::ranges::all_of(each->words, is_empty)) return false;
    }
    for (std::size_t i = 0; i < language_count; ++i) {
      if (!last.words[i].empty() && !step.words[i].empty()) return false;
    }
    for (std::size_t i = 0; i < language_count; ++i) last.words[i] += step.words[i];
    return true;
  }

  // --- Settings ---

  // `en: …`; further lines in that language continue the text.
  void words_into(Texts& texts) {
    const auto language = language_of(line.peek());
    if (!language) line.fail({"script_language"});
    line.word();
    std::string& words = text_in(texts, *language);
    words.append(words.empty() ? "" : " ").append(line.rest());
  }
  void title() { words_into(scenario.title); }
  void watch() { words_into(scenario.watch); }
  void question() { words_into(scenario.question); }
  void answer() { words_into(scenario.answer); }
  void belongs_to() { scenario.concept_name = line.word(); }
  void detector() {
    scenario.options.detection = choice<Detector>({detector_names.begin(), detector_names.end()});
  }
  void algorithm() {
    const auto names = list_of(algorithms(), &Algorithm::name);
    if (std::ranges::none_of(names, [&](std::string_view name) { return line.has_next(name); })) {
      line.fail({"script_algorithm", {'\'' + joined(names, "', '") + '\''}});
    }
    scenario.options.algorithm = &algorithms()[line.one_of(names)];
  }
  void links() { scenario.options.fifo = line.one_of({"fifo", "reorder"}) == 0; }
  void protocol() {
    std::vector<std::string_view> words;
    std::vector<std::pair<const Algorithm*, const Variant*>> variants;
    for (const Algorithm& each : algorithms()) {
      words.push_back(each.name);
      variants.emplace_back(&each, nullptr);
      for (const Variant& variant : each.variants) {
        words.push_back(variant.name);
        variants.emplace_back(&each, &variant);
      }
    }
    std::tie(variant_of, scenario.variant) = variants[line.one_of(words)];
  }
  void seed() { scenario.options.seed = line.number("script_number"); }
  void delay() {
    Delay& delay = scenario.options.delay;
    delay.shape = choice<Delay::Shape>({"fixed", "uniform", "long"});
    delay.shortest = delay.longest = line.duration();
    if (delay.shape == Delay::Shape::fixed) return;
    const ScriptLine before = line;
    delay.longest = line.duration();
    if (delay.longest < delay.shortest) before.fail({"script_longer"});
  }
  void timeout() {
    WorldOptions& options = scenario.options;
    std::chrono::nanoseconds* const timeouts[] = {
        &options.answer_timeout, &options.coordinator_timeout, &options.ping_timeout};
    std::chrono::nanoseconds* const named =
        timeouts[line.one_of({"answer", "coordinator", "ping"})];
    const ScriptLine before = line;
    *named = line.duration();
    if (named->count() == 0) before.fail({"script_interval"});
  }
  void interval() {
    line.require("ping");
    const ScriptLine before = line;
    scenario.options.ping_interval = line.duration();
    if (scenario.options.ping_interval.count() == 0) before.fail({"script_interval"});
  }

  // --- Steps ---

  void nothing() {}
  void id() { step.ids = {line.id()}; }
  void ids() { step.ids = line.ids(); }
  void ring() {
    const ScriptLine before = line;
    step.ids = line.ids_in_order(true);
    const std::set<NodeId> each(step.ids.begin(), step.ids.end());
    std::vector<NodeId> missing;
    std::ranges::set_difference(running, each, std::back_inserter(missing));
    if (!missing.empty()) before.fail({"script_whole_ring", {joined(missing, " ")}});
  }
  void slow() {
    id();
    line.require("by");
    const ScriptLine before = line;
    const std::uint64_t factor = line.number("script_factor");
    if (factor == 0 || factor > most_slow) before.fail({"script_factor"});
    step.number = static_cast<std::uint32_t>(factor);
  }
  void suspect() {
    if (!line.accept("all")) id();
    if (!step.ids.empty() && line.accept("of")) step.whom = line.id();
    if (!line.at_end())
      step.reason = choice<Suspicion>({suspicion_names.begin(), suspicion_names.end()});
  }
  void check() {
    id();
    if (line.accept("of")) step.whom = line.id();
  }
  void partition() {
    ids();
    line.require("from");
    ScriptLine at = line;
    step.others = line.ids();
    std::vector<NodeId> both;
    std::ranges::set_intersection(step.ids, step.others, std::back_inserter(both));
    if (both.empty()) return;
    // The error names the word with the first of them.
    while (!std::ranges::binary_search(ScriptLine(at.peek(), 0).ids(), both.front())) at.word();
    at.fail({"script_one_side", {std::to_string(both.front())}});
  }
  void cut() {
    id();
    line.require("to");
    const ScriptLine at = line;
    step.others = {line.id()};
    if (step.others == step.ids) at.fail({"script_other_node", {std::to_string(step.id())}});
  }
  void loss() {
    std::string_view text = line.peek();
    const bool percent = text.ends_with('%');
    if (percent) text.remove_suffix(1);
    const auto number = parse_number(text);
    if (!percent || !number || *number > 100) line.fail({"script_share"});
    line.word();
    step.number = static_cast<std::uint32_t>(*number * 10'000);
  }
  void run() {
    if (!line.at_end()) step.time = line.duration();
  }
  MessageType message() {
    const std::vector<MessageType>& types = scenario.algorithm().messages;
    const auto full = list_of(types, [](MessageType type) { return in_capitals(type->name); });
    std::vector<std::string_view> words(full.begin(), full.end());
    for (const MessageType type : types) words.push_back(type->code);
    return types[line.one_of(words) % types.size()];
  }
  // `E from 4 to 6 only 2`, `gone to 4`: each part may be left out.
  void messages() {
    MessageFilter& filter = step.filter;
    const std::string_view next = line.peek();
    if (line.accept("gone")) {
      filter.only_refused = true;
    } else if (!line.at_end() && next != "from" && next != "to" && next != "only") {
      filter.type = message();
    }
    if (line.accept("from")) filter.from = line.id();
    if (line.accept("to")) filter.to = line.id();
    if (line.accept("with")) filter.values = fields();
    if (!line.accept("only")) return;
    const ScriptLine before = line;
    filter.only = line.number("script_order");
    if (filter.only == 0) before.fail({"script_order"});
  }
  // The message's fields, without its type and sender, as on the wire.
  FieldValues fields() {
    const MessageFilter& filter = step.filter;
    if (!filter.type || !filter.from) line.fail({"script_with"});
    Message message{.type = *filter.type, .from = *filter.from};
    if (line.accept("nothing")) return message.values;
    const std::string bytes = encode(message) + ";;" + std::string(line.peek());
    message = decode(bytes).value_or(message);
    if (encode(message) != bytes) line.fail({"script_with"});
    line.word();
    return message.values;
  }
  void expire() {
    id();
    step.timer = choice<Timer>({"answer", "coordinator"});
    step.duly = line.accept("duly");
  }
  void frame() {
    if (const auto language = language_of(line.peek())) {
      line.word();
      text_in(step.words, *language) = line.rest();
    } else {
      step.words.fill(line.rest());
    }
  }

  // --- Expectations ---

  void expect() {
    step.denied = line.accept("no");
    if (step.denied && line.peek() != "coordinator") line.fail({"script_word", {"coordinator"}});
    // By the textbook's names, if any.
    auto variables = list_of(scenario.algorithm().make(0)->variables(), &Variable::name);
    std::erase(variables, "");
    if (line.accept("coordinator")) return expect_coordinator();
    if (line.accept("coordinators")) {
      step.verb = Verb::expect_coordinators;
      return ids();
    }
    if (line.accept("state")) return expect_state();
    if (line.accept("property")) return expect_property();
    if (line.accept("messages")) return expect_messages();
    const auto is_next = [this](std::string_view name) { return line.has_next(name); };
    if (std::ranges::any_of(variables, is_next)) return expect_variables(variables);
    std::string names;
    for (const std::string_view name : variables) names += "'" + std::string(name) + "', ";
    line.fail({"script_one_of",
               {names + "'coordinator', 'no coordinator', 'coordinators', 'state', 'property', "
                        "'messages'"}});
  }
  void expect_coordinator() {
    step.verb = Verb::expect_coordinator;
    step.whom = line.id();
    if (line.accept("at")) ids();
  }
  void expect_state() {
    step.verb = Verb::expect_state;
    const std::span<const StateKind> states = scenario.algorithm().states;
    step.state = states[line.one_of(list_of(states, &StateKind::name))].name;
    line.require("at");
    ids();
  }
  // Any property that one look at all processes can decide, promised by the algorithm or not.
  void expect_property() {
    step.verb = Verb::expect_property;
    std::vector<const Property*> checkable = known_properties(scenario.algorithm());
    std::erase_if(checkable, [](const Property* property) { return property->holds == nullptr; });
    step.property = checkable[line.one_of(list_of(checkable, &Property::key))];
  }
  // `d 4 e 4 f nothing at 1`
  void expect_variables(const std::vector<std::string_view>& names) {
    step.verb = Verb::expect_variables;
    do {
      const std::string_view name = names[line.one_of(names)];
      const bool nothing = line.accept("nothing");
      step.values.emplace_back(name, nothing ? std::nullopt : std::optional(line.id()));
    } while (!line.accept("at"));
    ids();
  }
  void expect_messages() {
    step.verb = Verb::expect_messages;
    do {
      if (line.accept("at")) {
        line.require("most");
        step.at_most = line.number("script_messages");
      } else if (line.accept("all")) {
        step.all = line.number("script_messages");
      } else {
        const MessageType type = message();
        step.sent.emplace_back(type, line.number("script_messages"));
      }
    } while (!line.at_end());
  }
};

struct Word {
  std::string_view word;
  void (Reader::*read)();
  std::optional<Verb> verb = std::nullopt;  // nothing: it is a setting, and comes before `nodes`
  // True for a step of one algorithm's election, which makes no sense for another.
  bool of_one_algorithm = false;
};
constexpr Word all_words[] = {
    {"title", &Reader::title},
    {"concept", &Reader::belongs_to},
    {"watch", &Reader::watch},
    {"question", &Reader::question},
    {"answer", &Reader::answer},
    {"detector", &Reader::detector},
    {"algorithm", &Reader::algorithm},
    {"links", &Reader::links},
    {"protocol", &Reader::protocol},
    {"seed", &Reader::seed},
    {"delay", &Reader::delay},
    {"timeout", &Reader::timeout},
    {"interval", &Reader::interval},
    {word_of(Verb::nodes), &Reader::ids, Verb::nodes},
    {word_of(Verb::start), &Reader::id, Verb::start},
    {word_of(Verb::restart), &Reader::id, Verb::restart},
    {word_of(Verb::crash), &Reader::id, Verb::crash},
    {word_of(Verb::leave), &Reader::ids, Verb::leave},
    {word_of(Verb::ring), &Reader::ring, Verb::ring, true},
    {word_of(Verb::pause), &Reader::id, Verb::pause},
    {word_of(Verb::resume), &Reader::id, Verb::resume},
    {word_of(Verb::slow), &Reader::slow, Verb::slow},
    {word_of(Verb::suspect), &Reader::suspect, Verb::suspect},
    {word_of(Verb::check), &Reader::check, Verb::check},
    {word_of(Verb::partition), &Reader::partition, Verb::partition},
    {word_of(Verb::cut), &Reader::cut, Verb::cut},
    {word_of(Verb::heal), &Reader::nothing, Verb::heal},
    {word_of(Verb::loss), &Reader::loss, Verb::loss},
    {word_of(Verb::run), &Reader::run, Verb::run},
    {word_of(Verb::hold), &Reader::nothing, Verb::hold, true},
    {word_of(Verb::deliver), &Reader::messages, Verb::deliver, true},
    {word_of(Verb::drop), &Reader::messages, Verb::drop, true},
    {word_of(Verb::expire), &Reader::expire, Verb::expire, true},
    {word_of(Verb::count), &Reader::nothing, Verb::count},
    {"frame", &Reader::frame, Verb::frame},
    {"expect", &Reader::expect, Verb::expect_coordinator},  // the verb says which expectation it is
};

void Reader::count_running() {
  const Verb verb = step.verb;
  if (verb == Verb::nodes || verb == Verb::start || verb == Verb::restart) {
    running.insert(step.ids.begin(), step.ids.end());
  } else if (verb == Verb::crash || verb == Verb::leave) {
    for (const NodeId id : step.ids) running.erase(id);
  }
}

void Reader::read(const ScriptLine& whole, int number) {
  if (whole.at_end() || whole.peek()[0] == '#') return;
  line = whole;
  step = {.line = number, .text = ScriptLine(whole).rest()};
  const std::string_view verb = line.word();
  if (const auto language = language_of(verb)) {
    step.verb = Verb::say;
    step.language = *language;
    text_in(step.words, *language) = line.rest();
    return scenario.steps.push_back(std::move(step));
  }
  const auto* word = std::ranges::find(all_words, verb, &Word::word);
  if (word == std::end(all_words)) {
    whole.fail({"script_step", {joined(all_words, ", ", &Word::word)}});
  }
  if (word->verb) {
    begin_step(*word->verb, whole);
  } else if (peopled) {
    whole.fail({"script_setting_first"});
  }
  if (word->read == &Reader::protocol) protocol_line = whole;
  (this->*word->read)();
  line.end();
  if (!word->verb || is_label_of_last()) return;
  const bool is_of_one_algorithm = word->of_one_algorithm || step.verb >= Verb::expect_state;
  if (replaces() && is_of_one_algorithm && !is_alike())
    whole.fail(any_algorithm("script_any_step"));
  if (step.verb == Verb::ring && !scenario.algorithm().has_ring()) {
    whole.fail({"script_no_ring", {std::string(scenario.algorithm().name)}});
  }
  count_running();
  scenario.steps.push_back(std::move(step));
}

}  // namespace

std::variant<Scenario, ScenarioError> parse_scenario(std::string_view name, std::string_view text,
                                                     const Algorithm* instead) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  Scenario scenario;
  scenario.name = name;
  Reader reader{scenario, instead};
  int number = 0;
  try {
    while (!text.empty()) {
      const std::string_view whole = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(whole.size() + 1, text.size()));
      const ScriptLine line(whole, ++number);
      line.require_text();
      reader.read(line, number);
    }
    reader.finish(number + 1);
  } catch (ScenarioError& error) {
    error.file = name;
    return error;
  }
  return scenario;
}

}  // namespace bully
