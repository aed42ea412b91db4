// scripts_test.cc: run_cluster.sh and kill_node.sh, run as a user runs them: by a shell, in a
// session of their own, with what they print and their exit status. Run from the top level.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "node/directory.h"
#include "node/query.h"
#include "node/unix_socket.h"

using namespace bully;
namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;
using Clock = std::chrono::steady_clock;

// Generous: under the sanitizers, on a busy machine, everything takes its time.
constexpr auto deadline = std::chrono::seconds(60);
constexpr int pause_ms = 10;

bool wait_for(const std::function<bool()>& condition) {
  const auto give_up = Clock::now() + deadline;
  while (!condition()) {
    if (Clock::now() > give_up) return false;
    poll(nullptr, 0, pause_ms);
  }
  return true;
}

std::string contents(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A private place: for temporary files, and in it a directory for nodes.
class Place {
 public:
  Place() {
    std::string path = "/tmp/bully-scripts.XXXXXX";
    REQUIRE(mkdtemp(path.data()) != nullptr);
    path_ = path;
    REQUIRE(mkdir(nodes().c_str(), S_IRWXU) == 0);
    REQUIRE(mkdir(temporary().c_str(), S_IRWXU) == 0);
  }
  ~Place() { fs::remove_all(path_); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  fs::path path() const { return path_; }
  std::string nodes() const { return path_ / "nodes"; }
  std::string temporary() const { return path_ / "tmp"; }

  std::vector<PeerStatus> status() const {
    return query_status(Directory(nodes(), false), std::chrono::seconds(1));
  }
  // Those that answer.
  std::vector<PeerStatus> live() const {
    std::vector<PeerStatus> peers = status();
    std::erase_if(peers, [](const PeerStatus& p) { return p.kind != PeerStatus::Kind::ok; });
    return peers;
  }
  // Whether so many answer, and all follow the highest of them.
  bool agree(std::size_t count) const {
    const auto peers = live();
    return peers.size() == count && std::all_of(peers.begin(), peers.end(), [&](const auto& peer) {
             return peer.status.coordinator == peers.back().status.id;
           });
  }
  bool has_no_socket() const { return fs::is_empty(nodes()); }

 private:
  fs::path path_;
};

// A command in a session of its own, as in a terminal of its own.
class Run {
 public:
  Run(const Place& place, const Words& words, const Words& environment = {}) {
    static int runs = 0;
    output_ = place.path() / ("output." + std::to_string(++runs));
    pid_ = fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) become(place, words, environment);
  }
  ~Run() {
    if (!ended_) kill(-pid_, SIGKILL);
    if (!ended_) waitpid(pid_, nullptr, 0);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const { kill(pid_, number); }
  // As Ctrl-C in its terminal.
  void signal_group(int number) const { kill(-pid_, number); }

  bool has_ended() {
    int status = 0;
    if (ended_ || waitpid(pid_, &status, WNOHANG) != pid_) return ended_;
    ended_ = true;
    exit_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return true;
  }
  // Its exit status, when it has ended.
  int exit_status() {
    REQUIRE(wait_for([this] { return has_ended(); }));
    return exit_;
  }
  // Whether nothing that it started is left. An orphan's corpse stays until init has seen it.
  bool left_no_process() const {
    return wait_for([this] { return kill(-pid_, 0) != 0 && errno == ESRCH; });
  }
  // Both what it printed and its complaints.
  std::string output() const { return contents(output_); }

 private:
  [[noreturn]] void become(const Place& place, const Words& words, const Words& environment) const {
    setsid();
    for (const int number : {SIGINT, SIGQUIT, SIGHUP, SIGTERM}) ::signal(number, SIG_DFL);
    const int out = open(output_.c_str(), O_WRONLY | O_CREAT | O_APPEND, S_IRUSR | S_IWUSR);
    const int in = open("/dev/null", O_RDONLY);
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    for (const char* name : {"LC_ALL", "LC_MESSAGES", "BULLY_TRACE"}) unsetenv(name);
    setenv("LANG", "C", 1);
    setenv("BULLY_DIR", place.nodes().c_str(), 1);
    setenv("TMPDIR", place.temporary().c_str(), 1);
    for (const std::string& setting : environment) {
      const std::size_t equals = setting.find('=');
      setenv(setting.substr(0, equals).c_str(), setting.substr(equals + 1).c_str(), 1);
    }
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }

  fs::path output_;
  pid_t pid_ = -1;
  bool ended_ = false;
  int exit_ = 0;
};

struct Result {
  int status;
  std::string output;
};

Result run(const Place& place, const Words& words, const Words& environment = {}) {
  Run command(place, words, environment);
  const int status = command.exit_status();
  return {status, command.output()};
}

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const Words run_cluster = {"./run_cluster.sh"};
const Words kill_node = {"./kill_node.sh"};

bool has_command(const std::string& name) {
  const char* value = std::getenv("PATH");
  std::istringstream path(value == nullptr ? "" : value);
  for (std::string directory; std::getline(path, directory, ':');) {
    if (access(directory.append("/").append(name).c_str(), X_OK) == 0) return true;
  }
  return false;
}

// A process of the test that is no node of bully: it listens under a name, or only exists.
class Stranger {
 public:
  Stranger() : pid_(fork()) {
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      while (true) pause();
    }
  }
  // A `path` that ends with / gets its PID as the name.
  explicit Stranger(const std::string& path) {
    int ready[2];
    REQUIRE(pipe(ready) == 0);
    pid_ = fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      listen_at(path.ends_with('/') ? path + std::to_string(getpid()) : path);
      [[maybe_unused]] const ssize_t written = write(ready[1], "", 1);
      while (true) pause();
    }
    char byte = 0;
    REQUIRE(read(ready[0], &byte, 1) == 1);
    close(ready[0]);
    close(ready[1]);
  }
  ~Stranger() {
    if (!killed_by_) kill(pid_, SIGKILL);
    if (!killed_by_) waitpid(pid_, nullptr, 0);
  }
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;

  pid_t pid() const { return pid_; }
  bool is_alive() { return !killed_by_ && waitpid(pid_, &killed_by_, WNOHANG) == 0; }

  static int listen_at(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) _exit(1);
    if (listen(listener, 16) != 0) _exit(1);
    return listener;
  }

 private:
  pid_t pid_ = -1;
  int killed_by_ = 0;  // once it has died: its status
};

