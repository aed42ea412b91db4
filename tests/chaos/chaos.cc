// chaos.cc: real nodes under random faults, round after round (`make chaos`).
//
//   chaos [--rounds=N] [--minutes=N] [--session=N] [--nodes=N] [--seed=N] [--algorithm=NAME]
//         [--faults=NAME,…] [--pace=MS] [--keep] [--record]
//
// A round does one to three things out of faults.cc, all of them where --faults does not choose:
//   kill-highest, kill-several, kill-any, kill-monitor, kill-in-election: SIGKILL
//   stop: SIGSTOP for longer than every timeout, then SIGCONT
//   stop-monitor: SIGSTOP of one monitor, or all, for good
//   stop-group: SIGSTOP of node and monitor; then SIGCONT, or SIGKILL, of the node alone
//   leave: SIGTERM        return: SIGKILL, and another node under the same id at once
//   terminal: a node that logs to a terminal which nobody reads
//   limit: a node with few descriptors
//   fake: processes that have a name among the nodes, and lie
//   garbage: a burst of it to one node
//   stale-names, odd-names: in the directory, of sockets that are dead, or of what is no socket
// Then the faults stop: the stopped go on, the fakes die. What may last lasts: names, stopped
// monitors, unread terminals, limits. All nodes must follow the highest of them within a bound that
// their options imply, and no monitor may be there without its node. When its rounds are over, a
// session's trace is judged by `bully check`, all leave, and nothing may be left: no process, no
// name; and its oldest node must hold no more descriptors and memory than at the start.
//
// It goes on for 100 rounds, or as many as --rounds says; or, if --minutes is given, for that time.
// New nodes take over after each session: a fifth of the rounds, 1000 at most, or as many as
// --session says. Each fifth session is in slow motion, of 1 to 50 ms; or all, as --pace says.
//
// With --record a recorder stands on all links meanwhile. Then nothing else may change, no node may
// say that its socket had been removed, and the record and the nodes' own traces must name the same
// messages. Those that lie, fake and garbage, write no traces, and are left out unless --faults
// names them, as --faults=honest leaves them out.
//
// Exit status: 0 all went well, 1 something did not (with the seed, and where the files are).
// Read next: faults.h.
#include <signal.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <tuple>

#include "base/json.h"
#include "chaos/faults.h"
#include "trace/trace.h"
#include "words/words.h"

namespace bully {
namespace {

// Traces of larger sessions would take too long to judge.
constexpr unsigned max_session_rounds = 1000;
constexpr unsigned session_messages = 8000;
constexpr unsigned max_pace_ms = 50;
constexpr std::uintmax_t max_trace_bytes = 32'000'000;

// Connections that other nodes' monitors held are looked through each time 16 have gathered.
constexpr std::size_t more_descriptors = 16 + 2;
// The address sanitizer keeps freed memory for a while, to find its later uses.
constexpr std::size_t more_kib = is_sanitized ? 64 * 1024 : 1024;
constexpr Duration start_patience = std::chrono::seconds(60);
// Of `bully check`.
constexpr int exit_code_right = 0;
constexpr int exit_code_violated = 1;
constexpr int exit_code_unknown = 2;
constexpr Duration judging_patience = std::chrono::minutes(10);
// A message that is sent to a process this soon after its start may go past the recorder.
constexpr Duration first_moments = std::chrono::seconds(1);

struct ChaosOptions {
  std::uint64_t rounds = 100;
  std::uint64_t minutes = 0;                   // 0: for those rounds
  std::uint64_t session = max_session_rounds;  // at most
  std::uint64_t nodes = 0;                     // 0: each session draws its own
  std::uint64_t seed = 1;
  const Algorithm* algorithm = &default_algorithm();
  std::optional<std::uint64_t> pace;  // in ms; nothing: each fifth session draws its own
  FaultNames faults;
  bool keep = false;
  bool record = false;
};

struct Tally {
  std::uint64_t rounds = 0;
  std::uint64_t agreed = 0;
  std::vector<std::int64_t> times_ms;
  // Sessions of which the trace was judged; and of these, those of which nothing stays in doubt.
  std::uint64_t judged = 0;
  std::uint64_t right = 0;
  std::map<std::string, std::uint64_t> doubts = {};  // by reason: the sessions that it leaves open
  std::uint64_t recorded = 0;                        // messages that the nodes' traces name as well
};

// Messages, each with the number of those that are alike.
using Messages = std::map<std::tuple<std::string_view, NodeId, NodeId, std::uint64_t>, int>;
Messages::key_type name_of(const Record& record) {
  return {record.type->code, record.from, record.to, record.number.value_or(0)};
}

// A liar can take processes out of a list that goes round: then a lower one wins, as the judge
// says, and no node is at fault.
bool may_be_fooled(const ChaosOptions& options) {
  const auto lies = [&](const char* name) { return options.faults.contains(name); };
  const auto has_list = [](const MessageType& type) { return type->list != nullptr; };
  return (options.faults.empty() || lies("fake") || lies("garbage")) &&
         std::ranges::any_of(options.algorithm->messages, has_list);
}

class Session {
 public:
  Session(const ChaosOptions& options, std::size_t nodes, milliseconds pace, std::uint64_t seed)
      : timing_(nodes, pace),
        arena_({"--algorithm=" + std::string(options.algorithm->name),
                option("--ping-interval", timing_.ping_interval),
                option("--ping-timeout", timing_.ping_timeout),
                option("--answer-timeout", timing_.answer_timeout),
                option("--coordinator-timeout", timing_.coordinator_timeout),
                option("--pace", timing_.pace)}),
        faults_(arena_, *options.algorithm, timing_, nodes, options.faults, seed),
        may_be_fooled_(may_be_fooled(options)) {
    if (options.keep) arena_.keep_files();
    if (options.record) record(*options.algorithm);
    faults_.begin();
  }

