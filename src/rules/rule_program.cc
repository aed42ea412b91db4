// rule_program.cc: starts the program, talks to it line by line, and reports how it ended.
#include "rules/rule_program.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/text.h"
#include "node/beyond_posix.h"

namespace bully {

namespace {

constexpr Duration first_answer = std::chrono::seconds(10);
constexpr Duration next_answer = std::chrono::seconds(2);
// How long it may take to end after its input has.
constexpr Duration last_words = std::chrono::milliseconds(300);
constexpr std::size_t max_shown_bytes = 10'000;
constexpr std::size_t max_error_line = 1000;
constexpr int exit_no_program = 127;  // as shells say it

// In the child. Returns only by an exec that fails.
void become(const std::string& path, const std::array<int, 3>& standard, unsigned hash_seed,
            pid_t parent) {
  setpgid(0, 0);
  end_with(parent);
  for (int fd = 0; fd < 3; ++fd) {
    dup2(standard[static_cast<std::size_t>(fd)], fd);
    set_blocking(fd);
  }
  for (const int number : {SIGPIPE, SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM}) {
    signal(number, SIG_DFL);
  }
  setenv("PYTHONHASHSEED", std::to_string(hash_seed).c_str(), 1);
  char* const arguments[] = {const_cast<char*>(path.c_str()), nullptr};
  execv(path.c_str(), arguments);
}

// write(2) to a program that may have ended, which would otherwise end this one by SIGPIPE.
ssize_t write_some(const Descriptor& to, std::string_view bytes) {
  struct sigaction ignored {};
  struct sigaction before {};
  ignored.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignored, &before);
  const ssize_t written = write(to.get(), bytes.data(), bytes.size());
  const int error = errno;
  sigaction(SIGPIPE, &before, nullptr);
  errno = error;
  return written;
}

}  // namespace

RuleProgram::RuleProgram(std::string path, unsigned hash_seed)
    : path_(std::move(path)), owner_(getpid()) {
  if (access(path_.c_str(), X_OK) != 0) {
    const bool is_there = errno == EACCES && access(path_.c_str(), F_OK) == 0;
    throw NoRules({is_there ? "rules_not_executable" : "rules_no_program", {}}, path_);
  }
  if (std::filesystem::is_directory(path_)) throw NoRules({"system_is_a_directory", {}}, path_);
  Pipe input = make_pipe("to a program of rules");
  Pipe output = make_pipe("from a program of rules");
  Pipe errors = make_pipe("for a program's errors");
  // How the exec failed; closed by one that succeeds.
  Pipe failed = make_pipe("for a program's start");
  const pid_t child = fork();
  if (child < 0) throw SetupError(errno, "fork for " + path_, Advice::raise_processes);
  if (child == 0) {
    become(path_, {input.read_end.get(), output.write_end.get(), errors.write_end.get()}, hash_seed,
           owner_);
    const int error = errno;
    [[maybe_unused]] const ssize_t told = write(failed.write_end.get(), &error, sizeof error);
    _exit(exit_no_program);
  }
  pid_ = child;
  setpgid(child, child);  // whichever of both is first
  failed.write_end.reset();
  pollfd told{failed.read_end.get(), POLLIN, 0};
  while (poll_for({&told, 1}, poll_timeout(first_answer, Duration(0))) < 0) {
  }
  int error = 0;
  if (read(failed.read_end.get(), &error, sizeof error) == sizeof error) {
    waitpid(std::exchange(pid_, -1), nullptr, 0);
    throw NoRules({no_start_key, {std::to_string(error)}}, path_);
  }
  input_ = std::move(input.write_end);
  output_ = std::move(output.read_end);
  errors_ = std::move(errors.read_end);
}

RuleProgram::~RuleProgram() {
  if (pid_ < 0 || owner_ != getpid()) return;
  // A signal that ended this process now would leave the processes that the program has started.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  input_.reset();
  const PinnedProcess program(pid_);
  program.ends_within(last_words);
  kill(-pid_, SIGKILL);  // with what it has started; it is not reaped yet, so the group is its own
  show_errors();         // now: a live writer could go on without end
  waitpid(pid_, nullptr, 0);
  sigprocmask(SIG_SETMASK, &before, nullptr);
}

std::string RuleProgram::ask(std::string_view question) {
  begin(question);
  std::vector<pollfd> polled;
  while (true) {
    leave_if_asked();
    if (std::optional<std::string> line = go_on()) return *line;
    polled.clear();
    add_to(polled);
    poll_for(polled, poll_timeout(deadline_, monotonic_now()));
  }
}

