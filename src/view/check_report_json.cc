// check_report_json.cc: the verdict for programs. Its words are never translated.
#include <span>

#include "base/json.h"
#include "view/check_report.h"
#include "words/names.h"

namespace bully {

namespace {

std::string phase(const std::optional<Phase>& phase) {
  if (!phase) return "null";
  return json_object({{"ns", std::to_string(phase->ns)}, {"at_most", json_bool(phase->at_most)}});
}

struct JsonReport {
  const Trace& trace;
  const Report& report;
  std::optional<Links> links = links_of(trace);
  std::vector<MessageType> types = types_in(report, links);

  std::string write() const {
    const auto algorithm = [](const Algorithm* one) { return json_string(one->name); };
    const auto reason = [this](const Reason& one) {
      JsonMembers members = {{"reason", json_string(one.doubt.name())},
                             {"nodes", json_array(one.nodes, json_number)},
                             {"lines", sources(one.records)}};
      if (one.line) members.emplace_back("line_of_process", json_number(one.line));
      if (one.violation) members.emplace_back("violation", violation(*one.violation));
      return json_object(members);
    };
    JsonMembers members = {{"verdict", json_string(name_of(report.verdict))},
                           {"algorithms", json_array(report.history.algorithms(), algorithm)},
                           {"variants", json_array(report.history.variants(), json_string)}};
    if (!links) add_properties(members);
    members.insert(members.end(), {{"reasons", json_array(report.reasons, reason)},
                                   {"cut", json_array(trace.cut, json_string)},
                                   {"lines", json_number(trace.records.size())},
                                   {"nodes", json_array(report.history.nodes(), json_number)}});
    links ? add_links(members) : add_elections(members);
    return json_object(members, ",\n ") + '\n';
  }

  std::string violation(const Violation& one) const {
    return json_object({{"property", json_string(one.property->key)},
                        {"kind", json_string(one.kind.name())},
                        {"node", json_number(one.node)},
                        {"other", json_number(one.other)},
                        {"t", std::to_string(one.t_ns)},
                        {"lines", sources(one.records)}});
  }

  void add_properties(JsonMembers& members) const {
    const auto each_violation = [this](const Violation& one) { return violation(one); };
    const auto disturbance = [this](const Disturbance& one) {
      return json_object(
          {{"kind", json_string(one.kind.name())},
           {"node", json_number(one.node)},
           {"from", std::to_string(one.from_ns)},
           {"to", one.to_ns == forever ? std::string("null") : std::to_string(one.to_ns)},
           {"line", source(one.record)}});
    };
    JsonMembers properties;
    JsonMembers tested;
    for (const Property* property : report.properties) {
      const std::optional<bool> held = holds(report, property);
      properties.emplace_back(property->key, held ? json_bool(*held) : "null");
      tested.emplace_back(property->key, json_number(times_tested(report, property)));
    }
    members.insert(members.end(),
                   {{"properties", json_object(properties)},
                    {"tested", json_object(tested)},
                    {"disturbances", json_array(report.history.disturbances(), disturbance)},
                    {"violations", json_array(report.found.violations, each_violation)}});
  }

  void add_elections(JsonMembers& members) const {
    const auto two = [this](const TwoCoordinators& one) {
      return json_object({{"lower", json_number(one.lower)},
                          {"higher", json_number(one.higher)},
                          {"ns", std::to_string(one.ns())},
                          {"from_line", source(one.from.record)},
                          {"to_line", source(one.to.record)}});
    };
    const std::vector<Election>& all = report.history.elections().all();
    const std::span<const Election> described(all.data(), std::min(all.size(), most_described));
    const auto election = [this](const Election& one) { return "\n  " + election_json(one); };
    const Overlaps overlaps = two_coordinators(report.history);
    members.insert(members.end(), {{"two_coordinators", json_array(overlaps.longest, two)},
                                   {"pairs_of_coordinators", json_number(overlaps.pairs)},
                                   {"elections", json_array(described, election)},
                                   {"more_elections", json_number(all.size() - described.size())},
                                   {"evidence", "null"},
                                   {"rules", rules()}});
  }

