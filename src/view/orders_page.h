// orders_page.h: the page of every order, to click through: all states of an election, and the
// steps between them.
#pragma once

#include <string>

#include "values/exploration.h"
#include "values/state_map.h"
#include "words/words.h"

namespace bully {

std::string orders_html(StateMap map, const ExploreOptions& options, Language language);

}  // namespace bully
