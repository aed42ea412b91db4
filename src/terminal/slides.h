// slides.h: pages on the whole screen, one at a time.
#pragma once

#include <vector>

#include "terminal/invocation.h"
#include "terminal/pages.h"

namespace bully {

// Takes keys until one asks for the end, or for more after the last page unless `is_last`. False if
// no further lesson should follow. REQUIRES: standard input and output are a terminal. Throws
// Interrupted, SetupError.
bool show_slides(const std::vector<Page>& pages, const Invocation& invocation, bool is_last);

}  // namespace bully