  // Of a run that was recorded from outside: nothing is judged.
  void add_links(JsonMembers& members) const {
    const auto sent = [this](const auto& one) {
      return json_object(counts({{"node", json_number(one.first)}}, one.second));
    };
    const auto processes = [](const auto& all, std::string_view others) {
      return json_array(all, [others](const auto& one) {
        return json_object(
            {{"node", json_number(one.first)}, {others, json_array(one.second, json_number)}});
      });
    };
    const std::string evidence =
        json_object({{"observed", json_array(links->observed, json_number)},
                     {"words", json_string(what_is_seen(*links, Language::english))}});
    members.insert(members.end(), {{"evidence", evidence},
                                   {"sent", json_array(links->sent, sent)},
                                   {"messages", json_object(counts({}, links->all))},
                                   {"announced", processes(links->announced, "to")},
                                   {"named", processes(links->named, "coordinators")}});
  }

  std::string rules() const {
    const std::vector<RuleCount> rules = rules_fired(report.history);
    if (rules.empty()) return "null";
    const auto rule = [](const RuleCount& count) {
      const Rule& one = *count.rule;
      const std::string words = word(word_key("rule_", one.key), Language::english);
      return "\n  " + json_object({{"key", json_string(one.key)},
                                   {"fired", json_number(count.fired)},
                                   {"source", json_string(one.source)},
                                   {"deviation", json_number(one.deviation)},
                                   {"words", json_string(words)}});
    };
    return json_array(rules, rule);
  }
  std::string source(std::size_t record) const { return json_string(trace.source(record)); }
  std::string source(const std::optional<Moment>& moment) const {
    return moment ? source(moment->record) : "null";
  }
  std::string sources(const std::vector<std::size_t>& records) const {
    return json_array(records, [this](std::size_t record) { return source(record); });
  }

  JsonMembers counts(JsonMembers members, const MessageCounts& counts) const {
    for (const MessageType type : types) {
      members.emplace_back(type->code, json_number(counts.of(type)));
    }
    members.emplace_back("all", json_number(election_total(counts)));
    return members;
  }

  std::string textbook(const Figures& figures) const {
    if (!figures.textbook) return "null";
    JsonMembers members = counts({{"nodes", json_number(figures.nodes)},
                                  {"lowest_rank", json_number(figures.textbook->lowest_rank)}},
                                 figures.textbook->sent);
    members.emplace_back("delivered", json_object(counts({}, figures.textbook->delivered)));
    return json_object(members);
  }
  std::string bound(const Figures& figures) const {
    if (!figures.bound) return "null";
    return json_object(counts({{"nodes", json_number(figures.nodes)}}, *figures.bound));
  }

  std::string election_json(const Election& election) const {
    const Figures figures = figures_of(report.history, election);
    const auto detection = [this](const Detection& one) {
      return json_object({{"node", json_number(one.node)},
                          {"occasion", json_string(one.trigger)},
                          {"suspected", json_number(one.suspected)},
                          {"line", source(one.when.record)}});
    };
    const Phases phases = phases_of(election);
    JsonMembers messages;
    for (const MessageType type : types) {
      messages.emplace_back(type->code,
                            json_object({{"sent", json_number(election.sent.of(type))},
                                         {"delivered", json_number(election.delivered.of(type))},
                                         {"lost", json_number(election.lost.of(type))}}));
    }
    return json_object({{"number", json_number(election.number)},
                        {"first_line", source(election.first)},
                        {"last_line", source(election.last)},
                        {"settled_line", source(election.settled)},
                        {"winner", json_number(election.winner)},
                        {"survivors", json_array(election.survivors, json_number)},
                        {"detections", json_array(election.detections, detection)},
                        {"lost_coordinator", json_number(election.lost_coordinator)},
                        {"last_sign", source(election.last_sign)},
                        {"detect", phase(phases.detect)},
                        {"elect", phase(phases.elect)},
                        {"announce", phase(phases.announce)},
                        {"messages", json_object(messages)},
                        {"textbook", textbook(figures)},
                        {"bound", bound(figures)},
                        {"exceeds_bound", json_bool(figures.exceeds_bound)}});
  }
};

}  // namespace

std::string check_json(const Trace& trace, const Report& report) {
  return JsonReport{trace, report}.write();
}

}  // namespace bully
