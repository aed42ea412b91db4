// fakes.cc: runs the fakes' protocols, and leaves out or adds their one deviation.
#include "grade/fakes.h"

#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <set>
#include <utility>

#include "election/algorithm.h"
#include "grade/exam.h"
#include "node/links.h"
#include "node/taken_names.h"

namespace bully {

namespace {

using std::chrono::milliseconds;

// The interval at which a fake coordinator shows that it lives.
constexpr milliseconds ping_all_interval(100);
// The time for an answer on the same connection as the question.
constexpr Duration until_answered = std::chrono::seconds(2);
constexpr Duration until_sent = std::chrono::seconds(2);
constexpr milliseconds until_seen(5'000);

}  // namespace

Fakes::Fakes(Exam& exam) : exam_(exam) {
  // Another message may be on its way meanwhile, so it is handled when the links have been served.
  exam_.links.on_arrival = [this](const Message& message, NodeId to) {
    if (fakes_.contains(to)) arrived_.emplace_back(to, message);
  };
}

Fakes::~Fakes() {
  exam_.links.on_arrival = nullptr;
}

// --- The cast ---

NodeId Fakes::add(Deviation deviation) {
  if (exam_.settings.with_id) return add_as(exam_.processes.next_id(), deviation);
  // It becomes another program at once, and so keeps no socket of this one.
  const pid_t child = exam_.cluster.guard().start({"sleep", "2147483647"}, [] {
    setsid();
    use_null_device({STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO});
  });
  const auto id = static_cast<NodeId>(child);
  add_as(id, deviation);
  fakes_.at(id).placeholder = child;
  return exam_.processes.in_order(id);
}

NodeId Fakes::add_as(NodeId id, Deviation deviation) {
  exam_.links.introduce(id);
  fakes_[id] = {.protocol = default_algorithm().make(id), .listener = exam_.directory.publish(id)};
  deviate(id, deviation);
  exam_.await([&] { return exam_.links.has_proxy(id); }, until_seen);
  return id;
}

bool Fakes::has_started(const Fake& fake) {
  return find_state(fake.protocol->state_name())->role != StateRole::down;
}

void Fakes::start(NodeId id) {
  handle(id, Started{.resumed = has_started(fakes_.at(id))});
}

void Fakes::coordinate(NodeId id) {
  next_ping_ = Time(0);
  start(id);
  for (auto& [other, fake] : fakes_) {
    if (other < id && !has_started(fake)) handle(other, Preset{id});
  }
}

void Fakes::usurp(NodeId id) {
  deviate(id, "usurps");
  handle(id, Preset{id});
  const Ids live = exam_.processes.live();
  for (const NodeId peer : higher_than(id, live)) send_role(id, peer, Role::announces);
}

void Fakes::deviate(NodeId id, Deviation deviation) {
  fakes_.at(id).deviation = deviation;
  deviations_.erase(id);
  if (deviation != Deviation("none")) deviations_.emplace(id, deviation);
}

void Fakes::leave(NodeId id) {
  exam_.directory.withdraw(id);
  end(id);
}

void Fakes::end(NodeId id) {
  Fake& fake = fakes_.at(id);
  fake.listener.reset();
  fake.connections.clear();
  std::erase_if(outgoing_, [id](const Outgoing& one) { return one.from == id; });
  if (const pid_t placeholder = std::exchange(fake.placeholder, 0); placeholder > 0) {
    kill(placeholder, SIGKILL);
    waitpid(placeholder, nullptr, 0);
  }
  exam_.links.look();
}

bool Fakes::is_coordinator(NodeId id) const {
  const Fake& fake = fakes_.at(id);
  return fake.listener && fake.protocol->coordinator() == id;
}

// --- A fake's step ---

Ids Fakes::live() const {
  return list_of(
      fakes_, [](const auto& entry) { return bool(entry.second.listener); },
      [](const auto& entry) { return entry.first; });
}

Ids Fakes::seen_by(NodeId viewer) const {
  Ids ids = exam_.processes.live();
  const NodeId lowest = ids.empty() ? 0 : ids.front();
  for (const NodeId id : live()) {
    if (id >= lowest || viewer >= lowest) ids.push_back(id);
  }
  std::ranges::sort(ids);
  return ids;
}

void Fakes::handle(NodeId id, const Event& event) {
  Fake& fake = fakes_.at(id);
  if (!fake.listener) return;
  Actions actions;
  fake.protocol->handle(event, FixedPeers(seen_by(id)), actions);
  for (const Action& action : actions) {
    // A timer never expires: its wait is longer than any of the program's.
    const auto* sent = std::get_if<Send>(&action);
    if (sent == nullptr) continue;
    const MessageType type = sent->message.type;
    if (fake.deviation == Deviation("answers-only") && type->role != Role::answers) continue;
    outgoing_.push_back({id, sent->to, type, monotonic_now() + until_sent});
  }
}

// --- Bytes ---

void Fakes::send_role(NodeId from, NodeId to, Role role, std::size_t times) {
  const auto role_of = [](const MessageType& type) { return type->role; };
  const MessageType type = *std::ranges::find(default_algorithm().messages, role, role_of);
  outgoing_.insert(outgoing_.end(), times, {from, to, type, monotonic_now() + until_sent});
}

void Fakes::ping(NodeId to, std::size_t times) {
  const auto from = static_cast<NodeId>(getpid());
  outgoing_.insert(outgoing_.end(), times,
                   {from, to, messages::ping, monotonic_now() + until_sent});
}

void Fakes::send_bytes(NodeId to, std::string_view bytes, Ending ending) {
  exam_.links.expect_noise(bytes);
  Connection connection = connect_to(exam_.directory.socket_path(to));
  if (connection.reach != Reach::reached) return;
  if (!bytes.empty()) send_some(connection.descriptor, bytes);
  if (ending == Ending::closed) return;
  sent_bytes_.push_back({std::move(connection.descriptor), to, false, never});
}

// False if its receiver's backlog is full.
bool Fakes::try_to_send(const Outgoing& one) {
  Connection connection = connect_to(exam_.directory.socket_path(one.to));
  if (connection.reach == Reach::busy) return monotonic_now() > one.until;
  if (connection.reach != Reach::reached) return true;
  send_question(connection.descriptor, encode({.type = one.type, .from = one.from}));
  sent_bytes_.push_back({std::move(connection.descriptor), one.to, one.type->role == Role::asks,
                         monotonic_now() + until_answered});
  return true;
}

// In the order in which they were sent, to each receiver.
void Fakes::send_waiting() {
  std::set<NodeId> busy;
  for (const Outgoing& one : std::exchange(outgoing_, {})) {
    const auto fake = fakes_.find(one.from);
    const bool is_of_fake = fake != fakes_.end();  // otherwise it is a ping of this process
    if (is_of_fake && !fake->second.listener) continue;
    if (busy.contains(one.to) || !try_to_send(one)) {
      busy.insert(one.to);
      outgoing_.push_back(one);
    } else if (is_of_fake && fake->second.deviation == Deviation("dies-announcing") &&
               one.type->role == Role::announces && !fakes_.contains(one.to)) {
      end(one.from);
    }
  }
}

// --- The exam's loop ---

void Fakes::add_to(std::vector<pollfd>& polled) const {
  for (const auto& [id, fake] : fakes_) {
    polled.push_back({fake.listener.get(), POLLIN, 0});
    for (const Accepted& one : fake.connections)
      polled.push_back({one.connection.get(), POLLIN, 0});
  }
  for (const SentBytes& one : sent_bytes_) polled.push_back({one.connection.get(), POLLIN, 0});
}

void Fakes::serve() {
  take_messages();
  read_replies();
  for (const auto& [to, message] : std::exchange(arrived_, {})) {
    if (fakes_.at(to).deviation != Deviation("deaf")) handle(to, Received{message});
  }
  send_waiting();
  ping_all();
}

// The links show a message to a fake: here it is only taken. A program may write a message in
// pieces, and may wait until its connection is closed.
void Fakes::take_messages() {
  for (auto& [id, fake] : fakes_) {
    while (fake.listener) {
      Descriptor fresh = accept_from(fake.listener);
      if (!fresh) break;
      fake.connections.push_back({std::move(fresh)});
    }
    for (Accepted& one : fake.connections) {
      const Incoming incoming = read_some(one.connection, one.bytes);
      if (incoming == Incoming::nothing) continue;
      const bool is_whole = one.bytes.size() > max_message_bytes || decode_received(one.bytes);
      if (incoming != Incoming::some || is_whole) one.connection.reset();
    }
    std::erase_if(fake.connections, [](const Accepted& one) { return !one.connection; });
  }
}

void Fakes::read_replies() {
  const Time now = monotonic_now();
  for (SentBytes& one : sent_bytes_) {
    std::string answer;
    const Incoming incoming = read_some(one.connection, answer);
    if (incoming == Incoming::some && one.may_be_answered) answered_here_ = true;
    if (incoming == Incoming::end || incoming == Incoming::some) ++taken_[one.to];
    if (incoming != Incoming::nothing || now >= one.until) one.connection.reset();
  }
  std::erase_if(sent_bytes_, [](const SentBytes& one) { return !one.connection; });
}

// Sent straight to the processes: these pings are no part of an election, and in no trace. Some
// programs wait for their coordinator's pings, and a node of this program sends none: so this does
// it in its place.
void Fakes::ping_all() {
  if (monotonic_now() < next_ping_) return;
  next_ping_ = monotonic_now() + ping_all_interval;
  const Ids alive = exam_.processes.live();
  Ids coordinators;
  for (const auto& [id, fake] : fakes_) {
    const bool is_silent = fake.deviation == Deviation("answers-only");
    if (is_coordinator(id) && !is_silent) coordinators.push_back(id);
  }
  if (!alive.empty() && exam_.processes.is_ours(alive.back())) coordinators.push_back(alive.back());
  for (const NodeId from : coordinators) {
    for (const NodeId id : alive) {
      if (id == from || !exam_.processes.reads_pings(id)) continue;
      const Connection connection = connect_to_process(exam_.directory, id);
      if (connection.reach != Reach::reached) continue;
      send_once(connection.descriptor, encode({.type = messages::ping, .from = from}));
    }
  }
}

}  // namespace bully
