// table.h: the explorer's mutants, and nodes with faults, as variants of their algorithms, for real
// nodes to run.
#pragma once

#include <map>
#include <vector>

#include "election/algorithm.h"
#include "mutants/bully_mutants.h"
#include "mutants/faulty_node.h"
#include "mutants/garcia_molina_mutants.h"
#include "mutants/list_mutants.h"
#include "mutants/ring_mutants.h"

namespace bully {

template <class Kind, std::size_t number>
std::unique_ptr<Protocol> make_mutant(NodeId self) {
  return std::make_unique<Kind>(static_cast<typename Kind::Mistakes>(number), self);
}

// What a mutant does wrong is no rule, and never said to fire: any rule stands for it.
template <class Kind>
std::vector<Variant> variants_of(const Rule* rule) {
  return [rule]<std::size_t... number>(std::index_sequence<number...>) {
    return std::vector<Variant>{{Kind::names[number], make_mutant<Kind, number>, rule}...};
  }
  (std::make_index_sequence<Kind::names.size()>());
}

// None, of an algorithm that has no mutants of its own.
inline std::vector<Variant> mutants_of(const Algorithm& algorithm) {
  static const std::map<std::string_view, std::vector<Variant> (*)(const Rule*)> all = {
      {"bully", variants_of<Mutant>},
      {"dolev-klawe-rodeh", variants_of<RingMutant>},
      {"tanenbaum-ring", variants_of<ListMutant>},
      {"garcia-molina", variants_of<HaltingMutant>}};
  const auto found = all.find(algorithm.name);
  return found == all.end() ? std::vector<Variant>{} : found->second(algorithm.rules.front());
}

inline std::vector<Variant> faulty_nodes() {
  return variants_of<FaultyNode>(bully_algorithm().rules.front());
}

}  // namespace bully
