// check_json.cc: the verdict as one JSON object, for programs. Its words are never translated.
#include <algorithm>

#include "trace/json.h"
#include "view/check.h"

namespace bully {

namespace {

constexpr std::array<std::string_view, 14> manner_names = {
    "took_office_unasked", "answered_in_vain",
    "all_follow_a_lower",  "follows_below_itself",
    "follows_another",     "stayed_with_a_lower",
    "not_answered",        "ignored_coordinator",
    "never_decided",       "not_sent",
    "overtaken",           "heard_two",
    "foreign_number",      "more_than_bound"};
constexpr std::array<std::string_view, 7> doubt_names = {
    "empty", "mid_election", "names_only", "no_beginning", "end_of_answer", "cut_line", "mixed"};
constexpr std::array<std::string_view, 5> occasion_names = {"down", "hung", "deposed", "start",
                                                            "resumed"};

template <class Names, class Enum>
std::string name(const Names& names, Enum value) {
  return json_string(names.at(static_cast<std::size_t>(value)));
}

template <class Range, class Show>
std::string array(const Range& range, Show show) {
  std::string json;
  for (const auto& element : range) json += (json.empty() ? "" : ",") + show(element);
  return '[' + json + ']';
}

std::string number(NodeId value) {
  return std::to_string(value);
}
template <class Value>
std::string or_null(const std::optional<Value>& value) {
  return value ? std::to_string(*value) : "null";
}

std::string phase(const std::optional<Phase>& phase) {
  if (!phase) return "null";
  return "{\"ns\":" + std::to_string(phase->ns) +
         ",\"at_most\":" + (phase->at_most ? "true" : "false") + '}';
}

using Algorithms = std::vector<const Algorithm*>;

// `show` of each type of which one of them speaks, by its name on the wire.
template <class Show>
std::string by_type(const Algorithms& algorithms, Show show) {
  std::string json;
  for (std::size_t i = 0; i < message_type_count; ++i) {
    const auto type = static_cast<MessageType>(i);
    const bool is_spoken = std::any_of(algorithms.begin(), algorithms.end(),
                                       [&](const Algorithm* a) { return a->speaks(type); });
    if (!is_spoken) continue;
    json += (json.empty() ? "" : ",") + json_string(wire_name(type)) + ':' + show(type);
  }
  return json;
}

std::string messages(const Figures& figures, const Algorithms& algorithms) {
  return '{' +
         by_type(algorithms,
                 [&](MessageType type) {
                   const MessageFigures& count = figures.messages[static_cast<std::size_t>(type)];
                   return "{\"sent\":" + number(count.sent) +
                          ",\"delivered\":" + number(count.delivered) +
                          ",\"lost\":" + number(count.lost) + '}';
                 }) +
         '}';
}

std::string counts_of(const MessageCounts& counts, const Algorithms& algorithms) {
  const auto show = [&](MessageType type) { return number(count_of(counts, type)); };
  return by_type(algorithms, show) + ",\"all\":" + number(election_total(counts));
}

std::string textbook(const std::optional<TextbookCount>& count, const Algorithms& algorithms) {
  if (!count) return "null";
  return "{\"nodes\":" + number(count->nodes) + ",\"lowest_rank\":" + number(count->lowest_rank) +
         ',' + counts_of(count->sent, algorithms) + ",\"delivered\":{" +
         counts_of(count->delivered, algorithms) + "}}";
}

std::string bound(const std::optional<BoundCount>& count, const Algorithms& algorithms) {
  if (!count) return "null";
  return "{\"nodes\":" + number(count->nodes) + ',' + counts_of(count->sent, algorithms) + '}';
}

class Writer {
 public:
  Writer(const Trace& trace, const Report& report) : trace_(trace), report_(report) {}

  std::string source(std::size_t record) const { return json_string(trace_.source(record)); }
  std::string sources(const std::vector<std::size_t>& records) const {
    return array(records, [this](std::size_t record) { return source(record); });
  }

  std::string breach(const Breach& breach) const {
    return "{\"property\":" + json_string(run_property_name(breach.property)) +
           ",\"manner\":" + name(manner_names, breach.manner) + ",\"node\":" + number(breach.node) +
           ",\"other\":" + number(breach.other) + ",\"lines\":" + sources(breach.records) + '}';
  }

