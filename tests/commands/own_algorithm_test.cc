// own_algorithm_test.cc: an algorithm that src/ does not know goes through every command; see
// toy/lowest.h.
#include <doctest/doctest.h>
#include <signal.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "fixture/said.h"
#include "fixture/scripts.h"
#include "node/system.h"
#include "stage/local_cluster.h"
#include "support/fake.h"
#include "support/pseudo_terminal.h"

using namespace bully;
namespace fs = std::filesystem;

namespace {

std::string toy() {
  return fs::path(own_program("build/tests/run")).parent_path() / "toy/toy";
}

Result run_toy(const Place& place, const Words& words) {
  return run(place, Words{toy()} + words);
}
std::string toy_output(const Place& place, const Words& words, int status = 0) {
  return output_of(place, Words{toy()} + words, status);
}

// An election of 2, 3 and 4 when 1 has crashed, and then the return of 1.
constexpr const char* script =
    "nodes 1..4\n"
    "expect coordinator 1\n"
    "crash 1\n"
    "suspect 3\n"
    "run\n"
    "expect coordinator 2\n"
    "expect state chief at 2\n"
    "expect r nothing at 2..4\n"
    "frame en: 2 has won\n"
    "count\n"
    "restart 1\n"
    "run\n"
    "expect messages LO 3 all 3\n"
    "expect coordinators 1\n";

// A script of this election, as a file.
std::string written(const Place& place, const std::string& text) {
  return place.written("script", "algorithm lowest\n" + text);
}

// Adds a sending with these last fields to the trace: it is refused, since this one is malformed.
void check_malformed(const Place& place, const std::string& trace, const std::string& fields,
                     const std::string& field) {
  std::ofstream(trace, std::ios::app)
      << R"({"t":1,"node":3,"pid":3,"event":"send","from":3,"to":4,"seq":9,)" + fields + "}\n";
  check_says(run_toy(place, {"check", trace}).output, {"'" + field + "' is missing or malformed"});
}

// What `play` records, in a file.
std::string trace_of(const Place& place) {
  const std::string trace = place.path() / "trace";
  toy_output(place, {"scenario", written(place, script), "--trace=" + trace});
  return trace;
}

}  // namespace

TEST_CASE("toy: real nodes elect the lowest, and say so in their own words") {
  const Place place;
  const std::string trace = place.path() / "trace";
  std::vector<std::unique_ptr<Command>> nodes;
  const auto start = [&](const std::string& id, const std::string& language,
                         const std::string& last_words) {
    const Words options = {"--algorithm=lowest", "--detector=eof", "--explain", "--trace=" + trace,
                           "--lang=" + language};
    nodes.push_back(std::make_unique<Command>(place, Words{toy(), id} + options));
    CHECK(nodes.back()->says(last_words));
  };
  start("13", "en", "*  LOWEST: 13 has won");
  start("12", "en", "→  LOWEST       to 13");
  start("11", "en", "→  LOWEST       to 12, 13");
  start("14", "pt-BR", "*  segue o coordenador 11");
  PseudoTerminal watch(
      Program{.arguments = {"watch", "--dir=" + place.nodes(), "--interval=50ms"}, .binary = toy()},
      24, 100);
  CHECK(watch.shows("all follow 11"));
  CHECK(watch.shows("SENT CL/OB/LO"));
  CHECK(contains(run_toy(place, {"kill"}).output, "SIGKILL to 11"));
  CHECK(watch.shows("all follow 12"));
  CHECK(watch.shows("chief"));
  CHECK(watch.end_by("q").exit_code == 0);
  check_says(run_toy(place, {"ps", "--lang=pt-BR"}).output,
             {"chefe         12", "membro        12"});

  for (const std::size_t i : {0U, 1U, 3U}) {
    CHECK(nodes[i]->end_by(SIGTERM) == 0);
  }
  check_says(nodes[0]->output(),
             {"←  LOWEST       from 11", "§  A process that gets LOWEST from a lower one takes"});
  check_says(nodes[3]->output(),
             {"→  PRETENSÃO      para 11, 12, 13", "§  Ele envia PRETENSÃO a todos",
              "←  OBJEÇÃO [11,12,13]  de 1", "←  MENOR          de 12"});
  check_says(toy_output(place, {"check", trace}), {"RIGHT   algorithm lowest, 4 nodes"});
}

