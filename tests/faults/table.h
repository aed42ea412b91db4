// table.h: the system calls of a node and its monitor, and how each of them can fail.
//
// The errors are those that a call's manual names and that can occur here. A node that makes a call
// which is in no row, and a row with errors whose call is never made, are failures of `make
// faults`. Read next: life.h.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace bully {

struct CallRow {
  // What strace calls it; by the system one of them is made. The first is that of Linux on x86.
  std::vector<std::string_view> names;
  // How a message may begin that names it, or the library's function that makes it. Without any, it
  // may be about the memory that is missing.
  std::vector<std::string_view> words;
  // With a + if the later calls fail as well, and those that would help instead.
  std::vector<std::string_view> errors;
  // Only calls whose line in a record of strace has this.
  std::string_view only = {};
};

inline const std::vector<CallRow>& call_table() {
  static const std::vector<CallRow> table = {
      // Files and the directory.
      {{"openat", "open"},
       {"open", "opendir", "lock", "read"},
       {"EACCES", "EMFILE", "ENFILE", "ENOENT", "ENOMEM"}},
      {{"newfstatat", "fstat", "stat", "lstat", "fstatat64", "statx"},
       {"stat", "lstat", "open", "opendir"},
       {"EACCES", "ENOENT", "ENOMEM"}},
      {{"faccessat2", "faccessat"}, {"list"}, {"EACCES", "EIO", "ENOENT", "ENOMEM"}},
      {{"getdents64"}, {"readdir", "opendir"}, {"EIO", "ENOENT"}},
      {{"readlink", "readlinkat"}, {"realpath"}, {"EACCES", "EIO", "ENOMEM"}},
      {{"mkdir", "mkdirat"},
       {"mkdir"},
       {"EACCES", "EDQUOT", "ENOENT", "ENOMEM", "ENOSPC", "EROFS"}},
      {{"rename", "renameat", "renameat2"}, {"rename"}, {"EACCES", "ENOENT", "ENOSPC", "EROFS"}},
      {{"unlink", "unlinkat"}, {"unlink"}, {"EACCES", "EBUSY", "EIO", "EROFS"}},
      {{"flock"}, {"lock"}, {"EINTR", "ENOLCK"}},
      // Sockets.
      {{"socket"}, {"socket"}, {"EACCES", "EMFILE", "ENFILE", "ENOBUFS", "ENOMEM"}},
      {{"bind"}, {"bind"}, {"EACCES", "EADDRINUSE", "ENOENT", "ENOMEM", "EROFS"}},
      {{"listen"}, {"listen"}, {"EADDRINUSE"}},
      {{"accept4"},
       {"accept"},
       {"EAGAIN", "ECONNABORTED", "EINTR", "EMFILE", "ENFILE", "ENOBUFS", "ENOMEM"}},
      {{"connect"}, {"connect"}, {"EACCES", "EAGAIN", "ECONNREFUSED", "ENOENT"}},
      {{"sendto"}, {"send"}, {"EAGAIN", "ECONNRESET", "EINTR", "ENOBUFS", "ENOMEM", "EPIPE"}},
      {{"shutdown"}, {"shutdown"}, {"ENOTCONN"}},
      {{"getsockopt"}, {"getsockopt"}, {"ENOPROTOOPT"}},
      // Descriptors.
      {{"read"}, {"read"}, {"EAGAIN", "EINTR", "EIO"}},
      {{"write"}, {"write"}, {"EAGAIN", "EINTR", "EIO", "ENOSPC"}, "{\\\"t\\\":"},  // of a trace
      {{"poll", "ppoll"}, {"poll"}, {"EINTR", "ENOMEM"}},
      {{"pipe2"}, {"pipe"}, {"EMFILE", "ENFILE"}},
      {{"fcntl"}, {"fcntl"}, {"EMFILE"}, "F_DUPFD"},
      // Processes and memory.
      {{"clone", "clone3"}, {"fork"}, {"EAGAIN", "ENOMEM"}},
      {{"wait4"}, {"waitpid"}, {"ECHILD", "EINTR"}, "NULL, 0, NULL"},  // one that waits
      {{"kill"}, {"kill"}, {"EPERM"}},
      {{"prlimit64"}, {"getrlimit", "setrlimit"}, {"EPERM"}},
      {{"brk"}, {}, {"ENOMEM", "ENOMEM+"}},
      {{"mmap"}, {"mmap"}, {"ENOMEM"}},
      // These cannot fail as a node makes them. Linux ends a descriptor by close(), whatever that
      // returns; to leave it open would be another fault, which no system has.
      {{"close"}, {}, {}},
      {{"execve"}, {}, {}},
      {{"exit_group"}, {}, {}},
      {{"futex"}, {}, {}},
      {{"getpid"}, {}, {}},
      {{"getppid"}, {}, {}},
      {{"gettid"}, {}, {}},
      {{"geteuid"}, {}, {}},
      {{"ioctl"}, {}, {}},
      {{"lseek"}, {}, {}},
      {{"munmap"}, {}, {}},
      {{"prctl"}, {}, {}},
      {{"restart_syscall"}, {}, {}},
      {{"rseq"}, {}, {}},
      {{"rt_sigaction"}, {}, {}},
      {{"rt_sigprocmask"}, {}, {}},
      {{"rt_sigreturn"}, {}, {}},
      {{"set_robust_list"}, {}, {}},
      {{"setitimer"}, {}, {}},
      {{"setpgid"}, {}, {}},
      {{"umask"}, {}, {}},
  };
  return table;
}

// The row of a call; null if there is none.
inline const CallRow* row_of(std::string_view call) {
  for (const CallRow& row : call_table()) {
    if (std::ranges::count(row.names, call) > 0) return &row;
  }
  return nullptr;
}

}  // namespace bully
