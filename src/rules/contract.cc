// contract.cc: questions and answers as JSON, one rule of the contract at a time.
#include "rules/contract.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "rules/json_fields.h"

namespace bully {

// --- Questions ---

namespace {

// Such a field is there, or is not.
bool is_flag(const Field& field) {
  return field.meaning == Field::Meaning::flag || field.meaning == Field::Meaning::sender;
}

// All fields of such a message, its list last.
std::vector<const Field*> fields_of(MessageType type) {
  std::vector<const Field*> all(type->fields.begin(), type->fields.end());
  all.push_back(type->list);
  std::erase(all, nullptr);
  return all;
}

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
    for (const Field* field : fields_of(message.type)) {
      const bool is_list = field->meaning == Field::Meaning::ids;
      const auto value = is_list ? std::nullopt : message.get(*field);
      if (is_list) {
        fields.emplace_back(field->key, json_array(message.list(), json_number));
      } else if (value) {
        fields.emplace_back(field->key, is_flag(*field) ? "true" : json_number(value));
      }
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
constexpr std::size_t max_actions = 4096;

struct AnswerReader {
  const Json& json;
  const Description& description;
  NodeId self;
  const std::function<bool(NodeId)>& knows;
  Answer answer = {};

  Answer read() {
    refuse_other_keys(json, {"memory", "state", "coordinator", "watch", "variables", "actions"},
                      "answer");
    read_situation();
    for (const Json& each : elements_of(json, "actions", max_actions)) read_action(each);
    place_change();
    return std::move(answer);
  }

  void read_situation() {
    Situation& next = answer.next;
    next.memory = canonical(json["memory"]);
    if (next.memory.size() > max_memory_bytes) {
      refuse_rules("rules_memory", {std::to_string(next.memory.size())});
    }
    // The first is "down": no process that answers is.
    next.state = 1 + place_among(std::span(description.states).subspan(1),
                                 need_text(json["state"], "state"), &StateKind::name, "state");
    next.coordinator = known_if_any("coordinator");
    next.watched = known_if_any("watch");
    if (!next.watched) next.watched = next.coordinator;
    const StateKind& state = description.states[next.state];
    const auto need = [&](bool is_right, std::string_view otherwise) {
      if (!is_right) refuse_rules(otherwise, {state.name, json_number(next.coordinator)});
    };
    if (state.role == StateRole::coordinating) {
      need(next.coordinator == self, "rules_not_itself");
    } else if (state.role == StateRole::following) {
      need(next.coordinator && next.coordinator != self, "rules_follows");
    } else {
      need(!next.coordinator, "rules_follows_none");
    }
    for (std::size_t i = 0; i < description.variables.size(); ++i) {
      next.variables.at(i).name = description.variables[i];
    }
    const Json& given = object_if_any(json, "variables");
    for (std::size_t i = 0; i < given.keys.size(); ++i) {
      const std::size_t place =
          place_among(description.variables, given.keys[i], std::identity(), "variables");
      next.variables.at(place).value = number_if_there(given, given.keys[i]);
    }
  }

  static const Json& object_if_any(const Json& whole, std::string_view key) {
    const Json& member = whole[key];
    const bool is_right = member.kind == Json::Kind::null || member.kind == Json::Kind::object;
    if (!is_right) refuse_rules("rules_needs_object", {key});
    return member;
  }

  std::optional<NodeId> known_if_any(std::string_view key) const {
    if (json[key].kind == Json::Kind::null) return std::nullopt;
    const NodeId id = need_id(json[key], key);
    if (!knows(id)) refuse_rules("rules_no_such_id", {key, std::to_string(id)});
    return id;
  }

  void read_action(const Json& one) {
    if (one.kind != Json::Kind::object) refuse_rules("rules_needs_objects", {"actions"});
    Actions& actions = answer.actions;
    if (one["send"].is_string()) {
      actions.push_back(read_send(one));
    } else if (one["start"].is_string()) {
      refuse_other_keys(one, {"start", "attempts"}, "start");
      const std::uint64_t attempts = number_if_there(one, "attempts").value_or(0);
      if (attempts > max_attempts) refuse_rules("rules_attempts", {std::to_string(max_attempts)});
      actions.push_back(StartTimer{read_timer(one["start"].text), std::uint8_t(attempts)});
    } else if (one["stop"].is_string()) {
      refuse_other_keys(one, {"stop"}, "stop");
      actions.push_back(StopTimer{read_timer(one["stop"].text)});
    } else if (one["rule"].is_string()) {
      refuse_other_keys(one, {"rule"}, "rule");
      const auto own = [this](const Rule* rule) {
        return rule->key.substr(description.name.size() + 1);
      };
      const std::size_t place = place_among(description.rules, one["rule"].text, own, "rule");
      actions.push_back(Fired{description.rules[place]});
    } else if (flag_or(one, "change", false)) {
      refuse_other_keys(one, {"change"}, "change");
      actions.push_back(Changed{});
    } else {
      refuse_rules("rules_unknown", {"action", canonical(one), "send, start, stop, rule, change"});
    }
  }

  static Timer read_timer(std::string_view name) {
    constexpr std::array all = {Timer::answer, Timer::coordinator};
    return all.at(place_among(all, name, timer_name, "timer"));
  }

  Send read_send(const Json& one) const {
    refuse_other_keys(one, {"send", "to", "fields"}, "send");
    const auto code = [](MessageType type) { return type->code; };
    const MessageType type =
        description.messages[place_among(description.messages, one["send"].text, code, "send")];
    const NodeId to = need_id(one["to"], "to");
    if (to == self) refuse_rules("rules_to_itself", {std::to_string(to)});
    if (!knows(to)) refuse_rules("rules_no_such_id", {"to", std::to_string(to)});
    Message message{.type = type, .from = self};
    const Json& given = object_if_any(one, "fields");
    for (std::size_t i = 0; i < given.keys.size(); ++i) {
      set_field(message, given.keys[i], given.elements[i]);
    }
    if (is_too_long(message)) refuse_rules("rules_message_too_long", {type->code});
    FieldValues read = FieldValues::from_wire(type, self, message.values.to_wire(type, self));
    read.set_list(message.list());
    if (read != message.values) refuse_rules("rules_shared_place", {type->code});
    return {to, message};
  }

  static void set_field(Message& message, std::string_view key, const Json& value) {
    const std::vector<const Field*> all = fields_of(message.type);
    const Field& field = *all[place_among(all, key, &Field::key, "fields")];
    if (value.kind == Json::Kind::null) return;
    if (field.meaning == Field::Meaning::ids) {
      FieldValues::List ids;
      if (value.kind != Json::Kind::array) refuse_rules("rules_needs_list", {key});
      for (const Json& id : value.elements) ids.push_back(need_id(id, key));
      message.values.set_list(std::move(ids));
    } else if (is_flag(field)) {
      if (value.kind != Json::Kind::boolean) refuse_rules("rules_needs_flag", {key});
      if (value.text == "true") message.set(field);
    } else {
      const bool is_id = field.meaning == Field::Meaning::id;
      message.set(field, is_id ? need_id(value, key) : need_number(value, key));
    }
  }

  // Unless the program says when: before the first action that is more than a rule's name.
  void place_change() {
    Actions& actions = answer.actions;
    const auto is_change = [](const Action& one) { return std::holds_alternative<Changed>(one); };
    const auto is_rule = [](const Action& one) { return std::holds_alternative<Fired>(one); };
    if (std::ranges::any_of(actions, is_change)) return;
    actions.insert(std::ranges::find_if_not(actions, is_rule), Changed{});
  }
};

}  // namespace

Answer read_answer(std::string_view line, const Description& description, const Event& event,
                   NodeId self, const std::function<bool(NodeId)>& knows) {
  const Json json = object_in(line);
  Answer answer = AnswerReader{json, description, self, knows}.read();
  answer.said = canonical(json);
  const auto* preset = std::get_if<Preset>(&event);
  if (preset != nullptr && answer.next.coordinator != preset->coordinator) {
    refuse_rules("rules_preset", {std::to_string(preset->coordinator)});
  }
  return answer;
}

}  // namespace bully
