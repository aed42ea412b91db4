// log_text.h: what the log says of records, each line at 00:00.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "view/log.h"

namespace bully {

inline std::string log_text(std::span<const Record> records, LogStyle style) {
  std::string lines;
  Log log(
      style, [](std::int64_t) { return "00:00"; },
      [&lines](std::string_view shown) { lines += shown; });
  for (const Record& record : records) log.record(record);
  log.flush();
  return lines;
}
inline std::string log_text(std::span<const Record> records, Language language) {
  return log_text(records, {.language = language, .color = false});
}

}  // namespace bully
