#include "sim/state_map.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>
#include <unordered_map>

#include "election/participant.h"
#include "sim/explorer_judge.h"
#include "sim/explorer_model.h"

namespace bully {

namespace {

using Number = StateMap::Number;

// The index of `value` in `table`, which has it once.
Number number_in(auto& table, const auto& value, const auto& is_same) {
  const auto found = std::ranges::find_if(table, [&](const auto& one) { return is_same(one); });
  const auto place = static_cast<Number>(found - table.begin());
  if (found == table.end()) table.push_back(value);
  return place;
}

// A protocol whose process may crash between two sends: from then on it does nothing.
struct Mortal final : Protocol {
  explicit Mortal(std::unique_ptr<Protocol> protocol) : inner(std::move(protocol)) {}

  void handle(const Event& event, const Peers& peers, Actions& actions) override {
    if (has_crashed) return;
    inner->handle(event, peers, actions);
    ++events;
  }
  NodeId id() const override { return inner->id(); }
  std::string_view state_name() const override { return inner->state_name(); }
  std::optional<NodeId> coordinator() const override { return inner->coordinator(); }
  std::optional<NodeId> watched() const override { return inner->watched(); }
  std::optional<Group> group() const override { return inner->group(); }
  Variables variables() const override { return inner->variables(); }
  void visit_fields(FieldVisitor& visit) override { inner->visit_fields(visit); }

  std::unique_ptr<Protocol> inner;
  bool has_crashed = false;
  int events = 0;
};

// Takes one step of a node in the midst of its life, and notes the whole reaction.
class Rehearsal final : private Environment {
 public:
  struct Message {
    NodeId to = 0;
    bully::Message message;
    Loss loss = Loss::none;
  };

  // `reached`: the fate of a message to each node. If `sends` is not 0, the node crashes after this
  // number of messages in flight.
  Rehearsal(std::unique_ptr<Protocol> protocol, std::string_view algorithm,
            std::span<const std::uint64_t> words, std::vector<Loss> reached, unsigned sends)
      : reached_(std::move(reached)), sends_(sends) {
    protocol->load(words);
    auto mortal = std::make_unique<Mortal>(std::move(protocol));
    mortal_ = mortal.get();
    participant_.emplace(std::move(mortal), algorithm);
  }

  void take(std::span<const Event> events, const Peers& peers) {
    participant_->recall();
    int own = 0;
    for (const Event& event : events) {
      if (!has_crashed()) ++own;
      participant_->handle(event, peers, *this);
    }
    learned_gone = mortal_->events - own;
    // A message is recorded before it is known if its sender lives to send it.
    std::erase_if(records, [&](const Record& record) {
      return record.event == TraceEvent::send && std::ranges::none_of(sent, [&](const auto& one) {
               return one.message.number == record.number;
             });
    });
  }

  const Protocol& protocol() const { return *mortal_->inner; }
  bool has_crashed() const { return mortal_->has_crashed; }
  std::vector<Record> records = {};
  std::vector<Message> sent = {};
  int learned_gone = 0;  // the number of messages whose receivers it found gone
  // The messages of the event at which it crashed that it had not sent yet, to nodes that it can
  // reach.
  std::vector<Message> unsent = {};

 private:
  Loss send(NodeId to, const bully::Message& message) override {
    const Loss loss = reached_.at(to - 1);
    if (!has_crashed() && loss == Loss::none && sends_ > 0 && posted_ == sends_) {
      mortal_->has_crashed = true;
    }
    if (has_crashed()) {
      if (loss == Loss::none) unsent.push_back({to, message});
      return Loss::none;
    }
    sent.push_back({to, message, loss});
    if (loss == Loss::none) ++posted_;
    return loss;
  }
  void record(Record record) override {
    if (!has_crashed()) records.push_back(std::move(record));
  }
  void start_timer(const StartTimer&) override {}
  void stop_timer(Timer) override {}
  void watch(const WatchTarget&) override {}

