#include "stage/guard.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <random>
#include <utility>

#include "node/pipe.h"
#include "node/setup_error.h"
#include "stage/leftovers.h"

namespace bully {

namespace {

constexpr std::chrono::seconds tick(1);

[[noreturn]] void fail(int error, const std::string& call_and_object) {
  throw SetupError(error, call_and_object, advice_for(error, Advice::none));
}

// The guard's whole life.
[[noreturn]] void stand_guard(const Descriptor& words) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  raise_descriptor_limit();
  Leftovers leftovers;
  while (leftovers.listen(words, tick)) {
  }
  leftovers.kill_processes();
  leftovers.remove_directories();
  _exit(0);
}

std::array<Descriptor, 2> make_pair_of_sockets() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) {
    fail(errno, "socketpair to the guard");
  }
  for (const int end : ends) set_close_on_exec(end);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

}  // namespace

Guard::Guard() : owner_(getpid()) {
  auto [ours, its] = make_pair_of_sockets();
  set_non_blocking(its.get());
  const pid_t child = fork();
  if (child < 0) fail(errno, "fork of the guard");
  if (child == 0) {
    // A session of its own: neither what a terminal sends nor the terminal's end is meant for it.
    setsid();
    // No child of ours, so whoever counts our children or waits for any of them does not meet it.
    if (const pid_t guard = fork(); guard != 0) _exit(guard > 0 ? 0 : errno);
    ours.reset();
    stand_guard(its);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WEXITSTATUS(status) != 0) fail(WEXITSTATUS(status), "fork of the guard");
  words_ = std::move(ours);
}

Guard::~Guard() {
  if (!words_ || getpid() != owner_) return;
  shutdown(words_.get(), SHUT_WR);
  char byte = 0;
  while (recv(words_.get(), &byte, 1, 0) < 0 && errno == EINTR) {
  }
}

void Guard::add_this_process() const {
  std::array<char, 24> digits{};
  std::to_chars(digits.data(), digits.data() + digits.size(), getpid());
  tell(digits.data());
}

std::string Guard::make_directory(const std::string& prefix) const {
  std::random_device random;
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz234567";
  std::string path = std::filesystem::absolute(prefix);
  for (int i = 0; i < 12; ++i) path += letters[random() % letters.size()];
  // First told, then made: with a name that nobody else can have, nothing of another's is at risk.
  tell(path);
  if (mkdir(path.c_str(), S_IRWXU) != 0) {
    const int error = errno;
    forget_directory(path);
    fail(error, "mkdir " + path);
  }
  return path;
}

void Guard::tell(const std::string& word) const {
  const char* left = word.c_str();
  std::size_t size = word.size() + 1;  // with the NUL that ends it
  while (size > 0) {
    const ssize_t sent = send(words_.get(), left, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return;
    left += sent;
    size -= static_cast<std::size_t>(sent);
  }
}

}  // namespace bully
