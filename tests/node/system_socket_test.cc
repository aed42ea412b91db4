// system_socket_test.cc: what can be known of who is behind a name, and without disturbing it.
#include "node/system.h"

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <cerrno>

#include "fixture/cluster.h"
#include "support/names.h"
#include "support/skip.h"

namespace bully {
namespace {

TEST_CASE("A name is a node's, or a dead one's, or something else's, and only the first can be") {
  const Scratch scratch;
  const std::string live = scratch.path() + "/1";
  const std::string dead = scratch.path() + "/2";
  const std::string other = scratch.path() + "/3";
  const Descriptor listener = listen_at(live);
  leave_dead_name(dead);
  const Descriptor datagram = bind_at(other, SOCK_DGRAM);
  const SocketTable sockets;
  for (int twice = 0; twice < 2; ++twice) {
    CHECK(sockets.may_be_node(live));
    CHECK_FALSE(sockets.may_be_node(dead));
    CHECK_FALSE(sockets.may_be_node(other));
    CHECK_FALSE(sockets.may_be_node(scratch.path() + "/4"));
  }
  CHECK_FALSE(accept_from(listener));  // it has not noticed
  CHECK(connect_to(live).reach == Reach::reached);
  CHECK(connect_to(dead).reach == Reach::gone);
  CHECK(connect_to(other).reach == Reach::foreign);
  CHECK(connect_to(scratch.path() + "/4").reach == Reach::gone);
}

// What macOS and the BSDs do, as far as another system can show it.
TEST_CASE("Where a full backlog refuses connections, only a second refusal means death") {
  if (lacks_descriptors(full_backlog)) return;
  const Scratch scratch;
  const std::string busy = scratch.path() + "/1";
  const std::string dead = scratch.path() + "/2";
  const Descriptor listener = listen_at(busy);
  leave_dead_name(dead);
  const auto waiting = fill_backlog(busy);
  CHECK(waiting.back().reach == Reach::busy);
  CHECK(reach_after(ECONNREFUSED, busy, true) == Reach::busy);
  CHECK(reach_after(ECONNREFUSED, dead, true) == Reach::gone);
  CHECK(reach_after(ENOENT, scratch.path() + "/3", true) == Reach::gone);
  CHECK(reach_after(ECONNREFUSED, busy, false) == Reach::gone);
}

}  // namespace
}  // namespace bully
