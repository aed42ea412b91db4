#include "node/signals.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace bully {

namespace {

constexpr std::array always_handled = {SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGCONT};

volatile sig_atomic_t pipe_write_end = -1;
volatile sig_atomic_t asked_to_leave = 0;

extern "C" void write_to_pipe(int number) {
  const int saved = errno;
  if (number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT) {
    asked_to_leave = 1;
  }
  const auto byte = static_cast<unsigned char>(number);
  // A full pipe has a signal in it already; and there is nobody to tell of any other failure.
  [[maybe_unused]] const ssize_t written = write(pipe_write_end, &byte, 1);
  errno = saved;
}

void set_handler(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, nullptr);
}

// Whoever started us may have blocked signals, as a program does that waits for them by sigwait(3),
// and an exec keeps that. Then nothing would be heard of a request to leave, or of a child's end.
void unblock_all() {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_UNBLOCK, &all, nullptr);
}

bool is_ignored(int number) {
  struct sigaction present {};
  return sigaction(number, nullptr, &present) == 0 && present.sa_handler == SIG_IGN;
}

}  // namespace

SignalPipe::SignalPipe(std::vector<int> added)
    : pipe_(make_pipe("for signals")), handled_(std::move(added)) {
  handled_.insert(handled_.end(), always_handled.begin(), always_handled.end());
  pipe_write_end = pipe_.write_end.get();
  for (const int number : handled_) {
    if (number != SIGHUP || !is_ignored(SIGHUP)) set_handler(number, write_to_pipe);
  }
  set_handler(SIGPIPE, SIG_IGN);
  unblock_all();
}

SignalPipe::~SignalPipe() {
  for (const int number : handled_) set_handler(number, SIG_DFL);
  pipe_write_end = -1;
}

std::optional<int> SignalPipe::next() {
  unsigned char byte = 0;
  if (read(pipe_.read_end.get(), &byte, 1) != 1) return std::nullopt;
  return byte;
}

bool was_asked_to_leave() {
  return asked_to_leave != 0;
}

void SignalPipe::close_inherited() {
  pipe_write_end = -1;
  pipe_ = {};
}

}  // namespace bully
