// rules_conformance.cc: situations breadth first, each event in each of them.
#include <set>
#include <utility>

#include "base/list.h"
#include "rules/rules.h"

namespace bully {

namespace {

constexpr std::size_t max_questions = 3000;

// A message as another process might send it: without a field, with each alone, and with all but
// the sender's.
std::vector<Message> messages_from(NodeId sender, MessageType type) {
  std::vector<Message> all = {{.type = type, .from = sender}};
  Message whole = all.front();
  std::size_t count = 0;
  for (const Field* field : type->fields) {
    if (field == nullptr) continue;
    all.emplace_back(all.front()).set(*field, sender);
    if (field->meaning == Field::Meaning::sender) continue;  // in the place of an id
    whole.set(*field, sender);
    ++count;
  }
  if (count > 1) all.push_back(whole);
  if (type->list != nullptr) {
    for (Message& message : all) message.values.set_list({sender});
  }
  return all;
}

std::vector<Event> events_for(NodeId self, const Peers& peers, const Description& description) {
  std::vector<Event> events = {
      Started{.incarnation = 1}, Preset{description.preferred_of(peers.ids())},
      Started{.resumed = true}, Expired{Timer::answer}, Expired{Timer::coordinator}};
  if (description.gives_way) events.emplace_back(Suspected{self, Suspicion::deposed});
  for (const NodeId other : peers.ids()) {
    if (other == self) continue;
    events.emplace_back(PeerGone{other});
    for (const auto reason : {Suspicion::down, Suspicion::hung, Suspicion::deposed}) {
      events.emplace_back(Suspected{other, reason});
    }
    for (const MessageType type : description.messages) {
      for (const Message& message : messages_from(other, type)) {
        events.emplace_back(Received{message});
      }
    }
  }
  return events;
}

}  // namespace

Conformance check_conformance(Rules& rules) {
  Conformance found;
  const FixedPeers three = {1, 2, 3};
  std::set<const Rule*> fired;
  std::set<std::pair<NodeId, std::size_t>> met;
  std::vector<std::pair<NodeId, std::size_t>> open;
  for (const NodeId id : three.ids()) open.emplace_back(id, 0);
  met.insert(open.begin(), open.end());
  for (std::size_t next = 0; next < open.size(); ++next) {
    const auto [id, situation] = open[next];
    for (const Event& event : events_for(id, three, rules.description())) {
      // A process begins with one of the first two.
      const bool begins =
          std::holds_alternative<Preset>(event) ||
          (std::holds_alternative<Started>(event) && !std::get<Started>(event).resumed);
      if (begins != (situation == 0)) continue;
      // Only a coordinator is suspected by itself.
      const auto* suspected = std::get_if<Suspected>(&event);
      const bool is_of_itself = suspected != nullptr && suspected->peer == id;
      if (is_of_itself && rules.situation(situation).coordinator != id) continue;
      if (rules.questions() >= max_questions) {
        found.is_whole = false;
        break;
      }
      const Rules::Reaction* known = rules.react(situation, event, id, three);
      for (const Action& action : known->actions) {
        if (const auto* one = std::get_if<Fired>(&action)) fired.insert(one->rule);
      }
      if (met.emplace(id, known->next).second) open.emplace_back(id, known->next);
    }
  }
  const auto is_unfired = [&](const Rule* rule) { return !fired.contains(rule); };
  found.unfired = list_of(rules.description().rules, is_unfired, &Rule::key);
  return found;
}

}  // namespace bully
