// oracle.h: a second opinion on a trace, to hold the judge of src/trace to.
//
// It says only whether a trace is RIGHT, and if not the first reason. It is written from the
// definition of a right run, plainly and slowly, and shares nothing with the judge but the reader
// of lines and the descriptions of the algorithms: what both overlook, each has overlooked alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bully {

enum class Right : std::uint8_t { right, not_right };

struct Opinion {
  Right right = Right::right;
  // Why not: a fixed class, a colon, and the particulars.
  std::string reason = {};
};

// Of the lines of all nodes. What the reader refuses is not right either.
Opinion opinion_of(std::string_view text);

}  // namespace bully
