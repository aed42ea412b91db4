// local_cluster.h: this program run again, as processes that it starts, waits for, and ends; a
// guard that ends them, and cleans up, however this one ends itself; and the trace that they are
// writing.
//
// A signal to us, read between two looks, ends whatever we wait for. It knows nothing of elections.
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

#include "node/directory.h"
#include "node/system.h"
#include "trace/trace.h"

namespace bully {

// The file of the program that runs, to be run again. `called_as` is argv[0], which is what is left
// where the system does not tell.
std::string own_program(const std::string& called_as);
// Becomes words[0], with the rest as arguments. Returns only if there is no such program.
void become_program(std::vector<std::string> words);
// What waitpid(2) gives of a process that has ended, as shells say it: 128 and the number where a
// signal ended it.
int as_shells_say(int status);
// For a forked child: these descriptors are the null device from now on.
void use_null_device(std::initializer_list<int> descriptors);
// Where temporary files go, and the sockets of private nodes: $TMPDIR, or /tmp if that is not set
// or so long that no socket below it has an address.
std::string temporary_directory();

// The guard is a process. It listens until nobody is left who could tell it something: we were
// killed, crashed, or are done. Then it ends every process that it was told of, removes the
// directories, puts names back, and does nothing else. It is in a session of its own and ignores
// all signals that can be ignored.
class Guard {
 public:
  // By SIGKILL; or it first asks to leave, as for nodes with names in a directory of the user's.
  enum class Manner : std::uint8_t { kill, ask };

  // Forks the guard. Make it before any signal handler. Throws SetupError.
  explicit Guard(Manner manner = Manner::kill);
  // Lets it clean up, and waits until it has.
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  // For a forked child, about itself: it must not outlive us, nor must a process group that it
  // leads. The child says so before it is another program: there is no moment in which we could die
  // and only we would have known of it. False: we have ended meanwhile, and so has the child to.
  bool add_this_process() const { return tell(std::to_string(getpid())); }
  // For a forked child that stays this program: as long as it could speak, the guard would wait.
  void close_inherited() { words_.reset(); }

  // A child that is this program, guarded: `prepare` runs in it before that. Returns its PID.
  // Throws SetupError.
  pid_t start(std::vector<std::string> words, const std::function<void()>& prepare) const;

  // A new directory of ours alone, guarded: `prefix` and what makes it unique. Throws SetupError.
  std::string make_directory(const std::string& prefix) const;
  // It may be left behind, or is removed already.
  void forget_directory(const std::string& path) const { tell('-' + path); }
  // Names of dead nodes are to be removed from there in the end.
  void sweep_directory(const std::string& path) const { tell('~' + path); }
  // Stand-ins have names there (../node/aside.h): these are put back first of all.
  void put_names_back(const std::string& path) const { tell('=' + path); }
  // Whatever program this process becomes, and what that forks, is guarded in our place.
  void outlive_exec() const;

 private:
  bool tell(const std::string& word) const;

  pid_t owner_;
  Descriptor words_;  // to the guard; its end is our end
};

class LocalCluster {
 public:
  // One at a time. `manner`: how the rest end; with `kill` in the background. Throws SetupError.
  explicit LocalCluster(Guard::Manner manner = Guard::Manner::ask);
  // Returns when all processes have ended and the private directory is gone.
  ~LocalCluster();
  LocalCluster(const LocalCluster&) = delete;
  LocalCluster& operator=(const LocalCluster&) = delete;

  const Guard& guard() const { return *guard_; }
  // Ours alone, guarded: an absolute path.
  const std::string& private_directory() const { return private_directory_; }

  // Starts words[0] with the rest as arguments: in our process group, so that what a terminal sends
  // is for all; or in the background, with nothing to read, and nowhere to write but errors. Throws
  // SetupError.
  pid_t start(std::vector<std::string> words);
  // Of a process that was started here and has ended, as shells give it: 128 and the number where a
  // signal ended it. Nothing while it runs.
  std::optional<int> status_of(pid_t pid) const { return statuses_.at(pid); }
  bool have_all_ended() const;
  // SIGSTOP, SIGKILL; both return when it has happened: at once, if it is stopped already. False if
  // it had ended already. Throw Interrupted.
  bool stop(pid_t pid) { return signal(pid, SIGSTOP); }
  bool kill(pid_t pid) { return signal(pid, SIGKILL); }

  // Waits for so long at most, until something has happened to one of them. Throws Interrupted.
  void rest(Duration at_most);
  // Whether `condition` came true in time. It is looked at every few milliseconds; with `never`,
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

// The lines added to a trace since the last look, while other processes write it; also if the file
// is emptied, or removed and made again. For a finished trace see ../trace/trace.h.
class TraceTail {
 public:
  // Where there is no such file, it is made, empty; or what comes to have the name is read. Throws
  // SetupError.
  enum class Missing : std::uint8_t { make, await };
  explicit TraceTail(const std::string& path, Missing missing = Missing::make);
  bool is_there() const { return static_cast<bool>(file_); }
  const std::string& path() const { return path_; }

  // The records of all lines that are complete by now, as they stand in the file. A line that is
  // none, as a writer that crashed may leave it, is skipped.
  std::vector<Record> next();
  const std::optional<TraceError>& damage() const { return damage_; }

 private:
  void read_on(std::vector<Record>& records);
  // Whether the file is to be read from its beginning: emptied, or another one has its name.
  bool begins_anew();

  std::string path_;
  Descriptor file_;
  std::size_t lines_ = 0;
  std::string rest_;  // of a line that is not complete yet
  std::optional<TraceError> damage_;
};

}  // namespace bully
