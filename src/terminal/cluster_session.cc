// cluster_session.cc: starts nodes one after the other, and waits for their end.
#include "terminal/cluster_session.h"

#include <signal.h>

#include <fstream>
#include <set>
#include <sstream>

#include "base/text.h"
#include "election/pace.h"
#include "node/peer_process.h"
#include "node/registry.h"
#include "rules/rules.h"
#include "terminal/output.h"
#include "terminal/traces.h"

namespace bully {

namespace {

using Words = std::vector<std::string>;

constexpr Duration start_deadline = std::chrono::seconds(10);
// The time for a watch, asked to end, to save its script.
constexpr Duration saving_time = std::chrono::seconds(5);

// The given options for nodes, without the cluster's own and without the places of the directory
// and the trace.
Words node_options(const ClusterSettings& settings) {
  std::vector<std::string_view> others = {"--demo", "--ids", "--watch", "--hold",
                                          "--save", "--dir", "--trace"};
  // Nodes whose log is not shown are quiet.
  if (settings.demo || settings.watch) others.insert(others.end(), {"--explain", "--color"});
  if (settings.demo) others.push_back("--pace");
  return settings.invocation.given_of(others, true);
}

std::string banner(const ClusterSettings& settings) {
  const std::string& directory = settings.nodes.node.directory;
  const std::string& path = settings.nodes.trace;
  const std::string place = directory_option(directory);
  const std::string trace = path.empty() ? "" : " --trace=" + typed(path);
  std::string joining = "./bully" + algorithm_option(*settings.nodes.algorithm);
  // Otherwise its successor would be another than the others' ring gives it.
  const std::string& ring = settings.nodes.node.ring;
  if (!ring.empty()) joining.append(" --ring=").append(typed(ring));
  return '\n' +
         settings.say(Text::cluster_banner,
                      {settings.count, directory, "./bully kill" + place + trace,
                       joining + place + trace, "./bully ps" + place}) +
         "\n\n";
}

// What waits are longer by in slow motion. Demonstrations and held messages have another pace.
Duration slow_time(const ClusterSettings& settings) {
  if (settings.demo || settings.hold) return {};
  return settings.nodes.node.pace * pauses_to_settle(settings.count);
}

NodeStatus reply_of_node(const ClusterSettings& settings, NodeId id) {
  const Directory directory(settings.nodes.node.directory, true);
  return query_node(directory, id, reply_patience);
}

// In slow motion a coordinator's news may be in flight for long. Then a node that starts would
// disturb an election: so it waits, and says so.
void await_news(LocalCluster& cluster, const ClusterSettings& settings,
                const std::vector<NodeId>& started, const std::function<bool()>& is_over) {
  const auto agree = [&] {
    std::set<std::optional<NodeId>> followed;
    for (const NodeId id : started) followed.insert(reply_of_node(settings, id).coordinator);
    return followed.size() == 1 && followed.begin()->has_value();
  };
  if (agree()) return;
  if (!settings.nodes.quiet && !settings.watch) {
    write_to_stdout(settings.say(Text::cluster_waits, {started.size()}) + '\n');
  }
  // Not for longer: one may have been killed, and a cluster is meant for that.
  cluster.wait_until([&] { return is_over() || agree(); }, slow_time(settings));
}

// With a person's own clock for messages no other process may take part.
void report_others(const Directory& directory, const ClusterSettings& settings) {
  const auto others =
      std::ranges::count_if(query_status(directory, reply_patience), &NodeStatus::is_alive);
  if (others == 0) return;
  const Text words = settings.hold ? Text::cluster_hold_others : Text::cluster_others;
  const std::string ending = "./bully kill --all" + directory_option(settings.nodes.node.directory);
  const std::string said = settings.say(words, {others, directory.path(), ending});
  if (settings.hold) throw std::runtime_error(said);
  complain(said);
}

// Starts each node when the one before takes part: so the log can be read from the top, and a
// problem with the trace is reported only once. `on_first` is called when the first takes part; no
// more are started once the screen that it shows is_over().
void start_all(
    LocalCluster& cluster, const ClusterSettings& settings, const Words& words = {},
    const std::function<void()>& on_first = {},
    const std::function<bool()>& is_over = [] { return false; }) {
  report_others(open_directory(settings, cluster.guard()), settings);
  // The first of other nodes says so itself.
  if (settings.hold) complain(words_if_appended(settings.nodes.trace, settings.invocation));
  std::vector<NodeId> started;
  for (std::size_t i = 0; i < settings.count && !is_over(); ++i) {
    if (i > 0 && slow_time(settings) > Duration(0)) await_news(cluster, settings, started, is_over);
    // In a script, small ids are easier to read than PIDs.
    const auto id = settings.hold || settings.ids ? std::optional<NodeId>(i + 1) : std::nullopt;
    const pid_t node = start_node(cluster, settings, words, id, is_over);
    started.push_back(id.value_or(static_cast<NodeId>(node)));
    if (i == 0 && on_first) on_first();
    if (settings.watch && !on_first)
      show_progress(settings.say(Text::cluster_starting, {i + 1, settings.count}));
  }
  if (settings.watch && !on_first) show_progress("");
}

}  // namespace

// Where $BULLY_DIR names another one, the standard directory has to be named as well.
std::string directory_option(const std::string& directory) {
  const bool is_standard =
      directory == standard_directory && default_directory() == standard_directory;
  return is_standard ? "" : " --dir=" + typed(directory);
}

Directory open_directory(const ClusterSettings& settings, const Guard& guard) {
  Directory directory(settings.nodes.node.directory, true);
  Registry(directory.path(), false).sweep_up_to_a_live_one();
  guard.sweep_directory(directory.path());
  return directory;
}

pid_t start_node(LocalCluster& cluster, const ClusterSettings& settings, const Words& more,
                 std::optional<NodeId> id, const std::function<bool()>& is_over) {
  Words words = node_options(settings);
  words.insert(words.begin(), settings.program);
  words.push_back("--dir=" + settings.nodes.node.directory);
  if (!settings.nodes.trace.empty()) words.push_back("--trace=" + settings.nodes.trace);
  words.insert(words.end(), more.begin(), more.end());
  if (id) words.push_back(std::to_string(*id));
  const pid_t node = cluster.start(std::move(words), settings.watch);
  const NodeId expected = id.value_or(static_cast<NodeId>(node));
  // It replies and follows a coordinator, perhaps itself. Another process may have its id: then it
  // is refused.
  const auto takes_part = [&] {
    const NodeStatus reply = reply_of_node(settings, expected);
    return reply.pid == node && reply.coordinator.has_value();
  };
  const Duration deadline = start_deadline + slow_time(settings);
  const bool in_time = cluster.wait_until(
      [&] { return is_over() || takes_part() || cluster.status_of(node).has_value(); }, deadline);
  if (!in_time) {
    const auto seconds = deadline / std::chrono::seconds(1);
    throw std::runtime_error(settings.say(Text::cluster_late, {expected, seconds}));
  }
  const auto status = cluster.status_of(node);
  if (!status || *status > exit_by_signal) return node;  // killed: a cluster is meant for that
  if (*status == exit_failed || *status == exit_usage) throw NodeFailed{*status};
  throw std::runtime_error(settings.say(Text::cluster_node_ended, {expected, *status}));
}

int run_in_terminal(const ClusterSettings& settings) {
  LocalCluster cluster;
  start_all(cluster, settings);
  if (!settings.nodes.quiet) write_to_stdout(banner(settings));
  cluster.wait_until([&] { return cluster.have_all_ended(); }, never);
  if (!settings.nodes.quiet) write_to_stdout(settings.say(Text::cluster_ended) + '\n');
  return exit_ok;
}

// Shows the nodes' errors after the screen, which they would have torn: of many, the last ones.
struct ErrorsAfterScreen {
  std::ifstream file = {};