void RuleProgram::begin(std::string_view question) {
  if (question.size() > max_line_bytes) {
    question_ = question;
    fail({"rules_question_too_long", {std::to_string(question.size())}});
  }
  show_errors();
  read_answer();
  if (!answered_.empty()) fail({"rules_unasked", {}});
  question_ = question;
  unsent_ = question_ + '\n';
  deadline_ = monotonic_now() + (has_answered_ ? next_answer : first_answer);
}

// Writes what is unsent and reads what has come.
std::optional<std::string> RuleProgram::go_on() {
  show_errors();
  if (!unsent_.empty()) {
    const ssize_t written = write_some(input_, unsent_);
    // A program that ended may have answered before.
    if (written < 0 && !would_block()) unsent_.clear();
    if (written > 0) unsent_.erase(0, static_cast<std::size_t>(written));
  }
  read_answer();
  const std::size_t line_end = answered_.find('\n');
  if (line_end == std::string::npos) {
    if (answered_.size() > max_line_bytes) {
      fail({"rules_line_too_long", {std::to_string(max_line_bytes)}});
    }
    if (monotonic_now() < deadline_) return std::nullopt;
    // Processes that it has started may keep its output open.
    if (PinnedProcess(pid_).has_ended()) fail(how_it_ended());
    const Duration patience = has_answered_ ? next_answer : first_answer;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(patience).count();
    fail({answered_.empty() ? "rules_no_line" : "rules_no_end", {std::to_string(seconds)}});
  }
  show_errors();
  std::string line = answered_.substr(0, line_end);
  answered_.erase(0, line_end + 1);
  has_answered_ = true;
  question_.clear();
  deadline_ = never;
  return line;
}

void RuleProgram::add_to(std::vector<pollfd>& polled) const {
  if (question_.empty()) return;
  polled.push_back({output_.get(), POLLIN, 0});
  polled.push_back({errors_.get(), POLLIN, 0});
  if (!unsent_.empty()) polled.push_back({input_.get(), POLLOUT, 0});
}

void RuleProgram::read_answer() {
  while (answered_.size() <= max_line_bytes) {
    const Incoming incoming = read_some(output_, answered_);
    if (incoming == Incoming::nothing) return;
    if (incoming != Incoming::some) fail(how_it_ended());
    if (answered_.find('\n') != std::string::npos) return;
  }
}

Problem RuleProgram::how_it_ended() {
  const PinnedProcess program(pid_);
  if (!program.ends_within(last_words)) return {"rules_closed", {std::to_string(pid_)}};
  show_errors();
  if (!error_line_.empty()) show_error_line();
  int status = 0;
  const pid_t ended = std::exchange(pid_, -1);
  kill(-ended, SIGKILL);
  waitpid(ended, &status, 0);
  if (WIFSIGNALED(status)) {
    return {"rules_killed", {std::to_string(ended), std::to_string(WTERMSIG(status))}};
  }
  return {"rules_exited", {std::to_string(ended), std::to_string(WEXITSTATUS(status))}};
}

// Its standard error, line by line, up to a limit; what comes after that is read and forgotten.
void RuleProgram::show_errors() {
  std::string some;
  Incoming incoming = Incoming::some;
  for (; (incoming = read_some(errors_, some)) == Incoming::some; some.clear()) {
    for (const char c : some) {
      if (c == '\n') {
        show_error_line();
      } else if (error_line_.size() < max_error_line) {
        error_line_ += c;
      }
    }
  }
  if (incoming != Incoming::end) return;
  errors_.reset();  // otherwise poll(2) would report its end again and again
  if (!error_line_.empty()) show_error_line();
}

void RuleProgram::show_error_line() {
  const std::string line = std::exchange(error_line_, "");
  if (shown_bytes_ > max_shown_bytes) return;
  shown_bytes_ += line.size() + 1;
  const std::string shown = path_.substr(path_.rfind('/') + 1) + '[' + std::to_string(pid_) +
                            "]: " + (shown_bytes_ > max_shown_bytes ? "…" : harmless(line)) + '\n';
  [[maybe_unused]] const ssize_t told = write(STDERR_FILENO, shown.data(), shown.size());
}

void RuleProgram::fail(Problem problem) const {
  throw RulesError(std::move(problem), path_, question_, answered_);
}

}  // namespace bully
