// shown.h: whether what is shown fits a terminal.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "view/style.h"

namespace bully {

inline void check_fits(std::string_view text) {
  for (const std::string& line : lines_in(text)) {
    CAPTURE(line);
    CHECK(width(line) <= terminal_columns);
  }
}

}  // namespace bully
