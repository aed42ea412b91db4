// main.cc: the program. A program with another algorithm adds it before this (tests/toy/main.cc).
#include "commands/commands.h"

int main(int argc, char** argv) {
  return bully::run(argc, argv);
}
