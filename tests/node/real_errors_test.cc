// real_errors_test.cc: what the user got wrong, or the system refuses, ends in a clear error: the
// exit status, the object, and what to do.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sched.h>
#include <sys/mount.h>
#endif

#include <filesystem>
#include <fstream>
#include <list>

#include "fixture/cluster.h"
#include "fixture/said.h"
#include "fixture/session.h"
#include "node/system.h"
#include "support/names.h"
#include "support/skip.h"

namespace bully {
namespace {

// Runs `bully arguments…`, which must fail like this.
void check_failure(Program program, int exit_code, std::initializer_list<std::string_view> said) {
  const Scratch scratch;
  const std::string arguments = program.arguments.empty() ? "" : program.arguments.back();
  CAPTURE(arguments);
  const Finished finished = run_to_end(scratch.path(), std::move(program));
  if (finished.outcome.exit_code == exit_cannot_try) {
    skip("not all errors can be made here");
    return;
  }
  CHECK(finished.outcome.exit_code == exit_code);
  CHECK(finished.errors.starts_with("bully: "));
  check_says(finished.errors, said);
}

// A directory in which all may write.
std::string made_for_all(const Scratch& scratch) {
  std::string own = scratch.path() + "/own";
  REQUIRE(mkdir(own.c_str(), 0777) == 0);
  REQUIRE(chmod(own.c_str(), 0777) == 0);
  return own;
}

TEST_CASE("A program without a slash is told apart from an election") {
  const Scratch scratch;
  const std::string before = std::filesystem::current_path();
  std::filesystem::current_path(scratch.path());
  REQUIRE(std::ofstream("rules.py").good());
  for (const Arguments& arguments :
       {Arguments{"--algorithm=rules.py"}, Arguments{"ps", "--algorithm", "rules.py"},
        Arguments{"verify", "--algorithm=rules.py"},
        Arguments{"compare", "--algorithms=bully,rules.py"}}) {
    check_failure({.arguments = arguments}, 2, {"needs ./", "./rules.py"});
  }
  check_failure({.arguments = {"--algorithm=rules.py", "--lang=pt-BR"}}, 2,
                {"precisa de ./", "./rules.py"});
  check_failure({.arguments = {"--algorithm=other.py"}}, 2, {"not 'other.py'"});
  std::filesystem::current_path(before);
}

TEST_CASE("What cannot be read, written or served is named, with what to do") {
  check_session("tests/node/errors.session");
}

TEST_CASE("A directory or a link that is someone else's is refused") {
  if (lacks_root()) return;
  const Scratch scratch;
  const std::string at = scratch.path() + "/nodes";
  const Program program{.arguments = {"--dir=" + at}};
  REQUIRE(mkdir(at.c_str(), 0700) == 0);
  REQUIRE(symlink(at.c_str(), (at + "-link").c_str()) == 0);
  REQUIRE(lchown((at + "-link").c_str(), nobody_uid, nobody_uid) == 0);
  check_failure({.arguments = {"--dir=" + at + "-link"}}, 1,
                {"symbolic link of nobody at " + at, "--dir=DIR"});
  REQUIRE(chown(at.c_str(), nobody_uid, nobody_uid) == 0);
  check_failure(program, 1, {"owner of " + at + " (nobody)", "--dir=DIR"});
}

TEST_CASE("A place that cannot be written is refused") {
  if (lacks_root()) return;
  const Scratch scratch;
  Program program{.binary = binary_for_anyone(scratch.path()), .in_child = become_nobody};
  const std::string parent = scratch.path() + "/root";
  REQUIRE(mkdir(parent.c_str(), 0755) == 0);
  program.arguments = {"--dir=" + parent + "/nodes"};
  check_failure(program, 1, {"mkdir " + parent + "/nodes: Permission", "--dir=DIR"});

  const std::string own = made_for_all(scratch);
  const std::string read_only = own + "/nodes";
  REQUIRE(mkdir(read_only.c_str(), 0500) == 0);
  REQUIRE(chown(read_only.c_str(), nobody_uid, nobody_uid) == 0);
  program.arguments = {"--dir=" + read_only, "7"};
  check_failure(program, 1, {read_only, "Permission denied", "--dir=DIR"});
  CHECK(std::distance(std::filesystem::directory_iterator(own), {}) == 1);  // nothing left beside
}

TEST_CASE("A trace to follow is a file, which has an end") {
  const Scratch scratch;
  const std::string fifo = scratch.path() + "/fifo";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  for (const std::string& trace : {fifo, std::string("/dev/zero")}) {
    for (const Arguments& words : {Arguments{"watch", "--dir=" + scratch.path()}, {"demo", "2"}}) {
      check_failure({.arguments = words + Arguments{"--trace=" + trace}}, 1,
                    {"open " + trace + ": Not a regular file", "--trace=FILE"});
    }
  }
}

TEST_CASE("A full disk under the directory is said, and nothing is left on it") {
#ifdef __linux__
  if (lacks_root()) return;
  const Scratch scratch;
  const std::string mounted = scratch.path() + "/full";
  REQUIRE(mkdir(mounted.c_str(), 0700) == 0);
  for (const char* room : {"nr_inodes=1", "nr_inodes=2"}) {
    CAPTURE(room);
    // A file system with room for so few files, that nobody but the child sees.
    const auto mount_it = [&mounted, room] {
      if (unshare(CLONE_NEWNS) != 0 ||
          mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
          mount("none", mounted.c_str(), "tmpfs", 0, room) != 0) {
        _exit(exit_cannot_try);
      }
    };
    check_failure({.arguments = {"--dir=" + mounted + "/nodes", "7"}, .in_child = mount_it}, 1,
                  {mounted + "/nodes", "No space left", "the disk is full", "--dir=DIR"});
  }
#endif
}

TEST_CASE("Too few descriptors are said, whichever call fails, and nothing is left behind") {
  Cluster cluster;
  const std::string parent = cluster.scratch("few");
  REQUIRE(mkdir(parent.c_str(), 0700) == 0);
  bool started = false;
  // With 4 the dynamic linker can still open one library after the other.
  for (rlim_t limit = 4; !started; ++limit) {
    CAPTURE(limit);
    REQUIRE(limit < 64);
    const std::string errors = cluster.scratch("few.err");
    unlink(errors.c_str());
    Child node({.arguments = {"--dir=" + parent + "/nodes", "7"},
                .errors = errors,
                .in_child = [limit] { limit_descriptors(limit); }});
    const auto runs = [&] { return !children_of(node.pid()).empty(); };
    REQUIRE(wait_until([&] { return !is_running(node.pid()) || runs(); }));
    started = is_running(node.pid());
    if (started) node.signal(SIGTERM);
    CHECK(node.end().exit_code == (started ? 0 : 1));
    if (!started) CHECK_MESSAGE(contains(contents(errors), "ulimit -n"), contents(errors));
    std::error_code none;
    const std::filesystem::directory_iterator names(parent + "/nodes", none);
    CHECK(names == std::filesystem::directory_iterator());
    CHECK(std::distance(std::filesystem::directory_iterator(parent), {}) <= 1);
  }
}

TEST_CASE("More names than descriptors can be asked") {
  const Scratch scratch;
  std::list<Descriptor> silent;
  for (NodeId id = 1; id <= 12; ++id) {
    silent.push_back(listen_at(scratch.path() + '/' + std::to_string(id)));
  }
  const Finished finished = run_to_end(
      scratch.path(),
      {.arguments = {"ps", "--dir=" + scratch.path()}, .in_child = [] { limit_descriptors(10); }});
  CHECK(finished.outcome.exit_code == 0);
  CHECK_MESSAGE(finished.errors.empty(), finished.errors);
  CHECK(contains(finished.output, "12"));
}

TEST_CASE("Too few processes are said, and no socket is left behind") {
  const Scratch scratch;
  const std::string parent = made_for_all(scratch);
  const auto limit_processes = [] {
    if (geteuid() == 0) become_nobody();  // root has no such limit
    const rlimit one{1, 1};
    setrlimit(RLIMIT_NPROC, &one);
  };
  check_failure({.arguments = {"--dir=" + parent + "/nodes", "7"},
                 .binary = binary_for_anyone(scratch.path()),
                 .in_child = limit_processes},
                1, {"fork of the monitor", "ulimit -u"});
  CHECK(!std::filesystem::exists(parent + "/nodes/7"));
}

// Node 3, and a user who may have two processes: the node and its monitor.
class LimitedNode {
 public:
  explicit LimitedNode(const std::string& ping_interval)
      : node_(
            {.arguments = {"--dir=" + directory_, "--quiet", "--lang=en",
                           "--ping-interval=" + ping_interval, "--coordinator-timeout=100ms", "3"},
             .binary = binary_for_anyone(scratch_.path()),
             .errors = scratch_.path() + "/errors",
             .in_child = [this] { become_user(); }}) {
    REQUIRE(wait_until([&] { return monitor() != 0; }));
  }

