// pages.h: a play in portions, one for each step of its script: one after the other at the user's
// pace, by a key, or with a question before each expectation of a lesson.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/commands.h"
#include "sim/step.h"

namespace bully {

class Pages {
 public:
  bool steps = false;                // Enter shows the next one
  bool asks = false;                 // an expectation is guessed before it is shown
  std::chrono::nanoseconds pace{0};  // the pause after each

  // True if the play is shown in portions.
  bool any() const { return steps || asks || pace.count() > 0; }

  // During the play: a step begins, with its text.
  void begin(const Step& step);
  void add(std::string_view text);
  // Shows all portions, on standard output, and reads lines of standard input. Returns when the
  // last was shown, at `q`, or at the end of the input.
  void show(const Invocation& invocation) const;

 private:
  struct Page {
    std::string text;
    std::optional<Step> asked = {};  // the expectation of the question
  };
  std::vector<Page> pages_ = {{}};
};

}  // namespace bully
