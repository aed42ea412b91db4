// faults.cc: each system call of a node and its monitor fails once (`make faults`).
//
//   faults [CASE]
//
// A case is CALL:ERROR:K:ENTRY. In the life of a node that comes in this way (life.h) the k-th call
// of this name fails with this error, in the node and in its monitors. Which calls can fail how is
// in table.h; which are made, and how often, is recorded first. Or it is directory:PLACE, or
// directory:PLACE:monitors, and no call fails, but the nodes' directory is away (hiding.h).
//
// A survivor is a node that goes on as if nothing had happened, or one that refuses to start, gives
// the reason, and leaves nothing.
//
// Exit status: 0 all survive; 1 a node does not, or makes a call that is not in the table, or none
// that is in a row of it; or no case can be tried, as strace(1) is missing or may trace nothing.
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iostream>
#include <list>
#include <set>
#include <sstream>

#include "faults/hiding.h"
#include "faults/life.h"
#include "faults/table.h"
#include "support/scratch.h"
#include "support/skip.h"

namespace bully {
namespace {

// Most of a life is a wait for timers, but its processes must not wait long for a processor.
constexpr long lives_per_processor = 5;

// No case takes so long, unless it hangs.
constexpr Duration case_patience = std::chrono::minutes(5);

using Lives = std::map<Entry, Usual>;

std::string name_of(const Injection& injection) {
  return injection.call + ':' + injection.error + ':' + std::to_string(injection.k) + ':' +
         std::string(entry_names.at(static_cast<std::size_t>(injection.entry)));
}

std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts;
  std::istringstream words(name);
  for (std::string part; std::getline(words, part, ':');) parts.push_back(part);
  return parts;
}

Injection injection_of(const std::string& name) {
  std::vector<std::string> parts = parts_of(name);
  if (parts.size() == 3) parts.emplace_back("joiner");
  Injection injection;
  if (parts.size() == 4) {
    injection.call = parts[0];
    injection.error = parts[1];
    std::from_chars(parts[2].data(), parts[2].data() + parts[2].size(), injection.k);
    const auto entry = std::ranges::find(entry_names, parts[3]);
    if (entry == entry_names.end()) injection.k = 0;
    injection.entry = static_cast<Entry>(entry - entry_names.begin());
  }
  if (injection.k == 0 || row_of(injection.call) == nullptr) {
    throw std::runtime_error("there is no case " + name);
  }
  return injection;
}

Usual record_life(Entry entry) {
  const Injection none{.entry = entry};
  InjectedLife life(none, nullptr);
  const std::string wrong = life.run();
  if (!wrong.empty()) throw std::runtime_error("without a fault: " + wrong + '\n' + life.said());
  return life.recorded();
}

// --- Cases ---

const std::vector<std::string>& lines_of(const CallLines& lines, std::string_view call) {
  static const std::vector<std::string> none;
  const auto found = lines.find(call);
  return found == lines.end() ? none : found->second;
}

// Which of a process's calls are such; counted from 1.
std::vector<std::size_t> numbers_of(const CallLines& all, std::string_view call,
                                    std::string_view only) {
  const std::vector<std::string>& lines = lines_of(all, call);
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].empty() && contains(lines[i], only)) numbers.push_back(i + 1);
  }
  return numbers;
}

// In a founder's life the first call, of the node if it makes any; a middle one in a joiner's; and,
// in the next monitor of a node that has joined, the first and a middle one.
std::vector<Injection> times_of(const CallRow& row, std::string_view call, const Lives& lives) {
  std::vector<Injection> times;
  const auto add = [&](Entry entry, std::size_t k) {
    times.push_back({.call = std::string(call), .k = k, .entry = entry});
  };
  const auto numbers = [&](const CallLines& lines) { return numbers_of(lines, call, row.only); };
  for (const Entry entry : {Entry::founder, Entry::joiner}) {
    const CallRecord& made = lives.at(entry).whole;
    auto first = numbers(made.node);
    if (first.empty()) first = numbers(made.monitor);
    if (times.empty() && !first.empty()) add(entry, first[0]);
  }
  const auto of_node = numbers(lives.at(Entry::joiner).before_faults.node);
  if (of_node.size() > 1) add(Entry::joiner, of_node[of_node.size() / 2]);
  const auto of_monitor = numbers(lives.at(Entry::late).before_faults.monitor);
  if (!of_monitor.empty()) add(Entry::late, of_monitor[0]);
  if (of_monitor.size() > 1) add(Entry::late, of_monitor[of_monitor.size() / 2]);
  return times;
}

std::set<std::string> calls_of(const Lives& lives) {
  std::set<std::string> calls;
  for (const auto& [entry, usual] : lives) {
    for (const CallLines* lines : {&usual.whole.node, &usual.whole.monitor}) {
      for (const auto& [call, made] : *lines) {
        if (!numbers_of(*lines, call, "").empty()) calls.insert(call);
      }
    }
  }
  return calls;
}

std::vector<std::string> cases_of(const Lives& lives) {
  std::vector<std::string> cases;
  for (const std::string& call : calls_of(lives)) {
    const CallRow* row = row_of(call);
    if (row == nullptr || row->errors.empty()) continue;
    for (Injection injection : times_of(*row, call, lives)) {
      for (const std::string_view error : row->errors) {
        injection.error = error;
        cases.push_back(name_of(injection));
      }
    }
  }
  for (const std::string_view place : hiding_places) {
    cases.push_back("directory:" + std::string(place));
    cases.push_back("directory:" + std::string(place) + ":monitors");
  }
  cases.emplace_back("directory:words");
  return cases;
}

