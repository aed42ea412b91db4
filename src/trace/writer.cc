#include "trace/writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace bully {

namespace {

constexpr std::array<std::string_view, trace_event_count> event_names = {
    "start", "send",        "receive", "lost", "timeout", "suspect",
    "state", "coordinator", "drop",    "stop", "crash"};

// One object's members, in the order in which they are added. The words that a record holds are
// plain identifiers: nothing in them needs escaping.
class JsonLine {
 public:
  JsonLine& number(std::string_view key, std::int64_t value) {
    return raw(key, std::to_string(value));
  }
  JsonLine& number(std::string_view key, std::optional<std::uint64_t> value) {
    return raw(key, value ? std::to_string(*value) : "null");
  }
  JsonLine& word(std::string_view key, std::string_view value) {
    return raw(key, '"' + std::string(value) + '"');
  }
  JsonLine& variables(const Variables& variables) {
    JsonLine object;
    for (const Variable& variable : variables) {
      if (!variable.name.empty()) object.number(variable.name, variable.value);
    }
    return object.text_.empty() ? *this : raw("variables", object.text_ + '}');
  }
  std::string end() { return std::move(text_) + "}\n"; }

 private:
  JsonLine& raw(std::string_view key, const std::string& value) {
    text_ += text_.empty() ? "{\"" : ",\"";
    text_.append(key).append("\":").append(value);
    return *this;
  }

  std::string text_;
};

}  // namespace

std::string_view trace_event_name(TraceEvent event) {
  return event_names.at(static_cast<std::size_t>(event));
}

std::optional<TraceEvent> trace_event(std::string_view name) {
  for (std::size_t i = 0; i < event_names.size(); ++i) {
    if (event_names[i] == name) return static_cast<TraceEvent>(i);
  }
  return std::nullopt;
}

std::string trace_line(const Record& record) {
  JsonLine line;
  line.number("t", record.t_ns).number("node", std::optional(record.node));
  line.number("pid", record.pid).word("event", trace_event_name(record.event));
  switch (record.event) {
    case TraceEvent::send:
    case TraceEvent::receive:
    case TraceEvent::lost:
      line.word("type", wire_name(record.type)).number("from", std::optional(record.from));
      line.number("to", std::optional(record.to)).number("seq", record.number);
      // A ping's subject says nothing about an election.
      if (!is_about_ping(record)) {
        if (record.subject) line.number("subject", record.subject);
        if (record.epoch) line.number("epoch", record.epoch);
      }
      if (record.event == TraceEvent::lost) line.word("reason", record.reason);
      break;
    case TraceEvent::timeout:
      line.word("timer", record.timer);
      break;
    case TraceEvent::suspect:
      line.number("coordinator", record.coordinator).word("reason", record.reason);
      break;
    case TraceEvent::state:
      line.word("state", record.state).variables(record.variables);
      break;
    case TraceEvent::coordinator:
      line.number("coordinator", record.coordinator);
      break;
    case TraceEvent::drop:
      line.word("reason", record.reason);
      break;
    case TraceEvent::start:
      if (!record.algorithm.empty()) line.word("algorithm", record.algorithm);
      break;
    case TraceEvent::stop:
    case TraceEvent::crash:
      break;
  }
  return line.end();
}

TraceFile::TraceFile(const std::string& path)
    : fd_(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0644)) {
  if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "open " + path);
}

TraceFile::~TraceFile() {
  close(fd_);
}

void TraceFile::record(const Record& record) {
  if (error_ != 0) return;
  const std::string line = trace_line(record);
  // A part of a line is written where the room ends. Only the next write tells what ended it: the
  // disk, or the limit on the size of a file.
  for (std::string_view left = line; !left.empty() && error_ == 0;) {
    const ssize_t written = write(fd_, left.data(), left.size());
    if (written >= 0) left.remove_prefix(static_cast<std::size_t>(written));
    if (written < 0 && errno != EINTR) error_ = errno;
  }
}

}  // namespace bully
