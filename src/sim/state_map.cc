#include "sim/state_map.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>

#include "base/json.h"
#include "election/participant.h"
#include "sim/explorer_judge.h"
#include "sim/explorer_model.h"

namespace bully {

namespace {

using Number = StateMap::Number;

// The index of `value` in `table`, which has it once.
Number number_in(auto& table, const auto& value) {
  const auto found = std::ranges::find(table, value);
  const auto place = static_cast<Number>(found - table.begin());
  if (found == table.end()) table.push_back(value);
  return place;
}

// Takes one step of a node in the midst of its life, and notes its records.
struct Rehearsal {
  const std::vector<Loss>& reached;  // the fate of a message to each node
  unsigned left;                     // after this number of messages in flight it crashes
  std::uint64_t last_sent = 0;
  std::vector<Record> records = {};

  void take(Participant& participant, std::span<const Event> events, const Peers& peers) {
    Outputs outputs;
    for (const Event& event : events) {
      participant.handle(event, peers, outputs);
      do {
        if (!carry_out(outputs)) return crash();
      } while (participant.handle_gone(peers, outputs));
    }
  }

  // False: the node crashes in midst of it.
  bool carry_out(Outputs& outputs) {
    while (Output* next = outputs.take()) {
      if (auto* made = std::get_if<std::unique_ptr<Record>>(next)) records.push_back(**made);
      const auto* send = std::get_if<Send>(next);
      if (send == nullptr) continue;
      const Loss loss = reached.at(send->to - 1);
      if (loss == Loss::none && left-- == 0) return false;
      last_sent = *send->message.number;
      if (loss == Loss::none) continue;
      records.push_back(lost_message(send->to, send->message, loss));
      if (loss == Loss::gone) outputs.add_gone(send->to);
    }
    return true;
  }

  // A message is recorded before it is known if its sender lives to send it.
  void crash() {
    std::erase_if(records, [this](const Record& record) {
      return record.event == TraceEvent::send && *record.number > last_sent;
    });
  }
};

struct Mapper {
  // Everything that decides a step, except its script: the node's state, the event, and the fate of
  // a message to each node.
  using Key = std::tuple<LocalId, Move, std::vector<Loss>>;

  struct Rehearsed {
    StateMap::Turn turn;
    int learned_gone = 0;
    // The messages of the event at which it crashed that it had not sent yet, to nodes that it can
    // reach.
    std::vector<Send> unsent = {};
    std::vector<Number> numbers = {};  // in the map: steps that differ only in their lines
  };

  const ExploreOptions& options;
  const ProtocolMaker& make;
  Model model{options, make};
  Judge judge{options, model};
  std::vector<Configuration> configurations = {};          // by the state's number
  std::unordered_map<std::string, Number> number_of = {};  // by the configuration's bytes
  std::map<std::pair<std::size_t, LocalId>, Number> places = {};
  std::map<Key, Rehearsed> rehearsed = {};
  StateMap map = {};

  StateMap draw() {
    for (const Property* property : options.algorithm->properties) {
      if (can_explore(*property) && !is_about_ways(*property)) map.judged.push_back(property);
    }
    map.beginning = beginning_of(options, false);
    map.ring = options.arrangement.empty() ? one_to(options.nodes) : options.arrangement;
    add(model.beginning());
    std::uint64_t next = 0;
    try {
      while (next < map.states.size() && expand(static_cast<Number>(next))) ++next;
    } catch (const BoundReached&) {  // as if a limit was reached
    }
    map.is_whole = next == map.states.size();
    for (; next < map.states.size(); ++next) map.states[next].is_explored = false;
    return std::move(map);
  }

  // False: the target is beyond the limits, and no part of it was added.
  bool expand(Number number) {
    const Configuration now = configurations[number];
    std::vector<Move> moves;
    model.moves(now, moves);
    std::vector<std::pair<Move, Configuration>> steps;
    model.each_step(now, moves, [&](const Move& move, const Configuration& next) {
      steps.emplace_back(move, next);
    });
    const auto is_new = [&](const auto& step) { return !number_of.contains(name_of(step.second)); };
    const auto added = static_cast<std::uint64_t>(std::ranges::count_if(steps, is_new));
    const bool fits = map.edges + steps.size() <= StateMap::max_edges;
    if (!fits || map.states.size() + added > StateMap::max_states) return false;
    map.edges += steps.size();
    std::vector<StateMap::Edge> edges;
    for (const auto& [move, next] : steps) edges.push_back({turn_of(now, move), add(next)});
    map.states[number].edges = std::move(edges);
    map.states[number].is_end = std::ranges::all_of(moves, &Move::fault);
    judge_state(number, now);
    return true;
  }