// Connections to a socket whose owner does not accept them, until its backlog is full.
class Queue {
 public:
  explicit Queue(const std::string& path) {
    while (true) {
      Connection connection = connect_to(path);
      if (connection.reach != Reach::reached) break;
      connections_.push_back(std::move(connection));
    }
  }

 private:
  std::vector<Connection> connections_;
};

// A name whose process is dead.
void leave_name(const Place& place, const std::string& name) {
  close(Stranger::listen_at(place.nodes() + "/" + name));
}

// A cluster that is up, and agrees.
class Cluster {
 public:
  explicit Cluster(std::size_t count, const Words& options = {})
      : run_(place_, run_cluster + Words{std::to_string(count)} + options) {
    const bool agreed = wait_for([&] { return place_.agree(count) || run_.has_ended(); });
    CAPTURE(run_.output());
    REQUIRE(agreed);
    REQUIRE(!run_.has_ended());
  }
  ~Cluster() {
    run_.signal(SIGTERM);
    wait_for([this] { return run_.has_ended(); });
  }
  Place& place() { return place_; }
  Run& run() { return run_; }
  Result kill(const Words& words) { return ::run(place_, kill_node + words); }
  NodeId highest() const { return place_.live().back().status.id; }
  NodeId lowest() const { return place_.live().front().status.id; }

 private:
  Place place_;
  Run run_;
};

}  // namespace

// --- run_cluster.sh --demo ---

TEST_CASE("the demonstration plays an election, beside the textbook's count, in both languages") {
  struct Case {
    Words options;
    std::string start, back, win;
  };
  const std::vector<Case> cases = {
      {{"--lang=en"},
       "COORDINATOR            3             3   n(n-1)/2, n = 3\n",
       "COORDINATOR            2             2   n-1, n = 3\n",
       "is the highest that is left"},
      {{"--lang", "pt-BR"},
       "COORDENADOR            3             3   n(n-1)/2, n = 3\n",
       "COORDENADOR            2             2   n-1, n = 3\n",
       "é o maior que resta"},
  };
  for (const Case& given : cases) {
    for (const std::string detector : {"ping", "eof"}) {
      const Place place;
      Run demo(place, run_cluster + Words{"--demo", "3", "--detector=" + detector} + given.options);
      const int status = demo.exit_status();
      const std::string shown = demo.output();
      CAPTURE(shown);
      CHECK(status == 0);
      // A machine that numbers its processes from the start again meanwhile knows no count.
      const bool wrapped = contains(shown, "wrapped round") || contains(shown, "deram a volta");
      CHECK((wrapped || contains(shown, given.start)));
      CHECK(contains(shown, given.back));
      CHECK(contains(shown, given.win));
      CHECK(contains(shown, "(n-k)(n-k+1)/2"));
      CHECK(contains(shown, "(detector: " + detector + ")"));
      CHECK(contains(shown, "SIGKILL"));
      CHECK(!contains(shown, "\033"));  // no terminal, no colours
      CHECK(demo.left_no_process());
      CHECK(place.has_no_socket());
      CHECK(fs::is_empty(place.temporary()));
    }
  }
}

