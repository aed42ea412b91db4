#include "support/legacy_peer.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <stdexcept>
#include <vector>

#include "node/system.h"
#include "support/messages.h"
#include "support/names.h"

namespace bully {

namespace {

constexpr Duration answer_timeout = std::chrono::milliseconds(300);
constexpr int backlog = 1;

// The example, in its two processes. Blocking calls throughout, as there.
class Script {
 public:
  Script(std::string directory, const LegacyOptions& options, LegacyPeer::Common& shared)
      : directory_(std::move(directory)), options_(options), shared_(shared) {}

  [[noreturn]] void run() {
    publish();
    const pid_t child = fork();
    if (child == 0) ping_for_ever();
    shared_.child = child;
    shared_.listens = true;
    start_election();
    while (true) serve();
  }

 private:
  void publish() {
    unlink(path_of(options_.id).c_str());
    listener_ = bind_at(path_of(options_.id), SOCK_STREAM);
    if (listen(listener_.get(), backlog) != 0) _exit(1);
  }
  std::string path_of(NodeId id) const { return directory_ + '/' + std::to_string(id); }

  // One connection, or the end of the wait for an ANSWER, or the child's signal.
  void serve() {
    fd_set polled;
    FD_ZERO(&polled);
    FD_SET(listener_.get(), &polled);
    const int timeout = poll_timeout(answer_deadline_, monotonic_now());
    const timespec left{timeout / 1000, timeout % 1000 * 1'000'000};
    // The child's signal is let in only here: one that came just before would be missed.
    sigset_t none;
    sigemptyset(&none);
    const int ready = pselect(listener_.get() + 1, &polled, nullptr, nullptr,
                              timeout < 0 ? nullptr : &left, &none);
    if (monotonic_now() >= answer_deadline_) win();
    if (shared_.coordinator == LegacyPeer::no_one && answer_deadline_ == never && !answered_) {
      start_election();  // the child has found the coordinator dead
    }
    if (ready <= 0) return;
    const int accepted = accept(listener_.get(), nullptr, nullptr);
    if (accepted < 0) return;
    last_ = Descriptor(accepted);  // only now is the one before it closed
    std::string bytes(256, '\0');
    const ssize_t got = recv(accepted, bytes.data(), bytes.size(), 0);
    if (got <= 0) return;
    bytes.resize(static_cast<std::size_t>(got));
    char rest[64];
    while (recv(accepted, rest, sizeof rest, 0) > 0) {
    }
    ++shared_.received;
    obey(bytes);
  }

  void obey(const std::string& bytes) {
    const std::optional<Message> message = decode(bytes);
    if (!message) return;
    if (message->type == messages::election) {
      if (!is_higher(message->from)) send("PE", message->from);
      if (answer_deadline_ == never) start_election();
    } else if (message->type == messages::answer) {
      answer_deadline_ = never;
      answered_ = true;
    } else if (message->type == messages::coordinator) {
      follow(message->from);
    }
  }

  void start_election() {
    shared_.coordinator = LegacyPeer::no_one;
    answered_ = false;
    bool asked = false;
    for (const NodeId id : ids()) asked = (is_higher(id) && send("E", id)) || asked;
    answer_deadline_ = asked ? monotonic_now() + answer_timeout : Time(0);
    if (!asked) win();
  }

  void win() {
    follow(options_.id);
    if (!options_.announces) return;
    for (const NodeId id : ids()) {
      if (id != options_.id) send("C", id);
    }
  }

  void follow(NodeId coordinator) {
    answer_deadline_ = never;
    answered_ = false;
    shared_.coordinator = coordinator;
  }

  bool is_higher(NodeId id) const {
    if (options_.ids_as_text) return std::to_string(id) > std::to_string(options_.id);
    return id > options_.id;
  }

  std::vector<NodeId> ids() const {
    std::vector<NodeId> found;
    DIR* listing = opendir(directory_.c_str());
    if (listing == nullptr) return found;
    while (const dirent* entry = readdir(listing)) {
      if (const auto id = parse_id(entry->d_name)) found.push_back(*id);
    }
    closedir(listing);
    return found;
  }

  bool send(const std::string& type, NodeId to) const {
    const Descriptor connection = connect_waiting(path_of(to));
    const std::string bytes = type + ';' + std::to_string(options_.id);
    return connection && ::send(connection.get(), bytes.data(), bytes.size(), 0) > 0;
  }

  // Its parent's listening socket stays open here.
  [[noreturn]] void ping_for_ever() {
    const pid_t parent = getppid();
    const pid_t test = test_;
    while (::kill(test, 0) == 0) {
      const NodeId coordinator = shared_.coordinator;
      const bool idle = !options_.pings || coordinator == LegacyPeer::no_one;
      if (idle || coordinator == options_.id) {
        poll(nullptr, 0, 10);
        continue;
      }
      if (send("1", coordinator)) {
        ++shared_.pings_sent;
      } else if (NodeId expected = coordinator;
                 shared_.coordinator.compare_exchange_strong(expected, LegacyPeer::no_one)) {
        ::kill(parent, SIGUSR1);  // interrupts its pselect
      }
    }
    _exit(0);
  }

  std::string directory_;
  LegacyOptions options_;
  LegacyPeer::Common& shared_;
  pid_t test_ = getppid();
  Descriptor listener_;
  Descriptor last_;
  Time answer_deadline_ = never;
  bool answered_ = false;
};

void ignore(int) {}

}  // namespace

LegacyPeer::LegacyPeer(std::string directory, const LegacyOptions& options) {
  mkdir(directory.c_str(), S_IRWXU);
  parent_ = Child([&] {
    struct sigaction interrupt {};  // without SA_RESTART
    interrupt.sa_handler = ignore;
    sigaction(SIGUSR1, &interrupt, nullptr);
    sigset_t from_child;
    sigemptyset(&from_child);
    sigaddset(&from_child, SIGUSR1);
    sigprocmask(SIG_BLOCK, &from_child, nullptr);
    signal(SIGPIPE, SIG_IGN);
    Script(std::move(directory), options, *common_).run();
  });
  if (!wait_until([this] { return common_->listens.load(); })) {
    throw std::runtime_error("the scripted peer cannot listen");
  }
}

void LegacyPeer::kill() {
  kill_parent();
  const pid_t child = common_->child.exchange(0);
  if (child == 0) return;
  ::kill(child, SIGKILL);
  wait_until([child] { return !is_running(child); });
}

}  // namespace bully
