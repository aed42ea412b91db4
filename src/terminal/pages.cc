// pages.cc: the questions, and the way through the pages.
#include "terminal/pages.h"

#include <unistd.h>

#include <iostream>

#include "base/list.h"
#include "terminal/invocation.h"
#include "terminal/output.h"
#include "words/names.h"

namespace bully {

namespace {

// Reads a line after the prompt; the user's Enter has already moved a terminal to the next line.
// False at `q`, and at the end of the input.
bool goes_on(const std::string& prompt, std::string& line) {
  narrate(prompt + ' ');
  const bool is_there = static_cast<bool>(std::getline(std::cin, line));
  if (isatty(STDIN_FILENO) != 1) narrate("\n");
  return is_there && line != "q";
}

std::string question(const Step& expected, const Invocation& invocation) {
  const std::string nodes = ranges_of(expected.ids);
  switch (expected.verb) {
    case Verb::expect_messages: {
      const std::string types = joined(expected.sent, ", ", [&](const auto& counted) {
        return name_of(counted.first, invocation.language);
      });
      if (types.empty()) return invocation.say(Text::ask_messages_all);
      return invocation.say(Text::ask_messages, {types});
    }
    case Verb::expect_coordinators: return invocation.say(Text::ask_coordinators);
    case Verb::expect_coordinator:
      return nodes.empty() ? invocation.say(Text::ask_coordinator)
                           : invocation.say(Text::ask_followed, {nodes});
    case Verb::expect_state: return invocation.say(Text::ask_state, {nodes});
    default: return invocation.say(Text::ask_other);
  }
}

}  // namespace

void Pages::begin(const Step& step) {
  const bool is_own = step.verb < Verb::say || (asks && step.is_expectation());
  if (!is_own) return;
  pages_.emplace_back();
  if (step.is_expectation()) pages_.back().asked = step;
}

void Pages::show(const Invocation& invocation) const {
  std::string line;
  std::size_t at = 0;
  const auto is_back = [&] { return steps && line == "b"; };
  while (true) {
    const Page& page = pages_[at];
    if (page.asked && !goes_on("\n  ? " + question(*page.asked, invocation), line)) return;
    if (!page.asked || !is_back()) {
      narrate(page.text);
      if (++at == pages_.size()) return;
      if (!steps || pages_[at].asked) continue;
      if (!goes_on("  " + invocation.say(Text::pages_keys), line)) return;
    }
    // Shown again: the page before the latest.
    if (is_back()) at = at > 1 ? at - 2 : 0;
  }
}

}  // namespace bully
