// oracle_ring.cc: what an election on a ring owes besides, as the oracle understands it.

#include <algorithm>
#include <map>
#include <set>

#include "oracle/oracle_run.h"

namespace bully::oracle {

namespace {

std::string broken(const char* property, NodeId node, Index i) {
  return std::string(property) + ": " + std::to_string(node) + " at " + std::to_string(i + 1);
}

// What goes round the ring in one election: all messages of it but those that ask for one.
bool goes_round(const Record& record) {
  if (!is_about_message(record)) return false;
  const Role role = record.type->role;
  return role == Role::claims || role == Role::passes_on || role == Role::spreads;
}

bool is_end_of(const Record& end, const Record& sent) {
  return sent.event == TraceEvent::send && end.type == sent.type && end.from == sent.from &&
         end.to == sent.to && end.number == sent.number && end.values == sent.values;
}

// What one process sends to another arrives in the order of sending.
std::string broken_fifo(const Run& run) {
  struct Link {
    Index life;  // of the sender
    NodeId to;
    auto operator<=>(const Link&) const = default;
  };
  std::map<Link, Index> latest;  // the sending of what has arrived
  std::set<Index> arrived;
  for (Index i = 0; i < run.records.size(); ++i) {
    const Record& receipt = run.records[i];
    if (receipt.event != TraceEvent::receive || is_about_ping(receipt)) continue;
    for (Index sent = 0; sent < i; ++sent) {
      if (!is_end_of(receipt, run.records[sent]) || !arrived.insert(sent).second) continue;
      Index& before = latest[{run.life_of[sent], receipt.to}];
      if (sent < before) return broken("fifo", receipt.node, i);
      before = sent;
      break;
    }
  }
  return {};
}

// Who hears a second neighbour in one election says nothing more in it.
std::string broken_neighbour(const Run& run) {
  for (const Life& life : run.lives) {
    std::map<std::optional<std::uint64_t>, NodeId> neighbour;
    std::set<std::optional<std::uint64_t>> is_void;
    for (const Index i : life.own) {
      const Record& record = run.records[i];
      if (!goes_round(record)) continue;
      if (record.event == TraceEvent::send && is_void.contains(record.epoch()))
        return broken("one-neighbour", life.node, i);
      // Who takes part in none hears nobody.
      if (record.event != TraceEvent::receive ||
          run.standing(life, i - 1).role == StateRole::joining) {
        continue;
      }
      const auto [first, is_new] = neighbour.try_emplace(record.epoch(), record.from);
      if (first->second != record.from) is_void.insert(record.epoch());
    }
  }
  return {};
}

// The ids that this message carries round.
std::vector<NodeId> numbers_in(const Record& record) {
  std::vector<NodeId> numbers = record.values.list();
  for (const Field* field : record.type->fields) {
    if (field == nullptr || field->meaning != Field::Meaning::id) continue;
    if (const auto value = record.get(*field)) numbers.push_back(*value);
  }
  return numbers;
}

// Whether this process has sent its own id in this election.
bool takes_part(const Run& run, NodeId node, std::optional<std::uint64_t> epoch) {
  return std::ranges::any_of(run.records, [&](const Record& record) {
    const bool is_own = record.event == TraceEvent::send && record.node == node;
    if (!is_own || !goes_round(record) || record.epoch() != epoch) return false;
    return std::ranges::count(numbers_in(record), node) > 0;
  });
}

// Each number that goes round is the id of one that takes part.
std::string broken_numbers(const Run& run) {
  for (Index i = 0; i < run.records.size(); ++i) {
    const Record& record = run.records[i];
    if (record.event != TraceEvent::send || !goes_round(record)) continue;
    for (const NodeId number : numbers_in(record)) {
      const Life* life = run.latest(number, i);
      if (life == nullptr) return broken("own-numbers", record.node, i);
      if (!takes_part(run, number, record.epoch()))
        return broken("own-numbers, of an earlier election", record.node, i);
    }
  }
  return {};
}

// One election on a ring: all that is said in it, by its number.
struct Lap {
  Index first = no_line;
  Index last = 0;
  std::uint64_t sent = 0;
  bool is_strange = false;  // a message to a process that is not there yet: clocks disagree
};

// Whether anything comes between: a process begins or ends or is stopped, waits in vain or suspects
// one that is there, or loses a message to one that was; or a second election.
bool is_disturbed(const Run& run, std::optional<std::uint64_t> epoch, const Lap& lap) {
  for (Index i = lap.first; i <= lap.last; ++i) {
    const Record& record = run.records[i];
    const bool is_other = goes_round(record) && record.epoch() != epoch;
    const bool is_fault =
        record.event == TraceEvent::start || record.event == TraceEvent::leave ||
        record.event == TraceEvent::timeout || is_act(record) ||
        (record.event == TraceEvent::suspect && run.alive(*record.coordinator, i) != nullptr);
    if (is_other || is_fault) return true;
    if (record.event != TraceEvent::lost) continue;
    const Life* to = run.latest(record.to, i);
    const bool was_there = to != nullptr && !to->own.empty() && to->own.back() >= lap.first;
    if (record.reason != "gone" || was_there) return true;
  }
  return false;
}

// An election that nothing disturbs keeps within the bound. What is lost to one that has gone
// before does not count, and nor does that one.
std::string broken_bound(const Run& run) {
  // A process that has just come may use the number of an earlier election.
  std::map<std::pair<Index, std::optional<std::uint64_t>>, Lap> laps;
  Index latest_start = 0;
  for (Index i = 0; i < run.records.size(); ++i) {
    const Record& record = run.records[i];
    if (record.event == TraceEvent::start) latest_start = i;
    if (!goes_round(record)) continue;
    Lap& lap = laps[{latest_start, record.epoch()}];
    lap.first = std::min(lap.first, i);
    lap.last = i;
    if (record.event == TraceEvent::send) ++lap.sent;
    lap.is_strange = lap.is_strange || run.latest(record.to, i) == nullptr;
    if (record.event == TraceEvent::lost && lap.sent > 0) --lap.sent;
  }
  for (const auto& [key, lap] : laps) {
    if (lap.is_strange || is_disturbed(run, key.second, lap)) continue;
    std::size_t n = 0;
    for (const Life& life : run.lives) n += run.is_alive(life, lap.last) ? 1 : 0;
    if (lap.sent > election_total(run.algorithm->bound(n)))
      return broken("within-bound", run.records[lap.last].node, lap.last);
  }
  return {};
}

}  // namespace

std::string broken_ring(const Run& run) {
  return first_broken(run, {{properties::fifo, broken_fifo},
                            {properties::fifo, broken_neighbour},
                            {properties::fifo, broken_numbers},
                            {properties::within_bound, broken_bound}});
}

}  // namespace bully::oracle
