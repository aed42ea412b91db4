// json_fields.h: what an outside program wrote, member by member. Each function throws RulesError,
// which names the member, for a value that the contract does not allow there.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/list.h"
#include "election/message.h"
#include "rules/rule_program.h"

namespace bully {

[[noreturn]] void refuse_rules(std::string_view key,
                               std::initializer_list<std::string_view> values = {});

// The place of a name among the known ones; the error lists these.
template <class Known, class Name>
std::size_t place_among(const Known& known, std::string_view wanted, Name name_of,
                        std::string_view what) {
  const auto found = std::ranges::find(known, wanted, name_of);
  if (found == known.end()) {
    refuse_rules("rules_unknown", {what, wanted, joined(known, ", ", name_of)});
  }
  return static_cast<std::size_t>(found - known.begin());
}

// A line that is one JSON object.
Json object_in(std::string_view line);
// `key`: its name in an error.
std::string need_text(const Json& value, std::string_view key);
// A text that may be a name (is_name()).
std::string need_name(const Json& value, std::string_view key);
bool flag_or(const Json& json, std::string_view key, bool standard);
std::uint64_t need_number(const Json& value, std::string_view key);
NodeId need_id(const Json& value, std::string_view key);
std::optional<std::uint64_t> number_if_there(const Json& json, std::string_view key);
// Nothing and an empty list are the same.
const std::vector<Json>& elements_of(const Json& json, std::string_view key, std::size_t most);
// `where`: the name of the object, or of the list that it is in.
void refuse_other_keys(const Json& json, std::initializer_list<std::string_view> known,
                       std::string_view where);

// JSON with its keys sorted and without blanks; fractions, and numbers that other languages round,
// are refused.
std::string canonical(const Json& json);

}  // namespace bully
