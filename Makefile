# Makefile: builds the one binary ./bully. All else that a build makes is under build/.
#
#   make            build ./bully              make help     what else there is to do
#
# A directory below src is a room, compiled as one unit: most of a file's time goes to headers that
# nearly every other file needs as well. `make headers` shows that each header stands alone.

# As many steps at a time as there are processors, unless -j says how many.
MAKEFLAGS += $(if $(filter 0,$(MAKELEVEL)),-j$(shell nproc 2>/dev/null || echo 2))
CXXFLAGS ?= $(OPTIMIZED)$(if $(DEBUG), -g)
BUILD ?= build
BINARY ?= bully
PREFIX ?= /usr/local
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
# Collecting its garbage takes a twentieth of g++'s time; clang++ has no such parameter.
MEMORY := --param ggc-min-heapsize=1000000 -Wno-unused-command-line-argument
COMPILE = $(CXX) -std=c++20 $(CXXFLAGS) $(WARNINGS) $(MEMORY) -Isrc -Itests -I$(BUILD)
# Without shared libraries a node has a third of its private memory, and starts in half the time.
STATIC = $(shell echo 'int main() {}' | $(CXX) $(CXXFLAGS) -static -x c++ -o $(BUILD)/static - \
  2>/dev/null && echo -static)
LINK = $(call say,link    $@)$(CXX) $(CXXFLAGS) -o $@ $(filter %.o,$^)
# One short line for each step; with V=1 the command, and with -s nothing.
say = $(if $(V)$(findstring s,$(firstword -$(MAKEFLAGS))),,@echo '  $(1)';)

