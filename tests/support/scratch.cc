#include "support/scratch.h"

#include <pthread.h>
#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>

#include "stage/local_cluster.h"

namespace bully {

namespace {

// A path longer than this leaves too little room in a socket's address.
constexpr std::size_t max_base = 60;

std::unique_ptr<Guard> guard;

// In the child, before fork returns there: so no test can forget it.
void guard_this_child() {
  if (!guard) return;
  guard->add_this_process();
  guard->close_inherited();
}

std::string base_directory() {
  const char* named = std::getenv("TMPDIR");
  const std::string base = named != nullptr ? named : "";
  return base.empty() || base.size() > max_base ? "/tmp" : base;
}

}  // namespace

void guard_this_program() {
  guard = std::make_unique<Guard>();
  const int error = pthread_atfork(nullptr, nullptr, guard_this_child);
  if (error != 0) throw std::system_error(error, std::generic_category(), "pthread_atfork");
}

Scratch::Scratch(const std::string& name)
    : path_(guard->make_directory(base_directory() + '/' + name + '.')) {
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
