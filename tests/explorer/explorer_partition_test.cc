// The explorer where the network may be cut in two and heal: what a cut does, and what elections
// make of it.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "election/field_visitor.h"
#include "election/garcia_molina.h"
#include "fixture/explored.h"
#include "fixture/played.h"
#include "mutants/bully_mutants.h"
#include "support/process.h"

namespace bully {
namespace {

ExploreOptions cut_once(std::size_t nodes, unsigned crashes,
                        const Algorithm& algorithm = default_algorithm()) {
  return partitioned(bounds(nodes, crashes, 0, algorithm));
}

// The script of a counterexample to this property.
std::string script_against(const Property& property, ExploreOptions options) {
  options.only = &property;
  return script_of(options, options.algorithm->make, explored(options));
}

// Node 1 watches 2, any other 1 or 2. It writes to all others when it starts, and when it finds the
// one that it watches hung.
class Caller : public Protocol {
 public:
  explicit Caller(NodeId self) : self_(self) {}

  void handle(const Event& event, const Peers& peers, Actions& actions) override {
    const Context context{peers, actions};
    const auto* suspected = std::get_if<Suspected>(&event);
    const bool is_hung = suspected != nullptr && suspected->reason == Suspicion::hung;
    if (std::holds_alternative<Started>(event)) call(context);
    if (is_hung && !has_noticed_) {
      has_noticed_ = true;
      call(context);
    }
    if (const auto* received = std::get_if<Received>(&event)) {
      told_ = received->message.from;
      if (has_noticed_) heard_ = told_;
    }
    const auto* gone = std::get_if<PeerGone>(&event);
    if (gone != nullptr && has_noticed_) missed_ = gone->peer;
  }
  NodeId id() const override { return self_; }
  std::string_view state_name() const override { return "follower"; }
  std::optional<NodeId> coordinator() const override { return std::nullopt; }
  std::optional<NodeId> watched() const override {
    return has_noticed_ ? std::nullopt : std::optional(self_ % 2 + 1);
  }
  // Who wrote to it, or was gone, after it had noticed that the network is cut; who ever wrote.
  Variables variables() const override {
    return {Variable{"heard", heard_}, Variable{"missed", missed_}, Variable{"told", told_}};
  }
  void visit_fields(FieldVisitor& visit) override {
    visit(has_noticed_);
    visit(heard_);
    visit(missed_);
    visit(told_);
  }

 private:
  void call(Context context) const {
    for (const NodeId peer : context.peers.ids()) {
      if (peer == self_) continue;
      context.send(peer, {.type = messages::coordinator, .from = self_});
    }
  }

