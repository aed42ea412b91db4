// language.h: the languages, and texts in each. Words are in words.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bully {

// The languages, and in their order the codes, which also name the files of words.
enum class Language : std::uint8_t { english, portuguese };
inline constexpr std::array languages = {Language::english, Language::portuguese};
inline constexpr auto language_codes = std::to_array<std::string_view>({"en", "pt-BR"});
inline constexpr std::size_t language_count = languages.size();

// "en" or "pt-BR"; without the country, "en" or "pt".
std::string_view code_of(Language language);
std::string_view short_code_of(Language language);
// By a code or a locale ("pt", "pt_BR.UTF-8"); nothing for any other.
std::optional<Language> language_named(std::string_view name);
// By LC_ALL, LC_MESSAGES or LANG, the first that is set; otherwise English.
Language language_of_environment();

// The same text in each language; empty if it has not been written in one.
using Texts = std::array<std::string, language_count>;
std::string& text_in(Texts& texts, Language language);
// The text in that language, or else in the first language that has it.
const std::string& text_for(const Texts& texts, Language language);

}  // namespace bully