# The files of a unit, and the directories of $(1) that are units.
files = $(filter-out tests/fuzz/entry.cc %_test.cc,$(wildcard $(1)/*.cc))
units = $(foreach directory,$(wildcard $(1)),$(if $(call files,$(directory)),$(directory)))
ROOMS := $(call units,src/*)
SETTINGS := $(filter-out tests tests/bench,$(call units,tests/*))
UNITS := $(patsubst %,$(BUILD)/%.cc,$(ROOMS) $(SETTINGS))
WORDS := $(sort $(wildcard src/words/*.words))
# The keys of the words are written here, and only where they have changed: most of the source
# includes them, and other texts with the same keys should compile one room, and not all.
KEYS := $(BUILD)/words/keys.inc
$(shell mkdir -p $(dir $(KEYS)) && \
  sed -n 's/^\([a-z][a-z0-9_]*\):.*/KEY(\1)/p' $(filter %/en.words,$(WORDS)) | \
  LC_ALL=C sort >$(KEYS).$$$$ && \
  if cmp -s $(KEYS).$$$$ $(KEYS); then rm $(KEYS).$$$$; else mv $(KEYS).$$$$ $(KEYS); fi)
MADE := $(KEYS) $(BUILD)/words/words.inc
CARRIED := lessons help page examples
# First in each program, so that functions that several define, such as a vector's, are theirs.
CORE := $(patsubst %,$(BUILD)/src/%.o,base detector election explorer sim trace history verdict)
OBJECTS := $(CORE) $(filter-out $(CORE),$(patsubst %,$(BUILD)/%.o,$(ROOMS) $(CARRIED)))

all: $(BINARY)  ## builds ./bully
$(BINARY): $(OBJECTS) $(BUILD)/src/main.o
	$(LINK) $(STATIC) $(if $(filter -g%,$(CXXFLAGS)),,-s)
.DELETE_ON_ERROR:
.SUFFIXES:

# Optimizing takes half of a build's time. It is worth that where code runs millions of times: the
# core, the simulator, and what reads long traces; and a little for a thousand nodes' messages.
OPTIMIZED = -Og
$(BUILD)/src/node.o: private OPTIMIZED = -O1
$(CORE): private OPTIMIZED = -O2

define compile
@mkdir -p $(@D)
$(call say,compile $*)$(COMPILE) -MMD -MP -c -o $@ $<
endef
$(BUILD)/%.o: $(BUILD)/%.cc | $(MADE)
	$(compile)
$(BUILD)/%.o: %.cc | $(MADE)
	$(compile)
$(BUILD)/%.gch: % | $(MADE)
	$(compile)
-include $(wildcard $(addprefix $(BUILD)/,*.d */*.d */*/*.d))

# A directory is newer than its unit where a file has come or gone.
$(UNITS): $(BUILD)/%.cc: %
	@mkdir -p $(@D)
	@printf '#include "%s"\n' $(patsubst src/%,%,$(patsubst tests/%,%,$(call files,$*))) >$@
# Texts that the binary carries: words, lessons, topics of help, pages, and examples of rules.
$(BUILD)/words/words.inc: src/words/words.awk $(WORDS) src/words
	@mkdir -p $(@D) && for words in $(WORDS); do awk -f $< "$$words" || exit 1; done >$@
TEXTS := $(foreach end,txt css html js svg py,$(wildcard src/*/*.$(end)))
$(CARRIED:%=$(BUILD)/%.cc): $(BUILD)/%.cc: src/carry.sh $(sort $(dir $(TEXTS))) $(TEXTS)
	@mkdir -p $(@D) && $< $* >$@

# Each test is a unit of its own: reading the same headers again would be a third of its time.
TEST_OBJECTS := $(patsubst %.cc,$(BUILD)/%.o,tests/main.cc $(BUILD)/tests/fixture.o \
  $(filter-out $(LEFT_OUT),$(wildcard tests/*_test.cc tests/*/*_test.cc)))
$(TEST_OBJECTS): $(BUILD)/tests/standard.h.gch
$(TEST_OBJECTS): private COMPILE += -include $(BUILD)/tests/standard.h
$(BUILD)/tests/standard.h.gch: private COMPILE += -x c++-header
$(BUILD)/tests/standard.h.gch: | doctest
SUPPORT := $(BUILD)/tests/support.o
$(BUILD)/tests/run: $(OBJECTS) $(TEST_OBJECTS) $(BUILD)/tests/fuzz.o $(SUPPORT)
# Programs that are tested as they are, and those that measure: each file of tests/bench is one. The
# second expansion finds the unit that has a program's name.
TESTED := $(BUILD)/tests/chaos/chaos $(BUILD)/tests/toy/toy $(BUILD)/tests/mutants/mutants
TRACED := $(BUILD)/tests/faults/faults
BENCHES := $(patsubst tests/bench/%.cc,%,$(wildcard tests/bench/*.cc))
BENCHED := $(BENCHES:%=$(BUILD)/tests/bench/%)
.SECONDEXPANSION:
$(TESTED) $(TRACED) $(BENCHED): $(OBJECTS) $$(if $$(filter %/bench,$$(@D)),$$@,$$(@D)).o \
  $(SUPPORT)
$(BUILD)/tests/run $(TESTED) $(TRACED) $(BENCHED):
	@mkdir -p $(@D)
	$(LINK)

help:  ## lists all that there is to do
	@sed -n 's/^\([a-z]*\):.*  ## /\1\t/p' Makefile | expand -t 12
	@echo 'V=1 shows commands, DEBUG=1 adds symbols; CXX, CXXFLAGS, BUILD=dir, BINARY=file choose how'
# TESTS selects by name, as in TESTS='*textbook*'; TEST_JOBS run at a time, half as many long ones.
TESTS ?= *
TEST_JOBS ?= 6
test: $(BINARY) $(BUILD)/tests/run $(TESTED) $(BUILD)/tests/bench/real_bench  ## all tests
	@CXX='$(CXX)' BULLY_BINARY=$(abspath $(BINARY)) tests/run.sh $(BUILD)/tests/run $(TEST_JOBS) \
	  --test-case='$(TESTS)'
# The room that asks which system this is, without one facility and without all. Three tests are left
# out: Linux alone closes a killed node's listener before its connections, and POSIX does not tell
# which process listens.
posix: $(BINARY) $(BUILD)/tests/run  ## tests of nodes, with nothing beyond POSIX
	@for one in ACCEPT4 PIPE2 PRCTL PROC PIDFD PEERCRED PEERPIDFD D_TYPE; do \
	  $(COMPILE) -DWITHOUT_$$one -fsyntax-only src/node/beyond_posix.cc || exit 1; done
	@$(COMPILE) -DPOSIX_ONLY -c -o $(BUILD)/posix.o $(BUILD)/src/node.cc
	@$(CXX) $(CXXFLAGS) -o $(BUILD)/posix $(OBJECTS:$(BUILD)/src/node.o=$(BUILD)/posix.o) \
	  $(BUILD)/src/main.o $(STATIC)
	@CXX='$(CXX)' BULLY_BINARY=$(abspath $(BUILD)/posix) tests/run.sh $(BUILD)/tests/run \
	  $(TEST_JOBS) --source-file='tests/node/real_*' \
	  --test-case-exclude='A dying node refuses*,A killed process*name is taken over*,kill --all has nothing*'
doctest:  ## gets the library that tests need, with apt, as root
	@CXX='$(CXX)' tests/doctest.sh
lessons: $(BINARY)  ## writes each lesson as a page, and an index: build/lessons/index.html
	@src/lessons.sh ./$(BINARY) $(BUILD)/lessons
golden: $(BINARY)  ## draws again what the tests compare with; read the diff
	@tests/golden.sh ./$(BINARY)
samples: $(BINARY)  ## prints again what the READMEs show of the program
	@BULLY_BINARY=./$(BINARY) tests/samples.sh README.md README.pt-BR.md src/*/README.md
verify: $(BINARY)  ## explores every interleaving of small elections
	@tests/verify.sh ./$(BINARY)

# By clang++, so that both compilers see all. The check of virtual tables opens a pipe, for which a
# node may have no descriptor left. Files whose tests all start processes are left out; chaos has some.
SANITIZERS := -fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=all \
  -fno-omit-frame-pointer
SANITIZED = --no-print-directory BUILD=build/sanitize BINARY=build/sanitize/bully STATIC= \
  LEFT_OUT='$(addprefix tests/,node/real_% commands/%_script_test.cc terminal/%_script_test.cc \
  %_terminal_test.cc grade/exam_checks_% stage/local_cluster_test.cc)' \
  CXX=clang++ CXXFLAGS='$$(if $$(filter -O2,$$(OPTIMIZED)),-O1,-O0) -g1 $(SANITIZERS)'
sanitize:  ## tests without processes, and some chaos, under the sanitizers; needs clang++
	@$(MAKE) $(SANITIZED) $(addprefix build/sanitize/,bully tests/run tests/chaos/chaos)
	@BULLY_TEST_NO_PROCESSES=1 tests/run.sh build/sanitize/tests/run $(TEST_JOBS) \
	  --test-case='$(TESTS)'
	@$(MAKE) $(SANITIZED) chaos ROUNDS=20 NODES=8
# A script of a program's name, where there is one, runs it.
bench: $(BENCHED)  ## measures nodes, simulator, explorer and grader
	@status=0; for name in $(BENCHES); do echo "== $$name"; run=tests/bench/$$name.sh; \
	  [ -x $$run ] || run=; $$run $(BUILD)/tests/bench/$$name || status=1; done; exit $$status
chaos: $(BINARY) $(BUILD)/tests/chaos/chaos  ## real nodes under faults; choices: tests/chaos/chaos.cc
	@BULLY_BINARY=$(abspath $(BINARY)) $(BUILD)/tests/chaos/chaos $(ROUNDS:%=--rounds=%) \
	  $(NODES:%=--nodes=%) $(SEED:%=--seed=%) $(ALGORITHM:%=--algorithm=%) $(FAULTS:%=--faults=%) \
	  $(MINUTES:%=--minutes=%) $(SESSION:%=--session=%) $(if $(RECORD),--record)
faults: $(BINARY) $(TRACED)  ## each system call of a node fails once, or that of CASE; needs strace
	@BULLY_BINARY=$(abspath $(BINARY)) $(TRACED) $(CASE)
soak: $(BINARY) $(BUILD)/tests/run $(TESTED)  ## the long repetitions, six hours
	@BULLY_BINARY=$(abspath $(BINARY)) tests/soak.sh $(BUILD)
SECONDS ?= 60
FUZZ_TARGETS ?= $(notdir $(wildcard tests/corpus/*))
fuzz:  ## invents hostile input for SECONDS (60) a target; needs clang++
	@$(MAKE) --no-print-directory CXX=clang++ BUILD=build/fuzz BINARY=build/fuzz/bully \
	  CXXFLAGS='-O1 -g -fsanitize=fuzzer-no-link $(SANITIZERS)' $(FUZZ_TARGETS:%=build/fuzz/fuzz-%)
	@tests/fuzz.sh build/fuzz $(SECONDS) $(FUZZ_TARGETS)
build/fuzz/fuzz-%: tests/fuzz/entry.cc build/fuzz/tests/fuzz.o build/fuzz/tests/support.o $(OBJECTS)
	$(call say,link    $@)$(COMPILE) -fsanitize=fuzzer -DFUZZ_TARGET='"$*"' -o $@ $^

HEADERS := $(wildcard src/*/*.h tests/*.h tests/*/*.h)
headers: $(MADE)  ## compiles every header alone
	@COMPILE='$(COMPILE)' tests/headers.sh $(BUILD)/headers $(HEADERS)
lint: $(addprefix lint-,purity names words readmes format tidy shell scripts habits)  ## all checks
analyze: lint-analyze  ## the paths through each function, by clang-tidy; ten minutes
lint-%: $(MADE) $(UNITS)
	@WARNINGS='$(WARNINGS)' tests/lint.sh $* $(BUILD)
format:  ## lays out the source as .clang-format says
	clang-format -i src/*.cc src/*/*.cc tests/*.cc tests/*/*.cc $(HEADERS)
install: $(BINARY)  ## installs bully, its manual pages and completions below $PREFIX
	@src/install.sh '$(DESTDIR)$(PREFIX)' ./$(BINARY)
uninstall:  ## removes them
	@src/install.sh '$(DESTDIR)$(PREFIX)'
clean:  ## removes all that was built
	rm -rf build bully grade-traces grades
.PHONY: all help test posix doctest lessons golden samples verify sanitize bench chaos faults soak fuzz headers \
  lint analyze format install uninstall clean