TEST_CASE("toy: a chief looks at real processes, and finds one that missed it, and a lower one") {
  const Place place;
  Command chief(place, {toy(), "2", "--algorithm=lowest", "--ping-interval=50ms"});
  CHECK(chief.says("LOWEST: 2 has won"));
  const Fake other(place.nodes(), 3, {.ping = Lies::Reply::no_one, .status = Lies::Reply::close});
  CHECK(chief.says("polls the others, and finds 3"));
  CHECK(chief.says("→  LOWEST       to 3"));
  // It replies to pings and says nothing else.
  const Fake lower(place.nodes(), 1, {.status = Lies::Reply::close});
  CHECK(chief.says("!  another process is alive that should be coordinator"));
  CHECK(chief.says("→  CLAIM 2      to 1"));
  CHECK(chief.end_by(SIGTERM) == 0);
}

TEST_CASE("toy: a script with its messages, states and variables holds, simulated and for real") {
  const Place place;
  for (const Words& where : {Words{}, Words{"--real"}}) {
    check_says(toy_output(place, Words{"scenario", written(place, script)} + where),
               {"✓ expect coordinator 2: holds", "✓ expect state chief at 2: holds", "CLAIM 1",
                "0 broken"});
  }
  check_says(
      toy_output(place,
                 {"scenario", written(place, "nodes 1..3\ncrash 1\nrun\nexpect coordinator 3\n"),
                  "--lang=pt-BR"},
                 1),
      {"2 segue 2"});
  CHECK(contains(run_toy(place, {"scenario", written(place,
                                                     "nodes 1 2\n"
                                                     "expect messages E 1\n")})
                     .output,
                 "expected any of 'CL', 'CLAIM', 'LO', 'LOWEST', 'OB', 'OBJECT'"));
}

TEST_CASE("toy: check lists its properties and rules, and counts its messages") {
  const Place place;
  const std::string trace = trace_of(place);
  const std::string english = run_toy(place, {"check", trace}).output;
  CHECK_MESSAGE(!contains(english, "higher and live"), english);
  check_says(english,
             {"✓ lowest-live     2 ×  all follow the lowest live node\n",
              " ×  no process stands by for a higher one\n", "  CLAIM  OBJECT  LOWEST  all\n",
              "            textbook       6       1       2    9\n",
              "Rules that this run has shown: 8 of 13\n",
              "   1 ×  toy-object        A process that gets a CLAIM",
              "        toy-again         Its rival has not become chief", "[deviation 2]"});
  check_says(run_toy(place, {"check", trace, "--lang=pt-BR"}).output,
             {"✓ never-higher    8 ×  nenhum processo segue um maior que ele mesmo\n",
              "PRETENSÃO  OBJEÇÃO  MENOR", "toy-join-in"});
}

TEST_CASE("toy: a chief looks at the others, and tells itself to one that missed it") {
  const Place place;
  const std::string lost =
      "detector off\nnodes 1..4\ncrash 1\nhold\nsuspect 2\n"
      "deliver CLAIM from 2 to 4\ndrop CLAIM\ndeliver gone from 1 to 2\ndrop LOWEST from 2 to 4\n"
      "deliver\nexpect coordinators 2\nexpect state bystander at 4\n"
      "check 2 of 4\ndeliver\nexpect coordinator 2\n";
  for (const Words& where : {Words{}, Words{"--real"}}) {
    check_says(toy_output(place, Words{"scenario", written(place, lost)} + where),
               {"polls the others, and finds 4"});
  }
  const Result none = run_toy(place, {"scenario", written(place,
                                                          "nodes 1..3\n"
                                                          "check 1\n")});
  CHECK(none.status != 0);
  check_says(none.output, {"1 finds nothing"});
}

