// system.cc: signals, clocks, descriptors and errors.
#include "node/system.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "node/beyond_posix.h"

namespace bully {

namespace {

volatile sig_atomic_t pipe_write_end = -1;

extern "C" void write_to_pipe(int number) {
  const int saved = errno;
  if (number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT) {
    note_request_to_leave(number);
  }
  const auto byte = static_cast<unsigned char>(number);
  // A full pipe has a signal in it already; and any other failure cannot be reported here.
  [[maybe_unused]] const ssize_t written = write(pipe_write_end, &byte, 1);
  errno = saved;
}

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof address.sun_path - 1));
  return address;
}

int connect_error(const Descriptor& from, const std::string& path) {
  const sockaddr_un address = address_of(path);
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  return connect(from.get(), generic, sizeof address) == 0 ? 0 : errno;
}

}  // namespace

SetupError::SetupError(int error, const std::string& call_and_object, Advice advice)
    : std::system_error(error, std::generic_category(), call_and_object), advice_(advice) {
  if (error == EMFILE || error == ENFILE) advice_ = Advice::raise_descriptors;
  if (error == ENOSPC || error == EDQUOT) advice_ = Advice::free_disk;
  if (error == EIO || error == ENOMEM) advice_ = Advice::none;  // another object would not help
}

Time monotonic_now() {
  return std::chrono::steady_clock::now().time_since_epoch();
}

Duration crowd_time(std::size_t processes) {
  constexpr Duration message_cost = std::chrono::microseconds(20);
  return message_cost * static_cast<std::int64_t>(processes * processes);
}

int poll_timeout(Time deadline, Time now) {
  if (deadline == never) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - now).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
}

int poll_for(std::span<pollfd> polled, int timeout_ms) {
  constexpr Duration patience = std::chrono::seconds(1);
  constexpr int pause_ms = 10;
  for (Time give_up_at = never;; poll(nullptr, 0, pause_ms)) {
    const int ready = poll(polled.data(), static_cast<nfds_t>(polled.size()), timeout_ms);
    if (ready >= 0 || errno == EINTR) return ready;
    const int error = errno;
    const Time now = monotonic_now();
    if (give_up_at == never) give_up_at = now + patience;
    // The system may lack memory for a moment.
    const bool may_pass = error == ENOMEM || error == EAGAIN;
    if (!may_pass || now >= give_up_at) throw SetupError(error, "poll", Advice::none);
  }
}

Descriptor prepared(int fd) {
  if (fd >= 0) {
    fcntl(fd, F_SETFD, fcntl(fd, F_GETFD) | FD_CLOEXEC);
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  }
  return Descriptor(fd);
}

void set_blocking(int fd) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
}

Pipe make_pipe(const char* purpose) {
  Pipe made = new_pipe();
  if (!made.write_end) throw SetupError(errno, std::string("pipe ") + purpose, Advice::none);
  return made;
}

std::size_t raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return _POSIX_OPEN_MAX;
  const rlimit raised{limit.rlim_max, limit.rlim_max};
  if (limit.rlim_cur < limit.rlim_max && setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  return static_cast<std::size_t>(std::min<rlim_t>(limit.rlim_cur, 1 << 20));
}

std::size_t count_open_descriptors(std::size_t limit) {
  constexpr std::size_t most = 1024;
  std::vector<pollfd> asked(std::min(limit, most));
  for (std::size_t fd = 0; fd < asked.size(); ++fd) asked[fd].fd = static_cast<int>(fd);
  if (poll(asked.data(), static_cast<nfds_t>(asked.size()), 0) < 0) return 0;
  return static_cast<std::size_t>(
      std::ranges::count(asked, 0, [](const pollfd& entry) { return entry.revents & POLLNVAL; }));
}

