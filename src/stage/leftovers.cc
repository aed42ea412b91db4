#include "stage/leftovers.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <system_error>

#include "node/clock.h"

namespace bully {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds until_continued(1'000);  // a process that is stopped cannot obey
constexpr milliseconds until_killed(5'000);
constexpr milliseconds until_given_up(5'000);  // one that sleeps in the kernel outlives SIGKILL
constexpr int look_interval_ms = 5;
constexpr int removals = 20;
constexpr std::size_t few = 64;

}  // namespace

bool Leftovers::listen(const Descriptor& words, milliseconds time) {
  pollfd polled{words.get(), POLLIN, 0};
  poll(&polled, 1, static_cast<int>(time.count()));
  char bytes[4096];
  const ssize_t got = read(words.get(), bytes, sizeof bytes);
  for (ssize_t i = 0; i < got; ++i) {
    if (bytes[i] != '\0') {
      unfinished_ += bytes[i];
      continue;
    }
    take(unfinished_);
    unfinished_.clear();
  }
  // So the PID of one that was reaped is dropped before it can be another's.
  if (got <= 0) forget_the_ended();
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

void Leftovers::take(const std::string& word) {
  has_heard_ = true;
  if (word.starts_with('/')) {
    add_directory(word);
  } else if (word.starts_with('-')) {
    std::erase(directories_, word.substr(1));
  } else {
    take_process(word);
  }
}

void Leftovers::take_process(const std::string& word) {
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), pid);
  if (error != std::errc() || end != word.data() + word.size() || pid <= 1) return;
  // Where words come without a pause.
  if (processes_.size() >= enough_) {
    forget_the_ended();
    enough_ = 2 * processes_.size() + few;
  }
  PinnedProcess process(pid);
  if (process.has_ended() || (group_ && getpgid(pid) != *group_)) return;
  processes_.push_back(std::move(process));
}

void Leftovers::forget_the_ended() {
  std::erase_if(processes_, [](const PinnedProcess& process) { return process.has_ended(); });
}

bool Leftovers::all_end_within(milliseconds time) {
  const Time deadline = monotonic_now() + time;
  while (true) {
    forget_the_ended();
    if (processes_.empty()) return true;
    if (monotonic_now() >= deadline) return false;
    poll(nullptr, 0, look_interval_ms);
  }
}

void Leftovers::ask_processes_to_leave() {
  for (const PinnedProcess& process : processes_) process.signal(SIGTERM);
  if (all_end_within(until_continued)) return;
  for (const PinnedProcess& process : processes_) process.signal(SIGCONT);
  if (!all_end_within(until_killed)) kill_processes();
}

void Leftovers::kill_processes() {
  for (const PinnedProcess& process : processes_) {
    const bool leads = getpgid(process.pid()) == process.pid();
    if (leads && !process.has_ended()) kill(-process.pid(), SIGKILL);
    process.signal(SIGKILL);
  }
  all_end_within(until_given_up);
}

// A process that is ending may still put a name into a directory that is being removed.
void Leftovers::remove_directories() const {
  for (const std::string& directory : directories_) {
    std::error_code ignored;
    for (int i = 0; i < removals; ++i) {
      std::filesystem::remove_all(directory, ignored);
      if (!std::filesystem::exists(std::filesystem::symlink_status(directory, ignored))) break;
      poll(nullptr, 0, look_interval_ms);
    }
  }
}

}  // namespace bully
