// exam.h: what is done to a program to find out whether it is right. An exam has a directory of
// its own, processes of the program, fake processes of ours that speak its bytes, and the links of
// all of them in its hands (../wire/link_proxy.h).
//
// A check is a function that acts and waits, step by step; what it shows is thrown: a Finding, or
// Unclear. It judges by what passes over the links, by signals, exit statuses and the process
// table; never by what the program prints. Whatever a program does, all that it has started is
// ended with the exam, and nothing else is ever signalled.
//
// A fake has a bound name before it says a word. Where ids are PIDs, its name is the PID of a
// process that does nothing else than to have it.
//
// Read next: checks.h.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <memory>
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

// What stays the same for all exams of a program.
struct ExamSettings {
  std::vector<std::string> command;  // of which {id} and {dir} are replaced
  std::string directory;             // absolute; in which an exam takes place
  std::string own_program;           // ours, for mixed clusters
  bool with_id = false;              // each process is given an id; else it is its PID
  Duration start_timeout = std::chrono::seconds(10);
  // What takes longer is taken to wait for ever.
  Duration longest_wait = std::chrono::seconds(30);
  Time deadline = never;  // of all checks
  std::uint64_t seed = 1;
  MeasuredWaits waits = {};
  // A child of it keeps the name of one that was killed: told once, then whole sessions are killed.
  bool kills_sessions = false;
};

using Ids = std::vector<NodeId>;

// `text` with `value` wherever `place` is in it.
std::string replaced(std::string text, std::string_view place, const std::string& value);

// Where ids are given they are nobody's PID: Linux gives none above 2^22, others fewer. A program
// that takes them for PIDs signals nobody.
inline constexpr NodeId first_id = 5'000'001;
inline constexpr NodeId nobodys_pid = first_id + 1'000'000;

// What the fake does about an ELECTION.
enum class Part : std::uint8_t {
  silent,       // nothing
  answers,      // it sends ANSWER, and nothing else
  coordinator,  // it sends ANSWER, and that it is coordinator
};

// How a connection ends on which bytes were sent.
enum class Ending : std::uint8_t { closed, kept };

class Exam final : private Sink {
 public:
  // Throws SetupError.
  Exam(ExamSettings& settings, const Guard& guard, SignalPipe& signals);
  ~Exam() override;
  Exam(const Exam&) = delete;
  Exam& operator=(const Exam&) = delete;

  const ExamSettings& settings() const { return settings_; }
  const std::vector<Record>& records() const { return records_; }

  // --- Acts. Each is in the records ---

  // Starts a process of the program, and returns its id once it takes messages. It is given the id
  // that is asked for, or, where ids are given, the next one.
  NodeId start(std::optional<NodeId> id = {});
  // The same for one that was killed: it comes back.
  void start_again(NodeId id);
  // A process of ours, for a mixed cluster.
  NodeId start_ours();
  // A fake, whose id is higher than all before.
  NodeId fake(Part part = Part::silent);
  NodeId fake_named(NodeId id, Part part = Part::silent);
  void let_act(NodeId fake, Part part) { fakes_.at(fake).part = part; }
  // Tells all live processes of the program so, and each that asks; pings them, as coordinators of
  // some programs do, until it ends.
  void let_coordinate(NodeId fake);
  void end_fake(NodeId fake);
  void say(NodeId fake, NodeId to, Role role);
  void say_bytes(NodeId to, std::string_view bytes, Ending ending);
  // SIGKILL to the process behind the name; SIGSTOP and SIGCONT to all that it has started too.
  void kill(NodeId id);
  void stop(NodeId id);
  void resume(NodeId id);
  // From now on each message of an election takes a while longer, `most` at most.
  void delay(Duration most);

  // --- Waiting. All of it serves the links meanwhile, and throws what goes wrong ---

