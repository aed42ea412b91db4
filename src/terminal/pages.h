// pages.h: a play step by step, by a key, or with a question before each expectation.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/invocation.h"
#include "values/step.h"

namespace bully {

// A play in portions, one for each step of its script: by a key, or with a question before each
// expectation of a lesson.
class Pages {
 public:
  bool steps = false;  // Enter shows the next one
  bool asks = false;   // an expectation is guessed before it is shown

  // True if the play is shown in portions.
  bool any() const { return steps || asks; }

  // During the play: a step begins, with its text.
  void begin(const Step& step);
  void add(std::string_view text) { pages_.back().text += text; }

  // Shows all portions, and reads lines of standard input. Returns when the last was shown, at `q`,
  // or at the end of the input.
  void show(const Invocation& invocation) const;

 private:
  struct Page {
    std::string text;
    std::optional<Step> asked = {};  // the expectation of the question
  };
  std::vector<Page> pages_ = {{}};
};

}  // namespace bully