TEST_CASE("the demonstration plays the rings' elections, too, beside their counts") {
  struct Case {
    std::string algorithm;
    Words options;
    // Four processes are left; then five take part.
    std::vector<std::string> said;
  };
  const std::vector<Case> cases = {
      {"ring",
       {"--lang=en", "--detector=eof"},
       {"Algorithm ring", "n = 4: those that are left",
        "VALUE                 10            10   2n\n",
        "LEADER                 5             5   n\n",
        "JOIN                   1             0   beyond the textbook\n",
        "is the highest that is left", "on the whole run: right"}},
      {"ring",
       {"--lang=pt-BR", "--detector=ping"},
       {"Algoritmo ring", "n = 4: os que restam", "SEGUNDO                5             5   n\n",
        "LÍDER                  5             5   n\n", "ENTRAR                 1             0",
        "é o maior que resta", "sobre a execução inteira: certa"}},
      {"chang-roberts",
       {"--lang=en", "--detector=eof"},
       {"Algorithm chang-roberts", "VALUE                  9             9   2n-1\n",
        "on the whole run: right"}},
  };
  for (const Case& given : cases) {
    const Place place;
    Run demo(place,
             run_cluster + Words{"--demo", "--algorithm=" + given.algorithm} + given.options);
    const int status = demo.exit_status();
    const std::string shown = demo.output();
    CAPTURE(shown);
    CHECK(status == 0);
    for (const std::string& part : given.said) CHECK_MESSAGE(contains(shown, part), part);
    CHECK(demo.left_no_process());
    CHECK(place.has_no_socket());
    CHECK(fs::is_empty(place.temporary()));
  }
}

TEST_CASE("a cluster on a ring says how to join it, and loses its coordinator to kill_node.sh") {
  Cluster cluster(3, {"--algorithm=ring"});
  REQUIRE(wait_for(
      [&] { return contains(cluster.run().output(), "./bully --algorithm=ring --dir="); }));
  const std::string coordinator = std::to_string(cluster.highest());
  CHECK(cluster.kill({}).output ==
        "SIGKILL to " + coordinator + " (PID " + coordinator + "): the coordinator\n");
  CHECK(wait_for([&] { return cluster.place().agree(2); }));
}

TEST_CASE("the demonstration runs in other shells, too") {
  for (const Words& shell : {Words{"dash"}, Words{"bash", "--posix"}}) {
    if (!has_command(shell[0])) continue;
    const Place place;
    const Result demo = run(place, shell + run_cluster + Words{"--demo", "3", "--quiet"});
    CAPTURE(demo.output);
    CHECK(demo.status == 0);
    CHECK(!contains(demo.output, "Killed"));            // no shell's remark on what it is shown
    CHECK(!contains(demo.output, "joins as process"));  // no node's log: --quiet
  }
}

TEST_CASE("the demonstration keeps the trace that is asked for") {
  const Place place;
  const std::string trace = place.path() / "trace";
  const Result demo = run(place, run_cluster + Words{"--demo", "2", "--trace", trace});
  CAPTURE(demo.output);
  CHECK(demo.status == 0);
  CHECK(contains(contents(trace), "\"event\":\"suspect\""));
}

