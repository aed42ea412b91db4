// own_name.h: whether a node's name leads to it, though another socket has it.
//
// If somebody has removed the node's socket, it publishes itself again. But if a stand-in has its
// name (aside.h), all is well. The node finds out which it is as any peer would: it asks its name,
// and sees whether the question comes in at its own socket. Nothing here waits: the answer is there
// when the inbox has read it. Read next: node.cc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "election/message.h"
#include "node/directory.h"
#include "node/system.h"

namespace bully {

class OwnName {
 public:
  // The directory outlives it.
  OwnName(const Directory& directory, NodeId id) : directory_(directory), id_(id) {}

  enum class Leads : std::uint8_t {
    here,
    elsewhere,  // or nowhere
    untold,     // it has been asked; look again at next_deadline()
  };
  // Where the name leads, for all that is known now; a socket that is new there is asked.
  // `patience`: for how long the question may be on its way.
  Leads look(Time now, Duration patience);
  Time next_deadline() const { return std::min(deadline_, next_try_); }

  // Takes a question for the status that has come in. If it is our own, the name leads here as long
  // as the same socket has it.
  void hear(const Message& message);
  // Something may have changed: it is asked again when one looks.
  void forget();

 private:
  // Whether the question is on its way, or may be later.
  bool ask(Time now);

  const Directory& directory_;
  NodeId id_;
  std::optional<SocketIdentity> asked_;  // the socket that the question is about
  std::uint64_t number_ = 0;             // of the question
  Descriptor question_;                  // open until it has come in: else it could be dropped
  Time deadline_ = never;                // for it to come in
  Time next_try_ = never;                // if the backlog was full
};

}  // namespace bully
