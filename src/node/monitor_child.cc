#include "node/monitor_child.h"

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <cerrno>

#include "node/unix_socket.h"

namespace bully {

namespace {

// A peer whose backlog is full is tried again after this; later, after a part of the time for which
// it has been so. It has much to do, and a thousand monitors that press it would take the processor
// that it needs. But where strangers press it harder, one has to come through.
constexpr Duration busy_interval = std::chrono::milliseconds(5);
constexpr int busy_part = 16;

// A coordinator asks no more than so many processes above it at a time.
constexpr std::size_t max_asked_above = 32;

// And on a ring no more than so many after it.
constexpr std::size_t max_ahead = 32;

// One above that does not take over is reported at last every so many ping intervals.
constexpr int max_report_intervals = 64;

// A child that is stopped when its parent dies does not see the end of its pipe. Its own process
// group helps, which its parent makes at once (monitor.cc): the parent's death orphans that group,
// and to an orphaned group with a stopped member the system sends SIGHUP and SIGCONT [POSIX,
// _exit]. That fails if the process that inherits the child is of the same session, as a
// container's shell can be; so Linux is asked to end the child as well.
void end_with_parent([[maybe_unused]] pid_t parent) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  if (getppid() != parent) _exit(0);  // it died before the request
}

}  // namespace

