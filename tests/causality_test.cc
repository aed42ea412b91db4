// causality_test.cc: receipts find their sendings, and clocks agree with what happened before what.
#include "support/messages.h"
#include "support/vector_clocks.h"

#include <doctest/doctest.h>

#include <random>

using namespace bully;

namespace {

Record message(std::int64_t t, TraceEvent event, NodeId from, NodeId to, std::uint64_t number,
               std::int64_t pid = 1) {
  Record record{.t_ns = t,
                .node = event == TraceEvent::receive ? to : from,
                .pid = pid,
                .event = event,
                .type = messages::election,
                .from = from,
                .to = to};
  record.number = number;
  record.reason = event == TraceEvent::lost ? "gone" : "";
  return record;
}

Trace trace_of(const std::vector<Record>& records) {
  Trace trace;
  trace.files.push_back({.name = "t"});
  for (std::uint32_t line = 0; const Record& record : records) trace.records.add(record, ++line);
  return trace;
}

// A run of `nodes` nodes that send and receive as chance will have it; some messages are lost.
Trace random_trace(unsigned seed, NodeId nodes, int steps) {
  std::minstd_rand random(seed);
  std::vector<Record> records;
  std::vector<Record> under_way;
  std::uint64_t number = 0;
  for (int t = 0; t < steps; ++t) {
    if (under_way.empty() || random() % 2 == 0) {
      const NodeId from = random() % nodes;
      const NodeId to = (from + 1 + random() % (nodes - 1)) % nodes;
      under_way.push_back(message(t, TraceEvent::send, from, to, ++number));
      records.push_back(under_way.back());
    } else {
      const auto chosen =
          under_way.begin() + static_cast<std::ptrdiff_t>(random() % under_way.size());
      const TraceEvent event = random() % 8 == 0 ? TraceEvent::lost : TraceEvent::receive;
      records.push_back(message(t, event, chosen->from, chosen->to, *chosen->number));
      under_way.erase(chosen);
    }
  }
  return trace_of(records);
}

Record of_node_2(std::int64_t t, std::int64_t pid, TraceEvent event) {
  return {.t_ns = t, .node = 2, .pid = pid, .event = event};
}

// The receipts and losses without a sending.
std::vector<std::size_t> unpaired(const Trace& trace, const Timeline& timeline) {
  std::vector<std::size_t> alone;
  for (const auto& [i, record] : trace.records) {
    const bool has_sending =
        record.event == TraceEvent::receive || record.event == TraceEvent::lost;
    if (has_sending && timeline.partner[i] == no_record) alone.push_back(i);
  }
  return alone;
}

// The plain way: one step on a node's line, or from a sending to its receipt; then all paths.
std::vector<std::vector<bool>> paths(const Trace& trace) {
  const Records& records = trace.records;
  std::vector<std::vector<bool>> before(records.size(), std::vector<bool>(records.size()));
  for (std::size_t b = 0; b < records.size(); ++b) {
    for (std::size_t a = 0; a < b; ++a) {
      const bool delivered = records[a].event == TraceEvent::send &&
                             records[b].event == TraceEvent::receive &&
                             records[a].number == records[b].number;
      if (records[a].node != records[b].node && !delivered) continue;
      before[a][b] = true;
      for (std::size_t c = 0; c < a; ++c) before[c][b] = before[c][b] || before[c][a];
    }
  }
  return before;
}

}  // namespace

TEST_CASE("a message of a new life is not taken for one that its predecessor did not get to send") {
  // 2 says that it sends 12 and is killed before it does; then it comes back twice under its id.
  std::vector<Record> records;
  const auto add = [&](TraceEvent event, std::int64_t pid, std::uint64_t epoch) {
    const auto t = static_cast<std::int64_t>(records.size());
    records.push_back(message(t, event, 2, 1, 12, event == TraceEvent::send ? pid : 1));
    records.back().type = messages::value;
    set_wire(records.back(), {}, epoch);
  };
  add(TraceEvent::send, 20, 7);
  add(TraceEvent::send, 21, 8);
  add(TraceEvent::receive, 21, 8);
  add(TraceEvent::send, 22, 9);
  add(TraceEvent::receive, 22, 9);
  const Timeline timeline = timeline_of(trace_of(records));
  CHECK(timeline.partner[0] == no_record);
  CHECK(timeline.partner[2] == 1);
  CHECK(timeline.partner[4] == 3);
}

