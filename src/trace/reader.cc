#include "trace/reader.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>

#include "election/algorithm.h"
#include "trace/json.h"
#include "trace/writer.h"

namespace bully {

namespace {

// Every word that a record may hold but those of the algorithms.
constexpr std::array<std::string_view, 16> common_words = {
    "gone",  "deadline", "down",      "hung",    "deposed", "answer", "coordinator", "empty",
    "reset", "oversize", "malformed", "crowded", "foreign", "self",   "partition",   "loss"};

// A record refers to words that last as long as the program: these, or the algorithms' own.
std::vector<std::string_view> all_words() {
  std::vector<std::string_view> words(common_words.begin(), common_words.end());
  for (const Algorithm& algorithm : algorithms()) {
    words.push_back(algorithm.name);
    words.insert(words.end(), algorithm.states.begin(), algorithm.states.end());
    for (const Variable& variable : algorithm.make(0)->variables()) {
      if (!variable.name.empty()) words.push_back(variable.name);
    }
  }
  return words;
}

// The lasting word that equals `text`; empty where a trace has no such word.
std::string_view lasting(std::string_view text) {
  static const std::vector<std::string_view> words = all_words();
  const auto found = std::find(words.begin(), words.end(), text);
  return found == words.end() ? std::string_view() : *found;
}

template <class Value>
Value need(std::optional<Value> value, std::string_view key) {
  if (!value) throw TraceError("'" + std::string(key) + "' is missing or is not what it should be");
  return *value;
}

std::string_view word(const Json& json, std::string_view key) {
  const Json& value = json[key];
  const std::string_view found = value.is_string() ? lasting(value.text) : std::string_view();
  if (found.empty()) throw TraceError("'" + std::string(key) + "' is not a word that a trace has");
  return found;
}

// A number that may be left out, but is one where it stands.
std::optional<std::uint64_t> number_if_any(const Json& json, std::string_view key) {
  const Json& value = json[key];
  if (value.kind == Json::Kind::null) return std::nullopt;
  return need(value.as_unsigned(), key);
}

void read_message(const Json& json, Record& record) {
  record.type = need(message_type(json["type"].text), "type");
  record.from = need(json["from"].as_unsigned(), "from");
  record.to = need(json["to"].as_unsigned(), "to");
  record.number = json["seq"].as_unsigned();
  record.subject = number_if_any(json, "subject");
  record.epoch = number_if_any(json, "epoch");
  if (record.event == TraceEvent::lost) record.reason = word(json, "reason");
}

void read_variables(const Json& json, Record& record) {
  const Json& variables = json["variables"];
  if (variables.kind == Json::Kind::null) return;
  if (variables.kind != Json::Kind::object || variables.keys.size() > record.variables.size()) {
    throw TraceError("'variables' is not what it should be");
  }
  for (std::size_t i = 0; i < variables.keys.size(); ++i) {
    Variable& variable = record.variables.at(i);
    variable.name = lasting(variables.keys[i]);
    if (variable.name.empty()) throw TraceError("'variables' is not what it should be");
    variable.value = number_if_any(variables, variable.name);
  }
}

// Older traces do not name it.
void read_algorithm(const Json& json, Record& record) {
  const Json& name = json["algorithm"];
  if (name.kind == Json::Kind::null) return;
  const Algorithm* algorithm = name.is_string() ? find_algorithm(name.text) : nullptr;
  if (algorithm == nullptr) throw TraceError("'algorithm' is not one that there is");
  record.algorithm = algorithm->name;
}

// Far longer than any record: what has no end within it is no trace.
constexpr std::size_t longest_line = 65536;
constexpr std::size_t bytes_at_once = 65536;

// Takes a file's text, piece by piece.
class FileReader {
 public:
  FileReader(Trace& trace, const std::string& name, std::uint32_t lines_before)
      : trace_(trace), lines_before_(lines_before) {
    trace.files.push_back({name, lines_before});
  }

  void take(std::string_view text) {
    while (true) {
      const std::size_t end = text.find('\n');
      if (rest_.size() + std::min(end, text.size()) > longest_line) {
        ++lines_;
        fail("longer than any record");
      }
      rest_ += text.substr(0, end);
      if (end == std::string_view::npos) return;
      text.remove_prefix(end + 1);
      add_line();
    }
  }

  // The file ends here. Returns its number of lines.
  std::uint32_t end() {
    if (rest_.empty()) return lines_;
    if (parse_json(rest_)) {
      add_line();
    } else {
      trace_.cut.push_back(trace_.files.back().name);
    }
    return lines_;
  }

