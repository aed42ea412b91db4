// orders_page_test.cc: the page of every order against the simulator. page_walks.js goes random
// ways through pages in a browser, by their buttons; here the script that each page saves of them
// is played, and what the page showed after each step is compared. Pages that are wrong are found.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/carried.h"
#include "base/json.h"
#include "base/layout.h"
#include "base/list.h"
#include "fixture/rules.h"
#include "fixture/scripts.h"
#include "sim/player.h"
#include "support/process.h"
#include "support/skip.h"
#include "words/names.h"

using namespace bully;

namespace {

constexpr Language en = Language::english;

std::vector<std::string> texts_in(const Json& list) {
  std::vector<std::string> texts;
  for (const Json& one : list.elements) texts.push_back(one.text);
  return texts;
}

std::vector<std::string> row_of(const Snapshot& node) {
  std::vector<std::string> cells = {std::to_string(node.id), state_words(node, en)};
  cells.push_back(node.coordinator ? std::to_string(*node.coordinator) : "–");
  return cells;
}

std::string sentence_of(const InFlight& entry) {
  const auto& [to, message, refused] = entry;
  return name_of(message.type, message.values, en) +
         (message.values.shown(message.type) ? ", " : " ") + std::to_string(message.from) + " → " +
         std::to_string(to) + (refused ? " gone" : "");
}

// What the page shows after a step and the simulator does not, or the other way round.
std::string difference(const Json& shown, const SimulatedBackend& backend,
                       const Algorithm& algorithm) {
  const std::vector<Snapshot> nodes = backend.nodes();
  for (const Json& row : shown["rows"].elements) {
    const std::vector<std::string> cells = texts_in(row);
    const auto node = std::ranges::find_if(
        nodes, [&](const Snapshot& one) { return std::to_string(one.id) == cells.front(); });
    if (node == nodes.end()) return "there is no process " + cells.front();
    const std::vector<std::string> expected = row_of(*node);
    if (cells != expected) return joined(cells, " ") + ", but it is " + joined(expected, " ");
  }
  std::vector<std::string> listed = texts_in(shown["messages"]);
  std::vector<std::string> sent;
  std::ranges::transform(backend.world().in_flight(), std::back_inserter(sent), sentence_of);
  std::ranges::sort(listed);
  std::ranges::sort(sent);
  if (listed != sent) return joined(listed, "; ") + ", but there are " + joined(sent, "; ");
  std::vector<const Snapshot*> all;
  for (const Snapshot& node : nodes) all.push_back(&node);
  for (const Property* property : algorithm.properties) {
    const bool is_told = property->moment == Property::Moment::every &&
                         property->holds != nullptr &&
                         !property->assumes.has(Assumption::nobody_joins);
    const std::vector<std::string> broken = texts_in(shown["broken"]);
    const std::string name(property->key);
    const bool is_broken = std::ranges::count(broken, name) > 0;
    if (is_told && is_broken == property->holds(algorithm, all)) return "wrong about " + name;
  }
  return {};
}

// Of one way; with its script.
std::string difference(const Json& way) {
  const std::string& script = way["script"].text;
  const auto read = parse_scenario("way", script);
  if (std::holds_alternative<ScenarioError>(read)) return "no script:\n" + script;
  const auto& scenario = std::get<Scenario>(read);
  SimulatedBackend backend(scenario);
  std::size_t played = 0;
  for (const Json& shown : way["steps"].elements) {
    const auto lines = static_cast<int>(shown["lines"].as_unsigned().value_or(0));
    for (; played < scenario.steps.size() && scenario.steps[played].line < lines; ++played) {
      if (backend.perform(scenario.steps[played])) {
        return "cannot: " + scenario.steps[played].text + "\n" + script;
      }
    }
    const std::string wrong = difference(shown, backend, scenario.algorithm());
    if (!wrong.empty()) return wrong + "\nafter line " + std::to_string(lines - 1) + "\n" + script;
  }
  return {};
}

// Of one page in a browser.
struct Seen {
  std::size_t ways = 0;
  std::vector<std::string> differences = {};
  std::string verdict = {};  // of html_selftest.js
};
struct Walked {
  int status = 0;
  std::string output = {};
  std::map<std::string, Seen> pages = {};  // by their files' names
};

Walked walk(const Place& place, const Words& pages) {
  const std::string out = place.path() / "ways";
  const Result result = run(place, Words{"node", "tests/page_walks.js", out} + pages);
  Walked walked{.status = result.status, .output = result.output};
  for (const std::string& line : lines_in(contents(out))) {
    const auto shown = parse_json(line);
    REQUIRE(shown);
    Seen& seen = walked.pages[(*shown)["page"].text];
    if ((*shown)["verdict"].is_string()) {
      seen.verdict = (*shown)["verdict"].text;
      continue;
    }
    ++seen.ways;
    const std::string wrong = difference(*shown);
    if (!wrong.empty()) seen.differences.push_back(wrong);
  }
  return walked;
}

// The page of `verify` with these options, as a file.
std::string page_of(const Place& place, const std::string& name, const Words& options) {
  const Words words = Words{"./bully", "verify", "--format=html"} + options;
  return place.written(name + ".html", output_of(place, words));
}

bool can_browse() {
  return !lacks("node") && !lacks("chromium");
}

// A page that is broken on purpose: `right` stands in it once, and is made `wrong`.
struct Fault {
  std::string name;
  std::string right;
  std::string wrong;
};

std::string broken(const Place& place, const std::string& path, const Fault& fault) {
  return place.written(fault.name + ".html",
                       with_replaced(contents(path), {{fault.right, fault.wrong}}));
}

// Rules from outside, with markup in a text.
std::string hostile_rules(const Place& place) {
  return program_of(place, with_replaced(contents(python_bully),
                                         {{"A process that comes back starts an election.",
                                           "<img src=x onerror=alert(1)></script><img src=y>"}}));
}

// It goes another way than the one chosen; shows the state before; saves too little; and judges by
// another's mark.
const std::vector<Fault> faults_of_orders = {
    {"wrong-turn", "states.push(targetOf(states[i], choice))",
     "states.push(targetOf(states[i], 0))"},
    {"wrong-state", "show(orders.states[here()]",
     "show(orders.states[states[Math.max(0, at - 1)]]"},
    {"wrong-script", "way[i]).lines.map(text)", "way[i]).lines.slice(0, 1).map(text)"},
    {"wrong-mark", "is(state, BITS.first << i));", "is(state, BITS.first << i + 1));"},
};
// It takes each frame for the first one, hides nothing, plays at one speed, or leaves no join out.
const std::vector<Fault> faults_of_runs = {
    {"wrong-frame", "run.frames[frame].parts", "run.frames[0].parts"},
    {"wrong-hiding", "hidden.add(lane)", "0"},
    {"wrong-speed", "Number(byId('speed').value)", "1500"},
    {"wrong-joins", "at = goesOn ? begins : 0", "0"},
};

// Through each page of orders.
const std::size_t ways_each = is_soak() ? 100 : 8;

// Without and with a ring, with a cut, with many questions.
constexpr std::array<std::string_view, 4> typical_lessons = {"worst-case", "partition",
                                                             "chang-roberts", "garcia-molina"};

// All pages are driven in one browser.
struct Pages {
  const Place& place;
  Words all = {};
  std::size_t ways = 0;

