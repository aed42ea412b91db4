// trace_file.cc: appends lines, and follows a file that grows.
#include "stage/trace_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace bully {

// Only a file has an end up to which it can be read: /dev/zero has none, and a FIFO waits for it.
static Descriptor open_file(const std::string& path, int flags) {
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags, 0600));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0 || S_ISREG(status.st_mode)) return file;
  errno = S_ISDIR(status.st_mode) ? EISDIR : ESPIPE;
  return {};
}

TraceFile::TraceFile(const std::string& path)
    : file_(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0644)) {
  if (!file_) throw SetupError(errno, "open " + path, Advice::choose_trace);
}

void TraceFile::record(const Record& record) {
  if (error_ != 0) return;
  const std::string line = trace_line(record);
  // If the room ends, a part is written; the next write gives the cause: the disk, or a file's
  // limit.
  for (std::string_view left = line; !left.empty() && error_ == 0;) {
    const ssize_t written = write(file_.get(), left.data(), left.size());
    if (written >= 0) left.remove_prefix(static_cast<std::size_t>(written));
    if (written < 0 && errno != EINTR) error_ = errno;
  }
}

TraceTail::TraceTail(const std::string& path, Missing missing)
    : path_(path), file_(open_file(path, missing == Missing::make ? O_CREAT : 0)) {
  const int error = errno;
  const auto place = std::filesystem::absolute(path).parent_path();
  const bool may_come =
      missing == Missing::await && error == ENOENT && std::filesystem::is_directory(place);
  if (!file_ && !may_come) throw SetupError(error, "open " + path, Advice::choose_trace);
}

bool TraceTail::begins_anew() {
  struct stat ours {};
  struct stat named {};
  if (!file_) file_ = open_file(path_, 0);
  if (fstat(file_.get(), &ours) != 0) return false;
  if (stat(path_.c_str(), &named) == 0 &&
      (named.st_dev != ours.st_dev || named.st_ino != ours.st_ino)) {
    Descriptor other = open_file(path_, 0);
    if (!other) return false;
    file_ = std::move(other);
  } else if (ours.st_size >= lseek(file_.get(), 0, SEEK_CUR) ||
             lseek(file_.get(), 0, SEEK_SET) != 0) {
    return false;
  }
  rest_.clear();
  lines_ = 0;
  return true;
}

std::vector<Record> TraceTail::next() {
  std::vector<Record> records;
  do {
    read_on(records);
  } while (begins_anew());
  return records;
}

void TraceTail::read_on(std::vector<Record>& records) {
  while (read_some(file_, rest_) == Incoming::some) {
  }
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = rest_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    ++lines_;
    try {
      records.push_back(parse_trace_line(std::string_view(rest_).substr(begin, end - begin)));
      records.back().line = lines_;
    } catch (const TraceError& error) {
      if (!damage_) damage_.emplace(path_ + ':' + std::to_string(lines_), error.problem);
    }
  }
  rest_.erase(0, begin);
}

}  // namespace bully
