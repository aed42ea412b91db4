#include "rules/contract.h"

#include <algorithm>
#include <array>
#include <utility>

#include "rules/json_fields.h"

namespace bully {

// --- Questions ---

namespace {

struct EventJson {
  JsonMembers operator()(const Started& event) const {
    return {{"event", "\"started\""},
            {"resumed", json_bool(event.resumed)},
            {"incarnation", json_string(std::to_string(event.incarnation))}};
  }
  JsonMembers operator()(const Preset& event) const {
    return {{"event", "\"preset\""}, {"peer", json_number(event.coordinator)}};
  }
  JsonMembers operator()(const Received& event) const {
    const Message& message = event.message;
    JsonMembers fields;
    for (const Field* field : message.type->fields) {
      const auto value = field == nullptr ? std::nullopt : message.get(*field);
      if (!value) continue;
      const bool is_flag =
          field->meaning == Field::Meaning::flag || field->meaning == Field::Meaning::sender;
      fields.emplace_back(field->key, is_flag ? "true" : json_number(value));
    }
    if (message.type->list != nullptr) {
      fields.emplace_back(message.type->list->key, json_array(message.list(), json_number));
    }
    return {{"event", "\"received\""},
            {"type", json_string(message.type->code)},
            {"from", json_number(message.from)},
            {"fields", json_object(fields)}};
  }
  JsonMembers operator()(const PeerGone& event) const {
    return {{"event", "\"gone\""}, {"peer", json_number(event.peer)}};
  }
  JsonMembers operator()(const Expired& event) const {
    return {{"event", "\"expired\""}, {"timer", json_string(timer_name(event.timer))}};
  }
  JsonMembers operator()(const Suspected& event) const {
    return {{"event", "\"suspected\""},
            {"peer", json_number(event.peer)},
            {"reason", json_string(suspicion_name(event.reason))}};
  }
  JsonMembers operator()(const PeerFound& /*event*/) const { return {}; }
};

}  // namespace

std::optional<std::string> question_of(const Situation& situation, const Description& description,
                                       const Event& event, NodeId self,
                                       const std::vector<NodeId>& ids) {
  JsonMembers members = std::visit(EventJson(), event);
  if (members.empty()) return std::nullopt;
  members.emplace_back("id", json_number(self));
  members.emplace_back("ids", json_array(ids, json_number));
  members.emplace_back("state", json_string(description.states[situation.state].name));
  members.emplace_back("coordinator", json_number(situation.coordinator));
  members.emplace_back("memory", situation.memory);
  return json_object(members);
}

// --- Answers ---

namespace {

constexpr std::size_t max_memory_bytes = std::size_t{64} * 1024;
constexpr std::size_t max_attempts = 16;  // each doubles a wait

class AnswerReader {
 public:
  AnswerReader(const Json& json, const Description& description, NodeId self,
               const std::function<bool(NodeId)>& knows)
      : json_(json), description_(description), self_(self), knows_(knows) {}

  Answer read() {
    refuse_other_keys(json_, {"memory", "state", "coordinator", "watch", "variables", "actions"},
                      "answer");
    read_situation();
    for (const Json& each : elements_of(json_, "actions", max_actions)) read_action(each);
    place_change();
    return std::move(answer_);
  }

 private:
  static constexpr std::size_t max_actions = 4096;

  void read_situation() {
    Situation& next = answer_.next;
    next.memory = canonical(json_["memory"]);
    if (next.memory.size() > max_memory_bytes) {
      refuse_rules("rules_memory", {std::to_string(next.memory.size())});
    }
    next.state =
        place_among(description_.states, need_text(json_, "state"), &StateKind::name, "state");
    next.coordinator = known_if_any("coordinator");
    next.watched = known_if_any("watch");
    if (!next.watched) next.watched = next.coordinator;
    const StateKind& state = description_.states[next.state];
    const bool follows = state.role == StateRole::following;
    const bool wins = state.role == StateRole::coordinating;
    const bool is_right = wins      ? next.coordinator == self_
                          : follows ? next.coordinator && next.coordinator != self_
                                    : !next.coordinator;
    if (!is_right) {
      const char* key = wins      ? "rules_not_itself"
                        : follows ? "rules_follows"
                                  : "rules_follows_none";
      refuse_rules(key, {state.name, json_number(next.coordinator)});
    }
    for (std::size_t i = 0; i < description_.variables.size(); ++i) {
      next.variables.at(i).name = description_.variables[i];
    }
    const Json& given = json_["variables"];
    for (std::size_t i = 0; i < given.keys.size(); ++i) {
      const std::size_t place =
          place_among(description_.variables, given.keys[i], std::identity(), "variables");
      next.variables.at(place).value = number_if_there(given, given.keys[i]);
    }
  }

