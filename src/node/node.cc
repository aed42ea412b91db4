// node.cc: the poll loop of a real process.
#include "node/node.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include "election/endless_election.h"
#include "node/status_reply.h"

namespace bully {

namespace {

// The time from a connection's acceptance to the end of its message. Peers write a message with one
// send, but in a crowd may lose the processor before it.
constexpr Duration max_trickle = std::chrono::seconds(1);

// Events that wait for their turn. Beyond this number messages are dropped.
constexpr std::size_t max_waiting = 4096;

// Messages of one event that find nobody: more than the dead of any small crowd would cause. Among
// n processes n² more: on a ring a process repeats up to n messages to each dead process.
constexpr std::uint64_t max_gone_in_event = 20'000;

// A process that is not followed is watched after this part of an interval, plus a crowd's time.
constexpr int watch_part = 8;

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
      registry_(options_.directory, true),
      listing_(registry_, options_.ring),
      inbox_(*this, share_descriptors()),
      outbox_(registry_, options_.controlled ? without_end : options_.answer_timeout,
              [this](NodeId to, const Message& lost, Loss loss) { on_lost(to, lost, loss); }),
      monitor_({options_, algorithm_, registry_, listing_, observer_},
               // The child's first act: while it held these, no peer could see its parent's death.
               [this] {
                 inbox_.close_all();
                 signals_.close_inherited();
               }),
      outputs_(true, is_paced()),
      random_(static_cast<std::uint32_t>(pid_ ^ started_at_.count())),
      monitor_started_at_(started_at_) {
  inbox_.listen_on(registry_.publish(options_.id));
  // No process pings a controlled node. It watches no process, and a question may name an event.
  if (options_.controlled) return;
  try {
    monitor_.start();
  } catch (...) {
    registry_.withdraw(options_.id);
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
  // Later than all elections in which an earlier process under this id may have taken part.
  add(Started{.incarnation = static_cast<std::uint64_t>(monotonic_now().count())});
  while (true) {
    go_on();
    tell_monitor();
    const std::set<int> signals = wait();
    // A stopped process records nothing, and neither may the process that stopped it: Ctrl-Z, say.
    if (signals.contains(SIGCONT) && !options_.controlled) {
      record({.node = options_.id, .event = TraceEvent::resume});
    }
    // Then nothing more is handled: no message, no timer, nothing of a step that is not done.
    if (was_asked_to_leave() != 0) break;
    const bool suspects = suspects_after(signals);
    // First others' messages: they are older than this node's timers and its monitor's reports.
    inbox_.receive(polled_.data(), now_, max_trickle + crowd_time(listing_.last_size()));
    if (signals.contains(SIGCHLD)) monitor_.reap();
    // The others may have elected another. A suspicion has had the same effect.
    if (signals.contains(SIGCONT) && !suspects) add(Started{.resumed = true});
    go_on();
    read_reports();
    expire_timers();
    replace_monitor();
    sweep();
    outbox_.retry(now_);
  }
}

// Until something is ready or due. The signals that have come, also after poll() looked: their
// effect on others may be here.
std::set<int> Node::wait() {
  polled_.clear();
  inbox_.add_to(polled_);  // first: the results of the others are not looked at
  polled_.push_back({signals_.fd(), POLLIN, 0});
  // The monitor's reports are younger than the messages that wait for their turn.
  if (is_free()) polled_.push_back({monitor_.report_fd(), POLLIN, 0});
  if (options_.outside != nullptr) options_.outside->add_to(polled_);
  // A signal ends poll() before it has looked at anything: then there is something to read now.
  while (poll_for(polled_, poll_timeout(next_deadline(), monotonic_now())) < 0) {
  }
  now_ = monotonic_now();
  std::set<int> signals;
  while (const std::optional<int> number = signals_.next()) signals.insert(*number);
  return signals;
}

Time Node::next_deadline() const {
  Time next = std::min({watch_wait_.until, inbox_.next_deadline(), outbox_.next_deadline(),
                        sweep_at_, monitor_due_});
  if (options_.outside != nullptr) next = std::min(next, options_.outside->deadline());
  if (!is_free()) return goes_on_at_ > now_ ? std::min(next, goes_on_at_) : next;
  for (const Wait& wait : timers_) next = std::min(next, wait.until);
  return next;
}

// --- Incoming events ---

void Node::on_message(const Message& message, Descriptor& connection) {
  if (message.type == messages::ping) {
    ++received_[message.type];
    if (options_.trace_pings) record(receipt_of(message, options_.id));
    // The example closes its pings at once: then no process reads this reply, which is all right.
    send_once(connection, encode(reply_of(protocol())));
  } else if (message.type == messages::status) {
    ++received_[message.type];
    on_question(message, std::move(connection));
  } else if (message.from == options_.id) {
    // A node sends no message to itself: another process uses its name.
    drop(lost_message(options_.id, message, Loss::self));
  } else if (!algorithm_.speaks(message.type)) {
    say_once(Notice::foreign, static_cast<std::int64_t>(message.from));
    drop(lost_message(options_.id, message, Loss::foreign));
  } else if (waiting_.size() >= max_waiting) {
    drop(lost_message(options_.id, message, Loss::crowded));
  } else {
    add(Received{message});
    // At once, if nothing holds it back: a flood would fill the memory before its end.
    go_on();
  }
}

void Node::drop(Record dropped) {
  ++dropped_;
  record(std::move(dropped));
  observer_.flush();
}

// To a controlled node it may name an event. The protocol checks which processes may be suspected.
void Node::on_question(const Message& question, Descriptor connection) {
  if (!options_.controlled) {
    send_once(connection, encode(status()));
  } else if (waiting_.size() < max_waiting) {
    waiting_.push_back({event_in(question), std::move(connection)});
  }
}

void Node::on_dropped(std::string_view reason, std::string_view bytes) {
  observer_.dropping(bytes);
  drop({.node = options_.id, .event = TraceEvent::drop, .reason = reason});
}

NodeStatus Node::status() const {
  NodeStatus status{snapshot_of(protocol())};
  status.pid = pid_;
  status.algorithm = algorithm_.signed_name();
  if (monitor_.is_ready()) status.monitor_pid = monitor_.pid();
  status.uptime_ms = (now_ - started_at_) / std::chrono::milliseconds(1);
  status.sent = sent_;
  status.received = received_;
  status.dropped = dropped_;
  status.sent[messages::ping] = monitor_.pings_sent();
  if (options_.controlled) {
    status.controlled = {.watched = protocol().watched()};
    std::ranges::transform(timers_, status.controlled->timers.begin(), &Wait::told);
  }
  return status;
}

void Node::read_reports() {
  bool has_lost_name = false;
  while (is_free()) {
    const std::optional<MonitorReport> report = monitor_.next_report();
    if (!report) break;
    if (const auto* suspected = std::get_if<Suspected>(&*report)) {
      add(*suspected);
    } else if (const auto* found = std::get_if<PeerFound>(&*report)) {
      if (protocol().coordinator() == options_.id) add(*found);
    } else {
      has_lost_name = true;
    }
    go_on();
  }
  // Once, however often it has been reported: it may wait for a lock.
  if (has_lost_name) publish_again();
}

void Node::expire_timers() {
  for (const Timer which : {Timer::answer, Timer::coordinator}) {
    if (!is_free()) return;
    const auto attempts = static_cast<std::uint8_t>(timer(which).told.attempts);
    if (!is_over(timer(which), {which, attempts})) continue;
    add(Expired{which});
    go_on();
  }
}

bool Node::suspects_after(const std::set<int>& signals) {
  if (!signals.contains(SIGUSR1) && !signals.contains(SIGUSR2)) return false;
  const auto reason = signals.contains(SIGUSR1) ? Suspicion::down : Suspicion::hung;
  const NodeId followed = protocol().coordinator().value_or(options_.id);
  if (followed == options_.id) return false;
  add(Suspected{followed, reason});
  return true;
}

// --- Steps, and their outputs ---

// Until there is nothing to do, or something to wait for: the end of a pause, or an answer from
// outside.
void Node::go_on() {
  while (now_ >= goes_on_at_) {
    if (Output* next = outputs_.take()) {
      std::visit([this](auto& output) { carry_out(output); }, *next);
    } else if (in_hand_) {
      // Rules outside may still have to answer the question about it.
      const bool is_ready =
          options_.outside == nullptr || options_.outside->prepare(protocol(), *in_hand_, listing_);
      if (!is_ready) return;
      const Event event = *std::exchange(in_hand_, std::nullopt);
      if (const auto* received = std::get_if<Received>(&event)) ++received_[received->message.type];
      handled_at_ = monotonic_now();
      participant_.handle(event, listing_, outputs_);
    } else if (!take_next()) {
      return;
    }
  }
}

// Takes the event that is next in hand. False: there is none.
bool Node::take_next() {
  if (const std::optional<NodeId> gone = outputs_.take_gone()) {
    in_hand_ = PeerGone{*gone};
    return true;
  }
  // The event before has come to its end.
  if (std::exchange(is_in_event_, false)) observer_.flush();
  if (asker_) send_once(std::exchange(asker_, {}), encode(status()));
  if (waiting_.empty()) return false;
  Waiting next = std::move(waiting_.front());
  waiting_.pop_front();
  gone_in_event_ = 0;
  asker_ = std::move(next.asker);
  in_hand_ = std::move(next.event);
  is_in_event_ = true;
  listing_.renew();
  if (!in_hand_) return true;
  if (const auto* expired = std::get_if<Expired>(&*in_hand_)) {
    // Only a running timer expires.
    if (std::exchange(timer(expired->timer), {}).until == never) in_hand_.reset();
  } else if (std::holds_alternative<Received>(*in_hand_) && is_paced()) {
    carry_out(Pause{});
  }
  return true;
}

// An event has the time before its process lists the others: later ones were not there.
void Node::record(Record record) {
  record.t_ns = (begins_step(record) ? handled_at_ : monotonic_now()).count();
  record.pid = pid_;
  record.n = ++lines_;
  if (record.event == TraceEvent::start) {
    NodeOptions waits = options_;
    // No detector reports anything to a controlled node, and its waits have no end.
    if (options_.controlled) {
      waits.detector = Detector::off;
      waits.answer_timeout = waits.coordinator_timeout = {};
    }
    record.environment = make_environment(waits, waits.detector);
    Given given = record.given == nullptr ? Given() : *record.given;
    given.cluster = registry_.identity();
    record.given = std::make_shared<const Given>(given);
  }
  observer_.record(record);
}

void Node::carry_out(const Send& send) {
  ++sent_[send.message.type];
  outbox_.send(send.to, send.message, now_);
}

void Node::on_lost(NodeId to, const Message& message, Loss loss) {
  if (!std::exchange(is_in_event_, true)) listing_.renew();
  record(lost_message(to, message, loss));
  if (loss != Loss::gone) return;
  const std::uint64_t names = listing_.last_size();
  if (++gone_in_event_ > max_gone_in_event + names * names) {
    throw EndlessElection(gone_in_event_, {{message, to}});
  }
  to_sweep_.insert(to);
  sweep_at_ = end_of(options_.coordinator_timeout);
  outputs_.add_gone(to);
}

void Node::carry_out(const StartTimer& start) {
  const auto [shortest_ns, longest_ns] =
      wait_range(start, options_.answer_timeout.count(), options_.coordinator_timeout.count());
  std::uniform_int_distribution<std::int64_t> length_ns(shortest_ns, longest_ns);
  // From this moment: poll may have returned long ago, on a machine under load.
  const Duration since_poll = monotonic_now() - now_;
  timer(start.timer) = {.until = end_of(since_poll + Duration(length_ns(random_))),
                        .told = {++timers_started_, start.attempts}};
  const Duration longest = Duration(longest_ns) + extension_of(start, listing_.last_size());
  record(started_wait(options_.id, start.timer,
                      options_.controlled ? std::nullopt : std::optional(longest.count())));
}

// Of a wait, for other processes: they take turns on a processor, and pause with a pace.
Duration Node::extension_of(const StartTimer& kind, std::size_t processes) const {
  return crowd_time(processes) + options_.pace * pauses_in(kind, processes);
}

bool Node::is_over(Wait& wait, const StartTimer& kind) const {
  if (wait.until > now_) return false;
  // Counts the processes only now: the count is seldom needed, and takes time.
  if (!std::exchange(wait.counts_others, true)) {
    wait.until += extension_of(kind, registry_.living().size());
  }
  return wait.until <= now_;
}

// --- The monitor ---

// During an election the process to watch may change with each message, and matters only if the
// election lasts: then a process does not react. So the monitor learns of a coordinator at once,
// and of any other process only after the time of an election among processes that react.
void Node::tell_monitor() {
  if (options_.controlled) return;
  const bool is_new = wanted_ != monitor_.watched();
  if (is_new && !wanted_.as_coordinator) {
    if (watch_wait_.until == never) watch_wait_.until = now_ + options_.ping_interval / watch_part;
    if (!is_over(watch_wait_, {Timer::answer})) return;
  }
  watch_wait_ = {};
  if (is_new) monitor_.watch(wanted_);
}

}  // namespace bully
