#include "support/scratch.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>

#include "stage/local_cluster.h"

namespace bully {

namespace {

std::unique_ptr<Guard> guard;

// In the child, before fork returns there: so no test can forget it.
void guard_this_child() {
  if (!guard) return;
  guard->add_this_process();
  guard->close_inherited();
}

void refuse_to_fork() {
  std::printf("0 passed, 0 failed, 1 skipped: starts a process\n");
  std::fflush(stdout);
  _exit(0);
}

}  // namespace

void guard_this_program() {
  const bool is_first = guard == nullptr;
  guard = std::make_unique<Guard>();
  if (!is_first) return;
  const bool may_fork = std::getenv(no_processes_variable) == nullptr;
  const int error = pthread_atfork(may_fork ? nullptr : refuse_to_fork, nullptr, guard_this_child);
  if (error != 0) throw std::system_error(error, std::generic_category(), "pthread_atfork");
}

Scratch::Scratch(const std::string& name)
    : path_(guard->make_directory(temporary_directory() + '/' + name + '.')) {
  // The library's own sending may meet a node that has just died.
  signal(SIGPIPE, SIG_IGN);
}

Scratch::~Scratch() {
  if (is_kept_) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  guard->forget_directory(path_);
}

void Scratch::keep() {
  is_kept_ = true;
  guard->forget_directory(path_);
}

}  // namespace bully
