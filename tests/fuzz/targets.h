// targets.h: what hostile bytes may do to us, as functions from bytes to nothing.
//
// Each target feeds one reader of what others wrote, or the elections themselves, and checks what
// must hold whatever the bytes are. A fuzzer invents the bytes (entry.cc, `make fuzz`); what it
// kept because it reached something new is in tests/corpus/NAME, and fuzz_test.cc runs that through
// the very same functions.
// Read next: readers.cc, elections.cc.
#pragma once

#include <array>
#include <stdexcept>
#include <string_view>

namespace bully::fuzz {

// What must hold does not. A violated assertion in the product ends the process instead.
class Finding : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

inline void require(bool holds, const char* what) {
  if (!holds) throw Finding(what);
}

// Each throws Finding, and nothing else.
void fuzz_wire(std::string_view bytes);       // messages, replies to pings
void fuzz_trace(std::string_view bytes);      // the trace, its verdict and its diagrams
void fuzz_status(std::string_view bytes);     // JSON, and what a node says of itself
void fuzz_scenario(std::string_view bytes);   // a script, and playing it
void fuzz_options(std::string_view bytes);    // a command line, an argument a line
void fuzz_elections(std::string_view bytes);  // each algorithm, whatever happens around it

struct Target {
  std::string_view name;  // of its corpus, too
  void (*run)(std::string_view bytes);
};
inline constexpr std::array<Target, 6> targets = {{
    {"wire", fuzz_wire},
    {"trace", fuzz_trace},
    {"status", fuzz_status},
    {"scenario", fuzz_scenario},
    {"options", fuzz_options},
    {"elections", fuzz_elections},
}};

}  // namespace bully::fuzz
