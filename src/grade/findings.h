// findings.h: a fault that a check has found, with its values as texts.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "values/grade.h"

namespace bully {

// The values of a Finding, as texts.
const std::string& text_of(const std::string& text);
std::string text_of(std::integral auto number) {
  return std::to_string(number);
}
std::string text_of(const std::vector<NodeId>& ids);
std::string text_of(Duration time, int places = 1);  // "1.5 s"

template <class... Values>
Finding fault(Diagnosis diagnosis, const Values&... values) {
  return {diagnosis, {text_of(values)...}};
}

// Bytes of a program as a person can read them, the first of them: `C;7\0`.
std::string readable(std::string_view bytes);

}  // namespace bully
