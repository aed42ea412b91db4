// monitor_child.cc: what the monitor does, in its own process.
//
// It pings the coordinator each interval and reports, once, that it is
//   down:    nobody is behind the coordinator's name any more;
//   hung:    for a whole ping timeout there was no sign of life: neither a reply nor, from a peer
//            that speaks only the example's protocol, the close of any ping that is still held;
//   deposed: its reply names another coordinator. Of a neighbour on a ring that is no news.
// The example closes a connection only after it has accepted the next one [PyBully]. So a ping that
// stays without an echo for half its timeout is followed by a second one, and the connection of the
// last ping is kept until the next.
//
// The monitor of a coordinator watches the processes above it instead: one that replies is alive,
// and so the coordinator is deposed. That is how two coordinators find out about each other. One
// that is alive and does not take over is reported after ever longer waits: each report costs an
// election. Where the algorithm says for what (Algorithm::finds), it looks at those below as well,
// at some of them each interval, and reports one for which that is true.
//
// On a ring several that are hung would be found one after the other, each as the neighbour of the
// last. So, when there is reason to doubt one, the monitor pings those that follow its own node
// clockwise as well, at once, and reports with the one that is hung all others that are.
//
// It never sends ELECTION. It ends, with _exit, as soon as its parent's end of the pipe is closed,
// and also if it is stopped when its parent dies.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <random>
#include <vector>

#include "node/monitor.h"

namespace bully {

namespace {

// A peer whose backlog stays full is tried again after this part of the time for which it has been:
// a thousand monitors that press it would take the processor that it needs.
constexpr int busy_part = 16;

// How many are pinged at a time, at most, of those above a coordinator or ahead on a ring.
constexpr std::size_t max_pinged = 32;

// A process above that does not take over is reported in the end once in this many ping intervals.
constexpr int max_report_intervals = 64;

class MonitorChild {
 public:
  MonitorChild(const MonitorSetup& setup, PingCounter& pings_sent, pid_t parent,
               Descriptor commands, Descriptor reports)
      : setup_(setup),
        options_(setup.options),
        pings_sent_(pings_sent),
        parent_(parent),
        commands_(std::move(commands)),
        reports_(std::move(reports)),
        random_(static_cast<std::uint32_t>(getpid() ^ monotonic_now().count())) {}

  [[noreturn]] void run() {
    std::vector<pollfd> polled;
    while (true) {
      polled.assign(1, {commands_.get(), POLLIN, 0});
      for (const Ping& ping : pings_) polled.push_back({ping.connection.get(), POLLIN, 0});
      const Time next_wake =
          options_.by_hand ? never : std::min({next_ping_, hung_at_, second_ping_at_});
      if (poll_for(polled, poll_timeout(next_wake, monotonic_now())) < 0) continue;
      const Time now = monotonic_now();
      for (std::size_t i = 1; i < polled.size(); ++i) {
        if (polled[i].revents != 0) read_echo(pings_[i - 1], now);
      }
      if (polled[0].revents != 0) obey_commands();
      std::erase_if(pings_, [](const Ping& ping) { return !ping.connection; });
      if (!options_.by_hand) tick(monotonic_now());
    }
  }

 private:
  enum class Kind : std::uint8_t {
    plain,  // to the one that is watched, or to those above
    held,   // kept open to learn of the coordinator's death
    ahead,  // to one that follows clockwise, and has not shown a sign of life since
  };
  struct Ping {
    NodeId to = 0;
    Descriptor connection;
    Kind kind = Kind::plain;
  };

  void obey_commands() {
    WatchCommand command;
    ssize_t got = 0;
    while ((got = read(commands_.get(), &command, sizeof command)) == sizeof command) {
      obey(command);
    }
    if (got >= 0 || (errno != EINTR && errno != EAGAIN)) _exit(0);  // the parent is gone
  }

  void obey(const WatchCommand& command) {
    if (command.kind == WatchCommand::Kind::watch) return watch(command.watch);
    if (!target_) return;
    if (command.kind == WatchCommand::Kind::ping) {
      ping_now(monotonic_now());
    } else if (hung_at_ != never) {
      suspect(Suspicion::hung);
    }
  }

