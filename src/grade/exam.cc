#include "grade/exam.h"

#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include "election/algorithm.h"
#include "node/aside.h"

namespace bully {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds look_interval(20);
// The interval at which a fake coordinator shows that it lives.
constexpr milliseconds beat_interval(100);
// The time for an answer on the same connection as the question.
constexpr Duration until_answered = std::chrono::seconds(2);
constexpr milliseconds until_sent(2'000);

// The sender of unreadable bytes is known if they begin as a message does.
Finding unreadable(NodeId to, std::string_view bytes) {
  const std::size_t mark = bytes.find(';');
  std::string sender(mark == std::string::npos ? "" : bytes.substr(mark + 1));
  sender.resize(std::min(sender.size(), sender.find_first_not_of("0123456789")));
  if (sender.empty()) sender = "?";
  return fault("wrong-bytes", sender, readable(bytes), to);
}

}  // namespace

Exam::Exam(ExamSettings& settings, LocalCluster& cluster)
    : Recording(default_algorithm().name, *this),
      settings_(settings),
      cluster_(cluster),
      directory_(settings.directory, true) {
  cluster_.guard().put_names_back(directory_.path());
  proxy_.emplace(directory_, static_cast<LinkObserver&>(*this));
}

Exam::~Exam() {
  std::vector<pid_t> roots;
  reap();
  for (const auto& [id, process] : processes_) {
    if (process.started > 0 && !status_of(process.started)) roots.push_back(process.started);
  }
  fakes_.clear();
  // End the processes before the names are back: then none is left that could answer.
  end_all_below_us(roots);
  proxy_.reset();
  // Removes only names, of processes that were started here; a private directory belongs to its
  // maker.
  for (const NodeId id : directory_.ids()) unlink(directory_.socket_path(id).c_str());
}

// --- On the links ---

void Exam::on_message(const Message& message, NodeId to, Way way, std::uint64_t ticket) {
  if (message.type == messages::ping && way == Way::sent) ++pings_[message.from];
  if (!message.type.is_of_election()) return;
  Recording::on_message(message, to, way, ticket);
  if (way == Way::sent && longest_delay_ > Duration(0)) {
    std::uniform_int_distribution<std::int64_t> some(0, longest_delay_.count());
    delayed_.emplace(monotonic_now() + Duration(some(chance_)), ticket);
  }
  const auto fake = fakes_.find(to);
  if (way != Way::delivered || fake == fakes_.end() || !fake->second.listener) return;
  if (message.type->role != Role::asks || fake->second.part == Part::silent) return;
  due_.emplace_back([this, to, from = message.from, part = fake->second.part] {
    say(to, from, Role::answers);
    if (part == Part::coordinator && !has_coordinator_above(to)) say(to, from, Role::announces);
  });
}

// Where it lives, no process below it has won: a program that handles two announcements in either
// order would else be right, and follow the lower one.
bool Exam::has_coordinator_above(NodeId fake) const {
  return std::any_of(fakes_.upper_bound(fake), fakes_.end(), [](const auto& other) {
    return other.second.listener && other.second.part == Part::coordinator;
  });
}

void Exam::on_noise(NodeId to, std::string_view bytes) {
  if (wrong_bytes_ || own_noise_.contains(std::string(bytes))) return;
  wrong_bytes_ = unreadable(to, bytes);
}

// No process sends itself a message, and each has the name under which others see it.
std::optional<Finding> Exam::wrong_message() const {
  if (wrong_bytes_) return wrong_bytes_;
  const auto is_wrong = [this](const Record& record) {
    const bool is_known = processes_.contains(record.from) || fakes_.contains(record.from);
    return record.event == TraceEvent::send && (!is_known || record.from == record.to);
  };
  const auto found = std::ranges::find_if(records_, is_wrong);
  if (found == records_.end()) return std::nullopt;
  return fault("wrong-from", encode({.type = found->type, .from = found->from}), found->to);
}

// --- The fakes' messages ---

void Exam::say(NodeId fake, NodeId to, Role role) {
  const auto role_of = [](const MessageType& type) { return type->role; };
  const MessageType type = *std::ranges::find(default_algorithm().messages, role, role_of);
  const std::string bytes = encode({.type = type, .from = fake});
  const Time deadline = monotonic_now() + until_sent;
  while (true) {
    Connection connection = connect_to(directory_.socket_path(to));
    if (connection.reach == Reach::reached) {
      send_once(connection.descriptor, bytes);
      shutdown(connection.descriptor.get(), SHUT_WR);
      said_.push_back({std::move(connection.descriptor), to, role == Role::asks,
                       monotonic_now() + until_answered});
      return;
    }
    if (connection.reach != Reach::busy || monotonic_now() > deadline) return;
    serve(monotonic_now() + busy_interval);
  }
}

void Exam::say_bytes(NodeId to, std::string_view bytes, Ending ending) {
  own_noise_.emplace(bytes);
  Connection connection = connect_to(directory_.socket_path(to));
  if (connection.reach != Reach::reached) return;
  if (!bytes.empty()) send_some(connection.descriptor, bytes);
  if (ending == Ending::closed) return;
  said_.push_back({std::move(connection.descriptor), to, false, never});
}

void Exam::let_coordinate(NodeId fake) {
  Fake& ours = fakes_.at(fake);
  ours.part = Part::coordinator;
  ours.coordinates = true;
  next_beat_ = Time(0);
  for (const NodeId id : live()) say(fake, id, Role::announces);
}

// Sent straight to the processes: these pings are no part of an election, and in no trace. A node
// of this program does not ping its followers, and some programs wait for that: so this does it in
// its place.
void Exam::beat() {
  if (monotonic_now() < next_beat_) return;
  next_beat_ = monotonic_now() + beat_interval;
  const Ids alive = live();
  Ids coordinators;
  for (const auto& [fake, one] : fakes_) {
    if (one.coordinates) coordinators.push_back(fake);
  }
  if (!alive.empty() && processes_.at(alive.back()).is_ours) coordinators.push_back(alive.back());
  for (const NodeId from : coordinators) {
    for (const NodeId id : alive) {
      const Process& process = processes_.at(id);
      if (process.is_stopped || process.is_ours) continue;
      const Connection connection = connect_to_process(directory_, id);
      if (connection.reach != Reach::reached) continue;
      send_once(connection.descriptor, encode({.type = messages::ping, .from = from}));
    }
  }
}

void Exam::delay(Duration most) {
  longest_delay_ = most;
  proxy_->hold(true);
}

// --- Waiting ---

void Exam::serve(Time deadline) {
  std::vector<pollfd> polled = {{cluster_.signals().fd(), POLLIN, 0}};
  for (const auto& [id, process] : processes_) polled.push_back({process.output.get(), POLLIN, 0});
  for (const auto& [id, fake] : fakes_) {
    polled.push_back({fake.listener.get(), POLLIN, 0});
    for (const Heard& one : fake.connections) {
      polled.push_back({one.connection.get(), POLLIN, 0});
    }
  }
  proxy_->serve(polled, std::min(deadline, monotonic_now() + look_interval));
  cluster_.rest({});
  const Time now = monotonic_now();
  while (!delayed_.empty() && delayed_.begin()->first <= now) {
    proxy_->deliver(delayed_.extract(delayed_.begin()).mapped());
  }
  serve_fakes();
  read_said();
  read_outputs();
  reap();
  for (const auto& react : std::exchange(due_, {})) react();
  beat();
  if (now >= settings_.deadline) throw Unclear("out_of_time");
}

// The link shows a message to a fake: here it is only taken. A program may write a message in
// pieces, and may wait until its connection is closed.
void Exam::serve_fakes() {
  for (auto& [id, fake] : fakes_) {
    while (fake.listener) {
      Descriptor fresh = accept_from(fake.listener);
      if (!fresh) break;
      fake.connections.push_back({std::move(fresh)});
    }
    for (Heard& one : fake.connections) {
      const Incoming incoming = read_some(one.connection, one.bytes);
      if (incoming == Incoming::nothing) continue;
      const bool is_whole = one.bytes.size() > max_message_bytes || decode(one.bytes);
      if (incoming != Incoming::some || is_whole) one.connection.reset();
    }
    std::erase_if(fake.connections, [](const Heard& one) { return !one.connection; });
  }
}

void Exam::read_said() {
  const Time now = monotonic_now();
  for (Said& one : said_) {
    std::string answer;
    const Incoming incoming = read_some(one.connection, answer);
    if (incoming == Incoming::some && one.may_be_answered) answered_here_ = true;
    if (incoming == Incoming::end) ++taken_[one.to];
    if (incoming != Incoming::nothing || now >= one.until) one.connection.reset();
  }
  std::erase_if(said_, [](const Said& one) { return !one.connection; });
}

bool Exam::await(const std::function<bool()>& condition, Duration at_most) {
  const Time deadline = monotonic_now() + at_most;
  while (!condition()) {
    if (monotonic_now() >= deadline) return false;
    serve(deadline);
    check_processes();
  }
  return true;
}

void Exam::rest(Duration time) {
  await([] { return false; }, time);
}

bool Sendings::have(const Record& record) const {
  if (record.event != TraceEvent::send) return false;
  const Role its = record.type->role;
  const bool is_wanted = role ? its == *role : its == Role::asks || its == Role::announces;
  return is_wanted && (!from || record.node == *from) && (!to || record.to == *to);
}

std::optional<Record> Exam::sent(const Sendings& wanted) const {
  for (std::size_t i = wanted.since; i < records_.size(); ++i) {
    if (wanted.have(records_[i])) return records_[i];
  }
  return std::nullopt;
}

std::optional<Record> Exam::await_sent(const Sendings& wanted, Duration at_most) {
  std::optional<Record> found;
  await([&] { return (found = sent(wanted)).has_value(); }, at_most);
  return found;
}

std::size_t Exam::count_sent(const Sendings& wanted) const {
  const auto since = std::span(records_).subspan(wanted.since);
  const auto is_wanted = [&](const Record& record) { return wanted.have(record); };
  return static_cast<std::size_t>(std::ranges::count_if(since, is_wanted));
}

void Exam::await_quiet(Duration time) {
  const auto last = [this] {
    const auto found = std::find_if(records_.rbegin(), records_.rend(), is_about_message);
    return found == records_.rend() ? Time(0) : Time(found->t_ns);
  };
  const Time began = monotonic_now();
  const auto is_quiet = [&] { return monotonic_now() - std::max(last(), began) >= time; };
  const std::size_t since = now();
  if (await(is_quiet, settings_.longest_wait + time)) return;
  throw fault("election-storm", count_sent({Role::asks, {}, {}, since}),
              whole_seconds(settings_.longest_wait));
}

std::optional<NodeId> Exam::coordinator_of(NodeId id) const {
  std::optional<NodeId> coordinator;
  for (const Record& one : records_) {
    if (one.node != id) continue;
    if (one.event == TraceEvent::start) coordinator.reset();
    const bool says = one.event == TraceEvent::send || one.event == TraceEvent::receive;
    if (says && one.type->role == Role::announces && one.from >= id) coordinator = one.from;
  }
  return coordinator;
}

bool Exam::agree(const Ids& ids) const {
  if (ids.size() < 2) return true;
  const NodeId highest = std::ranges::max(ids);
  return std::ranges::all_of(ids, [&](NodeId id) { return coordinator_of(id) == highest; });
}

}  // namespace bully
