// A reduction must change nothing but the number of states: both searches, side by side, over every
// small configuration, with the right protocol and with each wrong one.

#include <doctest/doctest.h>

#include "election/bully.h"
#include "explorer/explorer.h"
#include "mutants/bully_mutants.h"
#include "support/bounds.h"
#include "support/process.h"

namespace bully {
namespace {

// Every one, but for restarts without a crash before them, and with more than one partition.
std::vector<ExploreOptions> every_small_configuration(std::uint64_t max_states) {
  std::vector<ExploreOptions> all;
  for (const Timing timing : {Timing::synchronous, Timing::asynchronous}) {
    for (const Beginning beginning : {Beginning::agreed, Beginning::starting}) {
      for (const Delivery delivery :
           {Delivery::any_order, Delivery::pair_order, Delivery::arrival_order}) {
        for (std::size_t nodes = 1; nodes <= 3; ++nodes) {
          for (const auto& [crashes, restarts, partitions] : {std::array{0U, 0U, 0U},
                                                              {1U, 0U, 0U},
                                                              {1U, 1U, 0U},
                                                              {2U, 0U, 0U},
                                                              {2U, 1U, 0U},
                                                              {0U, 0U, 1U}}) {
            ExploreOptions options = bounds(nodes, crashes, restarts);
            options.partitions = partitions;
            options.timing = timing;
            options.beginning = beginning;
            options.delivery = delivery;
            options.reduction = nullptr;
            options.max_states = max_states;
            all.push_back(options);
          }
        }
      }
    }
  }
  return all;
}

// Whether the plain search came to a verdict, so that there was something to compare.
bool compare(ExploreOptions options, const ProtocolMaker& make) {
  std::set<std::string> ends;
  std::set<std::string> reduced_ends;
  const ExploreResult plain = explore(noting_ends(options, ends), make);
  if (plain.verdict == Verdict::unfinished) return false;
  options.reduction = Bully::forget_idle_words;
  const ExploreResult reduced = explore(noting_ends(options, reduced_ends), make);
  CAPTURE(options.nodes);
  CAPTURE(options.crashes);
  CAPTURE(options.restarts);
  CAPTURE(options.partitions);
  CAPTURE(static_cast<int>(options.timing));
  CAPTURE(static_cast<int>(options.beginning));
  CAPTURE(static_cast<int>(options.delivery));
  CHECK(reduced.verdict == plain.verdict);
  CHECK(reduced.violation.has_value() == plain.violation.has_value());
  if (plain.violation && reduced.violation) {
    CHECK(reduced.violation->property == plain.violation->property);
    const std::size_t steps = plain.violation->steps.size();
    CHECK(reduced.violation->steps.size() <= steps);
    // Those to the first cycle that is found, which need not be the nearest.
    const bool is_cycle = !plain.violation->cycle.empty();
    if (!is_cycle) CHECK(reduced.violation->steps.size() == steps);
  } else {
    CHECK(reduced_ends == ends);
    CHECK(reduced.states <= plain.states);
    CHECK(reduced.fired == plain.fired);
    for (std::size_t i = 0; i < plain.tested.size(); ++i) {
      CHECK((reduced.tested[i].times > 0) == (plain.tested[i].times > 0));
    }
  }
  return true;
}

TEST_CASE("reduction: same verdict and same ends as the plain search, over what is small") {
  std::size_t compared = 0;
  std::size_t number = 0;
  for (const ExploreOptions& options : every_small_configuration(120'000)) {
    if (!is_tried(number++)) continue;
    compared += compare(options, options.algorithm->make) ? 1 : 0;
  }
  // Of 216, or a part of them: the others have more states than a test has time for.
  CHECK(compared >= tried(180));
}

TEST_CASE("reduction: it hides no mistake, and finds the same one in as few steps") {
  for (std::size_t i = 0; i < Mutant::names.size(); ++i) {
    if (!is_tried(i)) continue;
    CAPTURE(Mutant::names[i]);
    for (const ExploreOptions& options : every_small_configuration(3'000)) {
      compare(options, mutants(static_cast<Mutation>(i)));
    }
  }
}

}  // namespace
}  // namespace bully
