// keys.h: the keys of all words, for checks while this program is compiled.
//
// Some keys are a prefix and a name. Beside the code that puts such keys together a static_assert
// with has_each() takes the list of the names, so a missing text does not compile. Names of rules,
// states and messages are in the descriptions of elections: without a text they fail the lint, as
// does a text that no code finds.
#pragma once

#include <cstddef>
#include <string_view>

namespace bully {

#define KEY(key) #key,
inline constexpr std::string_view text_keys[] = {
#include "words/keys.inc"
};
#undef KEY

// True if the texts have a key PREFIX, NAME, SUFFIX for each name, with the name's dashes as `_`.
template <class Names>
consteval bool has_each(std::string_view prefix, const Names& names, std::string_view suffix = "") {
  const auto is_key_of = [&](std::string_view key, std::string_view name) {
    if (key.size() != prefix.size() + name.size() + suffix.size()) return false;
    if (!key.starts_with(prefix) || !key.ends_with(suffix)) return false;
    for (std::size_t i = 0; i < name.size(); ++i) {
      if (key[prefix.size() + i] != (name[i] == '-' ? '_' : name[i])) return false;
    }
    return true;
  };
  for (const std::string_view name : names) {
    bool is_there = false;
    for (const std::string_view key : text_keys) {
      if (is_there = is_key_of(key, name); is_there) break;
    }
    if (!is_there) return false;
  }
  return true;
}

}  // namespace bully
