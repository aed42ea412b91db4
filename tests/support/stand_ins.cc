#include "support/stand_ins.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

#include <cerrno>
#include <list>
#include <map>
#include <optional>
#include <vector>

#include "node/aside.h"
#include "stage/local_cluster.h"

namespace bully {

namespace {

constexpr int stand_in_look_ms = 5;

volatile sig_atomic_t has_to_end = 0;
void note_end(int /*signal*/) {
  has_to_end = 1;
}

class Carrying {
 public:
  Carrying(const std::string& path, std::atomic<std::uint64_t>& carried)
      : carried_(carried), directory_(path, true), aside_(directory_) {}

  void run() {
    while (has_to_end == 0) {
      take_names();
      std::vector<pollfd> polled;
      for (const auto& [id, listener] : listeners_) polled.push_back({listener.get(), POLLIN, 0});
      for (const Call& call : calls_) {
        polled.push_back({call.in_ended ? -1 : call.in.get(), POLLIN, 0});
        polled.push_back({call.out_ended ? -1 : call.out.get(), POLLIN, 0});
      }
      poll(polled.data(), static_cast<nfds_t>(polled.size()), stand_in_look_ms);
      accept_all();
      calls_.remove_if([this](Call& call) { return is_done(call); });
      for (const NodeId id : dead_) remove(id);
      dead_.clear();
    }
  }

 private:
  struct Call {
    NodeId to;
    Descriptor in;
    Descriptor out = {};
    bool in_ended = false;
    bool out_ended = false;
  };

  void take_names() {
    std::erase_if(listeners_, [this](const auto& entry) { return !aside_.has_name(entry.first); });
    for (const NodeId id : directory_.ids()) {
      if (listeners_.contains(id)) continue;
      Descriptor listener = aside_.stand_in(id);
      if (!listener) continue;
      listeners_[id] = std::move(listener);
    }
  }

  void accept_all() {
    for (const auto& [id, listener] : listeners_) {
      while (Descriptor in = accept_from(listener)) calls_.push_back({id, std::move(in)});
    }
  }

  // Then it refuses at once, like any dead process.
  void remove(NodeId id) {
    aside_.remove(id);
    listeners_.erase(id);
  }

  bool is_done(Call& call) {
    if (!call.out) {
      Connection connection = connect_to(aside_.own_socket(call.to));
      if (connection.reach == Reach::busy) return false;
      if (connection.reach != Reach::reached) {
        dead_.push_back(call.to);
        return true;  // unread: whoever asked is told that nobody has read it
      }
      call.out = std::move(connection.descriptor);
      ++carried_;
    }
    carry(call.in, call.out, call.in_ended);
    carry(call.out, call.in, call.out_ended);
    return call.in_ended && call.out_ended;
  }

  void carry(const Descriptor& from, const Descriptor& to, bool& ended) {
    char bytes[65536];
    while (!ended) {
      const ssize_t got = recv(from.get(), bytes, sizeof bytes, MSG_DONTWAIT);
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
      ended = got <= 0;
      if (ended) shutdown(to.get(), SHUT_WR);
      if (ended) return;
      send_once(to, {bytes, static_cast<std::size_t>(got)});
    }
  }

  std::atomic<std::uint64_t>& carried_;
  Directory directory_;
  Aside aside_;
  std::map<NodeId, Descriptor> listeners_;
  std::list<Call> calls_;
  std::vector<NodeId> dead_;
};

}  // namespace

StandIns::StandIns(const std::string& directory, bool guarded)
    : process_([&] {
        struct sigaction end {};
        end.sa_handler = note_end;
        sigaction(SIGTERM, &end, nullptr);
        signal(SIGPIPE, SIG_IGN);
        std::optional<Guard> own_guard;
        if (guarded) own_guard.emplace();
        if (guarded) own_guard->put_names_back(directory);
        Carrying(directory, *carried_).run();
      }) {}

StandIns::~StandIns() {
  process_.end_by(SIGTERM);
}

}  // namespace bully
