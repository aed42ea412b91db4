#include "stage/trace_tail.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "node/setup_error.h"
#include "trace/reader.h"

namespace bully {

TraceTail::TraceTail(const std::string& path)
    : path_(path), file_(open(path.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0600)) {
  if (!file_) throw SetupError(errno, "open " + path, Advice::choose_trace);
}

void TraceTail::read_on() {
  constexpr std::size_t at_once = 65536;
  std::string bytes(at_once, '\0');
  while (true) {
    const ssize_t got = read(file_.get(), bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    rest_.append(bytes, 0, static_cast<std::size_t>(got));
  }
}

bool TraceTail::begins_anew() {
  struct stat ours {};
  struct stat named {};
  if (fstat(file_.get(), &ours) != 0) return false;
  if (stat(path_.c_str(), &named) == 0 &&
      (named.st_dev != ours.st_dev || named.st_ino != ours.st_ino)) {
    Descriptor other(open(path_.c_str(), O_RDONLY | O_CLOEXEC));
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
    read_on();
    take_lines(records);
  } while (begins_anew());
  return records;
}

void TraceTail::take_lines(std::vector<Record>& records) {
  std::size_t begin = 0;
  for (std::size_t end = rest_.find('\n'); end != std::string::npos;
       end = rest_.find('\n', begin)) {
    ++lines_;
    try {
      records.push_back(parse_trace_line(std::string_view(rest_).substr(begin, end - begin)));
    } catch (const TraceError& error) {
      if (damage_.empty()) damage_ = path_ + ':' + std::to_string(lines_) + ": " + error.what();
    }
    begin = end + 1;
  }
  rest_.erase(0, begin);
}

}  // namespace bully
