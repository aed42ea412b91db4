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

#include "fixture/cluster.h"
#include "fixture/said.h"
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

TEST_CASE("Wrong usage exits with 2, names what was wrong, and points to the help") {
  const std::vector<std::pair<Arguments, std::string>> cases = {
      {{"--no-such"}, "unknown option --no-such"},
      {{"-x"}, "unknown option -x"},
      {{"7", "--by-hand"},
       "--by-hand was removed: with ./bully cluster --watch --hold you deliver each message"},
      {{"verify", "--game=usurper"},
       "--game was removed: --format=html writes a page that finds the shortest way to a goal"},
      {{"--quiet=yes"}, "option --quiet takes no value"},
      {{"--dir"}, "option --dir needs a value"},
      {{"--dir="}, "option --dir needs a value"},
      {{"--trace="}, "option --trace needs a value"},
      {{"--detector=radar"}, "--detector must be ping or eof, not 'radar'"},
      {{"--color=blue"}, "--color must be auto, always or never, not 'blue'"},
      {{"--lang=de"}, "--lang must be en or pt-BR, not 'de'"},
      {{"--ping-interval=5"},
       "--ping-interval must be a duration from 1ms to 3600s, such as 250ms or 1.5s, not '5'"},
      {{"--ping-interval=0ms"}, ", such as 250ms or 1.5s, not '0ms'"},
      {{"--pace="}, "--pace must be a duration from 0ms to 3600s, such as 250ms or 1.5s, not ''"},
      {{"--protocol=naiv"}, "bully has no protocol 'naiv'; choose: bully, naive"},
      {{"--algorithm=dolev-klawe-rodeh", "--protocol=naive"},
       "--protocol has no effect with --algorithm=dolev-klawe-rodeh: give one or the other"},
      {{"--ring=order"}, "--ring has no effect with --algorithm=bully: give one or the other"},
      {{"7", "8"}, "unexpected argument '8'"},
      {{"-7"}, "unknown option -7"},
      {{"+7"}, "'+7' is not a process id"},
      {{"7.0"}, "'7.0' is not a process id"},
      {{"18446744073709551616"}, "'18446744073709551616' is not a process id"},
      {{""}, "'' is not a process id"},
      {{"sp"}, "'sp' is neither a command nor a process id"},
      {{"ps", "--pace=1s"}, "unknown option --pace"},
      {{"ps", "7"}, "unexpected argument '7'"},
      {{"scenario", "/nonexistent"}, "'/nonexistent' is neither a lesson (`bully scenario`"},
      {{"scenario", "/"}, "'/' is neither a lesson (`bully scenario`"},
  };
  for (const auto& [arguments, said] : cases) {
    check_failure({.arguments = arguments}, 2, {said, "--help"});
  }
}

TEST_CASE("A command behind its options is put first, as it should have been typed") {
  const std::vector<std::pair<Arguments, std::string>> cases = {
      {{"--dir", "X", "ps"}, "bully ps --dir X"},
      {{"--dir=X", "ps"}, "bully ps --dir=X"},
      {{"-d", "X", "ps"}, "bully ps -d X"},
      {{"--json", "ps", "--dir", "X"}, "bully ps --json --dir X"},
      {{"--lang", "en", "verify", "--nodes=3"}, "bully verify --lang en --nodes=3"},
      {{"--signal", "STOP", "kill", "4"}, "bully kill --signal STOP 4"},
  };
  for (const auto& [arguments, right] : cases) {
    check_failure({.arguments = arguments}, 2, {"the command comes first: " + right});
  }
  check_failure({.arguments = {"--lang=pt-BR", "ps"}}, 2,
                {"o comando vem primeiro: bully ps --lang=pt-BR"});
  // A directory of this name is a value.
  check_failure({.arguments = {"--dir", "ps", "-x"}}, 2, {"unknown option -x"});
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

TEST_CASE(
    "A directory that was named and does not exist is an error of ps and kill: watch waits for "
    "it") {
  const Scratch scratch;
  const std::string typo = scratch.path() + "/typo";
  for (const Arguments& arguments :
       {Arguments{"ps"}, Arguments{"ps", "--json"}, Arguments{"kill"}}) {
    check_failure({.arguments = arguments + Arguments{"--dir=" + typo}}, 1,
                  {"there is no such directory: " + typo});
    check_failure({.arguments = arguments + Arguments{"--dir", typo, "--lang=pt-BR"}}, 1,
                  {"não existe esse diretório: " + typo});
  }
  CHECK_FALSE(std::filesystem::exists(typo));
}

TEST_CASE("A script's word that is cut or too long by some letters suggests the right one") {
  const Scratch scratch;
  const std::string path = scratch.path() + "/script";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"node 1..3", "nodes"},
      {"nodes 1..3\ncrashes 3", "crash"},
      {"nodes 1..3\nexpec x", "expect"}};
  for (const auto& [script, meant] : cases) {
    std::ofstream(path) << script << '\n';
    const Finished english = run_bully({"scenario", path});
    CHECK(english.outcome.exit_code == 2);
    CHECK(contains(english.errors, "; did you mean '" + meant + "'?"));
    const Finished portuguese = run_bully({"scenario", path, "--lang=pt-BR"});
    CHECK(contains(portuguese.errors, "; você quis dizer '" + meant + "'?"));
  }
}

