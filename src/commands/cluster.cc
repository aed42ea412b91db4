// cluster.cc: `bully cluster`, several nodes that start together and end together: in this
// terminal, behind `bully watch`, or each in a pane of tmux. It is what run_cluster.sh runs.
#include "commands/cluster.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "commands/hold.h"
#include "node/peer_process.h"

namespace bully {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr std::size_t max_count = 200;  // more than this is a slip of the finger
constexpr Duration start_deadline = std::chrono::seconds(10);

// How to start a node: with the options that were given, and then with these words.
Words node_words(const ClusterSettings& settings, const Words& more) {
  Words words = settings.invocation.given_of(
      {"--demo", "--ids", "--watch", "--tmux", "--hold", "--save"}, true);
  words.insert(words.begin(), settings.program);
  words.push_back("--dir=" + settings.nodes.node.directory);
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// How to meet these nodes from another terminal.
std::string banner(const ClusterSettings& settings) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=,:+@%-";
  const auto option = [plain](const char* name, const std::string& path) {
    const bool is_plain = path.find_first_not_of(plain) == std::string::npos;
    return name + (is_plain ? path : in_quotes(path));
  };
  const std::string& directory = settings.nodes.node.directory;
  const std::string& path = settings.nodes.trace;
  const std::string place = directory == standard_directory ? "" : option(" --dir=", directory);
  const std::string trace = path.empty() ? "" : option(" --trace=", path);
  std::string joining = "./bully";
  const Algorithm* algorithm = settings.nodes.algorithm;
  if (algorithm != &default_algorithm()) joining.append(" --algorithm=").append(algorithm->name);
  return '\n' +
         settings.say(Text::cluster_banner,
                      {settings.count, directory, "./kill_node.sh" + place + trace,
                       joining + place + trace, "./bully ps" + place}) +
         "\n\n";
}

// One after the other, each when the last has found its place: so the log can be read from the top,
// and what is wrong with the trace is said only once.
void start_all(LocalCluster& cluster, const ClusterSettings& settings, const Words& words = {}) {
  open_directory(settings, cluster.guard());
  for (std::size_t i = 0; i < settings.count; ++i) {
    // In a script, small ids are easier to read than PIDs.
    const auto id = settings.hold || settings.ids ? std::optional<NodeId>(i + 1) : std::nullopt;
    start_node(cluster, settings, words, id);
  }
}

int run_in_terminal(const ClusterSettings& settings) {
  LocalCluster cluster;
  start_all(cluster, settings);
  if (!settings.nodes.quiet) write_to_stdout(banner(settings));
  cluster.wait_until([&] { return cluster.have_all_ended(); }, never);
  if (!settings.nodes.quiet) write_to_stdout(settings.say(Text::cluster_ended) + '\n');
  return exit_ok;
}

// The nodes are silent, and tell all to a trace; `bully watch` shows it. As it is a process of the
// cluster, it leaves the terminal as it was whatever ends us.
int run_watched(const ClusterSettings& settings) {
  LocalCluster cluster;
  const std::string& trace = settings.nodes.trace;
  const std::string trace_option =
      "--trace=" + (trace.empty() ? cluster.private_directory() + "/trace" : trace);
  Words node_words = {"--quiet", trace_option};
  if (settings.hold) node_words.emplace_back("--by-hand");
  start_all(cluster, settings, node_words);
  Words words = {settings.program, "watch", trace_option, "--dir=" + settings.nodes.node.directory};
  const Words more = settings.invocation.given_of({"--hold", "--save", "--color", "--lang"});
  words.insert(words.end(), more.begin(), more.end());
  const pid_t watch = cluster.start(std::move(words));
  cluster.wait_until([&] { return cluster.status_of(watch).has_value(); }, never);
  return *cluster.status_of(watch);
}

// What runs in each pane of tmux: the node, and when it has ended a shell, to start it again from.
// Ctrl-C is meant for the node.
constexpr const char* node_pane = R"(trap : INT; "$@"; trap - INT; exec "${SHELL:-/bin/sh}")";
constexpr const char* commands_pane = R"(printf '%s\n' "$1"; exec "${SHELL:-/bin/sh}")";

// Whether tmux can tile a terminal of this size: it needs a border, and two lines to split.
bool has_room(const winsize& size, std::size_t panes) {
  std::size_t rows = 1;
  std::size_t columns = 1;
  while (rows * columns < panes) rows <= columns ? ++rows : ++columns;
  return size.ws_row / rows >= 4 && size.ws_col / columns >= 4;
}

// How to call tmux, with a server of its own at `socket`.
Words tmux_words(const ClusterSettings& settings, const std::string& socket, const Words& more) {
  const std::string here = fs::path(settings.program).parent_path();
  Words tmux = {"tmux", "-u", "-f", "/dev/null", "-S", socket};
  // With a semicolon at its end, a word would be the last of its command.
  const auto add = [&tmux](const Words& words, bool is_last = true) {
    for (std::string word : words) {
      if (word.ends_with(';')) word.replace(word.size() - 1, 1, "\\;");
      tmux.push_back(std::move(word));
    }
    if (is_last) tmux.emplace_back(";");
  };
  add({"new-session", "-s", "bully", "-c", here, "sh", "-c", commands_pane, "sh",
       settings.say(Text::tmux_commands)});
  add({"set-option", "-g", "exit-unattached", "on"});
  add({"set-option", "-g", "mouse", "on"});
  add({"set-option", "-g", "status-right", settings.say(Text::tmux_status)});
  add({"set-option", "-g", "status-right-length", "40"});
  for (std::size_t i = 0; i < settings.count; ++i) {
    add({"split-window", "-c", here, "sh", "-c", node_pane, "sh"}, false);
    Words words = more;
    if (settings.ids) words.push_back(std::to_string(i + 1));
    add(node_words(settings, words));
    add({"select-layout", "tiled"});
  }
  add({"select-pane", "-t", ":.0"}, false);
  return tmux;
}

// This process becomes the client of a server of its own: nothing that the user does in another is
// touched, nor what he has set up. That server ends with its client, however that ends; the nodes
// then get SIGHUP, and leave.
int run_in_tmux(ClusterSettings settings) {
  winsize size{};
  if (isatty(STDIN_FILENO) != 1 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) {
    throw std::runtime_error(settings.say(Text::tmux_no_terminal, {"--tmux"}));
  }
  if (!has_room(size, settings.count + 1)) {
    throw std::runtime_error(settings.say(Text::tmux_too_small));
  }
  std::string& directory = settings.nodes.node.directory;
  std::string& trace = settings.nodes.trace;
  directory = fs::absolute(directory);
  settings.program = fs::absolute(settings.program);
  if (!trace.empty()) trace = fs::absolute(trace);
  // For the commands typed there as well.
  setenv("BULLY_DIR", directory.c_str(), 1);
  setenv("BULLY_TRACE", trace.c_str(), 1);
  setenv("TMUX", "", 1);

  const Guard guard;
  open_directory(settings, guard);
  const std::string socket = guard.make_directory(temporary_directory() + "/bully.") + "/tmux";
  guard.outlive_exec();
  become_program(tmux_words(settings, socket, trace.empty() ? Words{} : Words{"--trace=" + trace}));
  throw std::runtime_error(settings.say(Text::tmux_missing));
}

}  // namespace

