#include "support/floors.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <vector>

#include "support/names.h"
#include "support/process.h"

namespace bully {

namespace {

constexpr char election_text[] = "E;1234;567";
constexpr char ping_text[] = "1;1234;1234";

[[noreturn]] void fail(const char* call) {
  throw std::system_error(errno, std::generic_category(), call);
}

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Of this process, and of all that it has waited for.
double seconds_used() {
  return seconds_of_processor(RUSAGE_SELF) + seconds_of_processor(RUSAGE_CHILDREN);
}

sockaddr_un address_at(const std::string& directory, int receiver = 0) {
  return address_of(directory + "/floor." + std::to_string(receiver));
}

int listening_at(const sockaddr_un& address, int flags = 0) {
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  if (fcntl(listener, F_SETFL, flags) != 0) fail("fcntl");
  unlink(address.sun_path);
  if (bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    fail("bind");
  if (listen(listener, SOMAXCONN) != 0) fail("listen");
  return listener;
}

int connected_to(const sockaddr_un& address) {
  const int connection = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    fail("connect");
  }
  return connection;
}

void write_message(const sockaddr_un& address) {
  const int connection = connected_to(address);
  if (send(connection, election_text, sizeof election_text - 1, MSG_NOSIGNAL) < 0) fail("send");
  close(connection);
}

// With O_NONBLOCK in `flags` it does not wait for room in the backlog.
bool try_to_write(const sockaddr_un& address, int flags) {
  const int connection = socket(AF_UNIX, SOCK_STREAM, 0);
  if (flags != 0) fcntl(connection, F_SETFL, flags);
  const bool reached =
      connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  if (reached) send(connection, election_text, sizeof election_text - 1, MSG_NOSIGNAL);
  close(connection);
  return reached;
}

// Reads one connection up to its end. False where none came.
bool serve_one(int listener, bool answers) {
  const int connection = accept(listener, nullptr, nullptr);
  if (connection < 0) return false;
  char bytes[256];
  while (recv(connection, bytes, sizeof bytes, 0) > 0) {
  }
  if (answers) send(connection, ping_text, sizeof ping_text - 1, MSG_NOSIGNAL);
  close(connection);
  return true;
}

// One of the processes that exchange messages: sends one to all addresses but `self`, and receives
// as many. It says so when it listens, and when it has them all; it begins when `gate` is closed.
[[noreturn]] void exchange(const std::vector<sockaddr_un>& addresses, std::size_t self, int gate,
                           int told) {
  const int listener = listening_at(addresses[self], O_NONBLOCK);
  std::size_t received = 0;
  const auto receive = [&] {
    while (serve_one(listener, false)) ++received;
  };
  char byte = 0;
  if (write(told, &byte, 1) != 1 || read(gate, &byte, 1) != 0) _exit(1);
  for (std::size_t to = 0; to < addresses.size(); ++to) {
    while (to != self && !try_to_write(addresses[to], O_NONBLOCK)) receive();
  }
  while (received + 1 < addresses.size()) {
    pollfd waiting{listener, POLLIN, 0};
    poll(&waiting, 1, -1);
    receive();
  }
  _exit(write(told, &byte, 1) == 1 ? 0 : 1);
}

// A child that writes messages until it is killed.
pid_t flooding(const sockaddr_un& address) {
  const pid_t child = fork();
  if (child != 0) return child;
  while (true) try_to_write(address, 0);
}

void end(pid_t child) {
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

}  // namespace

double bare_message(const std::string& directory, int count, int receivers) {
  std::vector<sockaddr_un> addresses;
  std::vector<pid_t> children;
  for (int receiver = 0; receiver < receivers; ++receiver) {
    addresses.push_back(address_at(directory, receiver));
    const int listener = listening_at(addresses.back());
    children.push_back(fork());
    if (children.back() == 0) {
      for (int i = 0; i < count / receivers; ++i) serve_one(listener, false);
      _exit(0);
    }
    close(listener);
  }
  const double begin = now();
  for (int i = 0; i < count / receivers; ++i) {
    for (const sockaddr_un& address : addresses) write_message(address);
  }
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  const double took = now() - begin;
  for (const sockaddr_un& address : addresses) unlink(address.sun_path);
  return took / count;
}

double bare_exchange(const std::string& directory, int processes) {
  std::vector<sockaddr_un> addresses;
  for (int i = 0; i < processes; ++i) addresses.push_back(address_at(directory, i));
  std::array<int, 2> gate{};
  std::array<int, 2> told{};
  if (pipe(gate.data()) != 0 || pipe(told.data()) != 0) fail("pipe");
  std::vector<pid_t> children;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    close(gate[1]);
    exchange(addresses, i, gate[0], told[1]);
  }
  char byte = 0;
  const auto all_tell = [&] {
    for (int i = 0; i < processes; ++i) {
      if (read(told[0], &byte, 1) != 1) fail("read");
    }
  };
  all_tell();
  const double begin = now();
  close(gate[1]);
  all_tell();
  const double took = now() - begin;
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  for (const sockaddr_un& address : addresses) unlink(address.sun_path);
  for (const int end : {gate[0], told[0], told[1]}) close(end);
  return took / processes / (processes - 1);
}

std::vector<double> bare_deaths(int count) {
  std::vector<double> times;
  for (int i = 0; i < count; ++i) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) fail("socketpair");
    const pid_t child = fork();
    if (child == 0) {
      close(ends[0]);
      if (write(ends[1], "r", 1) != 1) _exit(1);
      while (true) pause();
    }
    close(ends[1]);
    char byte = 0;
    if (read(ends[0], &byte, 1) != 1) fail("read");
    const double killed = now();
    kill(child, SIGKILL);
    while (read(ends[0], &byte, 1) < 0 && errno == EINTR) {
    }
    times.push_back(now() - killed);
    close(ends[0]);
    waitpid(child, nullptr, 0);
  }
  return times;
}