TEST_CASE("the demonstration fails, and says why, where it cannot happen") {
  SUBCASE("in a directory that is not its own") {
    Cluster cluster(1);
    const std::string dir = "--dir=" + cluster.place().nodes();
    const Result demo = run(cluster.place(), run_cluster + Words{"--demo", dir});
    CHECK(demo.status == 1);
    CHECK(contains(demo.output, "there are nodes in " + cluster.place().nodes()));
    CHECK(cluster.place().agree(1));
  }
  SUBCASE("where nobody notices in time that the coordinator is down") {
    const Place place;
    const Result demo =
        run(place, run_cluster + Words{"--demo", "2", "--ping-interval=3600s", "--quiet"});
    CAPTURE(demo.output);
    CHECK(demo.status == 1);
    CHECK(contains(demo.output, "the demonstration failed: after 10 s, not all of "));
    CHECK(fs::is_empty(place.temporary()));
  }
}

// --- run_cluster.sh ---

TEST_CASE("Ctrl-C and other signals that end a cluster leave no process and no socket") {
  struct Case {
    int number;
    bool to_group;
    int status;
  };
  for (const Case& given : {Case{SIGINT, true, 0}, Case{SIGQUIT, true, 131},
                            Case{SIGTERM, false, 143}, Case{SIGHUP, false, 129}}) {
    CAPTURE(given.number);
    Cluster cluster(3);
    given.to_group ? cluster.run().signal_group(given.number) : cluster.run().signal(given.number);
    CHECK(cluster.run().exit_status() == given.status);
    CHECK(cluster.place().has_no_socket());
    CHECK(cluster.run().left_no_process());
    CHECK(fs::is_empty(cluster.place().temporary()));
  }
}

TEST_CASE("Ctrl-C also while the nodes are still being started") {
  const Place place;
  Run cluster(place, run_cluster + Words{"20"});
  REQUIRE(wait_for([&] { return place.live().size() >= 2; }));
  cluster.signal_group(SIGINT);
  CHECK(cluster.exit_status() == 0);
  CHECK(place.has_no_socket());
  CHECK(cluster.left_no_process());
}

TEST_CASE("a cluster whose reader leaves, leaves too") {
  const Place place;
  Run piped(place, {"sh", "-c", "./run_cluster.sh --demo 3 | head -n 1"});
  CHECK(piped.exit_status() == 0);
  CHECK(piped.left_no_process());
  CHECK(fs::is_empty(place.temporary()));
}

TEST_CASE("Ctrl-C ends a node that is stopped, too") {
  Cluster cluster(2);
  REQUIRE(cluster.kill({"--lowest", "--signal=STOP"}).status == 0);
  cluster.run().signal_group(SIGINT);
  CHECK(cluster.run().exit_status() == 0);
  CHECK(cluster.place().has_no_socket());
  CHECK(cluster.run().left_no_process());
}

TEST_CASE("a cluster says how to kill, how to join and how to end, and shows the log of all") {
  Cluster cluster(3);
  const std::string dir = " --dir=" + cluster.place().nodes();
  REQUIRE(wait_for([&] { return contains(cluster.run().output(), "./bully ps" + dir); }));
  const std::string shown = cluster.run().output();
  CHECK(contains(shown, "3 nodes run in " + cluster.place().nodes()));
  CHECK(contains(shown, "./kill_node.sh" + dir));
  CHECK(contains(shown, "./bully" + dir));
  CHECK(contains(shown, "Ctrl-C"));
  for (const PeerStatus& peer : cluster.place().live()) {
    CHECK(peer.status.id == static_cast<NodeId>(peer.status.pid));
    CHECK(contains(shown, "joins as process " + std::to_string(peer.status.id)));
  }
}

TEST_CASE("a node from another terminal joins, and outlives the cluster") {
  Cluster cluster(2);
  Run other(cluster.place(), {"./bully", "4294967295"});
  CHECK(wait_for([&] { return cluster.place().agree(3); }));
  cluster.run().signal_group(SIGINT);
  CHECK(cluster.run().exit_status() == 0);
  CHECK(cluster.place().agree(1));
  other.signal(SIGTERM);
  CHECK(other.exit_status() == 0);
  CHECK(cluster.place().has_no_socket());
}

TEST_CASE("a cluster whose nodes are all gone ends by itself, and their names with it") {
  Cluster cluster(3);
  CHECK(cluster.kill({"--all"}).status == 0);
  CHECK(cluster.run().exit_status() == 0);
  CHECK(contains(cluster.run().output(), "All nodes of this cluster have ended."));
  CHECK(cluster.place().has_no_socket());
  CHECK(cluster.run().left_no_process());
}

