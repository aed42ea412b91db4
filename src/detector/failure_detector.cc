// failure_detector.cc: rounds of pings, and the meaning of their outcomes.
#include "detector/failure_detector.h"

#include <algorithm>
#include <utility>

#include "election/pace.h"

namespace bully {

namespace {

// A process that cannot be reached just now is tried again after this; later, after this part of
// the time for which that has lasted: a thousand monitors that try more often would take the
// processor that its owner needs.
constexpr Duration busy_interval = std::chrono::milliseconds(5);
constexpr int busy_part = 16;

// The largest number of processes pinged at a time above a coordinator or ahead on a ring.
constexpr std::size_t max_pinged = 32;

}  // namespace

bool FailureDetector::is_urgent(const WatchTarget& target) const {
  // A held connection is needed at once. So is a ping to a process that is watched but not
  // followed, as that happens only if an election lasts.
  return target.whom != options_.id &&
         (options_.detector == Detector::eof || !target.as_coordinator);
}

void FailureDetector::watch(const WatchTarget& target, Time first_ping) {
  watches_coordinator_ = target.as_coordinator;
  if (target.whom && target_ == target.whom) return;
  // Another process has taken over, or has answered: the reports had their effect.
  if (target.whom && target.whom != options_.id) reported_.clear();
  close_pings(false);
  if (target.whom && target.as_coordinator) close_pings(true);
  target_ = target.whom;
  doubts_.clear();
  rounds_ = 1;
  left_since_ = never;
  next_hold_ = Time(0);
  hung_at_ = second_ping_at_ = never;
  next_ping_ = target_ ? first_ping : never;
}

bool FailureDetector::tick(Time now) {
  if (!target_) return false;
  if (now >= hung_at_) {
    hung_at_ = hung_when_silent_since(waits_since_);
    if (now >= hung_at_) suspect(Suspicion::hung, now);
  } else if (now >= next_ping_) {
    next_ping_ = now + options_.ping_interval;
    *target_ == options_.id ? ping_others() : ping_watched(now);
    return true;
  } else if (now >= second_ping_at_) {
    second_ping_at_ = never;
    ping_target(false, now);
    if (target_) look_ahead(now);
  }
  return false;
}

// --- Pings ---

void FailureDetector::ping_watched(Time now) {
  if (!watches_coordinator_) look_ahead(now);
  if (hung_at_ == never) {
    const bool was_silent = std::ranges::any_of(open_, [this](const Ping& ping) {
      return ping.kind == Ping::Kind::ahead && ping.to == target_;
    });
    waits_since_ = was_silent ? ahead_since_ : now;
    hung_at_ = waits_since_ + options_.ping_timeout;
    second_ping_at_ = waits_since_ + options_.ping_timeout / 2;
  }
  // Keeps the held connection, and the last ping, which the example closes at the next.
  const auto is_plain = [](const Ping& ping) { return ping.kind == Ping::Kind::plain; };
  auto last = std::ranges::find_if(open_.rbegin(), open_.rend(), is_plain);
  const std::uint64_t kept = last == open_.rend() ? 0 : last->number;
  close_where([&](const Ping& ping) { return is_plain(ping) && ping.number != kept; });
  const bool is_held = std::ranges::count(open_, Ping::Kind::held, &Ping::kind) > 0;
  const bool hold = options_.detector == Detector::eof && !is_held && now >= next_hold_;
  if (ping_target(hold, now)) return;
  const Duration wait = std::max(busy_interval, (now - waits_since_) / busy_part);
  next_ping_ = std::min(next_ping_, now + wait);
}

// True if there is an outcome: the ping is in flight, or its receiver is known to be down.
bool FailureDetector::ping_target(bool hold, Time now) {
  const PingOutcome outcome = send(*target_, hold ? Ping::Kind::held : Ping::Kind::plain);
  const bool waits_for_none = outcome == PingOutcome::unable && waits_since_ == now;
  if (outcome == PingOutcome::gone || waits_for_none) hung_at_ = second_ping_at_ = never;
  if (outcome == PingOutcome::gone) suspect(Suspicion::down, now);
  return outcome == PingOutcome::sent || outcome == PingOutcome::gone;
}

// Pings the processes above; and all others, in turn, if the algorithm has a condition `finds`.
void FailureDetector::ping_others() {
  close_pings(false);
  const auto prefers = options_.algorithm->prefers;
  const std::span<const NodeId> all = network_.peers().ids();
  std::vector<NodeId> above;
  std::vector<NodeId> below;
  for (const NodeId id : all) {
    if (id != options_.id) (prefers(id, options_.id) ? above : below).push_back(id);
  }
  std::ranges::sort(above, prefers);
  if (options_.algorithm->finds == nullptr) below.clear();
  std::erase_if(reported_, [&](NodeId id) { return std::ranges::count(all, id) == 0; });
  // Stopped processes above may take all connections that it may open.
  is_above_first_ = !is_above_first_;
  if (is_above_first_) ping_some(above, Ping::Kind::plain);
  std::rotate(below.begin(), std::ranges::upper_bound(below, looked_at_), below.end());
  const std::size_t passed = ping_some(below, Ping::Kind::plain);
  if (passed > 0) {
    looked_at_ = below[passed - 1];
    rounds_ = static_cast<int>((below.size() + passed - 1) / passed);
  }
  if (!is_above_first_) ping_some(above, Ping::Kind::plain);
}

void FailureDetector::look_ahead(Time now) {
  if (!options_.algorithm->watches_neighbour || ahead_since_ != never) return;
  ahead_since_ = now;
  const Peers& peers = network_.peers();
  std::vector<NodeId> ahead;
  for (NodeId next = watches_coordinator_ ? peers.next_of(options_.id) : *target_;
       next != options_.id && ahead.size() < peers.ids().size(); next = peers.next_of(next)) {
    ahead.push_back(next);
  }
  ping_some(ahead, Ping::Kind::ahead);
}

// Names of the dead cost little, and may be many. Returns the number of names up to the last one
// with an outcome: the ones behind it still have to be pinged.
std::size_t FailureDetector::ping_some(std::span<const NodeId> ids, Ping::Kind kind) {
  std::size_t passed = 0;
  std::size_t pinged = 0;
  for (std::size_t i = 0; i < ids.size() && pinged < max_pinged; ++i) {
    const PingOutcome outcome = send(ids[i], kind);
    if (outcome == PingOutcome::sent) ++pinged;
    if (outcome == PingOutcome::sent || outcome == PingOutcome::gone) passed = i + 1;
  }
  return passed;
}

PingOutcome FailureDetector::send(NodeId to, Ping::Kind kind) {
  const Ping ping{++pings_, to, kind};
  const PingOutcome outcome = network_.send(ping);
  if (outcome == PingOutcome::sent) open_.push_back(ping);
  return outcome;
}

// --- Replies ---

// The ping of this number, if it is open. A held one stays so.
std::optional<Ping> FailureDetector::take(std::uint64_t number) {
  const auto found = std::ranges::find(open_, number, &Ping::number);
  if (found == open_.end()) return std::nullopt;
  const Ping ping = *found;
  if (ping.kind != Ping::Kind::held) open_.erase(found);
  return ping;
}

void FailureDetector::on_reply(std::uint64_t number, const PingReply& reply, Time now) {
  const std::optional<Ping> ping = take(number);
  if (!ping || !target_) return;
  // A process ahead that echoes is not hung.
  if (ping->kind == Ping::Kind::ahead) {
    if (ping->to == target_) on_sign_of_life();
    return;
  }
  if (*target_ == options_.id) {
    const bool is_found = options_.algorithm->looks_for(own(), reply);
    const bool is_above = options_.algorithm->outranks(ping->to, options_.id);
    if (is_found || is_above) {
      if (!is_certain(ping->to, now) || !may_report(ping->to, now)) return;
      if (is_found) network_.report(PeerFound{ping->to});
      if (is_above) suspect(Suspicion::deposed, now);
    } else {
      doubts_.erase(ping->to);
      std::erase(reported_, ping->to);
    }
    return;
  }
  on_sign_of_life();
  if (!reply.disowns(ping->to, own())) {
    doubts_.clear();
  } else if (is_certain(ping->to, now)) {
    suspect(Suspicion::deposed, now);
  }
}

// The example closes without a reply: it is alive, and more is not known.
void FailureDetector::on_closed(std::uint64_t number) {
  const std::optional<Ping> ping = take(number);
  if (!ping || ping->kind == Ping::Kind::ahead) return;
  if (target_ && *target_ != options_.id) on_sign_of_life();
}

// Ping at once to learn the cause; but hold another connection only with the next regular ping, as
// this peer may have no room.
void FailureDetector::on_broken(std::uint64_t number, Time now) {
  const std::optional<Ping> ping = take(number);
  if (!ping || ping->kind == Ping::Kind::ahead) return;
  const bool was_held = ping->kind == Ping::Kind::held;
  if (was_held) {
    std::erase_if(open_, [number](const Ping& one) { return one.number == number; });
    next_hold_ = now + options_.ping_interval;
  }
  if (target_) next_ping_ = std::min(next_ping_, was_held ? now : now + busy_interval);
}

void FailureDetector::on_sign_of_life() {
  hung_at_ = second_ping_at_ = left_since_ = never;
  reported_down_.erase(*target_);
  if (watches_coordinator_) close_pings(true);
}

// With a pace, the announcement that a reply anticipates may be in flight for long: what the reply
// shows counts only if each ping has shown it since then. A time without pings, as when the machine
// or this process stands still, does not count: the announcement stood still as well.
bool FailureDetector::is_certain(NodeId id, Time now) {
  if (options_.pace == Duration(0)) return true;
  const Duration longest_gap = 2 * options_.ping_interval * rounds_;
  Doubt& doubt = doubts_.try_emplace(id, Doubt{Duration(0), now}).first->second;
  const Duration gap = now - std::exchange(doubt.shown_at, now);
  doubt.lasted += std::min(gap, longest_gap);
  if (gap > longest_gap + options_.ping_timeout) doubt.lasted = Duration(0);
  return doubt.lasted >= options_.pace * pauses_in(SlowWait::news, network_.living().size());
}

bool FailureDetector::may_report(NodeId id, Time now) {
  const bool is_new = std::ranges::count(reported_, id) == 0;
  if (!is_new && now < report_again_at_) return false;
  if (reported_.empty()) {
    report_again_after_ = options_.ping_interval;
  } else if (!is_new) {
    report_again_after_ =
        std::min(report_again_after_ * 2, options_.ping_interval * max_report_intervals);
  }
  if (is_new) reported_.push_back(id);
  report_again_at_ = now + report_again_after_;
  return true;
}

// --- Suspicions ---

Time FailureDetector::hung_when_silent_since(Time since) {
  return since + options_.ping_timeout + network_.extra_patience();
}

// Whether another process's monitor should report that the coordinator is gone, for now. Then this
// one looks again after an interval.
bool FailureDetector::leaves_to_another(Time now) {
  if (options_.pace == Duration(0) || !watches_coordinator_) return false;
  std::vector<NodeId> living = network_.living();
  std::erase(living, *target_);
  if (living.empty() || options_.algorithm->first_to_report(living) == options_.id) return false;
  left_since_ = std::min(left_since_, now);
  const Duration ping = options_.ping_interval + options_.ping_timeout;
  const auto left = left_to_another_ns(ping.count(), options_.pace.count(), living.size());
  if (now - left_since_ > Duration(left)) return false;
  if (hung_at_ != never) hung_at_ = now + options_.ping_interval;
  return true;
}

// A process that is down may be named as coordinator again and again: by a neighbour that answers
// each election with it, say. So a death is not reported again within an interval.
void FailureDetector::suspect(Suspicion reason, Time now) {
  if (reason != Suspicion::deposed && leaves_to_another(now)) return;
  if (reason == Suspicion::down) {
    std::erase_if(reported_down_,
                  [&](const auto& one) { return now - one.second >= options_.ping_interval; });
    const auto [reported, is_new] = reported_down_.try_emplace(*target_, now);
    if (!is_new) {
      next_ping_ = reported->second + options_.ping_interval;
      return;
    }
  }
  if (reason == Suspicion::hung) report_those_ahead(now);
  network_.report(Suspected{*target_, reason});
  target_.reset();
  hung_at_ = second_ping_at_ = next_ping_ = never;
  close_pings(false);
}

void FailureDetector::close_where(const std::function<bool(const Ping&)>& matches) {
  std::erase_if(open_, [&](const Ping& ping) {
    const bool is_it = matches(ping);
    if (is_it) network_.close(ping);
    return is_it;
  });
}

void FailureDetector::close_pings(bool ahead) {
  close_where([ahead](const Ping& ping) { return (ping.kind == Ping::Kind::ahead) == ahead; });
  if (ahead) ahead_since_ = never;
}

// Before the watched process: then the node can skip all of them together.
void FailureDetector::report_those_ahead(Time now) {
  if (ahead_since_ == never || hung_when_silent_since(ahead_since_) > now) return;
  for (const Ping& ping : open_) {
    const bool is_other = ping.kind == Ping::Kind::ahead && ping.to != target_;
    if (is_other) network_.report(Suspected{ping.to, Suspicion::hung});
  }
  // There may be more of them, behind these; but a node that follows a coordinator passes over
  // these again once its election has begun.
  if (!watches_coordinator_) close_pings(true);
}

}  // namespace bully