double bare_processes(int count) {
  const double begin = now();
  std::vector<pid_t> children;
  for (int i = 0; i < count; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      execl("/bin/true", "true", nullptr);
      _exit(1);
    }
    if (child < 0) fail("fork");
    children.push_back(child);
  }
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  return now() - begin;
}

double bare_ping_cpu(const std::string& directory, int pairs, double interval_s,
                     double duration_s) {
  std::array<int, 2> used{};
  if (pipe(used.data()) != 0) fail("pipe");
  const int pings = static_cast<int>(duration_s / interval_s);
  const double begin = now() + interval_s;
  std::vector<pid_t> children;
  // Its part `act`, `pings` times; then it reports the time that this took it.
  const auto start = [&](const auto& act) {
    children.push_back(fork());
    if (children.back() != 0) return;
    const double before = seconds_used();
    for (int i = 0; i < pings; ++i) act(i);
    const double taken = seconds_used() - before;
    _exit(write(used[1], &taken, sizeof taken) == sizeof taken ? 0 : 1);
  };
  std::vector<sockaddr_un> addresses;
  for (int pair = 0; pair < pairs; ++pair) {
    addresses.push_back(address_at(directory, pair));
    const sockaddr_un& address = addresses.back();
    const int listener = listening_at(address);
    start([&](int) { serve_one(listener, true); });
    close(listener);
    start([&](int i) {
      const double at = begin + (i + static_cast<double>(pair) / pairs) * interval_s;
      poll(nullptr, 0, std::max(0, static_cast<int>((at - now()) * 1000)));
      const int connection = connected_to(address);
      send(connection, election_text, sizeof election_text - 1, MSG_NOSIGNAL);
      shutdown(connection, SHUT_WR);
      char bytes[256];
      while (recv(connection, bytes, sizeof bytes, 0) > 0) {
      }
      close(connection);
    });
  }
  double all = 0;
  for (std::size_t i = 0; i < children.size(); ++i) {
    double taken = 0;
    if (read(used[0], &taken, sizeof taken) != sizeof taken) fail("read");
    all += taken;
  }
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  for (const sockaddr_un& address : addresses) unlink(address.sun_path);
  for (const int end : used) close(end);
  return all / duration_s;
}

double bare_served(const std::string& directory, double duration_s) {
  const sockaddr_un address = address_at(directory);
  const int listener = listening_at(address);
  const pid_t child = flooding(address);
  int served = 0;
  const double begin = now();
  while (now() < begin + duration_s) {
    for (int i = 0; i < 100 && serve_one(listener, false); ++i) ++served;
  }
  const double took = now() - begin;
  end(child);
  close(listener);
  unlink(address.sun_path);
  return served / took;
}

pid_t idle_pair(const char* program) {
  std::array<int, 2> ready{};
  if (pipe(ready.data()) != 0) fail("pipe");
  const pid_t first = fork();
  if (first == 0) {
    dup2(ready[1], STDOUT_FILENO);
    execl(program, program, "--idle-pair", nullptr);
    _exit(1);
  }
  close(ready[1]);
  char byte = 0;
  while (read(ready[0], &byte, 1) < 0 && errno == EINTR) {
  }
  close(ready[0]);
  return first;
}

void be_idle_pair() {
  const pid_t parent = getpid();
  if (fork() == 0) {
    if (write(STDOUT_FILENO, "r", 1) != 1) _exit(1);
    close(STDOUT_FILENO);
    while (getppid() == parent) poll(nullptr, 0, 1000);
    _exit(0);
  }
  close(STDOUT_FILENO);
  while (true) pause();
}

}  // namespace bully