  ~ErrorsAfterScreen() {
    constexpr std::streamoff most = 4'000;
    file.seekg(0, std::ios::end);
    file.seekg(std::max<std::streamoff>(0, file.tellg() - most));
    std::ostringstream errors;
    errors << file.rdbuf();
    if (!errors.str().empty()) show_progress("");
    write_to_stderr(errors.str());
  }
};

// The nodes are silent, and record everything in a trace; `bully watch` shows it. It is a process
// of the cluster, so it restores the terminal even if this process is killed.
int run_watched(ClusterSettings settings) {
  ErrorsAfterScreen errors;  // it outlives the screen and all nodes
  LocalCluster cluster;
  std::ofstream(cluster.errors_file()).close();
  errors.file.open(cluster.errors_file());
  std::string& trace = settings.nodes.trace;
  if (trace.empty()) trace = cluster.private_directory() + "/trace";
  Words node_words = {"--quiet"};
  if (settings.hold) node_words.emplace_back("--controlled");
  Words words = {settings.program, "watch", "--trace=" + trace,
                 "--dir=" + settings.nodes.node.directory};
  std::vector<std::string_view> for_watch = {"--hold", "--save", "--color", "--lang"};
  // The nodes themselves name a built-in election.
  if (rules_of(*settings.nodes.algorithm) != nullptr) for_watch.emplace_back("--algorithm");
  const Words more = settings.invocation.given_of(for_watch);
  words.insert(words.end(), more.begin(), more.end());
  // The options with which R starts a process.
  const Words starting = node_options(settings);
  words.emplace_back("--");
  words.insert(words.end(), starting.begin(), starting.end());
  std::optional<pid_t> watch;
  const auto show = [&] { watch = cluster.start(words); };
  const auto is_over = [&] { return watch && cluster.status_of(*watch).has_value(); };
  // In slow motion a start takes long, and is worth watching.
  const bool is_slow = slow_time(settings) > Duration(0);
  start_all(cluster, settings, node_words, is_slow ? show : std::function<void()>(), is_over);
  if (!watch) show();
  try {
    cluster.wait_until(is_over, never);
  } catch (const Interrupted& interrupted) {
    // It saves the script of the held messages first. Ctrl-C has reached it from the terminal.
    if (interrupted.signal != SIGINT) cluster.tell(*watch, interrupted.signal);
    const bool has_failed =
        cluster.wait_until(is_over, saving_time) && cluster.status_of(*watch) == exit_failed;
    if (!has_failed) throw;
  }
  return *cluster.status_of(*watch);
}

}  // namespace bully
