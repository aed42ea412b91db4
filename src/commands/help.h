// help.h: the texts behind `bully help TOPIC`. They are data, one file for each topic and language
// in ../help; the build embeds them. Read next: help.cc.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "words/language.h"

namespace bully {

struct HelpTopic {
  std::string_view name;
  std::string_view language;  // its code
  std::string_view text;      // the first line is a summary
};

// All of them, in the order in which a reader would want them. The Makefile writes this function.
std::span<const HelpTopic> help_topics();
// The text of a topic in that language, or nothing if there is no such topic.
std::string_view help_topic(std::string_view name, Language language);

}  // namespace bully