// Where the table and the nodes do not agree.
std::vector<std::string> errors_of_table(const std::set<std::string>& calls) {
  std::vector<std::string> wrong;
  for (const std::string& call : calls) {
    if (row_of(call) == nullptr) wrong.push_back("no row of the table has the call " + call);
  }
  for (const CallRow& row : call_table()) {
    const bool is_made = std::ranges::any_of(
        row.names, [&](std::string_view name) { return calls.contains(std::string(name)); });
    if (!is_made && !row.errors.empty()) {
      wrong.push_back("no node makes the call " + std::string(row.names[0]));
    }
  }
  return wrong;
}

// --- One case ---

std::string try_directory(const std::string& name) {
  const std::vector<std::string> parts = parts_of(name);
  if (name == "directory:words") return hide_and_listen();
  if (parts.size() < 2 || std::ranges::count(hiding_places, parts[1]) == 0) {
    throw std::runtime_error("there is no case " + name);
  }
  return live_without_directory(parts[1], parts.size() == 3);
}

constexpr const char* survived = "survives";
constexpr const char* refused = "refuses to start";

std::string first_lines(const std::string& text) {
  constexpr int most = 6;
  std::istringstream lines(text);
  std::string first;
  std::string line;
  for (int i = 0; i < most && std::getline(lines, line); ++i) first += "\n  " + line;
  return first;
}

// Either of the above, or what went wrong.
std::string try_injection(const Injection& injection, const Usual& usual, bool keeps_files) {
  InjectedLife life(injection, &usual);
  std::string wrong = life.run();
  if (wrong.empty()) return life.was_refused() ? refused : survived;
  wrong += first_lines(life.said());
  if (!keeps_files) return wrong;
  life.keep_files();
  return wrong + "\n  see " + life.path();
}

std::string try_case(const std::string& name, const Lives& lives, bool keeps_files) {
  if (!name.starts_with("directory:")) {
    const Injection injection = injection_of(name);
    return try_injection(injection, lives.at(injection.entry), keeps_files);
  }
  const std::string wrong = try_directory(name);
  return wrong.empty() ? survived : wrong;
}

// --- All cases ---

struct Tally {
  std::size_t survivors = 0;
  std::size_t refusals = 0;  // of them
  std::size_t failures = 0;

  void add(const std::string& name, const std::string& result) {
    const bool survives = result == survived || result == refused;
    if (survives) ++survivors;
    if (result == refused) ++refusals;
    if (survives) return;
    ++failures;
    std::cout << "FAILED " << (result.empty() ? "it ended without a result" : result)
              << "\n  once more: make faults CASE=" << name << std::endl;
  }
};

// Each in a process of its own, several at a time.
Tally try_all(const std::vector<std::string>& cases, const Lives& lives, std::size_t at_a_time) {
  struct Running {
    std::string name;
    std::string result;
    Child process;
  };
  const Scratch scratch("bully-faults");
  Tally tally;
  std::list<Running> running;
  auto next = cases.begin();
  while (next != cases.end() || !running.empty()) {
    if (next != cases.end() && running.size() < at_a_time) {
      const std::string& name = *next++;
      const std::string result = scratch.path() + '/' + name;
      running.push_back({name, result, Child([&] {
                           guard_this_program();
                           const std::string said = try_case(name, lives, cases.size() == 1);
                           std::ofstream(result) << said;
                         })});
      continue;
    }
    const auto has_ended = [](Running& one) { return one.process.has_ended(); };
    auto ended = running.end();
    wait_until([&] { return (ended = std::ranges::find_if(running, has_ended)) != running.end(); },
               case_patience);
    if (ended == running.end()) ended = running.begin();
    tally.add(ended->name, contents(ended->result));
    running.erase(ended);
  }
  return tally;
}

int run_one(const std::string& name) {
  Lives lives;
  if (!name.starts_with("directory:")) {
    const Entry entry = injection_of(name).entry;
    lives[entry] = record_life(entry);
  }
  const Tally tally = try_all({name}, lives, 1);
  if (tally.failures == 0)
    std::cout << name << ' ' << (tally.refusals > 0 ? refused : survived) << '\n';
  return tally.failures == 0 ? 0 : 1;
}

int run_all() {
  Lives lives;
  for (const Entry entry : {Entry::founder, Entry::joiner, Entry::late}) {
    lives[entry] = record_life(entry);
  }
  const std::set<std::string> calls = calls_of(lives);
  const std::vector<std::string> wrong = errors_of_table(calls);
  for (const std::string& each : wrong) std::cout << "FAILED " << each << std::endl;
  const std::vector<std::string> cases = cases_of(lives);
  const long processors = std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L);
  const Tally tally =
      try_all(cases, lives, static_cast<std::size_t>(processors * lives_per_processor));
  std::cout << calls.size() << " calls, " << cases.size() << " cases, " << tally.survivors
            << " survivors (" << tally.refusals << " refuse to start, and say why), "
            << tally.failures << " failures" << std::endl;
  return wrong.empty() && tally.failures == 0 ? 0 : 1;
}

int run(int argc, char** argv) {
  // A case that cannot be tried has not been survived.
  if (lacks("strace")) throw std::runtime_error(take_skip_reason() + ": no case can be tried");
  return argc > 1 ? run_one(argv[1]) : run_all();
}

}  // namespace
}  // namespace bully

int main(int argc, char** argv) {
  try {
    bully::guard_this_program();
    return bully::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "faults: " << error.what() << '\n';
    return 1;
  }
}
