// taken_names_test.cc: a stand-in takes a process's name and gives it back, whichever of them dies.
#include "node/taken_names.h"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <vector>

#include "fixture/taken.h"
#include "support/names.h"
#include "support/private_mount.h"
#include "support/process.h"
#include "support/skip.h"

namespace bully {
namespace {

namespace fs = std::filesystem;

// What is advised where this fails to be set up; nothing where it does not fail.
std::optional<Advice> advice_of(const std::function<void()>& set_up,
                                const std::string& about = "") {
  try {
    set_up();
  } catch (const SetupError& error) {
    CHECK(contains(error.what(), about));
    return error.advice();
  }
  return std::nullopt;
}

TEST_CASE("A stand-in has the name, and the process is reached aside, until it has it back") {
  SharedBy7 shared;
  {
    TakenNames aside(shared.directory);
    CHECK(own_socket(shared.directory, 7) == shared.directory.socket_path(7));
    CHECK(!aside.has_name(7));
    const Descriptor stand_in = aside.stand_in(7);
    REQUIRE(stand_in);
    CHECK(aside.has_name(7));
    CHECK(aside.own_socket(7) == shared.place + "/7");
    CHECK(own_socket(shared.directory, 7) == shared.place + "/7");
    CHECK(socket_at(shared.place + "/7") == shared.identity);
    CHECK(shared.directory.ids() == std::vector<NodeId>{7});
    const Connection to_stand_in = connect_to(shared.directory.socket_path(7));
    CHECK(has_caller(stand_in));
    CHECK(!has_caller(shared.own));
    const Connection to_own = connect_to(aside.own_socket(7));
    CHECK(has_caller(shared.own));

    // A new one takes its place.
    const Descriptor next = aside.stand_in(7);
    const Connection to_next = connect_to(shared.directory.socket_path(7));
    CHECK(has_caller(next));
    CHECK(!has_caller(stand_in));
    CHECK(socket_at(aside.own_socket(7)) == shared.identity);

    aside.put_all_back();
    CHECK(!aside.has_name(7));
    shared.check_is_clean();
    aside.put_all_back();
    shared.check_is_clean();
  }
  shared.check_is_clean();
}

TEST_CASE("A stand-in takes no name of the dead, of no process, or of something else") {
  Shared shared;
  leave_dead_name(shared.directory.socket_path(1));
  const Descriptor datagrams = bind_at(shared.directory.socket_path(2), SOCK_DGRAM);
  REQUIRE(std::ofstream(shared.directory.socket_path(3)).good());
  TakenNames aside(shared.directory);
  for (const NodeId id : {1U, 2U, 3U, 4U}) {
    const auto before = shared.at(id);
    CHECK(!aside.stand_in(id));
    CHECK(shared.at(id) == before);
  }
  CHECK(fs::is_empty(shared.place));
}

TEST_CASE(
    "A full backlog is a stand-in's as it is a node's, and it can have the name of a full one") {
  if (lacks_descriptors(2 * full_backlog)) return;
  SharedBy7 shared;
  const auto fill = [&] {
    auto waiting = fill_backlog(shared.directory.socket_path(7));
    CHECK(waiting.back().reach == Reach::busy);
    return waiting;
  };
  const auto on_own = fill();
  TakenNames aside(shared.directory);
  const Descriptor stand_in = aside.stand_in(7);
  REQUIRE(stand_in);
  CHECK(fill().size() == on_own.size());
}

// Counts what it meets at a name, as fast as it can, until it is killed.
struct Seen {
  std::atomic<std::uint64_t> reached = 0;
  std::atomic<std::uint64_t> absent = 0;
  std::atomic<std::uint64_t> refused = 0;
};

TEST_CASE("The name is absent at no moment, and refuses no process, through a hundred moves") {
  SharedBy7 shared;
  const SharedMemory<Seen> common;
  Seen& seen = *common;
  Child watcher([&] {
    while (true) {
      const std::string name = shared.directory.socket_path(7);
      if (!socket_at(name)) ++seen.absent;
      const Reach reach = connect_to(name).reach;
      if (reach == Reach::reached) ++seen.reached;
      if (reach == Reach::gone) ++seen.refused;
    }
  });
  Descriptor last;                           // still found by those who looked before
  const int moves = is_soak() ? 1'000 : 50;  // and as many back
  for (int move = 0; move < moves; ++move) {
    TakenNames aside(shared.directory);
    Descriptor stand_in = aside.stand_in(7);
    CHECK(aside.has_name(7));
    // No more than may wait there: the watcher may connect as fast as this process accepts.
    const auto take_callers = [&] {
      for (std::size_t left = full_backlog; left > 0; --left) {
        if (!has_caller(shared.own) && !has_caller(stand_in)) return;
      }
    };
    const std::uint64_t before = seen.reached;
    const bool goes_on = wait_until([&] {
      take_callers();
      return seen.reached > before || move % 5 != 0;
    });
    CHECK(goes_on);
    aside.put_all_back();
    take_callers();
    last = std::move(stand_in);
  }
  watcher.kill();
  CHECK(seen.reached >= 10);
  CHECK(seen.absent == 0);
  CHECK(seen.refused == 0);
}

TEST_CASE("Only one at a time has the place, and the next one may have it at once") {
  SharedBy7 shared;
  for (int twice = 0; twice < 2; ++twice) {
    TakenNames first(shared.directory);
    const Descriptor stand_in = first.stand_in(7);
    CHECK(advice_of([&] { TakenNames second(shared.directory); }, "lock " + shared.place) ==
          Advice::proxy_at_work);
    CHECK(first.has_name(7));
    first.put_all_back();
    CHECK(shared.is_back());
    CHECK(!fs::exists(shared.place));
  }
}

TEST_CASE("A process that publishes itself again keeps its new name") {
  Shared shared;
  Descriptor own = shared.listen(7);
  TakenNames aside(shared.directory);
  const Descriptor stand_in = aside.stand_in(7);
  REQUIRE(fs::remove(shared.directory.socket_path(7)));
  own = shared.listen(7);
  const auto renewed = shared.at(7);
  CHECK(!aside.has_name(7));
  CHECK(own_socket(shared.directory, 7) == shared.directory.socket_path(7));

  SUBCASE("when all are put back") {
    aside.put_all_back();
  }
  SUBCASE("when it is removed") {
    aside.remove(7);
  }
  SUBCASE("when a stand-in has its name again") {
    const Descriptor next = aside.stand_in(7);
    CHECK(aside.has_name(7));
    CHECK(socket_at(aside.own_socket(7)) == renewed);
    aside.put_all_back();
  }
  CHECK(shared.at(7) == renewed);
  CHECK(shared.is_served(7));
  CHECK(shared.holds_nothing_aside());
}

TEST_CASE("The names of dead and departed processes are removed in both places, by any process") {
  Shared shared;
  Registry node(shared.directory.path(), false);
  Descriptor own = node.publish(7);
  TakenNames aside(shared.directory);
  Descriptor stand_in = aside.stand_in(7);
  CHECK(!node.is_published(shared.directory.socket_path(7)));
  SUBCASE("the stand-in") {
    aside.remove(7);
  }
  SUBCASE("the process itself") {
    node.withdraw(7);
  }
  SUBCASE("a sweeper") {
    stand_in.reset();
    CHECK(!shared.directory.sweep(7));  // the process lives
    CHECK(aside.has_name(7));
    own.reset();
    CHECK(wait_until([&] { return shared.directory.sweep(7); }));  // when it is old enough
  }
  SUBCASE("another one of that id, in the end") {
    own.reset();
    const Descriptor next = shared.directory.publish(7);
    CHECK(!aside.has_name(7));
    CHECK(shared.is_served(7));
    aside.put_all_back();
    CHECK(shared.is_served(7));
    shared.directory.withdraw(7);
  }
  CHECK(shared.directory.ids().empty());
  CHECK(shared.holds_nothing_aside());
}

TEST_CASE("No process takes the name of a live one, whatever its stand-in does") {
  Shared shared;
  Registry node(shared.directory.path(), false);
  const Descriptor own = node.publish(7);
  TakenNames aside(shared.directory);
  Descriptor stand_in = aside.stand_in(7);
  for (int twice = 0; twice < 2; ++twice) {
    CHECK(advice_of([&] { shared.directory.publish(7); }) == Advice::id_in_use);
    CHECK(aside.has_name(7));
    stand_in.reset();
  }
}

TEST_CASE("No process trusts a place that others have made, or may enter") {
  SharedBy7 shared;
  std::string real = shared.place;
  const auto forge = [&] {
    REQUIRE(mkdir(real.c_str(), 0700) == 0);
    const Descriptor fake = listen_at(shared.place + "/7");
    fs::create_hard_link(shared.directory.socket_path(7), shared.place + "/7.stand-in");
    REQUIRE(chmod(shared.place.c_str(), 0777) == 0);
  };
  SUBCASE("open to others") {
    forge();
  }
  SUBCASE("somebody else's") {
    if (lacks_root()) return;
    forge();
    REQUIRE(chmod(shared.place.c_str(), 0700) == 0);
    REQUIRE(chown(shared.place.c_str(), nobody_uid, nobody_uid) == 0);
  }
  SUBCASE("a link") {
    real = shared.scratch.path() + "/elsewhere";
    REQUIRE(symlink(real.c_str(), shared.place.c_str()) == 0);
    forge();
    REQUIRE(chmod(real.c_str(), 0700) == 0);
  }
  CHECK(own_socket(shared.directory, 7) == shared.directory.socket_path(7));
  shared.directory.sweep(7);
  shared.directory.sweep_up_to_a_live_one();
  CHECK(advice_of([&] { TakenNames aside(shared.directory); }, shared.place) ==
        Advice::leave_place);
  CHECK(shared.is_back());
  CHECK(socket_at(real + "/7"));
}

TEST_CASE("A directory whose sockets cannot be moved is refused, and nothing is left beside it") {
  SharedBy7 shared;
  const auto error_of = [](const std::string& path) {
    try {
      const Directory directory(path, false);
      const TakenNames aside(directory);
    } catch (const SetupError& error) {
      return std::pair(error.code().value(), error.advice());
    }
    return std::pair(0, Advice::none);
  };
  SUBCASE("too long for the address of a socket aside") {
    const std::string base = shared.scratch.path() + '/';
    const std::size_t longest = max_socket_path() - std::string("/2147483647").size();
    const std::string path = base + std::string(longest - base.size(), 'x');
    REQUIRE(mkdir(path.c_str(), 0700) == 0);
    CHECK(error_of(path) == std::pair(ENAMETOOLONG, Advice::shorten_directory));
    CHECK(rmdir(path.c_str()) == 0);
  }
#ifdef __linux__
  for (const bool bind : {false, true}) {
    const std::string volume = shared.scratch.path() + "/volume";
    REQUIRE(mkdir(volume.c_str(), 0700) == 0);
    {
      const PrivateMount mounted(volume, shared.directory.path(), bind);
      if (!mounted) {
        skip("no right to mount");
      } else {
        REQUIRE(chmod(shared.directory.path().c_str(), 0700) == 0);
        CHECK(error_of(shared.directory.path()) == std::pair(EXDEV, Advice::choose_parent));
      }
    }
    CHECK(rmdir(volume.c_str()) == 0);
  }
#endif
  CHECK(shared.beside() == 0);
  CHECK(error_of(shared.directory.path()).first == 0);
}

TEST_CASE("A directory whose parent cannot be written is refused") {
  Shared shared;
  if (lacks_root()) return;
  REQUIRE(chmod(shared.scratch.path().c_str(), 0755) == 0);
  REQUIRE(chown(shared.directory.path().c_str(), nobody_uid, nobody_uid) == 0);
  Child child([&] {
    become_nobody();
    try {
      const TakenNames aside(shared.directory);
    } catch (const SetupError& error) {
      _exit(error.advice() == Advice::choose_parent && error.code().value() == EACCES ? 0 : 1);
    }
    _exit(2);
  });
  CHECK(child.end().exit_code == 0);
}

}  // namespace
}  // namespace bully
