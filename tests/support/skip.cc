#include "support/skip.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <utility>

#include "node/directory.h"
#include "node/system.h"

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

bool lacks_standard_directory() {
  struct stat status {};
  const std::string path(standard_directory);
  if (lstat(path.c_str(), &status) != 0 || status.st_uid == geteuid()) return false;
  skip(path + " is another user's");
  return true;
}

bool lacks_descriptors(std::size_t count) {
  if (raise_descriptor_limit() >= count) return false;
  skip("fewer than " + std::to_string(count) + " open files");
  return true;
}

std::string take_skip_reason() {
  return std::exchange(present_reason, {});
}

}  // namespace bully