  void add_orders(const std::string& name, const Words& options, bool with_hands = false) {
    all.push_back(std::to_string(ways_each) + (with_hands || is_soak() ? ",hands:" : ":") +
                  page_of(place, name, options + Words{"--lang=en"}));
    ways += ways_each;
  }
  // All that language changes is whether the words have room.
  void add_portuguese(const std::string& name, const Words& options) {
    all.push_back("words:" + page_of(place, name + "-pt", options + Words{"--lang=pt-BR"}));
  }
  // Returns the page.
  std::string add_run(const std::string& name, const std::string& trace,
                      const std::string& language = "en") {
    return add(name, {"./bully", "diagram", trace}, language);
  }
  // Returns the page.
  std::string add_lesson(const std::string& name) {
    add("lesson-" + name + "-pt", {"./bully", "scenario", name}, "pt-BR");
    return add("lesson-" + name, {"./bully", "scenario", name}, "en");
  }
  std::string add(const std::string& name, const Words& command, const std::string& language) {
    const Words words = command + Words{"--format=html", "--lang=" + language};
    const std::string page = place.written(name + ".html", output_of(place, words));
    all.push_back((language == "en" ? "run:" : "words:") + page);
    return page;
  }
  // `right`: the page of a run. The lesson shows its first words all the time.
  void add_wrong_runs(const std::string& right, const std::string& lesson) {
    const Fault chapter = {"wrong-chapter", "run.chapters[chapter][id]", "run.chapters[0][id]"};
    all.push_back("run:" + broken(place, lesson, chapter));
    for (const Fault& fault : faults_of_runs) all.push_back("run:" + broken(place, right, fault));
  }
  void add_wrong_orders() {
    const std::string orders =
        page_of(place, "orders", {"--crashes=1", "--restarts=1", "--lang=en"});
    const std::string cut =
        page_of(place, "cut", {"--crashes=0", "--restarts=0", "--partitions=1", "--lang=en"});
    for (const Fault& fault : faults_of_orders) {
      const bool judges = fault.name == "wrong-mark";
      all.push_back("20:" + broken(place, judges ? cut : orders, fault));
    }
  }
};

// Walks them: the right ones show no difference, and each wrong one shows some. `reported`: the
// number of pages of which something is reported.
void check_pages(const Pages& pages, std::size_t reported) {
  const Walked walked = walk(pages.place, pages.all);
  // What it says of a page begins with the page; of the wrong ones it may say anything.
  for (const std::string& line : lines_in(walked.output)) {
    if (line.find("/wrong-") == std::string::npos) FAIL_CHECK(line);
  }
  std::size_t ways = 0;
  for (const auto& page : walked.pages) {
    const auto& [name, seen] = page;
    INFO(page.first);
    if (name.starts_with("wrong-")) {
      CHECK((!seen.differences.empty() || seen.verdict.starts_with("selftest failed: ")));
      continue;
    }
    ways += seen.ways;
    for (const std::string& wrong : seen.differences) FAIL_CHECK(wrong);
    if (seen.ways == 0) CHECK(seen.verdict.starts_with("selftest passed: "));
  }
  CHECK(ways == pages.ways);
  CHECK(walked.pages.size() == reported);
}

// Ids of five digits, and a process that is stopped for a while.
std::string trace_of_stopped(const Place& place) {
  const std::string script = place.written(
      "script",
      "nodes 40001..40005\npause 40005\nrun 6s\ncrash 40004\nrun 6s\nresume 40005\nrun\n");
  std::string trace = place.path() / "stopped.jsonl";
  output_of(place, {"./bully", "scenario", script, "--trace=" + trace});
  return trace;
}

}  // namespace

