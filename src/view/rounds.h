// rounds.h: an election that nobody stopped, cut into pictures afterwards.
//
// The textbook's figure shows an election round by round. Real processes do not keep time like
// that, but their trace tells what caused what: a message belongs to the round after the latest
// one that its sender had heard from. Within a round answers come before new elections, and the
// announcement of the winner comes last.
//
// It draws nothing. Read next: arrows.h for how a play that can be stopped chooses its pictures.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "view/arrows.h"

namespace bully {

// What a process was, and whom it followed.
struct Standing {
  std::string state;
  std::optional<NodeId> coordinator = std::nullopt;
  Variables variables = {};
};
// Takes in a record that tells of such a change; others change nothing.
void learn(std::map<NodeId, Standing>& standings, const Record& record);

struct Round {
  std::vector<Arrow> arrows;
  // Of all processes, when the round was over.
  std::map<NodeId, Standing> standings;
};

// At most `count` rounds (the last one takes what is left over); at least one if `count` is above
// zero. `before`: how all stood before the first of `records`.
std::vector<Round> rounds_of(std::span<const Record> records,
                             const std::map<NodeId, Standing>& before, std::size_t count);

}  // namespace bully
