// node_housekeeping.cc: what a node does beside elections: it keeps its monitor and its name,
// removes the names of the dead, and leaves.
#include <algorithm>

#include "node/node.h"
#include "node/setup_error.h"

namespace bully {

namespace {

// How many names of the dead are removed in one go, and when the next ones are.
constexpr std::size_t max_swept_at_once = 128;
constexpr Duration next_sweep = std::chrono::milliseconds(5);

}  // namespace

// What has to be done some time, but would disturb an election: another node that lists the
// directory during it should still meet the dead coordinator's name.
void Node::housekeep() {
  if (now_ < housekeeping_at_) return;
  housekeeping_at_ = never;
  if (monitor_.pid() == 0) replace_monitor();
  if (unpublished_) publish_again();
  if (!protocol().coordinator()) {
    housekeeping_at_ = now_ + options_.coordinator_timeout;
    return;
  }
  // A part of them: whoever sends to this node must not wait for thousands of names.
  for (std::size_t left = std::min(to_sweep_.size(), max_swept_at_once); left > 0; --left) {
    const NodeId dead = *to_sweep_.begin();
    if (!directory_.sweep(dead)) {
      housekeeping_at_ = now_ + options_.coordinator_timeout;
      return;
    }
    to_sweep_.erase(dead);
  }
  if (!to_sweep_.empty()) housekeeping_at_ = now_ + next_sweep;
}

void Node::sweep_later(NodeId dead) {
  to_sweep_.insert(dead);
  housekeeping_at_ = now_ + options_.coordinator_timeout;
}

// Where another process cannot be forked just now, it is tried again later.
bool Node::start_monitor() {
  try {
    monitor_.start();
    return true;
  } catch (const SetupError&) {
    observer_.notice(Notice::monitor_missing, 0);
    housekeeping_at_ = now_ + options_.ping_interval;
    return false;
  }
}

void Node::replace_monitor() {
  if (start_monitor()) observer_.notice(Notice::monitor_replaced, monitor_.pid());
}

void Node::publish_again() {
  unpublished_ = !directory_.is_published(options_.id);
  if (!unpublished_) return;
  try {
    inbox_.listen_on(directory_.publish(options_.id));
  } catch (const SetupError& error) {
    observer_.notice(Notice::cannot_publish, error.code().value());
    housekeeping_at_ = now_ + options_.ping_interval;
    return;
  }
  unpublished_ = false;
  observer_.notice(Notice::published_again, 0);
  start_monitor();    // it looks at the new name now
  handle(Started{});  // whoever elected meanwhile could not ask us
}

void Node::leave() {
  participant_.leave(*this);
  // The name first, while we still listen: then nobody can take it over meanwhile.
  directory_.withdraw(options_.id);
  inbox_.close_all();
  // Whoever leaves last removes what the dead have left behind.
  directory_.sweep_up_to_a_live_one();
}

}  // namespace bully