TEST_CASE("toy: check owes no property whose assumptions the run shows to be broken") {
  const Place place;
  const std::string trace = place.path() / "trace";
  const auto checked = [&](const std::string& faults, const Words& options = {}) {
    const std::string all = written(place, "detector off\nnodes 1..3\n" + faults);
    fs::remove(trace);
    run_toy(place, {"scenario", all, "--trace=" + trace});
    return run_toy(place, Words{"check", trace} + options).output;
  };
  CHECK(contains(checked("crash 1\nsuspect 3\nrun\n"), "✓ one-chief"));
  // Each takes the office beside a chief.
  CHECK(contains(checked("crash 1\nsuspect 3\nrun\nrestart 1\nrun\n"),
                 "  there is never more than one chief\n"
                 "      not promised in this run: a process started, or came back"));
  CHECK(contains(checked("pause 1\nsuspect 2 hung\nrun 30s\nresume 1\nrun\n"),
                 "not promised in this run: a process was stopped"));
  CHECK(contains(checked("suspect 2 hung\nrun\n"),
                 "not promised in this run: a live process was suspected"));
  CHECK(contains(checked("crash 1\nhold\nsuspect 3\nexpire 3 answer\ndeliver\nrun\n"),
                 "not promised in this run: a live process was suspected"));
  const std::string lost = "crash 1\nloss 100%\nsuspect 3\nrun 2s\nloss 0%\nrun\n";
  check_says(checked(lost), {"not promised in this run: a message to a live process was lost"});
  const std::string json = checked(lost, {"--json"});
  check_says(json, {R"("not_promised":[{"property":"one-chief","assumes":"no-loss")"});
  CHECK_MESSAGE(!contains(json, R"("one-chief":true)"), json);
}

TEST_CASE("toy: verify does not judge what is not promised, unless it is asked for") {
  const Place place;
  const Words small = {"verify", "--algorithm=lowest", "--nodes=3", "--crashes=1", "--restarts=0"};
  check_says(toy_output(place, small + Words{"--timing=asynchronous"}),
             {"not promised  one-chief – there is never more than one chief\n",
              "not promised  highest-wins – ", "not promised  one-coordinator – "});
  const Words only = {"--timing=asynchronous", "--property=one-chief"};
  const std::string asked = toy_output(place, small + only, 1);
  check_says(in_one_line(asked), {"1 false alarm, only one-chief "});
  check_says(asked, {"violated: one-chief: there are two chiefs"});
  check_said(run_toy(place, small + Words{"--property=one-chief"}), 0,
             {" × a process became chief\n"});
  check_says(run_toy(place, small + Words{"--property=yields-down"}).output,
             {" × a state was reached\n"});
  // Until one comes back it is promised, and holds; then 1 becomes chief beside 2.
  const Words joining = {"verify", "--algorithm=lowest", "--nodes=3", "--crashes=1",
                         "--restarts=1"};
  CHECK(run_toy(place, joining).status == 0);
  CHECK(run_toy(place, joining + Words{"--property=one-chief"}).status == 1);
  // Any algorithm can be asked for any of them, and nothing else.
  CHECK(run_toy(place, {"verify", "--nodes=2", "--property=one-chief"}).status == 1);
  CHECK(run_toy(place, {"verify", "--nodes=2", "--property=never-lower"}).status == 0);
  check_says(toy_output(place, {"verify", "--property=message-count"}, 2), {"one-chief"});
}

TEST_CASE("toy: verify cuts the network in two, and lets it heal") {
  const Place place;
  const Words cut = {"verify",      "--algorithm=lowest", "--nodes=3",
                     "--crashes=1", "--restarts=0",       "--partitions=1"};
  check_says(toy_output(place, cut), {"1 crash, 0 restarts, synchronous, 1 partition\n",
                                      "not promised  one-chief – there is never"});

  const std::string script_path = place.path() / "counterexample";
  const Words asked = {"--property=one-chief", "--crashes=0", "--counterexample=" + script_path};
  check_said(run_toy(place, cut + asked), 1,
             {"  1. the network is cut: 1, 3 on one side, 2 on the other\n"});
  check_says(contents(script_path), {"\npartition 1 3 from 2\nsuspect 2 of 1 hung\n"});
  CHECK(contains(run_toy(place, cut + asked + Words{"--lang=pt-BR"}).output,
                 "a rede é particionada: 1, 3 de um lado, 2 do outro\n"));
  // It shows two chiefs, and so it does not go as it should.
  CHECK(run_toy(place, {"scenario", script_path}).status == 1);
  std::ofstream(script_path, std::ios::app) << "heal\nrun\nexpect coordinators 1\n";
  check_says(run_toy(place, {"scenario", script_path}).output, {"1 kept, 1 broken"});
}

