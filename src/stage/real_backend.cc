#include "stage/real_backend.h"

#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <utility>

#include "node/peer_process.h"
#include "trace/trace.h"
#include "wire/wire.h"

namespace bully {

namespace {

using Result = std::optional<Problem>;  // what went wrong

// Far beyond what a loaded machine needs: it ends a play that has gone wrong, and decides nothing.
constexpr Duration patience = std::chrono::seconds(30);

// The processes of a play. Each is told of one event at a time, and has done all that it does about
// it when that call returns. A Problem is thrown, and ends the play, where one did what no script
// can have meant.
class Cast : public Sink {
 public:
  Cast(const Scenario& scenario, LocalCluster& cluster, std::string program, Sink& sink)
      : scenario_(scenario), cluster_(cluster), program_(std::move(program)), sink_(sink) {
    put_on_ring({});
  }

  // --- Processes ---

  // They come to agree among themselves, before the play begins, on the one that should be
  // coordinator. If only those that notice hold an election, that one comes last.
  void found(std::vector<NodeId> ids) {
    std::ranges::sort(ids, scenario_.algorithm->prefers);
    const Algorithm::Noticing also = scenario_.algorithm->must_notice;
    if (also == Algorithm::Noticing::the_winner) {
      for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
        start(*id);
        carry_all({id.base() - 1, ids.end()});
      }
    } else {
      for (const NodeId id : ids) start(id);
      carry_all(ids);
    }
    if (also == Algorithm::Noticing::everyone) let_time_pass(ids);
    for (const NodeId id : ids) {
      if (snapshot(id).coordinator != ids.front()) throw Problem{"play_no_agreement"};
    }
  }

  // All that they have to say to each other reaches them.
  void carry_all(std::span<const NodeId> ids) {
    for (bool more = true; more;) {
      more = false;
      for (const NodeId id : ids) {
        for (const Record& sent : std::exchange(nodes_.at(id).news, {})) {
          if (sent.event != TraceEvent::send) continue;
          const auto ticket = wire_.ticket_for(id, sent.to, *sent.number);
          if (!ticket || !wire_.pass(id, sent.to, *ticket)) continue;
          meet(sent.to);
          more = true;
        }
      }
    }
  }

  // What only time brings: the first finds all others, and timers run out; its own before theirs.
  void let_time_pass(std::span<const NodeId> ids) {
    for (const NodeId other : ids.subspan(1)) meet(ids.front(), order_to_meet(Found{other}));
    for (bool more = true; more;) {
      carry_all(ids);
      more = std::ranges::any_of(ids, [this](NodeId id) {
        const auto& timers = nodes_.at(id).timers;
        const auto runs = std::ranges::find_if(timers, std::mem_fn(&ByHand::RunningTimer::start));
        if (runs == timers.end()) return false;
        meet(id, order_to_meet(Expired{static_cast<Timer>(runs - timers.begin())}));
        return true;
      });
    }
  }

  void start(NodeId id) {
    Node& node = begin_life(id, {.id = id});
    node.pid = spawn(id);
    meet(id);
    wire_.publish(id);
  }

  void stop(NodeId id) {
    Node& node = nodes_.at(id);
    if (node.pid == 0 || !cluster_.stop(node.pid)) return check(id);
    node.snapshot.condition = Condition::stopped;
  }

  void go_on(NodeId id) {
    nodes_.at(id).snapshot.condition = Condition::running;
    kill(nodes_.at(id).pid, SIGCONT);
    meet(id);  // a node replies before it starts over, and then a second time after that
    meet(id);
  }

  void crash(NodeId id) {
    Node& node = nodes_.at(id);
    if (node.pid == 0) return;
    cluster_.kill(node.pid);
    begin_life(id, crashed_snapshot(id));
    wire_.bury(id, of_the_dead());
  }

  void leave(NodeId id) {
    const pid_t pid = nodes_.at(id).pid;
    wire_.remove(id);
    if (pid == 0) return;
    nodes_.at(id).pid = 0;  // that it ends is no trouble
    kill(pid, SIGTERM);
    kill(pid, SIGCONT);  // a stopped process would not hear of it
    wait_until(id, [&] { return cluster_.status_of(pid).has_value(); });
  }

  // --- What happens to them ---

