# Makefile: builds the one binary ./bully. All else that a build makes is under build/.
#
#   make            build ./bully              make help     what else there is to do
#
# A room, which is a directory, is compiled as one: most of a file's time goes to what nearly every
# other file needs as well. Each header can stand alone, as `make headers` shows.

# As many steps at a time as there are processors, unless -j says how many.
MAKEFLAGS += $(if $(filter 0,$(MAKELEVEL)),-j$(shell nproc 2>/dev/null || echo 2))

CXX ?= g++
CXXFLAGS ?= $(OPTIMIZED)$(if $(DEBUG), -g)
BUILD ?= build
PREFIX ?= /usr/local
# Where the binary goes: ./bully, but a build of another kind (sanitized, say) keeps its own.
BINARY ?= bully
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
# Collecting its garbage takes a twentieth of g++'s time: below a gigabyte it need not. clang++
# would warn that it knows no such parameter.
MEMORY := --param ggc-min-heapsize=1000000 -Wno-unused-command-line-argument
COMPILE = $(CXX) -std=c++20 $(CXXFLAGS) $(WARNINGS) $(MEMORY) -Isrc -Itests -I$(BUILD)
# Nodes are many small processes. Without shared libraries, whose tables each would have to fill in
# for itself, one has a third of the memory of its own, and starts in half the time. Where a system
# lacks what that takes, they are shared.
STATIC = $(shell echo 'int main() {}' | $(CXX) $(CXXFLAGS) -static -x c++ -o $(BUILD)/static - \
  2>/dev/null && echo -static)
LINK = $(call say,link    $@)$(CXX) $(CXXFLAGS) -o $@ $(filter %.o,$^)
# One short line for each step; with V=1 the command, and with -s nothing.
say = $(if $(V)$(findstring s,$(firstword -$(MAKEFLAGS))),,@echo '  $(1)';)

# What a directory holds, but for tests, and for a main that is linked otherwise; and the
# directories that hold anything.
files = $(filter-out src/main.cc tests/fuzz/entry.cc %_test.cc,$(wildcard $(1)/*.cc))
units = $(foreach directory,$(1),$(if $(call files,$(directory)),$(directory)))
ROOMS := $(call units,$(wildcard src src/*))
SETTINGS := $(call units,$(filter-out tests/bench,$(wildcard tests/*)))
WORDS := $(sort $(wildcard src/words/*.words))
KEYS := $(BUILD)/words/keys.inc
# Included by the source, and made by the build.
MADE := $(KEYS) $(BUILD)/words/words.inc $(BUILD)/election/version.inc
UNITS := $(patsubst %,$(BUILD)/%.cc,$(ROOMS) $(SETTINGS))
CARRIED := lessons help page examples
# First in each program, so that what several define, such as a vector's functions, is theirs.
CORE := $(patsubst %,$(BUILD)/src/%.o,base election explorer sim trace verdict)
OBJECTS := $(CORE) $(filter-out $(CORE),$(patsubst %,$(BUILD)/%.o,$(ROOMS) $(CARRIED)))
TEST_OBJECTS := $(patsubst %.cc,$(BUILD)/%.o,tests/main.cc $(filter-out $(LEFT_OUT),$(wildcard \
  tests/*_test.cc tests/*/*_test.cc)))

all: $(BINARY)  ## builds ./bully
.DELETE_ON_ERROR:
# No rule of make itself, such as that of x.sh for x: a directory may have that name.
.SUFFIXES:

$(BINARY): $(OBJECTS) $(BUILD)/src/main.o
	$(LINK) $(STATIC) $(if $(filter -g%,$(CXXFLAGS)),,-s)

# Optimizing takes half of a build's time. Much of it is worth only what runs millions of times: the
# core, the simulator, and what reads long traces and their JSON; a little, for each message of a
# thousand nodes.
OPTIMIZED = -Og
$(BUILD)/src/node.o: private OPTIMIZED = -O1
$(CORE): private OPTIMIZED = -O2

# The one rule, for what is made here and for what is not.
define compile
@mkdir -p $(@D)
$(call say,compile $*)$(COMPILE) -MMD -MP -c -o $@ $<
endef
$(BUILD)/%.o: $(BUILD)/%.cc | $(MADE)
	$(compile)
$(BUILD)/%.o: %.cc | $(MADE)
	$(compile)
$(BUILD)/%.gch: % | $(KEYS)
	$(compile)
