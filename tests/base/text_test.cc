// text_test.cc: whatever is written on a socket, in a trace, a name, a script or on the command
// line, a terminal only shows it.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/json.h"
#include "base/text.h"
#include "fixture/bystander.h"
#include "fixture/cluster.h"
#include "fixture/started.h"
#include "support/markup.h"
#include "support/pseudo_terminal.h"
#include "trace/trace.h"
#include "view/errors.h"
#include "words/words.h"

namespace bully {
namespace {

// A title, a colour, both as C1 in one byte and in two, ends of lines, a DEL, an order of writing,
// and bytes that are no text.
const std::vector<std::string> hostile = {
    "\033]0;owned\a",
    "\033[31m",
    "\x9b"
    "31m",
    "\xc2\x9b"
    "31m",
    "a\rb",
    "a\nb",
    "a\tb",
    "\x7f",
    "\u202egpj",
    "\u2066",
    "\u2028",
    "\xff\xfe",
    "\xc3",
    "\xc0\x9b",
    "\xed\xa0\x80",
    "\xf4\x90\x80\x80",
};

// What `program` has written is plain, and has `words` in it as harmless() shows them.
Finished check_plain(Program program, const std::string& words) {
  const Scratch scratch;
  const std::string first = harmless(program.arguments.empty() ? "" : program.arguments.front());
  CAPTURE(first);
  const Finished finished = run_to_end(scratch.path(), std::move(program));
  const std::string all = finished.output + finished.errors;
  const std::string shown = harmless(words);
  CAPTURE(shown);
  CHECK_MESSAGE(is_plain(all), harmless(all));
  CHECK_MESSAGE(contains(all, shown), harmless(all));
  return finished;
}

// The same of each of these command lines.
void check_all_plain(const std::vector<Arguments>& all, const std::string& words) {
  for (const Arguments& arguments : all) check_plain({.arguments = arguments}, words);
}

// What these words print is plain.
std::string plain_output(const Arguments& words) {
  const std::string output = run_bully(words).output;
  CHECK_MESSAGE(is_plain(output), harmless(output));
  return output;
}

std::string write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

// What a process with the name of node 1 replies, of this algorithm and state.
std::string reply_of(const std::string& algorithm, const std::string& state) {
  return R"({"id":1,"pid":1,"algorithm":")" + algorithm + R"(","state":")" + state + R"("})";
}

// Of two nodes: the lower hears a COORDINATOR that nobody has sent, and the end is cut off.
std::string wrong_run() {
  return start_line(1, 11, 1000) + start_line(2, 12, 1000) +
         R"({"t":2000,"node":2,"pid":12,"event":"state","state":"coordinator"}
{"t":2000,"node":2,"pid":12,"event":"coordinator","coordinator":2}
{"t":3000,"node":1,"pid":11,"event":"receive","type":"C","from":2,"to":1,"seq":9}
{"t":3000,"node":1,"pid":11,"event":"state","state":"follower"}
{"t":3000,"node":1,"pid":11,"event":"coordinator","coordinator":2}
{"t":4000,"node":2,"pid":12,"event":"stop"}
{"t":4000,"node":)";
}

TEST_CASE("harmless: what controls a terminal is shown byte by byte, and the rest as it is") {
  const auto same = [](const std::string& words) { CHECK(harmless(words) == words); };
  same("");
  same("plain words, with \\ and \"");
  same("eleição — 選挙 🗳 \u00a0");
  CHECK(harmless("\033]0;x\a") == "\\x1b]0;x\\x07");
  CHECK(harmless("a\r\n\tb\x7f") == "a\\x0d\\x0a\\x09b\\x7f");
  CHECK(harmless(std::string(1, '\0')) == "\\x00");
  CHECK(harmless("\xc2\x9b") == "\\xc2\\x9b");
  CHECK(harmless("\x9b") == "\\x9b");
  CHECK(harmless("é\xe9") == "é\\xe9");
  CHECK(harmless("\u202e") == "\\xe2\\x80\\xae");
  CHECK(harmless("\xe2\x80") == "\\xe2\\x80");
  CHECK(harmless("\xf0\x9f\x97") == "\\xf0\\x9f\\x97");
  for (const std::string& words : hostile) {
    const std::string shown = harmless(words);
    CHECK(shown != words);
    CHECK(harmless(shown) == shown);
  }
}

TEST_CASE("harmless: every text that is filled in, and every string of JSON") {
  for (const std::string& words : hostile) {
    CHECK(is_plain(text(Text::usage_unknown_command, Language::english, {words})));
    CHECK(harmless(json_string(words)) == json_string(words));
    const auto read = parse_json(json_string(words));
    REQUIRE(read);
    CHECK(harmless(json_string(read->text)) == json_string(read->text));
  }
  CHECK(json_string("\033\x7f\u009b\u202e\xff\xe9") == R"("\u001b\u007f\u009b\u202e\ufffd\ufffd")");
  CHECK(parse_json(R"("\u001b\u009b\u202e")")->text == "\033\u009b\u202e");
  CHECK(!parse_json(R"("\ud800")"));
  CHECK(!parse_json("\"\xff\""));
}

TEST_CASE("harmless: commands, options, values and arguments") {
  for (const std::string& words : hostile) {
    check_plain({.arguments = {"--" + words}}, "--" + words);
    std::vector<Arguments> all = {{words},
                                  {"7", words},
                                  {"verify", "--nodes=" + words},
                                  {"simulate", "--loss=" + words},
                                  {"compare", "--algorithms=" + words},
                                  {"scenario", "cdk", words}};
    for (const std::string option :
         {"--lang=", "--color=", "--detector=", "--algorithm=", "--ping-interval=", "--pace="}) {
      all.push_back({option + words});
    }
    check_all_plain(all, words);
  }
}

TEST_CASE("harmless: names of files and directories, in errors and in help") {
  const Scratch scratch;
  for (const std::string& words : hostile) {
    const std::string missing = scratch.path() + "/none/" + words;
    check_all_plain({{"1", "--dir=" + missing},
                     {"1", "--dir=" + scratch.path(), "--trace=" + missing},
                     {"scenario", missing},
                     {"scenario", "cdk", "--trace=" + missing},
                     {"simulate", "--seed=1", "--trace=" + missing},
                     {"check", missing},
                     {"diagram", missing},
                     {"ps", "--dir=" + missing},
                     {"kill", "--dir=" + missing},
                     {"watch", "--trace=" + missing}},
                    words);
    check_plain({.arguments = {"ps", "--help"},
                 .in_child = [&] { setenv("BULLY_DIR", missing.c_str(), 1); }},
                words);
  }
}

TEST_CASE("harmless: the name of the program itself") {
  const Scratch scratch;
  const std::string name = scratch.path() + "/\033]0;owned\a";
  std::filesystem::create_symlink(binary_under_test(), name);
  check_plain({.arguments = {"--none"}, .binary = name}, name);
}

TEST_CASE("harmless: scripts, and what is said of their lines") {
  const Scratch scratch;
  for (const std::string& words : hostile) {
    const std::string name = scratch.path() + "/" + words;
    check_plain({.arguments = {"scenario", write_file(name, "nodes x\n")}}, words);
    // Its name in place of a title, and in front of an expectation that is not met.
    write_file(name, "nodes 1 2\nexpect coordinator 1\n");
    check_plain({.arguments = {"scenario", name}}, words);
    const std::string script = scratch.path() + "/script";
    for (const std::string& line :
         {"en: " + words, "title en: " + words, "frame " + words, "nodes " + words}) {
      CAPTURE(harmless(line));
      write_file(script, line + "\n");
      CHECK(is_plain(run_bully({"scenario", script}).errors));
    }
  }
}

TEST_CASE("harmless: traces with such names, judged and drawn") {
  const Scratch scratch;
  for (const std::string& words : hostile) {
    const std::string name = write_file(scratch.path() + "/" + words, wrong_run());
    const Finished checked = check_plain({.arguments = {"check", name}}, words);
    CHECK(contains(checked.output, "INCONCLUSIVE"));  // its lines lack their numbers
    CHECK(parse_json(plain_output({"check", "--json", name})));
    for (const std::string format : {"text", "svg", "html"}) {
      check_plain({.arguments = {"diagram", "--format=" + format, name}}, words);
    }
    write_file(name, "{\"t\":1}\n");
    check_plain({.arguments = {"check", name}}, words);
    check_plain({.arguments = {"diagram", name}}, words);
  }
}

TEST_CASE("harmless: no string of a trace is shown unless it is one of ours") {
  const std::string head = R"({"t":1000,"node":1,"pid":11,"event":)";
  for (const std::string& words : hostile) {
    // As JSON has them escaped, and as bytes.
    for (const std::string& value : {json_string(words), '"' + words + '"'}) {
      for (const std::string& line :
           {head + value + "}", head + R"("start","algorithm":)" + value + "}",
            head + R"("state","state":)" + value + "}",
            head + R"("timeout","timer":)" + value + "}",
            head + R"("drop","reason":)" + value + "}",
            head + R"("suspect","coordinator":2,"reason":)" + value + "}",
            head + R"("send","from":1,"to":2,"seq":1,"type":)" + value + "}"}) {
        CAPTURE(harmless(line));
        std::string said;
        try {
          parse_trace(line + "\n", "trace");
        } catch (const TraceError& error) {
          said = words_of(error, Language::english);
        }
        CHECK(said.starts_with("trace:1: "));
        CHECK(is_plain(said));
      }
    }
  }
}

TEST_CASE("harmless: what a fake says of its algorithm and its state") {
  for (const std::string& words : hostile) {
    const Scratch scratch;
    const std::string quoted = json_string(words);
    const std::string value = quoted.substr(1, quoted.size() - 2);
    const std::string shown = parse_json(quoted)->text;
    {
      const Bystander fake(scratch.path() + "/1", reply_of(value, "follower"));
      const Arguments place = {"--dir=" + scratch.path()};
      // Whoever reads its refusal sees what the fake has said.
      check_plain({.arguments = {"7", place.front()}}, shown);
      CHECK(contains(plain_output({"ps", place.front()}), "follower"));
      CHECK(contains(plain_output({"ps", "--json", place.front()}), json_string(shown)));
      PseudoTerminal terminal({"watch", place.front(), "--lang=en"}, 24, 100);
      CHECK(terminal.shows("follower"));
      for (const std::string& line : terminal.lines()) CHECK(harmless(line) == line);
      terminal.end_by("q");
    }
    std::filesystem::remove(scratch.path() + "/1");
    const Bystander fake(scratch.path() + "/1", reply_of("bully", value));
    plain_output({"ps", "--dir=" + scratch.path()});
  }
}

}  // namespace
}  // namespace bully
