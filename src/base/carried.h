// carried.h: the files that the binary carries. ../carry.sh puts them into it.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace bully {

// A file such as 02-detectors.pt-BR.txt.
struct CarriedText {
  std::string_view name;  // "detectors"
  std::string_view kind;  // "pt-BR": a language, of people or of programs; or empty
  std::string_view text;
};

// Its text; nothing if none of these files has that name and kind.
inline std::optional<std::string_view> find_carried(std::span<const CarriedText> files,
                                                    std::string_view name,
                                                    std::string_view kind = {}) {
  for (const CarriedText& file : files) {
    if (file.name == name && file.kind == kind) return file.text;
  }
  return std::nullopt;
}

// Each function has its files in the order of their numbers.
std::span<const CarriedText> lessons();        // the scripts of ../lessons
std::span<const CarriedText> help_topics();    // ../help: a summary, and the text behind it
std::span<const CarriedText> page_files();     // ../pictures: styles, scripts and markup
std::span<const CarriedText> rule_examples();  // ../rules: the bully's rules as outside programs

}  // namespace bully
