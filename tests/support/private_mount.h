// private_mount.h: a directory that is a mount point, for a test that may mount.
#pragma once

#include <string>

#include "node/system.h"

#ifdef __linux__
namespace bully {

// A mount that this process alone sees, with its children; it is gone afterwards. Of a file system
// of its own, or of `what` at another place.
class PrivateMount {
 public:
  PrivateMount(const std::string& what, const std::string& at, bool bind);
  ~PrivateMount();
  PrivateMount(const PrivateMount&) = delete;
  PrivateMount& operator=(const PrivateMount&) = delete;
  // Whether this user may mount anything.
  explicit operator bool() const { return done_; }

 private:
  Descriptor root_;
  Descriptor working_directory_;
  // A return to it sets both of these to its own root: in a chroot, to another one than before.
  Descriptor before_;
  bool done_ = false;
};

}  // namespace bully
#endif
