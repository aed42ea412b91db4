#include "election/bully.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace bully {

namespace {

// Waiting longer after ever more elections in vain has an end: 2^4 times the first wait.
constexpr std::uint8_t max_vain = 4;

// What a process remembers of them once it follows a coordinator that never announced itself: the
// next election may wait for COORDINATOR twice as long, but not in vain a second time.
constexpr std::uint8_t patient = 1;

}  // namespace

void Bully::handle(const Event& event, const Peers& peers, Actions& actions) {
  std::visit([&](const auto& e) { on(e, Step{peers, actions}); }, event);

  assert(holds_election() || coordinator_ || state_ == State::down);
  assert((state_ == State::coordinator) == (coordinator_ == self_));
  assert(!coordinator_ || *coordinator_ >= self_);
  assert(asked_.empty() == (state_ != State::candidate));
}

// [Tan95] A process that was down and comes back holds an election.
void Bully::on(const Started&, Step step) {
  vain_ = 0;
  hold_election(nobody_lost(), step);
}

void Bully::on(const Founded& event, Step step) {
  follow(event.coordinator, step);
  if (event.coordinator == self_) state_ = State::coordinator;
}

// [GM82, Tan95, CDK] A process that notices that the coordinator is gone holds an election.
void Bully::on(const Suspected& event, Step step) {
  // DEVIATION: nor does it wait for a COORDINATOR that cannot come: whom it waits for is watched as
  // a coordinator is. The textbook's process waits for its timeout, which grows with each in vain.
  if (answerer_ == event.peer && event.reason != Suspicion::deposed) {
    hold_election(std::nullopt, step);
    return;
  }
  // The suspicion may be older than what we know: it may speak of one whom we no longer follow.
  if (coordinator_ != event.peer) return;
  // A deposed coordinator is not lost: it is we who missed the COORDINATOR of another.
  const bool lost = event.reason != Suspicion::deposed;
  hold_election(lost ? coordinator_ : nobody_lost(), step);
}

void Bully::on(const Received& event, Step step) {
  const Message& message = event.message;
  if (state_ == State::down || message.from == self_) return;
  if (message.type == MessageType::election) on_election(message, step);
  if (message.type == MessageType::answer) on_answer(message, step);
  if (message.type == MessageType::coordinator) on_coordinator(message, step);
}

// [Tan95] A process that gets an ELECTION from a lower one sends ANSWER back, and then holds an
// election itself, unless it is already holding one.
void Bully::on_election(const Message& message, Step step) {
  if (message.from > self_) return;  // not ours to answer: only the higher stops the lower
  send(MessageType::answer, message.from, step);
  if (holds_election()) return;

  // DEVIATION: nor if that election is over. Its sender missed a coordinator whose successor we
  // know already: that one's COORDINATOR is on its way to the sender. The textbook's count holds
  // only thanks to this, because a real process learns within microseconds that the dead
  // coordinator is gone, and wins before its peers' ELECTION messages have arrived.
  const std::optional<NodeId> lost = message.subject;
  const bool sender_was_away = lost == message.from;
  if (lost && lost != coordinator_ && !sender_was_away) return;

  // DEVIATION: a coordinator that is asked has won already. It tells the one who asks; to hold an
  // election anew would tell all others once more what they know.
  if (state_ == State::coordinator) {
    send(MessageType::coordinator, message.from, step);
    return;
  }

  // DEVIATION: nor if nobody is lost. Its sender was away, and only asks who is coordinator; it has
  // asked that one, too. A hundred processes that start together would otherwise each make all
  // others hold an election: (n-k)² messages for each, a third of a million in all.
  if (sender_was_away) return;

  // This election has a new cause. Only one that repeats itself has to wait ever longer.
  vain_ = std::min(vain_, patient);
  hold_election(lost, step);
}