Descriptor try_lock(const std::string& directory) {
  Descriptor lock(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock || flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return {};
  return lock;
}

bool would_block() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

Incoming read_some(const Descriptor& from, std::string& to) {
  char some[4096];
  const ssize_t got = read(from.get(), some, sizeof some);
  if (got < 0) return would_block() ? Incoming::nothing : Incoming::failed;
  to.append(some, static_cast<std::size_t>(got));
  return got == 0 ? Incoming::end : Incoming::some;
}

std::size_t max_socket_path() {
  return sizeof(sockaddr_un::sun_path) - 1;
}

Descriptor listen_at(const std::string& path) {
  const sockaddr_un address = address_of(path);
  Descriptor listener = make_socket(SOCK_STREAM);
  const auto fail = [&](const char* call, int error) {
    throw SetupError(error, call + (" " + path), Advice::choose_directory);
  };
  if (!listener) fail("socket for", errno);
  // Only its owner may connect, whatever the directory allows.
  const mode_t mask = umask(S_IRWXG | S_IRWXO);
  const int bound =
      bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  umask(mask);
  if (bound != 0) fail("bind", errno);
  if (listen(listener.get(), SOMAXCONN) != 0) {
    const int error = errno;
    unlink(path.c_str());
    fail("listen on", error);
  }
  return listener;
}

std::optional<SocketIdentity> socket_at(const std::string& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return std::nullopt;
  return SocketIdentity(status.st_dev, status.st_ino);
}

Descriptor accept_from(const Descriptor& listener) {
  while (true) {
    Descriptor accepted = accepted_from(listener.get());
    if (accepted || (errno != EINTR && errno != ECONNABORTED)) return accepted;
  }
}

SocketTable::SocketTable() : datagram_(make_socket(SOCK_DGRAM)) {}

bool SocketTable::may_be_node(const std::string& path) const {
  if (!datagram_) return true;
  const int error = connect_error(datagram_, path);
  return error != 0 && error != ECONNREFUSED && !is_absence(error);
}

Reach reach_after(int error, const std::string& path, bool full_backlog_refuses) {
  if (is_absence(error)) return Reach::gone;
  if (error == EPROTOTYPE) return Reach::foreign;
  if (error != ECONNREFUSED) return Reach::busy;
  return full_backlog_refuses && SocketTable().may_be_node(path) ? Reach::busy : Reach::gone;
}

Connection connect_to(const std::string& path) {
  Descriptor descriptor = make_socket(SOCK_STREAM);
  if (!descriptor) return {};
  const int error = connect_error(descriptor, path);
  if (error != 0) return {reach_after(error, path, full_backlog_is_refused), {}};
  return {Reach::reached, std::move(descriptor)};
}

ssize_t send_some(const Descriptor& connection, std::string_view bytes) {
  return send(connection.get(), bytes.data(), bytes.size(), without_sigpipe);
}

bool send_once(const Descriptor& connection, std::string_view bytes) {
  // Some systems' buffers are smaller than the longest list, and a partial message is useless.
  constexpr std::size_t surely_fits = 4096;
  const int room = 2 * static_cast<int>(bytes.size());
  if (bytes.size() > surely_fits) {
    setsockopt(connection.get(), SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
  }
  return send_some(connection, bytes) == static_cast<ssize_t>(bytes.size());
}

bool send_question(const Descriptor& connection, std::string_view bytes) {
  return send_once(connection, bytes) && shutdown(connection.get(), SHUT_WR) == 0;
}

SignalPipe::SignalPipe(std::vector<int> added)
    : pipe_(make_pipe("for signals")), write_end_before_(pipe_write_end) {
  added.insert(added.end(), {SIGINT, SIGTERM, SIGHUP});
  pipe_write_end = pipe_.write_end.get();
  struct sigaction present {};
  const bool ignores_hangup =
      sigaction(SIGHUP, nullptr, &present) == 0 && present.sa_handler == SIG_IGN;
  for (const int number : added) {
    handle(number, number == SIGHUP && ignores_hangup ? SIG_IGN : write_to_pipe);
  }
  handle(SIGPIPE, SIG_IGN);
  // A program that waits for signals by sigwait(3) has blocked them, and an exec keeps that. Then a
  // request to leave, or a child's end, would never arrive.
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_UNBLOCK, &all, nullptr);
}

SignalPipe::~SignalPipe() {
  for (const auto& [signal, before] : handled_) sigaction(signal, &before, nullptr);
  pipe_write_end = write_end_before_;
}

void SignalPipe::handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  struct sigaction& before = handled_.emplace_back(signal, action).second;
  sigaction(signal, &action, &before);
}

std::optional<int> SignalPipe::next() {
  unsigned char byte = 0;
  if (read(pipe_.read_end.get(), &byte, 1) != 1) return std::nullopt;
  return byte;
}

void SignalPipe::close_inherited() {
  pipe_write_end = -1;
  pipe_ = {};
}

}  // namespace bully
