// orders.h: the map of all states, for the page of every order.
#pragma once

#include "sim/state_map.h"
#include "view/orders.h"

namespace bully {

Orders orders_of(const StateMap& map, const ExploreOptions& options, Language language);

}  // namespace bully
