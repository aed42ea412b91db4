// pattern.h: what a text has that is like a pattern, which is a regular expression as ECMAScript
// has them. <regex> takes seconds to compile: so nobody else includes it.
#pragma once

#include <string>
#include <vector>

namespace bully {

// What is like the pattern, and then what is like each of its groups.
using Matched = std::vector<std::string>;

// All of the text is like it; a piece is.
bool matches(const std::string& text, const std::string& pattern);
bool has_match(const std::string& text, const std::string& pattern);
// Each such piece, from the first.
std::vector<Matched> all_matches(const std::string& text, const std::string& pattern);
std::string with_matches_replaced(const std::string& text, const std::string& pattern,
                                  const std::string& by);

}  // namespace bully