  std::vector<Loss> reached_;
  unsigned sends_;
  unsigned posted_ = 0;
  Mortal* mortal_ = nullptr;
  std::optional<Participant> participant_;
};

class Mapper {
 public:
  Mapper(const ExploreOptions& options, const ProtocolMaker& make, const MapLimits& limits)
      : options_(options), make_(make), limits_(limits), model_(options_, make) {
    for (const Property* property : options.algorithm->properties) {
      const bool is_of_ways =
          property == &properties::reachable || property == &properties::progress;
      if (can_explore(*property) && !is_of_ways) map_.judged.push_back(property);
    }
    map_.beginning = beginning_of(options, false);
    for (NodeId id = 1; id <= options.nodes; ++id) map_.ring.push_back(id);
    if (!options.arrangement.empty()) map_.ring = options.arrangement;
  }

  StateMap draw() {
    add(model_.beginning());
    std::uint64_t next = 0;
    try {
      for (; next < map_.states.size(); ++next) {
        if (!expand(static_cast<Number>(next))) break;
      }
    } catch (const BoundReached&) {
      map_.states[next].edges.clear();
    }
    map_.is_whole = next == map_.states.size();
    for (; next < map_.states.size(); ++next) map_.states[next].is_explored = false;
    for (StateMap::State& state : map_.states) map_.edges += state.edges.size();
    return std::move(map_);
  }

 private:
  // False: the target is beyond the limits, and no part of it was added.
  bool expand(Number number) {
    const Configuration now = configurations_[number];
    std::vector<Move> moves;
    model_.moves(now, moves);
    std::vector<std::pair<Move, Configuration>> steps;
    for (Move move : moves) {
      const bool can_crash = now.crashes_left > 0 && move.verb != Verb::crash;
      const unsigned max_sends = can_crash ? max_explored_nodes * max_inbox : 1;
      for (; move.sends < max_sends; ++move.sends) {
        Configuration next = now;
        if (!model_.apply(move, next)) break;
        steps.emplace_back(move, next);
      }
    }
    edges_ += steps.size();
    const auto is_new = [&](const auto& step) { return !known_.contains(name_of(step.second)); };
    const auto added = static_cast<std::uint64_t>(std::ranges::count_if(steps, is_new));
    if (edges_ > limits_.edges || map_.states.size() + added > limits_.states) return false;
    std::vector<StateMap::Edge> edges;
    for (const auto& [move, next] : steps) edges.push_back({turn_of(now, move), add(next)});
    map_.states[number].edges = std::move(edges);
    map_.states[number].is_end = std::ranges::all_of(moves, &Move::fault);
    judge(number, now);
    return true;
  }

  std::string name_of(const Configuration& now) const {
    std::vector<std::uint8_t> bytes;
    model_.encode(now, bytes);
    return {bytes.begin(), bytes.end()};
  }

  Number add(const Configuration& now) {
    const auto number = static_cast<Number>(map_.states.size());
    const auto [known, is_new] = known_.try_emplace(name_of(now), number);
    if (!is_new) return known->second;
    configurations_.push_back(now);
    StateMap::State state;
    for (std::size_t node = 0; node < options_.nodes; ++node) {
      state.places.push_back(place_of(now, node));
      for (const MessageId id : now.inbox[node].all()) {
        state.messages.push_back(message_number(node + 1, model_.message(node, id)));
      }
    }
    state.far_side = now.far_side;
    state.left = {now.crashes_left, now.restarts_left, now.partitions_left, now.false_alarms_left};
    map_.states.push_back(std::move(state));
    judge(number, now);
    return number;
  }

  void judge(Number number, const Configuration& now) {
    StateMap::State& state = map_.states[number];
    std::vector<const Snapshot*> nodes;
    model_.look(now, nodes);
    state.broken.clear();
    for (const Property* property : map_.judged) {
      state.broken.push_back(!judge_.is_kept(*property, now, nodes, state.is_end));
    }
  }

  Number place_of(const Configuration& now, std::size_t node) {
    const auto [known, is_new] = places_.try_emplace({node, now.node[node]});
    if (!is_new) return known->second;
    StateMap::Place place{model_.look(now, node), {}};
    for (const Timer timer : {Timer::answer, Timer::coordinator}) {
      if (model_.live(now, node) && model_.runs(now, node, timer)) place.timers.push_back(timer);
    }
    return known->second =
               number_in(map_.places, place, [&](const auto& other) { return other == place; });
  }

