#include "view/rounds.h"

#include <algorithm>
#include <tuple>

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
      const bool announces = record.type == MessageType::coordinator;
      const unsigned depth = heard[record.node] + 1;
      places[key_of(record)] = announces ? Place(true, 0, false)
                                         : Place(false, depth, record.type != MessageType::answer);
    } else if (record.event == TraceEvent::receive && places.contains(key_of(record))) {
      unsigned& depth = heard[record.node];
      depth = std::max(depth, std::get<1>(places[key_of(record)]));
    }
  }
  return places;
}

// In which round each record belongs: a message in its own; a change in that of the sends that it
// leads to, or else in that of the message that led to it.
std::vector<std::size_t> rounds_by_record(
    std::span<const Record> records,
    const std::map<std::pair<NodeId, std::uint64_t>, Place>& places, std::size_t count) {
  std::vector<Place> all;
  for (const auto& [key, place] : places) all.push_back(place);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  const auto round_of = [&](const Record& record) {
    const auto place = places.find(key_of(record));
    if (place == places.end()) return std::size_t{0};
    const auto at = std::lower_bound(all.begin(), all.end(), place->second) - all.begin();
    return std::min(static_cast<std::size_t>(at), count - 1);
  };
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
  if (record.event == TraceEvent::state) standing.state = record.state;
  if (record.event == TraceEvent::coordinator) standing.coordinator = record.coordinator;
}

std::vector<Round> rounds_of(std::span<const Record> records,
                             const std::map<NodeId, Standing>& before, std::size_t count) {
  if (count == 0) return {};
  const auto places = places_of(records);
  const auto by_record = rounds_by_record(records, places, count);
  std::map<std::pair<NodeId, std::uint64_t>, std::pair<std::size_t, std::size_t>> arrow_at;
  std::vector<Round> rounds(count);
  auto standings = before;
  for (std::size_t round = 0; round < count; ++round) {
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (by_record[i] != round) continue;
      learn(standings, records[i]);
      if (records[i].event != TraceEvent::send || is_about_ping(records[i])) continue;
      arrow_at[key_of(records[i])] = {round, rounds[round].arrows.size()};
      rounds[round].arrows.push_back({records[i].type, records[i].from, records[i].to});
    }
    rounds[round].standings = standings;
  }
  for (const Record& record : records) {
    const auto at = arrow_at.find(key_of(record));
    if (record.event != TraceEvent::lost || at == arrow_at.end()) continue;
    rounds[at->second.first].arrows[at->second.second].lost = true;
  }
  return rounds;
}

}  // namespace bully
