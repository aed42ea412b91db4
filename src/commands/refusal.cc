#include "commands/refusal.h"

namespace bully {

namespace {

using Why = Refused::Why;

Text words_of(Why why) {
  switch (why) {
    case Why::unknown:
      return Text::refused_unknown;
    case Why::dead:
      return Text::refused_dead;
    case Why::silent:
      return Text::refused_silent;
    case Why::unidentified:
      return Text::refused_unidentified;
    case Why::contradicted:
      return Text::refused_contradicted;
    case Why::foreign:
      return Text::refused_foreign;
    case Why::reserved:
      break;
  }
  return Text::refused_reserved;
}

}  // namespace

std::string refusal_words(const Refused& refused, NodeId id, const std::string& directory,
                          Language language) {
  return text(words_of(refused.why), language,
              {std::to_string(id), directory, std::to_string(refused.claimed),
               std::to_string(refused.listener)});
}

std::optional<Text> refusal_advice(const Refused& refused) {
  if (refused.why == Why::silent) return Text::advice_force;
  if (refused.why == Why::contradicted || refused.why == Why::foreign) {
    return Text::advice_namespace;
  }
  return std::nullopt;
}

}  // namespace bully
