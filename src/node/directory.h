// directory.h: where nodes find each other. One socket a node, named with its id, and nothing else.
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
//
// It never decides who is alive for an election; it only says what names there are.
// Read next: aside.h, system.h.
#pragma once

#include <dirent.h>
#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "election/message.h"
#include "node/system.h"

namespace bully {

inline constexpr std::string_view standard_directory = "/tmp/bully";
// $BULLY_DIR, or the standard one.
std::string default_directory();

// How long one process may keep the lock while others wait. It needs well under a millisecond,
// unless it is stopped just then.
inline constexpr Duration lock_patience = std::chrono::seconds(3);

class Directory {
 public:
  // Opens `path`, making it (mode 0700) if it does not exist and `make` says so. Throws SetupError
  // if it is no directory, is not the user's own, may be written by others, or is too long for a
  // socket's address.
  Directory(std::string path, bool make);
  // The same, or nothing if there is none: that is no failure, for nobody has started yet.
  static std::optional<Directory> existing(const std::string& path);

  const std::string& path() const { return path_; }
  std::string socket_path(NodeId id) const { return path_ + '/' + std::to_string(id); }
  // A path beside the directory itself, not beside a link to it: with this at its end. Empty if
  // nothing can be beside it.
  std::string beside(std::string_view suffix) const;

  // Every id that has a socket here, from the lowest; none if the directory is gone.
  std::vector<NodeId> ids() const;
  // How many of these are not names of the dead. Asks the kernel about each, which takes about a
  // microsecond, and disturbs nobody.
  std::size_t living_count() const;

  // The listening socket of node `id`, published under its name. Takes over the name of a dead
  // process; throws SetupError if a live one has it.
  Descriptor publish(NodeId id);
  // Whether the name of `id` still is the socket last published for it.
  bool is_published(NodeId id) const { return has_published(socket_path(id)); }
  // The same, or that socket is aside. Names that a killed stand-in has left are put back first.
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

  // For whoever changes more than one name: until it is destroyed, nobody else publishes or sweeps.
  // Waits for `least`, and on while others get it in turn. Throws SetupError (EWOULDBLOCK) if one
  // process keeps it for so long.
  Descriptor lock(Duration least = lock_patience) const;

  // For a forked child: a listing of its own. An inherited one shares its position with the parent.
  void open_again() { handle_.reset(opendir(path_.c_str())); }

 private:
  struct Close {
    void operator()(DIR* handle) const { closedir(handle); }
  };

  void open(bool make);
  bool has_published(const std::string& path) const {
    return published_ && socket_at(path) == published_;
  }

  std::string path_;
  std::string real_;                    // the same without links; empty if it has no parent
  std::unique_ptr<DIR, Close> handle_;  // kept open: listing must not fail for want of descriptors
  std::optional<SocketIdentity> published_;
};

}  // namespace bully
