// rooms_test.cc: the lint holds each room to the rooms that it may know.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "fixture/said.h"
#include "fixture/scripts.h"

using namespace bully;
namespace fs = std::filesystem;

namespace {

// Each room of the table in lint.sh, with the rooms that it may know.
std::map<std::string, Words> table() {
  std::map<std::string, Words> rooms;
  const std::string script = contents("tests/lint.sh");
  const std::size_t begin = script.find("<<'END'\n") + 8;
  std::istringstream lines(script.substr(begin, script.find("\nEND\n", begin) - begin));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string room;
    words >> room;
    for (std::string known; words >> known;) rooms[room].push_back(known);
    rooms[room].push_back(room);
  }
  return rooms;
}

std::string lint(const Place& place, const fs::path& tree) {
  const std::string script = fs::absolute("tests/lint.sh");
  return run(place, {"sh", "-c", "cd \"$1\" && bash \"$2\" purity", "sh", tree, script}).output;
}

}  // namespace

TEST_CASE("an include of a room that may not be known is found, wherever it is planted") {
  const Place place;
  const auto rooms = table();
  REQUIRE(rooms.size() > 10);
  const fs::path tree = place.path() / "tree";
  const auto planted = [](const std::string& room, const std::string& other) {
    return "src/" + room + "/knows_" + other + ".h";
  };
  for (const auto& [room, known] : rooms) {
    fs::create_directories(tree / "src" / room);
    for (const auto& [other, unused] : rooms) {
      std::ofstream(tree / planted(room, other)) << "#include \"" << other << "/some.h\"\n";
    }
  }
  const std::string found = lint(place, tree);
  for (const auto& [room, known] : rooms) {
    for (const auto& [other, unused] : rooms) {
      const std::string file = planted(room, other);
      CAPTURE(file);
      const bool is_allowed = std::ranges::count(known, other) > 0;
      CHECK(contains(found, file) == !is_allowed);
    }
  }
}

TEST_CASE("a question for the system is found, wherever else it is planted") {
  const Place place;
  const fs::path tree = place.path() / "tree/src/node";
  fs::create_directories(tree);
  for (const char* name : {"beyond_posix.cc", "links.cc"}) {
    std::ofstream(tree / name) << "#ifdef __linux__\n#endif\n";
  }
  const std::string found = lint(place, place.path() / "tree");
  CHECK(contains(found, "src/node/links.cc:1:"));
  CHECK(!contains(found, "src/node/beyond_posix.cc:1:"));
}

TEST_CASE("a room that the table does not have is found") {
  const Place place;
  fs::create_directories(place.path() / "tree/src/cellar");
  std::ofstream(place.path() / "tree/src/cellar/door.h") << "#pragma once\n";
  CHECK(contains(lint(place, place.path() / "tree"), "no line for src/cellar"));
}
