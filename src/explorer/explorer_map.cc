// explorer_map.cc: explores breadth first, and takes each step of a node once more for its records.
#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>

#include "base/list.h"
#include "election/participant.h"
#include "explorer/explorer_judge.h"
#include "explorer/explorer_model.h"
#include "sim/script_text.h"

namespace bully {

namespace {

std::size_t lane_of(NodeId id) {
  return id - 1;  // explored nodes are 1, 2, …
}

Diagram::Message shown(NodeId to, const Message& message) {
  return {message.type, lane_of(message.from), lane_of(to), message.values};
}

// Takes one step of a node in the midst of its life, and notes it in `turn`.
struct Rehearsal {
  const std::vector<Loss>& losses;  // of a message to each node
  unsigned left;                    // after this number of messages in flight it crashes
  StateMap::Turn& turn;
  std::optional<std::uint64_t> unsent = {};  // the first message that it does not send any more

  void take(Participant& participant, std::span<const Event> events, const Peers& peers) {
    Outputs outputs;
    for (const Event& event : events) {
      participant.handle(event, peers, outputs);
      carry_out(outputs);
      while (!unsent && participant.handle_gone(peers, outputs)) {
        ++turn.learned_gone;
        carry_out(outputs);
      }
      if (unsent) return;
    }
  }

  void carry_out(Outputs& outputs) {
    std::vector<Record>& records = turn.taken.records;
    while (Output* next = outputs.take()) {
      auto* made = std::get_if<std::unique_ptr<Record>>(next);
      if (made != nullptr && !unsent) records.push_back(**made);
      const auto* send = std::get_if<Send>(next);
      if (send == nullptr) continue;
      const std::size_t lane = lane_of(send->to);
      const Loss loss = lane < losses.size() ? losses[lane] : Loss::gone;  // it left long ago
      if (loss == Loss::none) {
        if (!unsent && left-- == 0) unsent = send->message.number;
        if (unsent) turn.unsent.push_back(shown(send->to, send->message));
      } else if (!unsent) {
        records.push_back(lost_message(send->to, send->message, loss));
        if (loss == Loss::gone) outputs.add_gone(send->to);
      }
    }
    // A message is recorded before it is known if its sender lives to send it.
    std::erase_if(records, [this](const Record& record) {
      return unsent && record.event == TraceEvent::send && record.number >= unsent;
    });
  }
};

struct Mapper {
  // Everything that decides a step, except its script: the node's state, the events, and the loss
  // of a message to each node.
  using Key = std::tuple<LocalId, Move, std::vector<std::uint16_t>, std::vector<Loss>>;

  const ExploreOptions& options;
  const ProtocolMaker& make;
  Model model{options, make};
  StateJudge judge{options, model};
  std::vector<Configuration> configurations = {};               // by the state's number
  std::unordered_map<std::string, std::size_t> number_of = {};  // by the configuration's bytes
  std::map<Key, std::vector<std::size_t>> turns = {};           // which differ only in their lines
  StateMap map = {};

  StateMap draw() {
    for (const Property* property : options.algorithm->properties) {
      if (can_explore(*property) && !is_about_ways(*property)) map.judged.push_back(property);
    }
    map.scene.algorithm = options.algorithm;
    map.scene.lanes = one_to(options.nodes);
    map.ring = options.arrangement.empty() ? map.scene.lanes : options.arrangement;
    map.beginning = beginning_of(options, false);
    add(model.beginning());
    std::size_t next = 0;
    try {
      while (next < map.states.size() && expand(next)) ++next;
    } catch (const BoundReached&) {  // as if a limit was reached
    }
    for (; next < map.states.size(); ++next) {
      map.states[next].is_explored = false;
      judge_state(map.states[next], configurations[next]);
    }
    return std::move(map);
  }

