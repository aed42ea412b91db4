// exam.h: the acts by which a program is tested. An exam has a private directory, processes of the
// program, fake processes that send the same bytes, and control of the links between all of them
// (../wire/link_proxy.h).
//
// Whatever a program does, the exam's end ends all its processes, and no other process ever gets a
// signal.
//
// Read next: checks.h.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "grade/result.h"
#include "node/registry.h"
#include "node/system.h"
#include "stage/local_cluster.h"
#include "wire/recording.h"

namespace bully {

// --- All descendants of this process, however they try to escape ---
//
// A process that has left its group and its session, or whose parent has ended, is still a
// descendant if the system passes orphans to this process (adopt_orphans()).
// Elsewhere only processes that stay in their original session can be found.

// All descendants of this process. Empty if the system does not list them.
std::vector<ProcessState> processes_below_us();
// Among these, the process `root`, its descendants, and its session.
std::vector<ProcessState> processes_of(pid_t root);

// Signals that process and no other, if it is still a descendant.
void signal_process(const ProcessState& process, int number);

// Ends all descendants, and returns when they are gone, or after some seconds: a process that
// sleeps in the kernel may outlive that. It stops them first, so that none can fork while others
// are killed. `roots`: the session leaders not reaped yet, for systems that list no processes.
void end_all_below_us(const std::vector<pid_t>& roots);

// Reads some of a program's output and adds it to `printed`, of which the last 2,000 bytes are
// kept. If the program prints without end, the next call goes on. Closes `output` at its end.
void read_printed(Descriptor& output, std::string& printed);

// --- Exams ---

// The settings shared by all exams of a program.
struct ExamSettings {
  std::vector<std::string> command;  // with places {id} and {dir} to fill in
  std::string directory;             // absolute; the exam's directory
  std::string own_program;           // this program, for mixed clusters
  bool with_id = false;              // each process gets an id; otherwise its id is its PID
  Duration start_timeout = std::chrono::seconds(10);
  // A longer wait counts as endless.
  Duration longest_wait = std::chrono::seconds(30);
  Time deadline = never;  // of all checks
  MeasuredWaits waits = {};
  // A killed process's child keeps its name: reported once, then whole sessions are killed.
  bool kills_sessions = false;
};

using Ids = std::vector<NodeId>;

// Given ids are no process's PID: Linux gives none above 2^22, others fewer. A program that takes
// them for PIDs signals no process.
inline constexpr NodeId first_id = 5'000'001;
// The highest of all, also for a program that compares ids as text: that is another fault.
inline constexpr NodeId nobodys_pid = 9'999'999;

// The fake's reaction to an ELECTION.
enum class Part : std::uint8_t {
  silent,       // none
  answers,      // it sends ANSWER only
  coordinator,  // it sends ANSWER, and COORDINATOR
};

// Messages of one role that were sent since a moment of the exam, perhaps of one sender or to one
// receiver. Without a role: questions and announcements, a sign that the sender takes part in an
// election.
struct Sendings {
  std::optional<Role> role = {};
  std::optional<NodeId> from = {};
  std::optional<NodeId> to = {};
  std::size_t since = 0;  // see Exam::now()

  bool have(const Record& record) const;
};

// The end of a connection after its bytes were sent.
enum class Ending : std::uint8_t { closed, kept };

class Exam final : private Recording, private Sink {
 public:
  // Throws SetupError.
  Exam(ExamSettings& settings, LocalCluster& cluster);
  ~Exam() override;
  Exam(const Exam&) = delete;
  Exam& operator=(const Exam&) = delete;

  const ExamSettings& settings() const { return settings_; }
  MeasuredWaits& waits() const { return settings_.waits; }
  const std::vector<Record>& records() const { return records_; }

  // --- Acts; each is recorded ---

  // Starts a process of the program, or of this program for a mixed cluster, and returns its id
  // once it takes messages. If no id is given, its id is higher than all before; otherwise throws
  // Unclear.
  NodeId start(std::optional<NodeId> id = {}, bool is_ours = false);
  // A fake, whose id is higher as well.
  NodeId fake(Part part = Part::silent);
  NodeId fake_named(NodeId id, Part part = Part::silent);
  // Restarts a killed process: it comes back.
  void start_again(NodeId id);
  void let_act(NodeId fake, Part part) { fakes_.at(fake).part = part; }
  // Announces the fake to all live processes of the program, and to each that asks; pings them, as
  // coordinators of some programs do, until it ends.
  void let_coordinate(NodeId fake);
  void end_fake(NodeId fake);
  void say(NodeId fake, NodeId to, Role role);
  void say_bytes(NodeId to, std::string_view bytes, Ending ending);
  // SIGKILL to the process behind the name; SIGSTOP and SIGCONT also to all processes that it has
  // started.
  void kill(NodeId id);
  void stop(NodeId id);
  void resume(NodeId id);
  // From now on each message of an election takes longer, by `most` at most.
  void delay(Duration most);

  // --- Waits; all of them serve the links meanwhile, and throw problems ---

