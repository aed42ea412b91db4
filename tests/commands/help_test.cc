// help_test.cc: `bully help`: every topic in every language, and that what it says is complete; the
// manual page and the completions; and what lessons say around a play.
#include <doctest/doctest.h>

#include <cctype>
#include <fstream>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/carried.h"
#include "commands/help.h"
#include "election/algorithm.h"
#include "fixture/played.h"
#include "fixture/said.h"
#include "sim/script.h"
#include "support/process.h"
#include "support/scratch.h"
#include "words/words.h"

using namespace bully;

namespace {

// Whether `text` has `word`, and not only as a part of another.
bool has(std::string_view text, std::string_view word) {
  const auto joins = [&](std::size_t at) {
    return at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '-');
  };
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    if (!joins(at - 1) && !joins(at + word.size())) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("Help: each topic is there in each language, and fits a terminal") {
  const std::set<std::string_view> long_ones = {"complexity", "contract", "detectors", "deviations",
                                                "glossary",   "rules",    "scenario"};
  for (const CarriedText& topic : help_topics()) {
    CAPTURE(topic.name);
    for (const Language language : languages) {
      CAPTURE(code_of(language));
      const std::string_view page = help_topic(topic.name, language);
      const std::size_t lines = lines_in(page).size();
      REQUIRE(lines > 3);
      if (!long_ones.contains(topic.name)) CHECK(lines <= 25);
      check_fits(page);
    }
  }
}

TEST_CASE("Help: guarantees has each property, deviations each number, scenario each word") {
  for (const Language language : languages) {
    CAPTURE(code_of(language));
    const std::string_view guarantees = help_topic("guarantees", language);
    std::set<unsigned> deviations;
    for (const Algorithm& algorithm : algorithms()) {
      for (const Property* property : algorithm.properties) {
        CAPTURE(property->key);
        CHECK(has(guarantees, property->key));
      }
      for (const Rule* rule : algorithm.rules) deviations.insert(rule->deviation);
    }
    for (const unsigned number : deviations) {
      if (number == 0) continue;
      CAPTURE(number);
      CHECK(has(help_topic("deviations", language), std::to_string(number)));
    }
    const auto read = parse_scenario("script", "nonsense");
    const auto& error = std::get<ScenarioError>(read);
    REQUIRE(error.expected.values.size() == 1);
    std::string words = error.expected.values[0];
    for (std::size_t at; !words.empty(); words.erase(0, at == std::string::npos ? at : at + 2)) {
      at = words.find(", ");
      const std::string word = words.substr(0, at);
      CAPTURE(word);
      CHECK(has(help_topic("scenario", language), word));
    }
  }
}

TEST_CASE("Help: short options, and the help of a command by its name") {
  const auto output_of = [](const Arguments& words) { return run_bully(words).output; };
  for (const std::string command : {"ps", "kill", "check", "scenario", "lab"}) {
    const std::string page = output_of({command, "--help", "--lang=en"});
    CHECK(has(page, "Usage"));
    CHECK(output_of({command, "-h", "--lang=en"}) == page);
    CHECK(output_of({"help", command, "--lang=en"}) == page);
    CHECK(output_of({command, "-v"}) == output_of({"--version"}));
  }
  CHECK(
      contains(output_of({"--help", "--lang=pt-BR"}), "Uso: bully [ID] [opções]\n     bully COM"));
  CHECK(output_of({"help", "rules", "--example=python"}) ==
        output_of({"help", "--example=python"}));
  const Scratch empty;
  CHECK(has(run_bully({"kill", "-9", "--dir=" + empty.path()}).errors, "no node"));
}

TEST_CASE("No line that people read is wider than 80 columns") {
  const Scratch scratch;
  std::vector<Arguments> calls = {{"--help"},
                                  {"scenario"},
                                  {"help"},
                                  {"lab"},
                                  {"ps"},
                                  {"simulate", "--seeds=20"},
                                  {"compare", "--nodes=8"},
                                  {"compare", "--nodes=3", "--case=all", "--fault=highest"},
                                  {"verify", "--nodes=3", "--crashes=1"},
                                  {"demo", "4"},
                                  {"grade", "--list"},
                                  {"check", scratch.path() + "/empty"},
                                  {"verify", "--nodes=3", "--property=one-coordinator"},
                                  {"verify", "--timing=asynchronous", "--property=highest-wins"}};
  std::ofstream(scratch.path() + "/empty");
  // A card with a failure, checks that are skipped, and last words.
  calls.push_back({"grade", "--dir=" + scratch.path() + "/nodes",
                   "--traces=" + scratch.path() + "/traces", "--checks=killed,silence", "--", "sh",
                   "-c",
                   "echo 'no word of it is shorter than the line that it stands in'; exit 3"});
  for (const CarriedText& lesson : lessons()) {
    const std::string name(lesson.name);
    calls.push_back({"scenario", name, "--answer", "--explain"});
    const std::string trace = scratch.path() + '/' + name;
    calls.push_back({"check", trace});
    run_bully({"scenario", name, "--trace=" + trace});
  }
  for (const CarriedText& topic : help_topics()) calls.push_back({"help", std::string(topic.name)});
  for (const CommandKind* kind : all_commands) {
    if (!kind->name.empty()) calls.push_back({std::string(kind->name), "--help"});
  }
  for (const Algorithm& algorithm : algorithms()) {
    const std::string option = "--algorithm=" + std::string(algorithm.name);
    calls.push_back({"simulate", "--seed=3", option, "--explain"});
    calls.push_back({"simulate", "--seed=2", option, "--loss=20%", "--nodes=3"});
    calls.push_back({"verify", "--nodes=3", "--crashes=1", "--max-states=20000", option});
    calls.push_back({"verify", "--nodes=2", "--crashes=1", "--restarts=0", option});
    calls.push_back({"verify", "--nodes=1", "--crashes=1", "--restarts=1", option});
  }
  for (const Arguments& call : calls) {
    for (const std::string language : {"en", "pt-BR"}) {
      Arguments words = call;
      words.insert(words.begin() + 1, "--lang=" + language);
      CAPTURE(words.front());
      check_fits(run_bully(words).output);
    }
  }
}

TEST_CASE("Help: every lesson belongs to a concept, and asks a question that it can answer") {
  for (const CarriedText& lesson : lessons()) {
    CAPTURE(lesson.name);
    const Scenario scenario = parsed(lesson.text);
    CHECK(has_word("concept_" + scenario.concept_name));
    for (const Language language : languages) {
      const auto place = static_cast<std::size_t>(language);
      CHECK(!scenario.title.at(place).empty());
      CHECK(!scenario.watch.at(place).empty());
      CHECK(!scenario.question.at(place).empty());
      CHECK(!scenario.answer.at(place).empty());
    }
  }
}

TEST_CASE("Manual: the page, and the completions of shells, name each command and option") {
  const auto made = [](const std::string& format, const std::string& language) {
    const Finished finished = run_bully({"help", "--format=" + format, "--lang=" + language});
    CHECK(finished.outcome.exit_code == 0);
    return finished.output;
  };
  const std::string page = made("man", "en");
  CHECK(page.starts_with(".TH BULLY 1"));
  CHECK(page.find("\\-\\-detector") != std::string::npos);
  CHECK(has(page, ".SS bully verify"));
  CHECK(has(made("man", "pt-BR"), "SINOPSE"));
  // It is for its readers, wherever it was made.
  const auto elsewhere = [] { setenv("BULLY_DIR", "/somewhere", 1); };
  CHECK(!contains(run_bully({"help", "--format=man"}, elsewhere).output, "somewhere"));
  for (const std::string format : {"bash", "zsh", "fish"}) {
    CAPTURE(format);
    const std::string script = made(format, "en");
    CHECK(has(script, "verify"));
    CHECK(has(script, "asynchronous"));
    CHECK(script.find(format == "fish" ? "-l timing" : "--timing=") != std::string::npos);
  }
}

// As bash would ask: what may follow these words.
TEST_CASE("Manual: bash completes commands, options and their values") {
  const Scratch scratch;
  const auto completed = [&](const std::string& words, int current) {
    const std::string script = "source <(" + binary_under_test() +
                               " help --format=bash); COMP_WORDS=(" + words +
                               "); COMP_CWORD=" + std::to_string(current) +
                               "; compopt() { :; }; _bully; echo \"${COMPREPLY[*]}\"";
    return run_to_end(scratch.path(), {.arguments = {"-c", script}, .binary = "/bin/bash"}).output;
  };
  CHECK(completed("bully veri", 1) == "verify\n");
  CHECK(completed("bully verify --tim", 2) == "--timing=\n");
  CHECK(completed("bully verify --timing = a", 4) == "asynchronous\n");
  CHECK(completed("bully --detector =", 2) == "ping eof\n");
  CHECK(completed("bully scenario tanenbaum-ring-d", 2) == "tanenbaum-ring-dies\n");
  CHECK(completed("bully help imposs", 2) == "impossibility\n");
  CHECK(completed("bully lab 6", 2) == "6\n");
}
