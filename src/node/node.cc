#include "node/node.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <utility>

namespace bully {

namespace {

// The time from a connection's acceptance to the end of its message. Peers write a message with one
// send, but in a crowd may lose the processor before it.
constexpr Duration max_trickle = std::chrono::seconds(1);

// Messages that wait for their turn with --pace. Beyond this number they are dropped.
constexpr std::size_t max_paced = 4096;

// With --pace every peer is slow, so waits are longer. Before an answer, each peer may have to
// handle a message from every other process, and its reply comes after as many. Before an
// election's end on a ring, the number goes round and comes back, and so does the result. Each
// message takes two pauses, one before it leaves and one before it is handled.
constexpr std::size_t answer_rounds = 4;
constexpr std::size_t election_rounds = 8;
constexpr std::size_t news_rounds = 2;

// A process that is not followed is watched after this part of an interval, plus a crowd's time.
constexpr int watch_part = 8;

// No detector reports anything to a node led by hand.
Waits waits_of(const NodeOptions& options) {
  const std::string_view detector = options.detector == Detector::ping ? "ping" : "eof";
  return {.detector = options.by_hand ? "off" : detector,
          .ping_interval_ns = options.ping_interval.count(),
          .ping_timeout_ns = options.ping_timeout.count(),
          .answer_timeout_ns = options.answer_timeout.count(),
          .coordinator_timeout_ns = options.coordinator_timeout.count(),
          .pace_ns = options.pace.count()};
}

// The ids in a file, or nothing, and errno says why.
std::optional<std::vector<NodeId>> order_in(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored)) {
    errno = EISDIR;  // it can be opened, and looks empty
    return std::nullopt;
  }
  std::vector<NodeId> order;
  for (std::string word; file >> word;) {
    const std::optional<NodeId> id = parse_id(word);
    errno = EINVAL;
    if (!id) return std::nullopt;
    order.push_back(*id);
  }
  return order;
}

}  // namespace

Node::Node(NodeOptions options, const Algorithm& algorithm, NodeObserver& observer)
    : options_(std::move(options)),
      algorithm_(algorithm),
      participant_(options_.variant == nullptr ? algorithm.make(options_.id)
                                               : options_.variant->make(options_.id),
                   algorithm.signed_name()),
      observer_(observer),
      pid_(getpid()),
      started_at_(monotonic_now()),
      now_(started_at_),
      signals_({SIGUSR1, SIGUSR2, SIGCHLD, SIGCONT}),
      directory_(options_.directory, true),
      inbox_(*this, share_descriptors()),
      outbox_(directory_, options_.by_hand ? NodeByHand::without_end : options_.answer_timeout,
              [this](NodeId to, const Message& lost, Loss loss) { on_lost(to, lost, loss); }),
      monitor_({options_, algorithm_, directory_, observer_},
               // The child's first act: while it held these, no peer could see its parent's death.
               [this] {
                 inbox_.close_all();
                 signals_.close_inherited();
                 directory_.open_again();
               }),
      random_(static_cast<std::uint32_t>(pid_ ^ started_at_.count())) {
  if (!options_.ring.empty() && !order_in(options_.ring)) {
    throw SetupError(errno, "read " + options_.ring, Advice::choose_ring);
  }
  inbox_.listen_on(directory_.publish(options_.id));
  // No process pings a node led by hand, a question to it may be an order, and it watches nobody.
  if (options_.by_hand) return;
  go_on_meanwhile(this);
  try {
    monitor_.start();
  } catch (...) {
    directory_.withdraw(options_.id);
    throw;
  }
}

void Node::run() try {
  take_part();
  leave();
} catch (...) {
  leave();
  throw;
}

void Node::take_part() {
  handle(Started{.incarnation = static_cast<std::uint64_t>(started_at_.count())});
  while (true) {
    tell_monitor();
    // The monitor's reports are younger than the messages that wait for their turn.
    const int reports = paced_.empty() ? monitor_.report_fd() : -1;
    polled_.assign({{signals_.fd(), POLLIN, 0}, {reports, POLLIN, 0}});
    inbox_.add_to(polled_);
    // After a signal there is something to read now.
    if (poll_for(polled_, poll_timeout(next_deadline(), monotonic_now())) < 0) continue;
    now_ = monotonic_now();
    // A signal that came after poll() looked counts as well: its effect on others may be here.
    std::set<int> signals;
    while (const std::optional<int> number = signals_.next()) signals.insert(*number);
    const auto has_come = [&signals](int number) { return signals.contains(number); };
    if (has_come(SIGCONT)) on_continued();
    // Then nothing more is handled: no message, no timer.
    if (has_come(SIGINT) || has_come(SIGTERM) || has_come(SIGHUP)) break;
    const bool suspects = suspects_by(signals);
    // First others' messages: they are older than this node's suspicions and timers.
    inbox_.receive(&polled_[2], now_, max_trickle + crowd_time(listed_.size()));
    if (has_come(SIGCHLD) && monitor_.has_died()) start_monitor(true);
    // The others may have elected another. A suspicion has had the same effect.
    if (has_come(SIGCONT) && !suspects) handle(Started{.resumed = true});
    handle_paced();
    if (polled_[1].revents != 0 && paced_.empty()) read_reports();
    settle_doubt();
    expire_timers();
    housekeep();
    outbox_.retry(now_);
  }
}

