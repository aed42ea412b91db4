// processes.cc: starts a program with limits, reads its output, and ends it.
#include "grade/processes.h"

#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "base/list.h"
#include "base/text.h"
#include "grade/exam.h"
#include "node/taken_names.h"

namespace bully {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds until_killed(5'000);
// The time for the child of a killed process to end, and to give up its name.
constexpr milliseconds until_orphan(1'000);
constexpr milliseconds until_status(500);
constexpr milliseconds tree_interval(100);
// A cluster of five has a handful each.
constexpr std::size_t most_processes = 200;
constexpr std::size_t most_names = 64;
constexpr std::size_t kept_output = 2'000;
constexpr int reads_at_once = 1024;

// The machine's resources that a faulty program may take. The limits bind root as well, except the
// number of processes: these are counted.
void limit_resources() {
  constexpr rlim_t gib = rlim_t{1} << 30;
  const auto limit = [](auto resource, rlim_t most) {
    struct rlimit now {};
    if (getrlimit(resource, &now) != 0) return;
    now.rlim_cur = std::min(now.rlim_max, most);
    now.rlim_max = now.rlim_cur;
    setrlimit(resource, &now);
  };
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_NOFILE, 1024);
  limit(RLIMIT_DATA, 4 * gib);
  limit(RLIMIT_FSIZE, gib);
}

bool has_process(const std::vector<ProcessState>& tree, pid_t pid) {
  return std::ranges::count(tree, pid, &ProcessState::pid) > 0;
}

}  // namespace

pid_t start_printing(LocalCluster& cluster, std::vector<std::string> words, Descriptor& output,
                     const std::function<void()>& prepare) {
  Pipe pipe = make_pipe("for a program's output");
  const pid_t child = cluster.guard().start(std::move(words), [&] {
    setsid();
    cluster.signals().close_inherited();
    use_null_device({STDIN_FILENO});
    // It does not block at this end, but does at the program's.
    const int write_end = pipe.write_end.get();
    set_blocking(write_end);
    for (const int standard : {STDOUT_FILENO, STDERR_FILENO}) dup2(write_end, standard);
    prepare();
  });
  output = std::move(pipe.read_end);
  return child;
}

void read_printed(Descriptor& output, std::string& printed) {
  for (int i = 0; i < reads_at_once && output; ++i) {
    const Incoming incoming = read_some(output, printed);
    if (incoming == Incoming::end) output.reset();
    if (incoming != Incoming::some) break;
    if (printed.size() > kept_output) printed.erase(0, printed.size() - kept_output);
  }
}

Processes::Processes(Exam& exam) : exam_(exam) {
  exam_.links.is_of = [this](NodeId id, pid_t pid) { return has_sent_from(id, pid); };
}

Processes::~Processes() {
  exam_.links.is_of = nullptr;
  std::vector<pid_t> roots;
  reap();
  for (const auto& [id, process] : processes_) {
    if (process.started > 0 && !status_of(process.started)) roots.push_back(process.started);
  }
  end_all_below_us(roots);
}

// --- Start ---

void Processes::spawn(std::vector<std::string> words, Process& process) {
  const pid_t child = start_printing(exam_.cluster, std::move(words), process.output, [&] {
    setenv("BULLY_DIR", exam_.directory.path().c_str(), 1);
    unsetenv("BULLY_TRACE");
    limit_resources();
  });
  statuses_.erase(child);  // of an earlier process with this PID
  process.started = child;
}

// The program's words with the places filled in; the id comes last where it has no place.
std::vector<std::string> Processes::words_for(std::optional<NodeId> id, bool is_ours) const {
  std::vector<std::string> words = exam_.settings.command;
  if (is_ours) {
    words = {exam_.settings.own_program, "--quiet", "--dir={dir}", "--ping-interval=100ms",
             "--ping-timeout=500ms"};
  }
  bool is_placed = false;
  for (std::string& word : words) {
    is_placed = is_placed || word.find("{id}") != std::string::npos;
    word = replaced(word, "{dir}", exam_.directory.path());
    if (id) word = replaced(word, "{id}", text_of(*id));
  }
  // Without an id, its place is left out.
  if (!id) std::erase(words, "{id}");
  if (id && !is_placed) words.push_back(text_of(*id));
  return words;
}

NodeId Processes::start(std::optional<NodeId> id, bool is_ours) {
  const bool is_given = id.has_value();
  if (!id && exam_.settings.with_id) id = next_id_++;
  Ids before = exam_.directory.ids();
  if (id) std::erase(before, *id);
  // Until it has a name, it is kept under an id that no process has.
  Process& kept = processes_[0] = {.is_ours = is_ours};
  if (id) exam_.links.introduce(*id);
  spawn(words_for(id, is_ours), kept);
  std::optional<NodeId> name;
  const auto is_there = [&] {
    name = name_of_new(kept, id, before);
    // If the started process has ended, a child of it may still take the name.
    return name || (status_of(kept.started) && processes_of(kept.started).empty());
  };
  exam_.await(is_there, exam_.settings.start_timeout);
  if (!name) {
    exam_.rest(milliseconds(20));  // its last output
    const std::optional<int> status = status_of(kept.started);
    Finding finding =
        status ? fault("died", id.value_or(static_cast<NodeId>(kept.started)), *status)
               : fault("never-starts", id ? text_of(*id) : "", exam_.settings.start_timeout);
    finding.printed = kept.printed;
    throw finding;
  }
  kept.is_alive = true;
  processes_[*name] = std::move(kept);
  processes_.erase(0);
  exam_.links.introduce(*name);
  // The links must be under control before it counts as ready.
  exam_.await([&] { return exam_.links.has_proxy(*name); }, until_killed);
  return is_given ? *name : in_order(*name);
}

// The name of the process just started, once it takes a whole ping at its own socket. Every
// connection carries a ping: an empty connection kills the example.
std::optional<NodeId> Processes::name_of_new(Process& process, std::optional<NodeId> id,
                                             const Ids& before) {
  const std::vector<NodeId> names = exam_.directory.ids();
  if (names.size() > most_names) {
    throw fault("wrong-name", names.back(), id.value_or(static_cast<NodeId>(process.started)));
  }
  for (const NodeId name : names) {
    if (std::ranges::binary_search(before, name)) continue;
    const Connection connection = connect_to_process(exam_.directory, name);
    if (connection.reach != Reach::reached) continue;
    send_once(connection.descriptor,
              encode({.type = messages::ping, .from = static_cast<NodeId>(getpid())}));
    const pid_t pid = listener_pid(connection.descriptor);
    const auto tree = processes_of(process.started);
    if (pid != 0 && !tree.empty() && !has_process(tree, pid)) continue;
    const bool is_right = id ? name == *id : pid == 0 || name == static_cast<NodeId>(pid);
    if (!is_right) throw fault("wrong-name", name, id.value_or(static_cast<NodeId>(pid)));
    process.behind.emplace(pid == 0 ? process.started : pid);
    return name;
  }
  return std::nullopt;
}

NodeId Processes::in_order(NodeId id) {
  if (id < std::exchange(highest_, id)) throw Unclear("order_of_ids");
  return id;
}

void Processes::start_again(NodeId id) {
  try {
    start(id);
  } catch (Finding& finding) {
    if (finding.diagnosis != "died" && finding.diagnosis != "never-starts") throw;
    const bool ended = finding.diagnosis == "died";
    throw Finding{"does-not-come-back",
                  {std::to_string(id), ended ? finding.values[1] : "–"},
                  finding.printed};
  }
}

// --- Acts on processes ---

Ids Processes::live() const {
  const auto is_live = [](const auto& entry) { return entry.second.is_alive; };
  return list_of(processes_, is_live, [](const auto& entry) { return entry.first; });
}

bool Processes::reads_pings(NodeId id) const {
  const Process& process = processes_.at(id);
  return !process.is_stopped && !process.is_ours;
}

bool Processes::kill(NodeId id) {
  Process& process = processes_.at(id);
  process.is_alive = false;
  process.is_stopped = false;
  if (exam_.settings.kills_sessions) signal_all(id, SIGKILL);
  process.behind->signal(SIGKILL);
  exam_.await([&] { return process.behind->has_ended(); }, until_killed);
  exam_.links.look();
  // Its child may keep the socket for a moment, until it sees that its parent is gone.
  const auto has_no_name = [&] { return !exam_.links.has_proxy(id); };
  if (exam_.await(has_no_name, until_orphan)) return true;
  // A late machine takes some of that time.
  const Duration more = std::min<Duration>(20 * exam_.lateness.most(), until_killed);
  if (exam_.await(has_no_name, more)) return true;
  exam_.settings.kills_sessions = true;
  signal_all(id, SIGKILL);
  exam_.await(has_no_name, until_killed);
  return false;
}

void Processes::signal_all(NodeId id, int number) const {
  for (const ProcessState& one : tree_of(id)) signal_process(one, number);
}

void Processes::stop(NodeId id) {
  processes_.at(id).is_stopped = true;
  signal_all(id, SIGSTOP);
  exam_.links.note(id, TraceEvent::pause);
}

void Processes::resume(NodeId id) {
  processes_.at(id).is_stopped = false;
  exam_.links.note(id, TraceEvent::resume);
  signal_all(id, SIGCONT);
}

std::vector<ProcessState> Processes::tree_of(NodeId id) const {
  return processes_of(processes_.at(id).started);
}

// A child that has sent one message may have ended; the process may still have no name here.
bool Processes::has_sent_from(NodeId id, pid_t pid) const {
  const auto found = processes_.find(processes_.contains(id) ? id : 0);
  if (found == processes_.end() || pid == 0) return false;
  return !process_state(pid) || has_process(processes_of(found->second.started), pid);
}

// --- Unasked events ---

void Processes::add_to(std::vector<pollfd>& polled) const {
  for (const auto& [id, process] : processes_) polled.push_back({process.output.get(), POLLIN, 0});
}

void Processes::serve() {
  for (auto& [id, process] : processes_) read_printed(process.output, process.printed);
  reap();
}

void Processes::reap() {
  int status = 0;
  for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    statuses_[pid] = as_shells_say(status);
  }
}

