// table.h: the explorer's mutants as variants of their algorithms, for real nodes to run.
#pragma once

#include <utility>
#include <vector>

#include "election/algorithm.h"
#include "garcia_molina_mutants.h"
#include "list_mutants.h"
#include "mutants.h"
#include "probe_mutants.h"
#include "ring_mutants.h"

namespace bully {

template <typename Kind, typename Mutations, std::size_t number>
std::unique_ptr<Protocol> make_mutant(NodeId self) {
  return std::make_unique<Kind>(static_cast<Mutations>(number), self);
}

// What a mutant does wrong is no rule, and never said to fire: any rule stands for it.
template <typename Kind, typename Mutations, std::size_t... number>
std::vector<Variant> variants_of(const Rule* rule, std::index_sequence<number...> /*numbers*/) {
  return {{mutation_name(static_cast<Mutations>(number)), make_mutant<Kind, Mutations, number>,
           rule}...};
}

// None, of an algorithm that has no mutants of its own.
inline std::vector<Variant> mutants_of(const Algorithm& algorithm) {
  const Rule* rule = algorithm.rules.front();
  const auto are = [&](std::string_view name) { return algorithm.name == name; };
  if (are("bully")) {
    return variants_of<Mutant, Mutation>(rule, std::make_index_sequence<mutation_count>());
  }
  if (are("dolev-klawe-rodeh")) {
    return variants_of<RingMutant, RingMutation>(rule,
                                                 std::make_index_sequence<ring_mutation_count>());
  }
  if (are("tanenbaum-ring")) {
    return variants_of<ListMutant, ListMutation>(rule,
                                                 std::make_index_sequence<list_mutation_count>());
  }
  if (are("hirschberg-sinclair")) {
    return variants_of<ProbeMutant, ProbeMutation>(
        rule, std::make_index_sequence<probe_mutation_count>());
  }
  if (are("garcia-molina")) {
    return variants_of<HaltingMutant, HaltingMutation>(
        rule, std::make_index_sequence<halting_mutation_count>());
  }
  return {};
}

}  // namespace bully