  Number message_number(NodeId to, const Message& message) {
    const StateMap::Sent sent{to, message};
    return number_in(map_.messages, sent, [&](const StateMap::Sent& other) {
      return other.to == to && other.message == message;
    });
  }

  // --- Steps ---

  // Everything that decides a step, except its script: the node's state, the event, and the other
  // nodes that a message would reach.
  using Key = std::tuple<std::size_t, LocalId, Verb, std::uint16_t, bool, unsigned, std::uint64_t>;

  Number turn_of(const Configuration& now, const Move& move) {
    std::vector<Loss> reached;
    std::uint64_t met = 0;
    for (std::size_t other = 0; other < options_.nodes; ++other) {
      const bool is_cut = !model_.connects(now, move.node, other);
      reached.push_back(is_cut                    ? Loss::partition
                        : model_.live(now, other) ? Loss::none
                                                  : Loss::gone);
      met = met * 3 + static_cast<std::uint64_t>(reached.back() == Loss::none ? 0 : is_cut ? 1 : 2);
    }
    const LocalId from = is_of_network(move) ? LocalId{0} : now.node[move.node];
    const Key key{move.node, from, move.verb, move.detail, move.fault, move.sends, met};
    auto known = rehearsed_.find(key);
    if (known == rehearsed_.end()) {
      known = rehearsed_.emplace(key, rehearse(now, move, std::move(reached))).first;
    }
    Rehearsed& turn = known->second;
    // The other messages in flight decide which words single out a message.
    const std::vector<std::string> lines = lines_of(now, turn);
    const auto like = [&](Number number) { return map_.turns[number].lines == lines; };
    const auto found = std::ranges::find_if(turn.numbers, like);
    if (found != turn.numbers.end()) return *found;
    const auto number = static_cast<Number>(map_.turns.size());
    map_.turns.push_back(turn.turn);
    map_.turns.back().lines = lines;
    turn.numbers.push_back(number);
    return number;
  }

  struct Rehearsed {
    StateMap::Turn turn;
    std::vector<Rehearsal::Message> sent = {};
    std::vector<Rehearsal::Message> unsent = {};
    int learned_gone = 0;
    std::vector<Number> numbers = {};  // in the map: steps that differ only in their lines
  };

  static bool is_of_network(const Move& move) {
    return move.verb == Verb::partition || move.verb == Verb::heal;
  }

  Rehearsed rehearse(const Configuration& now, const Move& move, std::vector<Loss> reached) {
    Rehearsed made;
    StateMap::Turn& turn = made.turn;
    turn.step = model_.describe(now, move);
    turn.is_fault = move.fault || move.sends > 0;
    if (is_of_network(move)) return made;
    const NodeId id = turn.step.id();
    turn.before = model_.look(now, move.node);
    turn.after = crashed_snapshot(id);
    if (move.verb == Verb::crash) {
      turn.records = {{.node = id, .event = TraceEvent::crash}};
      return made;
    }
    if (move.verb == Verb::deliver) {
      turn.delivered = message_number(id, model_.message(move.node, move.detail));
    }
    Rehearsal rehearsal(make_(id), options_.algorithm->signed_name(),
                        model_.words_of(now, move.node), std::move(reached), move.sends);
    rehearsal.take(model_.events_of(now, move), model_.peers());
    turn.records = std::move(rehearsal.records);
    if (turn.records.empty()) turn.records = {event_record(turn.step)};
    if (!rehearsal.has_crashed()) turn.after = snapshot_of(rehearsal.protocol());
    for (const auto& [to, message, loss] : rehearsal.sent) {
      Message text = message;
      text.number.reset();
      turn.sent.push_back(message_number(to, text));
    }
    made.sent = std::move(rehearsal.sent);
    made.unsent = std::move(rehearsal.unsent);
    made.learned_gone = rehearsal.learned_gone;
    return made;
  }

  // For a suspicion that its process ignores, and so does not record.
  static Record event_record(const Step& step) {
    return {.node = step.id(),
            .event = TraceEvent::suspect,
            .reason = suspicion_name(step.reason),
            .coordinator = step.whom};
  }

