// monitor_child.cc: the monitor's work, in a separate process.
//
// It pings the coordinator each interval and reports, once, that it is
//   down:    no process is behind the coordinator's name any more;
//   hung:    for a whole ping timeout there was no sign of life: neither a reply nor, from a peer
//            that speaks only the example's protocol, the close of any ping that is still held;
//   deposed: its reply names another coordinator. For a neighbour on a ring that is no news. With
//            --pace, all replies do so for the time that the news takes.
// With --pace, one process's monitor reports a death at once (Algorithm::first_to_report), and the
// others give that one the time of an election (README.md).
//
// The example closes a connection only after it has accepted the next one [PyBully]. So if a ping
// has no echo after half its timeout, the monitor sends a second one, and it keeps the connection
// of the last ping until the next.
//
// The monitor of a coordinator watches the processes above it instead: if one replies, it is alive,
// and so the coordinator is deposed. In this way two coordinators detect each other. If a process
// above is alive but does not take over, the waits between reports grow: each report costs an
// election. If the algorithm has a condition Algorithm::finds, the monitor also pings some of the
// processes below each interval, and reports a process that meets the condition.
//
// On a ring the monitor would find several hung processes one after the other, each as the
// neighbour of the last. So, at the first doubt about one, it also pings the next processes
// clockwise, all at once, and reports all hung processes together.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "election/pace.h"
#include "node/links.h"
#include "node/monitor.h"

namespace bully {

namespace {

// A full backlog is tried again after this part of the time for which it has been full: a thousand
// monitors that try more often would take the processor that its owner needs.
constexpr int busy_part = 16;

// The largest number of processes pinged at a time above a coordinator or ahead on a ring.
constexpr std::size_t max_pinged = 32;

// The longest wait, in ping intervals, between reports of a process above that does not take over.
constexpr int max_report_intervals = 64;

struct MonitorChild {
  enum class Kind : std::uint8_t {
    plain,  // to the watched process, or to those above a coordinator
    held,   // kept open to learn of the coordinator's death
    ahead,  // to a process ahead clockwise, without a sign of life since
  };
  struct Ping {
    NodeId to = 0;
    Descriptor connection;
    Kind kind = Kind::plain;
  };
  struct Doubt {
    Duration lasted;
    Time shown_at;
  };

  const MonitorSetup& setup;
  PingCounter& pings_sent;
  pid_t parent;
  Descriptor targets;
  Descriptor reports;
  const NodeOptions& options = setup.options;
  std::minstd_rand random{static_cast<std::uint32_t>(getpid() ^ monotonic_now().count())};

  std::optional<NodeId> target = {};                 // the watched process, until it is suspected
  std::optional<SocketIdentity> reported_name = {};  // a foreign socket with this node's name
  bool watches_coordinator = false;                  // not a process that has answered
  std::vector<Ping> pings = {};
  Time next_hold = Time(0);  // no other connection is held before this
  Time next_ping = never;
  // For a ping without a sign of life since: the times of sending, of suspicion and of the second
  // ping.
  Time waits_since = never;
  Time hung_at = never;
  Time second_ping_at = never;

  Time ahead_since = never;  // when the processes ahead were pinged

  // By the process whose replies show that this node's coordinator is deposed, or that it is found:
  // for how long, and when they showed it last.
  std::map<NodeId, Doubt> doubts = {};

  // With --pace: when it found the coordinator gone, while it leaves the report to another.
  Time left_since = never;

  // For a coordinator's monitor: the last process pinged that is not above.
  NodeId looked_at = 0;

  // For a coordinator's monitor: the processes above that it has reported and whose names remain,
  // and when to report again.
  std::vector<NodeId> reported_above = {};
  Duration report_again_after{};
  Time report_again_at = Time(0);

  [[noreturn]] void run() {
    std::vector<pollfd> polled;
    while (true) {
      polled.assign(1, {targets.get(), POLLIN, 0});
      for (const Ping& ping : pings) polled.push_back({ping.connection.get(), POLLIN, 0});
      const Time next_wake = std::min({next_ping, hung_at, second_ping_at});
      if (poll_for(polled, poll_timeout(next_wake, monotonic_now())) < 0) continue;
      const Time now = monotonic_now();
      for (std::size_t i = 1; i < polled.size(); ++i) {
        if (polled[i].revents != 0) read_echo(pings[i - 1], now);
      }
      if (polled[0].revents != 0) read_targets();
      std::erase_if(pings, [](const Ping& ping) { return !ping.connection; });
      tick(monotonic_now());
    }
  }

