#include "faults/life.h"

#include <signal.h>
#include <sys/prctl.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>

#include "faults/hiding.h"
#include "faults/table.h"
#include "node/beyond_posix.h"
#include "words/words.h"

namespace bully {

namespace {

// A node that replaces its monitor, or says anything, more often than this has no end.
constexpr std::size_t most_monitors = 10;
constexpr std::size_t most_lines = 200;
// More than usual: so much shows a loop that does not wait.
constexpr std::int64_t most_more_ms = 800;

constexpr std::string_view program_prefix = "bully: ";

// The first call that the program itself makes, and the C library before it does not.
constexpr std::string_view first_of_main = "rt_sigaction";

std::string notice(Text key) {
  const std::string_view words = text(key, Language::english);
  return std::string(words.substr(0, words.find('{')));
}

// The part of a record's line after the PID; and the call that it begins, if it begins one.
std::string_view after_pid(std::string_view line) {
  line.remove_prefix(std::min(line.size(), line.find(' ')));
  line.remove_prefix(std::min(line.size(), line.find_first_not_of(' ')));
  return line;
}
std::string_view call_in(std::string_view line) {
  const std::string_view call = after_pid(line);
  const bool begins = call.find('(') != call.npos && std::isalpha(call[0]) != 0;
  return begins ? call.substr(0, call.find('(')) : std::string_view();
}

// A brk that fails returns the end that the heap has had; at a 0 the C library asks for that end.
// It tries mmap instead.
Arguments injection_options(const Injection& injection) {
  const bool lasts = injection.error.ends_with('+');
  const std::string how = injection.call == "brk" ? "retval=0" : "error=" + injection.error;
  const std::string when = ":when=" + std::to_string(injection.k) + (lasts ? "+" : "");
  Arguments options = {"-e", "trace=" + injection.call + (lasts ? ",mmap" : ""), "-e",
                       "inject=" + injection.call + ':' + how + when};
  if (lasts) options = options + Arguments{"-e", "inject=mmap:error=ENOMEM:when=1+"};
  return options;
}

}  // namespace

InjectedLife::InjectedLife(const Injection& injection, const Usual* usual)
    : injection_(injection), usual_(usual), arena_(life_options) {}

std::string InjectedLife::run() {
  std::string wrong = come();
  if (was_refused_ || !wrong.empty()) return wrong;
  for (const auto part :
       {&InjectedLife::lose_directory, &InjectedLife::lose_peers, &InjectedLife::leave}) {
    wrong = (this->*part)();
    if (!wrong.empty()) return wrong;
  }
  return wrong;
}

// --- The node under strace ---

void InjectedLife::start_stopped() {
  const auto stop_first = [] {
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);  // Yama lets only ancestors trace
    raise(SIGSTOP);
  };
  const bool is_founder = injection_.entry == Entry::founder;
  arena_.start(traced,
               {"--trace=" + arena_.trace(), is_founder ? "--detector=eof" : "--detector=ping"},
               {.in_child = stop_first});
  pid_ = arena_.pid_of(traced);
  const auto is_stopped = [this] {
    const auto state = process_state(pid_);
    return state && state->letter == 'T';
  };
  if (!wait_until(is_stopped, life_patience)) throw std::runtime_error("a process does not stop");
}

void InjectedLife::attach() {
  const std::string said = arena_.path() + "/strace.said";
  Program strace{.arguments = {"-f", "-p", std::to_string(pid_), "-o", record_path()},
                 .binary = "strace",
                 .output = said,
                 .errors = said,
                 .own_group = true};  // it tries what it can do with a process that would be left
  if (!is_recording()) {
    strace.arguments = strace.arguments + injection_options(injection_);
  }
  tracer_ = Child(strace);
  if (wait_until([&] { return contains(contents(said), " attached"); }, life_patience)) return;
  throw std::runtime_error("strace does not attach to a node: " + contents(said));
}

std::size_t InjectedLife::failures() const {
  std::set<std::string> processes;
  std::istringstream lines(contents(record_path()));
  for (std::string line; std::getline(lines, line);) {
    if (contains(line, "(INJECTED)")) processes.insert(line.substr(0, line.find(' ')));
  }
  return processes.size();
}

