// standard.h: what most tests include. The Makefile compiles it once for all; see src/standard.h.

#include <doctest/doctest.h>

#include <filesystem>
#include <iostream>
#include <sstream>

#include "../src/standard.h"
