// checkers_ring.cc: violations of an election on a ring, and of the links that it needs.
#include <algorithm>
#include <array>
#include <map>

#include "election/ring_order.h"
#include "trace/checkers.h"

namespace bully {

namespace {

// True if the message carries a number or a list round in an election, as all do except requests
// for an election.
bool carries_number(const Record& record) {
  if (!is_about_election(record) || !record.epoch()) return false;
  return record.values.shown(record.type) || !record.values.list().empty();
}

FieldValues::List numbers_of(const Record& record) {
  FieldValues::List numbers = record.values.list();
  if (const auto shown = record.values.shown(record.type)) numbers.push_back(*shown);
  return numbers;
}

struct Member {
  std::optional<std::uint64_t> epoch = std::nullopt;
  std::size_t heard = no_record;   // its neighbour's first message
  std::size_t second = no_record;  // another process's

  void hear(const Record& record, std::size_t i, const CheckedRun& run) {
    if (epoch && *record.epoch() < *epoch) return;
    if (record.epoch() != epoch) {
      // An election begins with numbers, and ends with the leader's.
      if (record.type->role != Role::spreads) *this = {record.epoch(), i};
    } else if (heard == no_record) {
      heard = i;
    } else if (run.at(heard).from != record.from && second == no_record) {
      second = i;
    }
  }

  void go_on(const Record& record, std::size_t i, const CheckedRun& run) {
    if (!epoch || *record.epoch() > *epoch) {
      *this = {record.epoch()};
    } else if (record.epoch() == epoch && second != no_record) {
      run.violation(properties::one_neighbour, "heard_two", record.node, run.at(second).from,
                    {heard, second, i});
      heard = second = no_record;  // once is enough
    }
  }
};

}  // namespace

// [DKR82] Links are FIFO: messages from one process to another arrive in the order of sending.
void check_fifo(const CheckedRun& run) {
  struct Arrival {
    std::size_t sending;
    std::size_t receipt;
  };
  // By the incarnations of sender and receiver: the latest sent message that has arrived.
  std::map<std::pair<std::size_t, std::size_t>, Arrival> latest;
  const Timeline& timeline = run.timeline;
  for (const auto& [i, record] : run.trace.records) {
    const std::size_t sending = timeline.partner[i];
    if (record.event != TraceEvent::receive || !is_about_election(record)) continue;
    if (sending == no_record) continue;
    const std::pair link(timeline.incarnation_of[sending], timeline.incarnation_of[i]);
    const auto [found, is_first] = latest.try_emplace(link, Arrival{sending, i});
    Arrival& last = found->second;
    if (!is_first) run.test(properties::fifo);
    if (last.sending > sending) {
      run.violation(properties::fifo, "overtaken", record.node, record.from,
                    {sending, last.sending, last.receipt, i});
    } else {
      last = {sending, i};
    }
  }
}

// [DKR82] Each process hears only from its anticlockwise neighbour. A message from a second one in
// the same election shows that the ring has changed: to go on with that election is wrong.
void check_one_neighbour(const CheckedRun& run) {
  // By Direction. In either direction it passes on the messages of both sides.
  std::vector<std::array<Member, 2>> members(run.timeline.incarnations.size());
  for (const auto& [i, record] : run.trace.records) {
    std::array<Member, 2>& sides = members[run.timeline.incarnation_of[i]];
    const bool is_sent = record.event == TraceEvent::send;
    // A process whose requests timed out may forget the latest epoch, and take part in it again.
    if (is_sent && record.type->role == Role::joins) sides = {};
    if (!carries_number(record)) continue;
    for (Member& side : sides) {
      if (is_sent) side.go_on(record, i, run);
    }
    Member& side = sides.at(record.get(fields::anticlockwise) ? 1 : 0);
    if (record.event != TraceEvent::receive) continue;
    run.test(properties::one_neighbour);
    side.hear(record, i, run);
  }
}

// [DKR82] Every process is responsible for a number, at first its own id: no other goes round.
void check_own_numbers(const CheckedRun& run) {
  using Number = std::pair<std::uint64_t, NodeId>;  // the epoch, and the process
  std::set<Number> own;
  std::map<Number, std::size_t> passed_on;  // the place of its first sending
  const auto& names_only = run.timeline.names_only;
  for (const auto& [i, record] : run.trace.records) {
    if (!carries_number(record)) continue;
    // No node here is to blame for a number from a process without a trace.
    const bool is_brought =
        record.event == TraceEvent::receive && std::ranges::binary_search(names_only, record.from);
    if (record.event != TraceEvent::send && !is_brought) continue;
    for (const NodeId id : numbers_of(record)) {
      const Number number{*record.epoch(), id};
      if (id == record.node || is_brought) {
        own.insert(number);
      } else {
        passed_on.try_emplace(number, i);
      }
    }
  }
  // A node may have sent its number in first lines that are missing, or in a missing trace.
  std::set<NodeId> headless = nodes_without_beginning(run.timeline);
  headless.insert(names_only.begin(), names_only.end());
  run.test(properties::own_numbers, passed_on.size());
  for (const auto& [number, i] : passed_on) {
    if (own.contains(number) || headless.contains(number.second)) continue;
    run.violation(properties::own_numbers, "foreign_number", run.at(i).node, number.second, {i});
  }
}

namespace {

// The messages that go round under one number while nothing comes between.
struct Lap {
  std::optional<std::uint64_t> epoch = std::nullopt;
  std::size_t first = no_record;
  std::size_t last = 0;
  std::uint64_t sent = 0;
  bool is_disturbed = false;
  bool was_disturbed = false;  // since its last message

