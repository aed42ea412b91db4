// checkers_settling.cc: the time that each node may take for a step, and all nodes for an
// agreement.
//
// Undisturbed nodes come to agree. In an election that restarts forever no single process is too
// slow: only all of them together are.
#include <algorithm>
#include <map>

#include "election/pace.h"
#include "trace/checkers.h"

namespace bully {

namespace {

// A node that holds an election takes a step at every timeout: it never waits as long as this, or
// this many times the longest wait in the trace.
constexpr std::int64_t min_patience_ns = 10'000'000'000;
constexpr std::int64_t usual_waits = 4;

// The machine's time that each of n processes costs the others if all elect at once.
constexpr std::int64_t crowd_ns = 20'000;

// No process ever has to restart an election as often as this: a few times, and a few times more
// for each process that may be gone.
constexpr unsigned min_elections = 16;
constexpr unsigned elections_each = 4;

// [CDK] Liveness, for a time that has an end: once the faults have ended, all agree.
struct Settling {
  struct Member {
    bool is_there = false;  // from its first line to its last sign of life
    bool is_stopped = false;
    std::size_t follows = no_record;  // the incarnation that it follows, or its own
    unsigned begun = 0;               // elections, while undisturbed

    bool is_present() const { return is_there && !is_stopped; }
  };
  const CheckedRun& run;
  std::vector<Member> members = std::vector<Member>(run.timeline.incarnations.size());
  std::map<std::size_t, int> followers = {};  // the number of present followers of each
  std::size_t calm = 0;                       // the latest disturbance or agreement
  std::int64_t calm_ns = 0;

  void check() {
    const std::int64_t allowed_ns = Patience(run).to_agree_ns();
    const auto n = static_cast<unsigned>(run.timeline.nodes.size());
    const unsigned allowed_elections = min_elections + elections_each * n;
    for (const auto& [i, record] : run.trace.records) {
      const std::size_t k = run.timeline.incarnation_of[i];
      const bool lasts = !agree(i) && record.t_ns - calm_ns > allowed_ns;
      take(record, k, i);
      if (lasts || members[k].begun > allowed_elections) {
        const NodeId node = lasts ? unsettled() : record.node;
        run.violation(properties::ends, "never_settled", node, node, {calm, i});
        return;
      }
      if (!disturbs(record, i) && !agree(i + 1)) continue;
      calm = i;
      calm_ns = record.t_ns;
      for (Member& member : members) member.begun = 0;
    }
  }

  void take(const Record& record, std::size_t k, std::size_t i) {
    Member& member = members[k];
    count(member, -1);
    const Sign sign = sign_of(record);
    const bool holds = sign.is(Sign::Kind::holds);
    if (sign) member.follows = holds ? no_record : life_of(sign.coordinator, i);
    // Its coordinator has come back, and announces that.
    const bool is_told =
        record.event == TraceEvent::receive && record.type->role == Role::announces;
    if (is_told && member.follows != no_record &&
        run.timeline.incarnations[member.follows].node == record.from) {
      member.follows = life_of(record.from, i);
    }
    if (is_asking(record.state)) ++member.begun;
    if (record.event == TraceEvent::pause) member.is_stopped = true;
    if (record.event == TraceEvent::resume) member.is_stopped = false;
    member.is_there = i < run.timeline.incarnations[k].last_sign;
    count(member, +1);
  }

  void count(const Member& member, int change) {
    if (!member.is_present()) return;
    const auto [found, is_new] = followers.try_emplace(member.follows, 0);
    found->second += change;
    if (found->second == 0) followers.erase(found);
  }

  // True if, before record `i`, the present nodes follow one coordinator; or none is present.
  bool agree(std::size_t i) const {
    if (followers.empty()) return true;
    const std::size_t followed = followers.begin()->first;
    return followers.size() == 1 && followed != no_record &&
           members[followed].follows == followed &&
           run.timeline.incarnations[followed].shown_dead >= i;
  }