  void watch(const WatchTarget& watch) {
    is_coordinator_ = watch.as_coordinator;
    group_ = watch.group;
    if (watch.whom && target_ == watch.whom) return;
    // Somebody else has taken over, or has answered: whatever was reported had its effect.
    if (watch.whom && watch.whom != options_.id) reported_above_.clear();
    close_pings(false);
    if (watch.whom && watch.as_coordinator) close_pings(true);
    target_ = watch.whom;
    next_hold_ = Time(0);
    hung_at_ = second_ping_at_ = next_ping_ = never;
    if (!target_) return;
    // Each monitor begins at a random moment of the interval: the more there are, the sooner the
    // first of them notices a death. The held connection is wanted at once; and so is a ping to one
    // that is not followed, as it is watched only if an election lasts.
    const bool at_once =
        *target_ != options_.id && (options_.detector == Detector::eof || !is_coordinator_);
    std::uniform_int_distribution<std::int64_t> phase(0, options_.ping_interval.count());
    next_ping_ = monotonic_now() + (at_once ? Duration(0) : Duration(phase(random_)));
  }

  void tick(Time now) {
    if (!target_) return;
    if (now >= hung_at_) {
      hung_at_ = hung_when_silent_since(waits_since_);
      if (now >= hung_at_) suspect(Suspicion::hung);
    } else if (now >= next_ping_) {
      look_at_own_name();
      next_ping_ = now + options_.ping_interval;
      ping_now(now);
    } else if (now >= second_ping_at_) {
      second_ping_at_ = never;
      ping_target(false, now);
      look_ahead(now);
    }
  }

  // Once for each other live socket there: a stand-in may have the name for long.
  void look_at_own_name() {
    if (setup_.directory.is_published(options_.id)) return reported_name_.reset();
    const std::string path = setup_.directory.socket_path(options_.id);
    const auto named = socket_at(path);
    if (named && named == reported_name_ && SocketTable().may_be_node(path)) return;
    reported_name_ = named;
    report({.watched = options_.id});
  }

  void ping_now(Time now) {
    *target_ == options_.id ? ping_the_others(now) : ping_coordinator(now);
  }

  Time hung_when_silent_since(Time since) const {
    return since + options_.ping_timeout + crowd_time(setup_.directory.living_count());
  }

  void ping_coordinator(Time now) {
    if (!is_coordinator_) look_ahead(now);
    if (hung_at_ == never) {
      const bool was_silent = std::ranges::any_of(pings_, [this](const Ping& ping) {
        return ping.kind == Kind::ahead && ping.to == target_;
      });
      waits_since_ = was_silent ? ahead_since_ : now;
      hung_at_ = waits_since_ + options_.ping_timeout;
      second_ping_at_ = waits_since_ + options_.ping_timeout / 2;
    }
    // The held connection stays, and the last ping, which the example closes at the next.
    bool is_last = true;
    for (auto ping = pings_.rbegin(); ping != pings_.rend(); ++ping) {
      if (ping->kind == Kind::plain && !std::exchange(is_last, false)) ping->connection.reset();
    }
    const bool is_held = std::ranges::count(pings_, Kind::held, &Ping::kind) > 0;
    const bool hold = options_.detector == Detector::eof && !is_held && now >= next_hold_;
    if (!ping_target(hold, now)) {
      const Duration wait = std::max(busy_interval, (now - waits_since_) / busy_part);
      next_ping_ = std::min(next_ping_, now + wait);
    }
  }

  void look_ahead(Time now) {
    if (!setup_.algorithm.watches_neighbour || ahead_since_ != never) return;
    ahead_since_ = now;
    std::vector<NodeId> clockwise = setup_.directory.ids();
    std::erase(clockwise, options_.id);
    const auto next = std::ranges::upper_bound(clockwise, options_.id);
    std::rotate(clockwise.begin(), next, clockwise.end());
    ping_some(clockwise, Kind::ahead, now);
  }