  bool disturbs(const Record& record, std::size_t i, const CheckedRun& run) const {
    if (disturbs_all(record) || record.event == TraceEvent::timeout) return true;
    if (record.event != TraceEvent::lost && record.event != TraceEvent::suspect) return false;
    // A process that had gone before does not matter to this lap.
    const Incarnation* incarnation = incarnation_at(run.timeline, spoken_of(record), i);
    return incarnation != nullptr && incarnation->last_sign >= first;
  }

  void add(const Record& record, std::size_t i, const CheckedRun& run) {
    last = i;
    if (record.event == TraceEvent::send) ++sent;
    if (record.event == TraceEvent::lost && sent > 0) --sent;
    const Incarnation* to = incarnation_at(run.timeline, record.to, i);
    is_disturbed = is_disturbed || was_disturbed || to == nullptr;
  }

  void check(const CheckedRun& run) const {
    if (first == no_record || is_disturbed || run.algorithm.bound == nullptr) return;
    const auto n =
        std::ranges::count_if(run.timeline.incarnations, [&](const Incarnation& incarnation) {
          return incarnation.first <= last && incarnation.shown_dead > last;
        });
    if (sent <= election_total(run.algorithm.bound(static_cast<std::size_t>(n)))) return;
    const NodeId node = run.at(last).node;
    run.violation(properties::within_bound, "goes_on_for_ever", node, node, {first, last});
  }
};

bool goes_round(const Record& record) {
  const Role role = record.type->role;
  return role == Role::claims || role == Role::passes_on || role == Role::spreads;
}

// The messages of an election disappear from the ring in the end, also after it has been won.
void check_laps(const CheckedRun& run) {
  std::set<std::optional<std::uint64_t>> earlier;
  Lap lap;
  for (const auto& [i, record] : run.trace.records) {
    if (!goes_round(record) || record.event == TraceEvent::lost) {
      lap.was_disturbed = lap.was_disturbed || lap.disturbs(record, i, run);
      if (record.event == TraceEvent::start) earlier.clear();
    }
    if (!goes_round(record)) continue;
    if (lap.first == no_record || record.epoch() != lap.epoch) {
      lap.check(run);
      lap = {record.epoch(), i};
      lap.is_disturbed = !earlier.insert(record.epoch()).second;
    }
    lap.add(record, i, run);
  }
  lap.check(run);
}

}  // namespace

// [DKR82, CR79] An undisturbed election takes no more messages than the worst case.
void check_bound(const CheckedRun& run) {
  bool exceeds = false;
  for (std::size_t k = 0; k < run.report.elections.size(); ++k) {
    const Election& election = run.report.elections[k];
    const Figures& figures = run.report.figures[k];
    if (election.held && figures.bound && figures.textbook) run.test(properties::within_bound);
    if (!figures.exceeds_bound || !figures.textbook) continue;
    exceeds = true;
    run.violation(properties::within_bound, "more_than_bound", election.detections.front().node,
                  *election.winner, {election.first_record, election.last_record});
  }
  if (!exceeds) check_laps(run);
}

}  // namespace bully