  std::string reason(const Reason& reason) const {
    return "{\"reason\":" + name(doubt_names, reason.doubt) +
           ",\"nodes\":" + array(reason.nodes, number) + ",\"lines\":" + sources(reason.records) +
           '}';
  }

  std::string detection(const Noticed& detection) const {
    return "{\"node\":" + number(detection.node) +
           ",\"occasion\":" + name(occasion_names, detection.occasion) +
           ",\"suspected\":" + or_null(detection.suspected) +
           ",\"line\":" + source(detection.record) + '}';
  }

  std::string election(const Election& election, const Figures& figures) const {
    const auto at = [this](const std::optional<std::size_t>& record) {
      return record ? source(*record) : std::string("null");
    };
    return "{\"number\":" + number(election.number) +
           ",\"first_line\":" + source(election.first_record) +
           ",\"last_line\":" + source(election.last_record) +
           ",\"settled_line\":" + at(election.settled_record) +
           ",\"winner\":" + or_null(election.winner) +
           ",\"survivors\":" + array(election.survivors, number) + ",\"detections\":" +
           array(election.detections, [this](const Noticed& d) { return detection(d); }) +
           ",\"lost_coordinator\":" + or_null(figures.lost_coordinator) +
           ",\"last_sign\":" + at(figures.last_sign) + ",\"detect\":" + phase(figures.detect) +
           ",\"elect\":" + phase(figures.elect) + ",\"announce\":" + phase(figures.announce) +
           ",\"messages\":" + messages(figures, report_.algorithms) +
           ",\"textbook\":" + textbook(figures.textbook, report_.algorithms) +
           ",\"bound\":" + bound(figures.bound, report_.algorithms) +
           ",\"exceeds_bound\":" + (figures.exceeds_bound ? "true" : "false") + '}';
  }

  std::string two(const TwoCoordinators& two) const {
    const std::int64_t ns =
        trace_.records[two.to_record].t_ns - trace_.records[two.from_record].t_ns;
    return "{\"lower\":" + number(two.lower) + ",\"higher\":" + number(two.higher) +
           ",\"ns\":" + std::to_string(ns) + ",\"from_line\":" + source(two.from_record) +
           ",\"to_line\":" + source(two.to_record) + '}';
  }

 private:
  const Trace& trace_;
  const Report& report_;
};

}  // namespace

std::string check_json(const Trace& trace, const Report& report) {
  const Writer writer(trace, report);
  std::string elections;
  for (std::size_t k = 0; k < report.elections.size(); ++k) {
    elections +=
        (k == 0 ? "\n  " : ",\n  ") + writer.election(report.elections[k], report.figures[k]);
  }
  std::string properties;
  for (const RunProperty property : report.properties) {
    bool broken = false;
    for (const Breach& breach : report.breaches) broken = broken || breach.property == property;
    const bool told = report.verdict != RunVerdict::cannot_tell;
    properties += (properties.empty() ? "" : ",") + json_string(run_property_name(property)) + ':' +
                  (broken ? "false" : (told ? "true" : "null"));
  }
  const std::string algorithms = array(
      report.algorithms, [](const Algorithm* algorithm) { return json_string(algorithm->name); });
  return "{\"verdict\":" + json_string(run_verdict_name(report.verdict)) +
         ",\n \"algorithms\":" + algorithms + ",\n \"properties\":{" + properties +
         "},\n \"breaches\":" +
         array(report.breaches, [&](const Breach& b) { return writer.breach(b); }) +
         ",\n \"reasons\":" +
         array(report.reasons, [&](const Reason& r) { return writer.reason(r); }) + ",\n \"cut\":" +
         array(trace.cut, [](const std::string& file) { return json_string(file); }) +
         ",\n \"lines\":" + std::to_string(trace.records.size()) +
         ",\n \"nodes\":" + array(report.nodes, number) + ",\n \"two_coordinators\":" +
         array(report.two_coordinators, [&](const TwoCoordinators& t) { return writer.two(t); }) +
         ",\n \"elections\":[" + elections + "]}\n";
}

}  // namespace bully