  void read_targets() {
    WatchTarget next;
    ssize_t got = 0;
    while ((got = read(targets.get(), &next, sizeof next)) == sizeof next) watch(next);
    if (got >= 0 || (errno != EINTR && errno != EAGAIN)) _exit(0);  // the parent is gone
  }

  void watch(const WatchTarget& watch) {
    watches_coordinator = watch.as_coordinator;
    if (watch.whom && target == watch.whom) return;
    // Another process has taken over, or has answered: the reports had their effect.
    if (watch.whom && watch.whom != options.id) reported_above.clear();
    close_pings(false);
    if (watch.whom && watch.as_coordinator) close_pings(true);
    target = watch.whom;
    doubts.clear();
    left_since = never;
    next_hold = Time(0);
    hung_at = second_ping_at = next_ping = never;
    if (!target) return;
    // Each monitor begins at a random moment of the interval: the more monitors, the sooner the
    // first of them detects a death. The held connection is needed at once. So is a ping to a
    // process that is watched but not followed, as that happens only if an election lasts.
    const bool at_once =
        *target != options.id && (options.detector == Detector::eof || !watches_coordinator);
    std::uniform_int_distribution<std::int64_t> phase(0, options.ping_interval.count());
    next_ping = monotonic_now() + (at_once ? Duration(0) : Duration(phase(random)));
  }

  void tick(Time now) {
    if (!target) return;
    if (now >= hung_at) {
      hung_at = hung_when_silent_since(waits_since);
      if (now >= hung_at) suspect(Suspicion::hung);
    } else if (now >= next_ping) {
      look_at_own_name();
      next_ping = now + options.ping_interval;
      *target == options.id ? ping_the_others(now) : ping_watched(now);
    } else if (now >= second_ping_at) {
      second_ping_at = never;
      ping_target(false, now);
      look_ahead(now);
    }
  }

  // Reports each other live socket there once: a proxy may have the name for long.
  void look_at_own_name() {
    if (setup.directory.is_published(options.id)) return reported_name.reset();
    const std::string path = setup.directory.socket_path(options.id);
    const auto named = socket_at(path);
    if (named && named == reported_name && SocketTable().may_be_node(path)) return;
    reported_name = named;
    report(NameLost{});
  }

  Time hung_when_silent_since(Time since) const {
    return since + options.ping_timeout + crowd_time(setup.directory.living_count());
  }

  void ping_watched(Time now) {
    if (!watches_coordinator) look_ahead(now);
    if (hung_at == never) {
      const bool was_silent = std::ranges::any_of(pings, [this](const Ping& ping) {
        return ping.kind == Kind::ahead && ping.to == target;
      });
      waits_since = was_silent ? ahead_since : now;
      hung_at = waits_since + options.ping_timeout;
      second_ping_at = waits_since + options.ping_timeout / 2;
    }
    // Keeps the held connection, and the last ping, which the example closes at the next.
    bool is_last = true;
    for (auto ping = pings.rbegin(); ping != pings.rend(); ++ping) {
      if (ping->kind == Kind::plain && !std::exchange(is_last, false)) ping->connection.reset();
    }
    const bool is_held = std::ranges::count(pings, Kind::held, &Ping::kind) > 0;
    const bool hold = options.detector == Detector::eof && !is_held && now >= next_hold;
    if (!ping_target(hold, now)) {
      const Duration wait = std::max(busy_interval, (now - waits_since) / busy_part);
      next_ping = std::min(next_ping, now + wait);
    }
  }

  void look_ahead(Time now) {
    if (!setup.algorithm.watches_neighbour || ahead_since != never) return;
    ahead_since = now;
    setup.peers.renew();
    std::vector<NodeId> ahead;
    NodeId next = options.id;
    while (ahead.size() < setup.peers.ids().size()) {
      next = setup.peers.next_of(next);
      if (next == options.id) break;
      ahead.push_back(next);
    }
    ping_some(ahead, Kind::ahead, now);
  }

