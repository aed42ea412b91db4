// arrows.h: which messages a picture of one moment shows.
//
// The rule is that of the textbook's figure: those that have arrived since the last picture; where
// none has, those that are on their way now. No message is shown twice. It draws nothing.
// Read next: narration.h.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "election/record.h"

namespace bully {

struct Arrow {
  MessageType type = MessageType::election;
  NodeId from = 0;
  NodeId to = 0;
  bool lost = false;                                   // it will never arrive
  std::optional<std::uint64_t> number = std::nullopt;  // that it carries, on a ring
};

class ArrowBook : public Sink {
 public:
  void record(const Record& record) override;
  // The arrows of the picture that is drawn now, in the order of sending.
  std::vector<Arrow> take();
  // Forgets what has arrived so far: the next picture is not about it.
  void clear();

 private:
  struct Entry {
    Arrow arrow;
    bool arrived = false;  // or lost: nothing more happens to it
    bool shown = false;
    std::uint64_t number = 0;  // the sender's
  };
  void forget_finished();

  std::vector<Entry> entries_;  // in the order of sending; finished ones go when shown
};

}  // namespace bully