  // False: the target is beyond the limits, and no part of it was added.
  bool expand(std::size_t number) {
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
    for (const auto& [move, next] : steps) edges.push_back({turn_of(number, now, move), add(next)});
    StateMap::State& state = map.states[number];
    state.edges = std::move(edges);
    state.is_end = std::ranges::all_of(moves, &Move::fault);
    judge_state(state, now);
    return true;
  }

  std::string name_of(const Configuration& now) const {
    std::vector<std::uint8_t> bytes;
    model.encode(now, bytes);
    return {bytes.begin(), bytes.end()};
  }

  std::size_t add(const Configuration& now) {
    const auto [known, is_new] = number_of.try_emplace(name_of(now), map.states.size());
    if (!is_new) return known->second;
    configurations.push_back(now);
    StateMap::State& state = map.states.emplace_back();
    for (std::size_t node = 0; node < options.nodes; ++node) {
      state.places.push_back(
          {.lane = node,
           .node = model.look(now, node),
           .mark = model.waits(now, node) ? Diagram::Mark::waits : Diagram::Mark::none});
      if (now.far_side != 0) state.sides.push_back((now.far_side >> node & 1U) + 1U);
      for (const MessageId id : now.inbox[node].all()) {
        state.messages.push_back(number_in_scene(node + 1, model.message(node, id)));
      }
    }
    return known->second;
  }

  void judge_state(StateMap::State& state, const Configuration& now) {
    std::vector<const Snapshot*> nodes;
    model.look(now, nodes);
    for (std::size_t i = 0; i < map.judged.size(); ++i) {
      state.broken[i] = !judge.is_kept(*map.judged[i], now, nodes, state.is_end);
    }
  }

  std::size_t number_in_scene(NodeId to, const Message& message) {
    std::vector<Diagram::Message>& all = map.scene.messages;
    const Diagram::Message sent = shown(to, message);
    const auto found = std::ranges::find(all, sent);
    const auto number = static_cast<std::size_t>(found - all.begin());
    if (found == all.end()) all.push_back(sent);
    return number;
  }

  // --- Steps ---

  std::size_t turn_of(std::size_t state, const Configuration& now, const Move& move) {
    std::vector<Loss> losses;
    for (const NodeId to : map.scene.lanes) losses.push_back(model.loss(now, move.node, to));
    const LocalId from = is_of_network(move.verb) ? LocalId{0} : now.node[move.node];
    std::vector<std::size_t>& alike = turns[{from, move, model.details_of(now, move), losses}];
    const std::size_t number = map.turns.size();
    if (alike.empty()) {
      map.turns.push_back(rehearse(now, move, losses));
      map.turns.back().lines = lines_of(state, map.turns.back());
    } else {
      // The other messages in flight decide which words single out a message.
      const std::vector<std::string> lines = lines_of(state, map.turns[alike.front()]);
      const auto has_these = [&](std::size_t other) { return map.turns[other].lines == lines; };
      const auto found = std::ranges::find_if(alike, has_these);
      if (found != alike.end()) return *found;
      map.turns.push_back(map.turns[alike.front()]);
      map.turns.back().lines = lines;
    }
    alike.push_back(number);
    return number;
  }

