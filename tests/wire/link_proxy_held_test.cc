// link_proxy_held_test.cc: messages of elections that a link proxy holds, until it delivers or
// drops each of them.
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "fixture/proxied.h"

namespace bully {

TEST_CASE("Messages of elections wait, and are delivered in any order or dropped; pings pass") {
  StageOf4 stage;
  stage.relay().hold(true);
  stage.say(4, "E;1");
  stage.say(4, "E;2");
  stage.say(4, "E;3");
  CHECK(stage.passes("1;9"));
  CHECK(stage.is_noted("pinged 4 by 9: no reply"));
  REQUIRE(stage.notes.tickets.size() == 4);
  CHECK_FALSE(stage.notes.has("delivered E;1 to 4"));
  const std::vector<std::uint64_t> tickets = stage.notes.tickets;
  stage.relay().deliver(tickets[2]);
  CHECK(stage.next() == "E;3");
  stage.relay().drop(tickets[0]);
  stage.relay().hold(false);
  CHECK(stage.next() == "E;2");
  CHECK(stage.passes("E;5"));
  CHECK_FALSE(stage.notes.has("delivered E;1 to 4"));
}

TEST_CASE("A message that comes in pieces is held as one") {
  StageOf4 stage;
  stage.relay().hold(true);
  Descriptor caller = stage.connected(4);
  send_once(caller, "E;");
  const Descriptor other = stage.connected(4);  // accepted later, and so the pieces are read apart
  send_once(other, "1;9");
  CHECK(stage.is_noted("sent 1;9 to 4"));
  send_once(caller, "12;7");
  caller.reset();
  CHECK(stage.is_noted("sent E;12;7 to 4"));
}

TEST_CASE("A message to a dead process is held if messages are held, and refused otherwise") {
  StageOf4 stage;
  stage.relay().hold(true);
  stage.say(4, "E;1");
  CHECK(stage.is_noted("sent E;1 to 4"));
  stage.four.reset();
  CHECK(stage.is_noted("dead 4"));
  CHECK(stage.notes.has("refused E;1 to 4"));  // it was on its way
  CHECK(!stage.relay().has_proxy(4));
  CHECK(connect_to(stage.path(4)).reach == Reach::gone);

  stage.relay().keep_for_dead(true);
  stage.say(4, "E;2");
  stage.say(4, "1;9");
  CHECK(stage.is_noted("sent E;2 to 4"));
  CHECK(stage.is_noted("refused 1;9 to 4"));
  CHECK(!stage.notes.has("refused E;2 to 4"));
  stage.four = stage.process(4);  // another one, for which that was not meant
  CHECK(stage.comes([&] { return stage.relay().has_proxy(4); }));
  stage.relay().drop(stage.notes.tickets[1]);
  CHECK(stage.passes("1;5"));

  stage.four.reset();
  CHECK(stage.comes([&] { return !stage.relay().has_proxy(4); }));
  stage.say(4, "E;3");
  CHECK(stage.is_noted("sent E;3 to 4"));
  stage.relay().keep_for_dead(false);
  CHECK(stage.notes.has("refused E;3 to 4"));
  CHECK(connect_to(stage.path(4)).reach == Reach::gone);
  CHECK(stage.notes.count("dead 4") == 2);
}

}  // namespace bully
