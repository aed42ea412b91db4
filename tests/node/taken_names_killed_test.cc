// taken_names_killed_test.cc: what a killed stand-in leaves is put back, by its guard or by the
// next process that meets it.
#include <doctest/doctest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fixture/taken.h"
#include "stage/local_cluster.h"
#include "support/process.h"

namespace bully {
namespace {

namespace fs = std::filesystem;

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

// Stands in for these and puts them back, for ever.
[[noreturn]] void move_for_ever(const Shared& shared, const std::vector<NodeId>& ids, int ready) {
  const Guard guard(Guard::Ending::kill);
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
