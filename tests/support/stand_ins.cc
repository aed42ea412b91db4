#include "support/stand_ins.h"

#include <poll.h>
#include <signal.h>

#include <optional>
#include <vector>

#include "stage/local_cluster.h"
#include "wire/link_proxy.h"

namespace bully {

namespace {

volatile sig_atomic_t has_to_end = 0;
void note_end(int /*signal*/) {
  has_to_end = 1;
}

struct Count : LinkObserver {
  explicit Count(std::atomic<std::uint64_t>& messages) : messages_(messages) {}
  void on_message(const Message&, NodeId, Way way, std::uint64_t) override {
    messages_ += way == Way::delivered ? 1 : 0;
  }

 private:
  std::atomic<std::uint64_t>& messages_;
};

}  // namespace

StandIns::StandIns(const std::string& directory, bool guarded)
    : process_([&] {
        struct sigaction end {};
        end.sa_handler = note_end;
        sigaction(SIGTERM, &end, nullptr);
        signal(SIGPIPE, SIG_IGN);
        std::optional<Guard> own_guard;
        if (guarded) own_guard.emplace();
        if (guarded) own_guard->put_names_back(directory);
        const Directory place(directory, true);
        Count count(*carried_);
        LinkProxy proxy(place, count);
        std::vector<pollfd> none;
        while (has_to_end == 0) proxy.serve(none, never);
      }) {}

StandIns::~StandIns() {
  process_.end_by(SIGTERM);
}

}  // namespace bully
