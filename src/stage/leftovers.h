// leftovers.h: the processes and directories that a program must not leave behind, and their end.
//
// This is what a guard keeps (guard.h, ../commands/guard.cc). It learns them as words, each ended
// by a NUL: a PID; an absolute path; or a path with a `-` before it, which is no concern any more.
// It signals nobody before end_processes(). Read next: ../node/pinned_process.h.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "node/descriptor.h"
#include "node/pinned_process.h"

namespace bully {

class Leftovers {
 public:
  // With a process group: processes of no other are taken.
  explicit Leftovers(std::optional<pid_t> group = std::nullopt) : group_(group) {}

  void add_directory(const std::string& path) { directories_.push_back(path); }
  // Takes the words that have come, after waiting for some for `time` at most; a shorter time where
  // `words` is at its end. False then: nobody is left who could write one.
  bool listen(const Descriptor& words, std::chrono::milliseconds time);
  // Whether there was any word, and were it an empty one.
  bool has_heard() const { return has_heard_; }

  // SIGTERM, to a process that stays SIGCONT, in the end SIGKILL. Returns when all have ended.
  void ask_processes_to_leave();
  // SIGKILL, to the whole process group of those that lead one.
  void kill_processes();
  void remove_directories() const;

 private:
  void take(const std::string& word);
  void take_process(const std::string& word);
  void forget_the_ended();
  bool all_end_within(std::chrono::milliseconds time);

  std::optional<pid_t> group_;
  bool has_heard_ = false;
  std::string unfinished_;  // the beginning of a word
  std::vector<PinnedProcess> processes_;
  std::size_t enough_ = 0;  // when there are so many, those that have ended are dropped
  std::vector<std::string> directories_;
};

}  // namespace bully