TEST_CASE("vector clocks agree with happened-before on random runs") {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    const Trace trace = random_trace(seed, 2 + seed % 5, 120);
    const VectorClocks clocks(trace);
    const auto before = paths(trace);
    bool agree = true;
    for (std::size_t a = 0; a < trace.records.size(); ++a) {
      for (std::size_t b = 0; b < trace.records.size(); ++b) {
        agree = agree && clocks.happened_before(a, b) == before[a][b];
      }
    }
    CAPTURE(seed);
    CHECK(agree);
  }
}

TEST_CASE("every receipt and loss has its sending, once") {
  const Trace trace = random_trace(7, 5, 400);
  const Timeline timeline = timeline_of(trace);
  CHECK(unpaired(trace, timeline).empty());
  std::size_t paired = 0;
  for (std::size_t i = 0; i < trace.records.size(); ++i) {
    const std::size_t other = timeline.partner[i];
    if (other == no_record) {
      CHECK(trace.records[i].event == TraceEvent::send);
      continue;
    }
    ++paired;
    CHECK(timeline.partner[other] == i);
    CHECK(trace.records[i].number == trace.records[other].number);
  }
  CHECK(paired > 200);
}

TEST_CASE("what was never sent is listed") {
  const Trace trace =
      trace_of({message(1, TraceEvent::send, 1, 2, 1), message(2, TraceEvent::receive, 1, 2, 2)});
  const Timeline timeline = timeline_of(trace);
  CHECK(unpaired(trace, timeline) == std::vector<std::size_t>{1});
  CHECK(timeline.partner[0] == no_record);
}

TEST_CASE("a receipt does not stand before its sending") {
  const Trace trace =
      trace_of({message(1, TraceEvent::receive, 1, 2, 1), message(2, TraceEvent::send, 1, 2, 1)});
  CHECK(unpaired(trace, timeline_of(trace)) == std::vector<std::size_t>{0});
}

TEST_CASE("a sender that came back counts from 1 again: receipts follow in order") {
  const Trace trace = trace_of(
      {message(1, TraceEvent::send, 1, 2, 1, 10), message(2, TraceEvent::send, 1, 2, 1, 11),
       message(3, TraceEvent::receive, 1, 2, 1, 20), message(4, TraceEvent::receive, 1, 2, 1, 20)});
  const Timeline timeline = timeline_of(trace);
  CHECK(timeline.partner[2] == 0);
  CHECK(timeline.partner[3] == 1);
}

TEST_CASE("a receiver that came back hears nothing that was sent to its predecessor") {
  const Trace trace = trace_of(
      {of_node_2(0, 20, TraceEvent::start), message(1, TraceEvent::send, 1, 2, 1, 10),
       of_node_2(2, 20, TraceEvent::stop), of_node_2(3, 21, TraceEvent::start),
       message(4, TraceEvent::send, 1, 2, 1, 11), message(5, TraceEvent::receive, 1, 2, 1, 21)});
  const Timeline timeline = timeline_of(trace);
  CHECK(timeline.partner[5] == 4);
  CHECK(timeline.partner[1] == no_record);
}

TEST_CASE("what was about to be sent to a node may reach the one that came back in its place") {
  std::vector<Record> records = {
      of_node_2(0, 20, TraceEvent::start), message(1, TraceEvent::send, 1, 2, 7, 10),
      of_node_2(2, 20, TraceEvent::state), of_node_2(3, 21, TraceEvent::start),
      message(4, TraceEvent::receive, 1, 2, 7, 21)};
  const Trace trace = trace_of(records);
  const Timeline timeline = timeline_of(trace);
  CHECK(timeline.partner[4] == 1);
  CHECK(unpaired(trace, timeline).empty());
  // But not where nothing tells that it is the same.
  records[1].number.reset();
  records[4].number.reset();
  const Trace unnumbered = trace_of(records);
  CHECK(unpaired(unnumbered, timeline_of(unnumbered)) == std::vector<std::size_t>{4});
}
