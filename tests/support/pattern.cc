#include "support/pattern.h"

#include <regex>

namespace bully {

bool matches(const std::string& text, const std::string& pattern) {
  return std::regex_match(text, std::regex(pattern));
}

bool has_match(const std::string& text, const std::string& pattern) {
  return std::regex_search(text, std::regex(pattern));
}

std::vector<Matched> all_matches(const std::string& text, const std::string& pattern) {
  const std::regex wanted(pattern);
  std::vector<Matched> all;
  for (std::sregex_iterator it(text.begin(), text.end(), wanted), end; it != end; ++it) {
    all.emplace_back(it->begin(), it->end());
  }
  return all;
}

std::string with_matches_replaced(const std::string& text, const std::string& pattern,
                                  const std::string& by) {
  return std::regex_replace(text, std::regex(pattern), by);
}

}  // namespace bully