TEST_CASE("a wrong command line for a cluster is said once, and starts nothing") {
  struct Case {
    Words options;
    std::string complaint;
  };
  const std::vector<Case> cases = {
      {{"0"}, "'0' is not a number of nodes"},
      {{"x"}, "'x' is not a number of nodes"},
      {{"5x"}, "'5x' is not a number of nodes"},
      {{"1.5"}, "'1.5' is not a number of nodes"},
      {{"201"}, "'201' is not a number of nodes: a whole number from 1 to 200"},
      {{"99999999999999999999"}, "is not a number of nodes"},
      {{""}, "'' is not a number of nodes"},
      {{"2", "3"}, "unexpected argument '3'"},
      {{"--bogus"}, "unknown option --bogus"},
      {{"--detector=foo"}, "--detector: 'foo' is none of ping, eof"},
      {{"--detector", "foo", "3"}, "--detector: 'foo' is none of ping, eof"},
      {{"--pace", "3"}, "--pace: '3' is not a duration"},
      {{"--dir"}, "option --dir needs a value"},
      {{"--dir="}, "option --dir needs a value"},
      {{"--lang=fr"}, "--lang: 'fr' is none of"},
      {{"--color=blue"}, "--color: 'blue' is none of"},
      {{"--demo", "1"}, "--demo needs at least 2 nodes"},
      {{"--lang=pt-BR", "x"}, "'x' não é um número de nós"},
      {{"x", "--lang", "pt-BR"}, "'x' não é um número de nós"},
  };
  const Place place;
  for (const Case& given : cases) {
    CAPTURE(given.complaint);
    const Result result = run(place, run_cluster + given.options);
    CAPTURE(result.output);
    CHECK(result.status == 2);
    CHECK(contains(result.output, given.complaint));
    CHECK(place.has_no_socket());
  }
}

TEST_CASE("what is wrong with the directory or the trace is said once by a cluster, and ends it") {
  const Place place;
  for (const Words& options : {Words{"--trace=/nonexistent/trace"}, Words{"--dir=/nonexistent/d"},
                               Words{"--demo", "--dir", "/nonexistent/d"}}) {
    Run cluster(place, run_cluster + options);
    CHECK(cluster.exit_status() == 1);
    const std::string shown = cluster.output();
    CAPTURE(shown);
    const std::size_t first = shown.find("/nonexistent");
    CHECK(first != std::string::npos);
    CHECK(shown.find("/nonexistent", first + 1) == std::string::npos);
    CHECK(cluster.left_no_process());
    CHECK(fs::is_empty(place.temporary()));
  }
}

TEST_CASE("both scripts explain themselves in both languages") {
  const Place place;
  for (const Words& script : {run_cluster, kill_node}) {
    const Result english = run(place, script + Words{"--help"});
    const Result portuguese = run(place, script + Words{"--help"}, {"LC_ALL=pt_BR.UTF-8"});
    CHECK(english.status == 0);
    CHECK(portuguese.status == 0);
    CHECK(contains(english.output, "Usage: " + script[0]));
    CHECK(contains(portuguese.output, "Uso: " + script[0]));
    // The variables count in this order, and an option before all of them.
    const Words both = {"LC_ALL=", "LC_MESSAGES=pt_BR", "LANG=en_US"};
    CHECK(contains(run(place, script + Words{"--help"}, both).output, "Uso:"));
    CHECK(contains(run(place, script + Words{"--help", "--lang=en"}, both).output, "Usage:"));
  }
}

// --- run_cluster.sh --tmux ---

TEST_CASE("--tmux gives each node a pane, and leaving it leaves nothing") {
  if (!has_command("tmux")) {
    MESSAGE("not tested: there is no tmux here");
    return;
  }
  const Place place;
  // A terminal for it, which is another tmux.
  const Words outer = {"tmux", "-f", "/dev/null", "-S", place.path() / "terminal"};
  const std::string ended = place.path() / "ended";
  const Words session = {
      "new-session", "-d", "-x", "120", "-y", "50", "./run_cluster.sh 3 --tmux; echo $? >" + ended};
  REQUIRE(run(place, outer + session).status == 0);
  CHECK(wait_for([&] { return place.agree(3); }));
  // The bar at the bottom says that we are in, and how to get out.
  CHECK(wait_for([&] {
    return contains(run(place, outer + Words{"capture-pane", "-p"}).output, "Ctrl-b d: end");
  }));
  SUBCASE("by its key") {
    // The outer one's prefix is the same: it passes on what it gets with send-keys.
    CHECK(run(place, outer + Words{"send-keys", "C-b", "d"}).status == 0);
  }
  SUBCASE("when all its panes are closed") {
    CHECK(run(place, {"sh", "-c", "tmux -S " + place.temporary() + "/bully.*/tmux kill-session"})
              .status == 0);
  }
  CHECK(wait_for([&] { return !contents(ended).empty(); }));
  CHECK(contents(ended) == "0\n");
  CHECK(wait_for([&] { return place.has_no_socket(); }));
  CHECK(fs::is_empty(place.temporary()));
  run(place, outer + Words{"kill-server"});
}

