#include "rules/contract.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace bully {

namespace {

// Beyond this, a double no longer holds each whole number.
constexpr std::int64_t max_exact = (std::int64_t{1} << 53) - 1;
constexpr std::size_t max_memory_bytes = std::size_t{64} * 1024;
constexpr std::size_t max_attempts = 16;  // each doubles a wait
constexpr std::size_t max_listed = 64;    // messages, states, rules

[[noreturn]] void fail(std::string_view key, std::vector<std::string> values = {}) {
  throw RulesError({key, std::move(values)});
}

// The error lists what there is.
template <class Known, class Name>
std::size_t place_among(const Known& known, std::string_view wanted, Name name_of,
                        std::string_view what) {
  std::string all;
  std::size_t place = 0;
  for (const auto& each : known) {
    const std::string_view name = std::invoke(name_of, each);
    if (name == wanted) return place;
    all.append(all.empty() ? "" : ", ").append(name);
    ++place;
  }
  fail("rules_unknown", {std::string(what), std::string(wanted), all});
}

std::string need_text(const Json& json, std::string_view key) {
  const Json& value = json[key];
  if (!value.is_string() || value.text.empty()) fail("rules_needs_text", {std::string(key)});
  return value.text;
}

bool read_flag(const Json& json, std::string_view key, bool standard) {
  const Json& value = json[key];
  if (value.kind == Json::Kind::null) return standard;
  if (value.kind != Json::Kind::boolean) fail("rules_needs_flag", {std::string(key)});
  return value.text == "true";
}

NodeId need_id(const Json& value, std::string_view key) {
  const auto id = value.as_unsigned();
  if (!id) fail("rules_needs_id", {std::string(key)});
  return *id;
}

std::optional<NodeId> id_if_any(const Json& json, std::string_view key) {
  if (json[key].kind == Json::Kind::null) return std::nullopt;
  return need_id(json[key], key);
}

const std::vector<Json>& elements_of(const Json& json, std::string_view key, std::size_t most) {
  const Json& list = json[key];
  if (list.kind != Json::Kind::null && list.kind != Json::Kind::array) {
    fail("rules_needs_list", {std::string(key)});
  }
  if (list.elements.size() > most) {
    fail("rules_too_many", {std::string(key), std::to_string(most)});
  }
  return list.elements;
}

void refuse_other_keys(const Json& json, std::initializer_list<std::string_view> known,
                       std::string_view where) {
  if (json.kind != Json::Kind::object) fail("rules_needs_object", {std::string(where)});
  for (const std::string& key : json.keys) place_among(known, key, std::identity(), where);
}

// --- The description ---

using Named = std::pair<std::string_view, int>;
constexpr std::array message_roles = {
    Named{"asks", int(Role::asks)},           Named{"answers", int(Role::answers)},
    Named{"announces", int(Role::announces)}, Named{"claims", int(Role::claims)},
    Named{"passes-on", int(Role::passes_on)}, Named{"spreads", int(Role::spreads)},
    Named{"joins", int(Role::joins)}};
constexpr std::array state_roles = {
    Named{"down", int(StateRole::down)},           Named{"following", int(StateRole::following)},
    Named{"coordinating", int(StateRole::coordinating)},
    Named{"asking", int(StateRole::asking)},       Named{"waiting", int(StateRole::waiting)},
    Named{"relaying", int(StateRole::relaying)},   Named{"joining", int(StateRole::joining)}};
constexpr std::array meanings = {
    Named{"id", int(Field::Meaning::id)},         Named{"number", int(Field::Meaning::number)},
    Named{"tally", int(Field::Meaning::tally)},   Named{"flag", int(Field::Meaning::flag)},
    Named{"sender", int(Field::Meaning::sender)}, Named{"ids", int(Field::Meaning::ids)}};

template <class Kind, class Table>
Kind named(const Table& table, const Json& json, std::string_view key, std::string_view standard) {
  const std::string given =
      json[key].kind == Json::Kind::null && !standard.empty() ? std::string(standard)
                                                              : need_text(json, key);
  return static_cast<Kind>(table.at(place_among(table, given, &Named::first, key)).second);
}

bool is_same(const Field* a, const Field* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->key == b->key && a->meaning == b->meaning && a->place == b->place &&
         a->is_shown == b->is_shown;
}

bool is_same(const MessageKind& a, const MessageKind& b) {
  return a.code == b.code && a.name == b.name && a.role == b.role && is_same(a.list, b.list) &&
         std::ranges::equal(a.fields, b.fields, [](auto x, auto y) { return is_same(x, y); });
}

class DescriptionReader {
 public:
  DescriptionReader(const Json& json, Description& into) : json_(json), into_(into) {}