TEST_CASE("pages of every order show what the simulator plays, and wrong ones are found" *
          doctest::test_suite("long")) {
  if (!can_browse()) return;
  const Place place;
  Pages pages{place};
  for (const Algorithm& algorithm : algorithms()) {
    const std::string name(algorithm.name);
    const Words options = {"--algorithm=" + name, "--crashes=1", "--restarts=1"};
    // What hands may do is the same on each page: one without a ring, and one with.
    const bool is_typical = name == "bully" || name == "dolev-klawe-rodeh";
    pages.add_orders(name, options, is_typical);
    pages.add_portuguese(name, options);
  }
  pages.add_orders("five", {"--nodes=5", "--crashes=1", "--restarts=0"});
  pages.add_orders("naive", {"--protocol=naive", "--crashes=2", "--partial"}, true);
  pages.add_orders("naive-early",
                   {"--protocol=naive", "--crashes=0", "--restarts=0", "--timing=asynchronous"});
  pages.add_orders("early", {"--crashes=0", "--restarts=0", "--timing=asynchronous"});
  if (!lacks("python3")) {
    pages.all.push_back("0,hands:" + page_of(place, "rules",
                                             {"--algorithm=" + hostile_rules(place), "--crashes=1",
                                              "--restarts=1"}));
  }
  pages.add_wrong_orders();
  check_pages(pages, pages.ways / ways_each + faults_of_orders.size());
}

TEST_CASE("pages of runs show what their traces say, and wrong ones are found" *
          doctest::test_suite("long")) {
  if (!can_browse()) return;
  const Place place;
  Pages pages{place};
  const std::string trace = trace_of_stopped(place);
  pages.add_run("stopped-pt", trace, "pt-BR");
  const std::string stopped = contents(pages.add_run("stopped", trace));
  CHECK(contains(stopped, "process coordinator stopped"));
  pages.add_run("run", "tests/golden/election.jsonl");
  pages.add_run("run-pt", "tests/golden/election.jsonl", "pt-BR");
  pages.add_wrong_runs(pages.add_run("ring-run", "tests/golden/ring.jsonl"),
                       pages.add_lesson("partition"));
  check_pages(pages, 5 + faults_of_runs.size());
}

TEST_CASE("a lesson's page goes through its chapters, with each question before its answer" *
          doctest::test_suite("long")) {
  if (!can_browse()) return;
  for (const CarriedText& lesson : lessons()) {
    if (!is_soak() && std::ranges::count(typical_lessons, lesson.name) == 0) continue;
    CAPTURE(lesson.name);
    const Place place;
    Pages pages{place};
    pages.add_lesson(std::string(lesson.name));
    const Walked walked = walk(place, pages.all);
    CHECK(walked.output.empty());
    REQUIRE(walked.pages.size() == 1);
    CHECK(walked.pages.begin()->second.verdict.starts_with("selftest passed: "));
  }
  const Place place;
  Pages pages{place};
  const std::string all = place.path() / "lessons";
  REQUIRE(run(place, {"src/lessons.sh", binary_under_test(), all}).status == 0);
  const Words indexes = {"words:" + all + "/index.html", "words:" + all + "/index.pt-BR.html"};
  CHECK(walk(place, indexes).output.empty());
  const Fault faint = {"faint", "--dim: #666", "--dim: #aaa"};
  const std::string page = broken(place, pages.add_lesson("partition"), faint);
  CHECK(contains(walk(place, {"run:" + page}).output, "contrast 2.3"));
}

TEST_CASE("page of every order: what does not fit is refused, with bounds that do") {
  const Place place;
  const Words large = {"./bully", "verify", "--format=html", "--nodes=4", "--crashes=2"};
  const std::string refused = output_of(place, large + Words{"--lang=en"}, 2);
  CHECK(contains(refused, "4 processes, 2 crashes, 0 restarts"));
  const std::string partial = output_of(place, large + Words{"--partial"});
  CHECK(partial.size() < 3'000'000);
  // Its last states are not explored, and marked so (BITS in orders.js).
  CHECK(partial.find(",2,2,2,2],") != std::string::npos);
  CHECK(run(place, {"./bully", "verify", "--format=html"}).output.size() < 3'000'000);
}
