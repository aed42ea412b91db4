// real_backend.cc: a script's steps as signals, starts and events to handle.
#include "stage/real_backend.h"

#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "stage/controlled_nodes.h"
#include "stage/trace_file.h"

namespace bully {

namespace {

// Far beyond the needs of a loaded machine: it ends a play that has gone wrong, and decides
// nothing.
constexpr Duration patience = std::chrono::seconds(30);

LinkObserver nobody;  // the processes' records show what the links show

// The simulated network, and the processes in it.
class RealBackend : public ControlledNodes, public Backend {
 public:
  RealBackend(const Scenario& scenario, LocalCluster& cluster, std::string program, Sink& sink)
      : ControlledNodes(Directory(cluster.private_directory() + "/nodes", true), patience, nobody),
        scenario_(scenario),
        cluster_(cluster),
        program_(std::move(program)),
        sink_(sink) {
    put_on_ring({});
    proxy_.hold(true);
  }

  StepResult perform(const Step& step) override try {
    const Verb verb = step.verb;
    const Time begin = monotonic_now();
    if (verb == Verb::nodes) found(step.ids);
    prepare(step);
    if (verb == Verb::ring) put_on_ring(step.ids);
    if (StepResult wrong = simulated_.perform(with_numbers_of_here(step))) return wrong;
    if (verb == Verb::pause) stop(step.id());
    if (verb == Verb::crash) crash(step.id());
    if (verb == Verb::leave) {
      for (const NodeId id : step.ids) leave(id);
    }
    read_records();
    // A script's time also passes for the observers: nothing happens in it.
    const Duration passed = monotonic_now() - begin;
    if (step.time) cluster_.wait_until([] { return false; }, *step.time - passed);
    return std::nullopt;
  } catch (const Problem& problem) {
    return problem;
  }
  std::vector<Snapshot> nodes() const override { return simulated_.nodes(); }
  MessageCounts sent() const override { return simulated_.sent(); }
  void finish() override {
    simulated_.finish();
    read_records();
  }

 private:
  // --- Processes ---

  // Before the play begins, they agree on the process that should be coordinator. If only a process
  // that detects a crash starts an election, that coordinator starts last.
  void found(std::vector<NodeId> ids) {
    const NodeId coordinator = scenario_.algorithm().preferred_of(ids);
    const bool is_last = scenario_.algorithm().must_notice == Noticing::highest;
    std::ranges::sort(ids, scenario_.algorithm().prefers);
    if (is_last) std::ranges::reverse(ids);
    for (const NodeId id : ids) {
      start(id);
      if (is_last) deliver_all();
    }
    deliver_all();
    for (const NodeId id : ids) {
      if (snapshot(id).coordinator != coordinator) throw Problem{"play_no_agreement"};
    }
  }

  void start(NodeId id) override {
    begin_incarnation(id, {.id = id});
    children_[id] = {spawn(id)};
    query(id);
    wait_until(id, [&] { return has_proxy(id); });
  }

  void stop(NodeId id) {
    const pid_t pid = pid_of(id);
    if (pid == 0 || !cluster_.stop(pid)) return require_running(id);
    on_stopped(id);
  }

  void resume(NodeId id) override {
    if (const pid_t pid = pid_of(id)) cluster_.tell(pid, SIGCONT);
    ControlledNodes::resume(id);
  }

  void crash(NodeId id) {
    const pid_t pid = pid_of(id);
    if (pid == 0) return;
    cluster_.kill(pid);
    children_.erase(id);
    on_ended(id);
    wait_until(id, [&] { return !has_proxy(id); });
  }

  void leave(NodeId id) {
    if (const pid_t pid = pid_of(id)) {
      children_.erase(id);  // from now on its end is expected
      cluster_.tell(pid, SIGTERM);
      cluster_.tell(pid, SIGCONT);  // a stopped process would not get it
      wait_until(id, [&] { return cluster_.status_of(pid).has_value(); });
    }
    std::filesystem::remove(directory_.socket_path(id));  // of a crashed process
    proxy_.look();
  }

  // --- Acts on the processes ---

  // The backend alone can record an act on a process, or a loss by the network. The processes
  // record everything else themselves: also a refused message, which never came to wait.
  void record(const Record& record) override {
    if (is_act_on(record)) {
      Record act = record;
      act.t_ns = monotonic_now().count();
      act.pid = pid_of(record.node);
      trace_.record(act);
    }
    ControlledNodes::record(record);
  }

  // A message to the dead waits for the simulated network, unless the network can only find them
  // gone: if others learn of a death only by a step of the script; or if the network may lose the
  // message, or is cut, and then its sender learns nothing.
  void prepare(const Step& step) {
    const Verb verb = step.verb;
    if (verb == Verb::hold || verb == Verb::run) is_held_ = verb == Verb::hold;
    if (verb == Verb::loss) is_lossy_ = step.number > 0;
    proxy_.keep_for_dead(is_held_ || is_lossy_ || simulated_.world().is_cut());
  }

