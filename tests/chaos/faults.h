// faults.h: what chaos does to nodes, and how it ends each of its faults.
//
// Every fault has a name, by which it can be asked for alone. What must hold afterwards is for the
// driver to say, but for what only the fault itself can see: that a node left when it was told to,
// or gave its reason when it did not start. Read next: faults.cc, then chaos.cc.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "chaos/timing.h"
#include "support/arena.h"
#include "support/fake.h"

namespace bully {

inline constexpr NodeId witness = 1;  // the lowest id; only its monitor is ever hit

using FaultNames = std::set<std::string, std::less<>>;

class Faults {
 public:
  // The names of all faults.
  static std::vector<std::string_view> names();

  // `chosen`: which faults; empty: all. At most `max_nodes` are there at a time. All outlive this.
  Faults(Arena& arena, const Algorithm& algorithm, const Timing& timing, std::size_t max_nodes,
         const FaultNames& chosen, std::uint64_t seed);

  // Starts all nodes.
  void begin();
  // Does one to three things.
  void strike();
  // Ends what does not end by itself: who was stopped goes on, who lies dies. What is left is what
  // can be left for good: names, terminals, limits, monitors that are stopped.
  void stop();
  // Removes what nodes must leave alone; whether it was all there still.
  bool tidy_up();

  // What was done since strike(), for a person who has to find out what went wrong.
  const std::string& done() const { return done_; }
  // What a node did wrong under a fault, since strike(); nothing where none did.
  const std::string& wrong() const { return wrong_; }

 private:
  struct Fault;
  static const std::vector<Fault>& table();
  bool is_chosen(std::string_view name) const;

  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  bool one_in(std::uint64_t many) { return below(many) == 0; }
  NodeId new_id();
  NodeId any_node();
  NodeId highest() const { return arena_.nodes().back(); }
  NodeId highest_or_any() { return one_in(2) ? highest() : any_node(); }
  bool is_hittable(NodeId id) const { return id != witness && arena_.has(id); }

  void one_fault();
  void start(NodeId id, const Surroundings& surroundings = {});
  void come();
  void kill(NodeId id);
  void make_room();

  void kill_highest() { kill(highest()); }
  void kill_several();
  void kill_any() { kill(any_node()); }
  void kill_a_monitor();
  void kill_in_mid_election();
  void stop_one();
  void stop_monitors();
  void stop_groups();
  void leave();
  void replace_at_once();
  void throw_garbage();
  void send_in_liars();
  void send_in_one_liar(Duration life, bool promises);
  void start_in_unread_terminal();
  void start_with_few_descriptors();
  void plant_stale_names();
  void plant_odd_names();

  void note(const std::string& what);
  void note(const std::string& what, NodeId id);
  std::string name_of(NodeId id) const { return arena_.directory() + '/' + std::to_string(id); }

  Arena& arena_;
  const Algorithm& algorithm_;
  const Timing& timing_;
  std::size_t max_nodes_;
  const FaultNames& chosen_;
  std::mt19937_64 random_;
  std::set<NodeId> used_;
  std::set<NodeId> dead_;
  std::set<NodeId> stopped_;
  std::set<NodeId> fresh_;  // started since strike()
  std::vector<std::unique_ptr<Fake>> fakes_;
  Time fakes_until_{};  // they lie until then
  std::vector<NodeId> stale_names_;
  std::map<std::string, Descriptor> odd_names_;  // paths, and what is open there
  std::string done_;
  std::string wrong_;
};

}  // namespace bully
