// watch_session.cc: `bully watch`: a look at the nodes again and again, and the keys between the
// looks.
#include "terminal/watch_session.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <deque>
#include <tuple>
#include <utility>

#include "base/list.h"
#include "node/beyond_posix.h"
#include "node/peer_process.h"
#include "node/system.h"
#include "stage/local_cluster.h"
#include "stage/trace_file.h"
#include "terminal/hold_session.h"
#include "terminal/output.h"
#include "terminal/screen.h"
#include "terminal/traces.h"
#include "view/errors.h"
#include "view/ps_table.h"

namespace bully {

namespace {

// For each look at all nodes. One replies within microseconds. Short, because keys wait for it.
constexpr auto patience = std::chrono::milliseconds(100);
// The time for which the last line shows a key's result.
constexpr auto message_time = std::chrono::seconds(3);
// The pause before looking at a signalled node: before the others detect the change, if possible.
constexpr auto taking_effect = std::chrono::milliseconds(10);

struct SignalKey {
  std::string_view key;
  int signal;
  std::string_view name;
};
constexpr std::array signal_keys = {SignalKey{"K", SIGKILL, "SIGKILL"},
                                    SignalKey{"S", SIGSTOP, "SIGSTOP"},
                                    SignalKey{"C", SIGCONT, "SIGCONT"}};

// The keys of HoldSession whose effect the table shows.
constexpr std::string_view hold_acts = "dxatu/br";

// The switches of keys.
constexpr std::array<std::pair<std::string_view, bool WatchView::*>, 6> view_keys = {
    {{" ", &WatchView::paused},
     {"p", &WatchView::pings},
     {"P", &WatchView::pings},
     {"e", &WatchView::explains},
     {"v", &WatchView::draws},
     {"?", &WatchView::helps}}};

// The number of rows by which a key moves the selection: letters, arrows as terminals send them,
// pages.
std::ptrdiff_t rows_of(std::string_view key) {
  constexpr std::ptrdiff_t page = 10;
  if (key == "k" || key == "\033[A") return -1;
  if (key == "j" || key == "\033[B") return 1;
  if (key == "\033[5~") return -page;
  return key == "\033[6~" ? page : 0;
}

// On a terminal a screen that responds to keys, elsewhere a line for each change.
struct WatchSession {
  const WatchSettings& settings;
  const Invocation& invocation;
  HoldSession* hold;  // the place where messages wait, or null
  bool is_live = Screen::is_possible();
  Watch watch{log_style(invocation), time_of_day(), is_live ? Log::Output() : write_to_stdout};
  std::deque<TraceTail> traces = {};
  // The trace for records of keys' acts on nodes; or empty.
  std::string acts_path = settings.traces.empty() ? "" : settings.traces.front();
  bool has_looked = false;
  std::size_t looks = 0;
  Time message_until{0};
  Time next_look{0};
  // Ends the processes that R has started. It is made before any signal handler.
  std::optional<Guard> started = {};
  std::optional<std::pair<NodeId, PinnedProcess>> restarted = {};  // the latest of these

  // Runs until the user or a signal ends it. Returns the exit status.
  int run() {
    watch.view = settings.view;
    for (const std::string& trace : settings.traces) {
      traces.emplace_back(trace, TraceTail::Missing::await);
    }
    // With messages held, their guard does: a later one would keep the proxies' sockets open.
    if (is_live && hold == nullptr) started.emplace(Guard::Ending::ask);
    SignalPipe signals(is_live ? Screen::signals() : std::vector<int>{SIGQUIT});
    look();  // an error of the directory appears before the screen does
    if (!is_live && !watch.selected()) {
      write_to_stdout(invocation.say(Text::ps_nobody, {watch.view.place}) + '\n');
    }
    std::optional<Screen> screen;
    if (is_live) screen.emplace();
    while (true) {
      if (screen) draw(*screen);
      const bool has_keys = wait_for_something(signals);
      while (const std::optional<int> signal = signals.next()) {
        if (screen && screen->handles(*signal)) continue;
        // Ctrl-C is the intended end.
        return *signal == SIGINT ? exit_ok : exit_by_signal + *signal;
      }
      // After the signals: with Ctrl-C, all nodes of a terminal leave as well.
      if (hold != nullptr) hold->update();
      if (has_keys && !take_keys()) return exit_ok;
      const Time now = monotonic_now();
      if (now >= message_until) watch.view.message.clear();
      if (now >= next_look) look();
      if (output_error() == EPIPE) return exit_by_signal + SIGPIPE;
    }
  }

