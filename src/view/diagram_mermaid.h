// diagram_mermaid.h: the diagram as a Mermaid sequenceDiagram, for a README: GitHub and others draw
// it where it stands between ```mermaid and ```.
//
// Mermaid draws no slanted arrows: each message stands where it arrives.
#pragma once

#include <optional>
#include <string>

#include "view/diagram.h"
#include "view/text.h"

namespace bully {

// Mermaid refuses more characters than this.
inline constexpr std::size_t max_mermaid_characters = 50'000;

// Nothing where it would be longer than Mermaid takes.
std::optional<std::string> diagram_mermaid(const Diagram& diagram, Language language);

}  // namespace bully