TEST_CASE("toy: a trace has each of a message's four fields, and is judged by them") {
  const Place place;
  const std::string trace = place.path() / "trace";
  toy_output(place, {"scenario", "--trace=" + trace,
                     written(place,
                             "nodes 1..4\ncrash 1\nhold\nsuspect 2\n"
                             "deliver CLAIM from 2 to 3\ncrash 2\nexpire 3 coordinator\n"
                             "run\nexpect coordinator 3\n")});
  const std::string lines = contents(trace);
  for (const std::string event : {"send", "receive"}) {
    for (const std::string what :
         {R"("type":"CL","from":2,"to":3,"seq":2,"subject":1,"asked":1})",
          R"("type":"CL","from":3,"to":4,"seq":3,"epoch":1,"rival":2,"asked":2})"}) {
      CAPTURE(what);
      check_says(lines, {"\"event\":\"" + event + "\"," + what});
    }
  }
  check_says(toy_output(place, {"check", trace}), {"✓ sent "});
  check_malformed(place, trace, R"("type":"CL","asked":-1)", "asked");
}

TEST_CASE("toy: a list goes through a script, a trace and a diagram, in full or shortened") {
  const Place place;
  const std::string trace = place.path() / "trace";
  const std::string many = "nodes 1..12\ncrash 1\nsuspect 12\nrun\n";
  check_says(toy_output(place, {"scenario", "--trace=" + trace, written(place, many)}),
             {"OBJECT [1,2,3]  to 4", "OBJECT [1,2,3,…,9,10,11]  to 12"});
  check_says(contents(trace), {R"("type":"OB","from":2,"to":4,"seq":24,"lower":[1,2,3]})"});
  CHECK(run_toy(place, {"check", trace}).status == 0);
  for (const std::string format : {"text", "svg", "mermaid", "html"}) {
    CHECK(contains(run_toy(place, {"diagram", trace, "--format=" + format}).output, " [1,2,3]"));
  }
  check_malformed(place, trace, R"("type":"OB","lower":[-1])", "lower");
}

TEST_CASE("toy: a real node takes a list of 64 KiB, and nothing that is longer") {
  const Place place;
  const std::string trace = place.path() / "trace";
  Command node(place, {toy(), "7", "--algorithm=lowest", "--trace=" + trace});
  CHECK(node.says("LOWEST: 7 has won"));
  const auto say = [&](const std::string& bytes) {
    const Connection connection = connect_to(place.nodes() + "/7");
    CHECK(send_once(connection.descriptor, bytes));
  };
  std::string list = "OB;9;1;";
  while (list.size() + 6 <= max_list_message_bytes) list += "11111,";
  list.pop_back();
  say(list + std::string(max_list_message_bytes - list.size(), '1'));
  CHECK(happens([&] { return contains(contents(trace), R"("seq":1,"lower":[11111,11111,)"); }));
  say(list + std::string(max_list_message_bytes + 1 - list.size(), '1'));
  const auto dropped = [&] { return count_of(contents(trace), "oversize"); };
  CHECK(happens([&] { return dropped() == 1; }));
  say("CL;9;2;" + std::string(max_message_bytes, '1'));
  CHECK(happens([&] { return dropped() == 2; }));
  CHECK(node.end_by(SIGTERM) == 0);
}

