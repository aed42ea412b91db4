#include "node/query.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "election/algorithm.h"
#include "node/unix_socket.h"

namespace bully {

namespace {

// How many nodes are asked at a time: bounded by the descriptors that a process may have.
constexpr std::size_t max_asked_at_once = 200;
constexpr Duration busy_interval = std::chrono::milliseconds(5);
constexpr std::size_t max_reply_bytes = 4096;

// Who asks one node only: how long it waits for it, twice, and for how many such in turn.
constexpr Duration one_patience = std::chrono::milliseconds(50);
constexpr int max_silent = 3;
// And how often it asks one that dies and returns meanwhile.
constexpr int max_lives = 2;

// One request on its way.
struct Request {
  explicit Request(PeerStatus& asked) : peer(&asked) {}
  PeerStatus* peer;
  Descriptor connection;
  std::string reply;
  bool done = false;
  bool reset = false;  // closed by somebody who had not read the question
};

// On a connection of its own, half-closed: the example reads until then [PyBully].
void put_question(const Descriptor& connection) {
  const Message question{.type = MessageType::status, .from = static_cast<NodeId>(getpid())};
  send_once(connection, encode(question));
  shutdown(connection.get(), SHUT_WR);
}

Connection put_question(const std::string& path) {
  Connection connection = connect_to(path);
  if (connection.reach == Reach::reached) put_question(connection.descriptor);
  return connection;
}

// Connects and asks, if the peer's backlog has room now.
void ask(Request& request, const Directory& directory) {
  Connection connection = put_question(directory.socket_path(request.peer->status.id));
  request.done = connection.reach == Reach::gone || connection.reach == Reach::foreign;
  request.peer->kind =
      connection.reach == Reach::gone ? PeerStatus::Kind::stale : PeerStatus::Kind::no_answer;
  if (connection.reach != Reach::reached) return;
  request.peer->listener = listener_pid(connection.descriptor);
  request.peer->status.pid = request.peer->listener;
  request.connection = std::move(connection.descriptor);
}

void read_reply(Request& request) {
  char bytes[max_reply_bytes];
  const ssize_t got = recv(request.connection.get(), bytes, sizeof bytes, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got > 0) request.reply.append(bytes, static_cast<std::size_t>(got));
  if (got > 0 && request.reply.size() <= max_reply_bytes) return;
  request.done = true;
  request.reset = got < 0;
  request.connection.reset();
  if (const auto status = decode_status(request.reply); status) {
    if (status->id != request.peer->status.id) return;
    request.peer->kind = PeerStatus::Kind::ok;
    request.peer->status = *status;
  }
}

void run(std::vector<Request>& requests, const Directory& directory, Time deadline) {
  std::vector<pollfd> polled;
  for (Time now = monotonic_now(); now < deadline; now = monotonic_now()) {
    polled.clear();
    bool busy = false;
    bool open = false;
    for (Request& request : requests) {
      if (!request.done && !request.connection) ask(request, directory);
      busy = busy || (!request.done && !request.connection);
      open = open || !request.done;
      polled.push_back({request.connection.get(), POLLIN, 0});
    }
    if (!open) return;
    const Time wake = busy ? std::min(deadline, now + busy_interval) : deadline;
    if (poll(polled.data(), static_cast<nfds_t>(polled.size()), poll_timeout(wake, now)) <= 0) {
      continue;
    }
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (polled[i].revents != 0) read_reply(requests[i]);
    }
  }
}

// Whether `request` is done with by then: there was a reply, or it was closed.
bool is_done_in_time(Request& request, Duration wait = one_patience) {
  const Time deadline = monotonic_now() + wait;
  for (Time now = monotonic_now(); !request.done && now < deadline; now = monotonic_now()) {
    pollfd polled{request.connection.get(), POLLIN, 0};
    if (poll(&polled, 1, poll_timeout(deadline, now)) > 0) read_reply(request);
  }
  return request.done;
}

// Asks this peer alone. It is left at `no_answer` where it is stopped, say, and at `stale` where
// nobody is there.
void ask_alone(PeerStatus& peer, const Directory& directory) {
  for (int life = 0; life < max_lives; ++life) {
    Request first(peer);
    ask(first, directory);
    if (!first.connection) return;
    const long asked = peer.status.pid;
    const bool silent = !is_done_in_time(first);
    if (!first.reply.empty()) return;

    // The example closes a connection, without a word, when it has accepted another one [PyBully].
    // So does a process that dies; but that one may not have read what it was asked, nobody accepts
    // another one, and if it has returned, it is another process that does, and replies.
    Request second(peer);
    ask(second, directory);
    if (!second.connection) return;
    if (silent && !is_done_in_time(first)) return;
    if (!first.reply.empty()) return;
    is_done_in_time(second);
    if (!second.reply.empty()) return;

    // Closed as well: then somebody else has connected to the example, or it has died with both.
    Request third(peer);
    if (second.done) {
      ask(third, directory);
      if (!third.connection) return;
      is_done_in_time(third);
      if (!third.reply.empty()) return;
    }
    if (!first.reset && !second.reset && !third.reset && peer.status.pid == asked) {
      peer.kind = PeerStatus::Kind::ok;
      return;
    }
  }
}

}  // namespace

std::optional<NodeStatus> ask_over(Descriptor connection, NodeId id, Duration wait) {
  PeerStatus peer{.status = {.id = id}};
  Request request(peer);
  put_question(connection);
  request.connection = std::move(connection);
  is_done_in_time(request, wait);
  return peer.kind == PeerStatus::Kind::ok ? std::optional(peer.status) : std::nullopt;
}

std::optional<NodeStatus> ask_one_node(const Directory& directory, NodeId self) {
  const auto listed = directory.ids();
  std::vector<NodeId> ids(listed.begin(), listed.end());
  std::erase(ids, self);
  if (ids.empty()) return std::nullopt;
  // When many start at once, not all ask the same one.
  std::rotate(ids.begin(), ids.begin() + getpid() % static_cast<std::ptrdiff_t>(ids.size()),
              ids.end());
  int silent = 0;
  for (const NodeId id : ids) {
    PeerStatus peer{.status = {.id = id}};
    ask_alone(peer, directory);
    if (peer.kind == PeerStatus::Kind::ok) {
      // Who does not say by which is older than the choice.
      if (peer.status.algorithm.empty()) peer.status.algorithm = default_algorithm().name;
      return peer.status;
    }
    if (peer.kind == PeerStatus::Kind::no_answer && ++silent == max_silent) break;
  }
  return std::nullopt;
}

std::vector<PeerStatus> query_status(const Directory& directory, Duration patience,
                                     const std::vector<NodeId>& unasked) {
  const auto ids = directory.ids();
  std::vector<PeerStatus> peers(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) peers[i].status.id = ids[i];
  for (std::size_t first = 0; first < peers.size(); first += max_asked_at_once) {
    const std::size_t last = std::min(peers.size(), first + max_asked_at_once);
    std::vector<Request> requests;
    for (std::size_t i = first; i < last; ++i) {
      const NodeId id = peers[i].status.id;
      if (std::find(unasked.begin(), unasked.end(), id) == unasked.end()) {
        requests.emplace_back(peers[i]);
      } else {
        peers[i].kind = PeerStatus::Kind::no_answer;
      }
    }
    run(requests, directory, monotonic_now() + patience);
  }
  return peers;
}

}  // namespace bully
