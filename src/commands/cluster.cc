// cluster.cc: `bully cluster`, several nodes that start together and end together: in this
// terminal, behind `bully watch`, or each in a pane of tmux. run_cluster.sh runs it.
#include "commands/cluster.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "commands/hold.h"
#include "node/peer_process.h"
#include "node/registry.h"

namespace bully {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr std::size_t max_count = 200;  // a larger number is a typing mistake
constexpr Duration start_deadline = std::chrono::seconds(10);

// The given options for nodes, without the cluster's own and without the places of the directory
// and the trace.
Words node_options(const ClusterSettings& settings) {
  Words options = settings.invocation.given_of(
      {"--demo", "--ids", "--watch", "--tmux", "--hold", "--save", "--dir", "--trace"}, true);
  if (settings.demo) {
    std::erase_if(options, [](const auto& option) { return option.starts_with("--pace"); });
  }
  return options;
}

Words node_words(const ClusterSettings& settings, const Words& more) {
  Words words = node_options(settings);
  words.insert(words.begin(), settings.program);
  words.push_back("--dir=" + settings.nodes.node.directory);
  if (!settings.nodes.trace.empty()) words.push_back("--trace=" + settings.nodes.trace);
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// The word in a form that a shell takes.
std::string typed(const std::string& word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=,:+@%-";
  return word.find_first_not_of(plain) == std::string::npos ? word : in_quotes(word);
}

std::string banner(const ClusterSettings& settings) {
  const std::string& directory = settings.nodes.node.directory;
  const std::string& path = settings.nodes.trace;
  const std::string place = directory == standard_directory ? "" : " --dir=" + typed(directory);
  const std::string trace = path.empty() ? "" : " --trace=" + typed(path);
  std::string joining = "./bully";
  const Algorithm* algorithm = settings.nodes.algorithm;
  if (algorithm != &default_algorithm())
    joining.append(" --algorithm=").append(algorithm->option_value());
  return '\n' +
         settings.say(Text::cluster_banner,
                      {settings.count, directory, "./kill_node.sh" + place + trace,
                       joining + place + trace, "./bully ps" + place}) +
         "\n\n";
}

// Starts each node when the one before takes part: so the log can be read from the top, and a
// problem with the trace is reported only once.
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

// The nodes are silent, and record everything in a trace; `bully watch` shows it. It is a process
// of the cluster, so it restores the terminal even if this process is killed.
int run_watched(ClusterSettings settings) {
  LocalCluster cluster;
  std::string& trace = settings.nodes.trace;
  if (trace.empty()) trace = cluster.private_directory() + "/trace";
  Words node_words = {"--quiet"};
  if (settings.hold) node_words.emplace_back("--by-hand");
  start_all(cluster, settings, node_words);
  Words words = {settings.program, "watch", "--trace=" + trace,
                 "--dir=" + settings.nodes.node.directory};
  const Words more =
      settings.invocation.given_of({"--algorithm", "--hold", "--save", "--color", "--lang"});
  words.insert(words.end(), more.begin(), more.end());
  // The options with which R starts a process.
  if (!settings.hold) {
    const Words starting = node_options(settings);
    words.emplace_back("--");
    words.insert(words.end(), starting.begin(), starting.end());
  }
  const pid_t watch = cluster.start(std::move(words));
  cluster.wait_until([&] { return cluster.status_of(watch).has_value(); }, never);
  return *cluster.status_of(watch);
}

// Each pane of tmux has the user's shell, in which Ctrl-Z and fg have their usual effect. The first
// pane lists the commands to type, no wider than the pane.
constexpr const char* shell = R"(exec "${SHELL:-/bin/sh}")";
constexpr const char* commands_pane = R"sh(
printf '%s\n' "$1" | fold -s -w "$(stty size </dev/tty | cut -d ' ' -f 2)"
exec "${SHELL:-/bin/sh}")sh";
// SOCKET COMMAND...: types a command into each of the other panes, as soon as its shell has written
// its prompt (or after five seconds without anything like a prompt).
constexpr const char* typing = R"sh(
socket=$1; shift; pane=0
type_it() {
  pane=$1; command=$2; looks=0
  while [ "$(tmux -S "$socket" display-message -p -t "bully:.$pane" '#{cursor_x}')" = 0 ] &&
        [ $((looks += 1)) -lt 100 ]; do sleep 0.05; done
  tmux -S "$socket" send-keys -t "bully:.$pane" -l -- "$command"
  tmux -S "$socket" send-keys -t "bully:.$pane" Enter
}
for command; do
  pane=$((pane + 1))
  type_it "$pane" "$command" &
done)sh";

