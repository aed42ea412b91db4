#include "trace/verdict.h"

#include <algorithm>
#include <set>
#include <utility>

#include "trace/judges.h"

namespace bully {

namespace {

struct PropertyRow {
  std::string_view name;
  Jurisdiction jurisdiction;
};
constexpr std::array<PropertyRow, run_property_count> properties = {{
    {"highest-live", Jurisdiction::one_algorithm},
    {"never-lower", Jurisdiction::one_algorithm},
    {"answered", Jurisdiction::everyone},
    {"ends", Jurisdiction::one_algorithm},
    {"sent", Jurisdiction::every_run},
    {"fifo", Jurisdiction::ring},
    {"one-neighbour", Jurisdiction::ring},
    {"own-numbers", Jurisdiction::ring},
    {"within-bound", Jurisdiction::ring},
}};

// Where each algorithm was first seen to start.
Reason mixed(const Walk& walk) {
  Reason reason{Doubt::mixed, {}, {}};
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < walk.trace.records.size(); ++i) {
    const Record& record = walk.at(i);
    if (record.event != TraceEvent::start) continue;
    const bool is_named = !record.algorithm.empty();
    if (!seen.insert(is_named ? record.algorithm : default_algorithm().name).second) continue;
    reason.nodes.push_back(record.node);
    reason.records.push_back(i);
  }
  return reason;
}

void find_doubts(const Walk& walk) {
  std::vector<Reason>& reasons = walk.report.reasons;
  if (walk.trace.records.empty()) reasons.push_back({Doubt::empty, {}, {}});
  if (walk.report.algorithms.size() > 1) reasons.push_back(mixed(walk));
  const std::vector<Election>& elections = walk.report.elections;
  if (!elections.empty() && !elections.back().settled_record) {
    reasons.push_back(
        {Doubt::mid_election, {}, {elections.back().first_record, elections.back().last_record}});
  }
  if (!walk.census.names_only.empty()) {
    reasons.push_back({Doubt::names_only, walk.census.names_only, {}});
  }
  Reason headless{Doubt::no_beginning, {}, {}};
  for (const Life& life : walk.census.lives) {
    if (life.begins) continue;
    headless.nodes.push_back(life.node);
    headless.records.push_back(life.first);
  }
  if (!headless.nodes.empty()) reasons.push_back(std::move(headless));
}

// Asks every judge that there is for runs of this kind.
void hear_judges(const Walk& walk) {
  std::vector<std::unique_ptr<Judge>> judges;
  for (const auto& rows : {common_judges(), bully_judges(), ring_judges()}) {
    for (const JudgeRow& row : rows) {
      if (is_within(row.jurisdiction, walk.report.algorithm())) judges.push_back(row.appoint(walk));
    }
  }
  for (std::size_t i = 0; i < walk.trace.records.size(); ++i) {
    for (const auto& judge : judges) judge->see(i);
  }
  for (const auto& judge : judges) judge->end();
}

}  // namespace

bool is_within(Jurisdiction jurisdiction, const Algorithm* algorithm) {
  switch (jurisdiction) {
    case Jurisdiction::every_run:
      return true;
    case Jurisdiction::one_algorithm:
      return algorithm != nullptr;
    case Jurisdiction::everyone:
      return algorithm != nullptr && !algorithm->is_ring;
    case Jurisdiction::ring:
      return algorithm != nullptr && algorithm->is_ring;
  }
  return false;
}

std::string_view run_property_name(RunProperty property) {
  return properties.at(static_cast<std::size_t>(property)).name;
}

std::string_view run_verdict_name(RunVerdict verdict) {
  constexpr std::array<std::string_view, 3> names = {"right", "violated", "cannot tell"};
  return names.at(static_cast<std::size_t>(verdict));
}

std::vector<RunProperty> properties_of(const Algorithm* algorithm) {
  std::vector<RunProperty> found;
  for (std::size_t k = 0; k < properties.size(); ++k) {
    if (is_within(properties[k].jurisdiction, algorithm)) {
      found.push_back(static_cast<RunProperty>(k));
    }
  }
  return found;
}

const Algorithm* Report::algorithm() const {
  return algorithms.size() == 1 ? algorithms.front() : nullptr;
}

Report judge(const Trace& trace) {
  const Causality pairs = pair_messages(trace);
  const Census census = census_of(trace, pairs);
  Report report;
  report.nodes = census.nodes;
  report.algorithms = census.algorithms;
  report.properties = properties_of(report.algorithm());
  report.elections = elections_of(trace, pairs, census);
  for (const Election& election : report.elections) {
    report.figures.push_back(figures_of(trace, pairs, census, election));
  }
  report.two_coordinators = two_coordinators(trace, census);

  const Walk walk{trace, pairs, census, report};
  hear_judges(walk);
  find_doubts(walk);

  std::stable_sort(report.breaches.begin(), report.breaches.end(),
                   [](const Breach& a, const Breach& b) {
                     return a.property != b.property ? a.property < b.property
                                                     : a.records.front() < b.records.front();
                   });
  if (!report.breaches.empty()) {
    report.verdict = RunVerdict::violated;
  } else if (report.reasons.empty()) {
    report.verdict = RunVerdict::right;
  }
  return report;
}

}  // namespace bully
