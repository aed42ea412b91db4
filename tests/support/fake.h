// fake.h: a process that has a name among the nodes, and lies.
//
// A forked child of the caller. It speaks under its own id, which no node may ever have had, and
// its messages have no number: so a trace shows what it said as the words of a process that keeps
// no trace. It signals nobody, and ends when its caller does. Read next: arena.h.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "election/algorithm.h"
#include "election/message.h"
#include "node/system.h"

namespace bully {

struct Lies {
  // What a ping and a status request get back. Silence keeps the connection open.
  enum class Reply : std::uint8_t { silence, close, itself, another, garbage };
  // What all are told, again and again: who is coordinator. On a ring, instead of a dead one, whose
  // number no trace could explain: to hold an election, of a wrong epoch.
  enum class News : std::uint8_t { nothing, itself, dead };

  Reply ping = Reply::itself;
  Reply status = Reply::itself;
  News news = News::nothing;
  NodeId dead = 0;
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
  // Publishes `id` in `directory`, by way of `scratch`, on the same file system. `algorithm`: what
  // the nodes there run. `chance` decides what is left open. Throws system_error, SetupError.
  Fake(const std::string& directory, const std::string& scratch, NodeId id,
       const Algorithm& algorithm, const Lies& lies, std::uint64_t chance);
  // Kills it. Its name stays.
  ~Fake();
  Fake(const Fake&) = delete;
  Fake& operator=(const Fake&) = delete;

 private:
  pid_t pid_ = 0;
};

// For a person who has to find out what went wrong: "answers, ping itself, …".
std::string words_of(const Lies& lies);

}  // namespace bully