  // Queries the nodes, reads on in the traces, and updates `watch`. Throws SetupError.
  void look() {
    next_look = monotonic_now() + settings.interval;
    for (int status = 0; is_live && waitpid(-1, &status, WNOHANG) > 0;) {
      const int code = as_shells_say(status);
      if (code > 0 && code < 128) show_message(invocation.say(Text::watch_ended, {code}));
    }
    if (watch.view.paused) return;
    std::vector<Record> records;
    std::vector<NodeId> unasked = read_on(records);
    std::vector<NodeStatus> peers;
    if (const auto directory = Directory::existing(watch.view.place)) {
      const bool ask_silent = looks++ % ask_silent_each == 0;
      const auto silent = ask_silent ? std::vector<NodeId>{} : watch.silent();
      unasked.insert(unasked.end(), silent.begin(), silent.end());
      peers = query_status(*directory, patience, unasked);
    }
    if (hold != nullptr) hold->take_look(peers);
    // After the statuses: so a node that has left has recorded that.
    read_on(records);
    if (hold != nullptr) hold->take_lost(records);
    watch.update(peers, std::move(records), monotonic_now().count());
    const std::string left = names_of_dead(peers);
    if (!std::exchange(has_looked, true) && !left.empty()) {
      watch.note_once(Text::names_left, left);
    }
    for (const TraceTail& trace : traces) {
      if (!trace.is_there()) watch.note_once(Text::watch_awaits, trace.path());
      if (!trace.damage()) continue;
      watch.note_once(Text::watch_skips, words_of(*trace.damage(), invocation.language));
    }
  }

  // Adds what the traces have now. Returns the processes known only from a recorder.
  std::vector<NodeId> read_on(std::vector<Record>& records) {
    std::vector<Record> news;
    for (TraceTail& trace : traces) std::ranges::move(trace.next(), std::back_inserter(news));
    records.insert(records.end(), news.begin(), news.end());
    return watch.meet_observed(news);
  }

  void draw(Screen& screen) {
    std::tie(watch.view.rows, watch.view.columns) = Screen::size();
    if (hold != nullptr) watch.view.held = hold->view();
    screen.show(watch.screen());
  }

  // Sleeps until the next look, a signal, a key, or a message. True if there is a key.
  bool wait_for_something(const SignalPipe& signals) const {
    std::vector<pollfd> polled = {{signals.fd(), POLLIN, 0},
                                  {is_live ? STDIN_FILENO : -1, POLLIN, 0}};
    if (hold != nullptr) {
      hold->serve(polled, next_look);
    } else {
      poll_for(polled, poll_timeout(next_look, monotonic_now()));
    }
    return polled[1].revents != 0;
  }

  // False at the end: by a key, or because the terminal is gone.
  bool take_keys() {
    const auto keys = Screen::keys();
    if (!keys) return false;
    for (const std::string& key : *keys) {
      if (key == "q" || key == "Q") return false;
      watch.view.message.clear();
      if (key == "v" || key == "e") watch.view.helps = false;
      for (const auto& [switch_key, shown] : view_keys) {
        if (key == switch_key) watch.view.*shown = !(watch.view.*shown);
      }
      if (key == "R") restart_selected();
      watch.move_selection(rows_of(key));
      for (const SignalKey& signal : signal_keys) {
        if (signal.key == key) signal_selected(signal);
      }
      if (hold == nullptr) continue;
      if (key == "t" || key == "u" || key == "/") watch.keep_selection();
      if (hold_acts.find(key) != std::string_view::npos) watch.view.paused = false;
      const auto start = [this](NodeId id, const Algorithm& algorithm) {
        start_node(id, &algorithm, true);
      };
      show_message(hold->take_key(key, watch.selected_status(), start));
      if (key == "b") next_look = monotonic_now();
    }
    return true;
  }

  // Shows the words in the last line, for a while.
  void show_message(std::string words) {
    if (words.empty()) return;
    message_until = monotonic_now() + message_time;
    watch.view.message = std::move(words);
  }

