#include "support/bystander.h"

#include <doctest/doctest.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <array>

#include "node/system.h"
#include "support/process.h"

namespace bully {

namespace {

volatile sig_atomic_t continued = 0;
void note_continued(int /*signal*/) {
  continued = 1;
}

constexpr char untouched = '.';
constexpr char touched = '!';

}  // namespace

Bystander::Bystander(const std::string& path, const std::string& reply) {
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  set_close_on_exec(ends[0]);  // a node that the test starts must not keep it open
  questions_ = Descriptor(ends[0]);
  pid_ = fork();
  REQUIRE(pid_ >= 0);
  if (pid_ == 0) {
    close(ends[0]);
    signal(SIGCONT, note_continued);
    const std::string name = path.ends_with('/') ? path + std::to_string(getpid()) : path;
    live(ends[1], name.empty() ? -1 : listen_at(name), reply);
  }
  close(ends[1]);
  REQUIRE(is_untouched());  // and it listens
}

Bystander::~Bystander() {
  if (reaped_) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

bool Bystander::is_alive() {
  if (!reaped_) reaped_ = waitpid(pid_, nullptr, WNOHANG) == pid_;
  return !reaped_;
}

bool Bystander::is_untouched() {
  pollfd polled{questions_.get(), POLLIN, 0};
  char answer = '?';
  const int wait_ms = static_cast<int>(patience / std::chrono::milliseconds(1));
  return send(questions_.get(), &answer, 1, MSG_NOSIGNAL) == 1 && poll(&polled, 1, wait_ms) == 1 &&
         recv(questions_.get(), &answer, 1, 0) == 1 && answer == untouched;
}

int Bystander::listen_at(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) _exit(1);
  if (listen(listener, 16) != 0) _exit(1);
  return listener;
}

// Until the test ends, or ends it.
void Bystander::live(int parent, int listener, const std::string& reply) {
  const int accepting = reply.empty() ? -1 : listener;
  std::array<pollfd, 2> polled = {{{parent, POLLIN, 0}, {accepting, POLLIN, 0}}};
  while (true) {
    poll(polled.data(), polled.size(), -1);
    char byte = 0;
    if (polled[0].revents != 0) {
      if (read(parent, &byte, 1) != 1) _exit(0);
      byte = continued != 0 ? touched : untouched;
      send(parent, &byte, 1, MSG_NOSIGNAL);
    }
    if (polled[1].revents == 0) continue;
    const int connection = accept(listener, nullptr, nullptr);
    while (read(connection, &byte, 1) == 1) continue;
    send(connection, reply.data(), reply.size(), MSG_NOSIGNAL);
    close(connection);
  }
}

std::string status_reply(const std::string& id, const std::string& pid) {
  return R"({"id":)" + id + R"(,"pid":)" + pid +
         R"(,"algorithm":"bully","state":"coordinator","coordinator":)" + id + "}";
}

}  // namespace bully
