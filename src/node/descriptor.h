// descriptor.h: the one owner of an open file descriptor, and how many of them there may be.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <utility>

namespace bully {

// Closes it, and nothing else.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

// Lets this process have as many as the system allows, and says how many that are: at most a
// million, and 20 [POSIX, _POSIX_OPEN_MAX] where the system does not tell.
std::size_t raise_descriptor_limit();

// How many of the numbers below `limit` are taken, by what we have inherited as well. Only the
// lowest thousand are looked at.
std::size_t count_descriptors(std::size_t limit);

}  // namespace bully
