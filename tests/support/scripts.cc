#include "support/scripts.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <sstream>

#include "node/directory.h"

namespace bully {

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

bool happens(const std::function<bool()>& condition) {
  return wait_until(condition, std::chrono::seconds(60));
}

bool has_command(const std::string& name) {
  const char* value = std::getenv("PATH");
  std::istringstream path(value == nullptr ? "" : value);
  for (std::string directory; std::getline(path, directory, ':');) {
    if (access(directory.append("/").append(name).c_str(), X_OK) == 0) return true;
  }
  return false;
}

// --- Place ---

Place::Place() {
  REQUIRE(mkdir(nodes().c_str(), S_IRWXU) == 0);
  REQUIRE(mkdir(temporary().c_str(), S_IRWXU) == 0);
}

std::vector<NodeStatus> Place::live() const {
  std::vector<NodeStatus> peers = query_status(Directory(nodes(), false), std::chrono::seconds(1));
  std::erase_if(peers, [](const NodeStatus& p) { return p.condition != Condition::running; });
  return peers;
}

bool Place::agree(std::size_t count) const {
  const auto peers = live();
  return peers.size() == count && std::all_of(peers.begin(), peers.end(), [&](const auto& peer) {
           return peer.coordinator == peers.back().id;
         });
}

// --- Command ---

bool is_empty_session(pid_t leader) {
  return happens([leader] { return kill(-leader, 0) != 0 && errno == ESRCH; });
}

Command::Command(const Place& place, const Words& words, const Words& environment) {
  static int commands = 0;
  output_ = place.path() / ("output." + std::to_string(++commands));
  pid_ = fork();
  REQUIRE(pid_ >= 0);
  if (pid_ == 0) become(place, words, environment);
}

Command::~Command() {
  if (ended_) return;
  kill(-pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void Command::signal(int number) const {
  kill(pid_, number);
}

void Command::signal_group(int number) const {
  kill(-pid_, number);
}

bool Command::has_ended() {
  int status = 0;
  if (ended_ || waitpid(pid_, &status, WNOHANG) != pid_) return ended_;
  ended_ = true;
  exit_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return true;
}

int Command::exit_status() {
  REQUIRE(happens([this] { return has_ended(); }));
  return exit_;
}

std::string Command::output() const {
  return contents(output_);
}

void Command::become(const Place& place, const Words& words, const Words& environment) const {
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

Result run(const Place& place, const Words& words, const Words& environment) {
  Command command(place, words, environment);
  const int status = command.exit_status();
  return {status, command.output()};
}

bool has_pid_namespaces() {
  const Place place;
  const bool has = run(place, in_pid_namespace + Words{"true"}).status == 0;
  if (!has) MESSAGE("skipped: no PID namespace can be made here");
  return has;
}

Result run_in_pid_namespace(const std::string& test_case) {
  const Place place;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  return run(place, in_pid_namespace + Words{self, "--no-skip", "--test-case=" + test_case});
}

// --- ScriptedCluster ---

ScriptedCluster::ScriptedCluster(std::size_t count, const Words& options)
    : run_(place_, run_cluster + Words{std::to_string(count)} + options) {
  const bool agreed = happens([&] { return place_.agree(count) || run_.has_ended(); });
  CAPTURE(run_.output());
  REQUIRE(agreed);
  REQUIRE(!run_.has_ended());
}

ScriptedCluster::~ScriptedCluster() {
  run_.signal(SIGTERM);
  happens([this] { return run_.has_ended(); });
}

Result ScriptedCluster::kill(const Words& words) const {
  return bully::run(place_, kill_node + words);
}

}  // namespace bully