  std::optional<NodeId> known_if_any(std::string_view key) const {
    const std::optional<NodeId> id = number_if_there(json_, key);
    if (id && !knows_(*id)) refuse_rules("rules_no_such_id", {key, std::to_string(*id)});
    return id;
  }

  void read_action(const Json& json) {
    if (json.kind != Json::Kind::object) refuse_rules("rules_needs_object", {"actions"});
    Actions& actions = answer_.actions;
    if (json["send"].is_string()) {
      actions.push_back(read_send(json));
    } else if (json["start"].is_string()) {
      refuse_other_keys(json, {"start", "attempts"}, "start");
      const std::uint64_t attempts = number_if_there(json, "attempts").value_or(0);
      if (attempts > max_attempts) refuse_rules("rules_attempts", {std::to_string(max_attempts)});
      actions.push_back(StartTimer{read_timer(json["start"].text), std::uint8_t(attempts)});
    } else if (json["stop"].is_string()) {
      refuse_other_keys(json, {"stop"}, "stop");
      actions.push_back(StopTimer{read_timer(json["stop"].text)});
    } else if (json["rule"].is_string()) {
      refuse_other_keys(json, {"rule"}, "rule");
      const auto own = [this](const Rule& rule) {
        return rule.key.substr(description_.name.size() + 1);
      };
      const std::size_t place = place_among(description_.rules, json["rule"].text, own, "rule");
      actions.push_back(Fired{&description_.rules[place]});
    } else if (flag_or(json, "change", false)) {
      actions.push_back(Changed{});
    } else {
      refuse_rules("rules_unknown", {"action", canonical(json), "send, start, stop, rule, change"});
    }
  }

  static Timer read_timer(std::string_view name) {
    constexpr std::array all = {Timer::answer, Timer::coordinator};
    return all.at(place_among(all, name, timer_name, "timer"));
  }

  Send read_send(const Json& json) const {
    refuse_other_keys(json, {"send", "to", "fields"}, "send");
    const auto code = [](MessageType type) { return type->code; };
    const MessageType type =
        description_.messages[place_among(description_.messages, json["send"].text, code, "send")];
    const NodeId to = need_number(json["to"], "to");
    if (to == self_) refuse_rules("rules_to_itself", {std::to_string(to)});
    if (!knows_(to)) refuse_rules("rules_no_such_id", {"to", std::to_string(to)});
    Message message{.type = type, .from = self_};
    const Json& given = json["fields"];
    for (std::size_t i = 0; i < given.keys.size(); ++i) {
      set_field(message, given.keys[i], given.elements[i]);
    }
    if (is_too_long(message)) refuse_rules("rules_message_too_long", {type->code});
    return {to, message};
  }

  static void set_field(Message& message, std::string_view key, const Json& value) {
    if (value.kind == Json::Kind::null) return;
    std::vector<const Field*> all;
    for (const Field* field : message.type->fields) {
      if (field != nullptr) all.push_back(field);
    }
    if (message.type->list != nullptr) all.push_back(message.type->list);
    const Field& field = *all[place_among(
        all, key, [](const Field* one) { return one->key; }, "fields")];
    if (field.meaning == Field::Meaning::ids) {
      FieldValues::List ids;
      if (value.kind != Json::Kind::array) refuse_rules("rules_needs_list", {key});
      for (const Json& id : value.elements) ids.push_back(need_number(id, key));
      message.values.set_list(std::move(ids));
    } else if (value.kind == Json::Kind::boolean) {
      if (value.text == "true") message.set(field);
    } else {
      message.set(field, need_number(value, key));
    }
  }

  // Unless the program says when: before the first action that is more than a rule's name.
  void place_change() {
    Actions& actions = answer_.actions;
    const auto is = [](auto kind) {
      return [kind](const Action& action) { return action.index() == Action(kind).index(); };
    };
    if (std::ranges::any_of(actions, is(Changed{}))) return;
    actions.insert(std::ranges::find_if_not(actions, is(Fired{})), Changed{});
  }

  const Json& json_;
  const Description& description_;
  NodeId self_;
  const std::function<bool(NodeId)>& knows_;
  Answer answer_;
};

}  // namespace

Answer read_answer(std::string_view line, const Description& description, const Event& event,
                   NodeId self, const std::function<bool(NodeId)>& knows) {
  const Json json = object_in(line);
  Answer answer = AnswerReader(json, description, self, knows).read();
  answer.said = canonical(json);
  const auto* preset = std::get_if<Preset>(&event);
  if (preset != nullptr && answer.next.coordinator != preset->coordinator) {
    refuse_rules("rules_preset", {std::to_string(preset->coordinator)});
  }
  return answer;
}

}  // namespace bully
