// watch.cc: `bully watch`, the cluster live in one terminal.
#include "view/watch.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "commands/commands.h"
#include "commands/refusal.h"
#include "commands/screen.h"
#include "commands/terminal.h"
#include "node/peer_process.h"
#include "node/query.h"
#include "node/setup_error.h"
#include "node/signals.h"
#include "stage/trace_tail.h"

namespace bully {

namespace {

// A node replies within microseconds. So short, because keys wait for it.
constexpr auto patience = std::chrono::milliseconds(100);
// A node that is silent is asked each so many times only.
constexpr std::size_t ask_silent_each = 4;
// For how long the last line says what a key has done.
constexpr auto said_for = std::chrono::seconds(3);
// A node that was signalled is looked at so soon: before the others find out, if they can be
// beaten.
constexpr auto taking_effect = std::chrono::milliseconds(10);
constexpr std::ptrdiff_t page_rows = 10;

struct WatchCommand {
  std::string directory = default_directory();
  std::vector<std::string> traces;
  std::chrono::nanoseconds interval = std::chrono::milliseconds(250);
  std::size_t color = 0;
  bool pings = false;
  bool help = false;
};

void declare(Options& options, WatchCommand& command) {
  options.group(Text::help_output_options);
  options.value("--dir", "DIR", command.directory, Text::option_dir);
  options.values("--trace", "FILE", command.traces, Text::option_watch_trace);
  options.flag("--pings", command.pings, Text::option_watch_pings);
  options.duration("--interval", command.interval, std::chrono::milliseconds(10),
                   Text::option_interval);
  options.language();
  options.choice("--color", {"auto", "always", "never"}, command.color, Text::option_color);
  options.group(Text::help_other_options);
  options.flag("--help", command.help, Text::option_help);
}

// Where all that is shown comes from.
class Source {
 public:
  explicit Source(const WatchCommand& command) : path_(command.directory) {
    for (const std::string& trace : command.traces) traces_.emplace_back(trace);
  }

  // Asks the nodes, reads on in the traces, and tells `watch`. Throws SetupError.
  void look(Watch& watch, bool ask_all) {
    const bool ask_silent = ask_all || looks_++ % ask_silent_each == 0;
    const std::vector<PeerStatus> peers = ask(ask_silent ? std::vector<NodeId>{} : watch.silent());
    std::vector<Record> records;
    for (Followed& trace : traces_) {
      const std::vector<Record> read = trace.tail.next();
      records.insert(records.end(), read.begin(), read.end());
    }
    watch.update(peers, std::move(records), monotonic_now().count());
    for (Followed& trace : traces_) {
      if (trace.tail.damage().empty() || std::exchange(trace.is_damage_told, true)) continue;
      watch.tell_damage(monotonic_now().count(), trace.tail.damage());
    }
  }

  // The process of this node, as it is now.
  std::variant<PeerProcess, Refused> find(NodeId id) const {
    if (!directory_) return Refused{Refused::Why::unknown};
    return identify(*directory_, id, patience);
  }

 private:
  struct Followed {
    explicit Followed(const std::string& path) : tail(path) {}
    TraceTail tail;
    bool is_damage_told = false;
  };

  // No directory, no nodes: whoever watches may come before them.
  std::vector<PeerStatus> ask(const std::vector<NodeId>& unasked) {
    try {
      if (!directory_) directory_.emplace(path_, false);
    } catch (const SetupError& error) {
      if (error.code().value() == ENOENT) return {};
      throw;
    }
    if (access(path_.c_str(), F_OK) != 0) {
      directory_.reset();  // it may be made again
      return {};
    }
    return query_status(*directory_, patience, unasked);
  }

  std::string path_;
  std::optional<Directory> directory_;
  std::vector<Followed> traces_;
  std::size_t looks_ = 0;
};

// Sleeps until `deadline`, a signal, or a key (where `keys` says so). True where there is a key.
bool wait_for_something(const SignalPipe& signals, bool keys, Time deadline) {
  std::array<pollfd, 2> polled = {
      {{signals.fd(), POLLIN, 0}, {keys ? STDIN_FILENO : -1, POLLIN, 0}}};
  poll(polled.data(), polled.size(), poll_timeout(deadline, monotonic_now()));
  return polled[1].revents != 0;
}

int exit_status_of(int signal) {
  return signal == SIGINT ? exit_ok : exit_by_signal + signal;  // Ctrl-C is how it is meant to end
}

// A line for each change, until a signal.
int run_plain(const WatchCommand& command, LogStyle style) {
  Source source(command);
  Watch watch(style, time_of_day(), write_to_stdout);
  watch.tell_pings(command.pings);
  SignalPipe signals({SIGQUIT});
  source.look(watch, true);
  if (!watch.selected()) {
    write_to_stdout(text(Text::ps_nobody, style.language, {command.directory}) + '\n');
  }
  while (true) {
    const Time next = monotonic_now() + command.interval;
    while (monotonic_now() < next) {
      wait_for_something(signals, false, next);
      while (const std::optional<int> signal = signals.next()) {
        if (*signal != SIGCHLD && *signal != SIGCONT) return exit_status_of(*signal);
      }
    }
    source.look(watch, false);
  }
}

class LiveScreen {
 public:
  LiveScreen(const WatchCommand& command, LogStyle style)
      : command_(command),
        language_(style.language),
        source_(command),
        watch_(style, time_of_day()) {
    view_.place = command.directory;
    view_.pings = command.pings;
    watch_.tell_pings(command.pings);
  }

