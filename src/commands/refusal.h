// refusal.h: why a node was not signalled, in words. Read next: ../node/peer_process.h.
#pragma once

#include <optional>
#include <string>

#include "node/peer_process.h"
#include "view/text.h"

namespace bully {

// In one line, without its newline.
std::string refusal_words(const Refused& refused, NodeId id, const std::string& directory,
                          Language language);
// What the user can do about it.
std::optional<Text> refusal_advice(const Refused& refused);

}  // namespace bully
