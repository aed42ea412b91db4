// rules_names_test.cc: what a program of rules may call its states, rules, variables and messages,
// and how it may write its JSON: all that is accepted works everywhere.
#include <doctest/doctest.h>
#include <signal.h>

#include <string>

#include "base/json.h"
#include "base/text.h"
#include "election/algorithm.h"
#include "fixture/rules.h"
#include "fixture/said.h"
#include "fixture/scripts.h"
#include "node/status_reply.h"
#include "support/markup.h"
#include "support/pattern.h"
#include "support/skip.h"
#include "values/status.h"

using namespace bully;

namespace {

// The example in the help, with names as people write them, in three scripts.
std::string program_with_names(const Place& place) {
  return program_of(
      place, with_replaced(
                 contents(example_in_help(place)),
                 {{"\"chief\"", "\"sou líder\""},
                  {"\"member\"", "\"Seguidor_1-b\""},
                  {"\"asker\"", "\"phase1\""},
                  {"\"patient\"", "\"待ち\""},
                  {"\"name\": \"ask\"", "\"name\": \"pedido já\""},
                  {"\"ASK\"", "\"2A\""},
                  {"\"key\": \"ask\"", "\"key\": \"pergunta já\""},
                  {"{\"rule\": \"ask\"}", "{\"rule\": \"pergunta já\"}"},
                  {"all lower processes", "👑 <b>&'all'</b>"},
                  {"\"rules\":", "\"variables\": [\"último voto\"], \"rules\":"},
                  {"answer[\"actions\"] = do",
                   "answer.update(actions=do, variables={\"último voto\": q[\"coordinator\"]})"}}));
}

}  // namespace

TEST_CASE("Names: letters of any language, digits, blanks between words, - and _") {
  for (const char* name : {"Líder", "phase1", "sou lider", "a", "待ち", "वेटिंग", "x_1-b",
                           "abcdefghijklmnopqrstuvwx", "éééééééééééééééééééééééé"}) {
    CAPTURE(name);
    CHECK(is_name(name));
  }
  for (const char* name : {"", " a", "a ", "a  b", "co\"o", "a.b", "<b>", "a\tb", "a\n",
                           "a\x1b[31m", "a\xff", "\u202ea", "a\u00a0b", "👑", "a→b",
                           "abcdefghijklmnopqrstuvwxy", "ééééééééééééééééééééééééé"}) {
    CAPTURE(name);
    CHECK(!is_name(name));
  }
  CHECK(in_capitals("pedido já, ÷ ß ÿ ÉÀ") == "PEDIDO JÁ, ÷ ß ÿ ÉÀ");
}

TEST_CASE("Names: every name that is allowed works in real processes, scripts and pictures") {
  if (lacks("python3")) return;
  const Place place;
  const std::string program = program_with_names(place);
  output_of(place, {binary_under_test(), "rules", "test", program});
  output_of(place, with_rules(program, {"verify", "--crashes=1", "--restarts=0"}));
  output_of(place, with_rules(program, {"verify", "--nodes=2", "--crashes=0", "--restarts=0",
                                        "--format=html"}));

  const std::string trace = place.path() / "trace";
  Command first(place, with_rules(program, {"1", "--detector=eof", "--trace=" + trace}));
  CHECK(happens([&] { return place.live().size() == 1; }));
  Command second(place, with_rules(program, {"2", "--detector=eof", "--trace=" + trace}));
  CHECK(happens([&] {
    const auto live = place.live();
    return live.size() == 2 && live[1].coordinator == 1;
  }));
  check_says(run(place, {binary_under_test(), "ps"}).output, {"sou líder", "Seguidor_1-b"});
  CHECK(run(place, {binary_under_test(), "kill", "1", "--trace=" + trace}).status == 0);
  CHECK(happens([&] { return place.live().size() == 1 && place.live()[0].coordinator == 2; }));
  CHECK(second.end_by(SIGTERM) == 0);
  CHECK(contains(second.output(), "PEDIDO JÁ"));

  output_of(place, with_rules(program, {"check", trace}));
  for (const std::string format : {"text", "svg", "html"}) {
    CAPTURE(format);
    const std::string picture =
        output_of(place, with_rules(program, {"diagram", trace, "--format=" + format}));
    CHECK(!contains(picture, "<b>&'all'</b>"));
    if (format == "svg") CHECK(markup_error(picture) == "");
    CHECK(!contains(picture, ".2A"));
  }

  const std::string script = place.written(
      "script",
      "algorithm lowest\nnodes 1..3\nhold\ncrash 1\nsuspect 2\nexpect state phase1 at 2\n"
      "suspect 3\ndeliver PEDIDO JÁ from 3 to 2\ndeliver\n"
      "expect state sou líder at 2\nexpect state 待ち at 3\ndeliver\n"
      "expect state Seguidor_1-b at 3\nexpect último voto 2 at 2 3\n");
  output_of(place, with_rules(program, {"scenario", script}));
}

TEST_CASE("Names: the help lists all that are taken") {
  const Place place;
  for (const std::string language : {"en", "pt-BR"}) {
    const std::string page =
        run(place, {binary_under_test(), "help", "rules", "--lang=" + language}).output;
    const auto lists = [&](std::string_view name) {
      CAPTURE(name);
      CHECK(has_match(page, "\\b" + std::string(name) + "\\b"));
    };
    for (const MessageType type : known_messages()) {
      lists(type->code);
      lists(type->name);
    }
    lists(messages::status.code);
    lists(messages::status.name);
    for (const Algorithm& algorithm : algorithms()) {
      for (const StateKind& state : algorithm.states) lists(state.name);
    }
  }
}

TEST_CASE("JSON: a pair of surrogates is one character, and half a pair is none") {
  const auto text = [](std::string_view json) -> std::string {
    const auto read = parse_json(json);
    return read ? read->text : "none";
  };
  CHECK(text(R"("\ud83d\udc51 \uD83D\uDC51")") == "👑 👑");
  CHECK(text(R"("\ud800\udc00\udbff\udfff")") == "\U00010000\U0010FFFF");
  for (const char* half : {R"("\ud83d")", R"("\udc51")", R"("\ud83dx")", R"("\ud83d\n")",
                           R"("\ud83d\u0041")", R"("\udc51\ud83d")", R"("\ud83d\ud83d")",
                           R"("\ud83d\udc5")", R"("\ud83d\)", R"("\ud83d\u)"}) {
    CAPTURE(half);
    CHECK(text(half) == "none");
  }
  CHECK(text(json_string("👑")).size() == 4);
}

TEST_CASE("JSON: the last of two equal keys counts, in traces and in answers") {
  const auto json = parse_json(R"({"a":1,"b":2,"a":{"c":3},"b":null,"d":4})");
  CHECK((*json)["a"]["c"].text == "3");
  CHECK((*json)["b"].kind == Json::Kind::null);
  CHECK(json->keys == std::vector<std::string>{"a", "b", "d"});
}
