// stand_ins.h: a stand-in for every process of a directory, the simplest that there can be: a
// process that passes on what comes, and back what comes back. Read next: node/aside.h.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace bully {

struct StandInsShared;

class StandIns {
 public:
  // `guarded`: if it is killed, a guard puts the names back.
  explicit StandIns(const std::string& directory, bool guarded = true);
  // Puts all names back, unless it was killed.
  ~StandIns();
  StandIns(const StandIns&) = delete;
  StandIns& operator=(const StandIns&) = delete;

  pid_t pid() const { return pid_; }
  void kill();  // SIGKILL

  // How often it has taken a name, whatever for; how many connections it has carried; and how many
  // of these asked for a status.
  std::uint64_t taken() const;
  std::uint64_t carried() const;
  std::uint64_t questions() const;

 private:
  StandInsShared* shared_;
  pid_t pid_ = 0;
};

}  // namespace bully
