#include "support/fake.h"

#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <random>
#include <system_error>

#include "election/algorithm.h"
#include "election/ping_reply.h"
#include "node/directory.h"
#include "node/links.h"
#include "node/status_reply.h"
#include "node/system.h"
#include "support/messages.h"
#include "values/status.h"

namespace bully {

namespace {

constexpr int look_ms = 10;  // from one look whether the caller is still there to the next
constexpr Duration news_interval = std::chrono::milliseconds(40);
constexpr std::size_t max_held = 32;  // connections that get no reply

// The child's whole life.
class Liar {
 public:
  Liar(const std::string& directory, NodeId id, const Algorithm& algorithm, const Lies& lies,
       std::uint64_t chance, Descriptor listener, Fake::Heard& heard)
      : heard_(heard),
        directory_(directory, false),
        id_(id),
        algorithm_(algorithm),
        lies_(lies),
        random_(chance),
        listener_(std::move(listener)) {}

  void run(pid_t caller) {
    const Time begin = monotonic_now();
    while (getppid() == caller && monotonic_now() - begin < lies_.life) {
      pollfd polled{lies_.accepts ? listener_.get() : -1, POLLIN, 0};
      poll(&polled, 1, look_ms);
      if (polled.revents != 0) serve(accept_from(listener_));
      if (lies_.news == Lies::News::nothing || monotonic_now() < next_news_) continue;
      next_news_ = monotonic_now() + news_interval;
      tell_all();
    }
    if (lies_.leaves) unlink(directory_.socket_path(id_).c_str());
  }

 private:
  void serve(Descriptor connection) {
    pollfd polled{connection.get(), POLLIN, 0};
    char bytes[max_message_bytes];
    if (!connection || poll(&polled, 1, look_ms) <= 0) return;
    const ssize_t got = recv(connection.get(), bytes, sizeof bytes, 0);
    const auto message =
        decode_received({bytes, static_cast<std::size_t>(std::max<ssize_t>(got, 0))});
    if (!message) return;
    if (message->type == messages::ping) {
      ++heard_.pings;
      reply(lies_.ping, encode(PingReply{id_, coordinator(lies_.ping)}), std::move(connection));
    } else if (message->type == messages::status) {
      reply(lies_.status, encode(status()), std::move(connection));
    } else {
      hear(*message);
    }
  }

  void reply(Lies::Reply what, const std::string& lie, Descriptor connection) {
    static constexpr std::array<std::string_view, 6> garbage = {
        "1", "1;;", "1;99999999999999999999;1", "{\"id\":", "\033[2J;\377\377", "C;4294967295;1;1"};
    if (what == Lies::Reply::garbage) send_once(connection, garbage.at(below(garbage.size())));
    if (what >= Lies::Reply::itself && what != Lies::Reply::garbage) send_once(connection, lie);
    if (what != Lies::Reply::silence) return;
    held_.push_back(std::move(connection));
    if (held_.size() > max_held) held_.pop_front();
  }

  // Whom it says that it follows.
  std::optional<NodeId> coordinator(Lies::Reply reply) const {
    if (reply == Lies::Reply::no_one) return std::nullopt;
    if (reply != Lies::Reply::another) return id_;
    return lies_.another != 0 ? lies_.another : successor();
  }

  // With the PID of somebody else: whoever signals it hits the caller, or all.
  NodeStatus status() {
    const std::array<std::int64_t, 5> pids = {getppid(), 1, 0, -1, 4'294'967'295};
    NodeStatus status{
        {.id = id_, .state = "coordinator", .coordinator = coordinator(lies_.status)}};
    status.pid = pids.at(below(pids.size()));
    status.algorithm = algorithm_.name;
    status.monitor_pid = pids.at(below(pids.size()));
    return status;
  }

  void hear(const Message& message) {
    if (message.get(fields::epoch)) epoch_ = *message.get(fields::epoch);
    heard_.elections += message.type == messages::election ? 1 : 0;
    if (!lies_.answers) return;
    if (message.type == messages::election) {
      say(message.from, {.type = messages::answer, .from = id_});
    } else if (algorithm_.topology == Topology::ring) {
      Message passed_on = message;
      passed_on.from = id_;
      say(successor(), passed_on);
    }
  }

  NodeId successor() const {
    const std::vector<NodeId> ids = directory_.ids();
    const auto next = std::ranges::upper_bound(ids, id_);
    if (next != ids.end()) return *next;
    return ids.empty() ? id_ : ids.front();
  }

  void tell_all() {
    for (const NodeId to : directory_.ids()) {
      if (to != id_) say(to, news());
    }
  }

  Message news() {
    const bool dead = lies_.news == Lies::News::dead;
    if (algorithm_.topology != Topology::ring) {
      return {.type = messages::coordinator, .from = dead ? lies_.dead : id_};
    }
    if (!dead) {
      return wire_message(messages::leader, id_, {}, id_, epoch_);
    }
    return wire_message(messages::join, id_, {}, {}, epoch_ + below(3) * 1000 - 1);
  }

  void say(NodeId to, const Message& message) const {
    const Connection connection = connect_to(directory_.socket_path(to));
    if (connection.reach == Reach::reached) send_once(connection.descriptor, encode(message));
  }

  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

  Fake::Heard& heard_;
  Directory directory_;
  NodeId id_;
  const Algorithm& algorithm_;
  Lies lies_;
  std::minstd_rand random_;
  Descriptor listener_;
  std::deque<Descriptor> held_;
  std::uint64_t epoch_ = 1;  // the latest that it has heard of
  Time next_news_{};
};

}  // namespace

Fake::Fake(const std::string& directory, NodeId id, const Lies& lies, const Algorithm& algorithm,
           std::uint64_t chance) {
  const std::string name = std::to_string(id);
  const std::string unpublished = directory + ".fake." + name;
  mkdir(directory.c_str(), S_IRWXU);
  Descriptor listener = listen_at(unpublished);
  if (rename(unpublished.c_str(), (directory + '/' + name).c_str()) != 0) {
    throw std::system_error(errno, std::generic_category(), "rename " + unpublished);
  }
  const pid_t caller = getpid();
  process_ = Child([&] {
    Liar(directory, id, algorithm, lies, chance, std::move(listener), *heard_).run(caller);
  });
}

std::string words_of(const Lies& lies) {
  static constexpr std::array<const char*, 6> replies = {"silence", "close",   "itself",
                                                         "another", "garbage", "no one"};
  static constexpr std::array<const char*, 3> news = {"nothing", "itself", "the dead"};
  const auto ms = lies.life == never ? -1 : lies.life / std::chrono::milliseconds(1);
  return std::string(lies.accepts ? "" : "accepts nobody, ") + (lies.answers ? "answers, " : "") +
         "to a ping " + replies.at(static_cast<std::size_t>(lies.ping)) + ", to a question " +
         replies.at(static_cast<std::size_t>(lies.status)) + ", says " +
         news.at(static_cast<std::size_t>(lies.news)) + ", for " + std::to_string(ms) + " ms" +
         (lies.leaves ? ", and takes its name along" : "");
}

}  // namespace bully
