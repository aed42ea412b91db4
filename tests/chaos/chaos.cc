// chaos.cc: real nodes under random faults, round after round (`make chaos`).
//
//   chaos [--rounds=N] [--nodes=N] [--seed=N] [--algorithm=NAME] [--keep]
//
// A round does one or several of: SIGKILL of the coordinator, of the highest few, of any node, of
// a monitor, of a node in mid-election; SIGSTOP for longer than every timeout, and SIGCONT;
// SIGTERM; a return under an old id, at once or later; a start of a new node; a burst of garbage; a
// stale socket. Then the faults stop, and all nodes must follow the highest within a bound that
// their options imply. When its rounds are over, a session's trace is judged by `bully check`, all
// leave, and nothing may be left: no process, no name; and its oldest node, which no fault ever
// hit, must hold no more descriptors and memory than at the start.
//
// Exit status: 0 all went well, 1 something did not (with the seed, and where the files are).
// Read next: ../support/arena.h.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iostream>
#include <random>
#include <set>

#include "node/unix_socket.h"
#include "support/arena.h"
#include "trace/json.h"
#include "trace/record.h"

namespace bully {
namespace {

using std::chrono::milliseconds;

// Shorter than the defaults, so that many rounds fit into an hour; but with many nodes an election
// takes longer, and timeouts must still be right.
struct Timing {
  milliseconds ping_interval;
  milliseconds ping_timeout;
  milliseconds answer_timeout;
  milliseconds coordinator_timeout;
  milliseconds crowd;  // by which each of these waits is longer

  explicit Timing(std::size_t nodes)
      : ping_interval(100 * factor(nodes)),
        ping_timeout(200 * factor(nodes)),
        answer_timeout(100 * factor(nodes)),
        coordinator_timeout(200 * factor(nodes)),
        crowd(std::chrono::ceil<milliseconds>(crowd_time(nodes))) {}

  static std::int64_t factor(std::size_t nodes) {
    return 1 + static_cast<std::int64_t>(nodes / 10);
  }
  milliseconds detection() const { return ping_interval + ping_timeout + crowd; }
  // Two coordinators may have to be found dead or hung, one after the other; then an election may
  // be in vain three times, each waiting twice as long as the one before and a quarter longer by
  // chance. Each of them waits for an answer and for a coordinator.
  milliseconds bound() const {
    return 2 * detection() + 3 * answer_timeout + 7 * coordinator_timeout * 5 / 4 + 6 * crowd;
  }
  // For longer than each of them.
  milliseconds stop() const { return 2 * detection(); }
};

// Traces of larger sessions would take too long to judge.
constexpr unsigned most_session_rounds = 1000;
constexpr unsigned session_messages = 8000;

constexpr NodeId witness = 1;  // the lowest id, and hit by no fault
constexpr NodeId most_id = 4'000'000;
// Connections that other nodes' monitors held are looked through each time 16 have gathered.
constexpr std::size_t more_descriptors = 16 + 2;
constexpr std::size_t more_kib = 1024;
constexpr Duration start_patience = std::chrono::seconds(60);

struct ChaosOptions {
  std::uint64_t rounds = 100;
  std::uint64_t nodes = 0;  // 0: each session draws its own
  std::uint64_t seed = 1;
  std::string algorithm = "bully";
  bool keep = false;
};

struct Tally {
  std::uint64_t rounds = 0;
  std::uint64_t agreed = 0;
  std::vector<std::int64_t> times_ms;
};

class Session {
 public:
  Session(const ChaosOptions& options, std::size_t nodes, std::uint64_t seed)
      : timing_(nodes),
        arena_({"--algorithm=" + options.algorithm,
                option("--ping-interval", timing_.ping_interval),
                option("--ping-timeout", timing_.ping_timeout),
                option("--answer-timeout", timing_.answer_timeout),
                option("--coordinator-timeout", timing_.coordinator_timeout)}),
        most_nodes_(nodes),
        random_(seed) {
    if (options.keep) arena_.keep_files();
    start(witness);
    while (arena_.nodes().size() < most_nodes_) start(new_id());
  }

  // All rounds, and what is to be seen at the end. What went wrong, or nothing.
  std::string run(std::uint64_t rounds, Tally& tally) {
    if (std::string wrong = await_agreement(nullptr); !wrong.empty()) return wrong;
    const auto at_first = arena_.holdings(witness);
    for (std::uint64_t i = 0; i < rounds; ++i) {
      ++tally.rounds;
      done_.clear();
      const int faults = 1 + static_cast<int>(below(3));
      for (int fault = 0; fault < faults; ++fault) one_fault();
      stop_the_faults();
      if (std::string wrong = await_agreement(&tally); !wrong.empty()) return wrong;
      ++tally.agreed;
    }
    if (std::string wrong = compare(at_first); !wrong.empty()) return wrong;
    if (std::string left = arena_.end(); !left.empty()) return "at the end" + left;
    return judge();
  }

