// setup_error.h: why a node cannot run. Thrown while it is set up, caught by main alone.
//
// What goes wrong with a peer is no error: peers die, that is what elections are for.
#pragma once

#include <cstdint>
#include <string>
#include <system_error>

namespace bully {

// What the user can do about it. The words for each are in ../view/text.cc.
enum class Advice : std::uint8_t {
  none,
  choose_directory,   // give another with --dir
  shorten_directory,  // a socket's address has room for few characters
  tighten_directory,  // chmod 700
  make_parent,        // the directory that is to hold it does not exist
  free_disk,          // no room
  id_in_use,          // another process listens under this id
  name_in_the_way,    // something that is no socket has the node's name
  raise_descriptors,  // ulimit -n
  raise_processes,    // ulimit -u
  choose_trace,       // give a file that can be written
  try_again,          // another process holds the directory's lock
};

// what() names the call and the object: "bind /tmp/bully/7: Permission denied".
class SetupError : public std::system_error {
 public:
  SetupError(int error, const std::string& call_and_object, Advice advice)
      : std::system_error(error, std::generic_category(), call_and_object), advice_(advice) {}
  Advice advice() const { return advice_; }

 private:
  Advice advice_;
};

// The advice that an errno gives by itself, whatever the call; `otherwise` where it gives none.
Advice advice_for(int error, Advice otherwise);

}  // namespace bully