-include $(wildcard $(addprefix $(BUILD)/,*.d */*.d */*/*.d))

# $(call look,COMMAND): the target without .seen is what the command prints, and is written only
# where that has changed; .seen has the time of the look.
look = @mkdir -p $(@D) && $(1) >$@.$$$$ && \
  { cmp -s $@.$$$$ $(@:.seen=) && rm $@.$$$$ || mv $@.$$$$ $(@:.seen=); } && touch $@
$(UNITS:=.seen): $(BUILD)/%.cc.seen: %
	$(call look,printf '#include "%s"\n' $(patsubst src/%,%,$(patsubst tests/%,%,$(call files,$*))))
# The words' keys, which most of the source includes.
$(KEYS).seen: $(filter %/en.words,$(WORDS))
	$(call look,sed -n 's/^\([a-z][a-z0-9_]*\):.*/KEY(\1)/p' $< | LC_ALL=C sort)
# The + lets make -q look at the file's time as well, instead of taking it for changed.
$(UNITS) $(KEYS): %: %.seen
	+@:
# The words themselves, a file for each language, are texts that the binary carries.
$(BUILD)/words/words.inc: src/words/words.awk $(WORDS) src/words
	@mkdir -p $(@D) && for words in $(WORDS); do awk -f $< "$$words" || exit 1; done >$@
# A number that changes with the core, so that a trace tells which one acted.
$(BUILD)/election/version.inc: $(sort $(wildcard src/election/*.h src/election/*.cc))
	@mkdir -p $(@D) && cat $^ | cksum | cut -d' ' -f1 >$@
# So are the lessons, the topics of help, how a page looks and what it does, and examples of rules.
TEXTS := $(foreach end,txt css js py,$(wildcard src/*/*.$(end)))
$(CARRIED:%=$(BUILD)/%.cc): $(BUILD)/%.cc: src/carry.sh $(sort $(dir $(TEXTS))) $(TEXTS)
	@mkdir -p $(@D) && $< $* >$@

# Each test is a unit of its own: reading the same headers again would be a third of its time.
WITH_DOCTEST := $(TEST_OBJECTS) $(BUILD)/tests/fixture.o
$(WITH_DOCTEST): $(BUILD)/tests/standard.h.gch
$(WITH_DOCTEST): private COMPILE += -include $(BUILD)/tests/standard.h
$(BUILD)/tests/standard.h.gch: private COMPILE += -x c++-header
$(BUILD)/tests/standard.h.gch: | doctest
SUPPORT := $(BUILD)/tests/support.o
$(BUILD)/tests/run: $(OBJECTS) $(WITH_DOCTEST) $(BUILD)/tests/fuzz.o $(BUILD)/tests/oracle.o $(SUPPORT)
# Programs that are tested as they are, and those that measure: each file of tests/bench is one.
TESTED := $(BUILD)/tests/chaos/chaos $(BUILD)/tests/toy/toy $(BUILD)/tests/mutants/mutants
BENCHES := $(patsubst tests/bench/%.cc,%,$(wildcard tests/bench/*.cc))
BENCHED := $(BENCHES:%=$(BUILD)/tests/bench/%)
.SECONDEXPANSION:
$(TESTED): $(OBJECTS) $$(@D).o $(SUPPORT)
$(BENCHED): $(OBJECTS) $$@.o $(SUPPORT)
$(BUILD)/tests/run $(TESTED) $(BENCHED):
	@mkdir -p $(@D)
	$(LINK)

help:  ## lists all that there is to do
	@sed -n 's/^\([a-z]*\):.*  ## /\1\t/p' Makefile | expand -t 12
	@echo 'V=1 shows the commands, DEBUG=1 adds debugging symbols; CXX=clang++ CXXFLAGS=… BUILD=dir'
	@echo 'BINARY=file choose how, and where to'

# TESTS selects by name, as in: make test TESTS='*textbook*'; TEST_JOBS of them run at a time, and
# half as many of those that take long.
TESTS ?= *
TEST_JOBS ?= 6
test: $(BINARY) $(BUILD)/tests/run $(TESTED) $(BUILD)/tests/bench/real_bench  ## all tests
	@CXX='$(CXX)' BULLY_BINARY=$(abspath $(BINARY)) tests/run.sh $(BUILD)/tests/run $(TEST_JOBS) \
	  --test-case='$(TESTS)'
# The room that asks which system this is, compiled as if it had nothing else.
$(BUILD)/posix/node.o: private CXXFLAGS += -DPOSIX_ONLY
$(BUILD)/posix/node.o: $(BUILD)/src/node.cc | $(MADE)
	$(compile)
$(BUILD)/posix/bully: $(OBJECTS:$(BUILD)/src/node.o=$(BUILD)/posix/node.o) $(BUILD)/src/main.o
	$(LINK) $(STATIC)
# Linux alone closes a killed node's listener before its connections.
posix: $(BUILD)/posix/bully $(BUILD)/tests/run  ## tests of nodes, with nothing beyond POSIX
	@for one in ACCEPT4 PRCTL PROC PIDFD PEERCRED PEERPIDFD D_TYPE; do \
	  $(COMPILE) -DWITHOUT_$$one -fsyntax-only src/node/beyond_posix.cc || exit 1; done
	@CXX='$(CXX)' BULLY_BINARY=$(abspath $<) tests/run.sh $(BUILD)/tests/run $(TEST_JOBS) \
	  --source-file='tests/node/real_*' --test-case-exclude='A dying node refuses*'
doctest:  ## gets the library that tests need, with apt, as root
	@CXX='$(CXX)' tests/doctest.sh
golden: $(BINARY)  ## draws again what the tests compare with; read the diff
	@tests/golden.sh ./$(BINARY)
samples: $(BINARY)  ## prints again what the READMEs show of the program
	@BULLY_BINARY=./$(BINARY) tests/samples.sh README.md README.pt-BR.md src/*/README.md
verify: $(BINARY)  ## explores every interleaving of small elections
	@tests/verify.sh ./$(BINARY)

# The check of virtual tables opens a pipe: a node that has no descriptor left would fail it.
SANITIZERS := -fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=all \
  -fno-omit-frame-pointer
# By clang++, so that both compilers see all, and at a lower level: with sanitizers optimizing takes
# twice as long again. A test that starts a process is skipped, and a file of nothing else is not
# even compiled; chaos starts some.
SANITIZED = --no-print-directory BUILD=build/sanitize BINARY=build/sanitize/bully STATIC= \
  LEFT_OUT='$(addprefix tests/,node/real_% commands/%_script_test.cc terminal/%_script_test.cc \
  %_terminal_test.cc grade/checks_% stage/local_cluster_test.cc)' \
  CXX=clang++ CXXFLAGS='$$(if $$(filter -O2,$$(OPTIMIZED)),-O1,-O0) -g1 $(SANITIZERS)'
sanitize:  ## tests without processes, and some chaos, under the sanitizers; needs clang++
	@$(MAKE) $(SANITIZED) $(addprefix build/sanitize/,bully tests/run tests/chaos/chaos)
	@BULLY_TEST_NO_PROCESSES=1 tests/run.sh build/sanitize/tests/run $(TEST_JOBS) \
	  --test-case='$(TESTS)'
	@$(MAKE) $(SANITIZED) chaos ROUNDS=20 NODES=8

# A script of a program's name, where there is one, runs it.
bench: $(BENCHED)  ## measures real nodes, the simulator and the explorer
	@status=0; for name in $(BENCHES); do echo "== $$name"; run=tests/bench/$$name.sh; \
	  [ -x $$run ] || run=; $$run $(BUILD)/tests/bench/$$name || status=1; done; exit $$status

# What these, FAULTS, MINUTES, SESSION and RECORD choose: see tests/chaos/chaos.cc.
ROUNDS ?= 100
NODES ?= 0
SEED ?= 1
ALGORITHM ?= bully
chaos: $(BINARY) $(BUILD)/tests/chaos/chaos  ## real nodes under random faults [ROUNDS=, NODES=, …]
	@BULLY_BINARY=$(abspath $(BINARY)) $(BUILD)/tests/chaos/chaos --rounds=$(ROUNDS) \
	  --nodes=$(NODES) --seed=$(SEED) --algorithm=$(ALGORITHM) --faults=$(FAULTS) \
	  $(if $(MINUTES),--minutes=$(MINUTES)) $(if $(SESSION),--session=$(SESSION)) \
	  $(if $(RECORD),--record)
soak: $(BINARY) $(BUILD)/tests/run $(TESTED)  ## the long repetitions, six hours
	@BULLY_BINARY=$(abspath $(BINARY)) tests/soak.sh $(BUILD)

SECONDS ?= 60
FUZZ_TARGETS ?= $(notdir $(wildcard tests/corpus/*))
fuzz:  ## invents hostile input for SECONDS (60) a target; needs clang++
	@$(MAKE) --no-print-directory CXX=clang++ BUILD=build/fuzz BINARY=build/fuzz/bully \
	  CXXFLAGS='-O1 -g -fsanitize=fuzzer-no-link $(SANITIZERS)' \
	  $(FUZZ_TARGETS:%=build/fuzz/fuzz-%)
	@tests/fuzz.sh build/fuzz $(SECONDS) $(FUZZ_TARGETS)
build/fuzz/fuzz-%: tests/fuzz/entry.cc build/fuzz/tests/fuzz.o build/fuzz/tests/support.o $(OBJECTS)
	$(call say,link    $@)$(COMPILE) -fsanitize=fuzzer -DFUZZ_TARGET='"$*"' -o $@ $^

HEADERS := $(wildcard src/*/*.h tests/*.h tests/*/*.h)
headers: $(MADE)  ## compiles every header alone
	@COMPILE='$(COMPILE)' tests/headers.sh $(BUILD)/headers $(HEADERS)

lint: $(addprefix lint-,purity names words format tidy shell scripts habits)  ## all checks of the source
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

.PHONY: all help test posix doctest golden samples verify sanitize bench chaos soak fuzz headers lint \
  analyze format install uninstall clean