// True if tmux can tile a terminal of this size: it needs a border, and two lines to split.
bool has_room(const winsize& size, std::size_t panes) {
  std::size_t rows = 1;
  std::size_t columns = 1;
  while (rows * columns < panes) rows <= columns ? ++rows : ++columns;
  return size.ws_row / rows >= 4 && size.ws_col / columns >= 4;
}

// The command typed into each pane; the directory and the trace are in its environment.
std::string typed_node(const ClusterSettings& settings, std::size_t number) {
  Words words = {"./" + fs::path(settings.program).filename().string()};
  if (settings.ids) words.push_back(std::to_string(number));
  const Words options = node_options(settings);
  words.insert(words.end(), options.begin(), options.end());
  return joined(words, " ", typed);
}

// The command for tmux, with a private server at `socket`.
Words tmux_words(const ClusterSettings& settings, const std::string& socket) {
  const std::string here = fs::path(settings.program).parent_path();
  Words tmux = {"tmux", "-u", "-f", "/dev/null", "-S", socket};
  const auto add = [&tmux](const Words& words) {
    for (std::string word : words) {
      // A word that ends with a semicolon would be the last of its command.
      if (word.ends_with(';')) word.replace(word.size() - 1, 1, "\\;");
      tmux.push_back(std::move(word));
    }
    tmux.emplace_back(";");
  };
  add({"new-session", "-s", "bully", "-c", here, "cat"});
  add({"set-option", "-g", "exit-unattached", "on"});
  add({"set-option", "-g", "mouse", "on"});
  add({"set-option", "-g", "status-right", settings.say(Text::tmux_status)});
  add({"set-option", "-g", "status-right-length", "40"});
  Words type = {"sh", "-c", typing, "sh", socket};
  for (std::size_t i = 0; i < settings.count; ++i) {
    add({"split-window", "-c", here, shell});
    add({"select-layout", "tiled"});
    type.push_back(typed_node(settings, i + 1));
  }
  // For when the panes have their final size.
  add({"respawn-pane", "-k", "-c", here, "-t", "bully:.0", "sh", "-c", commands_pane, "sh",
       settings.say(Text::tmux_commands)});
  std::string command = joined(type, " ", in_quotes);
  // tmux would replace a "#" and the text behind it.
  for (std::size_t at = 0; (at = command.find('#', at)) != std::string::npos; at += 2) {
    command.insert(at, "#");
  }
  add({"run-shell", "-b", command});
  add({"select-pane", "-t", "bully:.0"});
  tmux.pop_back();
  return tmux;
}

// This process becomes the client of a private server: the user's other sessions and settings stay
// untouched. That server ends with its client, however that ends; the nodes then get SIGHUP, and
// leave.
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
  setenv("BULLY_DIR", directory.c_str(), 1);
  setenv("BULLY_TRACE", trace.c_str(), 1);
  setenv("TMUX", "", 1);

  const Guard guard;
  open_directory(settings, guard);
  const std::string socket = guard.make_directory(temporary_directory() + "/bully.") + "/tmux";
  guard.outlive_exec();
  become_program(tmux_words(settings, socket));
  throw std::runtime_error(settings.say(Text::tmux_missing));
}