  // Those above; and all others, in turn, if the algorithm looks for something there.
  void ping_the_others(Time now) {
    close_pings(false);
    const auto prefers = setup_.algorithm.prefers;
    std::vector<NodeId> above = setup_.directory.ids();
    std::vector<NodeId> below = above;
    std::erase_if(above, [&](NodeId id) { return !prefers(id, options_.id); });
    std::erase_if(below, [&](NodeId id) { return id == options_.id || prefers(id, options_.id); });
    std::ranges::sort(above, prefers);
    if (setup_.algorithm.finds == nullptr) below.clear();
    const auto next = std::ranges::upper_bound(below, looked_at_);
    std::rotate(below.begin(), next, below.end());
    const std::size_t passed = ping_some(below, Kind::plain, now);
    if (passed > 0) looked_at_ = below[passed - 1];
    std::erase_if(reported_above_,
                  [&](NodeId id) { return std::ranges::find(above, id) == above.end(); });
    ping_some(above, Kind::plain, now);
  }

  // Returns how many names it has gone through: names of the dead cost little, and may be many.
  std::size_t ping_some(std::span<const NodeId> ids, Kind kind, Time now) {
    std::size_t passed = 0;
    for (std::size_t pinged = 0; passed < ids.size() && pinged < max_pinged; ++passed) {
      if (send_ping(ids[passed], kind, now) == Reach::reached) ++pinged;
    }
    return passed;
  }

  // Whether there is an outcome: the ping is on its way, or its receiver is known to be down.
  bool ping_target(bool hold, Time now) {
    const Reach reach = send_ping(*target_, hold ? Kind::held : Kind::plain, now);
    if (reach == Reach::gone || reach == Reach::foreign) suspect(Suspicion::down);
    return reach != Reach::busy;
  }

  Reach send_ping(NodeId to, Kind kind, Time now) {
    Connection connection = connect_to(setup_.directory.socket_path(to));
    if (connection.reach != Reach::reached) return connection.reach;
    Message message{.type = messages::ping, .from = options_.id};
    message.number = ++pings_sent_;
    if (kind == Kind::held) message.set(fields::hold_open);
    if (!send_once(connection.descriptor, encode(message))) return Reach::busy;
    shutdown(connection.descriptor.get(), SHUT_WR);  // the example reads until then
    pings_.push_back({to, std::move(connection.descriptor), kind});
    if (options_.trace_pings) {
      setup_.trace.record({.t_ns = now.count(),
                           .node = options_.id,
                           .pid = parent_,
                           .event = TraceEvent::send,
                           .type = messages::ping,
                           .from = options_.id,
                           .to = to,
                           .number = message.number});
    }
    return Reach::reached;
  }

