// language.cc: the names of languages, and the language that the environment asks for.
#include "base/language.h"

#include <algorithm>
#include <cstdlib>

namespace bully {

static std::string_view without_country(std::string_view name) {
  return name.substr(0, name.find_first_of("-_.@"));
}

std::string_view code_of(Language language) {
  return language_codes.at(static_cast<std::size_t>(language));
}

std::string_view short_code_of(Language language) {
  return without_country(code_of(language));
}

std::optional<Language> language_named(std::string_view name) {
  const std::string_view wanted = without_country(name);
  if (wanted == "C" || wanted == "POSIX") return Language::english;
  const auto found = std::ranges::find(language_codes, wanted, without_country);
  if (found == language_codes.end()) return std::nullopt;
  return static_cast<Language>(found - language_codes.begin());
}

Language language_of_environment() {
  for (const char* variable : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0') {
      return language_named(value).value_or(Language::english);
    }
  }
  return Language::english;
}

std::string& text_in(Texts& texts, Language language) {
  return texts.at(static_cast<std::size_t>(language));
}

const std::string& text_for(const Texts& texts, Language language) {
  const std::string& wanted = texts.at(static_cast<std::size_t>(language));
  const auto any = std::ranges::find_if_not(texts, &std::string::empty);
  return wanted.empty() && any != texts.end() ? *any : wanted;
}

}  // namespace bully
