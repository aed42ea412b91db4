// timeline.cc: lives of processes, and pairs of sendings and receipts.
#include "trace/timeline.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace bully {

namespace {

// Far above the time that a machine under load needs between two steps, far below the time that a
// class waits.
constexpr std::int64_t min_outage_ns = 2'000'000'000;

// With --pace messages are slow: a node counts as absent after this many usual delays.
constexpr std::int64_t usual_delays = 4;

// True if the node itself did this. Its monitor's pings and other processes' acts on it are not its
// own steps.
bool is_own_step(const Record& record) {
  const bool is_monitors_ping = record.event == TraceEvent::send && record.type == messages::ping;
  const bool only_says_why = record.event == TraceEvent::rule;
  return !is_monitors_ping && !only_says_why && !is_act_on(record);
}

std::vector<const Algorithm*> algorithms_in(const Records& records) {
  std::set<const Algorithm*> named;
  std::set<MessageType> spoken;
  for (const auto& [i, record] : records) {
    if (record.event == TraceEvent::start) {
      named.insert(&algorithm_named(record.algorithm));
    } else if (is_about_election(record)) {
      spoken.insert(record.type);
    }
  }
  std::vector<const Algorithm*> found;
  for (const Algorithm& algorithm : algorithms()) {
    const auto speaks = [&](MessageType type) { return algorithm.speaks(type); };
    const bool runs = named.empty() ? found.empty() && std::ranges::all_of(spoken, speaks)
                                    : named.contains(&algorithm);
    if (runs) found.push_back(&algorithm);
  }
  if (found.empty()) found.push_back(&default_algorithm());
  return found;
}

// --- Incarnations and messages ---

// True if the record is another process's, or follows the end of this one; a loss may appear
// later.
bool is_of_successor(const Record& record, const Incarnation& incarnation) {
  if (is_act_on(record)) return false;  // it may lack the PID
  if (record.pid != incarnation.pid) return true;
  const bool is_monitors_ping = record.event == TraceEvent::send && is_about_ping(record);
  return incarnation.gone != no_record && record.event != TraceEvent::lost && !is_monitors_ping;
}

// True if this is the line of its start once more.
bool is_twice(const Records& records, const Incarnation& incarnation, const Record& start) {
  const Record first = records[incarnation.first];
  return incarnation.gone == no_record && first.event == TraceEvent::start &&
         first.pid == start.pid && first.t_ns == start.t_ns;
}

void end_life(Incarnation& incarnation, std::size_t i) {
  incarnation.gone = std::min(incarnation.gone, i);
  incarnation.shown_dead = std::min(incarnation.shown_dead, i);
}

void extend(Incarnation& incarnation, const Record& record, std::size_t i) {
  const bool is_act = is_act_on(record);
  const Waits waits = environment_of(record).waits;
  if (!waits.detector.empty()) incarnation.waits = waits;
  if (is_own_step(record)) incarnation.last = i;
  if (incarnation.last == i || is_act) incarnation.last_sign = i;
  // It records all sendings of several messages first, and then each loss.
  const bool sends = record.event == TraceEvent::send || record.event == TraceEvent::lost;
  if (!sends && !is_act) incarnation.last_but_sendings = i;
  if (is_of_step(record) && record.event != TraceEvent::rule) incarnation.last_step = i;
  if (record.event == TraceEvent::leave) incarnation.left = true;
  if (ends_life(record)) end_life(incarnation, i);
}

// A timeline with nodes and incarnations, and with no end but those that they record themselves.
Timeline lives_in(const Records& records) {
  Timeline timeline;
  std::unordered_map<NodeId, std::size_t> latest;  // the latest record of each node
  std::vector<Incarnation>& incarnations = timeline.incarnations;
  timeline.incarnation_of.reserve(records.size());
  for (const auto& [i, record] : records) {
    std::vector<std::size_t>& lives = timeline.lives[record.node];
    const bool is_first = lives.empty();
    const bool begins = record.event == TraceEvent::start &&
                        (is_first || !is_twice(records, incarnations[lives.back()], record));
    if (is_first || begins || is_of_successor(record, incarnations[lives.back()])) {
      if (is_first) timeline.nodes.push_back(record.node);
      if (!is_first) end_life(incarnations[lives.back()], i);
      lives.push_back(incarnations.size());
      // A process killed before its first line did nothing.
      incarnations.push_back({.node = record.node,
                              .pid = record.pid,
                              .first = i,
                              .last = i,
                              .begins = begins || is_act_on(record),
                              .last_sign = i,
                              .hears_from = is_first ? 0 : latest[record.node] + 1});
    }
    latest[record.node] = i;
    timeline.incarnation_of.push_back(static_cast<std::uint32_t>(lives.back()));
    extend(incarnations[lives.back()], record, i);
  }
  std::ranges::sort(timeline.nodes);
  return timeline;
}

// Takes the sending of receipt or loss `i` out of the open sendings, and returns it: the earliest
// that fits, as messages to one receiver arrive in the order of sending. But an incarnation may
// never have seen a ping from a monitor that was replaced since. And a new incarnation may have
// missed messages sent before its predecessor's last record, whose socket is closed. It may receive
// messages sent before its own `start`, since it listens before that.
//
// A sender records a sending before it sends. If it loses the processor in between, or finds a
// full backlog, a new incarnation receives the message for the old one: then the latest sending
// with that number fits.
std::uint32_t take_sending(const Records& records, const Record& record, std::size_t hears_from,
                           std::vector<std::uint32_t>& open) {
  const bool is_receipt = record.event == TraceEvent::receive;
  const auto fits = [&](std::size_t sending) {
    return is_receipt ? sending >= hears_from : records[sending].pid == record.pid;
  };
  auto found = std::ranges::find_if(open, fits);
  if (found != open.end() && (!is_receipt || is_about_ping(record))) {
    found = std::prev(std::find_if(open.rbegin(), open.rend(), fits).base());
  }
  if (found == open.end() && is_receipt && record.number && !open.empty()) --found;
  if (found == open.end()) return no_record;
  const std::uint32_t sending = *found;
  open.erase(found);
  return sending;
}

// Timeline::partner. Keeps, for each message, the sendings that have no receipt yet.
std::vector<std::uint32_t> partners(const Records& records, const Timeline& timeline) {
  std::map<MessageName, std::vector<std::uint32_t>> open;
  std::vector<std::uint32_t> partner(records.size(), no_record);
  for (const auto& [i, record] : records) {
    if (!is_about_message(record)) continue;
    const MessageName sent = name_of_message(record);
    const auto place = static_cast<std::uint32_t>(i);
    if (record.event == TraceEvent::send) {
      open[sent].push_back(place);
      continue;
    }
    const auto sendings = open.find(sent);
    if (sendings == open.end()) continue;
    const Incarnation& own = timeline.incarnations[timeline.incarnation_of[i]];
    const std::uint32_t sending = take_sending(records, record, own.hears_from, sendings->second);
    if (sending == no_record) continue;
    partner[i] = sending;
    partner[sending] = place;
    if (sendings->second.empty()) open.erase(sendings);
  }
  return partner;
}

// The median.
std::int64_t usual_delay(const Records& records, const Timeline& timeline) {
  std::vector<std::int64_t> delays;
  for (const auto& [i, record] : records) {
    const std::size_t sending = timeline.partner[i];
    if (record.event != TraceEvent::receive || is_about_ping(record)) continue;
    if (sending != no_record) delays.push_back(record.t_ns - records[sending].t_ns);
  }
  if (delays.empty()) return 0;
  const auto middle = delays.begin() + static_cast<std::ptrdiff_t>(delays.size() / 2);
  std::nth_element(delays.begin(), middle, delays.end());
  return *middle;
}

// --- Ends ---

// The incarnations with the first sign of each one's end after its last record; a later step or act
// shows that it was not gone.
std::vector<Incarnation> ended(const Records& records, const Timeline& timeline) {
  std::vector<Incarnation> incarnations = timeline.incarnations;
  const auto end_if_silent = [&](NodeId node, std::size_t i) {
    const Incarnation* silent = incarnation_at(timeline, node, i);
    if (silent == nullptr || i <= silent->last) return;
    // The killer of a process records that a moment later than others may find the process gone.
    const std::size_t sign = silent->last_sign;
    if (sign > i && records[sign].event != TraceEvent::crash) return;
    end_life(incarnations[timeline.index_of(*silent)], i);
  };
  for (const auto& [i, record] : records) {
    if (says_gone(record)) end_if_silent(spoken_of(record), i);
  }
  return incarnations;
}

// --- Silence ---

bool may_arrive(const Records& records, const Timeline& timeline, const Record& record,
                std::size_t i) {
  if (record.event != TraceEvent::send || is_about_ping(record)) return false;
  const std::size_t end = timeline.partner[i];
  return end == no_record || records[end].event != TraceEvent::lost ||
         records[end].reason == "deadline";
}

// A message asks its receiver for a step, and so does the suspicion that it hangs.
std::vector<Outage> outages_in(const Records& records, const Timeline& timeline) {
  std::vector<Outage> outages;
  const auto end_silence = [&](std::size_t incarnation, std::size_t from, std::size_t to) {
    if (from == no_record) return;
    // The last record that is no TraceEvent::end, if it never reacts again.
    std::size_t until = std::min(to, records.size() - 1);
    while (until > 0 && records[until].event == TraceEvent::end) --until;
    if (records[until].t_ns - records[from].t_ns <= timeline.outage_ns) return;
    outages.push_back({incarnation, from, to});
  };
  std::vector<std::size_t> asked(timeline.incarnations.size(), no_record);
  for (const auto& [i, record] : records) {
    const std::size_t own = timeline.incarnation_of[i];
    if (is_own_step(record)) end_silence(own, std::exchange(asked[own], no_record), i);
    const bool is_hung = record.event == TraceEvent::suspect && record.reason == "hung";
    if (!is_hung && !may_arrive(records, timeline, record, i)) continue;
    const Incarnation* to = incarnation_at(timeline, spoken_of(record), i);
    if (to == nullptr || timeline.index_of(*to) == own || to->gone <= i) continue;
    asked[timeline.index_of(*to)] = std::min(asked[timeline.index_of(*to)], i);
  }
  for (std::size_t k = 0; k < asked.size(); ++k) {
    end_silence(k, asked[k], timeline.incarnations[k].gone);
  }
  std::ranges::sort(outages, {}, &Outage::from);
  return outages;
}

std::vector<NodeId> names_only_in(const Records& records, const Timeline& timeline) {
  std::set<NodeId> names;
  for (const auto& [i, record] : records) {
    // A node that was killed while it sent may have recorded sendings that never left.
    const Incarnation& teller = timeline.incarnations[timeline.incarnation_of[i]];
    const bool has_left = i < teller.last_but_sendings || teller.shown_dead == no_record;
    if (record.event == TraceEvent::receive) names.insert(record.from);
    if (record.event == TraceEvent::coordinator) names.insert(*record.coordinator);
    if (has_left && may_arrive(records, timeline, record, i)) names.insert(record.to);
  }
  std::vector<NodeId> names_only;
  std::ranges::set_difference(names, timeline.nodes, std::back_inserter(names_only));
  return names_only;
}

}  // namespace

