// examples.h: the bully's rules as outside programs, from which a student starts.
#pragma once

#include <span>
#include <string_view>

namespace bully {

struct RuleExample {
  std::string_view name;
  std::string_view language;  // "py", "js": the end of its file's name
  std::string_view text;
};
// The Makefile writes this function.
std::span<const RuleExample> rule_examples();

}  // namespace bully
