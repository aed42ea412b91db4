#include "stage/guard.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <vector>

#include "node/pipe.h"
#include "node/setup_error.h"

namespace bully {

namespace {

// The guard's whole life.
[[noreturn]] void watch_over(Descriptor words, const std::string& directory) {
  std::vector<pid_t> children;
  while (true) {
    pollfd entry{words.get(), POLLIN, 0};
    poll(&entry, 1, -1);
    pid_t word = 0;
    const ssize_t got = read(words.get(), &word, sizeof word);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got != sizeof word) break;
    if (word > 0) children.push_back(word);
    if (word < 0) std::erase(children, -word);
  }
  for (const pid_t child : children) kill(child, SIGKILL);
  // A process that is ending may still put a name into the directory: a second look is enough,
  // since all are dead by then.
  std::error_code ignored;
  for (int look = 0; look < 2; ++look) std::filesystem::remove_all(directory, ignored);
  _exit(0);
}

}  // namespace

Guard::Guard(std::string directory) {
  Pipe pipe = make_pipe("to the guard");
  pid_ = fork();
  if (pid_ < 0) throw SetupError(errno, "fork of the guard", advice_for(errno, Advice::none));
  if (pid_ == 0) {
    // A group of its own: what a terminal sends to us on Ctrl-C is not meant for it.
    setpgid(0, 0);
    pipe.write_end.reset();
    watch_over(std::move(pipe.read_end), directory);
  }
  words_ = std::move(pipe.write_end);
}

Guard::~Guard() {
  words_.reset();
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Guard::tell(pid_t word) {
  // The pipe has room for thousands of words, and the guard reads them all.
  while (write(words_.get(), &word, sizeof word) < 0 && errno == EINTR) {
  }
}

}  // namespace bully