  // All rounds, or fewer where the trace grows long or it is `end`, and what is to be seen at the
  // end. What went wrong, or nothing.
  std::string run(std::uint64_t rounds, Time end, Tally& tally) {
    if (std::string wrong = await_agreement(nullptr); !wrong.empty()) return wrong;
    const auto at_first = arena_.holdings(witness);
    for (std::uint64_t i = 0; i < rounds && !is_trace_long() && monotonic_now() < end; ++i) {
      ++tally.rounds;
      faults_.strike();
      faults_.stop();
      if (!faults_.wrong().empty()) return faults_.wrong() + " after: " + faults_.done();
      if (std::string wrong = await_agreement(&tally); !wrong.empty()) return wrong;
      if (!wait_until([this] { return arena_.orphans().empty(); }, timing_.bound())) {
        return "monitors without a node:" + arena_.orphans() + " after: " + faults_.done();
      }
      ++tally.agreed;
    }
    if (std::string wrong = compare(at_first); !wrong.empty()) return wrong;
    if (!faults_.tidy_up()) return "a name that is no node's is gone";
    if (recorder_.pid() != 0) {
      if (std::string wrong = end_recorder(tally); !wrong.empty()) return wrong;
      if (std::string wrong = await_agreement(nullptr); !wrong.empty()) return wrong;
    }
    if (std::string left = arena_.end(); !left.empty()) return "at the end" + left;
    ++tally.judged;
    const Outcome verdict = check({arena_.trace()});
    if (verdict.exit_code == exit_code_right) ++tally.right;
    if (verdict.exit_code == exit_code_unknown) count_doubts(tally);
    // Only what is shown to be wrong counts: a killed node's trace may leave a question open.
    const bool is_violated = verdict.exit_code == exit_code_violated && !may_be_fooled_;
    return is_violated || verdict.signal != 0
               ? "the trace is judged to be wrong: see " + verdict_path()
               : "";
  }

  void keep_files() { arena_.keep_files(); }
  const std::string& path() const { return arena_.path(); }

 private:
  static std::string option(const char* name, milliseconds time) {
    return std::string(name) + '=' + std::to_string(time.count()) + "ms";
  }

  bool is_trace_long() const {
    std::error_code ignored;
    return std::filesystem::file_size(arena_.trace(), ignored) > max_trace_bytes;
  }

  // --- Verdicts ---

  std::string await_agreement(Tally* tally) {
    const Time begin = monotonic_now();
    const auto agree = [this] { return !arena_.disagreement(); };
    const bool first = tally == nullptr;  // they start, which the bound does not speak of
    if (!wait_until(agree, first ? start_patience : Duration(timing_.bound()))) {
      return "no agreement within " + std::to_string(timing_.bound().count()) +
             " ms after: " + faults_.done() + "\n  " +
             arena_.disagreement().value_or("they agree only now");
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
             now->own_kib <= at_first->own_kib + more_kib;
    });
    if (same) return "";
    return "the oldest node holds " + std::to_string(now->descriptors) + " descriptors and " +
           std::to_string(now->own_kib) + " KiB, at first " +
           std::to_string(at_first->descriptors) + " and " + std::to_string(at_first->own_kib);
  }

