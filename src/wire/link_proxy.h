// link_proxy.h: the links between the processes of a shared directory, with a stand-in of ours on
// each name (../node/aside.h). The processes know nothing of it, whatever language they are written
// in.
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
// So that a reply is seen as well, a process's own name has its stand-in before its first message
// is passed on.
//
// Descriptors are set aside for each process before its name is taken. A name whose links could not
// be served would cut the process off from the others, and one that is left out would make a
// recording lie: so a relay that has no room for all processes takes no name, and one to which too
// many come gives all names back.
//
// Messages of an election can be held here until they are delivered or dropped; pings and status
// requests pass. What is said to the dead can be held as well, until a script tells its sender that
// they are gone. Nothing here waits.
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

class LinkObserver {
 public:
  enum class Way : std::uint8_t {
    sent,       // its sender has said it
    delivered,  // its receiver has been given it
    refused,    // nobody is there to be given it, or any more
  };

  virtual ~LinkObserver() = default;
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
  // What was sent to `to`, beginning with these bytes, is no message. It is passed on all the same.
  virtual void on_noise(NodeId /*to*/, std::string_view /*bytes*/) {}
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

class LinkProxy {
 public:
  // Stands in for every process in `directory`, and for those that come. Throws SetupError. The
  // destructor puts all names back. Both arguments must outlive it.
  LinkProxy(const Directory& directory, LinkObserver& observer);
  ~LinkProxy();
  LinkProxy(const LinkProxy&) = delete;
  LinkProxy& operator=(const LinkProxy&) = delete;

  // Waits until one of `others` is ready, there is something to do here, or it is `deadline`; then
  // passes on what there is, and returns: to be called again and again. Throws TooFewDescriptors,
  // or SetupError if a connection has waited long for want of descriptors.
  void serve(std::vector<pollfd>& others, Time deadline);

  // From now on messages of elections wait here; or no longer, and all that wait go on.
  void hold(bool holds);
  // One that waits goes on, or is lost on its way. Not to be called by the observer.
  void deliver(std::uint64_t ticket);
  void drop(std::uint64_t ticket);
  // LinkListener-ins of the dead accept, and what is said is held; or they refuse, held messages as
  // well.
  void keep_for_dead(bool keeps);

  // Finds now who has come and gone: serve() does so every few milliseconds.
  void look();
  // Whether this process is there, and has its stand-in.
  bool stands_for(NodeId id) const;

 private:
  struct End {
    Descriptor descriptor = {};
    bool is_closed = false;  // at its other side, in both directions

    bool has_been_closed();
  };
  struct Flow {
    // A sender that is faster than its receiver has to wait.
    static constexpr std::size_t most_bytes = std::size_t{1} << 16;

    std::string bytes = {};
    bool has_ended = false;    // at its source
    bool is_finished = false;  // and its target has been told

    void take_from(End& source);
    void give_to(const End& target, const End& source);
  };
  struct LinkConnection {
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
    bool is_classified = false;  // whether it is a message, and which
    bool is_delivered = false;
    bool is_answered = false;
  };
  struct LinkListener {
    Descriptor listener = {};  // none: it refuses, as the process is dead
    bool is_dead = false;
    int waiting = 0;  // calls
    Duration pause{0};
    Time next_try = never;
    Time starved_since = never;  // a connection waits here for want of descriptors

    bool is_alive() const { return listener && !is_dead; }
  };

  void add_to(std::vector<pollfd>& polled) const;
  void serve_calls(const pollfd* ready);
  void change(const std::function<void()>& names);
  void begin_if_new(NodeId id);
  void tell_if_gone(NodeId id);
  void begin(NodeId id);
  void end(NodeId id, LinkListener& stand, bool has_left);
  void refuse_all(NodeId id, LinkListener& stand);
  bool accept_one(NodeId id);
  void retry(NodeId id, LinkListener& stand);
  std::size_t standing() const;
  std::size_t needed_for(std::size_t processes) const;
  bool may_accept() const;
  static bool starve(LinkListener& stand);
  bool note_exhaustion(LinkListener& stand, int error);
  void wait_for_process(LinkConnection& call);
  void reach(LinkConnection& call, LinkListener& stand);
  void pump(LinkConnection& call);
  void relay(LinkConnection& call);
  void hear_reply(LinkConnection& call);
  void classify(LinkConnection& call, std::string_view said);
  void give_up(LinkConnection& call);
  LinkConnection* held(std::uint64_t ticket);

  const Directory& directory_;
  LinkObserver& observer_;
  Aside aside_;
  std::map<NodeId, LinkListener> listeners_;
  std::deque<LinkConnection> connections_;  // in the order of acceptance
  Time next_look_{0};
  std::size_t allowed_;  // descriptors
  std::size_t own_;      // of these, what this program needs besides
  Time exhausted_until_{0};
  std::uint64_t last_ticket_ = 0;
  bool holds_ = false;
  bool keeps_for_dead_ = false;
  bool is_leaving_ = false;  // all processes have their names again
};

}  // namespace bully
