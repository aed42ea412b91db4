// checkers_convergence.cc: the time that each node may take for a step, and all nodes for an
// agreement; and the messages that an election may take.
//
// Undisturbed nodes come to agree. In an election that restarts forever no single process is too
// slow: only all of them together are.
#include <algorithm>
#include <map>
#include <utility>

#include "election/pace.h"
#include "verdict/checkers.h"

namespace bully {

namespace {

// A node in an election takes a step at every timeout: it never waits as long as this, or
// this many times its longest wait.
constexpr std::int64_t min_patience_ns = 10'000'000'000;
constexpr std::int64_t usual_waits = 4;

// A controlled process may wait as long as its person likes.
constexpr std::int64_t controlled_patience_ns = std::int64_t{365} * 86'400 * 1'000'000'000;

// The machine's time that each of n processes costs the others if all elect at once.
constexpr std::int64_t crowd_ns = 20'000;

// No process ever has to restart an election as often as this: a few times, and a few times more
// for each process that may be gone.
constexpr unsigned min_elections = 16;
constexpr unsigned elections_each = 4;

// For all nodes, to agree once disturbances have ended, if they wait no longer than this one.
std::int64_t time_to_agree_ns(const Timeline& timeline, const Waits& waits, std::int64_t wait_ns) {
  return time_to_notice_ns(timeline, waits) + time_to_decide_ns(timeline, waits, wait_ns);
}

// True if a process begins, ends, stops or continues, if a live process misses a message, or if one
// is suspected wrongly.
bool disturbs(const CheckedRun& run, const Record& record, std::size_t i) {
  if (is_act_on(record) || record.event == TraceEvent::start) return true;
  if (record.event == TraceEvent::leave) return true;
  if (record.event == TraceEvent::lost) return record.reason != "gone";
  if (!suspects_silence(record)) return false;
  const Incarnation* suspected = incarnation_at(run.timeline, *record.coordinator, i);
  return suspected != nullptr && suspected->last_sign > i;
}

// Where the network is cut, as far as lines show it: none says that it has healed. All cuts heal at
// once, so one message that crosses shows it. No process is cut off from a dead one.
struct Cut {
  const CheckedRun& run;
  std::map<std::pair<NodeId, NodeId>, std::size_t> links = {};  // from, to: the latest loss

