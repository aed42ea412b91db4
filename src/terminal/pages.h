// pages.h: a play step by step, by a key, or with a question before each expectation.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/invocation.h"
#include "values/script_step.h"
#include "view/play_printer.h"

namespace bully {

// A part of a play, and the expectation to guess: on a screen below its text, elsewhere before it.
// The log of the steps before it follows the answer, since it may say it.
struct Page {
  std::string text = {};
  std::optional<Step> asked = {};
  bool is_broken = false;  // the expectation does not hold, so no answer is right
};

// A play in portions. On a terminal each is a paragraph with its log, or a
// picture, and fills the screen; elsewhere each is a step of the script.
class Pages {
 public:
  bool steps = false;  // a key shows the next one
  bool asks = false;   // an expectation is guessed before it is shown

  // True if the play is shown in portions.
  bool any() const { return steps || asks; }

  // Before the play: collects its text. This object outlives it.
  void take(PlayStyle& style);
  // Shows all portions, and reads keys, or lines of standard input. Returns at the end, or when it
  // is asked to; false if no further lesson should follow. Throws Interrupted, SetupError.
  bool show(const Invocation& invocation, bool is_last);

 private:
  void begin(const Step& step);
  void add(std::string_view text);
  void show_effects();
  bool show_lines(const Invocation& invocation) const;

  bool fills_screen_ = false;
  std::vector<Page> pages_ = {{}};
  std::string effects_;  // the log since the last text, not shown yet
};

// "✓ right: 3": the answer's verdict; nothing if it is no answer.
std::optional<std::string> verdict_on(std::string_view answer, const Page& page,
                                      const Invocation& invocation);

}  // namespace bully