void InjectedLife::read_record(CallRecord& calls) {
  std::istringstream lines(contents(record_path()));
  bool is_in_main = injection_.entry == Entry::late;
  std::string monitor;
  for (std::string line; std::getline(lines, line);) {
    const std::string call(call_in(line));
    if (call.empty()) continue;
    const std::string pid = line.substr(0, line.find(' '));
    const bool is_node = pid == std::to_string(pid_);
    if (!is_node && monitor.empty()) monitor = pid;
    is_in_main = is_in_main || call == first_of_main;
    if (is_node) calls.node[call].push_back(is_in_main ? line : "");
    if (pid == monitor) calls.monitor[call].push_back(line);
  }
}

void InjectedLife::detach_after(std::size_t least) {
  if (is_recording() || tracer_.pid() == 0 || tracer_.has_ended()) return;
  if (failures() >= least) tracer_.end_by(SIGTERM);
}

// --- Its life ---

std::string InjectedLife::come() {
  const bool is_founder = injection_.entry == Entry::founder;
  const bool is_late = injection_.entry == Entry::late;
  if (!is_founder) {
    start(1);
    start(3);
    if (std::string wrong = await_agreement("without it"); !wrong.empty()) return wrong;
  }
  start_stopped();
  if (!is_late) attach();
  arena_.resume(traced);
  if (is_founder) {
    const std::string name = arena_.directory() + '/' + std::to_string(traced);
    wait_until([&] { return arena_.outcome(traced) || std::filesystem::exists(name); },
               life_patience);
    start(1);
  }
  std::string wrong = await_agreement("after its start");
  if (was_refused_ || !wrong.empty()) return wrong;
  has_joined_ = true;
  if (is_late) attach();
  if (is_founder) start(3);
  if (wrong = await_agreement("after a start"); !wrong.empty()) return wrong;
  arena_.kill_monitor(traced);
  await_pings();
  arena_.kill(3);
  if (wrong = await_agreement("after a death"); !wrong.empty()) return wrong;
  start(3);
  if (wrong = await_agreement("after a return"); !wrong.empty()) return wrong;
  if (is_recording()) read_record(recorded_.before_faults);
  detach_after(1);
  return "";
}

// Beside one that looks for none below it: no other's monitor detects anything for the node.
std::string InjectedLife::lose_directory() {
  arena_.leave(1);
  await_pings();
  Hiding hiding(arena_.directory(), arena_.path() + "/aside", "file");
  await_split(arena_.trace(), arena_.nodes());
  hiding.end();
  if (auto wrong = await_agreement("after its directory was away"); !wrong.empty()) return wrong;
  arena_.kill(3);
  return await_agreement("when it is alone");
}

std::string InjectedLife::lose_peers() {
  for (const NodeId peer : {1U, 3U, 4U}) start(peer);
  if (std::string wrong = await_agreement("after three starts"); !wrong.empty()) return wrong;
  arena_.kill({3, 4});
  if (std::string wrong = await_agreement("after two deaths"); !wrong.empty()) return wrong;
  arena_.leave(1);
  if (std::string wrong = await_agreement("when it is alone again"); !wrong.empty()) return wrong;
  detach_after(1);
  return judge_holdings();
}

std::string InjectedLife::leave() {
  const Outcome outcome = arena_.leave(traced);
  if (outcome.signal == SIGKILL) return "it does not obey TERM";
  if (outcome.exit_code != 0) return "TERM ends it with " + std::to_string(outcome.exit_code);
  if (std::string left = end_all(); !left.empty()) return left;
  if (is_recording()) {
    read_record(recorded_.whole);
  } else if (failures() == 0) {
    return "no process makes this call so many times";
  }
  return judge_words();
}

std::string InjectedLife::end_all() {
  if (std::string left = arena_.end(); !left.empty()) return "at the end" + left;
  tracer_.end();
  for (const auto& entry : std::filesystem::directory_iterator(arena_.path())) {
    const std::string name = entry.path().filename();
    if (name.starts_with("nodes.")) return "at the end " + name + " is left";
  }
  return "";
}

// --- The state of the cluster ---