  // Pings the processes above; and all others, in turn, if the algorithm has a condition `finds`.
  void ping_the_others(Time now) {
    close_pings(false);
    const auto prefers = setup.algorithm.prefers;
    std::vector<NodeId> above = setup.directory.ids();
    std::vector<NodeId> below = above;
    std::erase_if(above, [&](NodeId id) { return !prefers(id, options.id); });
    std::erase_if(below, [&](NodeId id) { return id == options.id || prefers(id, options.id); });
    std::ranges::sort(above, prefers);
    if (setup.algorithm.finds == nullptr) below.clear();
    const auto next = std::ranges::upper_bound(below, looked_at);
    std::rotate(below.begin(), next, below.end());
    const std::size_t passed = ping_some(below, Kind::plain, now);
    if (passed > 0) looked_at = below[passed - 1];
    std::erase_if(reported_above,
                  [&](NodeId id) { return std::ranges::find(above, id) == above.end(); });
    ping_some(above, Kind::plain, now);
  }

  // Returns the number of names tried: names of the dead cost little, and may be many.
  std::size_t ping_some(std::span<const NodeId> ids, Kind kind, Time now) {
    std::size_t passed = 0;
    for (std::size_t pinged = 0; passed < ids.size() && pinged < max_pinged; ++passed) {
      if (send_ping(ids[passed], kind, now) == Reach::reached) ++pinged;
    }
    return passed;
  }

  // True if there is an outcome: the ping is in flight, or its receiver is known to be down.
  bool ping_target(bool hold, Time now) {
    const Reach reach = send_ping(*target, hold ? Kind::held : Kind::plain, now);
    if (reach == Reach::gone || reach == Reach::foreign) {
      hung_at = second_ping_at = never;
      suspect(Suspicion::down);
    }
    return reach != Reach::busy;
  }

  Reach send_ping(NodeId to, Kind kind, Time now) {
    Connection connection = connect_to(setup.directory.socket_path(to));
    if (connection.reach != Reach::reached) return connection.reach;
    Message message{.type = messages::ping, .from = options.id, .number = ++pings_sent};
    Record sent = sent_message(to, message);  // a trace does not say that the ping is held
    if (kind == Kind::held) {
      message.type = messages::held_ping;
      message.set(fields::hold_open);
    }
    if (!send_question(connection.descriptor, encode(message))) return Reach::busy;
    pings.push_back({to, std::move(connection.descriptor), kind});
    sent.t_ns = now.count();
    sent.pid = parent;
    if (options.trace_pings) setup.trace.record(sent);
    return Reach::reached;
  }

  void read_echo(Ping& ping, Time now) {
    if (!ping.connection) return;  // closed since: another ping's echo was a reason to suspect
    std::string bytes;
    const Incoming incoming = read_some(ping.connection, bytes);
    if (incoming == Incoming::nothing) return;
    const bool held = ping.kind == Kind::held;
    if (incoming != Incoming::some || !held) ping.connection.reset();
    if (ping.kind == Kind::ahead) {
      // A process ahead that echoes is not hung.
      if (incoming == Incoming::some && ping.to == target) on_sign_of_life();
      return;
    }
    if (const auto reply = decode_ping_reply(bytes)) {
      on_reply(*reply, ping.to, now);
    } else if (incoming != Incoming::failed && !held) {
      // The example closes without a reply: it is alive, and more is not known.
      if (target && *target != options.id) on_sign_of_life();
    } else {
      // The held connection has ended, or the peer closed without reading. Ping at once to learn
      // the cause; but hold another connection only with the next regular ping, as this peer may
      // have no room.
      if (held) next_hold = now + options.ping_interval;
      next_ping = std::min(next_ping, held ? now : now + busy_interval);
    }
  }

  void on_reply(const PingReply& reply, NodeId asked, Time now) {
    if (!target) return;
    if (*target == options.id) {
      const bool is_found = setup.algorithm.looks_for(own(), reply);
      const bool is_above = setup.algorithm.outranks(reply.id, options.id);
      if (!is_found && !is_above) doubts.erase(asked);
      if ((!is_found && !is_above) || !is_certain(asked, now)) return;
      if (is_found) report(PeerFound{reply.id});
      if (is_above) on_alive_above(asked, now);
      return;
    }
    on_sign_of_life();
    if (!reply.disowns(asked, own())) {
      doubts.clear();
    } else if (is_certain(asked, now)) {
      suspect(Suspicion::deposed);
    }
  }