  Child& node() { return node_; }
  std::string name(NodeId id) const { return directory_ + '/' + std::to_string(id); }
  pid_t monitor() const {
    const auto children = children_of(node_.pid());
    return children.empty() ? 0 : children[0].pid;
  }
  std::size_t failed_forks() const {
    return count_of(contents(scratch_.path() + "/errors"), "cannot be forked");
  }
  // A third process of this user: while it lives, the node cannot fork.
  Child third_process() const {
    Child third([this] {
      if (setuid(user_) != 0) _exit(exit_cannot_try);
      poll(nullptr, 0, 60'000);
    });
    REQUIRE(wait_until([&] {
      struct stat status {};
      return stat(("/proc/" + std::to_string(third.pid())).c_str(), &status) != 0 ||
             status.st_uid == user_;
    }));
    return third;
  }

 private:
  void become_user() const {
    const rlimit two{2, 2};
    if (setrlimit(RLIMIT_NPROC, &two) != 0 || setuid(user_) != 0) _exit(exit_cannot_try);
  }

  Scratch scratch_;
  std::string directory_ = made_for_all(scratch_) + "/nodes";
  uid_t user_ = nobody_uid - 1 - static_cast<uid_t>(getpid() % 10'000);
  Child node_;
};

TEST_CASE("A node that is published again announces itself even if it cannot fork just then") {
  if (lacks_root()) return;
  LimitedNode limited("50ms");
  // Somebody below it, to whom it announces itself.
  const Descriptor below = listen_at(limited.name(2));
  REQUIRE(chmod(limited.name(2).c_str(), 0777) == 0);
  Child third = limited.third_process();
  REQUIRE(unlink(limited.name(3).c_str()) == 0);
  CHECK(wait_until([&] { return limited.failed_forks() > 0; }));
  CHECK(wait_until([&] {
    const Descriptor accepted = accept_from(below);
    char bytes[8];
    return accepted && recv(accepted.get(), bytes, sizeof bytes, 0) > 0 && bytes[0] == 'C';
  }));
  third.kill();
  CHECK(wait_until([&] { return limited.monitor() != 0; }));  // now it can
  CHECK(limited.node().end_by(SIGTERM).exit_code == 0);
}

TEST_CASE("Names of the dead are swept, and do not change when a node forks its monitor again") {
  if (lacks_root()) return;
  LimitedNode limited("60s");
  const Child third = limited.third_process();
  kill(limited.monitor(), SIGKILL);
  REQUIRE(wait_until([&] { return limited.failed_forks() > 0; }));
  leave_dead_name(limited.name(4));
  REQUIRE(chmod(limited.name(4).c_str(), 0777) == 0);
  limited.node().signal(SIGCONT);  // it asks 4 and finds nobody
  CHECK(wait_until([&] { return !std::filesystem::exists(limited.name(4)); }));
  CHECK(limited.failed_forks() == 1);  // another attempt follows after a ping interval
  CHECK(limited.node().end_by(SIGTERM).exit_code == 0);
}

}  // namespace
}  // namespace bully
