#include "support/private_mount.h"

#ifdef __linux__
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>

#include <cstdio>

namespace bully {

PrivateMount::PrivateMount(const std::string& what, const std::string& at, bool bind)
    : root_(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)),
      working_directory_(open(".", O_PATH | O_DIRECTORY | O_CLOEXEC)),
      before_(open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC)) {
  if (before_ && unshare(CLONE_NEWNS) != 0) before_.reset();  // nowhere to return from
  if (!before_) return;
  unsigned long flags = 0;
  if (bind) flags = MS_BIND;
  const char* type = bind ? nullptr : "tmpfs";
  done_ = mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
          mount(what.c_str(), at.c_str(), type, flags, nullptr) == 0;
}

PrivateMount::~PrivateMount() {
  if (!before_) return;
  const bool is_back = setns(before_.get(), CLONE_NEWNS) == 0 && fchdir(root_.get()) == 0 &&
                       chroot(".") == 0 && fchdir(working_directory_.get()) == 0;
  if (!is_back) std::perror("return from a private mount");
}

}  // namespace bully
#endif
