// words_test.cc: every language has the same words, and they are found by key.
#include "words/words.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>

#include "base/layout.h"
#include "fixture/scripts.h"

using namespace bully;

namespace {

// The places to fill in: "{0}", "{1}". "{0:run|runs}" is none: a language may do without it.
std::multiset<std::string> places(std::string_view words) {
  std::multiset<std::string> found;
  for (std::size_t at = words.find('{'); at != std::string_view::npos;
       at = words.find('{', at + 1)) {
    const std::string_view place = words.substr(at, words.find('}', at) - at + 1);
    if (place.find('|') == place.npos) found.emplace(place);
  }
  return found;
}

#define KEY(key) Text::key,
constexpr Text all_texts[] = {
#include "words/keys.inc"
};
#undef KEY

}  // namespace

TEST_CASE("both languages have every text, with the same places to fill in") {
  for (const Text name : all_texts) {
    CAPTURE(text(name, Language::english));
    CHECK(!text(name, Language::english).empty());
    CHECK(!text(name, Language::portuguese).empty());
    CHECK(places(text(name, Language::english)) == places(text(name, Language::portuguese)));
  }
}

TEST_CASE("a text has its words for one thing, and for several") {
  const auto in = [](Language language, std::uint64_t nodes, std::uint64_t elections) {
    const std::string lines = grouped(1000, language);
    return text(Text::check_summary, language, {nodes, elections, lines});
  };
  CHECK(in(Language::english, 1, 0) == "1 node, 0 elections, 1,000 lines");
  CHECK(in(Language::portuguese, 2, 1) == "2 processos, 1 eleição, 1.000 linhas");
  // A text from outside may look like it.
  constexpr OwnWord odd[] = {{"odd", {"{0:one|many} {0:a} {0:", "{9:x|y} {a} {0"}}};
  add_words(odd);
  CHECK(word("odd", Language::english, {1}) == "one a {0:");
  CHECK(word("odd", Language::english, {11}) == "many a {0:");
  CHECK(word("odd", Language::portuguese, {1}) == "{9:x|y} {a} {0");
}

TEST_CASE("a language with a key too many, or one too few, does not compile") {
  const Place place;
  output_of(place, {"tests/words_test.sh"});
}

TEST_CASE("a text that no code finds, and a state or message without a text, fail the lint") {
  const Place place;
  const std::filesystem::path tree = place.path() / "tree";
  for (const char* room : {"words", "some", "lessons", "election"}) {
    std::filesystem::create_directories(tree / "src" / room);
  }
  std::ofstream(tree / "src/main.cc") << "int main() {}\n";
  std::ofstream(tree / "src/lessons/one.txt") << "concept cost\n";
  std::ofstream(tree / "src/some/code.cc")
      << "text(Text::named); word(word_key(\"rule_\", name)); \"take-over\";\n";
  std::ofstream(tree / "src/election/one.h")
      << "  constexpr Rule answer{\"give-way\"};\n  {\"calm\", StateRole::normal},\n"
         "  constexpr MessageKind m{\"M\", \"mail\", Role::asks};\n";
  std::ofstream(tree / "src/words/en.words")
      << "named: 1\nrule_take_over: 2\nrule_taken_over: 3\nlost: 4\nrule_give_way: 5\n";
  const std::string script = std::filesystem::absolute("tests/lint.sh");
  const std::string found =
      run(place, {"sh", "-c", "cd \"$1\" && bash \"$2\" words", "sh", tree, script}).output;
  CHECK(found ==
        "src/words/en.words:3: no code finds rule_taken_over\n"
        "src/words/en.words:4: no code finds lost\n"
        "src/words/en.words: an election's description has no text: message_mail state_calm\n");
}

TEST_CASE("a property that does not hold in a play is named, with its words") {
  const Problem broken = {"play_not_kept", {"same-task"}};
  CHECK(words_of(broken, Language::portuguese) ==
        "same-task não vale: nunca dois processos normais têm tarefas diferentes");
}

TEST_CASE("languages are known by their locale names") {
  for (const char* name : {"pt", "pt-BR", "pt_BR", "pt_BR.UTF-8", "pt_PT@euro"}) {
    CHECK(language_named(name) == Language::portuguese);
  }
  for (const char* name : {"en", "en_GB.UTF-8", "C", "C.UTF-8", "POSIX"}) {
    CHECK(language_named(name) == Language::english);
  }
  CHECK(language_named("de_DE.UTF-8") == std::nullopt);
  CHECK(language_named("") == std::nullopt);
}

TEST_CASE("a table of 80 columns has room for why a dead process gets no signal") {
  for (const Language language : languages) {
    const std::string why = text(Text::refused_dead, language, {4194304, "/tmp/bully"});
    CAPTURE(why);
    CHECK(width(text(Text::watch_refused, language, {why})) <= terminal_columns);
  }
}

TEST_CASE("words are found by the keys that the files give them") {
  CHECK(find_text("log_stop") == Text::log_stop);
  CHECK(find_text("advice_draw_less") == Text::advice_draw_less);
  for (const char* key : {"", "log", "log_stop_", "zzz", "message_unheard"}) {
    CHECK(find_text(key) == std::nullopt);
    CHECK(!has_word(key));
  }
  CHECK(word("log_stop", Language::portuguese) == text(Text::log_stop, Language::portuguese));
  CHECK(word("log_to", Language::english, {"4"}) == "to 4");
  CHECK(word("message_unheard", Language::english) == "message_unheard");
}
