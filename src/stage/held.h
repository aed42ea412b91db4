// held.h: the messages of real processes that wait for a person, and what that person does with
// them, as a script.
//
// Beside the real processes it plays the same steps in the simulator. So it knows what each of them
// is about to send, and can tell what nothing before explains: then the process has acted by
// itself, because a timer ran out or its monitor suspects, and that becomes a step as well. A
// message for a process that is dead is refused at once, and nobody sees it but its sender: the
// simulator tells of it.
//
// It knows no terminal, no socket and no process. Read next: ../sim/play.h, ../commands/hold.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "election/algorithm.h"
#include "trace/trace.h"

namespace bully {

struct InFlight;  // ../sim/world.h

class Held {
 public:
  using Ticket = std::uint64_t;  // a message's, as in ../wire/relay.h

  // A message that waits.
  struct Entry {
    Ticket ticket = 0;
    NodeId to = 0;
    Message message;
  };

  // What is to be done with the real processes now; or `refused`: nothing, because a play could not
  // do it either.
  struct Deed {
    std::optional<Problem> refused = {};
    std::vector<Ticket> tickets = {};  // to be delivered, or dropped, in this order
    std::vector<std::pair<NodeId, Event>> orders = {};  // for processes that are led by hand
  };

  // All these run, and all follow the one that the algorithm prefers among them; no message is on
  // its way. REQUIRES: can_name(ids).
  Held(const Algorithm& algorithm, const std::vector<NodeId>& ids);
  ~Held();
  Held(Held&&) noexcept;

  // Whether the simulator has room for ids so high, and there is one.
  static bool can_name(const std::vector<NodeId>& ids);

  // What is seen. A message of an election that waits from now on.
  void on_sent(const Message& message, NodeId to, Ticket ticket);
  void on_start(NodeId id);
  // The messages for it are lost: drop them.
  Deed on_end(NodeId id, bool has_left);
  // It has been sent SIGSTOP; or SIGCONT, which makes a process start over though it ran.
  void on_stop(NodeId id);
  void on_go_on(NodeId id);

  // What the person does.
  Deed deliver(Ticket ticket) { return act_on("deliver", ticket); }
  Deed drop(Ticket ticket) { return act_on("drop", ticket); }
  Deed deliver_all();
  // The timer that runs at this process; what this process thinks of the one that it watches.
  Deed expire(NodeId id);
  Deed suspect(NodeId id);

  // Those that wait, in the order in which they would arrive; last, those that nothing explains.
  const std::vector<Entry>& waiting() const { return waiting_; }
  // Whether this process is alive, as far as has been told here.
  bool runs(NodeId id) const;
  // Whether a process that can is about to send something.
  bool awaits_any() const;
  // The place of the selected one. REQUIRES: one waits.
  std::size_t selected() const { return selected_; }
  // Selects another, `steps` further on. The selection stays with it while it waits.
  void move_selection(std::ptrdiff_t steps);

  // The script so far: its settings and `nodes`; its steps; and in the end, what a play must lead
  // to. What nothing explained stands there as comments: such a play may be another.
  const std::vector<std::string>& lines() const { return lines_; }
  bool is_explained() const { return is_explained_; }
  std::string script() const;

 private:
  class Model;

  std::unique_ptr<Model> replayed() const;
  std::optional<Problem> take(const std::vector<std::string>& lines);
  bool is_unseen(const InFlight& entry) const;
  bool assign(const Message& message, NodeId to, Ticket ticket);
  bool explain(const Message& message, NodeId to, Ticket ticket);
  std::string step(const std::string& verb, const Message& message, NodeId to) const;
  Deed act(const std::string& line, std::vector<Ticket> tickets);
  Deed act_on(const char* verb, Ticket ticket);
  void refresh();

  std::string beginning_;
  std::vector<std::string> lines_;
  std::unique_ptr<Model> model_;
  // By sender and its number in the model.
  std::map<std::pair<NodeId, std::uint64_t>, Ticket> tickets_;
  std::vector<Entry> strangers_;  // that nothing explains
  std::vector<Entry> waiting_;
  std::size_t selected_ = 0;
  Ticket chosen_ = 0;  // the one that was selected last; 0: it is gone, or none was
  bool is_explained_ = true;
};

}  // namespace bully
