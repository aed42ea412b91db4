// oracle_run.h: what the oracle makes of the lines of a trace: lives, and where each of them stands
// at each line.
//
// A life is one process under one id. Indexes are places in the trace, from the earliest line on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "election/algorithm.h"
#include "election/record.h"

namespace bully::oracle {

using Index = std::size_t;
inline constexpr Index no_line = SIZE_MAX;

inline bool promises(const Algorithm& algorithm, const Property& property) {
  return std::ranges::count(algorithm.properties, &property) > 0;
}

// Where a process stands after one of its lines.
struct Standing {
  std::string_view state = {};
  StateRole role = StateRole::down;
  std::optional<NodeId> coordinator = std::nullopt;  // since it held an election last
  Variables variables = {};
};

struct Life {
  NodeId node = 0;
  std::int64_t pid = 0;
  bool has_start = false;
  std::vector<Index> lines = {};         // all about it: its own, and acts on it
  std::vector<Index> own = {};           // those that the process wrote itself
  std::vector<Standing> standings = {};  // after each of `lines`
  Index left = no_line;                  // its stop
  Index killed = no_line;                // its crash
  Index known_dead = no_line;
  // What its start says of its waits; see the definition of a verdict.
  bool has_detector = true;
  std::int64_t notice_ns = 0;

  Index first() const { return lines.front(); }
  Index last() const { return lines.back(); }
  bool has_ended() const { return left != no_line || killed != no_line; }
};

struct Run {
  std::vector<Record> records;
  const Algorithm* algorithm = nullptr;  // that the first start names
  std::vector<Life> lives = {};          // in the order in which they begin
  std::vector<Index> life_of = {};       // of each record: its place among the lives
  std::int64_t election_ns = 0;          // how long an election may take
  std::int64_t agree_ns = 0;             // and how long all of them may take to agree
  std::string_view rule_of_start = {};   // by which its processes begin, or go on after a stop

  explicit Run(std::vector<Record> all);

  Index end() const { return records.size() - 1; }
  std::int64_t t(Index i) const { return records[i].t_ns; }
  const Life& life_at(Index i) const { return lives[life_of[i]]; }

  // Whether the process is there after line `i`, as far as anybody knows.
  bool is_alive(const Life& life, Index i) const;
  // The one of this id that is there then; or null.
  const Life* alive(NodeId node, Index i) const;
  // The last one of this id that had begun by then; or null.
  const Life* latest(NodeId node, Index i) const;
  // REQUIRES: it had begun by line `i`.
  const Standing& standing(const Life& life, Index i) const;
  bool is_paused(const Life& life, Index i) const;
  // Whether it is stopped to the end, and has been for longer than any process takes for a step.
  bool is_absent(const Life& life) const;
  // Of the time between two of the lines, how much it was paused.
  std::int64_t paused_ns(const Life& life, Index from, Index to) const;

  // What a process does with a step of its own belongs to no earlier one.
  bool begins_step(Index i) const;
  // Whether the process goes on after a stop: it acts by the rule of a start without starting.
  bool goes_on_after_stop(Index i) const;

  // Whether it is coordinator, by its own lines; and whether it is, or follows one that is alive
  // and is coordinator.
  bool holds_office(const Life& life, Index i) const;
  bool is_settled(const Life& life, Index i) const;
  bool knows(const Life& life, const Life& coordinator, Index i) const;
  // Another, whom it follows.
  std::optional<NodeId> followed(const Life& life, Index i) const;
  // As the properties of the algorithms want it.
  Snapshot snapshot(const Life& life, Index i) const;

 private:
  Life& life_for(const Record& record, Index i);
  void add(Life& life, const Record& record, Index i);
  void find_the_dead();
  void find_limits();
};

bool is_named(const Record& record, std::string_view event);
bool is_act(const Record& record);
const StateKind* state_of(const Algorithm& algorithm, std::string_view name);

struct Check {
  const Property& property;
  std::string (*broken)(const Run&);
};
// The first property that the run breaks; or nothing.
std::string first_broken(const Run& run, std::initializer_list<Check> checks);
std::string broken_property(const Run& run);
std::string broken_ring(const Run& run);
std::string never_settled(const Run& run);

}  // namespace bully::oracle