  // Epochs and the like begin at a time in real processes: a script's message is the oldest one
  // that names the same processes.
  Step with_numbers_of_here(Step step) const {
    MessageFilter& filter = step.filter;
    if (!filter.values) return step;
    const Message wanted{.type = *filter.type, .from = *filter.from, .values = *filter.values};
    filter.values.reset();
    const auto names_the_same = [&](const InFlight& one) {
      return std::ranges::all_of(wanted.type->fields, [&](const Field* field) {
        using enum Field::Meaning;
        return field == nullptr || field->meaning == number || field->meaning == tally ||
               one.message.get(*field) == wanted.get(*field);
      });
    };
    const std::vector<InFlight> all = simulated_.world().in_flight(filter);
    const auto found = std::ranges::find_if(all, names_the_same);
    filter.values = found == all.end() ? wanted.values : found->message.values;
    return step;
  }

  void put_on_ring(const std::vector<NodeId>& ids) const {
    std::ofstream file(ring_path_ + ".new");
    for (const NodeId id : ids) file << id << '\n';
    file.close();
    std::filesystem::rename(ring_path_ + ".new", ring_path_);
  }

  // --- The processes' states ---

  // Takes all records made since the last time.
  void read_records() override {
    cluster_.rest({});
    for (Record& record : tail_.next()) {
      // Whatever the process says, the script decides the events and the detector. A timer expires
      // by the simulated clock, which may be ahead of the process's.
      if (record.event == TraceEvent::start) {
        WorldOptions options = scenario_.options;
        options.answer_timeout = options.coordinator_timeout = {};
        record.environment = make_environment(options, options.detection);
      }
      sink_.record(record);
      const auto child = children_.find(record.node);
      if (child == children_.end() || child->second.pid != record.pid) continue;
      learn(nodes_.at(record.node).snapshot, record);
      const bool is_sent = record.event == TraceEvent::send && record.type.is_of_election();
      if (is_sent) ++child->second.sends;
      child->second.unread.push_back(record);
    }
    // Only its own nodes write there.
    if (tail_.damage()) throw TraceError(*tail_.damage());
    sink_.flush();
  }

  void on_lost(const Record& lost) override { trace_.record(lost); }

  std::vector<Sent> take_sent(NodeId id) override {
    std::vector<Sent> sent;
    for (const Record& record : std::exchange(children_.at(id).unread, {})) {
      if (record.event != TraceEvent::send || !record.type.is_of_election()) continue;
      // Each is found once: a process that comes back numbers its messages from 1 again.
      const auto waiting = std::ranges::find_if(waiting_, [&](const Sent& each) {
        return each.message.from == id && each.to == record.to &&
               each.message.number == record.number && !each.is_posted;
      });
      const bool is_refused = waiting == waiting_.end();
      if (!is_refused) waiting->is_posted = true;
      const Ticket ticket = is_refused ? 0 : waiting->ticket;
      sent.push_back({record.message(), record.to, ticket, record.pid});
    }
    return sent;
  }

  pid_t spawn(NodeId id) {
    std::vector<std::string> words = {program_, std::to_string(id), "--quiet", "--controlled"};
    words.push_back("--dir=" + directory_.path());
    words.push_back("--trace=" + trace_path_);
    if (scenario_.algorithm().has_ring()) words.push_back("--ring=" + ring_path_);
    words.push_back("--algorithm=" + std::string(scenario_.algorithm().option_value()));
    const Variant* variant = scenario_.variant;
    if (variant != nullptr) words.push_back("--protocol=" + std::string(variant->name));
    return cluster_.start(std::move(words));
  }

  void require_running(NodeId id) override {
    cluster_.rest({});
    const pid_t pid = pid_of(id);
    const auto status = pid == 0 ? std::nullopt : cluster_.status_of(pid);
    if (!status) return;
    children_.erase(id);
    on_ended(id);
    const bool by_signal = *status > 128;
    const auto number = static_cast<std::uint64_t>(by_signal ? *status - 128 : *status);
    throw problem(by_signal ? "play_signalled" : "play_exited", {id, number});
  }

  // A disk may be full, and a file's size limited: then no expectation could be judged.
  void require_recorded(NodeId id, const MessageCounts& sent) override {
    const auto child = children_.find(id);
    if (child == children_.end() || child->second.sends >= election_total(sent)) return;
    throw TraceError(trace_path_, problem("play_unrecorded", {id}));
  }

  // 0: it does not run.
  pid_t pid_of(NodeId id) const {
    const auto child = children_.find(id);
    return child == children_.end() ? 0 : child->second.pid;
  }

  // The running process of a node, known to this backend alone: the simulated network knows no
  // PIDs.
  struct Child {
    pid_t pid;
    std::uint64_t sends = 0;          // messages of the election that its records show
    std::vector<Record> unread = {};  // its records that take_sent() has not read yet
  };

  const Scenario& scenario_;
  LocalCluster& cluster_;
  std::string program_;
  Sink& sink_;
  std::string ring_path_ = cluster_.private_directory() + "/ring";
  std::string trace_path_ = cluster_.private_directory() + "/trace";
  TraceTail tail_{trace_path_};
  TraceFile trace_{trace_path_};
  std::map<NodeId, Child> children_;
  bool is_held_ = false;
  bool is_lossy_ = false;
  SimulatedBackend simulated_{scenario_, this, [this](NodeId id) { return make(id); }};
};

}  // namespace

std::unique_ptr<Backend> make_real_backend(const Scenario& scenario, LocalCluster& cluster,
                                           std::string program, Sink& sink) {
  return std::make_unique<RealBackend>(scenario, cluster, std::move(program), sink);
}

}  // namespace bully