TEST_CASE("toy: every format of a diagram has its messages and its name") {
  const Place place;
  const std::string trace = trace_of(place);
  const auto drawn = [&](const std::string& format, const std::string& language) {
    return run_toy(place,
                   {"diagram", trace, "--election=5", "--format=" + format, "--lang=" + language});
  };
  for (const std::string format : {"text", "svg", "mermaid", "html", "shiviz"}) {
    CAPTURE(format);
    const Result english = drawn(format, "en");
    const Result portuguese = drawn(format, "pt-BR");
    check_said(english, 0, {"claimant"});
    check_says(portuguese.output, {"pretendente"});
    if (format != "text") CHECK(contains(portuguese.output, "PRETENSÃO"));
    if (format == "shiviz") continue;  // it has no title
    check_says(english.output, {"Lowest-id election: 4 processes, 9 messages, coordinator 2"});
    check_says(portuguese.output, {"Eleição do menor"});
  }
  CHECK(contains(drawn("text", "en").output, "◀── CL 1 ────●"));
  check_said(drawn("ring", "en"), 2, {"this is a run of lowest"});
}

TEST_CASE("toy: under random faults all end with the lowest that is live") {
  const Place place;
  check_says(toy_output(place, {"simulate", "--algorithm=lowest", "--seeds=200", "--crashes=3",
                                "--loss=1%"}),
             {"200 of 200 runs ended in agreement", "\nCLAIM "});
  const std::string trace = place.path() / "trace";
  run_toy(place, {"simulate", "--algorithm=lowest", "--seed=7", "--trace=" + trace});
  CHECK(run_toy(place, {"check", trace}).status == 0);
}

TEST_CASE(
    "toy: verify judges its own property, and finds where an election told wrongly breaks it") {
  const Place place;
  check_says(
      toy_output(place, {"verify", "--algorithm=lowest", "--nodes=3", "--crashes=1", "--restarts=1",
                         "--brief"}),
      {"lowest: 3 processes, 1 crash, 1 restart, synchronous: holds", " s; 11 of 13 rules\n"});

  const std::string counterexample = place.path() / "counterexample";
  const std::string trace = place.path() / "trace";
  check_says(
      toy_output(place,
                 {"verify", "--algorithm=meek", "--nodes=3", "--counterexample=" + counterexample},
                 1),
      {"violated: yields-down: a node stands by for a higher node", "deliver CLAIM"});
  check_says(contents(counterexample), {"title pt: Contraexemplo: um processo cede a outro maior"});
  run_toy(place, {"scenario", counterexample, "--trace=" + trace});
  check_says(toy_output(place, {"check", trace}, 1), {"✗ yields-down"});
}

TEST_CASE("toy: compare counts its messages beside those of the others") {
  const Place place;
  for (const std::string fault : {"case", "highest", "lowest", "all"}) {
    CAPTURE(fault);
    toy_output(place, {"compare", "--nodes=2..10", "--case=all", "--runs=5",
                       "--algorithms=bully,tanenbaum-ring,lowest", "--fault=" + fault});
  }
  check_says(
      run_toy(place, {"compare", "--nodes=4,8", "--algorithms=bully,lowest", "--lang=en"}).output,
      {"the process that wins last of all notices",
       "     lowest           76        76       76    990     2\n",
       "fewest messages at n = 8: bully 55, lowest 76", "  lowest        ✓    "});
  // What the election told wrongly does not survive, in how many runs it does.
  check_says(run_toy(place, {"compare", "--nodes=4", "--algorithms=meek", "--lang=en"}).output,
             {"  meek       ✗ 1"});
  CHECK(contains(run_toy(place, {"compare", "--format=csv", "--algorithms=lowest"}).output,
                 "worst,8,lowest,1,76,76,76,"));
  CHECK(contains(run_toy(place, {"compare", "--format=svg"}).output, ">lowest</text>"));
}

TEST_CASE("toy: the demonstration kills the lowest, and speaks of rank") {
  const Place place;
  for (const auto& [language, winner] :
       {std::pair{"en", " outranks all other survivors"},
        std::pair{"pt-BR", " tem precedência sobre os outros sobreviventes"}}) {
    const std::string demo =
        toy_output(place, {"demo", "3", "--algorithm=lowest", std::string("--lang=") + language});
    check_says(demo, {winner});
    CHECK(!contains(demo, "highest"));
    CHECK(!contains(demo, " maior"));
  }
}
