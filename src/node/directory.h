// directory.h: where nodes find each other. One socket a node, named with its id, and nothing else.
//
// Rules of use:
//   - Publishing and sweeping exclude each other by an advisory lock on the directory itself, so a
//     sweeper never removes the socket of a process that has just taken the name.
//   - A name appears only when the process behind it is listening: the socket is made beside the
//     directory, as DIR.starting, and renamed into place. It is there only as long as its process
//     holds the lock; so whoever has the lock and finds one removes it, since its maker was killed.
//   - No socket can be renamed into a mount point, or out of a parent that is not ours to write;
//   and
//     a place inside would be a foreign name. There it is bound under its own name, and refuses
//     connections for the microseconds until it listens. A peer that connects just then takes it
//     for gone, as it was a moment before; nothing is lost, since each node asks the others when it
//     has started. The lock keeps sweepers off.
//   - Names that are not ids, and ids that are not sockets, are left alone.
//
// It never decides who is alive for an election; it only says what names there are.
// Read next: unix_socket.h.
#pragma once

#include <dirent.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "election/protocol.h"
#include "node/descriptor.h"

namespace bully {

// The directory that the user named, or $BULLY_DIR, or /tmp/bully.
std::string default_directory();

class Directory : public Peers {
 public:
  // Opens `path`, making it (mode 0700) where it does not exist and `make` says so. Throws
  // SetupError where it is no directory, is not the user's own, may be written by others, or is too
  // long for a socket's address.
  Directory(std::string path, bool make);

  const std::string& path() const { return path_; }
  std::string socket_path(NodeId id) const { return path_ + '/' + std::to_string(id); }

  // Every id that has a socket here, from the lowest. Valid until the next call. Where the
  // directory is gone, nothing.
  std::span<const NodeId> ids() const override;
  // As long as this lives, the directory is listed once at most: for many questions at one moment.
  class OneLook {
   public:
    explicit OneLook(Directory& directory) : directory_(directory) { directory.look_ = Look::due; }
    ~OneLook() { directory_.look_ = Look::always; }
    OneLook(const OneLook&) = delete;
    OneLook& operator=(const OneLook&) = delete;

   private:
    Directory& directory_;
  };

  // Of these, how many may have a process behind them: all but the names of the dead. Asks the
  // kernel about each, about a microsecond, and disturbs nobody.
  std::size_t living_count() const;
  // How many names there were when it was last asked for them, dead or alive.
  std::size_t last_count() const { return ids_.size(); }

  // The listening socket of node `id`, published under its name. Takes over the name of a dead
  // process; throws SetupError where a live one has it.
  Descriptor publish(NodeId id);
  // Whether the name of `id` still is the socket last published for it.
  bool is_published(NodeId id) const;
  // Removes that socket's name. Call it while still listening: then nobody can take it over.
  void withdraw(NodeId id);

  // Removes the socket of `id` if no process is behind it. False where it could not be told yet:
  // someone else holds the lock, or the socket is too young.
  bool sweep(NodeId id);
  // Sweeps from the lowest id up to the first that is alive; waits a moment for what could not be
  // told yet, since nobody may be left to sweep after us. So it removes what a killed start left.
  void sweep_up_to_a_live_one();

  // For a forked child: a listing of its own. What it inherited shares its position with the
  // parent.
  void open_again();

 private:
  struct Close {
    void operator()(DIR* handle) const { closedir(handle); }
  };
  struct Identity {
    dev_t device = 0;
    ino_t inode = 0;
    bool operator==(const Identity&) const = default;
  };

  enum class Look : std::uint8_t { always, due, done };

  void check(bool make);
  void open_handle();
  Descriptor lock_or_throw() const;

  std::string path_;
  std::unique_ptr<DIR, Close> handle_;  // kept open: listing must not fail for want of descriptors
  Identity published_;
  mutable std::vector<NodeId> ids_;
  mutable Look look_ = Look::always;
};

}  // namespace bully
