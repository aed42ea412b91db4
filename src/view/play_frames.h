// play_frames.h: the parts of a play between the lines of its log.
//
// Titles, explanations, and frames: pictures of one moment with every process, its state, its
// coordinator, and some messages. The messages follow the rule of the textbook's figure: messages
// that have arrived since the last picture; if none has, messages in flight now. No message is
// shown twice. This plays nothing and queries no process.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "history/history.h"
#include "view/log.h"

namespace bully {

// A message, as its sender recorded it; its event is the latest: send, receive or lost.
using Arrow = Record;

class ArrowBook {
 public:
  // `record` is the latest in the history, and has this number in it.
  void record(const Record& record, std::size_t number, const History& history);
  // The arrows of the present picture, in the order of sending.
  std::vector<Arrow> take();
  // Forgets the messages that have arrived so far: the next picture is not about them.
  void clear();

 private:
  struct Entry {
    Arrow arrow;
    bool shown = false;  // while it was in flight

    // Or lost: no further event concerns it.
    bool has_arrived() const { return arrow.event != TraceEvent::send; }
  };
  std::map<std::size_t, Entry> entries_;  // by the records of their sending
};

std::string title_text(std::string_view title, const LogStyle& style);

// An explanation: a paragraph set apart from the log by a bar.
std::string explanation_text(std::string_view words, const LogStyle& style);

// A frame: a row for each process with its variables, one column for each process that sends
// messages of one type, and the same in words; below them `counts`, if any. Its words are beside
// each other where it would have more than `rows` rows without the empty ones around it, if that is
// not 0.
std::string frame_text(std::string_view label, std::span<const Snapshot> nodes,
                       std::span<const Arrow> arrows, const std::string& counts,
                       const LogStyle& style, std::size_t rows = 0);

}  // namespace bully