  void read(std::string_view standard_name) {
    refuse_other_keys(json_,
                      {"name", "title", "messages", "states", "rules", "variables", "properties",
                       "topology", "fifo", "prefers", "gives-way"},
                      "describe");
    into_.name = into_.keep(json_["name"].kind == Json::Kind::null ? std::string(standard_name)
                                                                   : need_text(json_, "name"));
    const bool is_word = into_.name.find_first_not_of(
                             "abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
    if (!is_word) fail("rules_name", {std::string(into_.name)});
    if (find_algorithm(into_.name) != nullptr) fail("rules_clash", {"name", std::string(into_.name)});
    add_words("election_", into_.name, json_["title"], std::string(into_.name));
    for (const Json& each : elements_of(json_, "messages", max_listed)) read_message(each);
    if (into_.messages.empty()) fail("rules_needs_some", {"messages"});
    into_.states.push_back({"down", StateRole::down});
    for (const Json& each : elements_of(json_, "states", max_listed)) read_state(each);
    for (const Json& each : elements_of(json_, "rules", max_listed)) read_rule(each);
    for (const Json& each : elements_of(json_, "variables", std::tuple_size_v<Variables>)) {
      if (!each.is_string() || each.text.empty()) fail("rules_needs_text", {"variables"});
      into_.variables.push_back(into_.keep(each.text));
    }
    constexpr std::array topologies = {Named{"everyone", int(Topology::everyone)},
                                       Named{"ring", int(Topology::ring)}};
    constexpr std::array preferences = {Named{"highest", 1}, Named{"lowest", 0}};
    into_.topology = named<Topology>(topologies, json_, "topology", "everyone");
    into_.prefers_highest = named<int>(preferences, json_, "prefers", "highest") != 0;
    into_.is_fifo = read_flag(json_, "fifo", false);
    into_.gives_way = read_flag(json_, "gives-way", true);
    read_properties();
    require_roles();
  }

 private:
  // Words for people: a text, or an object with one for each language.
  void add_words(std::string_view prefix, std::string_view name, const Json& given,
                 std::string standard) {
    std::string key = std::string(prefix).append(name);
    std::ranges::replace(key, '-', '_');
    if (has_word(key)) return;
    OwnWord word{into_.keep(std::move(key)), {}};
    for (std::size_t i = 0; i < language_count; ++i) {
      const Json& one = given.kind == Json::Kind::object ? given[language_codes.at(i)] : given;
      if (one.kind == Json::Kind::null) continue;
      if (!one.is_string()) fail("rules_needs_text", {std::string(name)});
      word.texts.at(i) = into_.keep(one.text);
    }
    const auto any = std::ranges::find_if_not(word.texts, &std::string_view::empty);
    const std::string_view instead = any == word.texts.end() ? into_.keep(std::move(standard)) : *any;
    for (std::string_view& text : word.texts) text = text.empty() ? instead : text;
    into_.words.push_back(word);
  }

  void read_message(const Json& json) {
    refuse_other_keys(json, {"code", "name", "role", "text", "fields"}, "messages");
    MessageKind kind;
    kind.code = into_.keep(need_text(json, "code"));
    kind.name = into_.keep(need_text(json, "name"));
    const bool is_code = kind.code.size() <= 8 && kind.code.find_first_not_of(
                             "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == std::string_view::npos;
    if (!is_code) fail("rules_code", {std::string(kind.code)});
    kind.role = named<Role>(message_roles, json, "role", "");
    std::size_t place = 0;
    std::size_t count = 0;
    for (const Json& each : elements_of(json, "fields", max_fields + 1)) {
      const Field& field = read_field(each, place);
      if (field.meaning == Field::Meaning::ids && kind.list == nullptr) {
        kind.list = &field;
      } else if (field.meaning != Field::Meaning::ids && count < kind.fields.size()) {
        kind.fields.at(count++) = &field;
      } else {
        fail("rules_too_many", {"fields", std::to_string(max_fields)});
      }
    }
    for (const MessageType own : into_.messages) {
      if (own->code == kind.code) fail("rules_clash", {"code", std::string(kind.code)});
    }
    // A message that is the same to the last field is the same message.
    for (const MessageType known : known_messages()) {
      if (is_same(*known.operator->(), kind)) return into_.messages.push_back(known);
      if (known->code == kind.code) fail("rules_clash", {"code", std::string(kind.code)});
      if (known->name == kind.name) fail("rules_clash", {"name", std::string(kind.name)});
    }
    into_.messages.emplace_back(into_.kinds.emplace_back(kind));
    std::string shown(kind.name);
    std::ranges::transform(shown, shown.begin(), [](unsigned char c) { return std::toupper(c); });
    add_words("message_", kind.name, json["text"], shown);
  }

  const Field& read_field(const Json& json, std::size_t& place) {
    refuse_other_keys(json, {"key", "meaning", "shown"}, "fields");
    Field& field = into_.fields.emplace_back();
    field.key = into_.keep(need_text(json, "key"));
    field.meaning = named<Field::Meaning>(meanings, json, "meaning", "id");
    field.is_shown = read_flag(json, "shown", false);
    if (field.meaning == Field::Meaning::ids) return field;
    // The sender's id stands in the place of an id, which is then not there.
    const bool shares = field.meaning == Field::Meaning::sender && place > 0;
    field.place = shares ? place - 1 : place++;
    return field;
  }

  void read_state(const Json& json) {
    refuse_other_keys(json, {"name", "role", "text", "log"}, "states");
    const StateKind state{into_.keep(need_text(json, "name")),
                          named<StateRole>(state_roles, json, "role", "")};
    const StateKind* known = find_state(state.name);
    const bool is_own = std::ranges::count(into_.states, state.name, &StateKind::name) > 0;
    if (state.role == StateRole::down && state.name == "down") return;
    if (is_own || (known != nullptr && known->role != state.role)) {
      fail("rules_clash", {"state", std::string(state.name)});
    }
    into_.states.push_back(state);
    add_words("state_", state.name, json["text"], std::string(state.name));
    const bool wins = state.role == StateRole::coordinating;
    add_words("log_state_", state.name, json["log"],
              wins ? std::string(text(Text::log_state_coordinator, Language::english))
                   : std::string(state.name));
  }

  void read_rule(const Json& json) {
    refuse_other_keys(json, {"key", "text", "source"}, "rules");
    const std::string own = need_text(json, "key");
    Rule& rule = into_.rules.emplace_back();
    // Two programs, and the elections of the house, may have rules of one name.
    rule.key = into_.keep(std::string(into_.name) + '.' + own);
    if (std::ranges::count(into_.rules, rule.key, &Rule::key) > 1) {
      fail("rules_clash", {"rule", own});
    }
    if (json["source"].is_string()) rule.source = into_.keep(json["source"].text);
    add_words("rule_", rule.key, json["text"], own);
  }

  void read_properties() {
    if (json_["properties"].kind == Json::Kind::null) {
      into_.properties = {&properties::highest_live, &properties::ends, &properties::sent};
      if (into_.prefers_highest) {
        into_.properties.insert(into_.properties.begin() + 1, &properties::never_lower);
      }
      return;
    }
    // Not those that compare with a count, or speak of numbers on a ring.
    static constexpr std::array owable = {
        &properties::highest_live, &properties::never_lower,     &properties::answered,
        &properties::ends,         &properties::sent,            &properties::highest_wins,
        &properties::one_coordinator};
    for (const Json& each : elements_of(json_, "properties", owable.size())) {
      const std::size_t place = place_among(
          owable, each.text, [](const Property* one) { return one->key; }, "properties");
      into_.properties.push_back(owable.at(place));
    }
  }

  void require_roles() const {
    for (const StateRole role : {StateRole::following, StateRole::coordinating}) {
      const bool is_there = std::ranges::count(into_.states, role, &StateKind::role) > 0;
      const char* name = role == StateRole::following ? "following" : "coordinating";
      if (!is_there) fail("rules_needs_role", {name});
    }
  }

  const Json& json_;
  Description& into_;
};

Json parsed(std::string_view line) {
  const std::optional<Json> json = parse_json(line);
  if (!json) fail("rules_no_json");
  if (json->kind != Json::Kind::object) fail("rules_needs_object", {"answer"});
  return *json;
}

}  // namespace

std::string canonical(const Json& json) {
  switch (json.kind) {
    case Json::Kind::null: return "null";
    case Json::Kind::boolean: return json.text;
    case Json::Kind::string: return json_string(json.text);
    case Json::Kind::array: return json_array(json.elements, canonical);
    case Json::Kind::number: {
      const auto number = json.as_signed();
      if (!number || std::abs(*number) > max_exact) fail("rules_number", {json.text});
      return std::to_string(*number);
    }
    case Json::Kind::object: break;
  }
  std::vector<std::pair<std::string_view, const Json*>> members;
  for (std::size_t i = 0; i < json.keys.size(); ++i) {
    members.emplace_back(json.keys[i], &json.elements[i]);
  }
  std::ranges::sort(members, {}, [](const auto& member) { return member.first; });
  std::string object;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto& [key, value] = members[i];
    if (i > 0 && key == members[i - 1].first) fail("rules_twice", {std::string(key)});
    object.append(i > 0 ? "," : "").append(json_string(key)).append(":").append(canonical(*value));
  }
  return '{' + object + '}';
}

void read_description(std::string_view answer, std::string_view standard_name,
                      Description& description) {
  const Json json = parsed(answer);
  DescriptionReader(json, description).read(standard_name);
}

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
      fail("rules_memory", {std::to_string(next.memory.size())});
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
      const char* key = wins ? "rules_not_itself" : follows ? "rules_follows" : "rules_follows_none";
      fail(key, {std::string(state.name), json_number(next.coordinator)});
    }
    for (std::size_t i = 0; i < description_.variables.size(); ++i) {
      next.variables.at(i).name = description_.variables[i];
    }
    const Json& given = json_["variables"];
    for (std::size_t i = 0; i < given.keys.size(); ++i) {
      const std::size_t place =
          place_among(description_.variables, given.keys[i], std::identity(), "variables");
      next.variables.at(place).value = id_if_any(given, given.keys[i]);
    }
  }

  std::optional<NodeId> known_if_any(std::string_view key) const {
    const std::optional<NodeId> id = id_if_any(json_, key);
    if (id && !knows_(*id)) fail("rules_no_such_id", {std::string(key), std::to_string(*id)});
    return id;
  }

  void read_action(const Json& json) {
    if (json.kind != Json::Kind::object) fail("rules_needs_object", {"actions"});
    Actions& actions = answer_.actions;
    if (json["send"].is_string()) {
      actions.push_back(read_send(json));
    } else if (json["start"].is_string()) {
      refuse_other_keys(json, {"start", "attempts"}, "start");
      const std::uint64_t attempts = id_if_any(json, "attempts").value_or(0);
      if (attempts > max_attempts) fail("rules_attempts", {std::to_string(max_attempts)});
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
    } else if (read_flag(json, "change", false)) {
      actions.push_back(Changed{});
    } else {
      fail("rules_unknown", {"action", canonical(json), "send, start, stop, rule, change"});
    }
  }

  static Timer read_timer(std::string_view name) {
    constexpr std::array all = {Timer::answer, Timer::coordinator};
    return all.at(place_among(all, name, timer_name, "timer"));
  }

  Send read_send(const Json& json) const {
    refuse_other_keys(json, {"send", "to", "fields"}, "send");
    const auto code = [](MessageType type) { return type->code; };
    const MessageType type = description_.messages[place_among(
        description_.messages, json["send"].text, code, "send")];
    const NodeId to = need_id(json["to"], "to");
    if (to == self_) fail("rules_to_itself", {std::to_string(to)});
    if (!knows_(to)) fail("rules_no_such_id", {"to", std::to_string(to)});
    Message message{.type = type, .from = self_};
    const Json& given = json["fields"];
    for (std::size_t i = 0; i < given.keys.size(); ++i) {
      set_field(message, given.keys[i], given.elements[i]);
    }
    if (is_too_long(message)) fail("rules_message_too_long", {std::string(type->code)});
    return {to, message};
  }

  static void set_field(Message& message, std::string_view key, const Json& value) {
    if (value.kind == Json::Kind::null) return;
    std::vector<const Field*> all;
    for (const Field* field : message.type->fields) {
      if (field != nullptr) all.push_back(field);
    }
    if (message.type->list != nullptr) all.push_back(message.type->list);
    const Field& field =
        *all[place_among(all, key, [](const Field* one) { return one->key; }, "fields")];
    if (field.meaning == Field::Meaning::ids) {
      FieldValues::List ids;
      if (value.kind != Json::Kind::array) fail("rules_needs_list", {std::string(key)});
      for (const Json& id : value.elements) ids.push_back(need_id(id, key));
      message.values.set_list(std::move(ids));
    } else if (value.kind == Json::Kind::boolean) {
      if (value.text == "true") message.set(field);
    } else {
      message.set(field, need_id(value, key));
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
  const Json json = parsed(line);
  Answer answer = AnswerReader(json, description, self, knows).read();
  const auto* preset = std::get_if<Preset>(&event);
  if (preset != nullptr && answer.next.coordinator != preset->coordinator) {
    fail("rules_preset", {std::to_string(preset->coordinator)});
  }
  return answer;
}

}  // namespace bully
