// Liveness on graphs small enough to judge by eye.

#include "explorer/explorer_states.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace bully {
namespace {

// A step: from where, which (steps of one name are one and the same), and where it leads.
struct Edge {
  std::uint32_t from;
  char name;
  std::uint32_t to;
};

// Edges stand in the order of `from`. A state without any is one of agreement.
struct Example {
  std::uint32_t states;
  std::vector<Edge> edges;

  FreeGraph graph() const {
    FreeGraph graph;
    auto edge = edges.begin();
    for (std::uint32_t state = 0; state < states; ++state) {
      graph.begins.push_back(static_cast<std::uint32_t>(graph.targets.size()));
      for (; edge != edges.end() && edge->from == state; ++edge) graph.targets.push_back(edge->to);
    }
    graph.begins.push_back(static_cast<std::uint32_t>(graph.targets.size()));
    return graph;
  }

  // As explorer_states.h defines it: no step is possible everywhere and taken inside nowhere.
  bool is_fair(const std::vector<std::uint32_t>& component) const {
    const auto inside = [&](std::uint32_t state) {
      return std::ranges::binary_search(component, state);
    };
    const auto starved = [&](char name) {
      const auto possible = [&](std::uint32_t state) {
        return std::ranges::any_of(
            edges, [&](const Edge& edge) { return edge.from == state && edge.name == name; });
      };
      const bool taken = std::ranges::any_of(edges, [&](const Edge& edge) {
        return edge.name == name && inside(edge.from) && inside(edge.to);
      });
      return !taken && std::ranges::all_of(component, possible);
    };
    return std::ranges::none_of(edges, [&](const Edge& edge) { return starved(edge.name); });
  }

  LivenessFindings check() const {
    const FreeGraph free = graph();
    return check_liveness(free, [&](const auto& component) { return is_fair(component); });
  }
};

TEST_CASE("liveness: where a run can go on for ever, and from where agreement is out of reach") {
  struct Row {
    std::string says;
    Example example;
    std::vector<std::uint32_t> trap;
    std::optional<std::uint32_t> unreaching = std::nullopt;
  };
  for (const Row& row : {
           Row{"a cycle that a step always leads out of is left in the end: fairness takes `e`",
               {3, {{0, 'a', 1}, {0, 'e', 2}, {1, 'b', 0}, {1, 'e', 2}}},
               {}},
           Row{"`e` is possible in 0 alone: a run that is always gone again is fair to it",
               {3, {{0, 'a', 1}, {0, 'e', 2}, {1, 'b', 0}}},
               {0, 1}},
           Row{"a step from a state to itself is a cycle too, here with `e` always possible",
               {2, {{0, 'a', 0}, {0, 'e', 1}}},
               {}},
           Row{"and here without a way out", {2, {{0, 'e', 1}, {0, 'f', 0}, {1, 'a', 1}}}, {1}, 0},
           Row{"1 leads to 2, which leads nowhere but back; 3 agrees: the first of them is named",
               {4, {{0, 'a', 1}, {0, 'b', 3}, {1, 'c', 2}, {2, 'd', 1}}},
               {1, 2},
               1},
           Row{"where every way ends in agreement, nothing is found",
               {4, {{0, 'a', 1}, {0, 'b', 2}, {1, 'b', 3}, {2, 'a', 3}}},
               {}},
       }) {
    CAPTURE(row.says);
    const LivenessFindings findings = row.example.check();
    CHECK(findings.trap == row.trap);
    CHECK(findings.unreaching == row.unreaching);
  }
}

}  // namespace
}  // namespace bully