  // Makes the process meet it, and adds to `actions` what it has done about that.
  void handle(NodeId id, const Event& event, Actions& actions) {
    Node& node = nodes_[id];
    if (const auto* received = std::get_if<Received>(&event)) {
      pass(id, received->message);
      // A stopped process finds all of them when it goes on.
      if (node.snapshot.condition == Condition::stopped) return;
      meet(id);
    } else if (const auto* gone = std::get_if<PeerGone>(&event)) {
      if (!let_know(id, gone->peer)) return;
    } else if (const auto* started = std::get_if<Started>(&event)) {
      started->resumed ? go_on(id) : start(id);
    } else if (std::holds_alternative<Preset>(event)) {
      return node.news.clear();  // it is so already: see found()
    } else {
      meet(id, order_to_meet(event));
    }
    tell(node, actions);
  }

  // What the simulated network has lost waits for nobody any more; and its record, like that of an
  // act on a process, is nobody's but ours to write. All others the processes write themselves.
  void record(const Record& told) override {
    const bool is_lost = told.event == TraceEvent::lost && told.reason != "gone";
    if (!is_lost && !is_act_on(told)) return;
    Node& node = nodes_.at(told.node);
    Record record = told;
    record.t_ns = monotonic_now().count();
    record.pid = node.pid;
    if (is_lost) {
      Said& said = node.said.at(*told.number);
      record.number = said.number;
      record.pid = said.pid;
      if (!said.ticket) let_out(told.node, told.to, said);
      wire_.drop(told.node, told.to, *said.ticket);
    }
    trace_.record(record);
  }

  // Time that a script gives also passes for those who look on: nothing happens in it.
  void rest(Duration time) {
    cluster_.wait_until([] { return false; }, time);
  }

  // From now on, whether somebody is dead is known to others only by a step of the script; or at
  // once.
  void hold(bool held) {
    held_ = held;
    bury_all();
  }

  // From now on the network may lose a message to the dead, and then its sender hears nothing.
  void lose(bool loses) {
    loses_ = loses;
    bury_all();
  }

  // What one says to the other reaches nobody, and neither hears of that, dead or alive. The cut
  // does not take a message that was sent before it and waits for the news that `b` is gone.
  void cut(const std::vector<NodeId>& from, const std::vector<NodeId>& to) {
    for (const NodeId a : from) {
      for (const NodeId b : to) {
        if (!nodes_.at(a).waits_for.contains(b)) wire_.set(a, b, Wire::State::open, true);
        cuts_.emplace_back(a, b);
      }
    }
  }

  void heal() {
    for (const auto& [from, to] : std::exchange(cuts_, {})) restore(from, to);
  }

  void put_on_ring(const std::vector<NodeId>& ids) const {
    std::ofstream file(ring_path_ + ".new");
    for (const NodeId id : ids) file << id << '\n';
    file.close();
    std::filesystem::rename(ring_path_ + ".new", ring_path_);
  }

  // --- What they are ---

  const Snapshot& snapshot(NodeId id) const { return nodes_.at(id).snapshot; }
  std::optional<NodeId> watched(NodeId id) const { return nodes_.at(id).watched; }

  // All that has been recorded since the last time.
  void look() {
    cluster_.rest({});
    for (Record& record : tail_.next()) {
      // By hand or not: what happens to the process is the script's, and so is its detector.
      if (record.event == TraceEvent::start) record.waits = waits_of(scenario_.options);
      sink_.record(record);
      const auto found = nodes_.find(record.node);
      if (found == nodes_.end() || found->second.pid != record.pid) continue;
      learn(found->second.snapshot, record);
      found->second.news.push_back(record);
    }
    // Its own nodes alone write there.
    if (tail_.damage()) throw TraceError(*tail_.damage());
    sink_.flush();
  }

 private:
  struct Said {
    std::int64_t pid = 0;
    std::uint64_t number = 0;  // its own
    std::optional<Wire::Ticket> ticket = {};
  };
  struct Node {
    pid_t pid = 0;  // 0: it does not run
    Snapshot snapshot = {};
    std::optional<NodeId> watched = {};
    std::array<ByHand::RunningTimer, timer_count> timers = {};
    std::array<ByHand::RunningTimer, timer_count> timers_told = {};
    std::vector<Record> news = {};    // that tell() has not told of yet
    std::set<NodeId> waits_for = {};  // the dead to whom it wrote, and does not know it yet
    // What it has sent in all its lives, by the simulator's number, which are counted from 1.
    std::map<std::uint64_t, Said> said = {};
  };

  // Nothing is left of the one before but what it has said.
  Node& begin_life(NodeId id, const Snapshot& snapshot) {
    Node& node = nodes_[id];
    node = {.snapshot = snapshot, .said = std::move(node.said)};
    return node;
  }

