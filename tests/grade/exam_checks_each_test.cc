// exam_checks_each_test.cc: `bully grade --each`: the programs of a class, one after the other, and
// those that cannot be graded.
#include <doctest/doctest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/layout.h"
#include "fixture/graded.h"
#include "fixture/said.h"
#include "support/pseudo_terminal.h"
#include "support/skip.h"

using namespace bully;
namespace fs = std::filesystem;

namespace {

// A directory with the programs of a class, and the place for their grades.
struct ClassRoom {
  const Place place;
  const fs::path programs = place.path() / "class";
  const std::string grades = (place.path() / "grades").string();
  const Words options = {"--each=" + programs.string(), "--output=" + grades};

  ClassRoom() { fs::create_directories(programs); }
  void add(const std::string& name, const std::string& text,
           fs::perms mode = fs::perms::owner_read | fs::perms::owner_write) const {
    std::ofstream(programs / name) << text;
    fs::permissions(programs / name, mode);
  }
};

}  // namespace

TEST_CASE("grade: a terminal shows the check that is running, and then its result in its place") {
  if (lacks("python3")) return;
  const Place place;
  PseudoTerminal terminal({"grade", "--with-id", "--longest-wait=3s", "--checks=notices",
                           "--traces=" + place.path().string() + "/traces", "--lang=en", "--",
                           "python3", "tests/grade/skeleton.py"},
                          200, 80);
  CHECK(terminal.shows("\n … starts"));
  CHECK(terminal.shows("\n … notices"));
  CHECK(terminal.shows("✗ notices"));
  CHECK(terminal.end().exit_code == 1);
  CHECK(!contains(terminal.text(), " … starts"));
  CHECK(!contains(terminal.text(), " … notices"));
}

TEST_CASE("grade: one program after the other, with a table and a page for each") {
  if (lacks("python3")) return;
  const ClassRoom room;
  for (const auto& [name, fault] : {std::pair("ana.sh", "none"), {"bruno.sh", "orphan-monitor"}}) {
    room.add(name,
             "exec python3 tests/grade/student.py --fault=" + std::string(fault) + " \"$@\"\n");
  }
  room.add("carla.sh", "broken\n");
  room.add("$(touch taken);davi ana.sh", "broken\n");
  const Graded graded = grade(
      room.place, 1,
      room.options + Words{"--checks=lets-go", "--build=echo made && ! grep -q broken {file}"},
      {"sh", "{file}"});
  CHECK(contents(room.grades + "/grades.csv") ==
        "program,score,max,starts,lets-go,diagnoses\n"
        "\"$(touch taken);davi ana.sh\",,6,,,\"not gradable: it does not build\"\n"
        "\"ana.sh\",6,6,4,2,\n"
        "\"bruno.sh\",4,6,4,0,orphan-monitor\n"
        "\"carla.sh\",,6,,,\"not gradable: it does not build\"\n");
  CHECK(!fs::exists("taken"));  // no shell has read a file's name
  CHECK(contains(graded.output, "1  orphan-monitor – a child that outlives its process\n"));
  CHECK(fs::exists(room.grades + "/ana.sh.html"));
  const std::string of_carla = contents(room.grades + "/carla.sh.html");
  CHECK(contains(of_carla, "<strong>not gradable: it does not build</strong>"));
  CHECK(contains(of_carla, "<pre>made\n</pre>"));  // the last words of its build
  CHECK(contains(contents(room.grades + "/bruno.sh.html"), "orphan-monitor"));
}

TEST_CASE("grade: a program that cannot be built has the maximum of the others") {
  const ClassRoom room;
  room.add("ana.sh", "exit\n");
  const Graded graded = grade(
      room.place, 2,
      room.options + Words{"--checks=lets-go", "--points=starts=10,lets-go=20", "--build=false"},
      {"sh", "{file}"});
  CHECK(contains(graded.output, "\"ana.sh\",,30,,,\"not gradable: it does not build\"\n"));
}

TEST_CASE("grade: a table in Portuguese has semicolons, if the option asks for it, and no locale") {
  const ClassRoom room;
  room.add("ana.sh", "exit\n");
  const Words options = room.options + Words{"--checks=lets-go", "--build=false"};
  const std::string head = "program,score,max,starts,lets-go,diagnoses\n";
  Command local(room.place, Words{"./bully", "grade"} + options + Words{"--", "sh", "{file}"},
                {"LANG=pt_BR.UTF-8"});
  REQUIRE(wait_until([&] { return local.has_ended(); }, until_graded));
  CHECK(contents(room.grades + "/grades.csv") ==
        head + "\"ana.sh\",,6,,,\"sem avaliação: a compilação falha\"\n");
  grade(room.place, 2, options + Words{"--lang=pt-BR"}, {"sh", "{file}"});
  CHECK(contents(room.grades + "/grades.csv") ==
        replaced(head, ",", ";") + "\"ana.sh\";;6;;;\"sem avaliação: a compilação falha\"\n");
}

TEST_CASE("grade: a build that prints without end has its time, and no more") {
  const ClassRoom room;
  room.add("ana.sh", "exit\n");
  const Graded graded =
      grade(room.place, 2,
            room.options + Words{"--checks=starts", "--build=yes", "--start-timeout=100ms"},
            {"sh", "{file}"});
  CHECK(contains(graded.output, "not gradable: it does not build in time"));
}

TEST_CASE("grade: of a build that fails nothing is left") {
  const ClassRoom room;
  room.add("ana.sh", "exit\n");
  // The harness holds that no process is left.
  grade(room.place, 2,
        room.options + Words{"--checks=starts", "--build=(setsid sleep 1000 &) ; exit 1"},
        {"sh", "{file}"});
}

