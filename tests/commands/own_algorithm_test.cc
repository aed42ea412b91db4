// own_algorithm_test.cc: an algorithm that src/ does not know goes through every command; see
// toy/lowest.h.
#include <doctest/doctest.h>
#include <signal.h>

#include <string>

#include "fixture/scripts.h"
#include "fixture/session.h"
#include "node/system.h"
#include "support/fake.h"

using namespace bully;

TEST_CASE("toy: every command knows its words, messages, states, rules and properties") {
  check_session("tests/commands/toy.session");
}

TEST_CASE("toy: a chief looks at real processes, and finds one that missed it, and a lower one") {
  const Place place;
  Command chief(place, {toy_program(), "2", "--algorithm=lowest", "--ping-interval=50ms"});
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

TEST_CASE("toy: a real node takes a list of 64 KiB, and nothing that is longer") {
  const Place place;
  const std::string trace = place.path() / "trace";
  Command node(place, {toy_program(), "7", "--algorithm=lowest", "--trace=" + trace});
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
