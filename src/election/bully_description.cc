// bully_description.cc: the description of the bully election, its state as words, the wrong
// variant.

#include <algorithm>

#include "election/algorithm.h"
#include "election/bully.h"
#include "election/field_visitor.h"

namespace bully {

namespace bully_description {

constexpr Rule each_time{"naive", ""};

// A common mistake in telling the bully election: a process starts an election for each ELECTION
// that it receives, even while it is in one already. It elects the right coordinator, but its
// ELECTION messages double with every process, and all messages more than double: 382 where eight
// processes should need 55. Nothing but lessons uses it.
class Naive : public Bully {
 public:
  using Bully::Bully;

  void handle(const Event& event, const Peers& peers, Actions& actions) override {
    const auto* received = std::get_if<Received>(&event);
    if (received == nullptr || received->message.type != messages::election ||
        received->message.from > id()) {
      return Bully::handle(event, peers, actions);
    }
    const Context context{peers, actions};
    context.send(received->message.from, {.type = messages::answer, .from = id()});
    // Here [Tan95] says: unless it is already holding one.
    context.fire(each_time);
    start_election({.was_away = true}, context);
  }
  std::string_view variant() const override { return "naive"; }
};
constexpr std::array variants = {Variant{"naive", make_protocol<Naive>, &each_time}};

// The messages of an election. With a lost coordinator: `n` processes, the lost one included, and
// the lowest detector of rank k (1 = lowest) send (n-k)(n-k+1)/2 ELECTION, including one from each
// asker to the lost coordinator, (n-k)(n-k-1)/2 ANSWER and n-2 COORDINATOR. If no coordinator is
// lost, the highest of all came back, and sends n-1 COORDINATOR. The counts follow from the rules
// of [Tan95]; simulation confirms them.
static MessageCounts count(const CountedElection& election) {
  const std::uint64_t others = election.processes.size() - 1;
  if (!election.lost_coordinator) return {{messages::coordinator, others}};
  const auto above = static_cast<std::uint64_t>(
      1 + std::count_if(election.processes.begin(), election.processes.end(),
                        [&](NodeId id) { return id > election.detector; }));
  return {{messages::election, above * (above + 1) / 2},
          {messages::answer, above * (above - 1) / 2},
          {messages::coordinator, others}};
}

// All except the ELECTION messages to the lost coordinator: one from each asker.
static MessageCounts delivered(const CountedElection& election) {
  MessageCounts counts = count(election);
  counts[messages::election] = counts.of(messages::answer);
  return counts;
}

// The worst case: the lowest process detects the crash, or all do. n² - n - 1 messages.
static MessageCounts bound(std::size_t n) {
  if (n < 2) return {};
  return {{messages::election, n * (n - 1) / 2},
          {messages::answer, (n - 1) * (n - 2) / 2},
          {messages::coordinator, n - 2}};
}

}  // namespace bully_description

void Bully::visit_fields(FieldVisitor& visit) {
  visit(state_);
  visit(attempts_);
  visit(coordinator_);
  visit(answerer_);
  visit(asked_);
}

// The length of a wait grows with attempts_. The actions depend only on whether attempts_ is zero:
// if waits have no length, two nodes that differ in nothing else have the same future.
void Bully::forget_idle_words(std::vector<std::uint64_t>& words) {
  std::uint64_t& attempts = words.at(1);
  attempts = std::min<std::uint64_t>(attempts, 1);
}

Algorithm bully_algorithm() {
  return {
      .name = "bully",
      .make = make_protocol<Bully>,
      .messages = {messages::election, messages::answer, messages::coordinator},
      .states = Bully::states,
      .rules = Bully::rules.all(),
      .answers = {{messages::election, messages::answer}},
      .properties = {&properties::highest_live, &properties::never_lower, &properties::ends,
                     &properties::sent, &properties::highest_wins, &properties::one_coordinator},
      .count = bully_description::count,
      .delivered = bully_description::delivered,
      .bound = bully_description::bound,
      .forget_idle_words = Bully::forget_idle_words,
      .variants = bully_description::variants};
}

}  // namespace bully