std::optional<int> Processes::status_of(pid_t pid) const {
  const auto found = statuses_.find(pid);
  return found == statuses_.end() ? std::nullopt : std::optional(found->second);
}

void Processes::check() {
  for (const auto& [id, process] : processes_) {
    if (process.is_alive && process.behind->has_ended()) throw death_of(id);
  }
  if (monotonic_now() < next_look_) return;
  next_look_ = monotonic_now() + tree_interval;
  // Those that have ended are a leak, which takes but a name.
  const auto lives = [](const ProcessState& one) { return one.letter != 'Z'; };
  const auto count = static_cast<std::size_t>(std::ranges::count_if(processes_below_us(), lives));
  if (count > most_processes) throw fault("too-many-processes", count);
}

// The cause of its end is known when it has been reaped; if a shell started it, by the shell's
// status.
Finding Processes::death_of(NodeId id) {
  Process& process = processes_.at(id);
  process.is_alive = false;
  const auto status = [&] {
    const std::optional<int> own = status_of(process.behind->pid());
    return own ? own : status_of(process.started);
  };
  exam_.await([&] { return status().has_value(); }, until_status);
  serve();  // its last output
  Finding finding = fault("died", id, status() ? text_of(*status()) : "?");
  finding.printed = process.printed;
  return finding;
}

}  // namespace bully