 private:
  void add_line() {
    ++lines_;
    try {
      trace_.records.add(parse_trace_line(rest_), lines_before_ + lines_);
    } catch (const TraceError& error) {
      fail(error.what());
    }
    rest_.clear();
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw TraceError(trace_.files.back().name + ':' + std::to_string(lines_) + ": " + why);
  }

  Trace& trace_;
  std::uint32_t lines_before_;
  std::uint32_t lines_ = 0;
  std::string rest_;  // of a line that has not ended yet
};

// What is left to read is taken to be like what has been read.
void check_memory(const Trace& trace, std::uint64_t read, std::uint64_t size,
                  std::uint64_t memory_bytes) {
  const std::uint64_t all = std::max(read, size);
  const double share = static_cast<double>(read) / static_cast<double>(all);
  const double needed = static_cast<double>(trace.records.size() * judged_record_bytes) / share;
  if (needed > static_cast<double>(memory_bytes)) {
    throw TraceTooLarge(trace.files.back().name, all, static_cast<std::uint64_t>(needed));
  }
}

}  // namespace

Record parse_trace_line(std::string_view line) {
  const std::optional<Json> json = parse_json(line);
  if (!json || json->kind != Json::Kind::object) throw TraceError("not a JSON object");
  Record record;
  record.t_ns = need((*json)["t"].as_signed(), "t");
  record.node = need((*json)["node"].as_unsigned(), "node");
  record.pid = need((*json)["pid"].as_signed(), "pid");
  record.event = need(trace_event((*json)["event"].text), "event");
  switch (record.event) {
    case TraceEvent::send:
    case TraceEvent::receive:
    case TraceEvent::lost:
      read_message(*json, record);
      break;
    case TraceEvent::timeout:
      record.timer = word(*json, "timer");
      break;
    case TraceEvent::suspect:
      record.coordinator = need((*json)["coordinator"].as_unsigned(), "coordinator");
      record.reason = word(*json, "reason");
      break;
    case TraceEvent::state:
      record.state = word(*json, "state");
      read_variables(*json, record);
      break;
    case TraceEvent::coordinator:
      record.coordinator = need((*json)["coordinator"].as_unsigned(), "coordinator");
      break;
    case TraceEvent::drop:
      record.reason = word(*json, "reason");
      break;
    case TraceEvent::start:
      read_algorithm(*json, record);
      break;
    case TraceEvent::stop:
    case TraceEvent::crash:
      break;
  }
  return record;
}

std::string Trace::source(std::size_t i) const {
  const std::uint32_t line = records.line_of(i);
  const auto after = std::find_if(files.begin(), files.end(),
                                  [line](const File& file) { return file.lines_before >= line; });
  const File& file = *std::prev(after);
  return file.name + ':' + std::to_string(line - file.lines_before);
}

Trace parse_trace(std::string_view text, const std::string& name) {
  Trace trace;
  FileReader reader(trace, name, 0);
  reader.take(text);
  reader.end();
  trace.records.sort_by_time();
  return trace;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  // An empty file yields nothing, and so does a directory, which can be opened, but not read.
  if (!file || (!(text << file.rdbuf()) && std::filesystem::is_directory(path))) {
    throw std::system_error(errno, std::generic_category(), "read " + path);
  }
  return text.str();
}

Trace read_traces(const std::vector<std::string>& paths, std::uint64_t memory_bytes) {
  Trace trace;
  std::uint64_t size = 0;
  for (const std::string& path : paths) {
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error)) size += std::filesystem::file_size(path);
  }
  std::uint64_t read = 0;
  std::uint32_t lines = 0;
  std::string text(bytes_at_once, '\0');
  for (const std::string& path : paths) {
    std::ifstream file(path, std::ios::binary);
    FileReader reader(trace, path, lines);
    while (file) {
      file.read(text.data(), static_cast<std::streamsize>(text.size()));
      const auto got = static_cast<std::size_t>(file.gcount());
      if (got == 0) break;
      reader.take(std::string_view(text).substr(0, got));
      read += got;
      check_memory(trace, read, size, memory_bytes);
    }
    // It could not be opened; or only opened, as a directory.
    if (!file.eof()) throw std::system_error(errno, std::generic_category(), "read " + path);
    lines += reader.end();
  }
  trace.records.sort_by_time();
  return trace;
}

}  // namespace bully