// [Tan95] Someone higher answers: our job is done.
void Bully::on_answer(const Message& message, Step step) {
  if (message.from < self_) return;
  if (state_ == State::waiting) answerer_ = std::max(*answerer_, message.from);
  // Who was not asked, or has died since it answered, will not send COORDINATOR either.
  const bool asked = std::binary_search(asked_.begin(), asked_.end(), message.from);
  if (state_ == State::candidate && asked) wait_for_coordinator(message.from, step);
}

// [CDK 5] A process that gets a COORDINATOR takes its sender as coordinator.
void Bully::on_coordinator(const Message& message, Step step) {
  if (message.from > self_) {
    vain_ = 0;
    follow(message.from, step);
    return;
  }
  // DEVIATION: but never a lower one than itself: the biggest guy in town always wins [Tan95]. Its
  // sender did not hear us, or judged too early: we hold an election, unless we already do.
  if (!holds_election()) hold_election(std::nullopt, step);
}

// A message could not be sent, as there is no process behind that address.
// DEVIATION: the textbook's process waits for its timeout. A real one is told by the kernel, so an
// election among crashed peers is over at once.
void Bully::on(const PeerGone& event, Step step) {
  if (state_ != State::candidate) return;
  std::erase(asked_, event.peer);
  if (asked_.empty()) become_coordinator(step);
}

void Bully::on(const Expired& event, Step step) {
  // [CDK 2] No one answers in time: the process becomes coordinator.
  if (event.timer == Timer::answer && state_ == State::candidate) become_coordinator(step);
  if (event.timer != Timer::coordinator || state_ != State::waiting) return;

  const bool first = vain_ == 0;
  vain_ = std::min<std::uint8_t>(static_cast<std::uint8_t>(vain_ + 1), max_vain);
  if (first) {
    // [CDK 3] No COORDINATOR comes in time: it holds a new election.
    hold_election(std::nullopt, step);
  } else {
    // DEVIATION: twice answered, twice no COORDINATOR: the example often leaves nobody informed
    // [PyBully]. Take the highest that answers ELECTION for the coordinator. If it is a node of
    // ours and is not coordinator, its reply to our first ping says so, and we go on from there.
    follow(*answerer_, step);
  }
}

// [GM82, Tan95, CDK 1] It sends ELECTION to every process with a higher id. `lost` is the
// coordinator whose loss is the reason, where that is the reason; nothing, where it is not known.
void Bully::hold_election(std::optional<NodeId> lost, Step step) {
  const auto higher = higher_than(self_, step.peers.ids());
  // [CDK 1] A process that has the highest id does not ask: it becomes coordinator.
  if (higher.empty()) {
    become_coordinator(step);
    return;
  }
  stop_timers(step);
  state_ = State::candidate;
  coordinator_.reset();
  answerer_.reset();
  asked_.assign(higher.begin(), higher.end());
  step.actions.emplace_back(Follow{std::nullopt});
  step.actions.emplace_back(StartTimer{Timer::answer, 0});
  // From the lowest to the highest: whoever is asked hears this ELECTION before anything that
  // follows from it, even if the last one asked wins at once.
  for (const NodeId peer : asked_) send(MessageType::election, peer, step, lost);
}

// [CDK 1, 2] It becomes coordinator and announces it with COORDINATOR to every other process. All
// higher ones are gone or silent, so these are the lower ones.
void Bully::become_coordinator(Step step) {
  stop_timers(step);
  state_ = State::coordinator;
  coordinator_ = self_;
  asked_.clear();
  answerer_.reset();
  vain_ = 0;
  // [Tan95] A coordinator that must collect state to go on where the old one stopped does so here,
  // before it announces itself. This one has no work but to be coordinator.
  step.actions.emplace_back(Follow{self_});
  for (const NodeId peer : lower_than(self_, step.peers.ids())) {
    send(MessageType::coordinator, peer, step);
  }
}

