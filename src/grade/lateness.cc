// lateness.cc: sleeps, and compares the time of waking with the due time.
#include "grade/lateness.h"

#include <sys/mman.h>

#include <cerrno>
#include <chrono>
#include <new>
#include <thread>

namespace bully {

constexpr Duration nap = std::chrono::milliseconds(5);

Lateness::Lateness(LocalCluster& cluster) {
  void* const shared =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw SetupError(errno, "mmap", Advice::none);
  most_ns_ = new (shared) Shared(0);
  cluster.fork_child([this] { sleep_and_wake(); });
}

Lateness::~Lateness() {
  munmap(most_ns_, sizeof(Shared));
}

void Lateness::note(Duration late) {
  std::int64_t most = most_ns_->load();
  while (late.count() > most && !most_ns_->compare_exchange_weak(most, late.count())) {
  }
}

void Lateness::sleep_and_wake() {
  while (true) {
    const Time due = monotonic_now() + nap;
    std::this_thread::sleep_for(nap);
    note(monotonic_now() - due);
  }
}

}  // namespace bully