  void read_echo(Ping& ping, Time now) {
    if (!ping.connection) return;  // closed since: another one's echo was a reason to suspect
    std::array<char, max_message_bytes> bytes;
    const ssize_t got = recv(ping.connection.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    const bool held = ping.kind == Kind::held;
    if (got <= 0 || !held) ping.connection.reset();
    if (ping.kind == Kind::ahead) {
      // A process ahead that echoes is not hung, whatever else it is.
      if (got > 0 && ping.to == target_) on_sign_of_life();
      return;
    }
    std::optional<PingReply> reply;
    if (got > 0) reply = decode_ping_reply({bytes.data(), static_cast<std::size_t>(got)});
    if (reply) {
      on_reply(*reply, ping.to, now);
    } else if (got >= 0 && !held) {
      // The example closes without a word: it is alive, and that is all that it tells.
      if (target_ && *target_ != options_.id) on_sign_of_life();
    } else {
      // The held connection has ended, or the peer closed without reading. Ask why at once; but
      // hold another one only with the next regular ping, as this peer may have no room for it.
      if (held) next_hold_ = now + options_.ping_interval;
      next_ping_ = std::min(next_ping_, held ? now : now + busy_interval);
    }
  }

  void on_reply(const PingReply& reply, NodeId asked, Time now) {
    if (!target_) return;
    if (*target_ == options_.id) {
      if (setup_.algorithm.looks_for(own(), reply)) {
        report({.watched = reply.id, .is_found = true});
      }
      if (setup_.algorithm.outranks(reply.id, options_.id)) on_alive_above(asked, now);
      return;
    }
    on_sign_of_life();
    if (reply.disowns(asked, own())) suspect(Suspicion::deposed);
  }

  // What its parent would reply.
  PingReply own() const { return {options_.id, is_coordinator_ ? target_ : std::nullopt, group_}; }

  void on_alive_above(NodeId id, Time now) {
    const bool is_new = std::ranges::find(reported_above_, id) == reported_above_.end();
    if (!is_new && now < report_again_at_) return;
    if (reported_above_.empty()) report_again_after_ = options_.ping_interval / 2;
    if (is_new) reported_above_.push_back(id);
    report_again_after_ =
        std::min(report_again_after_ * 2, options_.ping_interval * max_report_intervals);
    report_again_at_ = now + report_again_after_;
    suspect(Suspicion::deposed);
  }

  void on_sign_of_life() {
    hung_at_ = second_ping_at_ = never;
    if (is_coordinator_) close_pings(true);
  }

  void suspect(Suspicion reason) {
    if (reason == Suspicion::hung) report_those_ahead();
    report({.reason = reason, .watched = *target_});
    target_.reset();
    hung_at_ = second_ping_at_ = next_ping_ = never;
    close_pings(false);
  }

  void close_pings(bool ahead) {
    for (Ping& ping : pings_) {
      if ((ping.kind == Kind::ahead) == ahead) ping.connection.reset();
    }
    if (ahead) ahead_since_ = never;
  }

  // Before the one that is watched: then the node can pass over all of them together.
  void report_those_ahead() {
    if (ahead_since_ == never || hung_when_silent_since(ahead_since_) > monotonic_now()) return;
    for (const Ping& ping : pings_) {
      const bool is_other = ping.kind == Kind::ahead && ping.to != target_;
      if (is_other) report({.reason = Suspicion::hung, .watched = ping.to});
    }
  }

  void report(const MonitorReport& report) {
    while (write(reports_.get(), &report, sizeof report) < 0) {
      if (errno == EINTR) continue;
      if (errno != EAGAIN) _exit(0);  // the parent is gone
      poll(nullptr, 0, 1);            // it has a pipe full of reports to read
    }
  }

  const MonitorSetup& setup_;
  const NodeOptions& options_;
  PingCounter& pings_sent_;
  pid_t parent_;
  Descriptor commands_;
  Descriptor reports_;
  std::minstd_rand random_;

  std::optional<NodeId> target_;                 // whom it watches, until it has suspected it
  std::optional<SocketIdentity> reported_name_;  // has its own node's name, and is not its socket
  bool is_coordinator_ = false;                  // whether the parent follows it
  std::optional<Group> group_;                   // the parent's
  std::vector<Ping> pings_;
  Time next_hold_ = Time(0);  // not before this is another one held
  Time next_ping_ = never;
  // Since a ping without a sign of life: when it was sent, too late, and to be asked again.
  Time waits_since_ = never;
  Time hung_at_ = never;
  Time second_ping_at_ = never;

  Time ahead_since_ = never;  // when those that follow clockwise were pinged

  // Of a coordinator's monitor: up to whom it has looked at those that are not above.
  NodeId looked_at_ = 0;

  // Of a coordinator's monitor: those above, reported and still named, and when to report again.
  std::vector<NodeId> reported_above_;
  Duration report_again_after_{};
  Time report_again_at_ = Time(0);
};

}  // namespace

void run_monitor(const MonitorSetup& setup, PingCounter& pings_sent, pid_t parent,
                 Descriptor commands, Descriptor reports) {
  MonitorChild(setup, pings_sent, parent, std::move(commands), std::move(reports)).run();
}

}  // namespace bully