  std::string verdict_path() const { return arena_.path() + "/verdict"; }

  Outcome check(std::vector<std::string> arguments) const {
    std::filesystem::remove(verdict_path());  // of an earlier trace
    arguments.insert(arguments.begin(), "check");
    const Program program{
        .arguments = arguments, .output = verdict_path(), .errors = verdict_path()};
    return Child(program).end(judging_patience);
  }

  void count_doubts(Tally& tally) const {
    check({arena_.trace(), "--json"});
    const Json report = parse_json(contents(verdict_path())).value_or(Json());
    std::set<std::string> reasons;
    for (const Json& reason : report["reasons"].elements) reasons.insert(reason["reason"].text);
    for (const std::string& reason : reasons) ++tally.doubts[reason];
  }

  // --- The recorder ---

  std::string recorded() const { return arena_.path() + "/recorded"; }

  void record(const Algorithm& algorithm) {
    const std::string said = arena_.path() + "/recorder";
    recorder_ =
        Child({.arguments = {"record", "--quiet", "--dir=" + arena_.directory(),
                             "--algorithm=" + std::string(algorithm.name), "--trace=" + recorded()},
               .output = said,
               .errors = said});
    const std::string place = arena_.directory() + ".aside";
    if (!wait_until([&] { return std::filesystem::exists(place); })) {
      throw std::runtime_error("the recorder does not begin: see " + said);
    }
  }

  std::string end_recorder(Tally& tally) {
    const Time end = monotonic_now();
    if (recorder_.end_by(SIGINT).exit_code != 0) return "the recorder ended with an error";
    if (std::filesystem::exists(arena_.directory() + ".aside")) return "names are left aside";
    for (const Text said : {Text::log_published_again, Text::log_cannot_publish}) {
      const std::string_view words = text(said, Language::english);
      const std::string removed(words.substr(0, words.find('{')));
      if (contains(contents(arena_.path() + "/log"), removed)) return "a node says: " + removed;
    }
    return compare_messages(end.count(), tally);
  }

  // A node writes a sending before it sends, so its trace names all that the recorder has seen. Its
  // receipts before `end_ns` have all been seen, except in its first moments.
  std::string compare_messages(std::int64_t end_ns, Tally& tally) const {
    const auto is_of_election = [](const Record& record, TraceEvent event) {
      return record.event == event && is_about_election(record);
    };
    Messages sent;
    const Trace own = read_traces({arena_.trace()});
    for (const Record& record : own.records) {
      if (is_of_election(record, TraceEvent::send)) ++sent[name_of(record)];
    }
    Messages seen;
    const Trace record_of_links = read_traces({recorded()});
    for (std::size_t i = 0; i < record_of_links.records.size(); ++i) {
      const Record& record = record_of_links.records[i];
      if (!is_of_election(record, TraceEvent::send)) continue;
      ++tally.recorded;
      if (++seen[name_of(record)] <= sent[name_of(record)]) continue;
      return "no node has sent what was recorded: " + record_of_links.source(i);
    }
    std::map<NodeId, std::int64_t> begun;
    for (std::size_t i = 0; i < own.records.size(); ++i) {
      const Record& record = own.records[i];
      if (record.event == TraceEvent::start) begun[record.node] = record.t_ns;
      if (!is_of_election(record, TraceEvent::receive) || record.t_ns > end_ns) continue;
      if (record.t_ns - begun[record.node] < first_moments.count()) continue;
      if (--seen[name_of(record)] >= 0) continue;
      return "not recorded: " + own.source(i);
    }
    return "";
  }

  Timing timing_;
  Arena arena_;
  Faults faults_;
  bool may_be_fooled_;
  Child recorder_;
};

[[noreturn]] void refuse(const std::string& why) {
  std::cerr << "chaos: " << why << '\n';
  exit(2);
}

std::uint64_t number_of(const std::string& text, const std::string& what) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  refuse(what + " needs a number, not '" + text + "'");
}

const Algorithm* algorithm_of(const std::string& name) {
  if (const Algorithm* found = find_algorithm(name)) return found;
  refuse("there is no algorithm '" + name + "'");
}

FaultNames faults_of(const std::string& list) {
  const auto known = Faults::names();
  FaultNames chosen;
  std::istringstream names(list);
  for (std::string name; std::getline(names, name, ',');) {
    if (std::ranges::count(known, name) == 0) refuse("there is no fault '" + name + "'");
    chosen.insert(name);
  }
  return chosen;
}

