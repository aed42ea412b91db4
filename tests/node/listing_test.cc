// listing_test.cc: a look at the directory, and a list of processes in the order of a file, which
// changes only when it is renewed.
#include "node/listing.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>

#include "support/names.h"
#include "support/scratch.h"

namespace bully {
namespace {

TEST_CASE("A look that fails repeats the latest that succeeded, and is an error if none has") {
  const Scratch scratch;
  const Directory known(scratch.path() + "/nodes", true);
  leave_dead_name(known.socket_path(7));
  const std::vector<NodeId> seven = {7};
  CHECK(known.ids() == seven);
  const Directory unknown(known.path(), false);
  rlimit usual{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &usual) == 0);
  const rlimit none{0, usual.rlim_max};
  REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
  CHECK(known.ids() == seven);
  CHECK_THROWS_AS(unknown.ids(), SetupError);
  REQUIRE(setrlimit(RLIMIT_NOFILE, &usual) == 0);
  CHECK(unknown.ids() == seven);
}

TEST_CASE("The order of a ring stays the same until the listing is renewed; no order is lost") {
  const Scratch scratch;
  const Directory directory(scratch.path() + "/nodes", true);
  for (const NodeId id : {1U, 2U, 3U}) leave_dead_name(directory.socket_path(id));
  const std::string file = scratch.path() + "/ring";
  const auto write = [&](const char* order) { std::ofstream(file) << order; };
  write("3 2 1");
  Listing listing(directory, file);
  const auto after_3 = [&] { return listing.next_of(3); };
  CHECK(after_3() == 2);
  write("3 1 2");
  CHECK(after_3() == 2);
  listing.renew();
  CHECK(after_3() == 1);
  write("3 2 no-id");
  listing.renew();
  CHECK(after_3() == 1);
  std::filesystem::remove(file);
  leave_dead_name(directory.socket_path(4));
  listing.renew();
  CHECK(listing.next_of(2) == 4);
  CHECK(after_3() == 1);
}

TEST_CASE("On a ring of a file, the next after a process that has left is the one behind it") {
  const Scratch scratch;
  const Directory directory(scratch.path() + "/nodes", true);
  for (const NodeId id : {3U, 4U, 6U, 8U, 9U}) leave_dead_name(directory.socket_path(id));
  const std::string file = scratch.path() + "/ring";
  std::ofstream(file) << "9 3";
  Listing listing(directory, file);
  CHECK(listing.next_of(3) == 4);
  CHECK(listing.next_of(5) == 6);
  CHECK(listing.next_of(7) == 8);
  CHECK(listing.next_of(2) == 4);
  CHECK(listing.next_of(10) == 9);
}

}  // namespace
}  // namespace bully
