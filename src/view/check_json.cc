// check_json.cc: the verdict as one JSON object, for programs. Its words are never translated.
#include "trace/json.h"
#include "view/check.h"

namespace bully {

namespace {

constexpr std::array<std::string_view, 10> manner_names = {
    "took_office_unasked", "answered_in_vain",
    "all_follow_a_lower",  "follows_below_itself",
    "follows_another",     "stayed_with_a_lower",
    "not_answered",        "ignored_coordinator",
    "never_decided",       "not_sent"};
constexpr std::array<std::string_view, 6> doubt_names = {
    "empty", "mid_election", "names_only", "no_beginning", "end_of_answer", "cut_line"};
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

std::string messages(const Figures& figures) {
  std::string json;
  for (std::size_t i = 0; i < election_messages.size(); ++i) {
    const MessageFigures& count = figures.messages[i];
    json += (i == 0 ? "" : ",") + json_string(wire_name(election_messages[i])) +
            ":{\"sent\":" + number(count.sent) + ",\"delivered\":" + number(count.delivered) +
            ",\"lost\":" + number(count.lost) + '}';
  }
  return '{' + json + '}';
}

std::string textbook(const std::optional<TextbookCount>& count) {
  if (!count) return "null";
  return "{\"nodes\":" + number(count->nodes) + ",\"lowest_rank\":" + number(count->lowest_rank) +
         ",\"E\":" + number(count->election) +
         ",\"E_delivered\":" + number(count->election_delivered) +
         ",\"PE\":" + number(count->answer) + ",\"C\":" + number(count->coordinator) +
         ",\"all\":" + number(count->all()) + '}';
}

class Writer {
 public:
  explicit Writer(const Trace& trace) : trace_(trace) {}

  std::string source(std::size_t record) const { return json_string(trace_.sources[record]); }
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
           ",\"messages\":" + messages(figures) + ",\"textbook\":" + textbook(figures.textbook) +
           '}';
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
};

}  // namespace

std::string check_json(const Trace& trace, const Report& report) {
  const Writer writer(trace);
  std::string elections;
  for (std::size_t k = 0; k < report.elections.size(); ++k) {
    elections +=
        (k == 0 ? "\n  " : ",\n  ") + writer.election(report.elections[k], report.figures[k]);
  }
  std::string properties;
  for (std::size_t k = 0; k < run_property_count; ++k) {
    const auto property = static_cast<RunProperty>(k);
    bool broken = false;
    for (const Breach& breach : report.breaches) broken = broken || breach.property == property;
    const bool told = report.verdict != RunVerdict::cannot_tell;
    properties += (k == 0 ? "" : ",") + json_string(run_property_name(property)) + ':' +
                  (broken ? "false" : (told ? "true" : "null"));
  }
  return "{\"verdict\":" + json_string(run_verdict_name(report.verdict)) + ",\n \"properties\":{" +
         properties + "},\n \"breaches\":" +
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
