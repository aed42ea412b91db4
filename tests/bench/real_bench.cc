// How fast real nodes elect, and what they cost, beside what the machine itself takes for the work.
//
//   real_bench [FIGURE...]     by default all; FIGURE is a word of the first column
//
// Each figure is a ratio to a floor (../support/floors.h) that was measured in the same run: the
// median of five or more, with the least and the most. It exits with 1 where a bar is missed.
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <sstream>

#include "election/algorithm.h"
#include "election/bully.h"
#include "node/beyond_posix.h"
#include "node/directory.h"
#include "node/system.h"
#include "support/arena.h"
#include "support/floors.h"
#include "support/timed_election.h"

namespace bully {
namespace {

using std::chrono::milliseconds;

struct Sample {
  std::vector<double> values;
  double median() {
    std::ranges::sort(values);
    return values[values.size() / 2];
  }
};

bool all_well = true;

// One line of the table. `most`: whether the bar is the most that it may be, or the least.
void row(const char* figure, Sample sample, const char* unit, double bar, bool most) {
  const double median = sample.median();
  const bool well = most ? median <= bar : median >= bar;
  all_well = all_well && well;
  std::printf("%-36s %8.2f %-5s %8.2f … %-8.2f %s %-6.2f %s\n", figure, median, unit,
              sample.values.front(), sample.values.back(), most ? "<=" : ">=", bar,
              well ? "met" : "MISSED");
  std::fflush(stdout);
}

// --- Elections ---

void few_at_once() {
  Sample sample;
  Sample told;
  Arena arena({"--detector=eof"});
  for (const Traced& election : traced_elections(arena, 9, 21)) {
    sample.values.push_back(election.last_follows * 1000);
    told.values.push_back(election.first_told * 1000);
  }
  row("elect-9: SIGKILL to all follow", sample, "ms", 2, true);
  std::printf("%36s %.2f ms until the first is told; of an idle process's death, %.2f ms\n",
              "of it", told.median(), Sample{bare_deaths(21)}.median() * 1000);
}

// The floor is what the worst case takes, in which all detect before any hears COORDINATOR.
void many_at_once(NodeId nodes, int runs, const char* name) {
  const auto most = static_cast<double>(election_total(bully_algorithm().bound(nodes)));
  Sample exchanged;  // beside as many messages that bare processes send to each other
  Sample awake;      // beside messages to one process that is awake
  Sample messages;
  Arena arena({"--detector=eof"});
  start_all(arena, nodes);
  for (int run = 0; run < runs; ++run) {
    all_follow(arena, nodes);
    const double floor = bare_message(arena.path(), 100'000);
    const double exchange = bare_exchange(arena.path(), static_cast<int>(nodes));
    const Untraced election = untraced_election(arena, nodes);
    awake.values.push_back(election.time / (floor * most));
    exchanged.values.push_back(election.time / (exchange * most));
    messages.values.push_back(election.messages);
    arena.start(nodes);
  }
  row(name, exchanged, "x", 1.25, true);
  std::printf("%36s %.2f x (median) beside messages to one process that is awake;\n", "",
              awake.median());
  const double usual = messages.median();
  std::printf("%36s %.0f messages (median), at most %.0f; in the worst case %.0f\n", "", usual,
              messages.values.back(), most);
}

void by_ping(NodeId nodes, const char* name) {
  Sample sample;
  Arena arena({});
  const double half_interval = 0.5;
  for (const Traced& election : traced_elections(arena, nodes, 7)) {
    sample.values.push_back(election.last_follows / half_interval);
  }
  row(name, sample, "x", 1.5, true);
}

void start_of_many() {
  constexpr int nodes = 1000;
  Sample asleep;  // beside messages to as many processes, each of which has to be woken for its own
  Sample awake;   // beside messages to one process
  for (int run = 0; run < 5; ++run) {
    Arena arena({});
    const double processes = bare_processes(nodes);
    const double message = bare_message(arena.path(), 100'000);
    const double waking = bare_message(arena.path(), 100'000, nodes);
    const Time begin = monotonic_now();
    start_and_agree(arena, nodes);
    const double took = seconds_of(monotonic_now() - begin);
    const auto messages = static_cast<double>(messages_of(arena));
    awake.values.push_back(took / (processes + message * messages));
    asleep.values.push_back(took / (processes + waking * messages));
  }
  row("start-1000: fork to all follow", asleep, "x", 1.25, true);
  std::printf("%36s %.2f x (median) beside messages to one process that is awake\n", "",
              awake.median());
}

// The coordinator and the ten highest below it die at once.
void ten_highest_of_many() {
  constexpr NodeId nodes = 1000;
  Arena arena({"--detector=eof"});
  start_and_agree(arena, nodes);
  const double message = bare_message(arena.path(), 100'000);
  const std::uint64_t before = messages_of(arena);
  const Time begin = monotonic_now();
  std::vector<NodeId> highest;
  for (NodeId id = nodes; id >= nodes - 10; --id) highest.push_back(id);
  arena.kill(highest);
  all_follow(arena, nodes - 11);
  const double took = seconds_of(monotonic_now() - begin);
  const auto messages = static_cast<double>(messages_of(arena)) - static_cast<double>(before);
  std::printf("%-36s %8.2f s, %.0f messages or more, %.2f s at the bare rate\n",
              "highest-11 of 1000 die at once", took, messages, messages * message);
}

// --- What idle nodes cost ---

// What it shares with others is divided among them.
std::uint64_t pss_kib_of(pid_t pid) {
  return kib_in("/proc/" + std::to_string(pid) + "/smaps_rollup", "Pss:");
}

double pair_kib(pid_t parent) {
  std::uint64_t kib = pss_kib_of(parent);
  for (const ProcessEntry& child : children_of(parent)) kib += pss_kib_of(child.pid);
  return static_cast<double>(kib);
}

void memory(const char* program, NodeId nodes, const char* name) {
  Sample sample;
  for (int run = 0; run < 5; ++run) {
    Arena arena({});
    start_and_agree(arena, nodes);
    const pid_t idle = idle_pair(program);
    const double floor = pair_kib(idle);
    const double node = pair_kib(arena.pid_of(2));
    kill(idle, SIGKILL);
    waitpid(idle, nullptr, 0);
    if (floor == 0) {
      std::puts("memory: this system does not tell");
      return;
    }
    sample.values.push_back(node / floor);
  }
  row(name, sample, "x", 1.3, true);
}

// Where the scheduler keeps count, nanoseconds on a processor: more exact than ticks.
double cpu_seconds_of(pid_t pid) {
  std::istringstream schedstat(contents("/proc/" + std::to_string(pid) + "/schedstat"));
  double ns = 0;
  if (schedstat >> ns) return ns * 1e-9;
  const auto state = process_state(pid);
  return state ? seconds_of(state->processor) : 0;
}

void idle_cpu() {
  constexpr NodeId nodes = 100;
  constexpr double duration_s = 10;
  Arena arena({});
  start_and_agree(arena, nodes);
  std::vector<pid_t> pids;
  for (const NodeId id : arena.nodes()) {
    pids.push_back(arena.pid_of(id));
    for (const ProcessEntry& child : children_of(arena.pid_of(id))) pids.push_back(child.pid);
  }
  const auto used = [&] {
    double all = 0;
    for (const pid_t pid : pids) all += cpu_seconds_of(pid);
    return all;
  };
  Sample sample;
  for (int run = 0; run < 5; ++run) {
    const double floor = bare_ping_cpu(arena.path(), nodes, 1, duration_s);
    const double before = used();
    poll(nullptr, 0, static_cast<int>(duration_s * 1000));
    sample.values.push_back((used() - before) / duration_s / floor);
  }
  row("idle: CPU of 100 nodes", sample, "x", 1.5, true);
}

// --- Under load ---

// A child that sends pings to node `id` as fast as it can.
Child pinging(const Arena& arena, NodeId id) {
  return Child([path = arena.directory() + '/' + std::to_string(id)] {
    while (true) {
      const Connection connection = connect_to(path);
      if (connection.reach == Reach::reached) send_once(connection.descriptor, "1;12345678");
    }
  });
}

// How many pings a second reach node 3 in a flood. At its end, `meanwhile` happens.
double served_rate(
    const Arena& arena, double duration_s, const std::function<void()>& meanwhile = [] {}) {
  // It has a place for our question now and then only.
  const auto pings = [&] {
    std::optional<NodeStatus> status;
    wait_until([&] { return (status = arena.ask(3)).has_value(); }, very_patient);
    return status ? static_cast<double>(status->received.of(messages::ping)) : 0;
  };
  const Child flood = pinging(arena, 3);
  const double before = pings();
  const Time begin = monotonic_now();
  poll(nullptr, 0, static_cast<int>(duration_s * 1000));
  const double rate = (pings() - before) / seconds_of(monotonic_now() - begin);
  meanwhile();
  return rate;
}

void pings_served() {
  constexpr double duration_s = 2;
  Sample sample;
  Arena arena({"--answer-timeout=500ms"});
  start_and_agree(arena, 3);
  for (int run = 0; run < 5; ++run) {
    const double floor = bare_served(arena.path(), duration_s);
    bool in_time = false;
    const double rate = served_rate(arena, duration_s, [&] {
      // An election in the midst of it: a node comes back, and must hear in time who is
      // coordinator.
      arena.kill(1);
      const Time again = monotonic_now();
      arena.start(1);
      all_follow(arena, 3);
      in_time = monotonic_now() - again < milliseconds(500);
    });
    sample.values.push_back(in_time ? rate / floor : 0);
  }
  row("pings served, elections in time", sample, "x", 0.7, false);
}

// --- With a stand-in on each name ---

// The time from a ping to its reply, in microseconds: the median of many.
double reply_time_us(const std::string& path) {
  std::vector<double> times;
  for (int i = 0; i < 2000; ++i) {
    const Time begin = monotonic_now();
    const Connection connection = connect_to(path);
    if (connection.reach != Reach::reached) continue;
    send_question(connection.descriptor, "1;12345678");
    pollfd polled{connection.descriptor.get(), POLLIN, 0};
    poll(&polled, 1, -1);
    times.push_back(seconds_of(monotonic_now() - begin) * 1e6);
  }
  std::ranges::sort(times);
  return times.at(times.size() / 2);
}

void with_stand_ins() {
  constexpr double duration_s = 2;
  Arena arena({});
  start_and_agree(arena, 3);
  const std::string path = arena.directory() + "/3";
  Sample message;
  Sample flood;
  for (int run = 0; run < 5; ++run) {
    const double direct_us = reply_time_us(path);
    Child recorder({.arguments = {"record", "--quiet", "--dir=" + arena.directory()}});
    wait_until([&] { return contains(contents("/proc/net/unix"), arena.directory() + ".aside"); },
               very_patient);
    message.values.push_back(reply_time_us(path) - direct_us);
    const double before_s = cpu_seconds_of(recorder.pid());
    const double pings = duration_s * served_rate(arena, duration_s);
    flood.values.push_back(pings / (cpu_seconds_of(recorder.pid()) - before_s));
    recorder.end_by(SIGINT);
  }
  row("stand-in: added to a ping's reply", message, "us", 200, true);
  row("stand-in: pings a CPU passes on", flood, "/s", 35'000, false);
}

}  // namespace

int run_benchmarks(int argc, char** argv) {
  const std::vector<std::pair<const char*, std::function<void()>>> figures = {
      {"elect-9", few_at_once},
      {"elect-100", [] { many_at_once(100, 7, "elect-100: all may detect at once"); }},
      {"elect-1000", [] { many_at_once(1000, 5, "elect-1000: all may detect at once"); }},
      {"ping-9", [] { by_ping(9, "ping-9: the default detector"); }},
      {"ping-100", [] { by_ping(100, "ping-100: the default detector"); }},
      {"start-1000", start_of_many},
      {"highest-11", ten_highest_of_many},
      {"memory-3", [&] { memory(argv[0], 3, "memory-3: PSS of one of 3 idle nodes"); }},
      {"memory-50", [&] { memory(argv[0], 50, "memory-50: of one of 50"); }},
      {"idle", idle_cpu},
      {"served", pings_served},
      {"stand-in", with_stand_ins},
  };
  std::printf("%-36s %8s %-5s %19s %9s\n", "figure", "median", "", "least … most", "bar");
  for (const auto& [name, measure] : figures) {
    const auto is_named = [&, wanted = name](const char* given) {
      return std::strcmp(given, wanted) == 0;
    };
    if (argc == 1 || std::any_of(argv + 1, argv + argc, is_named)) measure();
  }
  return all_well ? 0 : 1;
}

}  // namespace bully

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  if (argc == 2 && std::strcmp(argv[1], "--idle-pair") == 0) bully::be_idle_pair();
  bully::guard_this_program();
  return bully::run_benchmarks(argc, argv);
}
