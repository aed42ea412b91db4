// node_housekeeping.cc: a node's work beside elections: its name, its monitor, the names of the
// dead.

#include "node/node.h"

namespace bully {

// The number of dead names removed at a time; the next ones follow later.
static constexpr std::size_t max_swept_at_once = 128;
static constexpr Duration next_sweep = std::chrono::milliseconds(5);

// After as many monitors in a row that died within an interval of their start, a node says that,
// and nothing of the next ones.
static constexpr int few_deaths = 3;
// The number of causes of one kind that it says.
static constexpr std::size_t most_said = 64;

// It has to be done some time, but would disturb an election: another node that lists the directory
// during it should still find the dead coordinator's name.
void Node::sweep() {
  if (now_ < sweep_at_) return;
  // Only some of them: senders to this node must not wait for thousands of names.
  std::size_t left = max_swept_at_once;
  for (; left > 0 && !to_sweep_.empty(); --left) {
    if (!protocol().coordinator() || !registry_.sweep(*to_sweep_.begin())) break;
    to_sweep_.erase(to_sweep_.begin());
  }
  const Duration pause = left == 0 ? next_sweep : options_.coordinator_timeout;
  sweep_at_ = to_sweep_.empty() ? never : end_of(pause);
}

void Node::replace_monitor() {
  if (options_.controlled || monitor_.pid() != 0) return;
  if (monitor_due_ == never) {
    const Time grown_up_at = monitor_started_at_ + options_.ping_interval;
    early_deaths_ = now_ < grown_up_at ? early_deaths_ + 1 : 0;
    monitor_due_ = early_deaths_ < 2 ? now_ : grown_up_at;
  }
  if (early_deaths_ >= few_deaths) say_once(Notice::monitor_dies, 0);
  if (now_ < monitor_due_) return;
  monitor_due_ = now_ + options_.ping_interval;  // if the system refuses it now
  if (!start_monitor()) return;
  if (early_deaths_ >= few_deaths) return;
  said_.erase(Notice::monitor_dies);
  observer_.notice(Notice::monitor_replaced, monitor_.pid());
}

bool Node::start_monitor() {
  monitor_started_at_ = now_;
  try {
    monitor_.start();
  } catch (const SetupError&) {
    say_once(Notice::monitor_missing, 0);
    return false;
  }
  monitor_due_ = never;
  said_.erase(Notice::monitor_missing);
  return true;
}

void Node::publish_again() {
  if (registry_.is_kept(options_.id)) return static_cast<void>(said_.erase(Notice::cannot_publish));
  try {
    inbox_.listen_on(registry_.publish(options_.id, Directory::brief_lock_patience));
  } catch (const SetupError& error) {
    // The monitor reports it again.
    return say_once(Notice::cannot_publish, error.code().value());
  }
  said_.erase(Notice::cannot_publish);
  observer_.notice(Notice::published_again, 0);
  start_monitor();                // the new monitor checks the new name
  add(Started{.resumed = true});  // nodes that elected meanwhile could not reach this one
}

void Node::say_once(Notice notice, std::int64_t value) {
  std::set<std::int64_t>& said = said_[notice];
  if (said.size() < most_said && said.insert(value).second) observer_.notice(notice, value);
}

void Node::leave() {
  record({.node = options_.id, .event = TraceEvent::leave});
  observer_.flush();
  // The name first, while this node still listens: then no other process can take it over
  // meanwhile.
  registry_.withdraw(options_.id);
  inbox_.close_all();
  // The last node to leave removes the names of the dead. For a controlled node, the script
  // decides which processes are known.
  if (!options_.controlled) registry_.sweep_up_to_a_live_one();
}

}  // namespace bully