  StateMap::Turn rehearse(const Configuration& now, const Move& move,
                          const std::vector<Loss>& losses) {
    StateMap::Turn turn{.step = model.describe(now, move),
                        .is_fault = move.fault || move.sends > 0};
    if (is_of_network(move.verb)) return turn;
    const NodeId id = turn.step.id();
    Diagram::Step& taken = turn.taken;
    taken.lane = move.node;
    taken.before = model.look(now, move.node);
    taken.after = crashed_snapshot(id);
    taken.restart = move.verb == Verb::restart && taken.before.condition == Condition::crashed;
    if (move.verb == Verb::crash) {
      taken.event = TraceEvent::crash;
      taken.records = {{.node = id, .event = TraceEvent::crash}};
      return turn;
    }
    if (move.verb == Verb::deliver) {
      taken.ended = number_in_scene(id, model.message(move.node, move.detail));
    }
    auto protocol = make(id);
    protocol->load(model.words_of(now, move.node));
    Participant participant(std::move(protocol), options.algorithm->signed_name());
    participant.recall();
    const unsigned sends = move.sends > 0 ? move.sends : std::numeric_limits<unsigned>::max();
    Rehearsal{losses, sends, turn}.take(participant, model.events_of(now, move), model.peers());
    // A process does not record a suspicion that it ignores.
    if (taken.records.empty()) {
      taken.records = {{.node = id,
                        .event = TraceEvent::suspect,
                        .reason = suspicion_name(turn.step.reason),
                        .coordinator = turn.step.whom}};
    }
    taken.event = taken.records.front().event;
    if (move.sends == 0) taken.after = snapshot_of(participant.protocol());
    for (const Record& sent : taken.records) {
      if (sent.event != TraceEvent::send || !model.is_node(sent.to)) continue;
      taken.sent.push_back(
          number_in_scene(sent.to, {.type = sent.type, .from = sent.from, .values = sent.values}));
    }
    return turn;
  }

  // --- Scripts ---

  // Singles out a message among those in flight: of those that are alike, the first is delivered,
  // and the last is dropped.
  std::string line_about(Verb verb, const Diagram::Message& one,
                         const std::vector<Diagram::Message>& in_flight) const {
    const std::vector<NodeId>& ids = map.scene.lanes;
    Step step{.verb = verb, .filter = {.type = one.type, .from = ids[one.from], .to = ids[one.to]}};
    std::uint64_t alike = 0;
    for (const Diagram::Message& other : in_flight) {
      if (other.type != one.type || other.from != one.from || other.to != one.to) continue;
      // Where messages keep their order, a message is named by its place. Such a script suits real
      // processes as well: they have started more elections before it begins, so they number this
      // one differently.
      const bool is_like = options.delivery != Delivery::any_order || other.values == one.values;
      is_like ? void(++alike) : void(step.filter.values = one.values);
    }
    if (alike > 1) step.filter.only = verb == Verb::deliver ? 1 : alike;
    return line_of(step);
  }

  // A script lets a node learn of each gone receiver. It cannot crash a node between two sends; but
  // it can lose the messages that the node should not have sent, and then crash it.
  std::vector<std::string> lines_of(std::size_t state, const StateMap::Turn& turn) const {
    const std::vector<Diagram::Message>& all = map.scene.messages;
    const auto message = [&](std::size_t number) { return all[number]; };
    std::vector<Diagram::Message> in_flight = list_of(map.states[state].messages, message);
    const std::optional<std::size_t>& given = turn.taken.ended;
    std::vector<std::string> lines = {given ? line_about(Verb::deliver, all[*given], in_flight)
                                            : line_of(turn.step)};
    const auto is_gone = [](const Record& record) {
      return record.event == TraceEvent::lost && record.reason == "gone";
    };
    std::size_t learned = 0;
    for (const Record& lost : turn.taken.records) {
      if (!is_gone(lost) || ++learned > turn.learned_gone) continue;
      Step news{.verb = Verb::deliver, .filter = {.from = lost.to, .to = lost.from}};
      news.filter.only_refused = true;
      const auto same = std::ranges::count_if(turn.taken.records, [&](const Record& other) {
        return is_gone(other) && other.to == lost.to;
      });
      if (same > 1) news.filter.only = 1;
      lines.push_back(line_of(news));
    }
    // From the last: so the others keep their places. A node sends no message to itself: the
    // delivered one is not like any of these.
    std::ranges::transform(turn.taken.sent, std::back_inserter(in_flight), message);
    std::ranges::copy(turn.unsent, std::back_inserter(in_flight));
    for (std::size_t left = turn.unsent.size(); left > 0; --left, in_flight.pop_back()) {
      lines.push_back(line_about(Verb::drop, in_flight.back(), in_flight));
    }
    if (turn.step.crash_after) {
      lines.push_back(line_of({.verb = Verb::crash, .ids = turn.step.ids}));
    }
    return lines;
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
