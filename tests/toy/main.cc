// main.cc: the program with two more algorithms, `--algorithm=lowest` and `--algorithm=meek`.
#include "commands/commands.h"
#include "toy/lowest.h"

int main(int argc, char** argv) {
  std::vector<bully::Algorithm> table(bully::built_in_algorithms().begin(),
                                      bully::built_in_algorithms().end());
  table.push_back(bully::toy::lowest_algorithm());
  table.push_back(bully::toy::meek_algorithm());
  bully::use_algorithms(table);
  bully::add_words(bully::toy::lowest_words());
  return bully::run(argc, argv);
}
