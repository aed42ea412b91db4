// findings.cc: values as text.
#include "grade/findings.h"

#include <array>
#include <cstdio>

#include "base/text.h"

namespace bully {

const std::string& text_of(const std::string& text) {
  return text;
}

std::string text_of(const std::vector<NodeId>& ids) {
  return joined(ids, ", ");
}

std::string text_of(Duration time, int places) {
  std::array<char, 32> text{};
  const double time_s = std::chrono::duration<double>(time).count();
  std::snprintf(text.data(), text.size(), "%.*f s", places, time_s);
  return text.data();
}

std::string readable(std::string_view bytes) {
  constexpr std::size_t most = 60;
  std::string text;
  for (const char& one : bytes.substr(0, most)) {
    if (one == '\n') {
      text += "\\n";
    } else if (one == '\0') {
      text += "\\0";
    } else {
      text += harmless({&one, 1});
    }
  }
  return bytes.size() > most ? text + "…" : text;
}

}  // namespace bully