  void keep_files() { arena_.keep_files(); }
  const std::string& path() const { return arena_.path(); }

 private:
  static std::string option(const char* name, milliseconds time) {
    return std::string(name) + '=' + std::to_string(time.count()) + "ms";
  }

  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

  NodeId new_id() {
    NodeId id = 0;
    do {
      id = 2 + below(most_id);
    } while (arena_.has(id) || !used_.insert(id).second);
    return id;
  }

  // --- Faults ---

  void start(NodeId id) {
    note("start", id);
    dead_.erase(id);
    arena_.start(
        id, {"--trace=" + arena_.trace(), below(2) == 0 ? "--detector=eof" : "--detector=ping"});
  }

  void kill(NodeId id) {
    if (id == witness || !arena_.has(id)) return;
    note("kill", id);
    stopped_.erase(id);
    arena_.kill(id);
    dead_.insert(id);
  }

  NodeId any_node() {
    const std::vector<NodeId> nodes = arena_.nodes();
    return nodes[below(nodes.size())];
  }
  NodeId highest() { return arena_.nodes().back(); }

  void one_fault() {
    const bool crowded = arena_.nodes().size() >= most_nodes_;
    const bool lonely = arena_.nodes().size() < 3;
    if (lonely || (!crowded && below(3) == 0)) return come();
    switch (below(10)) {
      case 0:
        return kill(highest());
      case 1:
        for (std::uint64_t k = 2 + below(3); k > 0; --k) kill(highest());
        return;
      case 2:
        return kill(any_node());
      case 3:
        return kill_a_monitor();
      case 4:
        return kill_in_mid_election();
      case 5:
        return stop(below(2) == 0 ? highest() : any_node());
      case 6:
        return leave(any_node());
      case 7:
        return replace_at_once(below(2) == 0 ? highest() : any_node());
      case 8:
        return throw_garbage(any_node());
      default:
        return plant_stale_socket();
    }
  }

  void come() {
    if (!dead_.empty() && below(2) == 0) {
      start(*std::next(dead_.begin(), static_cast<std::ptrdiff_t>(below(dead_.size()))));
    } else {
      start(new_id());
    }
  }

  void kill_a_monitor() {
    const NodeId id = any_node();
    note("kill the monitor of", id);
    arena_.kill_monitor(id);
  }

  void leave(NodeId id) {
    if (id == witness || stopped_.contains(id)) return;
    note("SIGTERM to", id);
    arena_.leave(id);
    dead_.insert(id);
  }

  void replace_at_once(NodeId id) {
    if (id == witness) return;
    kill(id);
    start(id);
  }

  void stop(NodeId id) {
    if (id == witness || stopped_.contains(id)) return;
    note("stop", id);
    arena_.stop(id);
    stopped_.insert(id);
  }

  // The coordinator dies; then the first node that is seen in the election that follows.
  void kill_in_mid_election() {
    std::ifstream trace(arena_.trace());
    trace.seekg(0, std::ios::end);
    kill(highest());
    wait_until(
        [&] {
          trace.clear();
          for (std::string line; std::getline(trace, line);) {
            const std::optional<NodeId> node = in_election(line);
            if (!node || *node == witness || !arena_.has(*node)) continue;
            kill(*node);
            return true;
          }
          return false;
        },
        timing_.detection());
  }

  // Whose line it is, if it says that this node is in an election now.
  static std::optional<NodeId> in_election(const std::string& line) {
    const std::optional<Json> json = parse_json(line);
    if (!json || (*json)["event"].text != trace_event_name(TraceEvent::state)) return std::nullopt;
    if (is_settled_state((*json)["state"].text)) return std::nullopt;
    return (*json)["node"].as_unsigned();
  }

  void throw_garbage(NodeId id) {
    note("garbage to", id);
    const std::string path = arena_.directory() + '/' + std::to_string(id);
    for (int i = 0; i < 200; ++i) {
      const Connection connection = connect_to(path);
      if (connection.reach != Reach::reached) continue;
      std::string bytes(below(300), '\0');
      for (char& byte : bytes) byte = static_cast<char>(below(256));
      send_once(connection.descriptor, bytes);
    }
  }

  // The name of a process that died at once.
  void plant_stale_socket() {
    const NodeId id = new_id();
    note("a stale socket", id);
    listen_at(arena_.directory() + '/' + std::to_string(id));  // and closed as soon as it is open
  }

  // Whoever was stopped goes on, after longer than every timeout.
  void stop_the_faults() {
    if (stopped_.empty()) return;
    poll(nullptr, 0, static_cast<int>(timing_.stop().count()));
    for (const NodeId id : stopped_) arena_.resume(id);
    stopped_.clear();
  }

  void note(const char* what, NodeId id) {
    done_ += std::string(done_.empty() ? "" : ", ") + what + ' ' + std::to_string(id);
  }

