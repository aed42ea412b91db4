// trace_clusters_test.cc: a file with the lines of several clusters, each of which is judged by
// itself.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "trace/trace.h"
#include "verdict/verdict.h"

using namespace bully;

namespace {

std::string start_line(int t, int node, int pid, int cluster) {
  return "{\"t\":" + std::to_string(t) + ",\"node\":" + std::to_string(node) +
         ",\"pid\":" + std::to_string(pid) +
         ",\"n\":1,\"event\":\"start\",\"given\":{\"cluster\":" + std::to_string(cluster) + "}}\n";
}

}  // namespace

TEST_CASE("clusters: each line belongs to the cluster of its process's latest start") {
  // Both have a process 1, and the second one's comes back with the PID of the first one's.
  const std::string text = start_line(1, 1, 11, 7) + start_line(2, 1, 12, 8) +
                           "{\"t\":3,\"node\":1,\"pid\":11,\"n\":2,\"event\":\"stop\"}\n"
                           "{\"t\":4,\"node\":1,\"pid\":12,\"event\":\"crash\"}\n" +
                           start_line(5, 1, 11, 8) +
                           "{\"t\":6,\"node\":1,\"pid\":11,\"n\":2,\"event\":\"stop\"}\n";
  const std::vector<Trace> clusters = clusters_of(parse_trace(text, "both"));
  REQUIRE(clusters.size() == 2);
  const auto sources = [](const Trace& trace) {
    std::vector<std::string> all;
    for (const auto& [i, record] : trace.records) all.push_back(trace.source(i));
    return all;
  };
  CHECK(sources(clusters[0]) == std::vector<std::string>{"both:1", "both:3"});
  CHECK(sources(clusters[1]) == std::vector<std::string>{"both:2", "both:4", "both:5", "both:6"});
}

TEST_CASE("clusters: a trace whose starts name none is one") {
  const std::string text =
      "{\"t\":1,\"node\":1,\"pid\":1,\"event\":\"start\"}\n"
      "{\"t\":2,\"node\":2,\"pid\":2,\"event\":\"stop\"}\n";
  const std::vector<Trace> clusters = clusters_of(parse_trace(text, "one"));
  REQUIRE(clusters.size() == 1);
  CHECK(clusters[0].records.size() == 2);
  CHECK(clusters_of({}).size() == 1);
}

TEST_CASE("clusters: processes of an older version, which name none, need not agree") {
  // 3 and 13, each in a directory of its own.
  std::string text;
  int t = 0;
  const auto add = [&](int node, const std::string& rest) {
    text += "{\"t\":" + std::to_string(++t) + "000000000,\"node\":" + std::to_string(node) +
            ",\"pid\":" + std::to_string(node) + ",\"event\":" + rest + "}\n";
  };
  for (const int top : {3, 13}) {
    add(top, R"("start","detector":"ping")");
    add(top, R"("state","state":"coordinator")");
    add(top, "\"coordinator\",\"coordinator\":" + std::to_string(top));
  }
  for (int i = 0; i < 60; ++i) add(3, R"("drop","reason":"malformed")");
  add(3, R"("stop")");
  add(13, R"("stop")");
  const Report report = check_trace(parse_trace(text, "older"));
  CHECK(report.violations.empty());
  CHECK(report.verdict == RunVerdict::cannot_tell);
}
