// help_test.cc: `bully help`: every topic in every language, and that what it says is complete; the
// manual page and the completions; and what lessons say around a play.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "commands/help.h"
#include "election/algorithm.h"
#include "sim/scenario.h"
#include "support/process.h"
#include "support/scratch.h"
#include "view/style.h"
#include "words/words.h"

using namespace bully;

namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    lines.push_back(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(lines.back().size() + 1, text.size()));
  }
  return lines;
}

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
  const std::set<std::string_view> long_ones = {"scenario", "glossary"};
  for (const HelpTopic& topic : help_topics()) {
    CAPTURE(topic.name);
    for (const Language language : languages) {
      CAPTURE(code_of(language));
      const std::vector<std::string_view> lines = lines_of(help_topic(topic.name, language));
      REQUIRE(lines.size() > 3);
      if (!long_ones.contains(topic.name)) CHECK(lines.size() <= 25);
      for (const std::string_view line : lines) {
        CAPTURE(line);
        CHECK(width(line) <= 80);
      }
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

TEST_CASE("Help: an unknown topic, lesson or command is told what is nearest") {
  const Scratch scratch;
  const auto error_of = [&](const Arguments& words) {
    return run_to_end(scratch.path(), {.arguments = words}).errors;
  };
  CHECK(has(error_of({"help", "garantees"}), "guarantees"));
  CHECK(has(error_of({"scenario", "tannenbaum"}), "tanenbaum"));
  CHECK(has(error_of({"scenaro"}), "scenario"));
}

TEST_CASE("Help: the page of each command fits a terminal of 80 columns") {
  const Scratch scratch;
  for (const std::string command :
       {"--lang=en", "ps", "kill", "watch", "cluster", "scenario", "verify", "simulate", "compare",
        "check", "diagram", "record", "lab"}) {
    for (const std::string language : {"en", "pt-BR"}) {
      CAPTURE(command);
      CAPTURE(language);
      const Finished finished =
          run_to_end(scratch.path(), {.arguments = {command, "--help", "--lang=" + language}});
      REQUIRE(finished.output.find("\n  --") != std::string::npos);
      for (const std::string_view line : lines_of(finished.output)) {
        CAPTURE(line);
        CHECK(width(line) <= 80);
      }
    }
  }
}

TEST_CASE("Help: every lesson belongs to a concept, and asks a question that it can answer") {
  for (const Lesson& lesson : lessons()) {
    CAPTURE(lesson.name);
    const auto read = parse_scenario(lesson.name, lesson.text);
    const auto& scenario = std::get<Scenario>(read);
    CHECK(has_word("concept_" + scenario.concept_name));
    for (const Language language : languages) {
      const auto place = static_cast<std::size_t>(language);
      CHECK(!scenario.watch.at(place).empty());
      CHECK(!scenario.question.at(place).empty());
      CHECK(!scenario.answer.at(place).empty());
    }
  }
}

TEST_CASE("Manual: the page, and the completions of shells, name each command and option") {
  const Scratch scratch;
  const auto made = [&](const std::string& format, const std::string& language) {
    const Finished finished = run_to_end(
        scratch.path(), {.arguments = {"help", "--format=" + format, "--lang=" + language}});
    CHECK(finished.outcome.exit_code == 0);
    return finished.output;
  };
  const std::string page = made("man", "en");
  CHECK(page.starts_with(".TH BULLY 1"));
  CHECK(page.find("\\-\\-detector") != std::string::npos);
  CHECK(has(page, ".SS bully verify"));
  CHECK(has(made("man", "pt-BR"), "SINOPSE"));
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
}
