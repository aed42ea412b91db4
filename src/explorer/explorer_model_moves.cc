// explorer_model_moves.cc: the moves that are possible in a configuration: see explorer.h for the
// world and its timing.
#include <algorithm>

#include "explorer/explorer_model.h"

namespace bully {

namespace {

// A fault is possible while its kind has any left.
void add(const Move& move, const Configuration& now, std::vector<Move>& moves) {
  if (!move.fault || faults_left(now, move.verb) > 0) moves.push_back(move);
}

}  // namespace

void Model::moves(const Configuration& now, std::vector<Move>& moves) const {
  moves.clear();
  const auto count = static_cast<std::uint8_t>(nodes_.size());
  for (std::uint8_t node = 0; node < count; ++node) {
    if (!live(now, node)) {
      add({Verb::restart, node, 0, now.node[node] == crashed}, now, moves);
      continue;
    }
    // Inboxes are sorted by the order in which Delivery lets messages through: see post().
    const auto inbox = now.inbox[node].all();
    for (std::size_t i = 0; i < inbox.size(); ++i) {
      if (i > 0 && options_.delivery == Delivery::arrival_order) break;
      if (i > 0 && inbox[i] == inbox[i - 1]) continue;
      const bool same_sender =
          i > 0 && message(node, inbox[i]).from == message(node, inbox[i - 1]).from;
      if (same_sender && options_.delivery == Delivery::pair_order) continue;
      add({Verb::deliver, node, inbox[i]}, now, moves);
    }
    for (const Timer timer : {Timer::answer, Timer::coordinator}) {
      if (!local(now, node).runs(timer)) continue;
      const bool early = !timeout_is_right(now, node, timer);
      add({Verb::expire, node, static_cast<std::uint8_t>(timer), early}, now, moves);
    }
    if (nodes_[node].detects) add_suspicions(now, node, moves);
    if (nodes_[node].detects) add_findings(now, node, moves);
    add({Verb::crash, node, 0, true}, now, moves);
  }
  add_partitions(now, moves);
}

// The first node is on the near side, so no cut is tried twice.
void Model::add_partitions(const Configuration& now, std::vector<Move>& moves) const {
  if (now.far_side != 0) return add({Verb::heal}, now, moves);
  if (now.partitions_left == 0) return;
  const unsigned all = (1U << nodes_.size()) - 1;
  for (unsigned far = 2; far <= all; far += 2) {
    add({Verb::partition, 0, static_cast<std::uint8_t>(far), true}, now, moves);
  }
}

void Model::add_suspicions(const Configuration& now, std::uint8_t node,
                           std::vector<Move>& moves) const {
  const Local& self = local(now, node);
  if (!self.watched) return;
  const NodeId watched = *self.watched;
  const auto suspect = [&](Suspicion reason, bool wrong) {
    add({Verb::suspect, node, suspicion(reason, watched - 1), wrong}, now, moves);
  };
  if (watched == self.snapshot.id) {
    const bool is_outranked = std::ranges::any_of(peers_.nodes, [&](NodeId id) {
      return live(now, id - 1) && connects(now, node, id - 1) &&
             options_.algorithm->outranks(id, watched);
    });
    if (is_outranked) suspect(Suspicion::deposed, false);
    return;
  }
  const Loss why = loss(now, node, watched);
  if (why != Loss::none) {
    const bool is_early = self.waits && !nothing_in_flight(now, node);
    return suspect(why == Loss::partition ? Suspicion::hung : Suspicion::down, is_early);
  }
  const PingReply theirs = reply_of(local(now, watched - 1).snapshot);
  if (theirs.disowns(watched, reply_of(self.snapshot))) suspect(Suspicion::deposed, false);
  suspect(Suspicion::hung, true);
}

void Model::add_findings(const Configuration& now, std::uint8_t node,
                         std::vector<Move>& moves) const {
  for (std::size_t other = 0; other < nodes_.size(); ++other) {
    if (!finds(now, node, other)) continue;
    const auto detail = static_cast<std::uint8_t>(other);
    add({Verb::check, node, detail, !is_quiet(now)}, now, moves);
  }
}

bool Model::finds(const Configuration& now, std::size_t node, std::size_t other) const {
  return other != node && live(now, node) && live(now, other) && connects(now, node, other) &&
         options_.algorithm->looks_for(reply_of(local(now, node).snapshot),
                                       reply_of(local(now, other).snapshot));
}

bool Model::timeout_is_right(const Configuration& now, std::size_t node, Timer timer) const {
  if (timer == Timer::answer) return nothing_in_flight(now, node);
  if (misses_neighbour(now)) return false;
  for (std::size_t one = 0; one < nodes_.size(); ++one) {
    for (std::size_t other = 0; nodes_[one].detects && other < nodes_.size(); ++other) {
      if (finds(now, one, other)) return false;
    }
  }
  return is_quiet(now);
}

// On a ring, true if a monitor has yet to report a neighbour across a partition.
bool Model::misses_neighbour(const Configuration& now) const {
  if (now.far_side == 0 || !options_.algorithm->watches_neighbour) return false;
  return std::ranges::any_of(peers_.nodes, [&](NodeId id) {
    if (!nodes_[id - 1].detects || !live(now, id - 1)) return false;
    const NodeId watched = local(now, id - 1).watched.value_or(0);
    return loss(now, id - 1, watched) == Loss::partition;
  });
}

bool Model::is_quiet(const Configuration& now) const {
  for (std::size_t other = 0; other < nodes_.size(); ++other) {
    if (now.inbox[other].size > 0 || local(now, other).runs(Timer::answer)) return false;
  }
  return true;
}

bool Model::nothing_in_flight(const Configuration& now, std::size_t node) const {
  if (now.inbox[node].size > 0) return false;
  for (std::size_t other = 0; other < nodes_.size(); ++other) {
    for (const MessageId id : now.inbox[other].all()) {
      if (message(other, id).from == node + 1) return false;
    }
  }
  return true;
}

}  // namespace bully
