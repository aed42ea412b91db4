// link_proxy.h: proxies on the links between the processes of a shared directory, one on each name
// (../node/taken_names.h). The processes do not know of it, whatever language they are written in.
//
// The proxy relays whole connections, not messages: for each accepted connection it opens one to
// the process, passes on all bytes unchanged, both ways, and passes on the closing or half-closing
// of either end. A peer's observations stay true:
//   - If the process is dead, its proxy refuses connections; a waiting connection is reset, as by
//     the kernel.
//   - If its backlog is full, the proxy accepts one connection, and no more until that one gets
//     through: the rest wait in the proxy's own backlog. A wait never looks like a death.
//   - Links stay FIFO: see Inbox (../node/links.h). Before the proxy opens a connection to a
//     process, it has passed on all bytes of earlier ones.
//
// The bytes of one read are a message, as for the example [PyBully]; a message with a list is all
// bytes of its connection. FROM is its sender. A process's own name gets its proxy before its first
// message is passed on, so that the reply is seen as well.
//
// Descriptors are set aside for each process before its name is taken: a name whose links could not
// be served would cut the process off from the others (README.md, Limits).
//
// Messages of an election can be held here until they are delivered or dropped; pings and status
// requests pass. Messages to the dead can be held as well, until a script lets their sender learn
// that the receiver is gone. No function here waits, except serve().
#pragma once

#include <poll.h>
#include <sys/types.h>

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
#include "node/directory.h"
#include "node/system.h"
#include "node/taken_names.h"

namespace bully {

class LinkObserver {
 public:
  enum class Way : std::uint8_t {
    sent,       // its sender has sent it
    delivered,  // its receiver has received it
    refused,    // its receiver is gone
  };

  virtual ~LinkObserver() = default;
  // A name has appeared, or a process has returned to it.
  virtual void on_start(NodeId /*id*/) {}
  // The process refuses connections; or it has left, and its name is gone.
  virtual void on_end(NodeId /*id*/, bool /*has_left*/) {}
  // `ticket`: of this message, above 0.
  virtual void on_message(const Message&, NodeId /*to*/, Way, std::uint64_t /*ticket*/) {}
  // The sender of an election's message is not at its name by now, if it ever had one.
  virtual void on_gone(NodeId /*from*/, bool /*has_left*/) {}
  // The ping of `from` to `to` is over: with this reply, from a node of this program; or without
  // one.
  virtual void on_pinged(NodeId /*from*/, NodeId /*to*/, const std::optional<PingReply>&) {}
  // The bytes that begin a connection to `to` are no message. They are passed on all the same.
  virtual void on_noise(NodeId /*to*/, std::string_view /*bytes*/) {}
  // An operation failed, and is tried again later: errno.
  virtual void on_trouble(int /*error*/) {}
};

// The limit on open files is too low for proxies of all processes.
struct TooFewDescriptors : SetupError {
  TooFewDescriptors(std::size_t how_many, std::size_t how_many_needed, std::size_t limit);

  std::size_t processes;
  std::size_t needed;
  std::size_t allowed;
};

class LinkProxy {
 public:
  // Takes the name of every process in `directory`, now and later. Throws SetupError. The
  // destructor puts all names back. Both arguments must outlive it.
  LinkProxy(const Directory& directory, LinkObserver& observer);
  ~LinkProxy();
  LinkProxy(const LinkProxy&) = delete;
  LinkProxy& operator=(const LinkProxy&) = delete;

  // Waits until any of `others` is ready, this proxy has work, or `deadline`; then does the work,
  // and returns: call it again and again. Throws TooFewDescriptors, or SetupError if a connection
  // has waited long for want of descriptors.
  void serve(std::vector<pollfd>& others, Time deadline);

  // From now on messages of elections wait here; or no longer, and all waiting ones go on.
  void hold(bool holds);
  // Passes on a waiting message, or loses it. The observer must not call these.
  void deliver(std::uint64_t ticket);
  void drop(std::uint64_t ticket);
  // Proxies of the dead accept connections and hold their messages; or they refuse, held messages
  // as well.
  void keep_for_dead(bool keeps);

  // The process that has sent this message, while it passes; 0 if the system does not report it.
  pid_t sender_pid(std::uint64_t ticket) const;

  // Finds processes that have come or gone: serve() does so every few milliseconds.
  void look();
  // True if this process is present, and has its proxy.
  bool has_proxy(NodeId id) const;

 private:
  struct End {
    Descriptor descriptor = {};
    bool is_closed = false;  // by the other side, in both directions

    bool has_been_closed();
  };
  struct Flow {
    // A sender that is faster than its receiver has to wait.
    static constexpr std::size_t most_bytes = std::size_t{1} << 16;

    std::string bytes = {};
    bool has_ended = false;    // at its source
    bool is_finished = false;  // and its target has got the end

    void take_from(End& source);
    void give_to(const End& target, const End& source);
  };
  enum class Phase : std::uint8_t {
    reading,  // the first message is still being read, since it may have to wait here
    held,     // the message waits here
    waits,    // for the process, whose backlog is full
    through,  // connected at both ends
    over,
  };
  struct LinkConnection {
    NodeId to = 0;
    End caller;
    Phase phase = Phase::waits;
    End process = {};
    Flow there = {};
    Flow back = {};
    std::string beginning = {};  // the first bytes, until they are classified
    std::optional<Message> message = {};
    std::uint64_t ticket = 0;
    bool is_classified = false;  // true if `message` is decided
    bool is_delivered = false;
    bool is_answered = false;
  };
  // The proxy on one name, which outlives the process there while its messages are kept.
  struct LinkListener {
    Descriptor socket = {};  // empty: it refuses, as the process is dead
    bool is_dead = false;
    Duration pause{0};
    Time next_try = never;       // while connections wait
    Time starved_since = never;  // a connection waits here for want of descriptors

    bool is_alive() const { return socket && !is_dead; }
  };

  void add_to(std::vector<pollfd>& polled) const;
  void serve_calls(const pollfd* ready);
  void change(const std::function<void()>& names);
  void begin_if_new(NodeId id);
  void report_if_gone(NodeId id);
  void begin(NodeId id);
  void end(NodeId id, LinkListener& listener);
  void refuse_all(NodeId id, LinkListener& listener);
  bool accept_one(NodeId id);
  void retry(NodeId id, LinkListener& listener);
  std::size_t listening() const;
  std::size_t needed_for(std::size_t processes) const;
  bool may_accept() const;
  static void starve(LinkListener& listener);
  void note_exhaustion(LinkListener& listener, int error);
  void wait_for_process(LinkConnection& call);
  void reach(LinkConnection& call, LinkListener& listener);
  void pump(LinkConnection& call);
  void pass_on(LinkConnection& call);
  void read_reply(LinkConnection& call);
  void classify(LinkConnection& call, std::string_view bytes);
  void give_up(LinkConnection& call);
  LinkConnection* held(std::uint64_t ticket);

  const Directory& directory_;
  LinkObserver& observer_;
  TakenNames taken_names_;
  std::map<NodeId, LinkListener> listeners_;
  std::deque<LinkConnection> connections_;  // in the order of acceptance
  Time next_look_{0};
  std::size_t allowed_;  // descriptors
  std::size_t own_;      // of these, used by this program for other purposes
  Time exhausted_until_{0};
  std::uint64_t last_ticket_ = 0;
  bool holds_ = false;
  bool keeps_for_dead_ = false;
  bool is_leaving_ = false;  // all processes have their names again
};

}  // namespace bully