TEST_CASE("--tmux without a terminal, or without tmux, says what to do") {
  const Place place;
  const Result result = run(place, run_cluster + Words{"--tmux"});
  CHECK(result.status == 1);
  CHECK((contains(result.output, "must be a terminal") || contains(result.output, "install it")));
}

// --- A machine without a compiler ---

namespace {

// A copy of the script beside no binary, and a PATH with little more than a shell.
class BareMachine {
 public:
  explicit BareMachine(const std::string& user_id) {
    fs::create_directory(bin());
    for (const std::string tool : {"sh", "dirname", "sed", "cat", "rm", "mktemp", "chmod", "awk"}) {
      const Result found = ::run(place_, {"sh", "-c", "command -v " + tool});
      fs::create_symlink(found.output.substr(0, found.output.find('\n')), bin() / tool);
    }
    fs::copy_file("run_cluster.sh", place_.path() / "run_cluster.sh");
    add("id", "echo " + user_id);
    add("uname", "echo Unix");
  }
  void add(const std::string& command, const std::string& text) {
    std::ofstream(bin() / command) << "#!/bin/sh\n" << text << '\n';
    fs::permissions(bin() / command, fs::perms::owner_all);
  }
  Result run(const Words& options = {}) {
    return ::run(place_, Words{place_.path() / "run_cluster.sh"} + options,
                 {"PATH=" + bin().string(), "CXX="});
  }
  fs::path bin() const { return place_.path() / "bin"; }
  fs::path path() const { return place_.path(); }

 private:
  Place place_;
};

}  // namespace

TEST_CASE("where a compiler is missing, the one command that installs it is printed") {
  struct Case {
    std::string manager, command;
  };
  for (const Case& given :
       {Case{"apt-get", "sudo apt-get update && sudo apt-get install -y g++ make"},
        Case{"dnf", "sudo dnf install -y gcc-c++ make"},
        Case{"pacman", "sudo pacman -S --needed --noconfirm gcc make"},
        Case{"apk", "sudo apk add g++ make"}, Case{"brew", "brew install gcc make"}}) {
    CAPTURE(given.manager);
    BareMachine machine("1000");
    machine.add(given.manager, "touch '" + (machine.path() / "was-run").string() + "'");
    const Result result = machine.run();
    CAPTURE(result.output);
    CHECK(result.status == 1);
    CHECK(contains(result.output, "    " + given.command + "\n"));
    CHECK(!fs::exists(machine.path() / "was-run"));
  }
  BareMachine machine("1000");
  CHECK(contains(machine.run().output, "GNU make are needed"));
  CHECK(contains(machine.run({"--lang=pt-BR"}).output, "são necessários"));
}

TEST_CASE("as root, a missing compiler is installed with apt, and the build goes on") {
  BareMachine machine("0");
  const std::string log = machine.path() / "log";
  const std::string make = machine.bin() / "make";
  // As make, it does not build; which shows that it got that far.
  machine.add("apt-get", "echo \"apt-get $*\" >>'" + log + "'\n[ \"$1\" = install ] || exit 0\n" +
                             "for tool in make g++; do\n  printf '#!/bin/sh\\nexit 1\\n' >'" +
                             machine.bin().string() + "'/$tool\n  chmod 755 '" +
                             machine.bin().string() + "'/$tool\ndone");
  const Result result = machine.run();
  CAPTURE(result.output);
  CHECK(contents(log) == "apt-get update\napt-get install -y g++ make\n");
  CHECK(result.status == 1);
  CHECK(contains(result.output, "the build failed"));
}

// --- kill_node.sh ---

