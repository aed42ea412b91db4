// processes.h: the processes of a graded program: their start, the process behind a name, signals,
// their end, and events that must not happen to them unasked. Each act is noted on the links.
//
// Whatever a program does, the end of this object ends all its processes, and no other process ever
// gets a signal.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grade/exam_links.h"
#include "grade/process_tree.h"
#include "node/beyond_posix.h"
#include "node/directory.h"
#include "node/system.h"
#include "stage/local_cluster.h"

namespace bully {

// The settings shared by all exams of a program.
struct ExamSettings {
  std::vector<std::string> command;  // with places {id} and {dir} to fill in
  std::string directory;             // absolute; empty: each try of a check makes its own
  std::string own_program;           // this program, for mixed clusters
  bool with_id = false;              // each process gets an id; otherwise its id is its PID
  Duration start_timeout = std::chrono::seconds(10);
  // A longer wait counts as endless.
  Duration longest_wait = std::chrono::seconds(30);
  Time deadline = never;  // of all checks
  MeasuredWaits waits = {};
  // Of all that happens by chance: how late messages are.
  std::uint64_t seed = 1;
  // A killed process's child keeps its name: reported once, then whole sessions are killed.
  bool kills_sessions = false;
};

// Given ids are no process's PID: Linux gives none above 2^22, others fewer. A program that takes
// them for PIDs signals no process.
inline constexpr NodeId first_id = 5'000'001;
// The highest of all, also for a program that compares ids as text: that is another fault.
inline constexpr NodeId nobodys_pid = 9'999'999;

// Starts a program in a new session, which reads nothing and prints into `output`. `prepare` runs
// in it before. Returns its PID. Throws SetupError.
pid_t start_printing(LocalCluster& cluster, std::vector<std::string> words, Descriptor& output,
                     const std::function<void()>& prepare);
// Reads some of a program's output and adds it to `printed`, of which the last 2,000 bytes are
// kept. If the program prints without end, the next call goes on. Closes `output` at its end.
void read_printed(Descriptor& output, std::string& printed);

class Exam;

class Processes {
 public:
  explicit Processes(Exam& exam);
  ~Processes();
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  // --- Acts ---

  // Starts a process of the program, or of this program for a mixed cluster, and returns its id
  // once it takes messages. If no id is given, its id is higher than all before; otherwise throws
  // Unclear.
  NodeId start(std::optional<NodeId> id = {}, bool is_ours = false);
  // Restarts a killed process: it comes back.
  void start_again(NodeId id);
  // SIGKILL to the process behind the name. False if a child of it has kept its name.
  bool kill(NodeId id);
  // SIGSTOP and SIGCONT, also to all processes that it has started.
  void stop(NodeId id);
  void resume(NodeId id);

  // --- Knowledge ---

  Ids live() const;  // of the program and of this program, from the lowest
  bool is_ours(NodeId id) const { return processes_.at(id).is_ours; }
  // True if it is of the program, and not stopped.
  bool reads_pings(NodeId id) const;
  // True if the last one to start has no name yet.
  bool is_starting() const { return processes_.contains(0); }
  // The started process behind this name, and the processes below it.
  std::vector<ProcessState> tree_of(NodeId id) const;

  // --- Ids, of fakes too ---

  NodeId next_id() { return next_id_++; }
  // `id`, which a process has got; throws Unclear if one before it was higher.
  NodeId in_order(NodeId id);

  // The last bytes that its process has written, to either output.
  const std::string& printed(NodeId id) const { return processes_.at(id).printed; }

  // --- For the exam's loop ---

  void add_to(std::vector<pollfd>& polled) const;
  void serve();
  // Throws a Finding if one has ended by itself, or there are too many.
  void check();

 private:
  // A process of the program, as its parent knows it: nothing of its election, which ExamLinks has.
  struct Process {
    pid_t started = 0;
    std::optional<PinnedProcess> behind = {};
    bool is_alive = false;  // it should be there
    bool is_stopped = false;
    bool is_ours = false;
    Descriptor output = {};
    std::string printed = {};  // its latest output
  };

  void spawn(std::vector<std::string> words, Process& process);
  std::vector<std::string> words_for(std::optional<NodeId> id, bool is_ours) const;
  std::optional<NodeId> name_of_new(Process& process, std::optional<NodeId> id, const Ids& before);
  void signal_all(NodeId id, int number) const;
  void reap();
  std::optional<int> status_of(pid_t pid) const;
  Finding death_of(NodeId id);
  bool has_sent_from(NodeId id, pid_t pid) const;

  Exam& exam_;  // of which it is a part
  std::map<NodeId, Process> processes_;
  std::map<pid_t, int> statuses_;  // of ended processes
  NodeId next_id_ = first_id;
  NodeId highest_ = 0;  // of the ids that were not given
  Time next_look_{0};
};

}  // namespace bully
