#include "commands/pages.h"

#include <poll.h>
#include <unistd.h>

#include <iostream>

#include "commands/terminal.h"
#include "node/system.h"
#include "view/style.h"

namespace bully {

// Reads a line; the user's Enter has already moved a terminal to the next line.
static bool goes_on(std::string& line) {
  const bool is_there = static_cast<bool>(std::getline(std::cin, line));
  if (isatty(STDIN_FILENO) != 1) narrate("\n");
  return is_there && line != "q";
}

void Pages::begin(const Step& step) {
  const bool is_own = step.verb < Verb::say || (asks && step.is_expectation());
  if (!is_own) return;
  pages_.emplace_back();
  if (step.is_expectation()) pages_.back().asked = step;
}

void Pages::add(std::string_view text) {
  pages_.back().text += text;
}

std::string Pages::question(const Step& expected, const Invocation& invocation) {
  const std::string nodes = ranges_of(expected.ids);
  switch (expected.verb) {
    case Verb::expect_messages: {
      std::vector<std::string> types;
      for (const auto& [type, count] : expected.sent) {
        types.push_back(name_of(type, invocation.language));
      }
      if (types.empty()) return invocation.say(Text::ask_messages_all);
      return invocation.say(Text::ask_messages, {joined(types, ", ")});
    }
    case Verb::expect_coordinators: return invocation.say(Text::ask_coordinators);
    case Verb::expect_coordinator:
      return nodes.empty() ? invocation.say(Text::ask_coordinator)
                           : invocation.say(Text::ask_followed, {nodes});
    case Verb::expect_state: return invocation.say(Text::ask_state, {nodes});
    default: return invocation.say(Text::ask_other);
  }
}

void Pages::show(const Invocation& invocation) const {
  std::string line;
  std::size_t at = 0;
  while (at < pages_.size()) {
    const Page& page = pages_[at];
    if (asks && page.asked) {
      narrate("\n  ? " + question(*page.asked, invocation) + ' ');
      if (!goes_on(line)) return;
    }
    narrate(page.text);
    const bool is_last = ++at == pages_.size();
    if (is_last) return;
    if (pace.count() > 0) poll(nullptr, 0, poll_timeout(monotonic_now() + pace, monotonic_now()));
    if (!steps || (asks && pages_[at].asked)) continue;
    narrate("  " + invocation.say(Text::pages_keys) + ' ');
    if (!goes_on(line)) return;
    if (line == "b") at = at > 1 ? at - 2 : 0;
  }
}

}  // namespace bully