  // Until the user or a signal ends it. Returns the exit status.
  int run() {
    source_.look(watch_, true);  // what is wrong with the directory is said before the screen goes
    SignalPipe signals({SIGWINCH, SIGQUIT, SIGTSTP});
    Screen screen;
    next_look_ = monotonic_now() + command_.interval;
    while (true) {
      draw(screen);
      const bool has_keys = wait_for_something(signals, true, next_look_);
      while (const std::optional<int> signal = signals.next()) {
        if (*signal == SIGWINCH) {
          screen.redraw();
        } else if (*signal == SIGCONT) {
          screen.take();
        } else if (*signal != SIGCHLD && *signal != SIGTSTP) {
          return exit_status_of(*signal);
        }
      }
      if (has_keys && !take_keys()) return exit_ok;
      const Time now = monotonic_now();
      if (now >= said_until_) view_.said.clear();
      if (now < next_look_) continue;
      if (!view_.paused) source_.look(watch_, false);
      next_look_ = monotonic_now() + command_.interval;
    }
  }

 private:
  void draw(Screen& screen) {
    const Screen::Size size = Screen::size();
    view_.rows = size.rows;
    view_.columns = size.columns;
    screen.show(watch_.screen(view_));
  }

  // False where it is to end: by a key, or because there is no terminal any more.
  bool take_keys() {
    std::array<char, 256> bytes{};
    const ssize_t got = read(STDIN_FILENO, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) return true;
    if (got <= 0) return false;
    for (const Key key : keys_in({bytes.data(), static_cast<std::size_t>(got)})) {
      if (key == Key::quit) return false;
      press(key);
    }
    return true;
  }

  void press(Key key) {
    switch (key) {
      case Key::quit:
        break;
      case Key::pause:
        view_.paused = !view_.paused;
        break;
      case Key::pings:
        view_.pings = !view_.pings;
        watch_.tell_pings(view_.pings);
        break;
      case Key::up:
        return watch_.move_selection(-1);
      case Key::down:
        return watch_.move_selection(1);
      case Key::page_up:
        return watch_.move_selection(-page_rows);
      case Key::page_down:
        return watch_.move_selection(page_rows);
      case Key::kill_node:
        return signal_selected(SIGKILL, "SIGKILL");
      case Key::stop_node:
        return signal_selected(SIGSTOP, "SIGSTOP");
      case Key::continue_node:
        return signal_selected(SIGCONT, "SIGCONT");
    }
  }

  void signal_selected(int signal, const std::string& name) {
    const std::optional<NodeId> id = watch_.selected();
    if (!id) return;
    view_.paused = false;
    const auto found = source_.find(*id);
    if (const Refused* refused = std::get_if<Refused>(&found)) {
      const std::string why = refusal_words(*refused, *id, command_.directory, language_);
      return say(text(Text::watch_refused, language_, {why}));
    }
    const auto& process = std::get<PeerProcess>(found);
    const std::string node = std::to_string(*id);
    if (const int error = process.signal(signal); error != 0) {
      return say(text(Text::watch_not_signalled, language_, {name, node, std::strerror(error)}));
    }
    say(text(Text::watch_signalled, language_, {name, node, std::to_string(process.pid())}));
    next_look_ = monotonic_now() + taking_effect;
  }

  void say(const std::string& words) {
    view_.said = words;
    said_until_ = monotonic_now() + said_for;
  }

  const WatchCommand& command_;
  Language language_;
  Source source_;
  Watch watch_;
  WatchView view_;
  Time said_until_{0};
  Time next_look_{0};
};

}  // namespace

int run_watch(const Invocation& invocation) {
  const Language language = invocation.language;
  WatchCommand command;
  Options options(language);
  declare(options, command);
  options.parse(invocation.arguments);
  if (command.help) {
    write_to_stdout(options.page("bully watch", Text::help_watch_intro, Text::watch_keys));
    return exit_ok;
  }
  if (command.traces.empty()) {
    const char* trace = std::getenv("BULLY_TRACE");
    if (trace != nullptr && *trace != '\0') command.traces.emplace_back(trace);
  }
  const LogStyle style{language, use_color(command.color)};
  const bool is_live = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
  return is_live ? LiveScreen(command, style).run() : run_plain(command, style);
}

}  // namespace bully
