// held_messages.h: messages that wait for the person at the screen.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "election/protocol.h"
#include "view/log.h"
#include "words/words.h"

namespace bully {

// Messages that wait for the person at the screen. ../stage/manual_script.h decides which messages
// wait, and what happens to them.
struct HeldMessages {
  bool has_begun = false;
  bool is_released = false;  // messages are delivered as they come
  std::vector<Send> waiting = {};
  std::size_t selected = 0;
  std::size_t lines = 0;  // of the script
  std::string last_line = {};
};

// The heading: the number of messages, and the latest step of the script.
// Cut between two words if it is wider than `columns`.
std::string held_heading(const HeldMessages& held, std::size_t columns, Language language);
// `sender_columns`: of the widest id. The places of the columns do not depend on the messages.
// "> 4 ───── ELECTION ─────▶ 7", `columns` wide: at most `most`, the selected one among them.
std::vector<std::string> held_rows(const HeldMessages& held, std::size_t most, std::size_t columns,
                                   const LogStyle& style, std::size_t sender_columns);

}  // namespace bully
