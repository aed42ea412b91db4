// carried.h: the files that the binary carries. ../carry.sh puts them into it.
#pragma once

#include <span>
#include <string_view>

namespace bully {

// A file such as 02-detectors.pt-BR.txt.
struct CarriedText {
  std::string_view name;  // "detectors"
  std::string_view kind;  // "pt-BR": a language, of people or of programs; or empty
  std::string_view text;
};

// Each function has its files in the order of their numbers.
std::span<const CarriedText> lessons();        // the scripts of ../lessons
std::span<const CarriedText> help_topics();    // ../help: a summary, and the text behind it
std::span<const CarriedText> page_files();     // ../view: styles and scripts
std::span<const CarriedText> rule_examples();  // ../rules: the bully's rules as outside programs

}  // namespace bully
