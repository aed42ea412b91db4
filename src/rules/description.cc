// description.cc: checks a description, and keeps its words for as long as the program runs.
#include "rules/description.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "node/status_reply.h"
#include "rules/json_fields.h"
#include "values/status.h"

namespace bully {

namespace {

constexpr std::size_t max_listed = 64;  // messages, states, rules
constexpr std::size_t max_name = 40;    // of the election, in bytes

// Each in the order of its enumeration. The roles of messages begin with Role::asks.
constexpr std::array<std::string_view, 7> message_roles = {
    "asks", "answers", "announces", "claims", "passes-on", "spreads", "joins"};
// After StateRole::down, which is there already.
constexpr std::array<std::string_view, 6> state_roles = {"following", "coordinating", "asking",
                                                         "waiting",   "relaying",     "joining"};
constexpr std::array<std::string_view, 6> meanings = {"id",   "number", "tally",
                                                      "flag", "sender", "ids"};
constexpr std::array<std::string_view, 2> topologies = {"everyone", "ring"};
constexpr std::array<std::string_view, 2> preferences = {"highest", "lowest"};

std::function<std::string(Language)> always(std::string_view words) {
  return [words](Language) { return std::string(words); };
}

// The enumerator that the member names, of `names` from `first` on.
template <class Kind, class Names>
Kind named(const Names& names, const Json& json, std::string_view key, std::string_view standard,
           Kind first = {}) {
  const std::string given = json[key].kind == Json::Kind::null && !standard.empty()
                                ? std::string(standard)
                                : need_text(json[key], key);
  const std::size_t place = place_among(names, given, std::identity(), key);
  return static_cast<Kind>(static_cast<std::size_t>(first) + place);
}

void refuse_if_known(bool is_known, std::string_view what, std::string_view name) {
  if (is_known) refuse_rules("rules_clash", {what, name});
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

struct DescriptionReader {
  const Json& whole;
  Description& into;

  void read(std::string_view standard_name) {
    refuse_other_keys(whole,
                      {"name", "title", "messages", "states", "rules", "variables", "properties",
                       "topology", "fifo", "prefers", "gives-way"},
                      "describe");
    into.name =
        into.keep(whole["name"].kind == Json::Kind::null ? std::string(standard_name)
                                                         : need_text(whole["name"], "name"));
    const bool is_word = into.name.size() <= max_name &&
                         into.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") ==
                             std::string_view::npos;
    if (!is_word) refuse_rules("rules_name", {into.name});
    if (find_algorithm(into.name) != nullptr) refuse_rules("rules_election_known", {into.name});
    add_words("election_", into.name, whole, "title", always(into.name));
    for (const Json& each : elements_of(whole, "messages", max_listed)) read_message(each);
    if (into.messages.empty()) refuse_rules("rules_needs_some", {"messages"});
    into.own_states.push_back({"down", StateRole::down});
    for (const Json& each : elements_of(whole, "states", max_listed)) read_state(each);
    for (const Json& each : elements_of(whole, "rules", max_listed)) read_rule(each);
    for (const Json& each : elements_of(whole, "variables", std::tuple_size_v<Variables>)) {
      const std::string name = need_name(each, "variables");
      refuse_if_known(std::ranges::count(into.variables, name) > 0, "variable", name);
      into.variables.push_back(into.keep(name));
    }
    into.topology = named<Topology>(topologies, whole, "topology", "everyone");
    into.counts_lost = into.topology != Topology::ring;  // the next process gets it instead
    const bool is_lowest = named<std::size_t>(preferences, whole, "prefers", "highest") > 0;
    into.prefers = is_lowest ? lower_first : higher_first;
    into.is_fifo = flag_or(whole, "fifo", false);
    into.gives_way = flag_or(whole, "gives-way", true);
    read_properties();
    require_roles();
    into.states = into.own_states;
    into.rules = list_of(into.own_rules, [](const Rule& rule) { return &rule; });
  }

  // Words for people, of this member: a text, or an object with one for each language. Without any,
  // `standard`.
  void add_words(std::string_view prefix, std::string_view name, const Json& json,
                 std::string_view member, const std::function<std::string(Language)>& standard) {
    const Json& given = json[member];
    std::string key = std::string(prefix).append(name);
    std::ranges::replace(key, '-', '_');
    if (has_word(key) && find_state(name) != nullptr) return;
    // Another name may have the same words' key: "take-over" and "take_over".
    const bool is_own = std::ranges::count(into.words, key, &OwnWord::key) > 0;
    refuse_if_known(is_own || has_word(key), "name", name);
    OwnWord word{into.keep(std::move(key)), {}};
    if (given.kind == Json::Kind::object) {
      for (const std::string& code : given.keys) {
        place_among(language_codes, code, std::identity(), member);
      }
    }
    for (std::size_t i = 0; i < language_count; ++i) {
      const Json& one = given.kind == Json::Kind::object ? given[language_codes.at(i)] : given;
      if (one.kind == Json::Kind::null) continue;
      if (!one.is_string()) refuse_rules("rules_needs_text", {member});
      word.texts.at(i) = into.keep(plain(one.text));
    }
    const auto any = std::ranges::find_if_not(word.texts, &std::string_view::empty);
    for (std::size_t i = 0; i < language_count; ++i) {
      std::string_view& text = word.texts.at(i);
      if (!text.empty()) continue;
      text = any == word.texts.end() ? into.keep(standard(static_cast<Language>(i))) : *any;
    }
    into.words.push_back(word);
  }

  // Texts are shown unchanged, on terminals as well.
  static const std::string& plain(const std::string& text) {
    if (harmless(text) != text) refuse_rules("rules_control", {text});
    return text;
  }

  void read_message(const Json& json) {
    refuse_other_keys(json, {"code", "name", "role", "text", "fields"}, "messages");
    MessageKind kind;
    kind.code = into.keep(need_text(json["code"], "code"));
    kind.name = into.keep(need_name(json["name"], "name"));
    const bool is_code = kind.code.size() <= 8 &&
                         kind.code.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") ==
                             std::string_view::npos;
    if (!is_code) refuse_rules("rules_code", {kind.code});
    kind.role = named(message_roles, json, "role", "", Role::asks);
    std::size_t place = 0;
    std::size_t count = 0;
    // A trace writes these keys beside the fields of a message, and calls the first two subject
    // and epoch.
    std::vector<std::string_view> taken = {"t",    "node", "pid", "n",       "event", "type",
                                           "from", "to",   "seq", "subject", "given", "reason"};
    for (const Json& each : elements_of(json, "fields", max_fields + 1)) {
      const Field& field = read_field(each, count > 0 ? kind.fields.at(count - 1) : nullptr, place);
      const bool is_other_epoch = field.key == "epoch" && field.place != 1;
      refuse_if_known(is_other_epoch || std::ranges::count(taken, field.key) > 0, "field",
                      field.key);
      taken.push_back(field.key);
      if (field.meaning == Field::Meaning::ids && kind.list == nullptr) {
        kind.list = &field;
      } else if (field.meaning != Field::Meaning::ids && count < kind.fields.size()) {
        kind.fields.at(count++) = &field;
      } else {
        refuse_rules("rules_fields", {std::to_string(max_fields)});
      }
    }
    const auto refuse_clash_with = [&kind](MessageType other) {
      refuse_if_known(other->code == kind.code, "code", kind.code);
      refuse_if_known(other->name == kind.name, "name", kind.name);
    };
    std::ranges::for_each(into.messages, refuse_clash_with);
    // A script names a message by its code, or by its name in capitals.
    for (const MessageType other : into.messages) {
      refuse_if_known(other->code == in_capitals(kind.name), "name", kind.name);
      refuse_if_known(in_capitals(other->name) == kind.code, "code", kind.code);
    }
    // A message that is the same to the last field is the same message.
    for (const MessageType known : known_messages()) {
      if (is_same(*known.operator->(), kind)) return into.messages.push_back(known);
      refuse_clash_with(known);
    }
    refuse_clash_with(messages::status);
    into.messages.emplace_back(into.kinds.emplace_back(kind));
    add_words("message_", kind.name, json, "text", always(in_capitals(kind.name)));
  }

  // `before`: the field before it on the wire, if any.
  const Field& read_field(const Json& json, const Field* before, std::size_t& place) {
    refuse_other_keys(json, {"key", "meaning", "shown"}, "fields");
    Field& field = into.fields.emplace_back();
    field.key = into.keep(need_name(json["key"], "key"));
    field.meaning = named<Field::Meaning>(meanings, json, "meaning", "id");
    field.is_shown = flag_or(json, "shown", false);
    if (field.meaning == Field::Meaning::ids) return field;
    // The sender's id stands in the place of an id, which is then not there.
    const bool shares = field.meaning == Field::Meaning::sender && before != nullptr &&
                        before->meaning == Field::Meaning::id;
    field.place = shares ? before->place : place++;
    return field;
  }

  void read_state(const Json& json) {
    refuse_other_keys(json, {"name", "role", "text", "log"}, "states");
    if (json["name"].text == "down" && json["role"].text == "down") return;
    const StateKind state{into.keep(need_name(json["name"], "name")),
                          named<StateRole>(state_roles, json, "role", "", StateRole::following)};
    const StateKind* known = find_state(state.name);
    const bool is_own = std::ranges::count(into.own_states, state.name, &StateKind::name) > 0;
    const bool is_other = known != nullptr && known->role != state.role;
    refuse_if_known(is_own || is_other, "state", state.name);
    into.own_states.push_back(state);
    add_words("state_", state.name, json, "text", always(state.name));
    if (state.role == StateRole::following) return;  // the log says which process it follows
    const auto winning = [](Language language) {
      return std::string(text(Text::log_state_coordinator, language));
    };
    const bool wins = state.role == StateRole::coordinating;
    add_words("log_state_", state.name, json, "log", wins ? winning : always(state.name));
  }

  void read_rule(const Json& json) {
    refuse_other_keys(json, {"key", "text", "source", "log"}, "rules");
    const std::string own = need_name(json["key"], "key");
    Rule& rule = into.own_rules.emplace_back();
    // Two programs, and the elections of the house, may have rules of one name.
    rule.key = into.keep(std::string(into.name) + '.' + own);
    refuse_if_known(std::ranges::count(into.own_rules, rule.key, &Rule::key) > 1, "rule", own);
    if (json["source"].kind != Json::Kind::null) {
      rule.source = into.keep(plain(need_text(json["source"], "source")));
    }
    add_words("rule_", rule.key, json, "text", always(own));
    if (json["log"].kind != Json::Kind::null) {
      add_words("log_why_", rule.key, json, "log", always(""));
    }
  }

  void read_properties() {
    const bool is_highest = into.prefers == higher_first;
    std::vector<const Property*> owable = {
        is_highest ? &properties::highest_live : &properties::lowest_live,
        is_highest ? &properties::never_lower : &properties::never_higher, &properties::ends,
        &properties::sent};
    if (whole["properties"].kind == Json::Kind::null) {
      into.properties = owable;
      return;
    }
    // Not those that compare with a count, or speak of numbers on a ring.
    owable.insert(owable.end(), {&properties::highest_wins, &properties::one_coordinator});
    for (const Json& each : elements_of(whole, "properties", owable.size())) {
      const Property* one = owable.at(place_among(owable, each.text, &Property::key, "properties"));
      refuse_if_known(std::ranges::count(into.properties, one) > 0, "property", one->key);
      into.properties.push_back(one);
    }
    if (std::ranges::count(into.properties, owable.front()) == 0) {
      refuse_rules("rules_needs_property", {owable.front()->key});
    }
  }

  void require_roles() const {
    for (const StateRole role : {StateRole::following, StateRole::coordinating}) {
      const bool is_there = std::ranges::count(into.own_states, role, &StateKind::role) > 0;
      const char* name = role == StateRole::following ? "following" : "coordinating";
      if (!is_there) refuse_rules("rules_needs_role", {name});
    }
  }
};

}  // namespace

void read_description(const Json& json, std::string_view standard_name, Description& description) {
  DescriptionReader{json, description}.read(standard_name);
}

}  // namespace bully
