#include "wire/wire.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "node/directory.h"
#include "node/erase_in_order.h"

namespace bully {

namespace {

// What can be read now. False: the other end has closed, or half-closed.
bool read_on(const Descriptor& connection, std::string& bytes) {
  char some[max_message_bytes + 1];
  while (true) {
    const ssize_t got = recv(connection.get(), some, sizeof some, MSG_DONTWAIT);
    if (got > 0) bytes.append(some, static_cast<std::size_t>(got));
    if (got == 0) return false;
    if (got < 0 && errno != EINTR) return errno == EAGAIN || errno == EWOULDBLOCK;
  }
}

}  // namespace

std::string Wire::path(NodeId from, NodeId to) const {
  return directory(from) + '/' + std::to_string(to);
}

std::string Wire::make_directory(NodeId id) {
  const Directory made(directory(id), true);
  for (const auto& [other, state] : ids_) {
    if (other != id && !links_.contains({id, other})) become(id, other, state);
  }
  return made.path();
}

void Wire::publish(NodeId id) {
  for (const auto& [other, _] : ids_) {
    if (other != id && !links_[{other, id}].is_apart) become(other, id, State::open);
  }
  ids_[id] = State::open;
}

void Wire::bury(NodeId id, State state) {
  ids_[id] = state;
  for (auto& [ends, link] : links_) {
    if (ends.second != id) continue;
    link.calls.clear();
    if (!link.is_apart) become(ends.first, id, state);
  }
}

void Wire::remove(NodeId id) {
  ids_.erase(id);
  for (const auto& [other, _] : ids_) unlink(path(other, id).c_str());
  std::erase_if(links_, [id](const auto& entry) {
    return entry.first.first == id || entry.first.second == id;
  });
  std::filesystem::remove_all(directory(id));
}

void Wire::set(NodeId from, NodeId to, State state, bool is_apart) {
  links_[{from, to}].is_apart = is_apart;
  become(from, to, state);
}

void Wire::become(NodeId from, NodeId to, State state) {
  Link& link = links_[{from, to}];
  if (link.listener && link.state == state) return;
  const bool has_name = access(path(from, to).c_str(), F_OK) == 0;
  link.state = state;
  link.fillers.clear();
  if (state == State::refused && has_name) return link.listener.reset();
  if (!link.listener) link.listener = Directory(directory(from), false).publish(to);
  listen(link.listener.get(), SOMAXCONN);              // it may have been full
  if (state == State::refused) link.listener.reset();  // the name of somebody dead stays
  if (state != State::full) return;
  // The shortest backlog, and connections of ours in it that nobody accepts.
  listen(link.listener.get(), 0);
  while (true) {
    Connection filler = connect_to(path(from, to));
    if (filler.reach != Reach::reached) return;
    link.fillers.push_back(std::move(filler.descriptor));
  }
}

void Wire::carry(NodeId from) {
  const auto first = links_.lower_bound({from, 0});
  for (auto at = first; at != links_.end() && at->first.first == from; ++at) {
    if (at->second.state == State::open) take_in(at->first.second, at->second);
  }
}

void Wire::take_in(NodeId to, Link& link) {
  while (Descriptor fresh = accept_from(link.listener)) link.calls.push_back({std::move(fresh)});
  erase_in_order(link.calls, [&](Call& call) {
    if (!call.message && read_on(call.in, call.bytes)) return false;
    if (!call.message) call.message = decode(call.bytes);
    return !call.message || (!call.message->type.is_of_election() && carry_on(to, call));
  });
}

bool Wire::carry_on(NodeId to, Call& call) const {
  if (!call.out) {
    Connection onward = connect_to(socket_path(to));
    if (onward.reach == Reach::busy) return false;
    if (onward.reach != Reach::reached) return true;
    call.out = std::move(onward.descriptor);
    send_once(call.out, call.bytes);
    shutdown(call.out.get(), SHUT_WR);
  }
  std::string reply;
  const bool goes_on = read_on(call.out, reply);
  if (!reply.empty()) send_once(call.in, reply);
  return !goes_on;
}

std::optional<Wire::Ticket> Wire::ticket_for(NodeId from, NodeId to, std::uint64_t number) {
  std::deque<Call>& calls = links_[{from, to}].calls;
  const auto call = std::ranges::find_if(calls, [&](const Call& each) {
    return each.ticket == 0 && each.message && each.message->type.is_of_election() &&
           each.message->number == number;
  });
  if (call == calls.end()) return std::nullopt;
  return call->ticket = ++last_ticket_;
}

bool Wire::pass(NodeId from, NodeId to, Ticket ticket) {
  std::deque<Call>& calls = links_[{from, to}].calls;
  const auto call = std::ranges::find(calls, ticket, &Call::ticket);
  if (call == calls.end()) return false;
  const Connection onward = connect_to(socket_path(to));
  if (onward.reach != Reach::reached || !send_once(onward.descriptor, call->bytes)) return false;
  calls.erase(call);
  return true;
}

void Wire::drop(NodeId from, NodeId to, Ticket ticket) {
  std::erase_if(links_[{from, to}].calls,
                [ticket](const Call& call) { return call.ticket == ticket; });
}

}  // namespace bully