TEST_CASE("grade: its own grades are no program of the class") {
  const ClassRoom room;
  room.add("ana.sh", "exit 3\n");
  const Words options = {"--each=" + room.programs.string(), "--checks=starts",
                         "--output=" + (room.programs / "grades").string()};
  for (int i = 0; i < 2; ++i) {
    const Graded graded = grade(room.place, 1, options, {"sh", "{file}"});
    CHECK(!contains(graded.output, "\"grades\""));
  }
}

TEST_CASE("grade: a file that cannot be started has a row that says why, and no points") {
  const ClassRoom room;
  room.add("a-mode", "#!/bin/sh\n", fs::perms::owner_read);
  room.add("b-text", "print('E;7')\n", fs::perms::owner_all);
  room.add("c-name", "#!/usr/bin/env pyhton3\n", fs::perms::owner_all);
  room.add("d-lines", "#!/bin/sh\r\nexit\r\n", fs::perms::owner_all);
  room.add("e-ends", "#!/bin/sh -e\nexit 3\n", fs::perms::owner_all);
  const Graded graded =
      grade(room.place, 1, room.options + Words{"--checks=starts", "--lang=en"}, {"{file}"});
  const std::vector<std::string> rows = lines_in(contents(room.grades + "/grades.csv"));
  REQUIRE(rows.size() == 6);
  const std::vector<std::string> reasons = {
      "a-mode' is not executable", "b-text' does not begin with `#!`",
      "c-name' begins with `#!/usr/bin/env pyhton3`, and there is no such",
      "d-lines' begins with `#!/bin/sh"};
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    check_says(rows[i + 1], {",,4,,\"not gradable: ", reasons[i]});
  }
  CHECK(rows[5] == "\"e-ends\",0,4,0,died");  // it starts, and that is its fault
}

TEST_CASE("grade: a command that is wrong for all is wrong usage, and nobody gets a grade") {
  const ClassRoom room;
  room.add("ana.py", "print()\n");
  for (const Words& options : {Words{}, room.options}) {
    const Result result = run(room.place, Words{"./bully", "grade", "--lang=en"} + options +
                                              Words{"--", "pyhton3", "{file}"});
    CHECK(result.status == 2);
    CHECK(contains(result.output, "there is no program 'pyhton3'"));
    CHECK(!fs::exists(room.grades));
  }
  const std::string file = (room.programs / "ana.py").string();
  const Result result = run(room.place, {"./bully", "grade", "--lang=en", "--", file});
  CHECK(result.status == 2);
  CHECK(contains(result.output, "ana.py' is not executable: `chmod +x "));
  const Result of_all =
      run(room.place, {"./bully", "grade", "--lang=en", "--", room.programs.string()});
  CHECK(of_all.status == 2);
  CHECK(contains(of_all.output, "class' is a directory: name a file in it"));
}

TEST_CASE("grade: a directory that cannot be made ends the command before any check") {
  const Result result =
      run(Place(), {"./bully", "grade", "--lang=en", "--dir=/nonexistent/x", "--", "/bin/true"});
  CHECK(result.status == 2);
  CHECK(contains(result.output, "/nonexistent/x"));
  CHECK(!contains(result.output, "starts"));
}

TEST_CASE(
    "grade: where --each has no files, or they have no place in the command, nobody gets a grade") {
  const ClassRoom room;
  const auto refused = [&](const std::string& programs, const std::string& word) {
    const Result result = run(room.place, {"./bully", "grade", "--lang=en", "--each=" + programs,
                                           "--output=" + room.grades, "--", "sh", word});
    CHECK(result.status == 2);
    CHECK(!fs::exists(room.grades));
    return result.output;
  };
  const std::string programs = room.programs.string();
  check_says(refused(programs, "{file}"), {"--each: there is nothing in " + programs});
  check_says(refused(programs + "/none", "{file}"), {"there is no such directory: " + programs});
  room.add("ana.py", "print()\n");
  check_says(refused(programs, "ana.py"), {"--each: COMMAND must say where each file goes"});
}

TEST_CASE("grade: a place that no option fills is wrong usage, and no fault of a program") {
  const Place place;
  const auto refused = [&](const std::string& word) {
    const Result result = run(place, {"./bully", "grade", "--lang=en", "--", "sh", word});
    CHECK(result.status == 2);
    return result.output;
  };
  check_says(refused("{file}"), {"{file} in COMMAND needs --each"});
  check_says(refused("--id={id}"), {"{id} in COMMAND needs --with-id"});
}

TEST_CASE("grade: a report that cannot be written is said without an option of other commands") {
  const Place place;
  const std::string file = (place.path() / "none/report.json").string();
  const Result result =
      run(place, {"./bully", "grade", "--lang=en", "--output=" + file, "--", "sh", "exit"});
  CHECK(result.status == 2);
  check_says(result.output, {"write " + file + ": No such file or directory"});
  CHECK(!contains(result.output, "--trace="));
}

TEST_CASE("grade: Ctrl-C while a program is built ends all of it") {
  const ClassRoom room;
  room.add("ana.sh", "exit\n");
  const std::string begun = room.place.path() / "begun";
  Command grader(room.place,
                 Words{"./bully", "grade"} + room.options +
                     Words{"--dir=" + room.place.nodes(), "--build=touch " + begun + "; sleep 60",
                           "--", "sh", "{file}"});
  REQUIRE(wait_until([&] { return fs::exists(begun); }));
  CHECK(grader.end_by(SIGINT) == 128 + SIGINT);
}
