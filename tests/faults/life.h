// life.h: a node's life beside two peers and more, with strace at the node and its monitors.
//
// strace makes one call fail, or only records all. Then things are done to the node that it must
// survive, and what it must keep is looked at. Read next: table.h, hiding.h.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "support/arena.h"
#include "support/process.h"

namespace bully {

// Short, so that a life takes few seconds.
inline const Arguments life_options = {"--quiet", "--ping-interval=50ms", "--ping-timeout=200ms",
                                       "--answer-timeout=200ms", "--coordinator-timeout=200ms"};
// All that must come comes long before the end of this, on a machine that is busy as well.
inline constexpr Duration life_patience = std::chrono::seconds(20);
// How long a hidden directory is waited for to have an effect that it need not have.
inline constexpr Duration hiding_time = std::chrono::seconds(2);

// How the node comes: as the first of three, with --detector=eof, and two others join it, first one
// below it; or as the last of three, below another. If late, it does the latter, and strace
// attaches only to a node that has joined: then its next monitor's first calls fail, and not its
// own.
enum class Entry : std::uint8_t { founder, joiner, late };
inline constexpr std::array<std::string_view, 3> entry_names = {"founder", "joiner", "late"};

// A call of the node, or of a monitor of it, that fails: the k-th of each process.
struct Injection {
  std::string call = {};  // none: all calls are recorded
  std::string error = {};
  std::size_t k = 0;
  Entry entry = Entry::joiner;
};

// Lines of a record of strace, by the call. Empty: the C library made that call before main.
using CallLines = std::map<std::string, std::vector<std::string>, std::less<>>;
struct CallRecord {
  CallLines node;
  CallLines monitor;  // the first one
};

// A life without a failure.
struct Usual {
  CallRecord before_faults;  // until its directory is hidden
  CallRecord whole;
  std::size_t descriptors = 0;  // at the end, of node and monitor
  Duration processor{};
};

class InjectedLife {
 public:
  // `usual`: null for the life that is recorded. Both outlive this.
  InjectedLife(const Injection& injection, const Usual* usual);

  // What went wrong; nothing if all went well.
  std::string run();
  // Whether the node did not start, and said why.
  bool was_refused() const { return was_refused_; }
  const Usual& recorded() const { return recorded_; }
  // What the node has said, for a person who has to find out what went wrong.
  std::string said() const { return arena_.said(traced); }
  void keep_files() { arena_.keep_files(); }
  const std::string& path() const { return arena_.path(); }

 private:
  static constexpr NodeId traced = 2;

  // Parts of its life. Each returns what went wrong.
  std::string come();
  std::string lose_directory();
  std::string lose_peers();
  std::string leave();

  bool is_recording() const { return usual_ == nullptr; }
  void start(NodeId peer) { arena_.start(peer, {"--trace=" + arena_.trace()}); }
  // So that strace misses nothing.
  void start_stopped();
  void attach();
  std::string await_agreement(const std::string& when);
  std::string end_all();
  std::string judge_early_end(const Outcome& outcome);
  std::string judge_words() const;
  std::string judge_holdings();
  void await_pings();
  Duration processor_time() const;
  bool names_call() const;
  std::string reason() const;

  std::string record_path() const { return arena_.path() + "/strace"; }
  // What has been recorded until now.
  void read_record(CallRecord& calls);
  // How many processes have seen the call fail.
  std::size_t failures() const;
  // Afterwards no call fails any more.
  void detach_after(std::size_t failures);

  const Injection& injection_;
  const Usual* usual_;
  Arena arena_;
  pid_t pid_ = 0;
  Child tracer_;
  bool has_joined_ = false;
  bool was_refused_ = false;
  Usual recorded_;
};

}  // namespace bully
