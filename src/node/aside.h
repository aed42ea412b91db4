// aside.h: how a stand-in gets between processes that share a directory, and out again.
//
// A stand-in is a listener of ours that has a process's name: whoever connects to the name reaches
// it, and it passes on what comes. The process's own socket keeps listening in DIR.aside, beside
// the directory. Neither the process nor its peers need to help.
//
// Rules of use:
//   - For each stand-in the place holds two sockets: ID, the process's own; and ID.stand-in, a
//     second name of the stand-in's. So whose a name is can be seen at any time, by anybody, and
//     after any death: it is the stand-in's if and only if it is the same socket as ID.stand-in.
//   - A name is never absent, and never without a listener: it changes by one rename(2), from one
//     socket that listens to another.
//   - Names change under the directory's lock. The place has a lock of its own, which its one user
//     keeps: so whoever finds it free knows that stand-ins there are dead, and puts all names back.
//     Guards do so at once (../stage/local_cluster.h), else whoever next publishes or sweeps.
//   - A place that is not the user's own, or that others may enter, is ignored.
//
// It never reads a message, nor accepts a connection.
#pragma once

#include <string>

#include "election/message.h"
#include "node/directory.h"
#include "node/system.h"

namespace bully {

// The path of the process's own socket: aside while a stand-in has its name, else the name. It may
// change as soon as it is told.
std::string own_socket(const Directory& directory, NodeId id);
// Connects to the process itself, though it may be moved just then.
Connection connect_to_process(const Directory& directory, NodeId id);

// For Registry alone. REQUIRES: the directory's lock is held.
// Puts back what stand-ins have left that are dead. False if one works there now.
bool put_names_back(const Directory& directory);
void remove_names(const Directory& directory, NodeId id);

// The directory's lock, if there is a place aside. Empty as well if a process that is stopped has
// the lock, or the directory is gone: what its caller does next must be done all the same.
Descriptor lock_for_stand_ins(const Directory& directory);

class Aside {
 public:
  // Takes the place for this object alone, and first puts back what another has left. The directory
  // outlives it. Throws SetupError: another one has the place, nothing can be moved between it and
  // the directory (a mount point), or it cannot be made.
  explicit Aside(const Directory& directory);
  ~Aside() { put_all_back(); }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

  // A listening socket that from now on has the name of `id`, with the same backlog as a node's.
  // Empty if no process listens under that name, unless it is `for_dead`. If an earlier stand-in of
  // ours has the name, the new one takes its place. Throws SetupError; with EWOULDBLOCK, soon, if
  // another process has the directory's lock: messages wait meanwhile.
  Descriptor stand_in(NodeId id, bool for_dead = false);
  // Not after the process has published itself again, or has removed its name.
  bool has_name(NodeId id) const;
  std::string own_socket(NodeId id) const { return place_ + '/' + std::to_string(id); }

  // The process has its name back, unless it has given it up. Keep the listener for a moment: some
  // may have found it who have not connected yet. Throws SetupError.
  void put_back(NodeId id);
  // It is dead, or has left: nothing of it remains but a name that is not ours. Throws SetupError.
  void remove(NodeId id);
  // Puts all names back, and removes the place. Nothing can be moved afterwards.
  void put_all_back();

 private:
  const Directory& directory_;
  std::string place_;
  Descriptor lock_;
};

}  // namespace bully
