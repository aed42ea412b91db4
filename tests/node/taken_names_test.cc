// taken_names_test.cc: a stand-in takes a process's name and gives it back, whichever of them dies.
#include "node/taken_names.h"

#include <doctest/doctest.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <vector>

#include "node/beyond_posix.h"
#include "node/registry.h"
#include "stage/local_cluster.h"
#include "support/names.h"
#include "support/private_mount.h"
#include "support/process.h"
#include "support/scratch.h"
#include "support/skip.h"

namespace bully {
namespace {

namespace fs = std::filesystem;

// A directory, and its place aside.
struct Shared {
  const Scratch scratch;
  Registry directory{scratch.path() + "/nodes", true};
  const std::string place = scratch.path() + "/nodes.aside";

  // As a program publishes that knows nothing of us.
  Descriptor listen(NodeId id) const { return listen_at(directory.socket_path(id)); }
  std::optional<SocketIdentity> at(NodeId id) const { return socket_at(directory.socket_path(id)); }
  bool is_served(NodeId id) const {
    return connect_to(directory.socket_path(id)).reach == Reach::reached;
  }
  bool holds_nothing_aside() const { return !fs::exists(place) || fs::is_empty(place); }
  std::ptrdiff_t beside() const {
    return std::distance(fs::directory_iterator(scratch.path()), {}) - 1;
  }
};

// With process 7 in it.
struct SharedBy7 : Shared {
  const Descriptor own = listen(7);
  const std::optional<SocketIdentity> identity = at(7);

  bool is_back() const { return at(7) == identity; }
  // That 7 has its name, and nothing is left of any stand-in.
  void check_is_clean() const {
    CHECK(is_back());
    CHECK(is_served(7));
    CHECK(beside() == 0);
  }
};

bool has_caller(const Descriptor& listener) {
  return static_cast<bool>(accept_from(listener));
}

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

// Whether something comes in time that can be read.
bool comes(const Pipe& pipe) {
  pollfd polled{pipe.read_end.get(), POLLIN, 0};
  return poll(&polled, 1, poll_timeout(patience, {})) == 1;
}

// A process of its own, which takes the place and stands in for these; then it is killed.
class Killed {
 public:
  Killed(const Shared& shared, const std::vector<NodeId>& ids) {
    const Pipe ready = make_pipe("of the test");
    process_ = Child([&] {
      TakenNames aside(shared.directory);
      std::vector<Descriptor> listeners;
      for (const NodeId id : ids) listeners.push_back(aside.stand_in(id));
      [[maybe_unused]] const ssize_t told = write(ready.write_end.get(), "", 1);
      while (true) pause();
    });
    CHECK(comes(ready));
  }
  void kill() { process_.kill(); }