  std::string name_of(const Configuration& now) const {
    std::vector<std::uint8_t> bytes;
    model.encode(now, bytes);
    return {bytes.begin(), bytes.end()};
  }

  Number add(const Configuration& now) {
    const auto number = static_cast<Number>(map.states.size());
    const auto [known, is_new] = number_of.try_emplace(name_of(now), number);
    if (!is_new) return known->second;
    configurations.push_back(now);
    StateMap::State state;
    for (std::size_t node = 0; node < options.nodes; ++node) {
      state.places.push_back(place_of(now, node));
      for (const MessageId id : now.inbox[node].all()) {
        state.messages.push_back(message_number(node + 1, model.message(node, id)));
      }
    }
    map.states.push_back(std::move(state));
    judge_state(number, now);
    return number;
  }

  void judge_state(Number number, const Configuration& now) {
    StateMap::State& state = map.states[number];
    std::vector<const Snapshot*> nodes;
    model.look(now, nodes);
    state.broken.clear();
    for (const Property* property : map.judged) {
      state.broken.push_back(!judge.is_kept(*property, now, nodes, state.is_end));
    }
  }

  Number place_of(const Configuration& now, std::size_t node) {
    const auto [known, is_new] = places.try_emplace({node, now.node[node]});
    if (!is_new) return known->second;
    const StateMap::Place place{model.look(now, node), model.waits(now, node)};
    return known->second = number_in(map.places, place);
  }

  Number message_number(NodeId to, const Message& message) {
    return number_in(map.messages, Send{to, message});
  }

  // --- Steps ---

  Number turn_of(const Configuration& now, const Move& move) {
    std::vector<Loss> reached;
    for (std::size_t other = 0; other < options.nodes; ++other) {
      const bool is_cut = !model.connects(now, move.node, other);
      reached.push_back(is_cut                   ? Loss::partition
                        : model.live(now, other) ? Loss::none
                                                 : Loss::gone);
    }
    const LocalId from = is_of_network(move.verb) ? LocalId{0} : now.node[move.node];
    const Key key{from, move, reached};
    auto known = rehearsed.find(key);
    if (known == rehearsed.end()) {
      known = rehearsed.emplace(key, rehearse(now, move, reached)).first;
    }
    Rehearsed& turn = known->second;
    // The other messages in flight decide which words single out a message.
    const std::vector<std::string> lines = lines_of(now, turn);
    const auto like = [&](Number number) { return map.turns[number].lines == lines; };
    const auto found = std::ranges::find_if(turn.numbers, like);
    if (found != turn.numbers.end()) return *found;
    const auto number = static_cast<Number>(map.turns.size());
    map.turns.push_back(turn.turn);
    map.turns.back().lines = lines;
    turn.numbers.push_back(number);
    return number;
  }

  Rehearsed rehearse(const Configuration& now, const Move& move, const std::vector<Loss>& reached) {
    Rehearsed made;
    StateMap::Turn& turn = made.turn;
    turn.step = model.describe(now, move);
    turn.is_fault = move.fault || move.sends > 0;
    if (is_of_network(move.verb)) return made;
    const NodeId id = turn.step.id();
    turn.before = model.look(now, move.node);
    turn.after = crashed_snapshot(id);
    if (move.verb == Verb::crash) {
      turn.records = {{.node = id, .event = TraceEvent::crash}};
      return made;
    }
    if (move.verb == Verb::deliver) {
      turn.delivered = message_number(id, model.message(move.node, move.detail));
    }
    auto protocol = make(id);
    protocol->load(model.words_of(now, move.node));
    Participant participant(std::move(protocol), options.algorithm->signed_name());
    participant.recall();
    Rehearsal rehearsal{reached,
                        move.sends > 0 ? move.sends : std::numeric_limits<unsigned>::max()};
    rehearsal.take(participant, model.events_of(now, move), model.peers());
    turn.records = std::move(rehearsal.records);
    // A process does not record a suspicion that it ignores.
    if (turn.records.empty()) {
      turn.records = {{.node = id,
                       .event = TraceEvent::suspect,
                       .reason = suspicion_name(turn.step.reason),
                       .coordinator = turn.step.whom}};
    }
    if (move.sends == 0) turn.after = snapshot_of(participant.protocol());
    for (const Record& sent : turn.records) {
      if (sent.event != TraceEvent::send) continue;
      turn.sent.push_back(
          message_number(sent.to, {.type = sent.type, .from = sent.from, .values = sent.values}));
    }
    Configuration next = now;
    model.apply(move, next);
    made.learned_gone = model.learned_gone();
    for (const auto& [to, message] : model.unsent()) {
      if (reached[to] == Loss::none)
        made.unsent.push_back({to + NodeId{1}, model.message(to, message)});
    }
    return made;
  }

