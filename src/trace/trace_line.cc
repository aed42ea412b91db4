// trace_line.cc: a record as a line of JSON, and back.
#include <algorithm>
#include <limits>
#include <span>

#include "base/json.h"
#include "base/text.h"
#include "election/algorithm.h"
#include "election/participant.h"
#include "trace/trace.h"

namespace bully {

namespace {

// A record refers to words that last as long as the program: these, or the algorithms' own.
std::vector<std::string_view> all_words() {
  std::vector<std::string_view> words = {"found", "resumed", "empty", "reset", "malformed"};
  const auto add = [&words](const auto& names) {
    words.insert(words.end(), names.begin(), names.end());
  };
  add(std::span(loss_names).subspan(1));  // the first is no loss
  add(suspicion_names);
  add(timer_names);
  add(detector_names);
  for (const Algorithm& algorithm : algorithms()) {
    for (const StateKind& state : algorithm.states) words.push_back(state.name);
    for (const Rule* rule : algorithm.rules) words.push_back(rule->key);
    for (const Variant& variant : algorithm.variants) words.push_back(variant.rule->key);
    for (const Variable& variable : algorithm.make(0)->variables()) {
      if (!variable.name.empty()) words.push_back(variable.name);
    }
  }
  return words;
}

// The lasting word that equals `text`; empty if a trace has no such word.
std::string_view lasting(std::string_view text) {
  static const std::vector<std::string_view> words = all_words();
  const auto found = std::ranges::find(words, text);
  return found == words.end() ? std::string_view() : *found;
}

[[noreturn]] void refuse(std::string_view problem, std::string_view what) {
  throw TraceError({}, {problem, {std::string(what)}});
}

template <class Value>
Value need(std::optional<Value> value, std::string_view key) {
  if (!value) refuse("trace_malformed", key);
  return *value;
}

NodeId need_id(const Json& value, std::string_view key) {
  const std::optional<NodeId> id = parse_id(value);
  if (!id && value.kind == Json::Kind::number) {
    throw TraceError({}, not_an_id(json_string(key) + ':' + value.text));
  }
  return need(id, key);
}

std::optional<NodeId> id_if_any(const Json& json, std::string_view key) {
  if (json[key].kind == Json::Kind::null) return std::nullopt;
  return need_id(json[key], key);
}

// A number that may be missing; if present, it must be a number.
std::optional<std::uint64_t> number_if_any(const Json& json, std::string_view key) {
  const Json& value = json[key];
  if (value.kind == Json::Kind::null) return std::nullopt;
  return need(value.as_unsigned(), key);
}

// No process waits for a year; sums of such times stay far below the limit of 64 bits.
constexpr std::int64_t longest_time_ns = std::int64_t{365} * 86'400 * 1'000'000'000;

std::optional<std::int64_t> read_time(const Json& json, std::string_view key) {
  const std::optional<std::uint64_t> time = number_if_any(json, key);
  if (!time) return std::nullopt;
  if (*time > static_cast<std::uint64_t>(longest_time_ns)) refuse("trace_malformed", key);
  return static_cast<std::int64_t>(*time);
}

// So that the difference of two times fits in 64 bits. Nanoseconds since 1970 reach it in 2116.
constexpr std::int64_t farthest_time_ns = std::numeric_limits<std::int64_t>::max() / 2;

// False if it is missing.
bool read_flag(const Json& json, std::string_view key) {
  const Json& value = json[key];
  if (value.kind == Json::Kind::null) return false;
  if (value.kind != Json::Kind::boolean) refuse("trace_malformed", key);
  return value.text == "true";
}

TraceEvent read_event(const Json& json) {
  const auto* const found = std::ranges::find(event_fields, json["event"].text, &EventFields::name);
  if (found == event_fields.end()) refuse("trace_malformed", "event");
  return static_cast<TraceEvent>(found - event_fields.begin());
}

// By the place on the wire; empty if a message of this type has no field there.
std::string_view key_of(MessageType type, std::size_t place) {
  constexpr std::array<std::string_view, 2> fixed = {"subject", "epoch"};
  if (place < fixed.size()) return fixed.at(place);
  for (const Field* field : type->fields) {
    if (field != nullptr && field->place == place) return field->key;
  }
  return {};
}

void read_message(const Json& json, Record& record) {
  record.type = need(message_type(json["type"].text), "type");
  record.from = need_id(json["from"], "from");
  record.to = need_id(json["to"], "to");
  record.number = number_if_any(json, "seq");
  FieldValues::Places places = {};
  for (const Field* field : record.type->fields) {
    if (field == nullptr) continue;
    const bool is_id =
        field->meaning == Field::Meaning::id || field->meaning == Field::Meaning::sender;
    const std::string_view key = key_of(record.type, field->place);
    places.at(field->place) = is_id ? id_if_any(json, key) : number_if_any(json, key);
  }
  record.values = FieldValues::from_wire(record.type, record.from, places);
  if (record.type->list == nullptr) return;
  const std::string_view key = record.type->list->key;
  FieldValues::List ids;
  for (const Json& id : json[key].elements) ids.push_back(need_id(id, key));
  record.values.set_list(std::move(ids));
}

// A sender records its sendings, a receiver its receipts; and a loss, the process that knows it.
void check_writer(const Record& record) {
  const bool arrives = record.event == TraceEvent::receive || is_dropped_by_receiver(record);
  if (record.node != (arrives ? record.to : record.from)) {
    refuse("trace_contradicts", arrives ? "to" : "from");
  }
}

void read_word(const Json& json, const EventFields& fields, Record& record) {
  const Json& value = json[fields.key];
  const bool is_start = record.event == TraceEvent::start;
  // A recorder may not know the name.
  if (is_start && value.kind == Json::Kind::null && read_flag(json, "observed")) return;
  if (!value.is_string()) refuse("trace_malformed", fields.key);
  if (is_start) {
    const Algorithm* const known = find_algorithm(value.text);
    const bool has_version = value.text.find(version_mark) != std::string::npos;
    if (known == nullptr) refuse(has_version ? "trace_rules" : "trace_no_election", value.text);
    record.algorithm = known->name;
    return;
  }
  std::string_view word = lasting(value.text);
  const bool is_loss = record.event == TraceEvent::lost;
  if (is_loss && std::ranges::find(loss_names, word) == loss_names.end()) word = {};
  const bool is_timer = std::ranges::find(timer_names, word) != timer_names.end();
  if (fields.word == &Record::timer && !is_timer) word = {};
  if (word.empty()) refuse("trace_unknown", fields.key);
  record.*fields.word = word;
}

void read_waits(const Json& json, Waits& waits) {
  const Json& detector = json["detector"];
  if (!detector.is_string()) refuse("trace_malformed", "detector");
  waits.detector = lasting(detector.text);
  if (waits.detector.empty()) refuse("trace_unknown", "detector");
  for (const auto& [key, value] : waits_fields) {
    waits.*value = need(read_time(json, key), key);
  }
}

void read_variables(const Json& json, Record& record) {
  const Json& variables = json["variables"];
  if (variables.kind == Json::Kind::null) return;
  if (variables.kind != Json::Kind::object) refuse("trace_malformed", "variables");
  std::size_t known = 0;
  for (const std::string& key : variables.keys) {
    const std::string_view name = lasting(key);
    if (name.empty()) continue;
    if (known == record.variables.size()) refuse("trace_malformed", "variables");
    record.variables.at(known++) = {name, number_if_any(variables, name)};
  }
}

// Missing if a process was given nothing.
void read_given(const Json& json, Record& record) {
  if (json.kind == Json::Kind::null) return;
  if (json.kind != Json::Kind::object) refuse("trace_malformed", "given");
  Given given;
  given.preset = id_if_any(json, "preset");
  given.cluster = number_if_any(json, "cluster");
  if (const Json& variant = json["variant"]; variant.kind != Json::Kind::null) {
    const Variant* found = algorithm_named(record.algorithm).find_variant(variant.text);
    if (found == nullptr) refuse("trace_unknown", "variant");
    given.variant = found->name;
  }
  record.given = std::make_shared<const Given>(given);
}

// What a start has that its process wrote itself, not a recorder.
void require_start(const Record& record) {
  if (record.n == 0) refuse("trace_malformed", "n");
  const std::optional<NodeId> preset =
      record.given == nullptr ? std::nullopt : record.given->preset;
  if (preset && algorithm_named(record.algorithm).prefers(record.node, *preset)) {
    refuse("trace_malformed", "preset");
  }
}

std::string given_text(const Given& given) {
  JsonMembers members;
  if (given.preset) members.emplace_back("preset", json_number(given.preset));
  if (given.cluster) members.emplace_back("cluster", json_number(given.cluster));
  if (!given.variant.empty()) members.emplace_back("variant", json_string(given.variant));
  return json_object(members);
}

}  // namespace

std::string trace_line(const Record& record) {
  const EventFields& fields = fields_of(record.event);
  std::string line = "{\"t\":" + std::to_string(record.t_ns);
  constexpr std::string_view quote = "\"";  // no word of a record needs an escape: see is_name()
  const auto add = [&line](std::string_view key, std::string_view value,
                           std::string_view around = {}) {
    line.append(",\"").append(key).append("\":").append(around).append(value).append(around);
  };
  add("node", std::to_string(record.node));
  add("pid", std::to_string(record.pid));
  if (record.n > 0) add("n", std::to_string(record.n));
  add("event", fields.name, quote);
  if (is_about_message(record)) {
    add("type", record.type->code, quote);
    add("from", std::to_string(record.from));
    add("to", std::to_string(record.to));
    add("seq", json_number(record.number));
    const auto places = record.values.to_wire(record.type, record.from);
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (places.at(i)) add(key_of(record.type, i), std::to_string(*places.at(i)));
    }
    if (const auto& ids = record.values.list(); !ids.empty()) {
      add(record.type->list->key, json_array(ids, json_number));
    }
  }
  if (fields.has_coordinator) add("coordinator", json_number(record.coordinator));
  if (fields.word != nullptr && !(record.*fields.word).empty()) {
    add(fields.key, record.*fields.word, quote);
  }
  if (record.longest_ns) add("longest_ns", std::to_string(*record.longest_ns));
  if (record.side) add("side", std::to_string(*record.side));
  const auto [waits, observed, said] = environment_of(record);
  if (observed) add("observed", "true");
  if (said) add("said", "true");
  if (!waits.detector.empty()) {
    add("detector", waits.detector, quote);
    for (const auto& [key, value] : waits_fields) add(key, std::to_string(waits.*value));
  }
  if (record.given != nullptr) add("given", given_text(*record.given));
  JsonMembers variables;
  for (const Variable& variable : record.variables) {
    if (!variable.name.empty()) variables.emplace_back(variable.name, json_number(variable.value));
  }
  if (!variables.empty()) add("variables", json_object(variables));
  return line + "}\n";
}

