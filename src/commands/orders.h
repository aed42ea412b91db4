// orders.h: the map of all that can happen, as the page of every order shows it.
#pragma once

#include "sim/games.h"
#include "sim/state_map.h"
#include "view/orders.h"

namespace bully {

Orders orders_of(const StateMap& map, const ExploreOptions& options, Language language);

// Lets people play it there. REQUIRES: `map` is that of the game's bounds.
void add_game(const Game& game, const StateMap& map, Orders& orders, Language language);

}  // namespace bully
