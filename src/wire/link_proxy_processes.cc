// link_proxy_processes.cc: the processes that have a proxy, and the descriptors that this takes.
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "wire/link_proxy.h"

namespace bully {

namespace {

// The interval of looks at the directory, for names that have come or gone, and for the dead.
constexpr Duration look_interval = std::chrono::milliseconds(5);
// The pause if another process has the directory's lock.
constexpr Duration locked_pause = std::chrono::milliseconds(50);
// Senders that find the process's own backlog full should wait as without a proxy.
constexpr int backlog = 16;
// Descriptors that a look at the names opens for a moment: a lock, probes, a listing, another
// listener.
constexpr std::size_t passing_descriptors = 8;
// A connection has two ends.
constexpr std::size_t descriptors_for_connection = 2;
// For each process: its listener, and one for this program's status queries.
constexpr std::size_t descriptors_for_process = 2;
// And two connections: its monitor's, which stays open, and a connection that waits for a full
// backlog.
constexpr std::size_t connections_for_process = 2;
// For all of them together: connections that bring a message.
constexpr std::size_t connections_for_messages = 4;
// An election takes two.
constexpr std::size_t min_processes = 2;

}  // namespace

TooFewDescriptors::TooFewDescriptors(std::size_t how_many, std::size_t how_many_needed,
                                     std::size_t limit)
    : SetupError(EMFILE, "stand in for " + std::to_string(how_many) + " processes",
                 Advice::raise_descriptors),
      processes(how_many),
      needed(how_many_needed),
      allowed(limit) {}

void LinkProxy::look() {
  next_look_ = monotonic_now() + look_interval;
  taken_names_.check_place();
  const std::vector<NodeId> ids = directory_.ids();
  const SocketTable sockets;
  for (auto& [id, listener] : listeners_) {
    const bool is_named = std::ranges::binary_search(ids, id);
    const bool is_dead = !is_named || !sockets.may_be_node(taken_names_.own_socket(id));
    if (listener.is_alive() && is_dead) end(id, listener);
    const NodeId left = id;
    if (!is_named) change([&] { taken_names_.remove(left); });
  }
  std::erase_if(listeners_, [&ids](const auto& listener) {
    return !std::ranges::binary_search(ids, listener.first);
  });
  std::vector<NodeId> nameless;
  for (const NodeId id : ids) {
    if (listeners_.contains(id) && taken_names_.has_name(id)) continue;
    if (sockets.may_be_node(directory_.socket_path(id))) nameless.push_back(id);
  }
  const auto is_new = [this](NodeId id) { return !has_proxy(id); };
  const auto more = static_cast<std::size_t>(std::ranges::count_if(nameless, is_new));
  const std::size_t all = std::max(listening() + more, min_processes);
  if (needed_for(all) > allowed_) throw TooFewDescriptors(all, needed_for(all), allowed_);
  for (const NodeId id : nameless) begin(id);
}

bool LinkProxy::has_proxy(NodeId id) const {
  const auto found = listeners_.find(id);
  return found != listeners_.end() && found->second.is_alive();
}

std::size_t LinkProxy::listening() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      listeners_, [](const auto& listener) { return bool(listener.second.socket); }));
}

std::size_t LinkProxy::needed_for(std::size_t processes) const {
  const std::size_t connections = connections_for_process * processes + connections_for_messages;
  return own_ + passing_descriptors + descriptors_for_process * processes +
         descriptors_for_connection * connections;
}

bool LinkProxy::may_accept() const {
  const std::size_t taken = own_ + passing_descriptors + descriptors_for_process * listening();
  return taken + descriptors_for_connection * (connections_.size() + 1) <= allowed_;
}

// Names cannot be changed while another process has the directory's lock: later, then.
void LinkProxy::change(const std::function<void()>& names) {
  try {
    names();
  } catch (const SetupError& error) {
    if (error.code().value() != EWOULDBLOCK) observer_.on_trouble(error.code().value());
    next_look_ = monotonic_now() + locked_pause;
  }
}

void LinkProxy::begin_if_new(NodeId id) {
  if (is_leaving_) return;
  if (!has_proxy(id) || !taken_names_.has_name(id)) begin(id);
}

void LinkProxy::report_if_gone(NodeId id) {
  if (is_leaving_ || has_proxy(id)) return;
  const std::string name = directory_.socket_path(id);
  if (!SocketTable().may_be_node(name)) observer_.on_gone(id, !socket_at(name));
}

// Also for a process that made itself a new socket, or took a dead process's name.
void LinkProxy::begin(NodeId id) {
  if (has_proxy(id) && !SocketTable().may_be_node(taken_names_.own_socket(id))) {
    end(id, listeners_.at(id));
  }
  const bool is_new = !has_proxy(id);
  if (is_new && needed_for(listening() + 1) > allowed_) return;  // see look()
  Descriptor socket;
  change([&] { socket = taken_names_.stand_in(id); });
  if (!socket) return;
  listen(socket.get(), backlog);
  LinkListener& listener = listeners_[id];
  listener.socket = std::move(socket);
  listener.is_dead = false;
  if (is_new) observer_.on_start(id);
}

// A leaving process removes its name, and then closes its socket.
void LinkProxy::end(NodeId id, LinkListener& listener) {
  observer_.on_end(id, !socket_at(directory_.socket_path(id)));
  refuse_all(id, listener);
  listener = {.socket = std::move(listener.socket), .is_dead = true};
  if (!keeps_for_dead_) listener.socket.reset();
}

void LinkProxy::keep_for_dead(bool keeps) {
  keeps_for_dead_ = keeps;
  for (auto& [id, listener] : listeners_) {
    if (listener.is_alive() || keeps == bool(listener.socket)) continue;
    refuse_all(id, listener);
    listener.socket = keeps ? taken_names_.stand_in(id, true) : Descriptor();
  }
}

// Waiting connections are reset, as they are closed unread.
void LinkProxy::refuse_all(NodeId id, LinkListener& listener) {
  for (LinkConnection& call : connections_) {
    const bool has_come = call.phase == Phase::through || call.phase == Phase::over;
    if (call.to == id && !has_come) give_up(call);
  }
  while (Descriptor fresh = accept_from(listener.socket)) {
    LinkConnection call{.to = id, .caller = {std::move(fresh)}};
    give_up(call);
  }
}

}  // namespace bully