MonitorChild::MonitorChild(const MonitorOptions& options, const Directory& directory,
                           MonitorCounters& counters, pid_t parent, Descriptor commands,
                           Descriptor reports)
    : options_(options),
      directory_(directory),
      counters_(counters),
      parent_(parent),
      commands_(std::move(commands)),
      reports_(std::move(reports)),
      random_(static_cast<std::uint32_t>(getpid()) ^
              static_cast<std::uint32_t>(monotonic_now().count())) {
  // Ctrl-C and a closing terminal reach the whole process group; leaving is the parent's decision.
  signal(SIGINT, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  signal(SIGTERM, SIG_DFL);
  signal(SIGCHLD, SIG_DFL);
  signal(SIGCONT, SIG_DFL);
  end_with_parent(parent);
}

void MonitorChild::run() {
  std::vector<pollfd> polled;
  while (true) {
    polled.assign(1, {commands_.get(), POLLIN, 0});
    for (const Ahead& ahead : ahead_) polled.push_back({ahead.connection.get(), POLLIN, 0});
    for (const Ping& ping : pings_) polled.push_back({ping.connection.get(), POLLIN, 0});
    if (poll(polled.data(), static_cast<nfds_t>(polled.size()),
             poll_timeout(next_wake(), monotonic_now())) < 0) {
      continue;  // interrupted
    }
    const Time now = monotonic_now();
    const std::size_t first_ping = 1 + ahead_.size();
    for (std::size_t i = 1; i < polled.size(); ++i) {
      if (polled[i].revents == 0) continue;
      i < first_ping ? read_echo_from(ahead_[i - 1]) : read_echo(pings_[i - first_ping], now);
    }
    std::erase_if(ahead_, [](const Ahead& ahead) { return !ahead.connection; });
    std::erase_if(pings_, [](const Ping& ping) { return !ping.connection; });
    if (polled[0].revents != 0) obey_commands();
    tick(monotonic_now());
  }
}

void MonitorChild::obey_commands() {
  WatchCommand command;
  while (true) {
    const ssize_t got = read(commands_.get(), &command, sizeof command);
    if (got == sizeof command) {
      watch(command);
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else if (got < 0 && errno == EAGAIN) {
      return;
    } else {
      _exit(0);  // the parent is gone
    }
  }
}

void MonitorChild::watch(const WatchCommand& command) {
  is_coordinator_ = command.is_coordinator;
  // Still the same one: what has been learnt of it holds, and what it owes us it owes us still.
  if (command.watch && target_ == command.target) return;
  // Somebody else has taken over, or has answered: whatever was reported had its effect.
  if (command.watch && command.target != options_.self) reported_above_.clear();
  if (command.watch && command.is_coordinator) {
    ahead_.clear();
    ahead_since_ = never;
  }
  target_ = command.watch ? std::optional(command.target) : std::nullopt;
  pings_.clear();
  holding_ = false;
  next_hold_ = Time(0);
  hung_at_ = second_ping_at_ = next_ping_ = never;
  if (!target_) return;
  // Each monitor begins at a random moment of the interval: the first of many to notice a death
  // notices it the sooner, the more there are. The held connection is wanted at once; and so is a
  // ping to one that is not followed, as it is watched only where an election lasts.
  const bool at_once =
      *target_ != options_.self && (options_.detector == Detector::eof || !is_coordinator_);
  std::uniform_int_distribution<std::int64_t> phase(0, options_.ping_interval.count());
  next_ping_ = monotonic_now() + (at_once ? Duration(0) : Duration(phase(random_)));
}

Time MonitorChild::next_wake() const {
  return std::min({next_ping_, hung_at_, second_ping_at_});
}

void MonitorChild::tick(Time now) {
  if (!target_) return;
  if (now >= hung_at_) {
    // Only now does it look how many there are: it is seldom wanted, and takes time.
    hung_at_ = hung_when_silent_since(waits_since_);
    if (now >= hung_at_) suspect(Suspicion::hung);
  } else if (now >= next_ping_) {
    if (!directory_.is_published(options_.self)) {
      report({.kind = MonitorReport::Kind::unpublished, .watched = options_.self});
    }
    next_ping_ = now + options_.ping_interval;
    *target_ == options_.self ? ping_those_above(now) : ping_coordinator(now);
  } else if (now >= second_ping_at_) {
    second_ping_at_ = never;
    send_ping(*target_, false, now);
    look_ahead(now);
  }
}

Time MonitorChild::hung_when_silent_since(Time since) const {
  return since + options_.ping_timeout + crowd_time(directory_.living_count());
}

void MonitorChild::ping_coordinator(Time now) {
  if (!is_coordinator_) look_ahead(now);
  if (hung_at_ == never) {
    const bool silent_before =
        std::any_of(ahead_.begin(), ahead_.end(),
                    [this](const Ahead& ahead) { return ahead.connection && ahead.id == target_; });
    waits_since_ = silent_before ? ahead_since_ : now;
    hung_at_ = waits_since_ + options_.ping_timeout;
    second_ping_at_ = waits_since_ + options_.ping_timeout / 2;
  }
  keep_only_last_ping();
  const bool hold = options_.detector == Detector::eof && !holding_ && now >= next_hold_;
  if (!send_ping(*target_, hold, now)) {
    const Duration wait = std::max(busy_interval, (now - waits_since_) / busy_part);
    next_ping_ = std::min(next_ping_, now + wait);
  }
}

// Pings those that follow its own node clockwise, unless that has been done since a coordinator was
// last watched.
void MonitorChild::look_ahead(Time now) {
  if (!options_.looks_ahead || ahead_since_ != never) return;
  ahead_since_ = now;
  const auto all = directory_.ids();
  std::vector<NodeId> clockwise(all.begin(), all.end());
  std::erase(clockwise, options_.self);
  std::rotate(clockwise.begin(),
              std::upper_bound(clockwise.begin(), clockwise.end(), options_.self), clockwise.end());
  for (const NodeId id : clockwise) {
    if (ahead_.size() == max_ahead) return;
    Connection connection = connect_to(directory_.socket_path(id));
    if (connection.reach != Reach::reached) continue;
    if (!say_ping(connection.descriptor, id, false, now)) continue;
    ahead_.push_back({id, std::move(connection.descriptor)});
  }
}

// Whoever echoes is not hung, whatever else it is.
void MonitorChild::read_echo_from(Ahead& ahead) {
  char bytes[max_message_bytes];
  const ssize_t got = recv(ahead.connection.get(), bytes, sizeof bytes, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  ahead.connection.reset();
  if (got > 0 && ahead.id == target_) on_sign_of_life();
}

void MonitorChild::ping_those_above(Time now) {
  pings_.clear();
  const auto above = higher_than(options_.self, directory_.ids());
  const auto asked = above.last(std::min(above.size(), max_asked_above));
  std::erase_if(reported_above_,
                [&](NodeId id) { return !std::binary_search(asked.begin(), asked.end(), id); });
  for (const NodeId id : asked) send_ping(id, false, now);
}

// The held connection stays, and the last ping, which the example closes when it takes the next.
void MonitorChild::keep_only_last_ping() {
  const auto last =
      std::find_if(pings_.rbegin(), pings_.rend(), [](const Ping& ping) { return !ping.holds; });
  if (last == pings_.rend()) return;
  const int kept = last->connection.get();
  std::erase_if(pings_,
                [kept](const Ping& ping) { return !ping.holds && ping.connection.get() != kept; });
}

// Whether there is an outcome: the ping is on its way, or its receiver is known to be down.
bool MonitorChild::send_ping(NodeId to, bool hold, Time now) {
  Connection connection = connect_to(directory_.socket_path(to));
  if (connection.reach == Reach::gone || connection.reach == Reach::foreign) {
    if (to == target_) suspect(Suspicion::down);
    return true;
  }
  if (connection.reach == Reach::busy) return false;

  if (!say_ping(connection.descriptor, to, hold, now)) return false;
  pings_.push_back({to, std::move(connection.descriptor), hold});
  holding_ = holding_ || hold;
  return true;
}

bool MonitorChild::say_ping(const Descriptor& connection, NodeId to, bool hold, Time now) {
  Message message{.type = MessageType::ping, .from = options_.self};
  message.number = ++counters_.pings_sent;
  if (hold) message.subject = hold_open;
  if (!send_once(connection, encode(message))) return false;
  shutdown(connection.get(), SHUT_WR);  // the example reads until then
  if (options_.ping_trace != nullptr) {
    options_.ping_trace->record({.t_ns = now.count(),
                                 .node = options_.self,
                                 .pid = parent_,
                                 .event = TraceEvent::send,
                                 .type = MessageType::ping,
                                 .from = options_.self,
                                 .to = to,
                                 .number = message.number});
  }
  return true;
}

// Something came back on a ping's connection: a reply, its close, or both.
void MonitorChild::read_echo(Ping& ping, Time now) {
  if (!ping.connection) return;  // another one's echo was a reason to suspect
  char bytes[max_message_bytes];
  const ssize_t got = recv(ping.connection.get(), bytes, sizeof bytes, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  const bool held = ping.holds;
  const auto reply = got > 0 ? decode_ping_reply({bytes, static_cast<std::size_t>(got)})
                             : std::optional<PingReply>();
  if (got <= 0 || !held) {
    ping.connection.reset();
    ping.holds = false;
    if (held) holding_ = false;
  }
  if (reply) {
    on_reply(*reply, ping.to, now);
  } else if (got >= 0 && !held) {
    // The example closes without a word: it is alive, and that is all one learns from it.
    if (target_ && *target_ != options_.self) on_sign_of_life();
  } else {
    // The held connection has ended, or the peer closed without reading. Ask at once why; but hold
    // another one only with the next regular ping, as this peer may have no room for it.
    if (held) next_hold_ = now + options_.ping_interval;
    next_ping_ = std::min(next_ping_, held ? now : now + busy_interval);
  }
}

void MonitorChild::on_reply(const PingReply& reply, NodeId asked, Time now) {
  if (!target_) return;
  if (*target_ == options_.self) {
    if (reply.id > options_.self) on_alive_above(asked, now);
    return;
  }
  on_sign_of_life();
  if (is_coordinator_ && reply.coordinator && reply.coordinator != target_) {
    suspect(Suspicion::deposed);
  }
}

void MonitorChild::on_alive_above(NodeId id, Time now) {
  const bool is_new =
      std::find(reported_above_.begin(), reported_above_.end(), id) == reported_above_.end();
  if (reported_above_.empty()) report_again_after_ = options_.ping_interval / 2;
  if (is_new) {
    reported_above_.push_back(id);
  } else if (now < report_again_at_) {
    return;
  }
  report_again_after_ =
      std::min(report_again_after_ * 2, options_.ping_interval * max_report_intervals);
  report_again_at_ = now + report_again_after_;
  suspect(Suspicion::deposed);
}

void MonitorChild::on_sign_of_life() {
  hung_at_ = second_ping_at_ = never;
  if (!is_coordinator_) return;
  for (Ahead& ahead : ahead_) ahead.connection.reset();  // erased by run(), which may be among them
  ahead_since_ = never;
}

void MonitorChild::suspect(Suspicion reason) {
  if (reason == Suspicion::hung) report_those_ahead();
  report({.kind = MonitorReport::Kind::suspicion, .reason = reason, .watched = *target_});
  target_.reset();
  hung_at_ = second_ping_at_ = next_ping_ = never;
  holding_ = false;
  for (Ping& ping : pings_) ping.connection.reset();  // erased by run(), which may be among them
}

// Before the one that is watched: then the node can pass over all of them together.
void MonitorChild::report_those_ahead() {
  if (ahead_.empty() || hung_when_silent_since(ahead_since_) > monotonic_now()) return;
  for (const Ahead& ahead : ahead_) {
    if (!ahead.connection || ahead.id == target_) continue;
    report({MonitorReport::Kind::suspicion, Suspicion::hung, ahead.id});
  }
}

void MonitorChild::report(const MonitorReport& report) {
  while (write(reports_.get(), &report, sizeof report) < 0) {
    if (errno == EINTR) continue;
    if (errno != EAGAIN) _exit(0);  // the parent is gone
    poll(nullptr, 0, 1);            // it has a pipe full of reports to read
  }
}

}  // namespace bully
