// wire.h: the links between real processes, with a stand-in of ours on each.
//
//   ROOT/4/4   process 4's own socket
//   ROOT/4/7   our listener: what 4 sends to 7 comes here first
//   ROOT/7/7   process 7's own socket, where we pass it on
//
// Each process has a directory of its own, in which every other name is our listener for that one
// link. So a message waits here until it is passed on or dropped, in any order, and the processes
// need not help. What a peer meets stays true: a connection is accepted, or has to wait because the
// backlog is full, or is refused because nobody is there.
//
// Questions that a process asks another about its state are carried on at once, and the replies
// back: they are no part of an election. Nothing here waits, and nothing decides about an election.
// Read next: ../stage/real_backend.cc.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "election/message.h"
#include "node/system.h"

namespace bully {

class Wire {
 public:
  // What a process meets that connects to another.
  enum class State : std::uint8_t {
    open,     // its message is taken, and waits here
    full,     // it has to wait: as with a process whose backlog is full
    refused,  // there is nobody
  };

  // `root`: a directory of ours alone. Every function here throws SetupError.
  explicit Wire(std::string root) : root_(std::move(root)) {}

  // The directory for a process that is about to start: all that are there stand in it.
  std::string make_directory(NodeId id);
  // Its own socket, in that directory.
  std::string socket_path(NodeId id) const { return path(id, id); }
  // It listens: from now on it stands in the directories of all others, but for a link that has
  // been set apart, which stays as it is.
  void publish(NodeId id);
  // It is dead: all links to it are as `state` says, and what was on its way to it is gone.
  void bury(NodeId id, State state);
  // It has left: nothing of it remains.
  void remove(NodeId id);
  // Sets one link, which is then kept apart from what publish() and bury() do if `is_apart`.
  void set(NodeId from, NodeId to, State state, bool is_apart);

  // Takes in what has come: of `from` alone, everything that it had sent before this call. Carries
  // questions on, and replies back.
  void carry(NodeId from);

  // The ticket of a message of an election that has come and waits here, by its sender's number for
  // it; nothing if there is none. A ticket is given once, since a process that returns numbers its
  // messages from 1 again.
  using Ticket = std::uint64_t;
  std::optional<Ticket> ticket_for(NodeId from, NodeId to, std::uint64_t number);
  // Passes it on. False: the receiver is gone, or does not take it, and nothing has happened.
  bool pass(NodeId from, NodeId to, Ticket ticket);
  void drop(NodeId from, NodeId to, Ticket ticket);

 private:
  // A connection that a process has opened.
  struct Call {
    Descriptor in;
    Descriptor out = {};                  // carried on, if at once
    std::string bytes = {};               // so far
    std::optional<Message> message = {};  // when its sender has closed it, or half-closed it
    Ticket ticket = 0;                    // 0: none yet
  };
  struct Link {
    State state = State::refused;
    bool is_apart = false;
    Descriptor listener = {};
    std::vector<Descriptor> fillers = {};  // of a full backlog
    std::deque<Call> calls = {};           // in the order of connecting
  };

  std::string directory(NodeId id) const { return root_ + '/' + std::to_string(id); }
  std::string path(NodeId from, NodeId to) const;
  void become(NodeId from, NodeId to, State state);
  void take_in(NodeId to, Link& link);
  // Whether it is done with.
  bool carry_on(NodeId to, Call& call) const;

  std::string root_;
  std::map<NodeId, State> ids_;  // that stand in the others' directories; of a new link to them
  std::map<std::pair<NodeId, NodeId>, Link> links_;
  Ticket last_ticket_ = 0;
};

}  // namespace bully
