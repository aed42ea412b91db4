// directory.h: where nodes find each other. One socket a node, named with its id, and nothing else.
//
// It never decides who is alive for an election; it only says what names there are. Who gets and
// gives up a name: registry.h.
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

// How long one process may keep the lock, which it needs for well under a millisecond.
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
  // The directory's own path, without links, and this behind it. Empty if nothing can be beside it.
  std::string beside(std::string_view suffix) const;

  // Every id that has a socket here, from the lowest; none if the directory is gone.
  std::vector<NodeId> ids() const;
  // How many of these are not names of the dead. Costs a microsecond each, and disturbs nobody.
  std::size_t living_count() const;

  // For whoever changes more than one name: until it is destroyed, nobody else publishes or sweeps.
  // Waits for `least`, and on while others get it in turn. Throws SetupError (EWOULDBLOCK) if one
  // process keeps it for so long.
  Descriptor lock(Duration least = lock_patience) const;

  // For a forked child: a listing of its own. An inherited one shares its position with the parent.
  void open_again() { handle_.reset(opendir(path_.c_str())); }

 protected:
  // As on construction. What was open before stays open if it cannot be.
  void open(bool make);

 private:
  struct Close {
    void operator()(DIR* handle) const { closedir(handle); }
  };

  std::string path_;
  std::string real_;                    // the same without links; empty if it has no parent
  std::unique_ptr<DIR, Close> handle_;  // kept open: listing must not fail for want of descriptors
};

}  // namespace bully
