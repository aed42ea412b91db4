#include "support/skip.h"

#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <utility>

namespace bully {

namespace {

std::string present_reason;

bool has_command(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream directories(path != nullptr ? path : "");
  for (std::string each; std::getline(directories, each, ':');) {
    if (access((each + '/' + name).c_str(), X_OK) == 0) return true;
  }
  return false;
}

}  // namespace

void skip(std::string reason) {
  present_reason = std::move(reason);
}

bool lacks(const std::string& program) {
  if (has_command(program)) return false;
  skip("no " + program);
  return true;
}

bool lacks_root() {
  if (geteuid() == 0) return false;
  skip("not root");
  return true;
}

std::string take_skip_reason() {
  return std::exchange(present_reason, {});
}

}  // namespace bully
