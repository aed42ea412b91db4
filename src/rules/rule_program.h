// rule_program.h: a program outside this one that answers questions, a line each, on its standard
// input and output.
//
// It is in a process group of its own, so that Ctrl-C reaches only us. It ends when its input ends
// and, on Linux, when its parent does; a program that does not end is killed, with its group. What
// it writes to its standard error is shown with its PID. All that it can send us is bounded: the
// time for a line, a line's length, and how much of its errors is shown.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "node/system.h"
#include "values/rules_error.h"

namespace bully {

class RuleProgram {
 public:
  // Longer lines are refused, and never sent.
  static constexpr std::size_t max_line_bytes = std::size_t{256} * 1024;

  // Starts it. `hash_seed` becomes its PYTHONHASHSEED: another seed gives the sets of a Python
  // program another order. Throws RulesError.
  RuleProgram(std::string path, unsigned hash_seed);
  ~RuleProgram();
  RuleProgram(const RuleProgram&) = delete;
  RuleProgram& operator=(const RuleProgram&) = delete;

  // The line that it answers, without its end. Throws RulesError if none comes in time: within ten
  // seconds after the start, which may be a compiler's or a virtual machine's, and then two; and
  // Interrupted for a signal that asks to leave.
  std::string ask(std::string_view question);
  // The same, without waiting: begin(), then go_on() whenever a descriptor is ready or the deadline
  // has passed, until it returns the line. REQUIRES for begin: no question is open.
  void begin(std::string_view question);
  std::optional<std::string> go_on();
  void add_to(std::vector<pollfd>& polled) const;
  Time deadline() const { return deadline_; }

 private:
  void read_answer();
  void show_errors();
  void show_error_line();
  [[noreturn]] void fail(Problem problem) const;
  Problem how_it_ended();

  std::string path_;
  pid_t owner_;  // only the process that started it ends it
  pid_t pid_ = -1;
  Descriptor input_;   // what it reads
  Descriptor output_;  // what it writes
  Descriptor errors_;
  std::string question_;   // that is open; empty: none is
  std::string unsent_;     // of it
  Time deadline_ = never;  // of its answer
  std::string answered_;   // bytes of an answer that is not complete
  std::string error_line_;
  std::size_t shown_bytes_ = 0;
  bool has_answered_ = false;
};

}  // namespace bully
