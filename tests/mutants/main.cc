// main.cc: the program with wrong protocols and faulty nodes, `--protocol='no answer'` and the
// like.
#include "commands/commands.h"
#include "mutants/table.h"

int main(int argc, char** argv) {
  const auto built_in = bully::built_in_algorithms();
  std::vector<bully::Algorithm> table(built_in.begin(), built_in.end());
  std::vector<std::vector<bully::Variant>> mutants;
  for (const bully::Algorithm& algorithm : table) mutants.push_back(bully::mutants_of(algorithm));
  for (const bully::Variant& fault : bully::faulty_nodes()) mutants.front().push_back(fault);
  for (std::size_t i = 0; i < table.size(); ++i) table[i].variants = mutants[i];
  bully::use_algorithms(table);
  return bully::run(argc, argv);
}
