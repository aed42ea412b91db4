// main.cc: the program. One with an algorithm of its own names it before this (tests/toy/main.cc).
#include "commands/commands.h"

int main(int argc, char** argv) {
  return bully::run(argc, argv);
}
