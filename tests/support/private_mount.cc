#include "support/private_mount.h"

#ifdef __linux__
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>

namespace bully {

PrivateMount::PrivateMount(const std::string& what, const std::string& at, bool bind)
    : working_directory_(std::filesystem::current_path()),
      before_(open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC)) {
  if (!before_ || unshare(CLONE_NEWNS) != 0) return;
  unsigned long flags = 0;
  if (bind) flags = MS_BIND;
  const char* type = bind ? nullptr : "tmpfs";
  done_ = mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
          mount(what.c_str(), at.c_str(), type, flags, nullptr) == 0;
  std::filesystem::current_path(working_directory_);
}

PrivateMount::~PrivateMount() {
  if (!before_) return;
  setns(before_.get(), CLONE_NEWNS);
  std::filesystem::current_path(working_directory_);
}

}  // namespace bully
#endif