  // --- Scripts ---

  std::vector<const Message*> in_flight(const Configuration& now, NodeId to) const {
    return list_of(now.inbox[to - 1].all(),
                   [&](MessageId number) { return &model.message(to - 1, number); });
  }

  // Singles out a message among `all` in flight to the same node: of those that are alike, the
  // first is delivered, and the last is dropped.
  std::string line_about(Verb verb, NodeId to, const Message& one,
                         const std::vector<const Message*>& all) const {
    Step step{.verb = verb, .filter = {.type = one.type, .from = one.from, .to = to}};
    std::uint64_t alike = 0;
    for (const Message* other : all) {
      if (other->type != one.type || other->from != one.from) continue;
      // Where messages keep their order, a message is named by its place. Such a script suits real
      // processes as well: they have held more elections before it begins, so they number this one
      // differently.
      const bool is_like = options.delivery != Delivery::any_order || other->values == one.values;
      is_like ? void(++alike) : void(step.filter.values = one.values);
    }
    if (alike > 1) step.filter.only = verb == Verb::deliver ? 1 : alike;
    return line_of(step);
  }

  // A script lets a node learn of each gone receiver. It cannot crash a node between two sends; but
  // it can lose the messages that the node should not have sent, and then crash it.
  std::vector<std::string> lines_of(const Configuration& now, const Rehearsed& made) const {
    const StateMap::Turn& turn = made.turn;
    std::vector<std::string> lines = {line_of(turn.step)};
    if (turn.delivered) {
      const auto& [to, given] = map.messages[*turn.delivered];
      lines = {line_about(Verb::deliver, to, given, in_flight(now, to))};
    }
    const auto is_gone = [](const Record& record) {
      return record.event == TraceEvent::lost && record.reason == "gone";
    };
    int learned = 0;
    for (const Record& lost : turn.records) {
      if (!is_gone(lost) || ++learned > made.learned_gone) continue;
      Step news{.verb = Verb::deliver, .filter = {.from = lost.to, .to = lost.from}};
      news.filter.only_refused = true;
      const auto same = std::ranges::count_if(
          turn.records, [&](const Record& other) { return is_gone(other) && other.to == lost.to; });
      if (same > 1) news.filter.only = 1;
      lines.push_back(line_of(news));
    }
    // From the last: so the others keep their places.
    for (std::size_t i = made.unsent.size(); i-- > 0;) lines.push_back(loss_of(now, made, i));
    if (turn.step.crash_after)
      lines.push_back(line_of({.verb = Verb::crash, .ids = turn.step.ids}));
    return lines;
  }

  std::string loss_of(const Configuration& now, const Rehearsed& made, std::size_t i) const {
    const auto& [to, lost] = made.unsent[i];
    std::vector<const Message*> all = in_flight(now, to);
    // A node sends no message to itself: the delivered one is not among these.
    for (const Number number : made.turn.sent) {
      if (map.messages[number].to == to) all.push_back(&map.messages[number].message);
    }
    for (std::size_t before = 0; before <= i; ++before) {
      if (made.unsent[before].to == to) all.push_back(&made.unsent[before].message);
    }
    return line_about(Verb::drop, to, lost, all);
  }
};

}  // namespace

StateMap map_of(const ExploreOptions& options, const ProtocolMaker& make) {
  ExploreOptions plain = options;
  plain.reduction = nullptr;
  plain.only = nullptr;
  return Mapper{plain, make}.draw();
}

}  // namespace bully
