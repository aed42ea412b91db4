#include "election/pace.h"

namespace bully {

std::int64_t pauses_in(SlowWait wait, std::size_t n) {
  const auto processes = static_cast<std::int64_t>(n);
  switch (wait) {
    case SlowWait::answer: return 4 * processes + 2;
    case SlowWait::election: return 8 * processes + 2;
    case SlowWait::news: return 2 * processes + 2;
  }
  return 0;
}

}  // namespace bully
