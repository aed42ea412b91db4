#include "chaos/faults.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "base/json.h"
#include "election/algorithm.h"
#include "election/bully.h"
#include "node/system.h"
#include "support/names.h"
#include "trace/trace.h"

namespace bully {

namespace {

constexpr NodeId max_id = 4'000'000;
// Fakes may be above all nodes.
constexpr NodeId max_fake_id = 5'000'000;

// Now and then fakes stay so long that what nodes wait for them, ever longer, exceeds the bound.
constexpr std::uint64_t long_life = 16;  // times the wait for a COORDINATOR, up to one and a half

// Whose line it is, if it says that this node is in an election now.
std::optional<NodeId> in_election(const std::string& line) {
  const std::optional<Json> json = parse_json(line);
  if (!json || (*json)["event"].text != fields_of(TraceEvent::state).name) return std::nullopt;
  if (is_settled((*json)["state"].text)) return std::nullopt;
  return (*json)["node"].as_unsigned();
}

}  // namespace

struct Faults::Fault {
  std::string_view name;
  unsigned weight;
  void (Faults::*commit)();
};

const std::vector<Faults::Fault>& Faults::table() {
  static const std::vector<Fault> faults = {
      {"kill-highest", 2, &Faults::kill_highest},
      {"kill-several", 1, &Faults::kill_several},
      {"kill-any", 1, &Faults::kill_any},
      {"kill-monitor", 1, &Faults::kill_a_monitor},
      {"kill-in-election", 1, &Faults::kill_in_mid_election},
      {"stop", 2, &Faults::stop_one},
      {"stop-monitor", 2, &Faults::stop_monitors},
      {"stop-group", 2, &Faults::stop_groups},
      {"leave", 1, &Faults::leave},
      {"return", 2, &Faults::replace_at_once},
      {"garbage", 1, &Faults::throw_garbage},
      {"fake", 3, &Faults::send_in_liars},
      {"terminal", 2, &Faults::start_in_unread_terminal},
      {"limit", 1, &Faults::start_with_few_descriptors},
      {"stale-names", 1, &Faults::plant_stale_names},
      {"odd-names", 1, &Faults::plant_odd_names},
  };
  return faults;
}

std::vector<std::string_view> Faults::names() {
  std::vector<std::string_view> names;
  for (const Fault& fault : table()) names.push_back(fault.name);
  return names;
}

Faults::Faults(Arena& arena, const Algorithm& algorithm, const Timing& timing,
               std::size_t max_nodes, const FaultNames& chosen, std::uint64_t seed)
    : arena_(arena),
      algorithm_(algorithm),
      timing_(timing),
      max_nodes_(max_nodes),
      chosen_(chosen),
      random_(seed) {}

bool Faults::is_chosen(std::string_view name) const {
  return chosen_.empty() || chosen_.contains(name);
}

void Faults::begin() {
  start(witness);
  while (arena_.nodes().size() < max_nodes_) start(new_id());
}

void Faults::strike() {
  done_.clear();
  wrong_.clear();
  fresh_.clear();
  for (std::uint64_t faults = 1 + below(3); faults > 0; --faults) one_fault();
}

void Faults::one_fault() {
  const bool crowded = arena_.nodes().size() >= max_nodes_;
  const bool lonely = arena_.nodes().size() < 3;
  if (lonely || (!crowded && one_in(3))) return come();
  unsigned all = 0;
  for (const Fault& fault : table()) all += is_chosen(fault.name) ? fault.weight : 0;
  auto drawn = below(all);
  for (const Fault& fault : table()) {
    const unsigned weight = is_chosen(fault.name) ? fault.weight : 0;
    if (drawn < weight) return (this->*fault.commit)();
    drawn -= weight;
  }
}

// Whoever was stopped goes on, after longer than every timeout: the node itself. A monitor stays
// stopped, as it does where somebody continues one process of a stopped job.
void Faults::stop() {
  const Time stopped_until =
      stopped_.empty() ? Time(0) : monotonic_now() + Duration(timing_.stop());
  const Time until = std::max(stopped_until, fakes_.empty() ? Time(0) : fakes_until_);
  poll(nullptr, 0, poll_timeout(until, monotonic_now()));
  for (const NodeId id : stopped_) arena_.resume(id);
  stopped_.clear();
  fakes_.clear();
}

NodeId Faults::new_id() {
  NodeId id = 0;
  do {
    id = 2 + below(max_id);
  } while (!used_.insert(id).second);
  return id;
}

NodeId Faults::any_node() {
  const std::vector<NodeId> nodes = arena_.nodes();
  return nodes[below(nodes.size())];
}

// --- Nodes come ---

void Faults::start(NodeId id, const Surroundings& surroundings) {
  note("start", id);
  dead_.erase(id);
  fresh_.insert(id);
  arena_.start(id, {"--trace=" + arena_.trace(), one_in(2) ? "--detector=eof" : "--detector=ping"},
               surroundings);
}

void Faults::come() {
  if (!dead_.empty() && one_in(2)) {
    start(*std::next(dead_.begin(), static_cast<std::ptrdiff_t>(below(dead_.size()))));
  } else {
    start(new_id());
  }
}

void Faults::make_room() {
  while (arena_.nodes().size() >= max_nodes_) kill(any_node());
}

void Faults::replace_at_once() {
  const NodeId id = highest_or_any();
  if (!is_hittable(id)) return;
  kill(id);
  start(id);
}

void Faults::start_in_unread_terminal() {
  make_room();
  note("an unread terminal");
  start(new_id(), {.is_unread = true, .is_full = one_in(2)});
}

// It carries what it is given, or says that it cannot.
void Faults::start_with_few_descriptors() {
  make_room();
  const NodeId id = new_id();
  const std::size_t descriptors = 4 + below(40);
  note("descriptors:", descriptors);
  start(id, {.descriptors = descriptors});
  const std::optional<std::string> refusal = arena_.refusal(id);
  if (!refusal) return;
  note("refused", id);
  if (contains(*refusal, "ulimit -n")) return;
  wrong_ += " with " + std::to_string(descriptors) + " descriptors it says: " + *refusal;
}

// --- Nodes go ---

void Faults::kill(NodeId id) {
  if (!is_hittable(id)) return;
  note("kill", id);
  stopped_.erase(id);
  arena_.kill(id);
  dead_.insert(id);
}

void Faults::kill_several() {
  for (std::uint64_t k = 2 + below(3); k > 0; --k) kill(highest());
}

// The coordinator dies; then the first node that is seen in the election that follows.
void Faults::kill_in_mid_election() {
  std::ifstream trace(arena_.trace());
  trace.seekg(0, std::ios::end);
  kill(highest());
  wait_until(
      [&] {
        trace.clear();
        for (std::string line; std::getline(trace, line);) {
          const std::optional<NodeId> node = in_election(line);
          if (!node || !is_hittable(*node)) continue;
          kill(*node);
          return true;
        }
        return false;
      },
      timing_.detection());
}

void Faults::leave() {
  const NodeId id = any_node();
  if (!is_hittable(id) || stopped_.contains(id)) return;
  note("SIGTERM to", id);
  const Outcome outcome = arena_.leave(id);
  // One that has just been started may not know yet what to do about it.
  const bool unprepared = outcome.signal == SIGTERM && fresh_.contains(id);
  if (outcome.exit_code != 0 && !unprepared) {
    wrong_ += ' ' + std::to_string(id) + " did not leave in peace";
  }
  dead_.insert(id);
}

// --- Processes are hindered ---

void Faults::stop_one() {
  const NodeId id = highest_or_any();
  if (!is_hittable(id) || stopped_.contains(id)) return;
  note("stop", id);
  arena_.stop(id);
  stopped_.insert(id);
}

void Faults::kill_a_monitor() {
  const NodeId id = any_node();
  note("kill the monitor of", id);
  arena_.kill_monitor(id);
}

// One, or all; and then there may be something to see. Nobody continues them.
void Faults::stop_monitors() {
  const NodeId one = highest_or_any();
  const bool all = one_in(2);
  for (const NodeId id : arena_.nodes()) {
    if (!all && id != one) continue;
    note("stop the monitor of", id);
    arena_.stop_monitor(id);
  }
  if (one_in(2)) kill(highest());
}

// As Ctrl-Z does. Then the parent alone is continued, or dies.
void Faults::stop_groups() {
  for (std::uint64_t k = one_in(2) ? 1 : below(4); k > 0; --k) {
    const NodeId id = highest_or_any();
    if (!is_hittable(id) || stopped_.contains(id)) continue;
    note("stop the group of", id);
    arena_.stop(id);
    arena_.stop_monitor(id);
    stopped_.insert(id);
    if (one_in(3)) kill(id);
  }
}

// --- The directory and the wire ---

void Faults::throw_garbage() {
  const NodeId id = any_node();
  note("garbage to", id);
  for (int i = 0; i < 200; ++i) {
    const Connection connection = connect_to(name_of(id));
    if (connection.reach != Reach::reached) continue;
    std::string bytes(below(300), '\0');
    for (char& byte : bytes) byte = static_cast<char>(below(256));
    send_once(connection.descriptor, bytes);
  }
}

// Half of them go on lying for longer than every timeout, after the last fault of the round.
void Faults::send_in_liars() {
  Duration life = one_in(2) ? timing_.stop() : milliseconds(0);
  const bool promises = one_in(16);
  if (promises) life = timing_.coordinator_timeout * (long_life + below(long_life / 2));
  fakes_until_ = std::max(fakes_until_, monotonic_now() + life);
  for (std::uint64_t k = 1 + below(3); k > 0; --k) send_in_one_liar(life, promises);
  if (one_in(2)) kill(highest());
}

void Faults::send_in_one_liar(Duration life, bool promises) {
  using Reply = Lies::Reply;
  Lies lies{.ping = static_cast<Reply>(below(5)),
            .status = static_cast<Reply>(below(5)),
            .news = static_cast<Lies::News>(one_in(2) ? 0 : 1 + below(2)),
            .answers = one_in(2),
            .accepts = !one_in(8),
            .leaves = one_in(2)};
  if (one_in(2)) lies.life = Duration(below(static_cast<std::uint64_t>(life.count()) + 1));
  if (promises) {
    lies = {.ping = lies.ping, .status = lies.status, .answers = true};
    if (lies.ping == Reply::silence) lies.ping = Reply::another;
  }
  lies.dead = dead_.empty() ? new_id() : *dead_.rbegin();
  // Whoever closes without a word is taken for the coursework's example, and that speaks bully.
  const bool is_like_example = algorithm_.speaks(messages::election);
  if (!is_like_example && lies.status == Reply::close) lies.status = Reply::garbage;
  NodeId id = one_in(2) ? max_id + below(max_fake_id - max_id) : new_id();
  if (one_in(16)) id = 0;
  used_.insert(id);
  note("a fake (" + words_of(lies) + ") as", id);
  fakes_.push_back(std::make_unique<Fake>(arena_.directory(), id, lies, algorithm_, random_()));
}

// Names of processes that died at once. Of earlier ones, none is left: so there are never more.
void Faults::plant_stale_names() {
  for (const NodeId id : stale_names_) unlink(name_of(id).c_str());
  stale_names_.clear();
  std::uint64_t names = one_in(2) ? 1 : 20;
  if (one_in(8)) names = 400;
  note("stale names:", names);
  for (; names > 0; --names) {
    stale_names_.push_back(new_id());
    leave_dead_name(name_of(stale_names_.back()));
  }
}

// What else a name can be. None of these is a node, and nobody but us may remove it.
void Faults::plant_odd_names() {
  constexpr std::array<const char*, 4> texts = {"notes.txt", "-5", "007", "99999999999999999999"};
  const std::string path = arena_.directory() + '/' +
                           (one_in(4) ? texts.at(below(texts.size())) : std::to_string(new_id()));
  if (odd_names_.contains(path)) return;
  note("an odd name, " + path);
  Descriptor held;
  switch (below(5)) {
    case 0: held = bind_at(path, SOCK_DGRAM); break;
    case 1: mkdir(path.c_str(), S_IRWXU); break;
    case 2: mkfifo(path.c_str(), S_IRWXU); break;
    case 3:
      if (symlink("/nowhere/at/all", path.c_str()) != 0) return;
      break;
    default: std::ofstream(path) << "1;2;3";
  }
  odd_names_.emplace(path, std::move(held));
}

bool Faults::tidy_up() {
  bool all_there = true;
  for (const auto& [path, held] : odd_names_) all_there = ::remove(path.c_str()) == 0 && all_there;
  odd_names_.clear();
  return all_there;
}

// --- What is said of it ---

void Faults::note(const std::string& what) {
  done_ += (done_.empty() ? "" : ", ") + what;
}

void Faults::note(const std::string& what, NodeId id) {
  note(what + ' ' + std::to_string(id));
}

}  // namespace bully
