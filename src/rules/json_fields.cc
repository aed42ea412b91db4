// json_fields.cc: reads members that must be there, and refuses others.
#include "rules/json_fields.h"

#include <map>

namespace bully {

// Beyond this, a double no longer holds each whole number.
static constexpr std::int64_t max_exact = (std::int64_t{1} << 53) - 1;

void refuse_rules(std::string_view key, std::initializer_list<std::string_view> values) {
  throw RulesError({key, {values.begin(), values.end()}});
}

Json object_in(std::string_view line) {
  const std::optional<Json> json = parse_json(line);
  if (!json) refuse_rules("rules_no_json");
  if (json->kind != Json::Kind::object) refuse_rules("rules_needs_object", {"answer"});
  return *json;
}

std::string need_text(const Json& value, std::string_view key) {
  if (!value.is_string() || value.text.empty()) refuse_rules("rules_needs_text", {key});
  return value.text;
}

std::string need_name(const Json& value, std::string_view key) {
  std::string name = need_text(value, key);
  if (!is_name(name)) refuse_rules("rules_no_name", {key, name});
  return name;
}

bool flag_or(const Json& json, std::string_view key, bool standard) {
  const Json& value = json[key];
  if (value.kind == Json::Kind::null) return standard;
  if (value.kind != Json::Kind::boolean) refuse_rules("rules_needs_flag", {key});
  return value.text == "true";
}

std::uint64_t need_number(const Json& value, std::string_view key) {
  const auto number = value.as_unsigned();
  if (!number) refuse_rules("rules_needs_number", {key});
  return *number;
}

NodeId need_id(const Json& value, std::string_view key) {
  const auto id = parse_id(value);
  const bool is_number = value.kind == Json::Kind::number;
  if (!id) {
    throw RulesError(
        not_an_id(json_string(key) + ':' + (is_number ? value.text : canonical(value))));
  }
  return *id;
}

std::optional<std::uint64_t> number_if_there(const Json& json, std::string_view key) {
  if (json[key].kind == Json::Kind::null) return std::nullopt;
  return need_number(json[key], key);
}

const std::vector<Json>& elements_of(const Json& json, std::string_view key, std::size_t most) {
  const Json& list = json[key];
  if (list.kind != Json::Kind::null && list.kind != Json::Kind::array) {
    refuse_rules("rules_needs_list", {key});
  }
  if (list.elements.size() > most) {
    refuse_rules("rules_too_many", {key, std::to_string(most)});
  }
  return list.elements;
}

void refuse_other_keys(const Json& json, std::initializer_list<std::string_view> known,
                       std::string_view where) {
  if (json.kind != Json::Kind::object) refuse_rules("rules_needs_objects", {where});
  for (const std::string& key : json.keys) place_among(known, key, std::identity(), where);
}

std::string canonical(const Json& json) {
  switch (json.kind) {
    case Json::Kind::null: return "null";
    case Json::Kind::boolean: return json.text;
    case Json::Kind::string: return json_string(json.text);
    case Json::Kind::array: return json_array(json.elements, canonical);
    case Json::Kind::number: {
      const auto number = json.as_signed();
      if (!number || *number > max_exact || *number < -max_exact)
        refuse_rules("rules_number", {json.text});
      return std::to_string(*number);
    }
    case Json::Kind::object: break;
  }
  std::map<std::string_view, const Json*> members;
  for (std::size_t i = 0; i < json.keys.size(); ++i) members[json.keys[i]] = &json.elements[i];
  const auto in_json = [](const auto& member) {
    return json_string(member.first) + ':' + canonical(*member.second);
  };
  return '{' + joined(members, ",", in_json) + '}';
}

}  // namespace bully
