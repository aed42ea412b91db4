// monitor_child.cc: the monitor's work, in a separate process: sockets and pipes around the machine
// that decides (../detector/failure_detector.h). It also checks that its node's name still leads to
// the node.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <utility>
#include <vector>

#include "detector/failure_detector.h"
#include "node/links.h"
#include "node/monitor.h"

namespace bully {

namespace {

class MonitorChild : private PingNetwork {
 public:
  MonitorChild(const MonitorSetup& setup, MonitorPage& page, Descriptor targets, Descriptor reports)
      : setup_(setup),
        pings_sent_(page.pings_sent),
        targets_(std::move(targets)),
        reports_(std::move(reports)),
        random_(static_cast<std::uint32_t>(getpid() ^ monotonic_now().count())),
        detector_({.id = setup.options.id,
                   .algorithm = &setup.algorithm,
                   .detector = setup.options.detector,
                   .ping_interval = setup.options.ping_interval,
                   .ping_timeout = setup.options.ping_timeout,
                   .pace = setup.options.pace},
                  *this) {}

  [[noreturn]] void run() {
    std::vector<pollfd> polled;
    while (true) {
      polled.assign(1, {targets_.get(), POLLIN, 0});
      for (const Open& one : open_) polled.push_back({one.connection.get(), POLLIN, 0});
      const int timeout_ms = poll_timeout(detector_.next_deadline(), monotonic_now());
      if (poll_for(polled, timeout_ms) < 0) continue;
      const Time now = monotonic_now();
      for (std::size_t i = 1; i < polled.size(); ++i) {
        if (polled[i].revents != 0) read_echo(open_[i - 1], now);
      }
      if (polled[0].revents != 0) read_targets();
      if (detector_.tick(monotonic_now())) look_at_own_name();
      std::erase_if(open_, [](const Open& one) { return !one.connection; });
    }
  }

 private:
  struct Open : Ping {
    Descriptor connection;
  };

  void read_targets() {
    WatchTarget next;
    ssize_t got = 0;
    while ((got = read(targets_.get(), &next, sizeof next)) == sizeof next) {
      // Each monitor begins at a random moment of the interval: the more monitors, the sooner the
      // first of them detects a death.
      std::uniform_int_distribution<std::int64_t> phase(0, setup_.options.ping_interval.count());
      const bool is_urgent = detector_.is_urgent(next);
      detector_.watch(next, monotonic_now() + Duration(is_urgent ? 0 : phase(random_)));
    }
    if (got >= 0 || !would_block()) _exit(0);  // the parent is gone
  }

  // Reports each other live socket there once: a proxy may have the name for long.
  void look_at_own_name() {
    const std::string path = setup_.directory.socket_path(setup_.options.id);
    if (setup_.directory.is_published(path)) return reported_name_.reset();
    const auto named = socket_at(path);
    if (named && named == reported_name_ && SocketTable().may_be_node(path)) return;
    reported_name_ = named;
    write_report(NameLost{});
  }

  void read_echo(Open& one, Time now) {
    if (!one.connection) return;  // closed since: another ping's echo was a reason to suspect
    std::string bytes;
    const Incoming incoming = read_some(one.connection, bytes);
    if (incoming == Incoming::nothing) return;
    const bool is_held = one.kind == Ping::Kind::held;
    const auto reply = decode_ping_reply(bytes);
    const std::uint64_t number = one.number;
    if (!is_held || !reply) one.connection.reset();
    // From here on other connections may be opened and closed.
    if (reply) {
      detector_.on_reply(number, *reply, now);
    } else if (is_held || incoming == Incoming::failed) {
      detector_.on_broken(number, now);
    } else {
      detector_.on_closed(number);
    }
  }

  void write_report(const MonitorReport& report) {
    while (write(reports_.get(), &report, sizeof report) < 0) {
      if (!would_block()) _exit(0);  // the parent is gone
      poll(nullptr, 0, 1);           // the parent has a pipe full of reports to read
    }
  }

  // PingNetwork.
  PingOutcome send(const Ping& ping) override {
    Connection connection = connect_to(setup_.directory.socket_path(ping.to));
    const bool lacks_room = errno == EMFILE || errno == ENFILE || errno == ENOMEM;
    if (connection.reach == Reach::busy) {
      return lacks_room ? PingOutcome::unable : PingOutcome::busy;
    }
    if (connection.reach != Reach::reached) return PingOutcome::gone;
    Message message{.type = messages::ping, .from = setup_.options.id, .number = ++pings_sent_};
    Record sent = sent_message(ping.to, message);  // a trace does not say that the ping is held
    if (ping.kind == Ping::Kind::held) {
      message.type = messages::held_ping;
      message.set(fields::hold_open);
    }
    if (!send_question(connection.descriptor, encode(message))) return PingOutcome::busy;
    open_.push_back({ping, std::move(connection.descriptor)});
    sent.t_ns = monotonic_now().count();
    sent.pid = setup_.parent;
    if (setup_.options.trace_pings) setup_.trace.record(sent);
    return PingOutcome::sent;
  }
  void close(const Ping& ping) override {
    const auto found = std::ranges::find(open_, ping.number, &Open::number);
    if (found != open_.end()) found->connection.reset();
  }
  void report(const DetectorReport& finding) override {
    std::visit([this](const auto& one) { write_report(one); }, finding);
  }
  const Peers& peers() override {
    setup_.peers.renew();
    return setup_.peers;
  }
  std::vector<NodeId> living() override { return setup_.directory.living(); }
  Duration extra_patience() override { return crowd_time(living().size()); }

  const MonitorSetup& setup_;
  std::atomic<std::uint64_t>& pings_sent_;
  Descriptor targets_;
  Descriptor reports_;
  std::minstd_rand random_;
  FailureDetector detector_;
  std::vector<Open> open_;  // connections of pings, closed ones too until the round is over
  std::optional<SocketIdentity> reported_name_;  // a foreign socket with this node's name
};

}  // namespace

void run_monitor(const MonitorSetup& setup, MonitorPage& page, Descriptor targets,
                 Descriptor reports) {
  MonitorChild(setup, page, std::move(targets), std::move(reports)).run();
}

}  // namespace bully