FaultNames honest_faults() {
  FaultNames honest;
  for (const std::string_view name : Faults::names()) {
    if (name != "fake" && name != "garbage") honest.emplace(name);
  }
  return honest;
}

ChaosOptions parse(int argc, char** argv) {
  static const std::map<std::string_view, std::uint64_t ChaosOptions::*> numbers = {
      {"--rounds", &ChaosOptions::rounds},
      {"--minutes", &ChaosOptions::minutes},
      {"--session", &ChaosOptions::session},
      {"--nodes", &ChaosOptions::nodes},
      {"--seed", &ChaosOptions::seed}};
  ChaosOptions options;
  for (int i = 1; i < argc; ++i) {
    const std::string given = argv[i];
    const std::string name = given.substr(0, given.find('='));
    const std::string value = name == given ? "" : given.substr(name.size() + 1);
    const auto number = numbers.find(name);
    if (number != numbers.end()) {
      options.*number->second = number_of(value, name);
    } else if (name == "--algorithm") {
      options.algorithm = algorithm_of(value);
    } else if (name == "--faults") {
      options.faults = value == "honest" ? honest_faults() : faults_of(value);
    } else if (name == "--pace") {
      options.pace = number_of(value, name);
    } else if (name == "--keep") {
      options.keep = true;
    } else if (name == "--record") {
      options.record = true;
    } else {
      refuse("unknown option " + given);
    }
  }
  options.session = std::max<std::uint64_t>(options.session, 1);
  if (options.record && options.faults.empty()) options.faults = honest_faults();
  return options;
}

void report(const Tally& tally, const ChaosOptions& options) {
  std::vector<std::int64_t> times = tally.times_ms;
  std::ranges::sort(times);
  std::cout << "seed " << options.seed << ", " << options.algorithm->name << ": " << tally.rounds
            << " rounds, " << tally.agreed << " agreements";
  if (!times.empty()) {
    std::cout << "; median " << times[times.size() / 2] << " ms, 99 % "
              << times[times.size() * 99 / 100] << " ms, worst " << times.back() << " ms";
  }
  std::cout << "; " << tally.right << " of " << tally.judged << " traces judged right";
  for (const auto& [reason, sessions] : tally.doubts) {
    std::cout << ", " << sessions << " " << reason;
  }
  if (options.record) std::cout << ", " << tally.recorded << " messages recorded";
  std::cout << std::endl;
}

int run(const ChaosOptions& options) {
  constexpr std::array<std::size_t, 7> sizes = {3, 5, 8, 12, 20, 34, 64};
  std::mt19937_64 random(options.seed);
  Tally tally;
  const bool is_timed = options.minutes != 0;
  const Time end = is_timed ? monotonic_now() + std::chrono::minutes(options.minutes) : Time(never);
  for (unsigned session_number = 1;
       is_timed ? monotonic_now() < end : tally.rounds < options.rounds; ++session_number) {
    const std::size_t nodes = options.nodes != 0 ? options.nodes : sizes[random() % sizes.size()];
    const std::uint64_t most = std::min<std::uint64_t>(options.session, session_messages / nodes);
    const std::uint64_t rounds =
        is_timed ? most : std::min({most, (options.rounds + 4) / 5, options.rounds - tally.rounds});
    const std::uint64_t seed = random();
    const bool is_slow = session_number % 5 == 0;
    const milliseconds drawn(is_slow ? 1 + random() % max_pace_ms : 0);
    const milliseconds pace = options.pace ? milliseconds(*options.pace) : drawn;
    Session session(options, nodes, pace, seed);
    const std::string wrong = session.run(rounds, end, tally);
    std::cout << nodes << " nodes at most, pace " << pace.count() << " ms, bound "
              << Timing(nodes, pace).bound().count() << " ms: ";
    report(tally, options);
    if (wrong.empty()) continue;
    session.keep_files();
    std::cout << "FAILED: " << wrong << "\nsee " << session.path()
              << "; once more with --seed=" << options.seed << " --rounds=" << options.rounds
              << " --nodes=" << options.nodes << " --algorithm=" << options.algorithm->name
              << " --pace=" << pace.count() << (options.record ? " --record" : "") << std::endl;
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace bully

int main(int argc, char** argv) {
  try {
    bully::guard_this_program();
    return bully::run(bully::parse(argc, argv));
  } catch (const std::exception& error) {
    std::cerr << "chaos: " << error.what() << '\n';
    return 1;
  }
}