  // True if the condition came true in time.
  bool await(const std::function<bool()>& condition, Duration at_most);
  // The first of these; nothing if none came in time.
  std::optional<Record> await_sent(const Sendings& wanted, Duration at_most);
  std::optional<Record> sent(const Sendings& wanted) const;
  std::size_t count_sent(const Sendings& wanted) const;
  std::optional<Record> await_election(NodeId id, std::size_t since, Duration at_most) {
    return await_sent({.from = id, .since = since}, at_most);
  }
  void rest(Duration time);
  // Waits until no message of an election has passed for `time`. Throws a Finding if that never
  // comes.
  void await_quiet(Duration time);
  std::size_t now() const { return records_.size(); }

  // True if all of these have last received or sent an announcement of the highest of them; always
  // true for a single process. A message from a lower process does not count.
  bool agree(const Ids& ids) const;
  std::optional<NodeId> coordinator_of(NodeId id) const;

  // --- Knowledge ---

  Ids live() const;  // all processes, of the program and of this program, from the lowest
  std::size_t pings_from(NodeId id) { return pings_[id]; }
  // The number of connections with a message that it has closed: a sign that it takes messages.
  std::size_t taken_by(NodeId id) { return taken_[id]; }
  // The started process behind this name, and the processes below it.
  std::vector<ProcessState> tree_of(NodeId id) const;
  // Unreadable bytes from a process, or a message in the name of its receiver or of nobody, as a
  // Finding; or nothing.
  std::optional<Finding> wrong_message() const;
  bool answered_on_same_connection() const { return answered_here_; }
  // True if a killed process's child has kept its name.
  bool has_orphan() const { return has_orphan_; }

 private:
  struct Process {
    pid_t started = 0;
    std::optional<PinnedProcess> behind = {};
    bool is_alive = false;  // it should be there
    bool is_stopped = false;
    bool is_ours = false;
    Descriptor output = {};
    std::string printed = {};  // its latest output
  };
  struct Heard {
    Descriptor connection;
    std::string bytes = {};
  };
  struct Fake {
    Descriptor listener = {};
    std::vector<Heard> connections = {};
    pid_t placeholder = 0;
    Part part = Part::silent;
    bool coordinates = false;
  };
  struct Said {
    Descriptor connection;
    NodeId to;
    bool may_be_answered;
    Time until;
  };

  void record(const Record& record) override { records_.push_back(record); }
  void on_message(const Message& message, NodeId to, Way way, std::uint64_t ticket) override;
  // Announcements alone decide which process is followed.
  void on_pinged(NodeId, NodeId, const std::optional<PingReply>&) override {}
  void on_noise(NodeId to, std::string_view bytes) override;
  void spawn(std::vector<std::string> words, Process& process);
  NodeId in_order(NodeId id);
  std::optional<NodeId> name_of_new(Process& process, std::optional<NodeId> id, const Ids& before);
  void signal_all(NodeId id, int number) const;
  void serve(Time deadline);
  bool has_coordinator_above(NodeId fake) const;
  void serve_fakes();
  void read_said();
  void reap();
  std::optional<int> status_of(pid_t pid) const;
  void read_outputs();
  void check_processes();
  Finding death_of(NodeId id);
  void beat();

  ExamSettings& settings_;
  LocalCluster& cluster_;
  Registry directory_;  // in which the fakes take names
  std::vector<Record> records_;
  std::optional<LinkProxy> proxy_;
  std::map<NodeId, Process> processes_;
  std::map<NodeId, Fake> fakes_;
  std::vector<Said> said_;
  std::vector<std::function<void()>> due_;      // the fakes' pending reactions
  std::multimap<Time, std::uint64_t> delayed_;  // tickets of messages, by when they go on
  Duration longest_delay_{0};
  std::mt19937_64 chance_{1};
  std::map<NodeId, std::size_t> pings_;
  std::map<NodeId, std::size_t> taken_;
  std::optional<Finding> wrong_bytes_;
  std::set<std::string> own_noise_;
  std::map<pid_t, int> statuses_;  // of ended processes
  bool answered_here_ = false;
  bool has_orphan_ = false;
  NodeId next_id_ = first_id;
  NodeId highest_ = 0;  // of the ids that were not given
  Time next_beat_{0};
  Time next_look_{0};
};

// The standard directory, which one grader at a time may use: others wait for it. Afterwards it is
// as it was: entries that have come meanwhile are removed, except those of live processes.
class StandardPlace {
 public:
  StandardPlace();
  ~StandardPlace();
  StandardPlace(const StandardPlace&) = delete;
  StandardPlace& operator=(const StandardPlace&) = delete;

  // Whether it is ours, until release(). Waits for other graders until then. Throws Interrupted.
  bool reserve(Time deadline, LocalCluster& cluster);
  void release();

 private:
  bool was_there_;
  std::set<std::string> entries_;  // before
  Descriptor lock_;                // of the directory that it is in, which is there in any case
};

// Finds the directory in which the program can be graded, by starting it once or twice: the one in
// the settings if it obeys BULLY_DIR or {dir}; otherwise the standard one, if that is built in.
// Then the settings name it, and `standard` stays reserved. False if that has names of others, or
// is another user's. Throws SetupError, Interrupted.
bool find_place(ExamSettings& settings, LocalCluster& cluster, StandardPlace& standard);

}  // namespace bully
