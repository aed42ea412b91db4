// registry.h: a directory in which processes take names and give them up.
//
// Rules of use:
//   - Publishing and sweeping exclude each other by an advisory lock on the directory itself, so a
//     sweeper never removes the socket of a process that has just taken the name.
//   - A name appears only when the process behind it is listening: the socket is made beside the
//     directory, as DIR.starting, and renamed into place. It exists only while its process holds
//     the lock; a process that has the lock and finds such a socket removes it, since its maker was
//     killed.
//   - No socket can be renamed into a mount point, or out of a parent that this user may not write;
//     a place inside would be a foreign name. There the socket is bound under its final name, and
//     refuses connections for the microseconds until it listens. A peer that connects just then
//     takes the process for gone, as it was a moment before; no harm is done, since each node asks
//     the others when it has started. The lock keeps sweepers off.
//   - A name may lead to a proxy, which passes on its messages: then the process's own socket is
//     aside (taken_names.h). Withdrawing and sweeping remove both sockets.
#pragma once

#include <optional>
#include <string>

#include "node/directory.h"

namespace bully {

class Registry : public Directory {
 public:
  using Directory::Directory;

  // The listening socket of node `id`, published under its name. Takes over the name of a dead
  // process; throws SetupError if a live one has it, or the lock (Directory::lock).
  Descriptor publish(NodeId id, Duration for_lock = lock_patience);
  // True if the socket last published is at this path.
  bool is_published(const std::string& path) const {
    return published_ && socket_at(path) == published_;
  }
  // True if it has the name of `id`; or it is aside, and its proxy lives. Takes the lock only if
  // neither is true: then it first puts back the names that a killed proxy had.
  bool is_kept(NodeId id) const;
  // Removes that socket's name, and its proxy's. Call it while still listening: then no process can
  // take the name over.
  void withdraw(NodeId id);

  // Removes the socket of `id` if no process is behind it. False if that is undecided yet: the lock
  // cannot be had now, the socket is too young, or a proxy is about to give way.
  bool sweep(NodeId id);
  // Sweeps from the lowest id up to the first live process, and waits a moment for undecided names:
  // this process may be the last that can sweep. It also removes the socket of a killed start.
  void sweep_up_to_a_live_one();

 private:
  std::optional<SocketIdentity> published_;
};

}  // namespace bully
