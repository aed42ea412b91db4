#include "node/setup_error.h"

#include <cerrno>

namespace bully {

Advice advice_for(int error, Advice otherwise) {
  switch (error) {
    case EMFILE:
    case ENFILE:
      return Advice::raise_descriptors;
    case ENOSPC:
    case EDQUOT:
      return Advice::free_disk;
    default:
      return otherwise;
  }
}

}  // namespace bully