template <bool is_demo>
struct ClusterCommand : Subcommand {
  ClusterCommand() { settings.demo = is_demo; }

  void declare(Options& options) override {
    options.arguments(Text::help_count_argument, counts, 1);
    options.group(Text::help_cluster_options);
    options.flag("--demo", settings.demo, Text::option_demo);
    options.flag("--ids", settings.ids, Text::option_ids);
    options.flag("--watch", watch, Text::option_cluster_watch);
    options.flag("--hold", settings.hold, Text::option_cluster_hold);
    options.file("--save", save, Text::option_save);
    options.flag("--tmux", tmux, Text::option_tmux);
    settings.nodes.declare(options);
  }

  int run(const Invocation& invocation) override {
    settings.invocation = invocation;
    settings.program = own_program(invocation.program);
    if (!counts.empty()) settings.count = parse_id(counts[0]).value_or(0);
    if (settings.count < 1 || settings.count > max_count) {
      invocation.fail(Text::usage_not_a_count, {counts[0], max_count});
    }
    if (settings.demo && watch) invocation.fail(Text::usage_not_together, {"--demo", "--watch"});
    // The script of --hold does not support a variant, or a ring's order.
    for (const char* name : {"--demo", "--tmux", "--protocol", "--ring"}) {
      const bool is_given =
          invocation.gives(name) || (settings.demo && name == std::string_view("--demo"));
      if (settings.hold && is_given) invocation.fail(Text::usage_not_together, {"--hold", name});
    }
    if (settings.hold && !watch) invocation.fail(Text::usage_needs_option, {"--hold", "--watch"});
    check_hold_options(settings.hold, invocation);
    if (settings.demo && settings.count < 2) invocation.fail(Text::usage_demo_count, {"--demo"});
    try {
      if (settings.demo) return play_demo(settings);
      if (tmux) return run_in_tmux(settings);
      return watch ? run_watched(settings) : run_in_terminal(settings);
    } catch (const NodeFailed& failed) {
      return failed.status;
    } catch (const Interrupted& interrupted) {
      // Ctrl-C is the intended end of a cluster.
      const bool is_meant = interrupted.signal == SIGINT && !settings.demo && !tmux;
      return is_meant ? exit_ok : exit_by_signal + interrupted.signal;
    }
  }

  ClusterSettings settings;
  std::vector<std::string> counts;  // none or one
  bool watch = false;
  bool tmux = false;
  std::string save = standard_script;
};

}  // namespace

const CommandKind cluster_command = {"cluster", Text::command_cluster, Text::help_cluster_intro,
                                     make_command<ClusterCommand<false>>, Text::help_cluster_exit};
const CommandKind demo_command = {"demo", Text::command_demo, Text::help_cluster_intro,
                                  make_command<ClusterCommand<true>>, Text::help_cluster_exit};

Directory open_directory(const ClusterSettings& settings, const Guard& guard) {
  Directory directory(settings.nodes.node.directory, true);
  Registry(directory.path(), false).sweep_up_to_a_live_one();
  guard.sweep_directory(directory.path());
  return directory;
}

pid_t start_node(LocalCluster& cluster, const ClusterSettings& settings,
                 std::vector<std::string> words, std::optional<NodeId> id) {
  if (id) words.push_back(std::to_string(*id));
  const pid_t node = cluster.start(node_words(settings, words));
  const NodeId expected = id.value_or(static_cast<NodeId>(node));
  const Directory directory(settings.nodes.node.directory, true);
  // It replies and follows a coordinator, perhaps itself.
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
  if (!status || *status > exit_by_signal) return node;  // killed: a cluster is meant for that
  if (*status == exit_failed || *status == exit_usage) throw NodeFailed{*status};
  throw std::runtime_error(settings.say(Text::cluster_node_ended, {expected, *status}));
}

}  // namespace bully
