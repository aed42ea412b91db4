#include "node/node.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "node/setup_error.h"
#include "node/unix_socket.h"

namespace bully {

namespace {

// So many connections wait for their message to be complete: at most; and at least, since whoever
// is crowded out is not heard.
constexpr std::size_t max_unfinished = 512;
constexpr std::size_t min_unfinished = 4;

// What a node opens for itself after its signals, its directory and its trace: the listener and an
// end of each of the monitor's pipes. And for a moment: at most three, to publish itself again.
constexpr std::size_t own_descriptors = 3;
constexpr std::size_t passing_descriptors = 4;

// From a connection's acceptance to the end of its message. Peers write theirs with one send, but
// in a crowd may lose the processor before it.
constexpr Duration max_trickle = std::chrono::seconds(1);

// Messages that wait for their turn with --pace. Whoever sends more than that is not heard.
constexpr std::size_t max_paced = 4096;

// With --pace everyone takes his time, and so must whoever waits. For an answer: each peer may have
// a message from every other to handle before ours, and its own reply comes after as many. For an
// election's end: on a ring the number goes round, and comes back, and the news as well.
constexpr std::size_t answer_rounds = 2;
constexpr std::size_t election_rounds = 4;

// Whoever is not followed is watched after this part of a ping interval, and a crowd's time.
constexpr int watch_part = 8;

// A timer that repeats an election in vain is longer by up to this part, so that nodes which
// waited together do not go on in step.
constexpr double max_jitter = 0.25;

// A third of what the node does not need for itself is for connections that have not said anything
// yet; the rest for those that are held. Where no room is left to hold one, it is closed, and its
// monitor goes on as with `--detector=ping`. Throws SetupError where not even that is possible.
DescriptorShares share_descriptors() {
  const std::size_t limit = raise_descriptor_limit();
  const std::size_t own = count_descriptors(limit) + own_descriptors + passing_descriptors;
  const std::size_t needed = own + min_unfinished;
  if (limit < needed) {
    throw SetupError(EMFILE, "open " + std::to_string(needed) + " descriptors",
                     Advice::raise_descriptors);
  }
  const std::size_t left = limit - own;
  const std::size_t unfinished = std::clamp(left / 3, min_unfinished, max_unfinished);
  return {unfinished, left - unfinished};
}

}  // namespace

Node::Node(NodeOptions options, const Algorithm& algorithm, NodeObserver& observer)
    : options_(std::move(options)),
      algorithm_(algorithm),
      participant_(algorithm.make(options_.id), algorithm.name),
      observer_(observer),
      pid_(getpid()),
      started_at_(monotonic_now()),
      now_(started_at_),
      directory_(options_.directory, true),
      shares_(share_descriptors()),
      inbox_(*this, shares_.unfinished),
      outbox_(directory_, *this, options_.answer_timeout),
      watchers_(shares_.held),
      monitor_({.self = options_.id,
                .detector = options_.detector,
                .ping_interval = options_.ping_interval,
                .ping_timeout = options_.ping_timeout,
                .looks_ahead = algorithm_.is_ring,
                .ping_trace = options_.trace_pings ? &observer_ : nullptr},
               directory_, [this] { let_go_in_child(); }),
      random_(static_cast<std::uint32_t>(pid_ ^ started_at_.count())) {
  inbox_.listen_on(directory_.publish(options_.id));
  try {
    monitor_.start();
  } catch (...) {
    directory_.withdraw(options_.id);
    throw;
  }
}

// The monitor's first act. As long as it held these, nobody could see its parent's death.
void Node::let_go_in_child() {
  inbox_.close_all();
  watchers_.close_all();
  signals_.close_inherited();
  directory_.open_again();
}

void Node::run() {
  handle(Started{});
  while (true) {
    watch();
    polled_.assign({{signals_.fd(), POLLIN, 0}, {monitor_.report_fd(), POLLIN, 0}});
    inbox_.add_to(polled_);
    const int ready = poll(polled_.data(), static_cast<nfds_t>(polled_.size()),
                           poll_timeout(next_deadline(), monotonic_now()));
    if (ready < 0) continue;  // a signal: now there is something to read
    now_ = monotonic_now();
    const SignalsSeen seen = polled_[0].revents != 0 ? read_signals() : SignalsSeen{};
    if (seen.leave) break;  // and nothing else is done: no message, no timer
    // First what others have sent: it is older than what we suspect, and than our timers. Names of
    // the dead count here, which only a connection that stays silent gains by.
    inbox_.receive(&polled_[2], now_, max_trickle + crowd_time(directory_.last_count()));
    if (polled_[0].revents != 0 && monitor_.has_died()) replace_monitor();
    // Stopped and continued: the others may have given us up, and elected somebody else.
    if (seen.continued) handle(Started{.resumed = true});
    if (polled_[1].revents != 0) read_reports();
    handle_paced();
    expire_timers();
    outbox_.retry(now_);
    housekeep();
  }
  leave();
}

Time Node::next_deadline() const {
  Time next = paced_.empty() ? never : next_paced_;
  for (const Wait& wait : timers_) next = std::min(next, wait.until);
  return std::min(
      {next, watch_wait_.until, inbox_.next_deadline(), outbox_.next_deadline(), housekeeping_at_});
}

// --- What comes in ---

void Node::on_message(const Message& message, Descriptor connection) {
  ++received_[static_cast<std::size_t>(message.type)];
  if (message.type == MessageType::ping) {
    reply_to_ping(message, std::move(connection));
  } else if (message.type == MessageType::status) {
    send_once(connection, encode(status()));
  } else if (message.from == options_.id) {
    on_dropped("self");  // we send nothing to ourselves: somebody else uses our name
  } else if (!algorithm_.speaks(message.type)) {
    observer_.notice(Notice::foreign, static_cast<std::int64_t>(message.from));
    on_dropped("foreign");
  } else if (options_.pace == Duration(0)) {
    handle(Received{message});
  } else if (paced_.size() < max_paced) {
    if (paced_.empty()) next_paced_ = now_ + options_.pace;
    paced_.push_back(message);
  } else {
    on_dropped("crowded");
  }
}

void Node::handle_paced() {
  if (paced_.empty() || now_ < next_paced_) return;
  const Message message = paced_.front();
  paced_.pop_front();
  next_paced_ = now_ + options_.pace;
  handle(Received{message});
}

void Node::on_dropped(std::string_view reason) {
  ++dropped_;
  record({.node = options_.id, .event = TraceEvent::drop, .reason = reason});
  observer_.flush();
}

void Node::reply_to_ping(const Message& message, Descriptor connection) {
  if (options_.trace_pings) record(receipt_of(message, options_.id));
  // The example closes its pings at once: then nobody is left to hear us, and that is all right.
  send_once(connection, encode(PingReply{options_.id, protocol().coordinator()}));
  if (message.subject != hold_open) return;
  inbox_.close_before(connection);
  watchers_.hold(std::move(connection));
}

NodeStatus Node::status() const {
  NodeStatus status{.id = options_.id,
                    .pid = pid_,
                    .algorithm = std::string(algorithm_.name),
                    .state = std::string(protocol().state_name()),
                    .coordinator = protocol().coordinator(),
                    .monitor_pid = monitor_.pid(),
                    .uptime_ms = (now_ - started_at_) / std::chrono::milliseconds(1),
                    .sent = sent_,
                    .received = received_,
                    .dropped = dropped_};
  status.sent[static_cast<std::size_t>(MessageType::ping)] = monitor_.pings_sent();
  return status;
}

Node::SignalsSeen Node::read_signals() {
  SignalsSeen seen;
  while (const std::optional<int> number = signals_.next()) {
    seen.continued = seen.continued || *number == SIGCONT;
    seen.leave = seen.leave || (*number != SIGCONT && *number != SIGCHLD);
  }
  return seen;
}

void Node::read_reports() {
  while (const std::optional<MonitorReport> report = monitor_.next_report()) {
    if (report->kind == MonitorReport::Kind::unpublished) {
      publish_again();
    } else {
      if (watched_ == report->watched) watched_.reset();  // the monitor has stopped watching it
      handle(Suspected{report->watched, report->reason});
    }
  }
}

void Node::expire_timers() {
  for (std::size_t i = 0; i < timers_.size(); ++i) {
    const auto timer = static_cast<Timer>(i);
    if (!is_over(timers_[i], timer == Timer::answer ? answer_rounds : election_rounds)) continue;
    timers_[i] = {};
    handle(Expired{timer});
  }
}

// --- The protocol, and what it wants done ---

// A ring passes over one dead name after the other: if each time it listed all that are left, a
// thousand of them would keep it for seconds.
void Node::handle(const Event& event) {
  const Directory::OneLook look(directory_);
  participant_.handle(event, directory_, *this);
}

void Node::record(Record record) {
  record.t_ns = monotonic_now().count();
  record.pid = pid_;
  observer_.record(record);
}

// Whom to watch during an election may change with each message, and matters only if the election
// lasts: then somebody does not react. The monitor is told of a coordinator at once, and of nobody
// else before an election among processes that react would be over.
void Node::watch() {
  const std::optional<NodeId> watched = protocol().watched();
  const bool is_coordinator = watched && watched == protocol().coordinator();
  if (watched_ == watched && watches_coordinator_ == is_coordinator) {
    watch_wait_ = {};
    return;
  }
  if (!is_coordinator) {
    if (watch_wait_.until == never) watch_wait_.until = now_ + options_.ping_interval / watch_part;
    if (!is_over(watch_wait_, answer_rounds)) return;
  }
  watch_wait_ = {};
  watched_ = watched;
  watches_coordinator_ = is_coordinator;
  monitor_.watch(watched, is_coordinator);
}

Loss Node::send(NodeId to, const Message& message) {
  ++sent_[static_cast<std::size_t>(message.type)];
  const bool is_gone = outbox_.send(to, message, now_) == Outbox::Fate::gone;
  if (is_gone) sweep_later(to);
  return is_gone ? Loss::gone : Loss::none;
}

void Node::on_lost(NodeId to, const Message& message, Loss loss) {
  if (loss == Loss::gone) sweep_later(to);
  const Directory::OneLook look(directory_);
  participant_.lose(to, message, loss, directory_, *this);
}

void Node::start_timer(const StartTimer& action) {
  Duration length = options_.answer_timeout;
  if (action.timer == Timer::coordinator) {
    length = options_.coordinator_timeout * (1 << action.vain);
    if (action.vain > 0) {
      std::uniform_real_distribution<double> jitter(0, max_jitter);
      length += std::chrono::duration_cast<Duration>(length * jitter(random_));
    }
  }
  timers_[static_cast<std::size_t>(action.timer)] = {.until = now_ + length};
}

bool Node::is_over(Wait& wait, std::size_t rounds) const {
  if (wait.until > now_) return false;
  // Only now does it look how many there are: it is seldom wanted, and takes time.
  if (!std::exchange(wait.counts_others, true)) {
    const std::size_t living = directory_.living_count();
    wait.until += crowd_time(living);
    wait.until += options_.pace * static_cast<std::int64_t>(rounds * living + 2);
  }
  return wait.until <= now_;
}

void Node::stop_timer(Timer timer) {
  timers_[static_cast<std::size_t>(timer)] = {};
}

}  // namespace bully
