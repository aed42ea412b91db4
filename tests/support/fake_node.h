// fake_node.h: a process that takes part in no election and says that it does.
//
// It listens under an id and replies to pings; whom it claims to follow, and whether it answers
// ELECTION, is the test's choice. Read next: legacy_peer.h.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "election/message.h"

namespace bully {

struct FakeOptions {
  NodeId id = 0;
  std::optional<NodeId> follows = 0;  // as it says to whoever pings it
  bool answers = false;               // an ELECTION
};

struct FakeShared;

class FakeNode {
 public:
  // Starts it, and returns when it listens.
  FakeNode(std::string directory, const FakeOptions& options);
  ~FakeNode();
  FakeNode(const FakeNode&) = delete;
  FakeNode& operator=(const FakeNode&) = delete;

  // SIGKILL. Its name stays.
  void kill();

  // What it has read.
  std::uint64_t pings() const;
  std::uint64_t elections() const;

 private:
  FakeShared* shared_;
  pid_t pid_ = 0;
};

}  // namespace bully