Record parse_trace_line(std::string_view line) {
  const std::optional<Json> json = parse_json(line);
  if (!json || json->kind != Json::Kind::object) throw TraceError({}, {"trace_not_json"});
  Record record;
  record.t_ns = need((*json)["t"].as_signed(), "t");
  if (record.t_ns > farthest_time_ns || record.t_ns < -farthest_time_ns) {
    refuse("trace_malformed", "t");
  }
  record.node = need_id((*json)["node"], "node");
  record.pid = need((*json)["pid"].as_signed(), "pid");
  record.n = number_if_any(*json, "n").value_or(0);
  record.event = read_event(*json);
  const EventFields& fields = fields_of(record.event);
  if (is_about_message(record)) read_message(*json, record);
  if (fields.has_coordinator) {
    record.coordinator = need_id((*json)["coordinator"], "coordinator");
  }
  if (fields.word != nullptr) read_word(*json, fields, record);
  if (is_about_message(record)) check_writer(record);
  if (record.event == TraceEvent::wait) record.longest_ns = read_time(*json, "longest_ns");
  if (record.event == TraceEvent::partition) {
    record.side = need((*json)["side"].as_unsigned(), "side");
    if (record.side == 0) refuse("trace_malformed", "side");  // they count from 1
  }
  Environment environment;
  if (record.event == TraceEvent::start) {
    environment.observed = read_flag(*json, "observed");
    if (!environment.observed) read_waits(*json, environment.waits);
    read_given((*json)["given"], record);
    if (!environment.observed) require_start(record);
  }
  if (record.event == TraceEvent::coordinator) environment.from_reply = read_flag(*json, "said");
  if (environment != Environment()) {
    record.environment = std::make_shared<const Environment>(environment);
  }
  if (record.event == TraceEvent::state) read_variables(*json, record);
  return record;
}

}  // namespace bully
