// checkers_assumptions.cc: the assumptions that a run shows to be broken; all others are taken to
// hold.
#include <algorithm>
#include <map>

#include "verdict/checkers.h"

namespace bully {

namespace {

// A live process was suspected; or an answer, or its question, was late for the timer.
std::optional<std::size_t> wrong_timeout(const CheckedRun& run) {
  std::map<NodeId, std::size_t> awaited_until;  // the receipt of the latest of these
  for (std::size_t i = 0; i < run.trace.records.size(); ++i) {
    const Record& record = run.trace.records[i];
    const Incarnation* suspected =
        suspects_silence(record) ? incarnation_at(run.timeline, *record.coordinator, i) : nullptr;
    if (suspected != nullptr && suspected->last > i) return i;
    const bool waited =
        record.event == TraceEvent::timeout && record.timer == timer_name(Timer::answer);
    const auto awaited = awaited_until.find(record.node);
    if (waited && awaited != awaited_until.end() && awaited->second > i) return i;
    const std::size_t receipt = run.timeline.partner[i];
    if (record.event != TraceEvent::send || receipt == no_record) continue;
    if (run.at(receipt).event != TraceEvent::receive) continue;
    const bool asks = record.type->role == Role::asks;
    if (!asks && record.type->role != Role::answers) continue;
    std::size_t& until = awaited_until[asks ? record.from : record.to];
    until = std::max(until, receipt);
  }
  return std::nullopt;
}

// The start of a process that came when others were there, or came back under its name.
std::optional<std::size_t> joining(const CheckedRun& run) {
  const std::vector<Incarnation>& lives = run.timeline.incarnations;
  const auto joined = std::ranges::find_if(lives, [&](const Incarnation& incarnation) {
    return run.at(incarnation.first).t_ns > run.at(lives.front().first).t_ns;
  });
  return joined == lives.end() ? std::nullopt : std::optional(joined->first);
}

// The return of a process that was stopped, or that did not react for long.
std::optional<std::size_t> resumption(const CheckedRun& run) {
  for (std::size_t i = 0; i < run.trace.records.size(); ++i) {
    const Record& record = run.trace.records[i];
    if (record.event == TraceEvent::pause || record.event == TraceEvent::resume) return i;
  }
  for (const Outage& outage : run.timeline.outages) {
    if (outage.to < run.timeline.incarnations[outage.incarnation].gone) return outage.to;
  }
  for (const Election& election : run.report.elections) {
    const auto found = std::ranges::find(election.detections, "resumed", &Noticed::trigger);
    if (found != election.detections.end()) return found->record;
  }
  return std::nullopt;
}

// The loss of an election's message; a receiver that was gone breaks no assumption.
std::optional<std::size_t> loss(const CheckedRun& run) {
  for (std::size_t i = 0; i < run.trace.records.size(); ++i) {
    const Record& record = run.trace.records[i];
    const bool is_lost = record.event == TraceEvent::lost && record.reason != "gone";
    if (is_lost && is_about_election(record)) return i;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> shown_broken(const CheckedRun& run, Assumption assumption) {
  if (assumption == Assumption::synchronous) return wrong_timeout(run);
  if (assumption == Assumption::nobody_stopped) return resumption(run);
  if (assumption == Assumption::nobody_joins) return joining(run);
  return loss(run);
}

}  // namespace bully
