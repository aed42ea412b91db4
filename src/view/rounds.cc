#include "view/rounds.h"

#include <algorithm>
#include <functional>
#include <tuple>

#include "view/looks.h"

namespace bully {

namespace {

// Announcements last; else by depth, and answers first.
using Place = std::tuple<bool, unsigned, bool>;

bool is_message(const Record& record) {
  return record.event == TraceEvent::send || record.event == TraceEvent::receive ||
         record.event == TraceEvent::lost;
}

std::pair<NodeId, std::uint64_t> key_of(const Record& record) {
  return {record.from, record.number.value_or(0)};
}

// The place of each message, by its sender and number.
std::map<std::pair<NodeId, std::uint64_t>, Place> places_of(std::span<const Record> records) {
  std::map<std::pair<NodeId, std::uint64_t>, Place> places;
  std::map<NodeId, unsigned> heard;  // the deepest message that each has received
  for (const Record& record : records) {
    if (!is_message(record)) continue;
    if (record.event == TraceEvent::send) {
      const MessageLook& look = look_of(record.type);
      const unsigned depth = heard[record.node] + 1;
      places[key_of(record)] =
          look.announces ? Place(true, 0, false) : Place(false, depth, !look.answers);
    } else if (record.event == TraceEvent::receive && places.contains(key_of(record))) {
      unsigned& depth = heard[record.node];
      depth = std::max(depth, std::get<1>(places[key_of(record)]));
    }
  }
  return places;
}

// The round in which a message belongs; 0 for those that were sent before the first record.
using RoundOf = std::function<std::size_t(const Record&)>;
RoundOf round_of_messages(std::span<const Record> records, std::size_t count) {
  auto places = places_of(records);
  std::vector<Place> all;
  all.reserve(places.size());
  for (const auto& [key, place] : places) all.push_back(place);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return [places = std::move(places), all = std::move(all), count](const Record& record) {
    const auto place = places.find(key_of(record));
    if (place == places.end()) return std::size_t{0};
    const auto at = std::lower_bound(all.begin(), all.end(), place->second) - all.begin();
    return std::min(static_cast<std::size_t>(at), count - 1);
  };
}

// The round in which each record's effect is first to be seen: never before that of an earlier one
// of its node. A change belongs to the sends that it leads to, or else to what led to it.
std::vector<std::size_t> rounds_by_record(std::span<const Record> records,
                                          const RoundOf& round_of) {
  std::vector<std::size_t> rounds(records.size());
  std::map<NodeId, std::size_t> latest;
  std::map<NodeId, std::vector<std::size_t>> undecided;  // changes that may lead to a send
  for (std::size_t i = 0; i < records.size(); ++i) {
    const NodeId node = records[i].node;
    if (!is_message(records[i])) {
      rounds[i] = latest[node];
      undecided[node].push_back(i);
      continue;
    }
    rounds[i] = std::max(latest[node], round_of(records[i]));
    if (records[i].event == TraceEvent::send) {
      for (const std::size_t change : undecided[node]) rounds[change] = rounds[i];
    }
    undecided[node].clear();
    latest[node] = rounds[i];
  }
  return rounds;
}

}  // namespace

void learn(std::map<NodeId, Standing>& standings, const Record& record) {
  Standing& standing = standings[record.node];
  if (record.event == TraceEvent::start) standing = {};
  if (record.event == TraceEvent::state) {
    standing.state = record.state;
    standing.variables = record.variables;
  }
  // Whoever holds an election, or waits for its end, follows nobody; no record says so.
  const bool electing = look_of_state(record.state).holds_election;
  if (record.event == TraceEvent::state && electing) standing.coordinator.reset();
  if (record.event == TraceEvent::coordinator) standing.coordinator = record.coordinator;
}

std::vector<Round> rounds_of(std::span<const Record> records,
                             const std::map<NodeId, Standing>& before, std::size_t count) {
  if (count == 0) return {};
  const RoundOf round_at = round_of_messages(records, count);
  const auto by_record = rounds_by_record(records, round_at);
  std::map<std::pair<NodeId, std::uint64_t>, std::pair<std::size_t, std::size_t>> arrow_at;
  std::vector<Round> rounds(count);
  auto standings = before;
  for (std::size_t round = 0; round < count; ++round) {
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (by_record[i] == round) learn(standings, records[i]);
    }
    rounds[round].standings = standings;
  }
  for (const Record& record : records) {
    if (record.event != TraceEvent::send || is_about_ping(record)) continue;
    const std::size_t round = round_at(record);
    arrow_at[key_of(record)] = {round, rounds[round].arrows.size()};
    rounds[round].arrows.push_back({record.type, record.from, record.to, false, record.subject});
  }
  for (const Record& record : records) {
    const auto at = arrow_at.find(key_of(record));
    if (record.event != TraceEvent::lost || at == arrow_at.end()) continue;
    rounds[at->second.first].arrows[at->second.second].lost = true;
  }
  return rounds;
}

}  // namespace bully