// [CDK 3] It waits a bounded time for a COORDINATOR.
void Bully::wait_for_coordinator(NodeId answerer, Step step) {
  stop_timers(step);
  state_ = State::waiting;
  asked_.clear();
  answerer_ = answerer;
  step.actions.emplace_back(StartTimer{Timer::coordinator, vain_});
}

void Bully::follow(NodeId coordinator, Step step) {
  stop_timers(step);
  state_ = State::follower;
  coordinator_ = coordinator;
  asked_.clear();
  answerer_.reset();
  step.actions.emplace_back(Follow{coordinator});
}

void Bully::send(MessageType type, NodeId to, Step step, std::optional<NodeId> lost) {
  step.actions.emplace_back(Send{to, Message{.type = type, .from = self_, .subject = lost}});
}

void Bully::stop_timers(Step step) {
  step.actions.emplace_back(StopTimer{Timer::answer});
  step.actions.emplace_back(StopTimer{Timer::coordinator});
}

std::optional<NodeId> Bully::watched() const {
  return state_ == State::waiting ? answerer_ : coordinator_;
}

std::string_view Bully::state_name() const {
  return state_names.at(static_cast<std::size_t>(state_));
}

bool Bully::operator==(const Bully& other) const {
  return self_ == other.self_ && state_ == other.state_ && coordinator_ == other.coordinator_ &&
         asked_ == other.asked_ && answerer_ == other.answerer_ && vain_ == other.vain_;
}

// One peer at most is named by the state itself: the coordinator, or the answerer.
void Bully::save(std::vector<std::uint64_t>& words) const {
  words.assign({static_cast<std::uint64_t>(state_), vain_});
  if (state_ == State::follower) words.push_back(*coordinator_);
  if (state_ == State::waiting) words.push_back(*answerer_);
  words.insert(words.end(), asked_.begin(), asked_.end());
}

void Bully::load(std::span<const std::uint64_t> words) {
  state_ = static_cast<State>(words[0]);
  vain_ = static_cast<std::uint8_t>(words[1]);
  coordinator_.reset();
  answerer_.reset();
  asked_.clear();
  if (state_ == State::follower) coordinator_ = words[2];
  if (state_ == State::coordinator) coordinator_ = self_;
  if (state_ == State::waiting) answerer_ = words[2];
  if (state_ == State::candidate) asked_.assign(words.begin() + 2, words.end());
}

void Bully::forget_idle_words(std::vector<std::uint64_t>& words) {
  std::uint64_t& vain = words.at(1);
  vain = std::min<std::uint64_t>(vain, 1);
}

MessageCounts bully_count(const CountedElection& election) {
  MessageCounts counts{};
  const std::uint64_t others = election.processes.size() - 1;
  if (!election.lost_coordinator) {
    count_of(counts, MessageType::coordinator) = others;
    return counts;
  }
  // Those above the detector, the lost coordinator counted in.
  const auto above = static_cast<std::uint64_t>(
      1 + std::count_if(election.processes.begin(), election.processes.end(),
                        [&](NodeId id) { return id > election.detector; }));
  count_of(counts, MessageType::election) = above * (above + 1) / 2;
  count_of(counts, MessageType::answer) = above * (above - 1) / 2;
  count_of(counts, MessageType::coordinator) = others;
  return counts;
}

// All but the ELECTION messages to the lost coordinator: one from each that asks.
MessageCounts bully_delivered(const CountedElection& election) {
  MessageCounts counts = bully_count(election);
  count_of(counts, MessageType::election) = count_of(counts, MessageType::answer);
  return counts;
}

MessageCounts bully_bound(std::size_t n) {
  MessageCounts counts{};
  if (n < 2) return counts;
  count_of(counts, MessageType::election) = n * (n - 1) / 2;
  count_of(counts, MessageType::answer) = (n - 1) * (n - 2) / 2;
  count_of(counts, MessageType::coordinator) = n - 2;
  return counts;
}

}  // namespace bully
