#include "faults/hiding.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include "faults/life.h"
#include "support/arena.h"
#include "trace/trace.h"
#include "words/words.h"

namespace bully {

namespace {

constexpr NodeId highest = 3;
// Longer than each wait of an election.
constexpr Duration quiet_time = std::chrono::milliseconds(500);

// As another user than root, whom no mode keeps out. Files that this makes are its own.
class Unprivileged {
 public:
  Unprivileged() {
    if (geteuid() == 0 && seteuid(nobody_uid) != 0) _exit(exit_cannot_try);
  }
  ~Unprivileged() {
    if (getuid() == 0 && seteuid(0) != 0) _exit(exit_cannot_try);
  }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;
};

void leave_root() {
  if (getuid() != 0) return;
  if (seteuid(0) != 0) _exit(exit_cannot_try);
  become_nobody();
}

std::string trace_of(const Arena& arena) {
  return arena.path() + "/trace.theirs";
}

// Whether each of them has made itself coordinator, as far as the trace says.
bool are_split(const std::string& trace, const std::vector<NodeId>& nodes) {
  std::map<NodeId, std::optional<NodeId>> followed;
  for (const Record& record : read_traces({trace}).records) {
    if (record.event == TraceEvent::coordinator) followed[record.node] = record.coordinator;
  }
  return std::ranges::all_of(nodes, [&](NodeId id) { return followed[id] == id; });
}

std::string await_agreement(const Arena& arena, const char* when) {
  const auto agree = [&] { return !arena.disagreement(); };
  if (wait_until(agree, life_patience)) return "";
  return std::string(when) + ": " + arena.disagreement().value_or("they agree only now");
}

// Kills them, and waits for the next ones.
bool replace_monitors(Arena& arena) {
  const auto monitor_of = [&](NodeId id) {
    const auto children = children_of(arena.pid_of(id));
    return children.empty() || children[0].state == 'Z' ? 0 : children[0].pid;
  };
  std::map<NodeId, pid_t> before;
  for (const NodeId id : arena.nodes()) before[id] = monitor_of(id);
  for (const NodeId id : arena.nodes()) arena.kill_monitor(id);
  return wait_until(
      [&] {
        return std::ranges::all_of(before, [&](const auto& one) {
          const pid_t now = monitor_of(one.first);
          return now != 0 && now != one.second;
        });
      },
      life_patience);
}

std::string lose_and_find(Arena& arena, std::string_view place, bool kills_monitors) {
  for (NodeId id = 1; id <= highest; ++id) {
    arena.start(id, {"--trace=" + trace_of(arena)}, {.in_child = leave_root});
  }
  if (std::string wrong = await_agreement(arena, "at first"); !wrong.empty()) return wrong;
  Hiding hiding(arena.directory(), arena.path() + "/aside", place);
  if (kills_monitors && !replace_monitors(arena))
    return "a monitor that was killed has no successor";
  await_split(trace_of(arena), arena.nodes());
  hiding.end();
  if (auto wrong = await_agreement(arena, "after the return"); !wrong.empty()) return wrong;
  arena.kill(highest);
  if (auto wrong = await_agreement(arena, "after a death"); !wrong.empty()) return wrong;
  arena.leave(1);
  arena.start(highest, {"--trace=" + trace_of(arena)}, {.in_child = leave_root});
  if (auto wrong = await_agreement(arena, "after a start"); !wrong.empty()) return wrong;
  arena.kill(highest);
  if (auto wrong = await_agreement(arena, "of the last one"); !wrong.empty()) return wrong;
  return arena.end();
}

}  // namespace

Hiding::Hiding(std::string directory, std::string aside, std::string_view place)
    : directory_(std::move(directory)), aside_(std::move(aside)), place_(place) {
  if (place == "file") std::ofstream(aside_) << "no directory\n";
  if (place == "link") std::filesystem::create_symlink("/nowhere/at/all", aside_);
  if (place == "other" || place == "taken") mkdir(aside_.c_str(), S_IRWXU);
  if (place == "taken") {
    for (NodeId id = 1; id <= highest; ++id) std::ofstream(aside_ + '/' + std::to_string(id)) << id;
  }
  if (place == "mode") {
    chmod(directory_.c_str(), 0);
  } else if (place == "nothing") {
    std::filesystem::rename(directory_, aside_);
  } else {
    exchange();
  }
}

void Hiding::end() {
  if (std::exchange(has_ended_, true)) return;
  if (place_ == "mode") {
    chmod(directory_.c_str(), S_IRWXU);
  } else if (place_ == "nothing") {
    // A node may make the directory again just before it is put back.
    wait_until([this] {
      std::error_code error;
      std::filesystem::remove_all(directory_, error);
      std::filesystem::rename(aside_, directory_, error);
      return !error;
    });
  } else {
    exchange();
    std::filesystem::remove_all(aside_);
  }
}

// At no moment is there nothing.
void Hiding::exchange() const {
  const char* one = directory_.c_str();
  const char* other = aside_.c_str();
  if (renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE) == 0) return;
  throw std::system_error(errno, std::generic_category(), "renameat2 " + directory_);
}

// Until each has made itself coordinator, and nothing more comes of it; but it need not come to
// this.
void await_split(const std::string& trace, const std::vector<NodeId>& nodes) {
  wait_until([&] { return are_split(trace, nodes); }, hiding_time);
  std::uintmax_t size = 0;
  Time since{};
  wait_until(
      [&] {
        const Time now = monotonic_now();
        if (std::exchange(size, std::filesystem::file_size(trace)) != size) since = now;
        return now - since > quiet_time;
      },
      hiding_time);
}

std::string live_without_directory(std::string_view place, bool kills_monitors) {
  const Scratch scratch;
  Arena arena(life_options, binary_for_anyone(scratch.path()));
  if (geteuid() == 0 && chown(arena.path().c_str(), nobody_uid, nobody_uid) != 0) return "no chown";
  const Unprivileged here;
  return lose_and_find(arena, place, kills_monitors);
}

std::string hide_and_listen() {
  Arena arena(life_options);
  arena.start(1, {}, {.in_child = [] {}});
  if (std::string wrong = await_agreement(arena, "at first"); !wrong.empty()) return wrong;
  Hiding hiding(arena.directory(), arena.path() + "/aside", "file");
  const std::string_view words = text(Text::log_cannot_publish, Language::english);
  const std::string notice(words.substr(0, words.find('{')));
  const auto times = [&] { return count_of(arena.said(1), notice); };
  if (!wait_until([&] { return times() > 0; }, life_patience)) return "it does not say so";
  const bool again = wait_until([&] { return times() > 1; }, hiding_time);
  hiding.end();
  return again ? "it repeats: " + notice : arena.end();
}

}  // namespace bully
