// history_disturbances.cc: the disturbances of a run, the quiet times in between, and how long
// processes need to settle.
#include <algorithm>

#include "election/pace.h"
#include "history/history.h"

namespace bully {

namespace {

// As many disturbances are kept for a report.
constexpr std::size_t most_disturbances = 1'000;

}  // namespace

// --- Quiet ---

void Quiet::disturb(std::int64_t from_ns, std::int64_t to_ns, std::int64_t settle_ns,
                    std::optional<NodeId> announcing) {
  if (is_calm(from_ns, settle_ns)) {
    past_.push_back({since_ns(), from_ns, since_ns() + settle_ns, announcing});
  }
  // No disturbance older than `slack_ns` is taken back: of these the latest is enough.
  const auto recent = ends_.lower_bound(from_ns - slack_ns);
  if (recent != ends_.begin()) ends_.erase(ends_.begin(), std::prev(recent));
  ends_.insert(to_ns);
}

void Quiet::end(std::int64_t to_ns) {
  ends_.erase(std::prev(ends_.end()));
  ends_.insert(to_ns);
}

void Quiet::take_back(std::int64_t t_ns) {
  const auto found = ends_.find(t_ns);
  if (found == ends_.end()) return;
  ends_.erase(found);
  if (!past_.empty() && past_.back().from_ns == since_ns()) past_.pop_back();  // it goes on
}

std::vector<Quiet::Stretch> Quiet::since(std::int64_t after_ns, std::int64_t now_ns,
                                         std::int64_t settle_ns) const {
  std::vector<Stretch> found;
  if (is_calm(now_ns, settle_ns)) {
    found.push_back({since_ns(), now_ns, since_ns() + settle_ns, std::nullopt});
  }
  for (auto stretch = past_.rbegin(); stretch != past_.rend(); ++stretch) {
    if (stretch->to_ns <= after_ns) break;
    found.push_back(*stretch);
  }
  std::ranges::reverse(found);
  return found;
}

bool History::was_right(Reading reading, std::int64_t from_ns, std::int64_t to_ns) const {
  return std::ranges::any_of(right(reading, from_ns, to_ns + 1), [&](const Quiet::Stretch& one) {
    return one.settled_ns < from_ns && one.to_ns > to_ns;
  });
}

bool History::is_away(const Life& life, Reading reading, std::int64_t t_ns) const {
  return life.was_away(reading, t_ns - settle_ns(), t_ns);
}

bool Life::was_away(Reading reading, std::int64_t from_ns, std::int64_t to_ns) const {
  if (paused && paused->t_ns <= to_ns) return true;
  for (auto outage = outages.rbegin(); outage != outages.rend(); ++outage) {
    if (outage->to_ns < from_ns) return false;
    if (reading == Reading::strict && !outage->is_witnessed) continue;
    if (outage->from_ns <= to_ns) return true;
  }
  return false;
}

// --- History ---

std::int64_t History::arrive_ns() const {
  if (is_unbounded_) return forever;
  return slack_ns + longest_.pace_ns * pauses_in(SlowWait::news, lives_of_.size());
}

std::int64_t History::settle_ns() const {
  if (is_unbounded_ || is_unwatched_) return forever;
  // In slow motion most processes first leave it to another to report (pace.h): twice the time.
  const int times = longest_.pace_ns > 0 ? 4 : 2;
  const std::int64_t usual = times * (longest_.ping_interval_ns + longest_.ping_timeout_ns +
                                      longest_.answer_timeout_ns + longest_.coordinator_timeout_ns +
                                      longest_.pace_ns * pauses_to_settle(lives_of_.size()));
  return std::max(usual, 2 * longest_wait_ns_) + slack_ns;
}

std::vector<Quiet*> History::disturbed_by(DisturbanceKind kind, bool is_strict) {
  std::vector<Quiet*> found;
  for (const Reading reading : readings) {
    if (reading == Reading::strict && !is_strict) continue;
    found.push_back(&calm_[at(reading)]);
    if (kind > DisturbanceKind("outage")) found.push_back(&right_[at(reading)]);
  }
  return found;
}

// An outage disturbs the others where it begins and where it ends.
void History::disturb_quiet(DisturbanceKind kind, bool is_strict, std::int64_t from_ns,
                            std::int64_t to_ns, Moment now) {
  if (kind == DisturbanceKind("outage") && from_ns < to_ns) {
    disturb_quiet(kind, is_strict, from_ns, from_ns, now);
    if (to_ns < forever) disturb_quiet(kind, is_strict, to_ns, to_ns, now);
    return;
  }
  const std::optional<NodeId> news = announcing(now.t_ns).without(nullptr);
  const std::int64_t settle = settle_ns();
  if (calm_[at(Reading::generous)].is_calm(from_ns, settle)) {
    longest_wait_ns_ = running_.empty() ? 0 : std::get<0>(*running_.rbegin());
  }
  for (Quiet* quiet : disturbed_by(kind, is_strict)) quiet->disturb(from_ns, to_ns, settle, news);
}

void History::disturb(const Disturbance& one, Moment now, bool is_strict) {
  disturb_quiet(one.kind, is_strict, one.from_ns, one.to_ns, now);
  if (one.kind < DisturbanceKind("outage")) return;
  const auto goes_on = std::ranges::find_if(disturbances_, [&](const Disturbance& other) {
    return other.kind == one.kind && other.node == one.node && other.to_ns > one.from_ns;
  });
  if (goes_on != disturbances_.end()) return static_cast<void>(goes_on->to_ns = one.to_ns);
  ++disturbance_count_;
  if (disturbances_.size() < most_disturbances) disturbances_.push_back(one);
}

void History::end_disturbance(DisturbanceKind kind, NodeId node, Moment now) {
  if (kind == DisturbanceKind("cut")) {
    for (Quiet* quiet : disturbed_by(kind, true)) quiet->end(now.t_ns);
  } else {
    disturb_quiet(kind, true, now.t_ns, now.t_ns, now);
  }
  for (Disturbance& one : disturbances_) {
    const bool is_it = one.kind == kind && (one.node == node || kind == DisturbanceKind("cut"));
    if (is_it && one.to_ns == forever) one.to_ns = now.t_ns;
  }
}

void History::take_suspicion(const Record& record, Moment now) {
  Life* life = latest_life(*record.coordinator);
  if (life == nullptr || life->is_over()) return;
  if (record.reason == "down") {
    find_gone(*life, now);
    life->found_down.push_back(now.t_ns);
  } else if (record.reason == "hung") {
    if (!life->silent) life->silent = now;
    elections_.change(life->node);
    if (life->paused) return;  // it is right
  } else {
    return;
  }
  // In the strict reading only a record, or its own word as well, shows that it was away.
  disturb({"suspicion", life->node, now.record, now.t_ns, now.t_ns}, now, false);
}

// Who kills a process may record it a moment after others have found it gone. So they were right,
// if it wrote no line in between.
void History::take_back_suspicions(const Life& life, Moment now) {
  for (const std::int64_t t_ns : life.found_down) {
    if (now.t_ns - t_ns > slack_ns) continue;
    right_[at(Reading::generous)].take_back(t_ns);
    --disturbance_count_;
    std::erase_if(disturbances_, [&](const Disturbance& one) {
      return one.kind == DisturbanceKind("suspicion") && one.node == life.node &&
             one.from_ns == t_ns;
    });
  }
}

// Others found no process behind its name. If it writes no further line, that was its end.
void History::find_gone(Life& life, Moment now) {
  if (life.gone) return;
  life.gone = now;
  elections_.change(life.node);
  disturb({"end", life.node, now.record, now.t_ns, now.t_ns}, now, true);
}

}  // namespace bully
