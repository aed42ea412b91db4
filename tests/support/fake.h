// fake.h: a process that has a name among the nodes, and lies.
//
// A forked child of the caller. It speaks under its own id, which no node may ever have had, and
// its messages have no number: a trace shows its words as those of a process that keeps no trace.
// It signals nobody, and ends when its caller does.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "election/algorithm.h"
#include "election/message.h"
#include "node/system.h"
#include "support/process.h"

namespace bully {

struct Lies {
  // What a ping and a status request get back: whom it follows, or garbage. Silence keeps the
  // connection open.
  enum class Reply : std::uint8_t { silence, close, itself, another, garbage, no_one };
  // What all are told, again and again: who is coordinator. On a ring, instead of a dead one, whose
  // number no trace could explain: to hold an election, of a wrong epoch.
  enum class News : std::uint8_t { nothing, itself, dead };

  Reply ping = Reply::itself;
  Reply status = Reply::itself;
  News news = News::nothing;
  NodeId dead = 0;
  NodeId another = 0;  // whom it says that it follows; 0: its successor
  // It answers each ELECTION; on a ring, it passes on what it hears. Whatever comes then is not its
  // affair.
  bool answers = false;
  // Else it leaves all who connect in its backlog.
  bool accepts = true;
  // Its name goes with it. Only where it ends by itself, after this time.
  bool leaves = false;
  Duration life = never;
};

class Fake {
 public:
  // Publishes `id` in `directory`, having made its socket beside it. `algorithm`: what the nodes
  // there run. `chance` decides what is left open. Throws system_error, SetupError. It is killed
  // with this object. Its name stays.
  Fake(const std::string& directory, NodeId id, const Lies& lies = {},
       const Algorithm& algorithm = default_algorithm(), std::uint64_t chance = 1);
  void kill() { process_.kill(); }
  const Child& process() const { return process_; }

  // What it has heard.
  std::uint64_t pings() const { return heard_->pings; }
  std::uint64_t elections() const { return heard_->elections; }
  struct Heard {
    std::atomic<std::uint64_t> pings = 0;
    std::atomic<std::uint64_t> elections = 0;
  };

 private:
  const SharedMemory<Heard> heard_;
  Child process_;
};

// For a person who has to find out what went wrong: "answers, ping itself, …".
std::string words_of(const Lies& lies);

}  // namespace bully