Time Node::next_deadline() const {
  Time next = paced_.empty() ? never : next_paced_;
  for (const Wait& wait : timers_) next = std::min(next, wait.until);
  if (doubt_) next = std::min(next, doubt_->second.until);
  return std::min(
      {next, watch_wait_.until, inbox_.next_deadline(), outbox_.next_deadline(), housekeeping_at_});
}

// --- Incoming events ---

void Node::on_message(const Message& message, Descriptor connection) {
  const bool is_a_peers = message.from != options_.id && algorithm_.speaks(message.type);
  // Rules outside take time, in which the inbox goes on: so they begin when it has ended.
  const bool asks_outside = !algorithm_.signature.empty() && !options_.by_hand;
  const bool must_wait = options_.pace > Duration(0) || asks_outside;
  if (is_a_peers && must_wait && paced_.size() < max_paced) {
    if (paced_.empty()) next_paced_ = now_ + options_.pace;
    paced_.push_back(message);  // counted when its turn comes
    return;
  }
  ++received_[message.type];
  if (message.type == messages::ping) {
    reply_to_ping(message, std::move(connection));
  } else if (message.type == messages::status) {
    send_once(connection, encode(reply_to(message)));
  } else if (message.from == options_.id) {
    on_dropped("self");  // a node sends no message to itself: another process uses its name
  } else if (!algorithm_.speaks(message.type)) {
    observer_.notice(Notice::foreign, static_cast<std::int64_t>(message.from));
    on_dropped("foreign");
  } else if (!must_wait) {
    handle(Received{message});
  } else {
    on_dropped("crowded");
  }
}

void Node::handle_paced() {
  while (!paced_.empty() && now_ >= next_paced_) {
    const Message message = paced_.front();
    paced_.pop_front();
    ++received_[message.type];
    handle(Received{message});
    next_paced_ = now_ + options_.pace;
  }
}

// Arriving messages wait for their turn, pings are answered. A signal ends all pauses at once.
void Node::await_turn() {
  pollfd signal{signals_.fd(), POLLIN, 0};
  now_ = monotonic_now();
  wait_for({&signal, 1}, now_ + options_.pace);
}

// Pings are answered, and messages wait, also while the protocol waits for an outside program.
void Node::wait_for(std::span<pollfd> awaited, Time end) {
  std::vector<pollfd> polled;
  bool is_ready = false;
  for (now_ = monotonic_now(); now_ < end && !is_ready; now_ = monotonic_now()) {
    polled.assign(awaited.begin(), awaited.end());
    inbox_.add_to(polled);
    const Time next = std::min(end, inbox_.next_deadline());
    if (poll_for(polled, poll_timeout(next, now_)) < 0) continue;
    std::copy_n(polled.begin(), awaited.size(), awaited.begin());
    is_ready = std::ranges::any_of(awaited, [](const pollfd& one) { return one.revents != 0; });
    now_ = monotonic_now();
    inbox_.receive(&polled[awaited.size()], now_, max_trickle);
  }
}

void Node::on_dropped(std::string_view reason) {
  ++dropped_;
  record({.node = options_.id, .event = TraceEvent::drop, .reason = reason});
  observer_.flush();
}

void Node::reply_to_ping(const Message& message, Descriptor connection) {
  if (options_.trace_pings) record(receipt_of(message, options_.id));
  // The example closes its pings at once: then no process reads this reply, which is all right.
  send_once(connection, encode(reply_of(protocol())));
  if (message.has(fields::hold_open)) inbox_.hold(std::move(connection));
}

NodeStatus Node::status() const {
  NodeStatus status{snapshot_of(protocol())};
  status.pid = pid_;
  status.algorithm = algorithm_.signed_name();
  status.monitor_pid = monitor_.pid();
  status.uptime_ms = (now_ - started_at_) / std::chrono::milliseconds(1);
  status.sent = sent_;
  status.received = received_;
  status.dropped = dropped_;
  status.sent[messages::ping] = monitor_.pings_sent();
  return status;
}

void Node::read_reports() {
  while (const std::optional<MonitorReport> report = monitor_.next_report()) {
    if (report->is_found) {
      if (protocol().coordinator() == options_.id) handle(PeerFound{report->watched});
    } else if (report->reason == Suspicion::deposed && is_paced()) {
      if (!doubt_ || doubt_->first != report->watched) {
        doubt_ = {report->watched, Wait{.until = now_}};
      }
    } else if (report->reason) {
      handle(Suspected{report->watched, *report->reason});
    } else {
      publish_again();
    }
  }
}

