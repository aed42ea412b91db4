// bystander.h: a process of the test that is no node of bully. It only exists, or listens under a
// node's name, and says there whatever the test wants.
//
// A test uses it to see that no signal has reached it: it is asked, and answers. Read next:
// process.h.
#pragma once

#include <sys/types.h>

#include <string>

#include "node/system.h"

namespace bully {

class Bystander {
 public:
  // Only exists.
  Bystander() : Bystander("") {}
  // Listens at `path`; one that ends with / gets its PID as the name. It answers each connection
  // with `reply`; where that is empty it accepts none.
  explicit Bystander(const std::string& path, const std::string& reply = "");
  ~Bystander();
  Bystander(const Bystander&) = delete;
  Bystander& operator=(const Bystander&) = delete;

  pid_t pid() const { return pid_; }
  bool is_alive();
  // Whether it runs, and none of the signals that end, stop or continue has come. A signal that was
  // sent before the question is seen.
  bool is_untouched();

  // A socket that listens; its name stays when it is closed. For a forked child, or with close().
  static int listen_at(const std::string& path);

 private:
  [[noreturn]] static void live(int parent, int listener, const std::string& reply);

  pid_t pid_ = -1;
  bool reaped_ = false;
  Descriptor questions_;
};

// What a node of this id would reply to a status request, if this were its PID.
std::string status_reply(const std::string& id, const std::string& pid);

}  // namespace bully