  // A node that shows that they do not agree.
  NodeId unsettled() const {
    const auto shows = [&](const Member& member) {
      return member.is_present() && member.follows != followers.rbegin()->first;
    };
    const auto found = std::ranges::find_if(members, shows);
    const auto k = found == members.end() ? 0 : found - members.begin();
    return run.timeline.incarnations[static_cast<std::size_t>(k)].node;
  }

  std::size_t life_of(NodeId node, std::size_t i) const {
    const auto lives = run.timeline.lives.find(node);
    if (lives == run.timeline.lives.end()) return no_record;
    const Incarnation* incarnation = incarnation_at(run.timeline, node, i);
    if (incarnation == nullptr) return lives->second.front();
    return run.timeline.index_of(*incarnation);
  }

  // True as well if a process is suspected wrongly.
  bool disturbs(const Record& record, std::size_t i) const {
    if (disturbs_all(record)) return true;
    if (!suspects_silence(record)) return false;
    const Incarnation* suspected = incarnation_at(run.timeline, *record.coordinator, i);
    return suspected != nullptr && suspected->last_sign > i;
  }
};

// True if every node that takes part is known well enough, and has a detector. The nodes of an
// older version may be of two clusters.
bool shows_all(const CheckedRun& run) {
  return run.timeline.algorithm() != nullptr && run.timeline.names_only.empty() &&
         std::ranges::all_of(run.timeline.incarnations, [&](const Incarnation& incarnation) {
           return incarnation.begins && incarnation.waits.detector != "off" &&
                  run.at(incarnation.first).given != nullptr;
         });
}

}  // namespace

Patience::Patience(const CheckedRun& run) : timeline_(run.timeline) {
  std::vector<std::size_t> latest(timeline_.incarnations.size(), no_record);
  for (const auto& [i, record] : run.trace.records) {
    if (!is_step(record)) continue;
    const std::size_t k = timeline_.incarnation_of[i];
    if (record.event == TraceEvent::timeout && latest[k] != no_record) {
      longest_wait_ns_ = std::max(longest_wait_ns_, record.t_ns - run.at(latest[k]).t_ns);
    }
    latest[k] = i;
  }
}

std::int64_t Patience::slow_ns(const Waits& waits) const {
  const auto n = static_cast<std::int64_t>(timeline_.nodes.size());
  return n * n * crowd_ns + pauses_to_settle(timeline_.nodes.size()) * waits.pace_ns;
}

// In slow motion most processes leave it to another one first (Algorithm::first_to_report).
std::int64_t Patience::to_notice_ns(const Waits& waits) const {
  const int times = waits.pace_ns > 0 ? 2 : 1;
  return times * (2 * (waits.ping_interval_ns + waits.ping_timeout_ns) + slow_ns(waits)) +
         timeline_.outage_ns;
}

std::int64_t Patience::to_decide_ns(const Waits& waits) const {
  return std::max(usual_waits * longest_wait_ns_ + slow_ns(waits), to_elect_ns(waits));
}

// An endless election also has waits that grow with each attempt: so a grown wait extends the time
// only for processes that do not record their waits.
std::int64_t Patience::to_agree_ns() const {
  std::int64_t longest = 0;
  for (const Incarnation& incarnation : timeline_.incarnations) {
    const Waits& waits = incarnation.waits;
    const bool tells = !waits.detector.empty();
    longest =
        std::max(longest, to_notice_ns(waits) + (tells ? to_elect_ns(waits) : to_decide_ns(waits)));
  }
  return longest;
}

std::int64_t Patience::to_elect_ns(const Waits& waits) const {
  const auto n = static_cast<std::int64_t>(timeline_.nodes.size());
  const std::int64_t waiting =
      usual_waits * (waits.answer_timeout_ns + waits.coordinator_timeout_ns) +
      n * waits.answer_timeout_ns;
  return std::max(min_patience_ns, waiting) + slow_ns(waits);
}

void check_settling(const CheckedRun& run) {
  if (shows_all(run)) Settling{run}.check();
}

}  // namespace bully