// With --pace, the new coordinator's announcement may be in flight for long.
void Node::settle_doubt() {
  if (!doubt_ || !is_over(doubt_->second, news_rounds)) return;
  const NodeId doubted = std::exchange(doubt_, std::nullopt)->first;
  if (protocol().coordinator() == doubted) handle(Suspected{doubted, Suspicion::deposed});
}

void Node::expire_timers() {
  for (std::size_t i = 0; i < timers_.size(); ++i) {
    const auto timer = static_cast<Timer>(i);
    if (!is_over(timers_[i], timer == Timer::answer ? answer_rounds : election_rounds)) continue;
    stop_timer(timer);
    handle(Expired{timer});
  }
}

// --- The protocol and its actions ---

void Node::handle(const Event& event) {
  is_listed_ = false;
  participant_.handle(event, *this, *this);
}

// A ring that listed the directory again for each dead name would take seconds for a thousand.
std::span<const NodeId> Node::ids() const {
  if (!std::exchange(is_listed_, true)) listed_ = directory_.ids();
  return listed_;
}

NodeId Node::next_of(NodeId id, Direction way) const {
  const auto order = options_.ring.empty() ? std::nullopt : order_in(options_.ring);
  if (!order || order->empty()) return Peers::next_of(id, way);
  return next_on_ring(ring_through(*order, ids()), ids(), id, way);
}

void Node::record(Record record) {
  record.t_ns = monotonic_now().count();
  record.pid = pid_;
  if (record.event == TraceEvent::start) record.waits = waits_of(options_);
  observer_.record(record);
}

void Node::tell_monitor() {
  const bool is_new = wanted_ != monitor_.watched();
  if (is_new && !wanted_.as_coordinator && !is_time_to_watch()) return;
  watch_wait_ = {};
  if (is_new) monitor_.watch(wanted_);
}

// During an election the process to watch may change with each message, and matters only if the
// election lasts: then a process does not react. So the monitor learns of a coordinator at once,
// and of any other process only after the time of an election among processes that react.
bool Node::is_time_to_watch() {
  if (watch_wait_.until == never) watch_wait_.until = now_ + options_.ping_interval / watch_part;
  return is_over(watch_wait_, answer_rounds);
}

Loss Node::send(NodeId to, const Message& message) {
  ++sent_[message.type];
  const Loss loss = outbox_.send(to, message, now_);
  if (loss == Loss::gone) sweep_later(to);
  return loss;
}

void Node::on_lost(NodeId to, const Message& message, Loss loss) {
  if (loss == Loss::gone) sweep_later(to);
  is_listed_ = false;
  participant_.lose(to, message, loss, *this, *this);
}

void Node::start_timer(const StartTimer& action) {
  const auto [shortest_ns, longest_ns] =
      wait_range(action, options_.answer_timeout.count(), options_.coordinator_timeout.count());
  std::uniform_int_distribution<std::int64_t> length_ns(shortest_ns, longest_ns);
  timers_[static_cast<std::size_t>(action.timer)] = {.until = end_of(Duration(length_ns(random_))),
                                                     .told = {++timers_started_, action.attempts}};
}

bool Node::is_over(Wait& wait, std::size_t rounds) const {
  if (wait.until > now_) return false;
  // Counts the processes only now: the count is seldom needed, and takes time.
  if (!std::exchange(wait.counts_others, true)) {
    const std::size_t living = directory_.living_count();
    wait.until += crowd_time(living);
    wait.until += options_.pace * static_cast<std::int64_t>(rounds * living + 2);
  }
  return wait.until <= now_;
}

// --- Orders ---

bool Node::suspects_by(const std::set<int>& signals) {
  if (!signals.contains(SIGUSR1) && !signals.contains(SIGUSR2)) return false;
  const auto reason = signals.contains(SIGUSR1) ? Suspicion::down : Suspicion::hung;
  const NodeId followed = protocol().coordinator().value_or(options_.id);
  if (followed != options_.id) handle(Suspected{followed, reason});
  return true;
}

// Only a running timer expires; the protocol checks which processes may be suspected.
NodeStatus NodeByHand::reply_to(const Message& question) {
  const std::optional<Event> order = ordered_by(question);
  const auto* expired = order ? std::get_if<Expired>(&*order) : nullptr;
  const bool is_void = expired != nullptr && timers_[std::size_t(expired->timer)].until == never;
  if (expired != nullptr) stop_timer(expired->timer);
  if (order && !is_void) handle(*order);
  NodeStatus told = status();
  told.by_hand = {.watched = protocol().watched()};
  std::ranges::transform(timers_, told.by_hand->timers.begin(), &Wait::told);
  return told;
}

}  // namespace bully
