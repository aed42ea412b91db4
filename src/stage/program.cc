#include "stage/program.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>

#include "node/setup_error.h"
#include "node/unix_socket.h"

namespace bully {

std::string own_program(const std::string& called_as) {
  std::string path(PATH_MAX, '\0');
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  if (length > 0) {
    path.resize(static_cast<std::size_t>(length));
    if (access(path.c_str(), X_OK) == 0) return path;  // not where the file has been replaced
  }
  return called_as;  // with a slash it is a path; without one, execvp looks for it as a shell does
}

pid_t start_program(std::vector<std::string> words, const std::function<void()>& in_child) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) throw SetupError(errno, "fork of " + words[0], Advice::raise_processes);
  if (child > 0) return child;
  // A group of its own: Ctrl-C is for us, who then end it.
  setpgid(0, 0);
  in_child();
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing >= 0) {
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
  }
  execvp(arguments[0], arguments.data());
  _exit(127);
}

std::string temporary_directory() {
  constexpr std::string_view longest = "/bully-stage.xxxxxxxxxxxx/nodes/18446744073709551615";
  const char* named = std::getenv("TMPDIR");
  std::string directory = named != nullptr ? named : "";
  if (directory.empty() || directory.size() + longest.size() > max_socket_path()) return "/tmp";
  return directory;
}

}  // namespace bully
