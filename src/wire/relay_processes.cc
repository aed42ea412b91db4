// relay_processes.cc: for which processes a relay stands in, and what that takes of descriptors.
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "wire/relay.h"

namespace bully {

namespace {

// How often the directory is looked at for names that have come or gone, and for the dead.
constexpr Duration look_interval = std::chrono::milliseconds(5);
// When to look again if another process has the directory's lock.
constexpr Duration locked_pause = std::chrono::milliseconds(50);
// Those that the process itself has no room for should wait as they would without us: so there is
// hardly more room here.
constexpr int backlog = 16;
// What a look at the names opens for a moment: a lock, lookouts, a listing, and a listener that
// replaces another.
constexpr std::size_t passing_descriptors = 8;
// A connection has two ends.
constexpr std::size_t descriptors_for_connection = 2;
// For each process: its listener, and one with which this program may ask for its status.
constexpr std::size_t descriptors_for_process = 2;
// And connections: one that its monitor keeps open, and one that waits because its backlog is full.
constexpr std::size_t connections_for_process = 2;
// For all of them together: connections that bring a message.
constexpr std::size_t connections_for_messages = 4;
// An election takes two.
constexpr std::size_t least_processes = 2;

}  // namespace

TooFewDescriptors::TooFewDescriptors(std::size_t how_many, std::size_t how_many_needed,
                                     std::size_t limit)
    : SetupError(EMFILE, "stand in for " + std::to_string(how_many) + " processes",
                 Advice::raise_descriptors),
      processes(how_many),
      needed(how_many_needed),
      allowed(limit) {}

void Relay::look() {
  next_look_ = monotonic_now() + look_interval;
  const std::vector<NodeId> ids = directory_.ids();
  const Lookout lookout;
  for (auto& [id, stand] : stands_) {
    const bool has_left = !std::ranges::binary_search(ids, id);
    const bool is_dead = has_left || !lookout.may_be_node(aside_.own_socket(id));
    if (stand.listener && is_dead) end(id, stand, has_left);
    const NodeId left = id;
    if (has_left) change([&] { aside_.remove(left); });
  }
  std::erase_if(
      stands_, [&ids](const auto& stand) { return !std::ranges::binary_search(ids, stand.first); });
  std::vector<NodeId> nameless;
  for (const NodeId id : ids) {
    if (stands_.contains(id) && aside_.has_name(id)) continue;
    if (lookout.may_be_node(directory_.socket_path(id))) nameless.push_back(id);
  }
  const auto is_new = [this](NodeId id) {
    const auto stand = stands_.find(id);
    return stand == stands_.end() || !stand->second.listener;
  };
  const auto more = static_cast<std::size_t>(std::ranges::count_if(nameless, is_new));
  const std::size_t all = std::max(standing() + more, least_processes);
  if (needed_for(all) > allowed_) throw TooFewDescriptors(all, needed_for(all), allowed_);
  for (const NodeId id : nameless) begin(id);
}

std::size_t Relay::standing() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      stands_, [](const auto& stand) { return bool(stand.second.listener); }));
}

std::size_t Relay::needed_for(std::size_t processes) const {
  const std::size_t connections = connections_for_process * processes + connections_for_messages;
  return own_ + passing_descriptors + descriptors_for_process * processes +
         descriptors_for_connection * connections;
}

bool Relay::may_accept() const {
  const std::size_t taken = own_ + passing_descriptors + descriptors_for_process * standing();
  return taken + descriptors_for_connection * (calls_.size() + 1) <= allowed_;
}

// Names cannot be changed while another process has the directory's lock: later, then.
void Relay::change(const std::function<void()>& names) {
  try {
    names();
  } catch (const SetupError& error) {
    if (error.code().value() != EWOULDBLOCK) witness_.on_trouble(error.code().value());
    next_look_ = monotonic_now() + locked_pause;
  }
}

void Relay::begin_if_new(NodeId id) {
  if (is_leaving_) return;
  const auto stand = stands_.find(id);
  const bool is_known = stand != stands_.end() && stand->second.listener;
  if (!is_known || !aside_.has_name(id)) begin(id);
}

void Relay::tell_if_gone(NodeId id) {
  const auto stand = stands_.find(id);
  if (is_leaving_ || (stand != stands_.end() && stand->second.listener)) return;
  const std::string name = directory_.socket_path(id);
  if (!Lookout().may_be_node(name)) witness_.on_gone(id, !socket_at(name));
}

// Also for a process that has made itself a new socket, and for one that has taken the name of
// another that is dead.
void Relay::begin(NodeId id) {
  const auto before = stands_.find(id);
  if (before != stands_.end() && before->second.listener &&
      !Lookout().may_be_node(aside_.own_socket(id))) {
    end(id, before->second, false);
  }
  const bool is_known = before != stands_.end() && before->second.listener;
  if (!is_known && needed_for(standing() + 1) > allowed_) return;  // see look()
  Descriptor listener;
  change([&] { listener = aside_.stand_in(id); });
  if (!listener) return;
  listen(listener.get(), backlog);
  Stand& stand = stands_[id];
  const bool is_new = !std::exchange(stand.listener, std::move(listener));
  if (is_new) witness_.on_start(id);
}

// Those that wait for it just now are reset, as their connections are closed unread.
void Relay::end(NodeId id, Stand& stand, bool has_left) {
  witness_.on_end(id, has_left);
  for (Call& call : calls_) {
    if (call.to == id && call.phase == Call::Phase::waits) give_up(call);
  }
  while (Descriptor fresh = accept_from(stand.listener)) {
    Call call{.to = id, .caller = {std::move(fresh)}};
    give_up(call);
  }
  stand = {};
}

}  // namespace bully