std::string InjectedLife::await_agreement(const std::string& when) {
  std::optional<Outcome> outcome;
  const auto settled = [&] {
    detach_after(2);
    if (arena_.has(traced)) outcome = arena_.outcome(traced);
    return outcome || !arena_.disagreement();
  };
  const bool in_time = wait_until(settled, life_patience);
  if (outcome) return judge_early_end(*outcome);
  if (in_time) return "";
  return when + ": " + arena_.disagreement().value_or("they agree only now");
}

// One that has not taken part yet may refuse to, with a reason, and leaves nothing.
std::string InjectedLife::judge_early_end(const Outcome& outcome) {
  const std::string how = outcome.signal != 0 ? "by signal " + std::to_string(outcome.signal)
                                              : "with status " + std::to_string(outcome.exit_code);
  if (has_joined_) return "it ended " + how;
  if (outcome.exit_code != 1 && outcome.exit_code != 2) return "its start ended " + how;
  if (injection_.error == "EINTR") return "an interrupted call is no reason to refuse";
  arena_.refusal(traced);  // takes it off the list of those that must agree
  was_refused_ = true;
  if (!names_call()) return "its reason does not name the call and the error";
  if (std::string wrong = await_agreement("after its refusal"); !wrong.empty()) return wrong;
  if (std::string left = end_all(); !left.empty()) return left;
  return judge_words();
}

bool InjectedLife::names_call() const {
  const auto& words = row_of(injection_.call)->words;
  const bool has_call = std::ranges::any_of(words, [this](std::string_view word) {
    return said().starts_with(std::string(program_prefix) + std::string(word) + ' ');
  });
  return words.empty() || (has_call && contains(said(), reason()));
}

// The words for the error, as the record has them: "= -1 EIO (Input/output error) (INJECTED)".
std::string InjectedLife::reason() const {
  const std::string record = contents(record_path());
  const std::size_t end = record.find(") (INJECTED)");
  if (end == record.npos) return "?";
  const std::size_t begin = record.rfind('(', end) + 1;
  return record.substr(begin, end - begin);
}

// A message is "bully: CALL OBJECT: REASON", advice or a notice, and never an exception's own.
std::string InjectedLife::judge_words() const {
  std::istringstream lines(said());
  std::size_t line_count = 0;
  for (std::string line; std::getline(lines, line); ++line_count) {
    const bool is_its_own = line.starts_with(program_prefix);
    if (!is_its_own || contains(line, "std::")) return "no message of its own: " + line;
    const std::string words = line.substr(program_prefix.size());
    const bool has_object = contains(words.substr(0, words.rfind(": ")), " ");
    if (!has_object) return "a message without an object: " + line;
  }
  const std::size_t monitors = count_of(said(), notice(Text::log_monitor_replaced));
  if (monitors > most_monitors) return std::to_string(monitors) + " monitors one after the other";
  if (line_count > most_lines) return std::to_string(line_count) + " lines, without end";
  return "";
}

std::string InjectedLife::judge_holdings() {
  std::size_t descriptors = 0;
  const auto are_usual = [&] {
    descriptors = arena_.holdings(traced)->descriptors;
    return is_recording() || descriptors <= usual_->descriptors;
  };
  if (!wait_until(are_usual, life_patience)) {
    return "it holds " + std::to_string(descriptors) + " descriptors, usually " +
           std::to_string(usual_->descriptors);
  }
  recorded_.descriptors = descriptors;
  recorded_.processor = processor_time();
  const auto ms =
      (recorded_.processor - (is_recording() ? recorded_.processor : usual_->processor)) /
      std::chrono::milliseconds(1);
  return ms > most_more_ms ? "it has computed for " + std::to_string(ms) + " ms more than usual"
                           : "";
}

// Until its monitor has begun to work; but for a few seconds at most. Agreement later shows whether
// it does.
void InjectedLife::await_pings() {
  const auto pings = [this] {
    const auto status = arena_.ask(traced);
    return status ? status->sent.of(messages::ping) : 0;
  };
  const auto before = pings();
  const auto works = [&] {
    detach_after(2);
    return pings() > before + 1;
  };
  wait_until(works, hiding_time);
}

Duration InjectedLife::processor_time() const {
  Duration sum{};
  for (const ProcessState& process : listed_processes()) {
    if (process.pid == pid_ || process.parent == pid_) sum += process.processor;
  }
  return sum;
}

}  // namespace bully
