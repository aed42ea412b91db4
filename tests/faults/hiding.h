// hiding.h: a directory that is not where it was, and comes back.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "election/message.h"

namespace bully {

// What is found meanwhile: a plain file, a link to nowhere, nothing, another directory, another one
// in which all names are taken, or the same directory which nobody may enter.
inline constexpr std::array<std::string_view, 6> hiding_places = {"file",  "link",  "nothing",
                                                                  "other", "taken", "mode"};

class Hiding {
 public:
  // Throws system_error. `aside`: a path for the directory meanwhile.
  Hiding(std::string directory, std::string aside, std::string_view place);
  ~Hiding() { end(); }
  Hiding(const Hiding&) = delete;
  Hiding& operator=(const Hiding&) = delete;
  // Puts it back. What nodes have made in its place is lost.
  void end();

 private:
  void exchange() const;

  std::string directory_;
  std::string aside_;
  std::string_view place_;
  bool has_ended_ = false;
};

// Waits until each of these nodes has made itself coordinator, as the trace says, and nothing more
// comes of it; but for a few seconds at most, as it need not come to this.
void await_split(const std::string& trace, const std::vector<NodeId>& nodes);

// Three nodes live without their directory for a while. Returns what went wrong; nothing if they
// agree soon after it is back.
std::string live_without_directory(std::string_view place, bool kills_monitors);

// A node whose directory is hidden for many intervals says so once.
std::string hide_and_listen();

}  // namespace bully
