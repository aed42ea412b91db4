// taken_names.h: how a proxy takes over a process's name in a directory, and gives it back.
//
// A proxy is a listener that has a process's name. Connections to the name reach the proxy, which
// passes on their messages. The process's own socket keeps listening in DIR.aside, beside the
// directory. Neither the process nor its peers need to help.
//
// Rules of use:
//   - For each proxy the place holds two sockets: ID, the process's own; and ID.stand-in, a second
//     name of the proxy's socket. So the owner of a name is visible at any time, to every process,
//     and after any death: it is the proxy if and only if the name leads to the same socket as
//     ID.stand-in.
//   - A name is never absent, and never without a listener: it changes by one rename(2), from one
//     socket that listens to another.
//   - Names change under the directory's lock. The place has a second lock, which its one user
//     keeps. A process that finds that lock free knows that the proxies there are dead, and puts
//     all names back. Guards do so at once (../stage/local_cluster.h), otherwise the next process
//     that publishes or sweeps.
//   - A place that is not the user's own, or that others may enter, is ignored.
//
// This class never reads a message or accepts a connection.
#pragma once

#include <string>

#include "election/message.h"
#include "node/directory.h"
#include "node/system.h"

namespace bully {

// The path of the process's own socket: aside while a proxy has its name, else the name. The answer
// may be outdated at once.
std::string own_socket(const Directory& directory, NodeId id);
// Connects to the process itself, even if its socket moves at that moment.
Connection connect_to_process(const Directory& directory, NodeId id);

// For Registry alone. REQUIRES: the directory's lock is held. Puts back the names that dead proxies
// had. False if a live one works there now.
bool put_names_back(const Directory& directory);
void remove_names(const Directory& directory, NodeId id);

// The directory's lock, if the place aside exists. Empty also if a stopped process has the lock, or
// the directory is gone: the caller must go on all the same.
Descriptor lock_for_proxies(const Directory& directory, Duration least = Directory::lock_patience);

class TakenNames {
 public:
  // Takes the place for this object alone, and first puts back the names that an earlier user left.
  // The directory outlives it. Throws SetupError if another process has the place, if it cannot be
  // made, or if nothing can be moved between it and the directory (a mount point).
  explicit TakenNames(const Directory& directory);
  ~TakenNames() { put_all_back(); }
  TakenNames(const TakenNames&) = delete;
  TakenNames& operator=(const TakenNames&) = delete;

  // Throws SetupError if the place has been removed, or another has its name.
  void check_place() const;
  // A listening socket that from now on has the name of `id`, with the same backlog as a node's.
  // Empty if no process listens under that name, unless `for_dead`. If an earlier proxy of this
  // object has the name, the new one takes its place. Throws SetupError; EWOULDBLOCK, soon, if
  // another process has the directory's lock: messages wait meanwhile.
  Descriptor stand_in(NodeId id, bool for_dead = false);
  // False once the process has published itself again, or has removed its name.
  bool has_name(NodeId id) const;
  std::string own_socket(NodeId id) const { return place_ + '/' + std::to_string(id); }

  // Removes a process that is dead or has left; a name that another process has taken stays. Throws
  // SetupError.
  void remove(NodeId id);
  // Gives each process its name back, unless it has given that up, and removes the place. Nothing
  // can be moved afterwards. Keep the listeners for a moment: some peers may have found one and not
  // connected yet.
  void put_all_back();

 private:
  const Directory& directory_;
  std::string place_;
  Descriptor lock_;
};

}  // namespace bully