  NodeId self_;
  bool has_noticed_ = false;
  std::optional<NodeId> heard_;
  std::optional<NodeId> missed_;
  std::optional<NodeId> told_;
};

enum Place : std::size_t { heard, missed, told };  // in variables()

template <Place variable>
bool nobody_has_a(const Algorithm&, Nodes nodes) {
  return std::ranges::none_of(
      nodes, [](const Snapshot* node) { return node->variables.at(variable).value.has_value(); });
}
constexpr Property nobody_hears{"nobody-hears", Property::Moment::every, nobody_has_a<heard>};
constexpr Property nobody_misses{"nobody-misses", Property::Moment::every, nobody_has_a<missed>};

TEST_CASE("explorer: each way to cut a network in two is tried once, one after the other") {
  class Silent final : public Caller {
   public:
    using Caller::Caller;
    void handle(const Event&, const Peers&, Actions&) override {}
    std::optional<NodeId> watched() const override { return std::nullopt; }
  };
  const auto states = [](std::size_t nodes, unsigned partitions) {
    ExploreOptions options{.nodes = nodes, .partitions = partitions, .only = &nobody_hears};
    return explore(options, make_protocol<Silent>).states;
  };
  CHECK(states(1, 1) == 1);
  CHECK(states(2, 1) == 1 + 1 + 1);
  CHECK(states(4, 1) == 1 + 7 + 1);
  CHECK(states(4, 2) == 1 + 7 + 1 + 7 + 1);
}

TEST_CASE(
    "explorer: what is in flight when the network is cut arrives; what is sent then does not") {
  ExploreOptions options{
      .nodes = 2, .partitions = 1, .beginning = Beginning::starting, .only = &nobody_hears};
  const ExploreResult result = explore(options, make_protocol<Caller>);
  REQUIRE(result.violation);
  std::vector<Verb> verbs;
  for (const Step& step : result.violation->steps) verbs.push_back(step.verb);
  using enum Verb;
  CHECK(verbs == std::vector{restart, restart, partition, suspect, deliver});

  // Where nothing is in flight before the cut, nothing arrives.
  options.beginning = Beginning::agreed;
  CHECK(explore(options, make_protocol<Caller>).verdict == Verdict::holds);
}

TEST_CASE("explorer: no process learns across a cut that another is gone, until it heals") {
  ExploreOptions options{.nodes = 2, .crashes = 1, .partitions = 1, .only = &nobody_misses};
  CHECK(explore(options, make_protocol<Caller>).verdict == Verdict::holds);
}

// [GM82] Assumption: the communication subsystem does not fail. Without it, either bully has a
// coordinator on each side; once the network heals, all follow the highest again.
TEST_CASE("explorer: all agree once the network heals; a bully in either timing") {
  for (const Algorithm& algorithm : algorithms()) {
    CAPTURE(algorithm.name);
    check_holds(cut_once(3, 1, algorithm));
    if (algorithm.topology == Topology::ring) continue;
    check_holds(asynchronous(cut_once(3, 0, algorithm)));
  }
}

TEST_CASE("explorer: while the network is cut, no run has ended") {
  std::set<std::string> ends;
  explored(noting_ends(cut_once(3, 0), ends));
  CHECK(ends == std::set<std::string>{"3 3 3  0 0 0 0", "3 3 3  0 0 1 0"});
}

TEST_CASE(
    "explorer: where the network may be cut, what assumes that nothing is lost is not judged") {
  CHECK(not_promised(cut_once(3, 0)) ==
        std::vector{&properties::highest_wins, &properties::one_coordinator});
  CHECK(not_promised(cut_once(3, 0, algorithm_named("garcia-molina"))) ==
        std::vector{&properties::same_coordinator, &properties::same_task});
}

TEST_CASE("explorer: during a partition there are two coordinators, and the script shows it") {
  for (const std::string_view name : {"bully", "garcia-molina"}) {
    CAPTURE(name);
    const Algorithm& algorithm = algorithm_named(name);
    const std::string script =
        script_against(properties::same_coordinator, cut_once(3, 0, algorithm));
    CHECK(play_script(script, algorithm.make).violation_seen);
    CHECK(contains(script, "\npartition 1 3 from 2\nsuspect 2 of 3 hung\n"));
    CHECK(!contains(script, "\nheal\n"));
  }
}

TEST_CASE("explorer: a protocol that does not look around after healing is caught") {
  const ProtocolMaker mutant = mutants(Mutation::ignores_deposed);
  ExploreOptions options = cut_once(3, 0);
  options.reduction = nullptr;
  CHECK(contains(check_script(options, mutant, explore(options, mutant)), "\nheal\n"));
  options.partitions = 0;
  CHECK(explore(options, mutant).verdict == Verdict::holds);
}

bool the_first_does_not_lead(const Algorithm&, Nodes nodes) {
  return nodes.front()->coordinator != nodes.front()->id;
}

TEST_CASE("explorer: on a ring, one that is alone is told of all others that do not react") {
  static constexpr Property not_alone{"not-alone", Property::Moment::every,
                                      the_first_does_not_lead};
  const Algorithm& ring = algorithm_named("dolev-klawe-rodeh");
  const std::string script = script_against(not_alone, cut_once(4, 0, ring));
  // Its coordinator; then, in both rounds, its neighbour, and with it all others.
  CHECK(contains(script,
                 "partition 1 from 2..4\n"
                 "suspect 1 of 4 hung\n"
                 "suspect 1 of 2 hung\n"));
  CHECK(!contains(script, "suspect 1 of 3"));
}

TEST_CASE("explorer: a node may crash in midst of its sends, of which one is lost at a cut") {
  // Of what 1 sends to 2, 3 and 4, the first is lost: it crashes after the second.
  static constexpr Property untold{
      "untold", Property::Moment::every, [](const Algorithm&, Nodes nodes) {
        return nodes[0]->is_alive() || !nodes[2]->variables[told].value;
      }};
  ExploreOptions options{.nodes = 4, .crashes = 1, .partitions = 1, .detectors = {1}};
  options.only = &untold;
  const ProtocolMaker make = make_protocol<Caller>;
  const std::string script = script_of(options, make, explore(options, make));
  CHECK(contains(
      script,
      "partition 1 3 4 from 2\nsuspect 1 of 2 hung\ndrop COORDINATOR from 1 to 4\ncrash 1\n"
      "deliver COORDINATOR from 1 to 3\n"));
}

}  // namespace
}  // namespace bully