TEST_CASE("The name ring, which two elections could claim, is refused, and both are named") {
  for (const Arguments& arguments :
       {Arguments{"--algorithm=ring"}, Arguments{"ps", "--algorithm=ring"},
        Arguments{"check", "trace", "--algorithm=ring"}, Arguments{"verify", "--algorithm=ring"},
        Arguments{"compare", "--algorithms=bully,ring"}}) {
    check_failure({.arguments = arguments}, 2,
                  {"Tanenbaum's ring is tanenbaum-ring; [DKR82] is dolev-klawe-rodeh", "--help"});
  }
  check_refused({"--algorithm=ring", "--lang=pt-BR"}, 2,
                {"o anel de Tanenbaum é tanenbaum-ring; o de [DKR82] é dolev-klawe-rodeh"});
}

TEST_CASE("An empty script is wrong where its first line should be") {
  const Finished finished = run_bully({"scenario", "/dev/null"});
  CHECK(finished.outcome.exit_code == 2);
  CHECK(finished.errors.starts_with("/dev/null:1:1: expected a line 'nodes …'"));
}

TEST_CASE("A file that is no order of a ring is refused") {
  const Scratch scratch;
  const std::string directory = "--dir=" + scratch.path() + "/nodes";
  const std::string file = scratch.path() + "/ring";
  const Program program{.arguments = {directory, "--algorithm=chang-roberts", "--ring=" + file}};
  check_failure(program, 1, {"read " + file + ": No such file", "--ring=FILE"});
  std::ofstream(file) << "1 two 3";
  check_failure(program, 1, {"read " + file + ": Invalid argument", "--ring=FILE"});
  REQUIRE(unlink(file.c_str()) == 0);
  REQUIRE(mkdir(file.c_str(), 0700) == 0);
  check_failure(program, 1, {"read " + file + ": Is a directory", "--ring=FILE"});
}

TEST_CASE("A directory that cannot serve is refused") {
  const Scratch scratch;
  const std::string at = scratch.path() + "/nodes";
  const Program program{.arguments = {"--dir=" + at, "7"}};

  REQUIRE(std::ofstream(at).good());
  check_failure(program, 1, {at + ": Not a directory", "--dir=DIR"});
  check_failure({.arguments = {"ps", "--dir=" + at}}, 1, {at, "--dir=DIR"});
  unlink(at.c_str());

  REQUIRE(symlink("nowhere", at.c_str()) == 0);
  check_failure(program, 1, {"stat " + at + ": No such file", "--dir=DIR"});
  unlink(at.c_str());

  // One that all share, such as /tmp, is to stay as it is.
  for (const mode_t mode : {0777U, 0770U, 01777U, 0702U}) {
    REQUIRE(mkdir(at.c_str(), 0700) == 0);
    REQUIRE(chmod(at.c_str(), mode) == 0);
    const std::string advice = mode == 01777U ? "choose a directory" : "chmod 700";
    check_failure(program, 1, {"mode of " + at, advice});
    CHECK(std::filesystem::is_empty(at));
    rmdir(at.c_str());
  }

  check_failure({.arguments = {"--dir=" + at + "/deeper"}}, 1,
                {"mkdir " + at + "/deeper: No such file", "create that first"});
  const std::string longest = scratch.path() + '/' + std::string(100, 'n');
  check_failure({.arguments = {"--dir=" + longest}}, 1, {longest, "too long", "--dir"});
  CHECK(!std::filesystem::exists(longest));
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

TEST_CASE("A name in the way is refused, and left alone") {
  const Scratch scratch;
  const std::string at = scratch.path() + "/nodes";
  REQUIRE(mkdir(at.c_str(), 0700) == 0);
  REQUIRE(std::ofstream(at + "/7").good());
  check_failure({.arguments = {"--dir=" + at, "7"}}, 1,
                {"bind " + at + "/7", "this is not a socket", "another id"});
  CHECK(std::filesystem::is_regular_file(at + "/7"));
}

TEST_CASE("A trace that cannot be written is refused") {
  const Scratch scratch;
  const std::string at = scratch.path() + "/nodes";
  for (const std::string& trace : {scratch.path() + "/missing/trace", scratch.path()}) {
    check_failure({.arguments = {"--dir=" + at, "--trace=" + trace}}, 1,
                  {"open " + trace, "--trace=FILE"});
  }
  CHECK(!std::filesystem::exists(at));  // no node was published
}

TEST_CASE("A full disk under the trace ends the trace, not the node, which says so once") {
  if (!std::filesystem::exists("/dev/full")) return;
  RunningCluster cluster(1, 3, {"--ping-interval=50ms", "--trace=/dev/full"});
  cluster.kill_and_agree(3);
  const std::string log = contents(cluster.scratch("log"));
  CHECK(count_of(log, "the trace ends") == 3);  // each of the three
  CHECK(contains(log, "No space left"));
}

TEST_CASE("Output that cannot be written is a failure, and said") {
  if (!std::filesystem::exists("/dev/full")) return;
  const Scratch scratch;
  const auto to_full_disk = [] { dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO); };
  const auto fails = [&](const Arguments& arguments, int status) {
    check_failure({.arguments = arguments, .in_child = to_full_disk}, status,
                  {"write standard output", "No space left"});
  };
  fails({"ps", "--dir=" + scratch.path()}, 1);
  fails({"--help"}, 1);
  fails({"compare"}, 2);  // whose exit status 1 is a verdict
}

TEST_CASE("A directory is no trace") {
  const Scratch scratch;
  check_failure({.arguments = {"diagram", scratch.path()}}, 1, {"read", "directory"});
  check_failure({.arguments = {"check", scratch.path()}}, 2, {"read", "directory"});
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
