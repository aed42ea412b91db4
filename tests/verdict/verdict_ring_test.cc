// verdict_ring_test.cc: each property that a ring breaks is named, with who broke it.
#include <doctest/doctest.h>

#include <algorithm>

#include "fixture/recorded_run.h"
#include "support/messages.h"
#include "view/check_report.h"

using namespace bully;
using namespace bully::recorded;

namespace {

constexpr std::int64_t s = 1'000'000'000;

std::vector<Record> ring_of_four() {
  return run_of(ring(), {1, 3, 2, 4}, {3});
}

bool announces(const Record& record) {
  return record.event == TraceEvent::send && record.type == messages::leader;
}

// A message that `from` sends and `to` receives at once, before record `at`.
void insert_message(std::vector<Record>& records, std::size_t at, Record message,
                    std::uint64_t number) {
  message.t_ns = records[at].t_ns;
  message.number = number;
  message.node = message.from;
  message.pid = static_cast<std::int64_t>(message.from);
  message.event = TraceEvent::send;
  Record receipt = message;
  receipt.node = message.to;
  receipt.pid = static_cast<std::int64_t>(message.to);
  receipt.event = TraceEvent::receive;
  const auto place = records.begin() + static_cast<std::ptrdiff_t>(at);
  records.insert(records.insert(place, receipt), message);
}

}  // namespace

TEST_CASE("check: an election that nothing disturbs and that exceeds the bound is named") {
  std::vector<Record> records = ring_of_four();
  const std::size_t at = first_of(records, announces);
  Record message = records[at];
  const auto subject = subject_of(message);
  const auto epoch = message.epoch();
  message.type = messages::value;
  set_wire(message, subject, epoch);
  for (std::uint64_t i = 0; i < 30; ++i) insert_message(records, at + 2 * i, message, 99 + i);
  CHECK(broken(records) == "within-bound");

  // Where somebody comes meanwhile, it is only noted.
  Record newcomer;
  newcomer.t_ns = records[at].t_ns;
  newcomer.node = 9;
  newcomer.pid = 9;
  newcomer.algorithm = "dolev-klawe-rodeh";
  records.insert(records.begin() + static_cast<std::ptrdiff_t>(at), newcomer);
  newcomer.event = TraceEvent::leave;
  records.insert(records.begin() + static_cast<std::ptrdiff_t>(at) + 1, newcomer);
  const Trace trace = trace_of(records);
  const Report report = check_trace(trace);
  CHECK(broken(report) == "");
  CHECK(report.figures.back().exceeds_bound);
  CHECK(check_report(trace, report, Language::english, false).find("more than the bound") !=
        std::string::npos);
}

TEST_CASE("check: a ring that follows a lower process is named") {
  std::vector<Record> records = ring_of_four();
  const std::size_t begins =
      first_of(records, [](const Record& r) { return r.event == TraceEvent::suspect; });
  for (std::size_t i = begins; i < records.size(); ++i) {
    Record& record = records[i];
    if (record.event == TraceEvent::coordinator && record.coordinator == 4) record.coordinator = 3;
    if (record.state == "coordinator") record.state = "follower";
    if (record.event == TraceEvent::state && record.node == 3 && record.state == "follower") {
      record.state = "coordinator";
    }
  }
  CHECK(broken(records) == "highest-live never-lower");
}

TEST_CASE("check: a ring's election of which nothing comes, and a receipt of nothing, are named") {
  std::vector<Record> records = ring_of_four();
  records.resize(first_of(records, announces));
  Record stop;
  stop.t_ns = records.back().t_ns + 30 * s;
  stop.node = 1;
  stop.pid = 1;
  stop.event = TraceEvent::leave;
  records.push_back(stop);
  CHECK(broken(records) == "ends");

  records = ring_of_four();
  records.erase(records.begin() + static_cast<std::ptrdiff_t>(first_of(records, announces)));
  CHECK(broken(records) == "sent");
}
