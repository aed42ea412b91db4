// local_cluster.h: this program run again, as processes that it starts, waits for, and ends; a
// guard that ends them, and cleans up, however this one ends itself; and the trace that they are
// writing.
//
// Signals to us are read between two looks: they end whatever we wait for. It knows nothing of
// elections. Read next: real_backend.h, ../commands/cluster.cc.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
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
// Runs words[0] with the rest as arguments in place of this program. Returns only if there is no
// such program.
void become_program(std::vector<std::string> words);
// Where temporary files go, and the sockets of private nodes: $TMPDIR, or /tmp if that is not set
// or so long that no socket below it has an address.
std::string temporary_directory();

// The guard is a process. It listens until nobody is left who could tell it something: then we have
// been killed, have crashed, or are simply done. It ends every process that it was told of, removes
// the directories, and puts names back, and does nothing else. It is in a session of its own and
// ignores all signals that can be ignored.
class Guard {
 public:
  // How it ends a process: by SIGKILL; or it first asks it to leave, as nodes do that have names in
  // a directory of the user's.
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

  // A new directory of ours alone, whose path is `prefix` and what makes it unique. It is guarded.
  // Throws SetupError.
  std::string make_directory(const std::string& prefix) const;
  // It may be left behind, or is removed already.
  void forget_directory(const std::string& path) const { tell('-' + path); }
  // Names of dead nodes are to be removed from there in the end.
  void sweep_directory(const std::string& path) const { tell('~' + path); }
  // While stand-ins have names there (../node/aside.h): the first thing that it does in the end is
  // to put these back.
  void put_names_back(const std::string& path) const { tell('=' + path); }
  // Whatever program this process becomes, and what that forks, is guarded in our place.
  void outlive_exec() const;

 private:
  // Whether the guard will hear it.
  bool tell(const std::string& word) const;

  pid_t owner_;
  Descriptor words_;  // to the guard; its end is our end
};

class LocalCluster {
 public:
  // There may be one at a time. `manner`: how those that are left then end; those to be killed run
  // in the background. Throws SetupError.
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

// The lines that have been added to a trace since one last looked. It follows a file that other
// processes are writing, also if that is emptied, or removed and made again, as one does between
// two runs. For a finished trace see ../trace/trace.h.
class TraceTail {
 public:
  // Makes the file, empty. Throws SetupError.
  explicit TraceTail(const std::string& path);

  // The records of all lines that are complete by now, as they stand in the file. A line that is
  // none, as a writer that crashed may leave it, is skipped.
  std::vector<Record> next();
  // The first line that was skipped, if there is one.
  const std::optional<TraceError>& damage() const { return damage_; }

 private:
  void read_on(std::vector<Record>& records);
  // Whether the file has been emptied, or another one has its name. That is then read from its
  // beginning.
  bool begins_anew();

  std::string path_;
  Descriptor file_;
  std::size_t lines_ = 0;
  std::string rest_;  // of a line that is not complete yet
  std::optional<TraceError> damage_;
};

}  // namespace bully