  // As a child of this process, which ends with it.
  void restart_selected() {
    const std::optional<NodeStatus> node = watch.selected_status();
    if (!node) return;
    watch.keep_selection();
    // The screen is as old as the last look, and a process that has just been started may not
    // reply.
    const auto directory = Directory::existing(watch.view.place);
    const bool is_starting =
        restarted && restarted->first == node->id && !restarted->second.has_ended();
    if (is_starting || (directory && query_node(*directory, node->id, reply_patience).is_alive())) {
      return show_message(invocation.say(Text::watch_not_gone, {node->id}));
    }
    // Of rules outside, a node tells name and version; the option names their program.
    const Algorithm* algorithm = find_algorithm(node->algorithm);
    const bool is_named = std::ranges::any_of(settings.starting, [](const std::string& option) {
      return option.starts_with("--algorithm=");
    });
    const bool has_rules = algorithm != nullptr || (is_named && !node->algorithm.empty());
    if (!has_rules || node->observed) {
      return show_message(invocation.say(Text::watch_not_restarted, {node->id}));
    }
    watch.view.paused = false;
    try {
      start_node(node->id, algorithm, node->controlled.has_value());
    } catch (const SetupError& failed) {
      return show_message(error_words(failed, invocation.language));
    }
    if (hold != nullptr) hold->on_starting(node->id);
    show_message(invocation.say(Text::watch_restarted, {node->id}));
  }

  // `algorithm` may be null.
  void start_node(NodeId id, const Algorithm* algorithm, bool is_controlled) {
    std::vector<std::string> words = {own_program(invocation.program), std::to_string(id),
                                      "--quiet", "--dir=" + watch.view.place};
    if (algorithm != nullptr) {
      words.push_back("--algorithm=" + std::string(algorithm->option_value()));
    }
    if (is_controlled) words.emplace_back("--controlled");
    if (!acts_path.empty()) words.push_back("--trace=" + acts_path);
    words.insert(words.end(), settings.starting.begin(), settings.starting.end());
    const Guard& guard = hold != nullptr ? hold->guard() : *started;
    const pid_t process = guard.start(std::move(words), [] {
      use_null_device({STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO});
    });
    restarted.emplace(id, PinnedProcess(process));
  }

  // The controlled processes that would suspect it.
  static std::string watchers_of(NodeId id, const Directory& directory) {
    const auto watches = [id](const NodeStatus& peer) {
      return peer.controlled && peer.controlled->watched == id;
    };
    return joined(list_of(query_status(directory, patience), watches, &NodeStatus::id), ", ");
  }

  void signal_selected(const SignalKey& wanted) {
    const std::optional<NodeId> id = watch.selected();
    if (!id) return;
    watch.keep_selection();
    watch.view.paused = false;
    if (hold != nullptr) hold->handle_observations();
    const auto directory = Directory::existing(watch.view.place);
    // As long as bully kill: on a busy machine a refusal would surprise more than a wait.
    const auto found =
        directory ? identify(*directory, {*id}, reply_patience) : std::vector<Asked>(1);
    const Asked& asked = found.front();
    if (!asked.process) {
      const auto why = words_of(asked.refused, *id, watch.view.place, invocation.language);
      return show_message(invocation.say(Text::watch_refused, {why}));
    }
    if (wanted.signal == SIGCONT && !asked.may_be_stopped()) {
      return show_message(invocation.say(Text::kill_not_stopped, {*id}));
    }
    const std::string pid = std::to_string(asked.process->pid());
    std::string words = invocation.say(Text::watch_signalled, {wanted.name, *id, pid});
    try {
      // Opened no earlier: watching alone needs no permission to write it.
      // A recorder writes an end, and no other act.
      const bool is_recorded = wanted.signal == SIGKILL && watch.selected_status()->observed;
      std::optional<TraceFile> acts = is_recorded ? std::nullopt : open_trace(acts_path);
      const auto act = [&] { return asked.act_on(wanted.signal, acts ? &*acts : nullptr); };
      if (const int error = hold ? hold->signal(*id, wanted.signal, act) : act()) {
        return show_message(
            invocation.say(Text::watch_not_signalled,
                           {wanted.name, *id, error_words(error, invocation.language)}));
      }
      if (const int damage = acts ? acts->error() : 0) {
        words = invocation.say(Text::log_trace_ended, {error_words(damage, invocation.language)});
      }
    } catch (const SetupError& failed) {
      const auto why = error_words(failed, invocation.language);
      return show_message(invocation.say(Text::watch_refused, {why}));
    }
    const std::string watchers =
        hold && wanted.signal == SIGKILL ? watchers_of(*id, *directory) : "";
    if (!watchers.empty()) words = invocation.say(Text::hold_killed, {words, watchers, *id});
    show_message(std::move(words));
    next_look = monotonic_now() + taking_effect;
    looks = 0;  // silent ones are asked as well
  }
};

}  // namespace

int run_watch(const WatchSettings& settings, const Invocation& invocation, HoldSession* hold) {
  return WatchSession{settings, invocation, hold}.run();
}

}  // namespace bully
