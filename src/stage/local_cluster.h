// local_cluster.h: child processes of this program that it starts, waits for, and ends; and a guard
// that ends them and cleans up, however this process itself ends.
//
// A signal to this process, read between two looks, ends any wait. This unit knows nothing of
// elections.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "node/system.h"

namespace bully {

// The file of the running program, to be run again. `called_as` is argv[0], for systems that do not
// report the file.
std::string own_program(const std::string& called_as);
// Becomes words[0], with the rest as arguments. Returns only if that program does not exist.
void become_program(std::vector<std::string> words);
// A waitpid(2) status of an ended process as shells report it: 128 and the number if a signal ended
// it.
int as_shells_say(int status);
// For a forked child: replaces these descriptors by the null device.
void use_null_device(std::initializer_list<int> descriptors);
// The directory for temporary files and for the sockets of private nodes: $TMPDIR, or /tmp if that
// is not set, is no directory, or is too long for a socket's address.
std::string temporary_directory();

// The guard is a process. It listens until no process is left that could write to it: its program
// was killed, crashed, or is done. Then it ends every process on its list, removes the directories,
// puts names back, and does nothing else. It is in a separate session and ignores all signals that
// can be ignored.
class Guard {
 public:
  // By SIGKILL; or it first asks to leave, for nodes with names in a directory of the user's.
  enum class Ending : std::uint8_t { kill, ask };

  // Forks the guard. Make it before any signal handler. Throws SetupError.
  explicit Guard(Ending ending = Ending::kill);
  // Lets the guard clean up, and waits until it has.
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  // For a forked child, about itself: the guard ends it, and a process group that it leads. The
  // child registers before it becomes another program: so there is no moment at which this process
  // could die and the guard would not know the child. False: this process has ended meanwhile, and
  // so must the child.
  bool add_this_process() const { return write_word(std::to_string(getpid())); }
  // For a forked child that stays this program: while it could write, the guard would wait.
  void close_inherited() { words_.reset(); }

  // Starts this program again as a guarded child: `prepare` runs in it first. Returns its PID.
  // Throws SetupError.
  pid_t start(std::vector<std::string> words, const std::function<void()>& prepare) const;

  // A new private, guarded directory: `prefix` and a unique ending. Throws SetupError.
  std::string make_directory(const std::string& prefix) const;
  // The directory may be left behind, or is already gone.
  void forget_directory(const std::string& path) const { write_word('-' + path); }
  // Removes names of dead nodes from there in the end.
  void sweep_directory(const std::string& path) const { write_word('~' + path); }
  // Proxies have names there (../node/taken_names.h): these are put back first of all.
  void put_names_back(const std::string& path) const { write_word('=' + path); }

 private:
  bool write_word(const std::string& word) const;

  pid_t owner_;
  Descriptor words_;  // to the guard; its end means this process's end
};

class LocalCluster {
 public:
  // Only one may exist at a time. `ending`: how the remaining processes end; with `kill` they are
  // in the background. Throws SetupError.
  explicit LocalCluster(Guard::Ending ending = Guard::Ending::ask);
  // Returns when all processes have ended and the private directory is gone.
  ~LocalCluster();
  LocalCluster(const LocalCluster&) = delete;
  LocalCluster& operator=(const LocalCluster&) = delete;

  const Guard& guard() const { return *guard_; }
  SignalPipe& signals() { return signals_; }
  // A private, guarded directory: an absolute path.
  const std::string& private_directory() const { return private_directory_; }

  // Starts words[0] with the rest as arguments: in this process group, so that the terminal's
  // signals reach all; or in the background, with nothing to read, and only standard error to write
  // to; with `keeps_errors` that goes to errors_file(). Throws SetupError.
  pid_t start(std::vector<std::string> words, bool keeps_errors = false);
  std::string errors_file() const { return private_directory_ + "/errors"; }
  // Forks a child that stays this program: `act` runs in it, without this object, and must not
  // throw; then the child ends. Throws SetupError.
  pid_t fork_child(const std::function<void()>& act);
  // Of a process that was started here and has ended: see as_shells_say(). Nothing while it runs.
  std::optional<int> status_of(pid_t pid) const { return statuses_.at(pid); }
  bool have_all_ended() const;
  // SIGSTOP, SIGKILL; both return when it has happened: at once, if it is stopped already. False if
  // it had ended already. Throw Interrupted.
  bool stop(pid_t pid) { return signal(pid, SIGSTOP); }
  bool kill(pid_t pid) { return signal(pid, SIGKILL); }
  // Sends another signal, unless it has ended: then its PID may be another process's.
  void tell(pid_t pid, int number) const {
    if (!status_of(pid)) ::kill(pid, number);
  }

  // Waits for this time at most, until an event at one of them. Throws Interrupted.
  void rest(Duration at_most);
  // True if `condition` came true in time. It is checked every few milliseconds; with `never`,
  // whenever a process has ended. Throws Interrupted.
  bool wait_until(const std::function<bool()>& condition, Duration at_most);

 private:
  bool signal(pid_t pid, int number);
  void reap();

  bool in_background_;
  std::optional<Guard> guard_;
  std::string private_directory_;
  SignalPipe signals_;
  std::map<pid_t, std::optional<int>> statuses_;
};

}  // namespace bully