TEST_CASE("kill_node.sh kills the coordinator, says so, and the rest elect another") {
  Cluster cluster(3);
  const std::string coordinator = std::to_string(cluster.highest());
  const Result result = cluster.kill({});
  CHECK(result.status == 0);
  CHECK(result.output ==
        "SIGKILL to " + coordinator + " (PID " + coordinator + "): the coordinator\n");
  CHECK(wait_for([&] { return cluster.place().agree(2); }));
}

TEST_CASE("kill_node.sh finds a node by its place, by lot, or by its id") {
  Cluster cluster(4);
  const std::string lowest = std::to_string(cluster.lowest());
  const Result first = cluster.kill({"--lowest", "--signal=TERM", "--lang=pt-BR"});
  CHECK(first.status == 0);
  CHECK(first.output == "SIGTERM em " + lowest + " (PID " + lowest + "): o menor de 4\n");
  CHECK(wait_for([&] { return cluster.place().agree(3); }));
  const std::string second = std::to_string(cluster.lowest());
  const Result named = cluster.kill({"000" + second, "--signal", "SIGKILL"});
  CHECK(named.status == 0);
  CHECK(
      contains(named.output, "SIGKILL to " + second + " (PID " + second + "): the one you named"));
  CHECK(wait_for([&] { return cluster.place().agree(2); }));
  const Result drawn = cluster.kill({"--random"});
  CHECK(drawn.status == 0);
  CHECK(contains(drawn.output, "drawn by lot from 2"));
  CHECK(wait_for([&] { return cluster.place().agree(1); }));
}

TEST_CASE("a stopped node cannot reply, and is continued or killed all the same") {
  Cluster cluster(3);
  const NodeId stopped = cluster.highest();
  const std::string id = std::to_string(stopped);
  CHECK(cluster.kill({"--signal=STOP"}).status == 0);
  CHECK(wait_for([&] { return cluster.place().agree(2); }));
  const Result continued = cluster.kill({id, "--signal=CONT"});
  CHECK(continued.status == 0);
  CHECK(contains(continued.output, "SIGCONT to " + id));
  CHECK(contains(continued.output, "it does not answer, but is a bully"));
  CHECK(wait_for([&] { return cluster.place().agree(3); }));
  CHECK(cluster.highest() == stopped);
  CHECK(cluster.kill({"--signal=STOP"}).status == 0);
  CHECK(cluster.kill({id}).status == 0);
  CHECK(wait_for([&] { return cluster.place().agree(2); }));
}

TEST_CASE("a node that came back under its id is signalled by its PID of now") {
  const Place place;
  Run node(place, {"./bully", "7"});
  REQUIRE(wait_for([&] { return place.agree(1); }));
  const Result wrong = run(place, kill_node + Words{std::to_string(node.pid())});
  CHECK(wrong.status == 1);
  CHECK(contains(wrong.output, "is the PID of node 7"));
  const Result right = run(place, kill_node + Words{"7"});
  CHECK(right.output ==
        "SIGKILL to 7 (PID " + std::to_string(node.pid()) + "): the one you named\n");
  CHECK(node.exit_status() == 128 + SIGKILL);
}

TEST_CASE("a process that listens there but has not shown to be a node needs --force") {
  Cluster cluster(1);
  Stranger stranger(cluster.place().nodes() + "/77");
  const Result refused = cluster.kill({"77"});
  CHECK(refused.status == 1);
  CHECK(contains(refused.output, "77 listens, but has not shown to be a node of bully"));
  CHECK(contains(refused.output, "--force"));
  const Result all = cluster.kill({"--all", "--signal=CONT"});
  CHECK(all.status == 1);  // not all
  CHECK(contains(all.output, "SIGCONT to " + std::to_string(cluster.highest())));
  CHECK(!contains(cluster.kill({"--lowest", "--signal=CONT"}).output, "SIGCONT to 77"));
  CHECK(stranger.is_alive());
#ifdef __linux__  // where the kernel tells whose socket it is
  const Result forced = cluster.kill({"77", "--force"});
  CAPTURE(forced.output);
  CHECK(forced.status == 0);
  CHECK(contains(forced.output, "SIGKILL to 77 (PID " + std::to_string(stranger.pid()) + ")"));
  CHECK(wait_for([&] { return !stranger.is_alive(); }));
#endif
}

