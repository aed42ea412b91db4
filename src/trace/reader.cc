#include "trace/reader.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <numeric>
#include <optional>
#include <sstream>
#include <system_error>

#include "trace/json.h"

namespace bully {

namespace {

// Every word that a record may hold; a record refers to these, and owns none.
constexpr std::array<std::string_view, 20> words = {
    "gone",      "deadline", "down",      "hung",      "deposed", "answer", "coordinator",
    "empty",     "oversize", "reset",     "malformed", "crowded", "self",   "follower",
    "candidate", "waiting",  "partition", "loss",      "active",  "relay"};

template <class Value>
Value need(std::optional<Value> value, std::string_view key) {
  if (!value) throw TraceError("'" + std::string(key) + "' is missing or is not what it should be");
  return *value;
}

std::string_view word(const Json& json, std::string_view key) {
  const Json& value = json[key];
  const auto found = std::find(words.begin(), words.end(), value.text);
  if (!value.is_string() || found == words.end()) {
    throw TraceError("'" + std::string(key) + "' is not a word that a trace has");
  }
  return *found;
}

void read_message(const Json& json, Record& record) {
  record.type = need(message_type(json["type"].text), "type");
  record.from = need(json["from"].as_unsigned(), "from");
  record.to = need(json["to"].as_unsigned(), "to");
  record.number = json["seq"].as_unsigned();
  if (record.event == TraceEvent::lost) record.reason = word(json, "reason");
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
      break;
    case TraceEvent::coordinator:
      record.coordinator = need((*json)["coordinator"].as_unsigned(), "coordinator");
      break;
    case TraceEvent::drop:
      record.reason = word(*json, "reason");
      break;
    case TraceEvent::start:
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

Trace read_traces(const std::vector<std::string>& paths) {
  Trace trace;
  for (const std::string& path : paths) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf() || file.peek() == std::ifstream::traits_type::eof())) {
      throw std::system_error(errno, std::generic_category(), "read " + path);
    }
    append(trace, text.str(), path);
  }
  sort_by_time(trace);
  return trace;
}

}  // namespace bully