  // Whoever writes to a dead process waits for the simulated network to decide, unless the message
  // can only find it gone.
  Wire::State of_the_dead() const {
    return held_ || loses_ ? Wire::State::full : Wire::State::refused;
  }

  void bury_all() {
    for (const auto& [id, node] : nodes_) {
      if (node.snapshot.condition == Condition::crashed) wire_.bury(id, of_the_dead());
    }
  }

  pid_t spawn(NodeId id) {
    std::vector<std::string> words = {program_, std::to_string(id), "--quiet", "--by-hand"};
    words.push_back("--dir=" + wire_.make_directory(id));
    for (const auto& [from, to] : cuts_) {  // one that left comes back behind the same cut
      if (from == id || to == id) wire_.set(from, to, Wire::State::open, true);
    }
    words.push_back("--trace=" + trace_path_);
    words.push_back("--ring=" + ring_path_);
    words.push_back("--algorithm=" + std::string(scenario_.algorithm->name));
    const Variant* variant = scenario_.variant;
    if (variant != nullptr) words.push_back("--protocol=" + std::string(variant->name));
    return cluster_.start(std::move(words));
  }

  // It meets what has come to it, and what `question` orders; its reply comes after that. One that
  // starts may ask others before it can be asked itself. If another of its id was killed a moment
  // ago, that one's monitor may have its socket still, and closes it without a word.
  void meet(NodeId id, const Message& question = {.type = messages::status}) {
    NodeStatus status;
    wait_until(id, [&] {
      wire_.carry(id);
      status = query_node(wire_.socket_path(id), id, patience, question);
      return status.by_hand.has_value();
    });
    wire_.carry(id);
    look();
    check(id);
    Node& node = nodes_.at(id);
    node.snapshot.state = status.state;
    node.snapshot.coordinator = status.coordinator;
    node.watched = status.by_hand->watched;
    node.timers = status.by_hand->timers;
  }

  void pass(NodeId to, const Message& message) {
    const Said& said = nodes_.at(message.from).said.at(*message.number);
    if (!said.ticket || !wire_.pass(message.from, to, *said.ticket)) check(to);
  }

  // Lets it know that `peer`, to which it wrote, is gone. False: it knows.
  bool let_know(NodeId id, NodeId peer) {
    Node& node = nodes_.at(id);
    if (!node.waits_for.contains(peer)) return false;
    wire_.set(id, peer, Wire::State::refused, false);
    const auto knows = [&] {
      look();
      return std::ranges::any_of(node.news, [&](const Record& record) {
        return record.event == TraceEvent::lost && record.to == peer;
      });
    };
    wait_until(id, knows);
    meet(id);
    restore(id, peer);
    return true;
  }

  // A message to a dead process, which waits at its sender, leaves it.
  void let_out(NodeId from, NodeId to, Said& said) {
    wire_.set(from, to, Wire::State::open, true);
    wait_until(from, [&] {
      wire_.carry(from);
      said.ticket = wire_.ticket_for(from, to, said.number);
      return said.ticket.has_value();
    });
    nodes_.at(from).waits_for.erase(to);
    restore(from, to);
  }

  void restore(NodeId from, NodeId to) {
    const bool is_cut = std::ranges::count(cuts_, std::pair(from, to)) > 0;
    const bool is_open = is_cut || nodes_.at(to).pid != 0;
    wire_.set(from, to, is_open ? Wire::State::open : of_the_dead(), is_cut);
  }

  void tell(Node& node, Actions& actions) {
    const NodeId id = node.snapshot.id;
    for (const Record& record : std::exchange(node.news, {})) {
      if (record.event == TraceEvent::lost) node.waits_for.erase(record.to);
      if (record.event != TraceEvent::send || !record.type.is_of_election()) continue;
      const auto ticket = wire_.ticket_for(id, record.to, *record.number);
      node.said[node.said.size() + 1] = {record.pid, *record.number, ticket};
      Message message{.type = record.type, .from = id};
      message.values = record.values;
      actions.emplace_back(Send{record.to, message});
      if (!ticket) node.waits_for.insert(record.to);
    }
    for (const NodeId peer : node.waits_for) wire_.set(id, peer, Wire::State::full, true);
    for (std::size_t i = 0; i < timer_count; ++i) {
      const ByHand::RunningTimer& timer = node.timers.at(i);
      if (std::exchange(node.timers_told.at(i), timer) == timer) continue;
      const auto which = static_cast<Timer>(i);
      const auto attempts = static_cast<std::uint8_t>(timer.attempts);
      if (timer.start == 0) {
        actions.emplace_back(StopTimer{which});
      } else {
        actions.emplace_back(StartTimer{which, attempts});
      }
    }
  }