#ifdef __linux__
TEST_CASE(
    "where nobody tells who listens, --force takes the name for a PID only if that holds it") {
  const Place place;
  Stranger bystander;
  // With a full backlog one cannot ask the kernel whose it is.
  const std::string theirs = place.nodes() + "/" + std::to_string(bystander.pid());
  Stranger other(theirs);
  const std::string own = std::to_string(other.pid());
  fs::rename(theirs, place.nodes() + "/" + own);
  const Queue full(place.nodes() + "/" + own);
  // It is bound as the bystander's, and held by another.
  const Result wrong = run(place, kill_node + Words{own, "--force"});
  CAPTURE(wrong.output);
  CHECK(wrong.status == 1);
  CHECK(contains(wrong.output, "the system does not tell which process that is"));
  CHECK(other.is_alive());
  CHECK(bystander.is_alive());

  Stranger honest(place.nodes() + "/");
  const std::string name = std::to_string(honest.pid());
  const Queue also_full(place.nodes() + "/" + name);
  CHECK(run(place, kill_node + Words{name}).status == 1);
  CHECK(honest.is_alive());
  CHECK(run(place, kill_node + Words{name, "--force"}).status == 0);
  CHECK(wait_for([&] { return !honest.is_alive(); }));
}
#endif

TEST_CASE("a PID is not signalled because a dead process's name is the same, not even by force") {
  const Place place;
  Stranger bystander;
  const std::string name = std::to_string(bystander.pid());
  leave_name(place, name);
  for (const Words& options : {Words{name}, Words{name, "--force"}, Words{"--all", "--force"},
                               Words{"--lowest", "--force"}, Words{"--force"}}) {
    const Result result = run(place, kill_node + options);
    CAPTURE(result.output);
    CHECK(result.status == 1);
    CHECK(!contains(result.output, "SIG"));
  }
  CHECK(contains(run(place, kill_node + Words{name}).output, name + " is dead already"));
  CHECK(bystander.is_alive());
}

TEST_CASE("kill_node.sh says when there is nobody to signal") {
  const Place place;
  CHECK(contains(run(place, kill_node).output, "there is no node in " + place.nodes()));
  CHECK(run(place, kill_node).status == 1);
  CHECK(run(place, kill_node + Words{"--dir=/nonexistent/d"}).status == 1);
  Run node(place, {"./bully"});
  REQUIRE(wait_for([&] { return place.agree(1); }));
  const Result unknown = run(place, kill_node + Words{"1"});
  CHECK(unknown.status == 1);
  CHECK(contains(unknown.output, "there is no node 1 in "));
  node.signal(SIGTERM);
  CHECK(node.exit_status() == 0);
}

TEST_CASE("without a coordinator, kill_node.sh kills nobody") {
  const Place place;
  // It is answered by one that will never be coordinator; so it waits, for an hour.
  Run node(place, {"./bully", "5", "--answer-timeout=3600s"});
  REQUIRE(wait_for([&] { return place.agree(1); }));
  Stranger higher(place.nodes() + "/9");
  node.signal(SIGSTOP);
  node.signal(SIGCONT);  // it holds an election
  REQUIRE(wait_for([&] { return !place.agree(1); }));
  const Result result = run(place, kill_node);
  CHECK(result.status == 1);
  CHECK(contains(result.output, "there is no coordinator right now"));
  CHECK(!node.has_ended());
  node.signal(SIGTERM);
  CHECK(node.exit_status() == 0);
}

TEST_CASE("a wrong command line for kill_node.sh is refused, and signals nobody") {
  struct Case {
    Words options;
    std::string complaint;
  };
  const std::vector<Case> cases = {
      {{"abc"}, "'abc' is not the id of a node"},
      {{"-5"}, "unknown option -5"},
      {{""}, "'' is not the id of a node"},
      {{"1", "2"}, "only one: '2' as well as '1'?"},
      {{"--lowest", "--all"}, "only one"},
      {{"--signal=HUP"}, "--signal: 'HUP' is none of KILL, TERM, STOP, CONT"},
      {{"--signal"}, "option --signal needs a value"},
      {{"--signal="}, "option --signal needs a value"},
      {{"--dir="}, "option --dir needs a value"},
      {{"--lang=fr"}, "--lang: 'fr' is none of"},
      {{"--bogus", "--lang=pt-BR"}, "opção desconhecida --bogus"},
  };
  Cluster cluster(1);
  for (const Case& given : cases) {
    const Result result = cluster.kill(given.options);
    CAPTURE(result.output);
    CHECK(result.status == 2);
    CHECK(contains(result.output, given.complaint));
  }
  CHECK(cluster.place().agree(1));
}
