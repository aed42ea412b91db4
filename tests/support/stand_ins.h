// stand_ins.h: a process with a stand-in for every process of a directory (wire/link_proxy.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "support/process.h"

namespace bully {

class StandIns {
 public:
  // `guarded`: if it is killed, a guard puts the names back.
  explicit StandIns(const std::string& directory, bool guarded = true);
  // Puts all names back, unless it was killed.
  ~StandIns();
  StandIns(const StandIns&) = delete;
  StandIns& operator=(const StandIns&) = delete;

  pid_t pid() const { return process_.pid(); }
  void kill() { process_.kill(); }

  // How many messages it has carried, pings as well.
  std::uint64_t carried() const { return *carried_; }

 private:
  const SharedMemory<std::atomic<std::uint64_t>> carried_;
  Child process_;
};

}  // namespace bully