  // Whether it came true in time.
  bool await(const std::function<bool()>& condition, Duration at_most);
  // A message of this role, sent since; null if none was in time.
  const Record* await_sent(Role role, NodeId from, std::optional<NodeId> to, std::size_t since,
                           Duration at_most);
  // The first; or null.
  const Record* sent(Role role, NodeId from, std::optional<NodeId> to, std::size_t since) const;
  // Whether it has asked or announced, since: it takes part in an election.
  bool has_elected(NodeId id, std::size_t since) const;
  std::size_t count_sent(Role role, std::optional<NodeId> from, std::size_t since) const;
  void rest(Duration time);
  // Until no message of an election has passed for `time`. Throws a Finding if that never comes.
  void await_quiet(Duration time);
  std::size_t now() const { return records_.size(); }

  // Whether all of these have last been told of, or have announced, the highest of them; to a
  // single one nothing is asked. Messages from a lower one change nobody's mind.
  bool agree(const Ids& ids) const;
  std::optional<NodeId> coordinator_of(NodeId id) const;

  // --- What is known ---

  bool is_alive(NodeId id) const;  // of the program, or ours
  Ids live() const;                // of the program, from the lowest; ours are among them
  std::size_t pings_from(NodeId id) const;
  // How many connections on which it was told something it has closed: so it takes messages.
  std::size_t taken_by(NodeId id) const;
  // Of this process and those below it.
  Duration processor_time(NodeId id) const;
  // Whether one of these has something to do just now: it runs, or waits for a processor.
  bool is_running(NodeId id) const;
  // Bytes that a process sent and nobody could read, as a Finding; or nothing.
  std::optional<Finding> wrong_bytes() const;
  bool answered_on_same_connection() const { return answered_here_; }
  // A child of a killed process keeps its name.
  std::optional<NodeId> orphan() const { return orphan_; }
  // Throws Unclear unless ids rise in this order.
  static void require_order(const Ids& ids);

 private:
  struct Process {
    pid_t started = 0;
    std::optional<int> status = {};  // of the one that was started, when it has ended
    std::optional<PinnedProcess> behind = {};
    bool is_alive = false;  // it should be there
    bool is_stopped = false;
    bool is_ours = false;
    Descriptor output = {};
    std::string printed = {};  // the last of it
  };
  struct Heard {
    Descriptor connection;
    std::string bytes = {};
  };
  struct Fake {
    std::unique_ptr<Registry> registry = {};
    Descriptor listener = {};
    std::vector<Heard> connections = {};
    pid_t placeholder = 0;
    Part part = Part::silent;
    bool is_alive = true;
    bool coordinates = false;
  };
  struct Said {
    Descriptor connection;
    NodeId to;
    bool may_be_answered;
    Time until;
  };
  struct Delayed {
    std::uint64_t ticket;
    Time due;
  };
  struct Noise {
    NodeId to;
    std::string bytes;
  };
  class Observer;

  void record(const Record& record) override { records_.push_back(record); }
  void act(NodeId id, TraceEvent event);
  void spawn(std::vector<std::string> words, Process& process);
  NodeId launch(std::optional<NodeId> id, bool is_ours);
  std::optional<NodeId> name_of_new(const Process& process, std::optional<NodeId> id,
                                    const std::set<NodeId>& before);
  void await_end(const PinnedProcess& process);
  void look_after_kill(NodeId id);
  void serve(Time deadline);
  void serve_fakes();
  void read_said();
  void react();
  void reap();
  void read_outputs();
  void check_processes();
  Finding death_of(NodeId id);
  void beat();

  ExamSettings& settings_;
  const Guard& guard_;
  SignalPipe& signals_;
  Directory directory_;
  std::vector<Record> records_;
  std::unique_ptr<Observer> observer_;
  std::optional<LinkProxy> proxy_;
  std::map<NodeId, Process> processes_;
  std::map<NodeId, Fake> fakes_;
  std::vector<Said> said_;
  std::vector<std::function<void()>> due_;  // what fakes do about what they have just heard
  std::vector<Delayed> delayed_;
  Duration longest_delay_{0};
  std::mt19937_64 chance_;
  std::map<NodeId, std::size_t> pings_;
  std::map<NodeId, std::size_t> taken_;
  std::vector<Noise> noise_;
  std::set<std::string> own_noise_;
  std::map<pid_t, int> statuses_;
  bool answered_here_ = false;
  std::optional<NodeId> orphan_;
  NodeId next_id_ = first_id;
  Time next_beat_{0};
  Time next_look_{0};
};

}  // namespace bully