  // --- Verdicts ---

  std::string await_agreement(Tally* tally) {
    const Time begin = monotonic_now();
    const auto agree = [this] { return !arena_.disagreement(); };
    const bool first = tally == nullptr;  // they start, which the bound does not speak of
    if (!wait_until(agree, first ? start_patience : Duration(timing_.bound()))) {
      return "no agreement within " + std::to_string(timing_.bound().count()) +
             " ms after: " + done_ + "\n  " + arena_.disagreement().value_or("they agree only now");
    }
    if (!first) tally->times_ms.push_back((monotonic_now() - begin) / milliseconds(1));
    return "";
  }

  std::string compare(const std::optional<Holdings>& at_first) {
    if (!at_first) return "";  // this system does not tell
    std::optional<Holdings> now;
    const bool same = wait_until([&] {
      now = arena_.holdings(witness);
      return now->descriptors <= at_first->descriptors + more_descriptors &&
             now->resident_kib <= at_first->resident_kib + more_kib;
    });
    if (same) return "";
    return "the oldest node holds " + std::to_string(now->descriptors) + " descriptors and " +
           std::to_string(now->resident_kib) + " KiB, at first " +
           std::to_string(at_first->descriptors) + " and " + std::to_string(at_first->resident_kib);
  }

  // Only what is shown to be wrong counts: a killed node's trace may leave a question open.
  std::string judge() {
    Program check{.arguments = {"check", arena_.trace()},
                  .output = arena_.path() + "/verdict",
                  .errors = arena_.path() + "/verdict"};
    constexpr int violated = 1;
    const Outcome outcome = wait_for_end(spawn(check));
    if (outcome.exit_code != violated && outcome.signal == 0) return "";
    return "the trace is judged to be wrong: see " + check.output;
  }

  Timing timing_;
  Arena arena_;
  std::size_t most_nodes_;
  std::mt19937_64 random_;
  std::set<NodeId> used_;
  std::set<NodeId> dead_;
  std::set<NodeId> stopped_;
  std::string done_;  // in this round, for whoever has to find out what went wrong
};

std::uint64_t number_of(std::string_view text, std::string_view what) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  std::cerr << "chaos: " << what << " needs a number, not '" << text << "'\n";
  exit(2);
}

ChaosOptions parse(int argc, char** argv) {
  ChaosOptions options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view given = argv[i];
    const std::string_view name = given.substr(0, given.find('='));
    const std::string_view value = name == given ? "" : given.substr(name.size() + 1);
    if (name == "--rounds") {
      options.rounds = number_of(value, name);
    } else if (name == "--nodes") {
      options.nodes = number_of(value, name);
    } else if (name == "--seed") {
      options.seed = number_of(value, name);
    } else if (name == "--algorithm") {
      options.algorithm = value;
    } else if (name == "--keep") {
      options.keep = true;
    } else {
      std::cerr << "chaos: unknown option " << given << '\n';
      exit(2);
    }
  }
  return options;
}

void report(const Tally& tally, const ChaosOptions& options) {
  std::vector<std::int64_t> times = tally.times_ms;
  std::sort(times.begin(), times.end());
  std::cout << "seed " << options.seed << ", " << options.algorithm << ": " << tally.rounds
            << " rounds, " << tally.agreed << " agreements";
  if (!times.empty()) {
    std::cout << "; median " << times[times.size() / 2] << " ms, 99 % "
              << times[times.size() * 99 / 100] << " ms, worst " << times.back() << " ms";
  }
  std::cout << std::endl;
}

int run(const ChaosOptions& options) {
  constexpr std::array<std::size_t, 7> sizes = {3, 5, 8, 12, 20, 34, 64};
  std::mt19937_64 random(options.seed);
  Tally tally;
  while (tally.rounds < options.rounds) {
    const std::size_t nodes = options.nodes != 0 ? options.nodes : sizes[random() % sizes.size()];
    const std::uint64_t most =
        std::min<std::uint64_t>(most_session_rounds, session_messages / nodes);
    const std::uint64_t rounds = std::min(most, options.rounds - tally.rounds);
    const std::uint64_t seed = random();
    Session session(options, nodes, seed);
    const std::string wrong = session.run(rounds, tally);
    std::cout << nodes << " nodes at most, bound " << Timing(nodes).bound().count() << " ms: ";
    report(tally, options);
    if (wrong.empty()) continue;
    session.keep_files();
    std::cout << "FAILED: " << wrong << "\nsee " << session.path()
              << "; once more with --seed=" << options.seed << " --rounds=" << options.rounds
              << " --nodes=" << options.nodes << std::endl;
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace bully

int main(int argc, char** argv) {
  try {
    return bully::run(bully::parse(argc, argv));
  } catch (const std::exception& error) {
    std::cerr << "chaos: " << error.what() << '\n';
    return 1;
  }
}
