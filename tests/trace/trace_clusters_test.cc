// trace_clusters_test.cc: a file with the lines of several clusters, each of which is judged by
// itself.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "fixture/started.h"
#include "trace/trace.h"
#include "verdict/verdict.h"

using namespace bully;

namespace {

std::string start_in(std::uint64_t cluster, NodeId node, std::int64_t pid, std::int64_t t_ns) {
  return start_line(node, pid, t_ns, {.cluster = cluster});
}

}  // namespace

TEST_CASE("clusters: each line belongs to the cluster of its process's latest start") {
  // Both have a process 1, and the second one's comes back with the PID of the first one's.
  const std::string text = start_in(7, 1, 11, 1) + start_in(8, 1, 12, 2) +
                           "{\"t\":3,\"node\":1,\"pid\":11,\"n\":2,\"event\":\"stop\"}\n"
                           "{\"t\":4,\"node\":1,\"pid\":12,\"event\":\"crash\"}\n" +
                           start_in(8, 1, 11, 5) +
                           "{\"t\":6,\"node\":1,\"pid\":11,\"n\":2,\"event\":\"stop\"}\n";
  const std::vector<Trace> clusters = clusters_of(parse_trace(text, "both"));
  REQUIRE(clusters.size() == 2);
  const auto sources = [](const Trace& trace) {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < trace.records.size(); ++i) all.push_back(trace.source(i));
    return all;
  };
  CHECK(sources(clusters[0]) == std::vector<std::string>{"both:1", "both:3"});
  CHECK(sources(clusters[1]) == std::vector<std::string>{"both:2", "both:4", "both:5", "both:6"});
}

TEST_CASE("clusters: a recorder's lines of a process that wrote a trace itself are left out") {
  const std::string recorder =
      R"({"t":2,"node":1,"pid":0,"event":"start","algorithm":"bully","observed":true,"given":{"cluster":7}})"
      "\n"
      R"({"t":2,"node":3,"pid":0,"event":"start","algorithm":"bully","observed":true,"given":{"cluster":7}})"
      "\n";
  const std::string message =
      R"("event":"send","type":"E","from":1,"to":3,"seq":1,"epoch":null,"value":null})";
  const std::string text = start_in(7, 1, 11, 1) + recorder + R"({"t":3,"node":1,"pid":11,"n":2,)" +
                           message + "\n" + R"({"t":4,"node":1,"pid":0,)" + message + "\n" +
                           R"({"t":5,"node":3,"pid":0,"event":"crash"})" + "\n";
  const std::vector<Trace> clusters = clusters_of(parse_trace(text, "one"));
  REQUIRE(clusters.size() == 1);
  std::vector<std::uint32_t> lines;
  for (const Record& record : clusters[0].records) lines.push_back(record.line);
  CHECK(lines == std::vector<std::uint32_t>{1, 3, 4, 6});
}

TEST_CASE("clusters: a trace whose starts name none is one") {
  const std::string text =
      start_line(1, 1, 1) + "{\"t\":2,\"node\":2,\"pid\":2,\"event\":\"stop\"}\n";
  const std::vector<Trace> clusters = clusters_of(parse_trace(text, "one"));
  REQUIRE(clusters.size() == 1);
  CHECK(clusters[0].records.size() == 2);
  CHECK(clusters_of({}).size() == 1);
}