 private:
  Child process_;
};

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
    const std::uint64_t before = seen.reached;
    const bool goes_on = wait_until([&] {
      while (has_caller(shared.own) || has_caller(stand_in)) continue;
      return seen.reached > before || move % 5 != 0;
    });
    CHECK(goes_on);
    aside.put_all_back();
    while (has_caller(shared.own) || has_caller(stand_in)) continue;
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
          Advice::stand_in_at_work);
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
  CHECK(!node.is_published(7));
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

// 1 lives, 2 has left, 3 has published itself again, 4 is dead, 5 was never moved.
TEST_CASE("The next process puts back what a killed one has left") {
  Shared shared;
  Directory third(shared.directory.path(), false);
  const Descriptor first = shared.listen(1);
  const Descriptor fifth = shared.listen(5);
  const auto identity = shared.at(1);
  Descriptor renewed;
  std::optional<SocketIdentity> new_identity;
  {
    const Descriptor second = shared.listen(2);
    Descriptor before = shared.listen(3);
    const Descriptor fourth = shared.listen(4);
    Killed killed(shared, {1, 2, 3, 4});
    REQUIRE(fs::remove(shared.directory.socket_path(2)));
    REQUIRE(fs::remove(shared.directory.socket_path(3)));
    renewed = shared.listen(3);
    new_identity = shared.at(3);
    const Descriptor half_made = listen_at(shared.place + "/new");
    CHECK(own_socket(shared.directory, 1) == shared.place + "/1");
  }
  CHECK(!shared.is_served(1));
  SUBCASE("the next one") {
    const TakenNames aside(shared.directory);
    CHECK(fs::is_empty(shared.place));
  }
  SUBCASE("a start") {
    Registry node(shared.directory.path(), false);
    CHECK_THROWS_AS(node.publish(1), SetupError);
  }
  SUBCASE("a start under the id of a dead one") {
    Registry node(shared.directory.path(), false);
    const Descriptor own = node.publish(4);
    CHECK(shared.is_served(4));
  }
  SUBCASE("a sweeper") {
    CHECK(shared.directory.sweep(1));
  }
  SUBCASE("one that leaves") {
    shared.directory.sweep_up_to_a_live_one();
  }
  CHECK(shared.at(1) == identity);
  CHECK(shared.is_served(1));
  CHECK(!shared.at(2));
  CHECK(shared.at(3) == new_identity);
  CHECK(shared.is_served(5));
  CHECK(shared.beside() == 0);
}

// Every state in which a move can be interrupted, made by hand.
TEST_CASE("A move that was interrupted at any point can be taken back") {
  SharedBy7 shared;
  const std::string name = shared.directory.socket_path(7);
  for (int steps = 0; steps <= 7; ++steps) {
    CAPTURE(steps);
    REQUIRE(mkdir(shared.place.c_str(), 0700) == 0);
    const std::string made = shared.place + "/new";
    const std::string aside = shared.place + "/7";
    Descriptor stand_in = listen_at(made);
    if (steps > 0) fs::create_hard_link(name, aside);
    if (steps > 1) fs::create_hard_link(made, aside + ".stand-in");
    if (steps > 2) fs::rename(made, name);
    stand_in.reset();
    // And back.
    if (steps > 3) fs::rename(aside, name);
    if (steps > 4) fs::remove(aside);
    if (steps > 5) fs::remove(aside + ".stand-in");
    if (steps > 6) fs::remove(shared.place);
    { const TakenNames next(shared.directory); }
    shared.check_is_clean();
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
        Advice::choose_parent);
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
    const std::size_t longest = max_socket_path() - std::string("/18446744073709551615").size();
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

// Stands in for these and puts them back, for ever.
[[noreturn]] void move_for_ever(const Shared& shared, const std::vector<NodeId>& ids, int ready) {
  const Guard guard(Guard::Manner::kill);
  guard.put_names_back(shared.directory.path());
  for (bool is_first = true;; is_first = false) {
    std::vector<Descriptor> listeners;
    TakenNames aside(shared.directory);
    for (const NodeId id : ids) listeners.push_back(aside.stand_in(id));
    if (is_first && write(ready, "", 1) != 1) _exit(1);
  }
}

TEST_CASE("A guard puts all names back at once, at whatever moment its owner is killed") {
  Shared shared;
  const std::vector<NodeId> ids = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<Descriptor> own;
  std::vector<std::optional<SocketIdentity>> identities;
  for (const NodeId id : ids) {
    own.push_back(shared.listen(id));
    identities.push_back(shared.at(id));
  }
  const auto is_whole = [&] {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (shared.at(ids[i]) != identities[i]) return false;
    }
    return shared.beside() == 0;
  };
  std::vector<Duration> times;
  std::vector<Duration> times_beside;
  for (int round = 0; round < 100; ++round) {
    CAPTURE(round);
    const Pipe ready = make_pipe("of the test");
    Child mover([&] { move_for_ever(shared, ids, ready.write_end.get()); });
    // What the guard does is compared with that of another process, which only ends.
    Child beside([&] { PinnedProcess(mover.pid()).ends_within(patience); });
    CHECK(comes(ready));
    usleep(static_cast<useconds_t>(round % 50) * 40);  // the moment is what the test varies
    const Time killed_at = monotonic_now();
    mover.signal(SIGKILL);
    std::optional<Duration> put_back;
    std::optional<Duration> ended;
    CHECK(wait_until([&] {
      if (!put_back && is_whole()) put_back = monotonic_now() - killed_at;
      if (!ended && beside.has_ended()) ended = monotonic_now() - killed_at;
      return put_back && ended;
    }));
    times.push_back(put_back.value_or(patience));
    times_beside.push_back(ended.value_or(patience));
    mover.kill();
    for (const NodeId id : ids) CHECK(shared.is_served(id));
    for (const Descriptor& listener : own) {
      while (has_caller(listener)) continue;
    }
  }
  std::ranges::sort(times);
  std::ranges::sort(times_beside);
  const Duration beside = times_beside[times_beside.size() / 2];
  CHECK(times[times.size() / 2] < std::chrono::milliseconds(100) + 10 * beside);
}

}  // namespace
}  // namespace bully
