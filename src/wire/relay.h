// relay.h: the links between the processes of a shared directory, with a stand-in of ours on each
// name (../node/aside.h). The processes know nothing of it, whatever language they are written in.
//
// Whole connections are relayed, not messages: a connection is opened to the process for each that
// is accepted in its place, all bytes go on unchanged, both ways, and either end's closing or
// half-closing is passed on. What a peer meets stays true:
//   - If the process is dead, its stand-in refuses connections; one that was waiting just then is
//     reset, as the kernel does it.
//   - If its backlog is full, the stand-in accepts one connection, and no more until that one gets
//     through: the rest wait in the stand-in's own backlog. A wait is never a death.
//   - Links stay FIFO: see Inbox (../node/links.h). Before a connection is opened to a process, all
//     that was said to it on earlier ones has been passed on.
//
// A message is what one read returns, as for the example [PyBully], and one with a list is all that
// is said on a connection; who sent it, its FROM says.
// Before a process's first message is passed on, its own name has its stand-in: so the reply is
// seen as well.
//
// Descriptors are set aside for each process before its name is taken. A name whose links could not
// be served would cut the process off from the others, and one that is left out would make a
// recording lie: so a relay that has no room for all processes takes no name, and one to which too
// many come gives all names back.
//
// Messages of an election can be held here until they are delivered or dropped. Pings and questions
// for the status pass. Nothing here waits. Read next: ../commands/record.cc.
#pragma once

#include <poll.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "election/message.h"
#include "election/ping_reply.h"
#include "node/aside.h"
#include "node/directory.h"
#include "node/system.h"

namespace bully {

// Who is told what is seen.
class Witness {
 public:
  enum class Way : std::uint8_t {
    sent,       // its sender has said it
    delivered,  // its receiver has been given it
    refused,    // nobody is there to be given it, or any more
  };

  virtual ~Witness() = default;
  // A name has appeared, or a process has come back to it.
  virtual void on_start(NodeId id) = 0;
  // It refuses connections; or it has left, and its name is gone.
  virtual void on_end(NodeId id, bool has_left) = 0;
  // `ticket`: of this message, above 0.
  virtual void on_message(const Message& message, NodeId to, Way way, std::uint64_t ticket) = 0;
  // Who has just sent a message of an election is not at its name by now, if it ever had one.
  virtual void on_gone(NodeId /*from*/, bool /*has_left*/) {}
  // The ping of `from` to `to` is over: with this reply, from a node of ours; or without one.
  virtual void on_pinged(NodeId from, NodeId to, const std::optional<PingReply>& reply) = 0;
  // What was sent to `to` is no message. It is passed on all the same.
  virtual void on_noise(NodeId /*to*/) {}
  // Something cannot be done just now, and is tried again: errno.
  virtual void on_trouble(int /*error*/) {}
};

// There are more processes than the limit on open files lets a relay stand in for.
struct TooFewDescriptors : SetupError {
  TooFewDescriptors(std::size_t how_many, std::size_t how_many_needed, std::size_t limit);

  std::size_t processes;
  std::size_t needed;
  std::size_t allowed;
};

class Relay {
 public:
  // Stands in for every process in `directory`, and for those that come. Throws SetupError. The
  // destructor puts all names back. Both arguments must outlive it.
  Relay(const Directory& directory, Witness& witness);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  // Waits until one of `others` is ready, there is something to do here, or it is `deadline`; then
  // takes in and passes on what there is, and returns. Call it again and again. Throws
  // TooFewDescriptors, or SetupError if a connection has waited long for want of descriptors.
  void serve(std::vector<pollfd>& others, Time deadline);

  // From now on messages of elections wait here; or no longer, and all that wait go on.
  void hold(bool holds);
  // Lets one that waits go on, or drops it: as if it had been lost on its way. Not to be called by
  // the witness.
  void deliver(std::uint64_t ticket);
  void drop(std::uint64_t ticket);

 private:
  struct End {
    Descriptor descriptor = {};
    bool is_closed = false;  // at its other side, in both directions

    bool has_been_closed();
  };
  // What has been read at one end, and not yet been written at the other.
  struct Flow {
    // A sender that is faster than its receiver has to wait.
    static constexpr std::size_t most_bytes = std::size_t{1} << 16;

    std::string bytes = {};
    bool has_ended = false;    // at its source
    bool is_finished = false;  // and its target has been told

    void take_from(End& source);
    void give_to(const End& target, const End& source);
  };
  // A connection that was accepted in a process's place.
  struct Call {
    enum class Phase : std::uint8_t {
      said,     // it is read before anything else, since it may have to wait here
      held,     // it waits here
      waits,    // for the process, whose backlog is full
      through,  // connected at both ends
      over,
    };
    NodeId to = 0;
    End caller;
    Phase phase = Phase::waits;
    End process = {};
    Flow there = {};
    Flow back = {};
    std::string beginning = {};  // of what was said, until it is judged
    std::optional<Message> message = {};
    std::uint64_t ticket = 0;
    bool is_judged = false;  // whether it is a message, and which
    bool is_delivered = false;
    bool is_answered = false;
  };
  struct Stand {
    Descriptor listener = {};  // none: the process is dead
    int waiting = 0;           // calls
    Duration pause{0};
    Time next_try = never;
    Time starved_since = never;  // a connection waits here for want of descriptors
  };

  void add_to(std::vector<pollfd>& polled) const;
  void serve_calls(const pollfd* ready);
  void look();
  void change(const std::function<void()>& names);
  void begin_if_new(NodeId id);
  void tell_if_gone(NodeId id);
  void begin(NodeId id);
  void end(NodeId id, Stand& stand, bool has_left);
  bool accept_one(NodeId id);
  void retry(NodeId id, Stand& stand);
  std::size_t standing() const;
  std::size_t needed_for(std::size_t processes) const;
  bool may_accept() const;
  static bool starve(Stand& stand);
  bool note_exhaustion(Stand& stand, int error);
  void wait_for_process(Call& call);
  void reach(Call& call, Stand& stand);
  void pump(Call& call);
  void relay(Call& call);
  void hear_reply(Call& call);
  void judge(Call& call, std::string_view said);
  void give_up(Call& call);
  Call* held(std::uint64_t ticket);

  const Directory& directory_;
  Witness& witness_;
  Aside aside_;
  std::map<NodeId, Stand> stands_;
  std::deque<Call> calls_;  // in the order of acceptance
  Time next_look_{0};
  std::size_t allowed_;  // descriptors
  std::size_t own_;      // of these, what this program needs besides
  Time exhausted_until_{0};
  std::uint64_t last_ticket_ = 0;
  bool holds_ = false;
  bool is_leaving_ = false;  // all processes have their names again
};

}  // namespace bully