  // --- Scripts ---

  // The words that single out the `place`th, from 1, of `alike` equal messages, among others of
  // their type in flight to the same node.
  Step about(Verb verb, NodeId to, const Message& message, bool has_others, std::size_t place,
             std::size_t alike) const {
    Step step{.verb = verb, .filter = {.type = message.type, .from = message.from, .to = to}};
    if (has_others) step.filter.values = message.values;
    if (alike > 1) step.filter.only = place;
    return step;
  }

  std::vector<std::string> lines_of(const Configuration& now, const Rehearsed& made) const {
    const Step& step = made.turn.step;
    if (step.verb != Verb::deliver) {
      return lines_behind(now, made, {line_of(step)});
    }
    const Message& given = map_.messages[*made.turn.delivered].message;
    std::size_t alike = 0;
    bool has_others = false;
    for (const MessageId number : now.inbox[step.id() - 1].all()) {
      const Message& other = model_.message(step.id() - 1, number);
      if (other.type != given.type || other.from != given.from) continue;
      other == given ? void(++alike) : void(has_others = true);
    }
    return lines_behind(now, made,
                        {line_of(about(Verb::deliver, step.id(), given, has_others, 1, alike))});
  }

  // A script lets a node learn of each gone receiver. It cannot crash a node between two sends; but
  // it can lose the messages that the node should not have sent, and then crash it.
  std::vector<std::string> lines_behind(const Configuration& now, const Rehearsed& made,
                                        std::vector<std::string> lines) const {
    int learned = 0;
    for (const Rehearsal::Message& one : made.sent) {
      if (one.loss != Loss::gone || ++learned > made.learned_gone) continue;
      Step news{.verb = Verb::deliver, .filter = {.from = one.to, .to = one.message.from}};
      news.filter.only_refused = true;
      const auto same = std::ranges::count_if(made.sent, [&](const auto& other) {
        return other.to == one.to && other.loss == Loss::gone;
      });
      if (same > 1) news.filter.only = 1;
      lines.push_back(line_of(news));
    }
    // From the last: so the others keep their places.
    for (std::size_t i = made.unsent.size(); i-- > 0;) lines.push_back(loss_of(now, made, i));
    if (made.turn.step.crash_after) {
      lines.push_back(line_of({.verb = Verb::crash, .ids = made.turn.step.ids}));
    }
    return lines;
  }

  std::string loss_of(const Configuration& now, const Rehearsed& made, std::size_t i) const {
    const NodeId to = made.unsent[i].to;
    const Message& lost = made.unsent[i].message;
    std::size_t alike = 1;
    bool has_others = false;
    const auto count = [&](const Message& other) {
      if (other.type != lost.type || other.from != lost.from) return;
      other.values == lost.values ? void(++alike) : void(has_others = true);
    };
    for (const MessageId number : now.inbox[to - 1].all()) count(model_.message(to - 1, number));
    // A node sends no message to itself: the delivered one is not among these.
    for (const auto& other : made.sent) {
      if (other.to == to && other.loss == Loss::none) count(other.message);
    }
    for (std::size_t before = 0; before < i; ++before) {
      if (made.unsent[before].to == to) count(made.unsent[before].message);
    }
    return line_of(about(Verb::drop, to, lost, has_others, alike, alike));
  }

  ExploreOptions options_;
  const ProtocolMaker& make_;
  MapLimits limits_;
  Model model_;
  Judge judge_{options_, model_};
  std::vector<Configuration> configurations_;      // by the state's number
  std::unordered_map<std::string, Number> known_;  // by the configuration's bytes
  std::uint64_t edges_ = 0;
  std::map<std::pair<std::size_t, LocalId>, Number> places_;
  std::map<Key, Rehearsed> rehearsed_;
  StateMap map_;
};

}  // namespace

StateMap map_of(const ExploreOptions& options, const ProtocolMaker& make, const MapLimits& limits) {
  ExploreOptions plain = options;
  plain.reduction = nullptr;
  plain.only = nullptr;
  return Mapper(plain, make, limits).draw();
}

}  // namespace bully