  void take(const Record& record, std::size_t i) {
    const Timeline& timeline = run.timeline;
    const std::pair link(record.from, record.to);
    if (record.event == TraceEvent::lost && record.reason == "partition") {
      const Incarnation* to = incarnation_at(timeline, record.to, i);
      if (to != nullptr && to->gone > i) links[link] = i;
    }
    if (record.event == TraceEvent::receive) {
      const auto lost = links.find(link);
      const std::size_t sent = timeline.partner[i];
      if (lost != links.end() && sent != no_record && sent > lost->second) links.clear();
    }
    const auto [first, last] = timeline.ends.equal_range(i);
    for (auto end = first; end != last; ++end) {
      const NodeId gone = timeline.incarnations[end->second].node;
      std::erase_if(links, [gone](const auto& each) {
        return each.first.first == gone || each.first.second == gone;
      });
    }
  }
};

// [CDK] Liveness, for a time that has an end: once the faults have ended, all agree.
void check_end_of(const CheckedRun& run, const Election& election) {
  if (!election.moved_record) return;
  const Timeline& timeline = run.timeline;
  std::int64_t allowed_ns = 0;
  for (const Incarnation& one : timeline.incarnations) {
    allowed_ns = std::max(allowed_ns, time_to_agree_ns(timeline, one.waits, 0));
  }
  Cut cut{run};
  const auto n = static_cast<unsigned>(timeline.nodes.size());
  unsigned allowed_elections = min_elections + elections_each * n;
  std::size_t calm = *election.moved_record;  // or the latest disturbance
  std::map<std::uint32_t, unsigned> begun;    // by incarnation: elections since then
  const std::size_t end = election.settled_record.value_or(run.trace.records.size());
  for (std::size_t i = calm; i < end; ++i) {
    const Record& record = run.at(i);
    const bool is_receipt = record.event == TraceEvent::receive;
    // Its sender has no trace, or none since it came back: whom that one follows is unknown.
    if (is_receipt && is_about_election(record) && timeline.partner[i] == no_record) return;
    cut.take(record, i);
    if (!cut.links.empty() || disturbs(run, record, i)) {
      calm = i;
      begun.clear();
    }
    const std::uint32_t k = timeline.incarnation_of[i];
    if (const auto wait = run.long_waits.find(i); wait != run.long_waits.end()) {
      const Waits& waits = timeline.incarnations[k].waits;
      allowed_ns = std::max(allowed_ns, time_to_agree_ns(timeline, waits, wait->second));
    }
    unsigned& its = begun[k];
    // Each message that waited for a process, while it was stopped, may lead to one more.
    const bool has_waited = is_receipt && timeline.partner[i] < calm;
    if (has_waited) ++allowed_elections;
    if (is_asking(record.state)) ++its;
    if (record.t_ns - run.at(calm).t_ns <= allowed_ns && its <= allowed_elections) continue;
    return run.violation(properties::ends, "never_settled", record.node, record.node, {calm, i});
  }
}

// True if every node that takes part is known, and has a detector.
bool shows_all(const Timeline& timeline) {
  return timeline.algorithm() != nullptr && timeline.names_only.empty() &&
         std::ranges::none_of(timeline.incarnations, [](const Incarnation& incarnation) {
           return incarnation.waits.detector == "off";
         });
}

std::int64_t slow_ns(const Timeline& timeline, const Waits& waits) {
  const auto n = static_cast<std::int64_t>(timeline.nodes.size());
  return n * n * crowd_ns + pauses_to_settle(timeline.nodes.size()) * waits.pace_ns;
}

}  // namespace

// In slow motion most processes leave it to another one first (Algorithm::first_to_report).
std::int64_t time_to_notice_ns(const Timeline& timeline, const Waits& waits) {
  const int times = waits.pace_ns > 0 ? 2 : 1;
  return times * (2 * (waits.ping_interval_ns + waits.ping_timeout_ns) + slow_ns(timeline, waits)) +
         timeline.outage_ns;
}

std::int64_t time_to_decide_ns(const Timeline& timeline, const Waits& waits, std::int64_t wait_ns) {
  if (waits.coordinator_timeout_ns == 0) return controlled_patience_ns;
  const auto n = static_cast<std::int64_t>(timeline.nodes.size());
  const std::int64_t waiting =
      usual_waits * (waits.answer_timeout_ns + waits.coordinator_timeout_ns) +
      n * waits.answer_timeout_ns;
  return std::max({min_patience_ns, waiting, wait_ns + wait_ns / 4}) + slow_ns(timeline, waits);
}

void check_settling(const CheckedRun& run) {
  if (!shows_all(run.timeline)) return;
  for (const Election& election : run.report.elections) check_end_of(run, election);
}

// [DKR82, CR79] An undisturbed election takes no more messages than the worst case.
void check_bound(const CheckedRun& run) {
  for (std::size_t k = 0; k < run.report.elections.size(); ++k) {
    const Election& election = run.report.elections[k];
    const Figures figures = k < run.report.figures.size()
                                ? run.report.figures[k]
                                : figures_of(run.trace, run.timeline, election);
    if (election.took_place && figures.bound && figures.textbook) {
      run.test(properties::within_bound);
    }
    if (!figures.exceeds_bound || !figures.textbook) continue;
    run.violation(properties::within_bound, "more_than_bound", election.detections.front().node,
                  *election.winner, {election.first_record, election.last_record});
  }
}

}  // namespace bully