  // With --pace, the announcement that a reply anticipates may be in flight for long: what the
  // reply shows counts only if each ping has shown it since then. A time without pings, as when the
  // machine or this process stands still, does not count: the announcement stood still as well.
  bool is_certain(NodeId id, Time now) {
    if (options.pace == Duration(0)) return true;
    const Duration longest_gap = 2 * options.ping_interval;
    Doubt& doubt = doubts.try_emplace(id, Doubt{Duration(0), now}).first->second;
    const Duration gap = now - std::exchange(doubt.shown_at, now);
    doubt.lasted += std::min(gap, longest_gap);
    if (gap > longest_gap + options.ping_timeout) doubt.lasted = Duration(0);
    const std::size_t living = setup.directory.living_count();
    return doubt.lasted >= options.pace * pauses_in(SlowWait::news, living);
  }

  // The reply that its parent would give.
  PingReply own() const { return {options.id, watches_coordinator ? target : std::nullopt}; }

  void on_alive_above(NodeId id, Time now) {
    const bool is_new = std::ranges::find(reported_above, id) == reported_above.end();
    if (!is_new && now < report_again_at) return;
    if (reported_above.empty()) report_again_after = options.ping_interval / 2;
    if (is_new) reported_above.push_back(id);
    report_again_after =
        std::min(report_again_after * 2, options.ping_interval * max_report_intervals);
    report_again_at = now + report_again_after;
    suspect(Suspicion::deposed);
  }

  void on_sign_of_life() {
    hung_at = second_ping_at = left_since = never;
    if (watches_coordinator) close_pings(true);
  }

  // Whether another process's monitor should report that the coordinator is gone, for now. Then
  // this one looks again after an interval.
  bool leaves_to_another(Time now) {
    if (options.pace == Duration(0) || !watches_coordinator) return false;
    std::vector<NodeId> living = setup.directory.living();
    std::erase(living, *target);
    if (living.empty() || setup.algorithm.first_to_report(living) == options.id) return false;
    left_since = std::min(left_since, now);
    const Duration ping = options.ping_interval + options.ping_timeout;
    const auto left = left_to_another_ns(ping.count(), options.pace.count(), living.size());
    if (now - left_since > Duration(left)) return false;
    if (hung_at != never) hung_at = now + options.ping_interval;
    return true;
  }

  void suspect(Suspicion reason) {
    if (reason != Suspicion::deposed && leaves_to_another(monotonic_now())) return;
    if (reason == Suspicion::hung) report_those_ahead();
    report(Suspected{*target, reason});
    target.reset();
    hung_at = second_ping_at = next_ping = never;
    close_pings(false);
  }

  void close_pings(bool ahead) {
    for (Ping& ping : pings) {
      if ((ping.kind == Kind::ahead) == ahead) ping.connection.reset();
    }
    if (ahead) ahead_since = never;
  }

  // Before the watched process: then the node can skip all of them together.
  void report_those_ahead() {
    if (ahead_since == never || hung_when_silent_since(ahead_since) > monotonic_now()) return;
    for (const Ping& ping : pings) {
      const bool is_other = ping.kind == Kind::ahead && ping.to != target;
      if (is_other) report(Suspected{ping.to, Suspicion::hung});
    }
  }

  void report(const MonitorReport& report) {
    while (write(reports.get(), &report, sizeof report) < 0) {
      if (errno == EINTR) continue;
      if (errno != EAGAIN) _exit(0);  // the parent is gone
      poll(nullptr, 0, 1);            // the parent has a pipe full of reports to read
    }
  }
};

}  // namespace

void run_monitor(const MonitorSetup& setup, PingCounter& pings_sent, pid_t parent,
                 Descriptor targets, Descriptor reports) {
  MonitorChild{setup, pings_sent, parent, std::move(targets), std::move(reports)}.run();
}

}  // namespace bully
