// guard.cc: `bully guard`, which cleans up after a script, however the script ends.
//
// It goes on in the background, as a process of its own session that no signal to the script or its
// terminal reaches. The script's end is the end of the FIFO that it writes to.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "commands/commands.h"
#include "commands/terminal.h"
#include "node/directory.h"
#include "node/pinned_process.h"
#include "node/pipe.h"
#include "node/setup_error.h"
#include "stage/leftovers.h"
#include "stage/program.h"

namespace bully {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds until_opened(50);
constexpr milliseconds tick(1'000);
constexpr int command_patience_ms = 2'000;

struct GuardCommand {
  pid_t script = 0;
  std::vector<std::string> last_command;  // what it runs in the end
  std::string swept;                      // a directory of nodes
  bool help = false;
};

void declare(Options& options, GuardCommand& command) {
  options.group(Text::help_other_options);
  options.value("--sweep", "DIR", command.swept, Text::option_sweep);
  options.language();
  options.flag("--help", command.help, Text::option_help);
  options.argument([&](const std::string& given) {
    if (command.script != 0) return command.last_command.push_back(given);
    const auto [end, error] =
        std::from_chars(given.data(), given.data() + given.size(), command.script);
    if (error == std::errc() && end == given.data() + given.size() && command.script > 1) return;
    options.fail(Text::usage_not_a_number,
                 {"PID", given, "2", std::to_string(std::numeric_limits<pid_t>::max())});
  });
}

// The names of the dead, below those of the living.
void sweep(const std::string& directory) {
  if (directory.empty()) return;
  try {
    Directory(directory, false).sweep_up_to_a_live_one();
  } catch (const SetupError&) {
    // There is no such directory, and so there are no names.
  }
}

std::string make_private_directory() {
  std::string path = temporary_directory() + "/bully.XXXXXX";
  if (mkdtemp(path.data()) == nullptr) {
    throw SetupError(errno, "mkdtemp " + path, advice_for(errno, Advice::none));
  }
  return path;
}

Descriptor make_fifo(const std::string& path) {
  Descriptor fifo;
  if (mkfifo(path.c_str(), S_IRUSR | S_IWUSR) == 0) {
    fifo = Descriptor(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  }
  if (!fifo) throw SetupError(errno, "mkfifo " + path, advice_for(errno, Advice::none));
  return fifo;
}

void leave_standard_streams() {
  const int nothing = open("/dev/null", O_RDWR);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, fd);
  if (nothing > STDERR_FILENO) close(nothing);
}

// Until the script has ended, and all that it has started in the midst of starting has told us.
void listen(Leftovers& leftovers, const Descriptor& words, const PinnedProcess& script) {
  while (true) {
    if (leftovers.listen(words, leftovers.has_heard() ? tick : until_opened)) continue;
    if (leftovers.has_heard() || script.has_ended()) return;
    poll(nullptr, 0, static_cast<int>(until_opened.count()));  // it is yet to open the FIFO
  }
}

void run_last_command(std::vector<std::string> words, const std::string& directory) {
  if (words.empty()) return;
  const pid_t child = start_program(std::move(words), [&] {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    if (chdir(directory.c_str()) != 0) _exit(exit_failed);
  });
  for (int waited_ms = 0; waitpid(child, nullptr, WNOHANG) == 0; ++waited_ms) {
    if (waited_ms == command_patience_ms) kill(child, SIGKILL);
    poll(nullptr, 0, 1);
  }
}

// It begins when the directory is there, and says so to `starter`.
void stand_guard(const GuardCommand& command, const PinnedProcess& script, Descriptor starter) {
  Leftovers leftovers(getpgrp());  // the script's process group, and that of all it starts
  setsid();
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  raise_descriptor_limit();
  sweep(command.swept);
  const std::string directory = make_private_directory();
  leftovers.add_directory(directory);
  try {
    const Descriptor words = make_fifo(directory + "/guard");
    write_to_stdout(directory + '\n');
    leave_standard_streams();
    if (write(starter.get(), "", 1) == 1) starter.reset();
    listen(leftovers, words, script);
    leftovers.ask_processes_to_leave();
    run_last_command(command.last_command, directory);
    sweep(command.swept);
  } catch (const SetupError&) {
    leftovers.remove_directories();
    throw;
  }
  leftovers.remove_directories();
}

}  // namespace

int run_guard(const Invocation& invocation) {
  GuardCommand command;
  Options options(invocation.language);
  declare(options, command);
  options.parse(invocation.arguments);
  if (command.help) {
    write_to_stdout(
        options.page(text(Text::help_guard_usage, invocation.language), Text::help_guard_intro));
    return exit_ok;
  }
  if (command.script == 0) options.fail(Text::usage_no_pid, {});
  const PinnedProcess script(command.script);
  Pipe begun = make_pipe("from the guard");
  const pid_t guard = fork();
  if (guard < 0) throw SetupError(errno, "fork of the guard", Advice::raise_processes);
  if (guard == 0) {
    begun.read_end.reset();
    stand_guard(command, script, std::move(begun.write_end));
    return exit_ok;
  }
  begun.write_end.reset();
  pollfd waiting{begun.read_end.get(), POLLIN, 0};
  while (poll(&waiting, 1, -1) < 0 && errno == EINTR) {
  }
  char byte = 0;
  return read(begun.read_end.get(), &byte, 1) == 1 ? exit_ok : exit_failed;
}

}  // namespace bully