  // Whether it has ended, although nobody told it to.
  void check(NodeId id) {
    Node& node = nodes_.at(id);
    const auto status = node.pid == 0 ? std::nullopt : cluster_.status_of(node.pid);
    if (!status) return;
    begin_life(id, crashed_snapshot(id));
    const bool by_signal = *status > 128;
    const auto number = static_cast<std::uint64_t>(by_signal ? *status - 128 : *status);
    throw problem(by_signal ? "play_signalled" : "play_exited", {id, number});
  }

  void wait_until(NodeId id, const std::function<bool()>& condition) {
    const Time deadline = monotonic_now() + patience;
    while (!condition()) {
      cluster_.rest(std::chrono::milliseconds(1));
      check(id);
      if (monotonic_now() > deadline) throw problem("play_timeout", {id});
    }
  }

  const Scenario& scenario_;
  LocalCluster& cluster_;
  std::string program_;
  Sink& sink_;
  std::string ring_path_ = cluster_.private_directory() + "/ring";
  std::string trace_path_ = cluster_.private_directory() + "/trace";
  TraceTail tail_{trace_path_};
  TraceFile trace_{trace_path_};
  Wire wire_{cluster_.private_directory()};
  std::map<NodeId, Node> nodes_;
  std::vector<std::pair<NodeId, NodeId>> cuts_;
  bool held_ = false;
  bool loses_ = false;
};

// A real process, as the simulated network sees it.
class RealProcess : public Protocol {
 public:
  RealProcess(NodeId id, Cast& cast) : id_(id), cast_(cast) {}

  void handle(const Event& event, const Peers& /*peers*/, Actions& actions) override {
    cast_.handle(id_, event, actions);
  }
  NodeId id() const override { return id_; }
  std::string_view state_name() const override {
    const StateKind* state = find_state(cast_.snapshot(id_).state);
    return state == nullptr ? std::string_view() : state->name;
  }
  std::optional<NodeId> coordinator() const override { return cast_.snapshot(id_).coordinator; }
  std::optional<NodeId> watched() const override { return cast_.watched(id_); }
  std::optional<Group> group() const override { return cast_.snapshot(id_).group; }
  Variables variables() const override { return cast_.snapshot(id_).variables; }
  void visit_fields(FieldVisitor& /*visit*/) override {}  // nobody can save it

 private:
  NodeId id_;
  Cast& cast_;
};

class RealBackend : public Backend {
 public:
  RealBackend(const Scenario& scenario, LocalCluster& cluster, std::string program, Sink& sink)
      : cast_(scenario, cluster, std::move(program), sink),
        simulated_(scenario, &cast_,
                   [this](NodeId id) { return std::make_unique<RealProcess>(id, cast_); }) {}

  Result perform(const ScenarioStep& step) override try {
    const Verb verb = step.verb;
    const Time begin = monotonic_now();
    if (verb == Verb::nodes) cast_.found(step.ids);
    if (verb == Verb::hold || verb == Verb::run) cast_.hold(verb == Verb::hold);
    if (verb == Verb::loss) cast_.lose(step.number > 0);
    if (verb == Verb::ring) cast_.put_on_ring(step.ids);
    if (Result wrong = simulated_.perform(step)) return wrong;
    if (verb == Verb::cut || verb == Verb::partition) cast_.cut(step.ids, step.others);
    if (verb == Verb::partition) cast_.cut(step.others, step.ids);
    if (verb == Verb::heal) cast_.heal();
    if (verb == Verb::pause) cast_.stop(step.id());
    if (verb == Verb::crash) cast_.crash(step.id());
    if (verb == Verb::leave) std::ranges::for_each(step.ids, [&](NodeId id) { cast_.leave(id); });
    cast_.look();
    if (step.time) cast_.rest(*step.time - (monotonic_now() - begin));
    return std::nullopt;
  } catch (const Problem& problem) {
    return problem;
  }
  std::vector<Snapshot> nodes() const override { return simulated_.nodes(); }
  MessageCounts sent() const override { return simulated_.sent(); }
  void finish() override {
    simulated_.finish();
    cast_.look();
  }

 private:
  Cast cast_;
  SimulatedBackend simulated_;
};

}  // namespace

std::unique_ptr<Backend> make_real_backend(const Scenario& scenario, LocalCluster& cluster,
                                           std::string program, Sink& sink) {
  return std::make_unique<RealBackend>(scenario, cluster, std::move(program), sink);
}

}  // namespace bully
