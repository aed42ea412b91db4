// entry.cc: where libFuzzer comes in. Built once for each target, with its name as FUZZ_TARGET.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>

#include "fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const auto& target : bully::fuzz::targets) {
    if (target.name != FUZZ_TARGET) continue;
    try {
      target.run(bytes);
    } catch (const std::exception& finding) {
      std::fprintf(stderr, "%s: %s\n", FUZZ_TARGET, finding.what());
      std::terminate();
    }
    return 0;
  }
  std::fprintf(stderr, "there is no target %s\n", FUZZ_TARGET);
  std::terminate();
}
