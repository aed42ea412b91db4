// orders.h: the map of all states, for the page of every order.
#pragma once

#include "sim/games.h"
#include "sim/state_map.h"
#include "view/orders.h"

namespace bully {

Orders orders_of(const StateMap& map, const ExploreOptions& options, Language language);

// Adds a game to play there. REQUIRES: `map` is that of the game's bounds.
void add_game(const Game& game, const StateMap& map, Orders& orders, Language language);

}  // namespace bully