bool says_gone(const Record& record) {
  return (record.event == TraceEvent::lost && record.reason == "gone") ||
         (record.event == TraceEvent::suspect && record.reason == "down");
}

Sign sign_of(const Record& record) {
  if (record.event == TraceEvent::coordinator) return {Sign::Kind::follows, record.coordinator};
  if (record.event != TraceEvent::state) return {};
  if (is_coordinating(record.state)) return {Sign::Kind::wins, record.node};
  return {is_settled(record.state) ? Sign::Kind::none : Sign::Kind::holds};
}

Timeline timeline_of(const Trace& trace) {
  const Records& records = trace.records;
  Timeline timeline = lives_in(records);
  timeline.algorithms = algorithms_in(records);
  timeline.partner = partners(records, timeline);
  timeline.outage_ns = std::max(min_outage_ns, usual_delays * usual_delay(records, timeline));
  timeline.incarnations = ended(records, timeline);
  for (std::size_t k = 0; k < timeline.incarnations.size(); ++k) {
    timeline.ends.emplace(timeline.incarnations[k].gone, k);
  }
  timeline.outages = outages_in(records, timeline);
  timeline.names_only = names_only_in(records, timeline);
  return timeline;
}

const Incarnation* incarnation_at(const Timeline& timeline, NodeId node, std::size_t record) {
  const auto lives = timeline.lives.find(node);
  if (lives == timeline.lives.end()) return nullptr;
  const auto first_of = [&](std::size_t incarnation) {
    return timeline.incarnations[incarnation].first;
  };
  const auto next = std::ranges::upper_bound(lives->second, record, {}, first_of);
  return next == lives->second.begin() ? nullptr : &timeline.incarnations[*std::prev(next)];
}

}  // namespace bully
