// watchers.h: the connections that other nodes' monitors hold open to this node, so that the kernel
// tells them of its death at once (`--detector=eof`).
//
// It never reads from one. Read next: node.h, monitor_child.h for the other end.
#pragma once

#include <cstddef>
#include <vector>

#include "node/descriptor.h"

namespace bully {

class Watchers {
 public:
  // Holds at most `most` connections; more are closed at once.
  explicit Watchers(std::size_t most) : most_(most) {}

  void hold(Descriptor connection);
  // For a forked child, which must not keep what it inherited.
  void close_all() { held_.clear(); }

 private:
  void drop_closed();

  static constexpr std::size_t least_to_check = 16;

  std::size_t most_;
  std::vector<Descriptor> held_;
  std::size_t next_check_ = least_to_check;
};

}  // namespace bully
