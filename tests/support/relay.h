// relay.h: a stand-in for every process of a directory, the simplest that there can be: a process
// that passes on what comes, and back what comes back. Read next: node/aside.h.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace bully {

struct RelayShared;

class Relay {
 public:
  // `guarded`: if it is killed, a guard puts the names back.
  explicit Relay(const std::string& directory, bool guarded = true);
  // Puts all names back, unless it was killed.
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  pid_t pid() const { return pid_; }
  void kill();  // SIGKILL

  // How often it has taken a name, whatever for; how many connections it has carried; and how many
  // of these asked for a status.
  std::uint64_t taken() const;
  std::uint64_t carried() const;
  std::uint64_t questions() const;

 private:
  RelayShared* shared_;
  pid_t pid_ = 0;
};

}  // namespace bully
