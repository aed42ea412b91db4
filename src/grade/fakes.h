// fakes.h: the fake processes of an exam (README.md says what a fake is). Its messages have the two
// fields of the example.
//
// A fake sees all processes that live; but fakes below all processes of the program do not see
// each other, so that one alone asks.
//
// Read next: exam.h.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "election/protocol.h"
#include "grade/exam_links.h"
#include "grade/processes.h"
#include "values/grade.h"

namespace bully {

// The end of a connection after its bytes were sent.
enum class Ending : std::uint8_t { closed, kept };

class Exam;

class Fakes {
 public:
  explicit Fakes(Exam& exam);
  ~Fakes();
  Fakes(const Fakes&) = delete;
  Fakes& operator=(const Fakes&) = delete;

  // --- The cast ---

  // A fake with its name, which takes part in no election yet. Its id is higher than all before; if
  // ids are PIDs, it is that of a process that does nothing else. Otherwise throws Unclear.
  NodeId add(Deviation deviation = "none");
  NodeId add_as(NodeId id, Deviation deviation = "none");
  // It starts, or it was stopped and continues: by its rules it starts an election.
  void start(NodeId id);
  // It comes, wins since none that lives is higher, and announces itself. All other fakes follow
  // it, even before they come.
  void coordinate(NodeId id);
  // From now on it does this otherwise.
  void deviate(NodeId id, Deviation deviation);
  // It announces itself to all processes of the program that are higher, though they live.
  void usurp(NodeId id);
  // It dies; or it leaves, and takes its name with it.
  void end(NodeId id);
  void leave(NodeId id);

  Ids live() const;  // from the lowest
  // True if it follows itself.
  bool is_coordinator(NodeId id) const;
  // Of all fakes so far, by their latest part.
  const std::map<NodeId, Deviation>& deviations() const { return deviations_; }

  // --- Bytes that no rule sends ---

  // A message of this role, as often, each on its own connection.
  void send_role(NodeId from, NodeId to, Role role, std::size_t times = 1);
  // Of this process, which has no name there.
  void ping(NodeId to, std::size_t times);
  // On one connection.
  void send_bytes(NodeId to, std::string_view bytes, Ending ending);

  // The number of connections that it has closed, or replied on: a sign that it takes messages.
  std::size_t taken_by(NodeId id) { return taken_[id]; }
  bool answered_on_same_connection() const { return answered_here_; }

  // --- For the exam's loop ---

  void add_to(std::vector<pollfd>& polled) const;
  void serve();

 private:
  struct Accepted {
    Descriptor connection;
    std::string bytes = {};
  };
  // A fake's election and its sockets: it has no process, and so no node that could hold them.
  struct Fake {
    std::unique_ptr<Protocol> protocol;
    Deviation deviation = "none";
    Descriptor listener = {};  // none: it is dead
    std::vector<Accepted> connections = {};
    pid_t placeholder = 0;
  };
  struct Outgoing {
    NodeId from;
    NodeId to;
    MessageType type;
    Time until;  // its receiver's backlog may be full for this long
  };
  struct SentBytes {
    Descriptor connection;
    NodeId to;
    bool may_be_answered;
    Time until;
  };

  static bool has_started(const Fake& fake);
  void handle(NodeId id, const Event& event);
  bool try_to_send(const Outgoing& one);
  void take_messages();
  void read_replies();
  void send_waiting();
  void ping_all();
  Ids seen_by(NodeId viewer) const;

  Exam& exam_;  // of which it is a part
  std::map<NodeId, Fake> fakes_;
  std::map<NodeId, Deviation> deviations_;
  std::deque<std::pair<NodeId, Message>> arrived_;  // not yet handled, by receiver
  std::vector<Outgoing> outgoing_;
  std::vector<SentBytes> sent_bytes_;
  std::map<NodeId, std::size_t> taken_;
  bool answered_here_ = false;
  Time next_ping_{0};
};

}  // namespace bully
