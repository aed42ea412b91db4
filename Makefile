# Makefile: builds the one binary ./bully. All else that a build makes is under build/.
#
#   make            build ./bully              make help     what else there is to do

CXX ?= g++
CXXFLAGS ?= -O2 -g
BUILD ?= build
PREFIX ?= /usr/local
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
COMPILE = $(CXX) -std=c++20 $(CXXFLAGS) $(WARNINGS) -Isrc -Itests -MMD -MP

SOURCES := $(wildcard src/*.cc src/*/*.cc)
TEST_SOURCES := $(wildcard tests/*.cc)
OBJECTS := $(SOURCES:%.cc=$(BUILD)/%.o)
LIBRARY := $(BUILD)/libbully.a
TEST_OBJECTS := $(TEST_SOURCES:%.cc=$(BUILD)/%.o)

# Where the binary goes: ./bully, but a build of another kind (sanitized, say) keeps its own.
BINARY ?= bully

all: $(BINARY)

$(BINARY): $(BUILD)/src/main.o $(LIBRARY)
	$(CXX) $(CXXFLAGS) -o $@ $^

# Everything but main, so that the tests link the very code that runs.
$(LIBRARY): $(filter-out $(BUILD)/src/main.o,$(OBJECTS))
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/%.o: %.cc
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

$(BUILD)/tests/run: $(TEST_OBJECTS) $(LIBRARY)
	$(CXX) $(CXXFLAGS) -o $@ $^

-include $(OBJECTS:.o=.d) $(TEST_OBJECTS:.o=.d)

.PHONY: all