int run_cluster_or_demo(Options& options, bool demo) {
  ClusterSettings settings;
  std::vector<std::string> counts;  // none or one
  bool watch = false;
  bool tmux = false;
  std::string save = standard_script;
  options.arguments(Text::help_count_argument, counts, 1);
  options.group(Text::help_cluster_options);
  options.flag("--demo", demo, Text::option_demo);
  options.flag("--ids", settings.ids, Text::option_ids);
  options.flag("--watch", watch, Text::option_cluster_watch);
  options.flag("--hold", settings.hold, Text::option_cluster_hold);
  options.file("--save", save, Text::option_save);
  options.flag("--tmux", tmux, Text::option_tmux);
  settings.nodes.declare(options);
  settings.invocation = options.read();

  const Invocation& invocation = settings.invocation;
  if (settings.nodes.version_wanted) return show_version();
  settings.program = own_program(invocation.program);
  if (!counts.empty()) settings.count = parse_id(counts[0]).value_or(0);
  if (settings.count < 1 || settings.count > max_count) {
    invocation.fail(Text::usage_not_a_count, {counts[0], max_count});
  }
  // Of a variant, or an order of one's own, the script of --hold would know nothing.
  for (const char* name : {"--demo", "--tmux", "--protocol", "--ring"}) {
    const bool is_given = invocation.gives(name) || (demo && name == std::string_view("--demo"));
    if (settings.hold && is_given) invocation.fail(Text::usage_not_together, {"--hold", name});
  }
  if (settings.hold && !watch) invocation.fail(Text::usage_needs_option, {"--hold", "--watch"});
  check_hold_options(settings.hold, invocation);
  if (demo && settings.count < 2) invocation.fail(Text::usage_demo_count, {"--demo"});
  try {
    if (demo) return play_demo(settings);
    if (tmux) return run_in_tmux(settings);
    return watch ? run_watched(settings) : run_in_terminal(settings);
  } catch (const NodeFailed& failed) {
    return failed.status;
  } catch (const Interrupted& interrupted) {
    // Ctrl-C is how a cluster is meant to end.
    const bool is_meant = interrupted.signal == SIGINT && !demo && !tmux;
    return is_meant ? exit_ok : exit_by_signal + interrupted.signal;
  }
}

Directory open_directory(const ClusterSettings& settings, const Guard& guard) {
  Directory directory(settings.nodes.node.directory, true);
  directory.sweep_up_to_a_live_one();
  guard.sweep_directory(directory.path());
  return directory;
}

pid_t start_node(LocalCluster& cluster, const ClusterSettings& settings,
                 std::vector<std::string> words, std::optional<NodeId> id) {
  if (id) words.push_back(std::to_string(*id));
  const pid_t node = cluster.start(node_words(settings, words));
  const NodeId expected = id.value_or(static_cast<NodeId>(node));
  const Directory directory(settings.nodes.node.directory, true);
  // It replies, and has found its place: it follows a coordinator, itself perhaps.
  const auto takes_part = [&] {
    return query_node(directory.socket_path(expected), expected, reply_patience)
        .coordinator.has_value();
  };
  const bool in_time = cluster.wait_until(
      [&] { return takes_part() || cluster.status_of(node).has_value(); }, start_deadline);
  if (!in_time) {
    const auto seconds = start_deadline / std::chrono::seconds(1);
    throw std::runtime_error(settings.say(Text::cluster_late, {expected, seconds}));
  }
  const auto status = cluster.status_of(node);
  if (!status || *status > exit_by_signal) return node;  // killed: that is what a cluster is for
  if (*status == exit_failed || *status == exit_usage) throw NodeFailed{*status};
  throw std::runtime_error(settings.say(Text::cluster_node_ended, {expected, *status}));
}

}  // namespace bully
