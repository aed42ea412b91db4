// registry.h: a directory in which processes take names and give them up.
//
// Rules of use:
//   - Publishing and sweeping exclude each other by an advisory lock on the directory itself, so a
//     sweeper never removes the socket of a process that has just taken the name.
//   - A name appears only when the process behind it is listening: the socket is made beside the
//     directory, as DIR.starting, and renamed into place. It is there only while its process holds
//     the lock; a process that has the lock and finds one removes it, since its maker was killed.
//   - No socket can be renamed into a mount point, or out of a parent that is not ours to write; a
//     place inside would be a foreign name. There it is bound under its own name, and refuses
//     connections for the microseconds until it listens. A peer that connects just then takes it
//     for gone, as it was a moment before; nothing is lost, since each node asks the others when it
//     has started. The lock keeps sweepers off.
//   - Names that are not ids, and ids that are not sockets, are left alone.
//   - A name may be a stand-in's, which passes on what comes: then the process's own socket is
//     aside (aside.h). Who withdraws or sweeps a name removes both; who publishes or sweeps first
//     puts back what a killed stand-in has left.
#pragma once

#include <optional>
#include <string>

#include "node/directory.h"

namespace bully {

class Registry : public Directory {
 public:
  using Directory::Directory;

  // The listening socket of node `id`, published under its name. Takes over the name of a dead
  // process; throws SetupError if a live one has it.
  Descriptor publish(NodeId id);
  // Whether the name of `id` still is the socket last published for it.
  bool is_published(NodeId id) const { return has_published(socket_path(id)); }
  // The same, or that socket is aside, and its stand-in lives. Takes the lock only if neither is
  // so: then what a killed stand-in has left is put back first.
  bool is_kept(NodeId id) const;
  // Removes that socket's name, and a stand-in's. Call it while still listening: then nobody can
  // take it over.
  void withdraw(NodeId id);

  // Removes the socket of `id` if no process is behind it. False if that cannot be told yet:
  // another process holds the lock, the socket is too young, or a stand-in is about to give way.
  bool sweep(NodeId id);
  // Sweeps from the lowest id up to the first that is alive, and waits a moment for what cannot be
  // told yet: nobody may be left to sweep after us. It also removes what a killed start left.
  void sweep_up_to_a_live_one();

 private:
  bool has_published(const std::string& path) const {
    return published_ && socket_at(path) == published_;
  }

  std::optional<SocketIdentity> published_;
};

}  // namespace bully
