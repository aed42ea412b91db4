#include "support/fake_node.h"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <new>
#include <optional>
#include <stdexcept>

#include "election/ping_reply.h"
#include "node/system.h"
#include "support/messages.h"
#include "support/process.h"

namespace bully {

struct FakeShared {
  std::atomic<bool> listens = false;
  std::atomic<std::uint64_t> pings = 0;
  std::atomic<std::uint64_t> elections = 0;
};

namespace {

[[noreturn]] void play(const std::string& directory, const FakeOptions& options,
                       FakeShared& shared) {
  const pid_t test = getppid();
  const Descriptor listener = listen_at(directory + '/' + std::to_string(options.id));
  shared.listens = true;
  while (getppid() == test) {
    pollfd polled{listener.get(), POLLIN, 0};
    if (poll(&polled, 1, 100) <= 0) continue;
    const Descriptor connection = accept_from(listener);
    pollfd readable{connection.get(), POLLIN, 0};
    char bytes[max_message_bytes];
    if (!connection || poll(&readable, 1, 100) != 1) continue;
    const ssize_t got = recv(connection.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (got <= 0) continue;
    const auto message = decode({bytes, static_cast<std::size_t>(got)});
    if (!message) continue;
    if (message->type == messages::ping) {
      ++shared.pings;
      send_once(connection, encode(PingReply{options.id, options.follows}));
    } else if (message->type == messages::election) {
      ++shared.elections;
      if (!options.answers) continue;
      const Connection back = connect_to(directory + '/' + std::to_string(message->from));
      const Message answer{.type = messages::answer, .from = options.id};
      if (back.reach == Reach::reached) send_once(back.descriptor, encode(answer));
    }
  }
  _exit(0);
}

}  // namespace

FakeNode::FakeNode(std::string directory, const FakeOptions& options) {
  void* memory =
      mmap(nullptr, sizeof(FakeShared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("mmap");
  shared_ = new (memory) FakeShared;
  mkdir(directory.c_str(), S_IRWXU);
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("fork");
  if (pid_ == 0) play(directory, options, *shared_);
  if (!wait_until([this] { return shared_->listens.load(); })) {
    throw std::runtime_error("the fake cannot listen");
  }
}

FakeNode::~FakeNode() {
  kill();
  munmap(shared_, sizeof(FakeShared));
}

void FakeNode::kill() {
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

std::uint64_t FakeNode::pings() const {
  return shared_->pings;
}
std::uint64_t FakeNode::elections() const {
  return shared_->elections;
}

}  // namespace bully
