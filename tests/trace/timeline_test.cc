// timeline_test.cc: receipts find their sendings, once, though processes come back meanwhile.
#include "support/messages.h"
#include "trace/elections.h"

#include <doctest/doctest.h>

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
  trace.records = records;
  return trace;
}

Record of_node_2(std::int64_t t, std::int64_t pid, TraceEvent event) {
  return {.t_ns = t, .node = 2, .pid = pid, .event = event};
}

// The receipts and losses without a sending.
std::vector<std::size_t> unpaired(const Trace& trace, const Timeline& timeline) {
  std::vector<std::size_t> alone;
  for (std::size_t i = 0; i < trace.records.size(); ++i) {
    const Record& record = trace.records[i];
    const bool has_sending =
        record.event == TraceEvent::receive || record.event == TraceEvent::lost;
    if (has_sending && timeline.partner[i] == no_record) alone.push_back(i);
  }
  return alone;
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

TEST_CASE("what was never sent is listed, and what stands before its sending") {
  const Record sending = message(1, TraceEvent::send, 1, 2, 1);
  const Trace unsent = trace_of({sending, message(2, TraceEvent::receive, 1, 2, 2)});
  CHECK(unpaired(unsent, timeline_of(unsent)) == std::vector<std::size_t>{1});
  CHECK(timeline_of(unsent).partner[0] == no_record);
  const Trace early = trace_of({message(0, TraceEvent::receive, 1, 2, 1), sending});
  CHECK(unpaired(early, timeline_of(early)) == std::vector<std::size_t>{0});
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
       of_node_2(2, 20, TraceEvent::leave), of_node_2(3, 21, TraceEvent::start),
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
