// directory.h: the place where nodes find each other: a socket for each node, named with its id.
//
// Invariants, for every process at every moment:
//   - A name is an id in decimal digits, and a socket. Other entries are ignored and left alone.
//   - A name proves nothing: its process may be dead or stopped, or another may have taken it. Only
//     connecting shows whether a process listens. So this class lists names, and never decides for
//     an election which processes are alive.
//   - A node of this program adds, moves and sweeps names only under the lock (registry.h,
//     taken_names.h); leaving, it may remove its own name without. Other programs know no lock.
//     Listing needs none, and may be outdated at once.
//   - Only this user can write the directory: otherwise another user could answer for a node.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "election/message.h"
#include "node/system.h"

namespace bully {

inline constexpr std::string_view standard_directory = "/tmp/bully";
// $BULLY_DIR, or the standard one.
std::string default_directory();

class Directory {
 public:
  // Opens `path`; with `make`, creates it (mode 0700) if it does not exist. Throws SetupError if it
  // is no directory, is not the user's own, may be written by others, or is too long for a socket's
  // address.
  Directory(std::string path, bool make);
  // The same, or nothing if it does not exist: no failure, since no node has started yet.
  static std::optional<Directory> existing(const std::string& path);

  const std::string& path() const { return path_; }
  std::string socket_path(NodeId id) const { return path_ + '/' + std::to_string(id); }
  // The directory's path without links, followed by `suffix`. Empty if it has no parent.
  std::string beside(std::string_view suffix) const;

  // The same number in all processes of this program that have opened this directory; most likely
  // another number for any other directory, even if it stands later at the same place.
  std::uint64_t identity() const { return identity_; }

  // Every id that has a socket here, from the lowest; none if the directory is gone. If it cannot
  // be read just now, as at the latest look that succeeded, and a SetupError if none has: a look
  // that fails does not show that nobody is here. Each look opens the directory: another may stand
  // in its place by now.
  std::vector<NodeId> ids() const;
  // Of these, all with a live process. Costs a microsecond each, and disturbs no process.
  std::vector<NodeId> living() const;

  // The lock that changing names requires: until it is destroyed, no other process publishes or
  // sweeps. Waits at least for `least`, and longer while others get it in turn. Throws SetupError
  // (EWOULDBLOCK) if one process keeps it for that time; it needs well under a millisecond.
  Descriptor lock(Duration least = lock_patience) const;
  static constexpr Duration lock_patience = std::chrono::seconds(3);
  // Where others wait for this process, which tries again later.
  static constexpr Duration brief_lock_patience = std::chrono::milliseconds(200);

 protected:
  // As on construction.
  void open(bool make);

 private:
  std::vector<NodeId> latest_ids(const char* failed_call) const;

  std::string path_;
  std::string real_;  // the same without links; empty if it has no parent
  std::uint64_t identity_ = 0;
  mutable std::optional<std::vector<NodeId>> latest_;  // at the latest look that succeeded
};

}  // namespace bully
