#include "trace/reader.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>
#include <sstream>
#include <system_error>

#include "election/algorithm.h"
#include "trace/json.h"

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

void append(Trace& trace, std::string_view text, const std::string& name) {
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    if (end == std::string_view::npos && !parse_json(line)) {
      trace.cut.push_back(name);
      return;
    }
    const std::string source = name + ':' + std::to_string(number);
    try {
      trace.records.push_back(parse_trace_line(line));
    } catch (const TraceError& error) {
      throw TraceError(source + ": " + error.what());
    }
    trace.sources.push_back(source);
  }
}

void sort_by_time(Trace& trace) {
  std::vector<std::size_t> order(trace.records.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return trace.records[a].t_ns < trace.records[b].t_ns;
  });
  Trace sorted;
  for (const std::size_t i : order) {
    sorted.records.push_back(trace.records[i]);
    sorted.sources.push_back(std::move(trace.sources[i]));
  }
  sorted.cut = std::move(trace.cut);
  trace = std::move(sorted);
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
      break;
  }
  return record;
}

Trace parse_trace(std::string_view text, const std::string& name) {
  Trace trace;
  append(trace, text, name);
  sort_by_time(trace);
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

Trace read_traces(const std::vector<std::string>& paths) {
  Trace trace;
  for (const std::string& path : paths) append(trace, read_file(path), path);
  sort_by_time(trace);
  return trace;
}

}  // namespace bully
