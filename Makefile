# Makefile: builds the one binary ./bully. All else that a build makes is under build/.
#
#   make            build ./bully              make help     what else there is to do

CXX ?= g++
CXXFLAGS ?= $(OPTIMIZED)$(if $(DEBUG), -g)
BUILD ?= build
PREFIX ?= /usr/local
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
# Collecting its garbage takes a twentieth of g++'s time: below a gigabyte it need not. clang++ would
# warn that it does not know the parameter.
MEMORY := --param ggc-min-heapsize=1000000 -Wno-unused-command-line-argument
COMPILE = $(CXX) -std=c++20 $(CXXFLAGS) $(WARNINGS) $(MEMORY) -Isrc -Itests -I$(BUILD) -MMD -MP

SOURCES := $(wildcard src/*.cc src/*/*.cc)
# What fuzzers and tests share; a fuzzer's own main is the rest of tests/fuzz.
FUZZED := $(filter-out tests/fuzz/entry.cc,$(wildcard tests/fuzz/*.cc))
TEST_SOURCES := $(wildcard tests/*.cc tests/support/*.cc) $(FUZZED)
TOOL_SOURCES := $(wildcard tests/chaos/*.cc tests/bench/*.cc tests/toy/*.cc \
  tests/mutants/*.cc)
HEADERS := $(wildcard src/*.h src/*/*.h tests/*.h tests/*/*.h)
SCRIPTS := $(wildcard *.sh tests/*.sh) .ci/run
# Most of a file's time goes to what nearly every other file needs as well. So files of a room whose
# names do not collide are compiled a few at a time, which halves a build. Each still stands alone, as
# lint-tidy shows, and so does a file that nobody adds here.
TOGETHER := commands/cluster+commands+compare+hold+record+demo+exercises+kill \
  commands/help+lab+manual+options \
  commands/recorded+reports+run_node+simulate+scenario+terminal+verify+watch \
  election/algorithm+bully_description+bully+participant+protocol \
  election/chang_roberts+ring_member \
  node/aside+directory+links+monitor+monitor_child+node+own_name+peer_process \
  sim/explorer_model+explorer_moves+explorer_promises+explorer_states \
  sim/explorer_search+world sim/scenario+explorer_scenario+faults+play \
  stage/held+local_cluster+real_backend \
  trace/checkers+timeline+verdict trace/records+trace \
  trace/assumptions+checkers_office+checkers_ring+figures+observed+elections+status \
  view/check+check_json+compare+waiting+diagram_html+diagram_svg+ps_table \
  view/compare_svg+diagram+log+frames+style+watch \
  view/diagram_text+ring wire/recording+relay+relay_flow+wire
members = $(addprefix src/$(dir $(1)),$(addsuffix .cc,$(subst +, ,$(notdir $(1)))))
GROUPED := $(TOGETHER:%=$(BUILD)/src/%.o)
ALONE := $(filter-out $(foreach group,$(TOGETHER),$(call members,$(group))),$(SOURCES))
OBJECTS := $(GROUPED) $(ALONE:%.cc=$(BUILD)/%.o) $(BUILD)/lessons.o $(BUILD)/help.o
# Optimizing takes half of a build's time. Only what runs millions of times is worth it: the core,
# the simulator's world, its experiments, the explorer, and what reads long traces.
HOT := $(filter $(addprefix $(BUILD)/src/,election/% sim/experiments.o sim/explorer_% trace/json.o \
  trace/records+trace.o),$(OBJECTS))
OPTIMIZED = -Og
$(HOT) $(BUILD)/src/standard.h.gch: private OPTIMIZED = -O2
# Real nodes, for programs that are no tests.
ARENA := $(patsubst %,$(BUILD)/tests/support/%.o,arena fake floors names process \
  pseudo_terminal scratch timed_election)
# Make and look at thousands of traces, line by line.
ORACLE := $(patsubst %.cc,$(BUILD)/%.o,$(wildcard tests/support/oracle*.cc tests/support/tamper.cc))
OPTIMIZED_TESTS := $(ARENA) $(ORACLE)
LIBRARY := $(BUILD)/libbully.a
WORDS := $(sort $(wildcard src/words/*.words))
LESSONS := $(sort $(wildcard src/lessons/*.txt))
TOPICS := $(sort $(wildcard src/help/*.txt))
TEST_OBJECTS := $(TEST_SOURCES:%.cc=$(BUILD)/%.o)

# Where the binary goes: ./bully, but a build of another kind (sanitized, say) keeps its own.
BINARY ?= bully

# Nodes are many small processes. Without shared libraries, whose tables each would have to fill in
# for itself, one has a third of the memory of its own, and starts in half the time. Where a system
# lacks what that takes, they are shared.
STATIC = $(shell echo 'int main() {}' | $(CXX) $(CXXFLAGS) -static -x c++ -o $(BUILD)/static - \
  2>/dev/null && echo -static)

all: $(BINARY)

# Names of functions are a sixth of the program, and for a debugger alone.
$(BINARY): $(BUILD)/src/main.o $(LIBRARY)
	$(CXX) $(CXXFLAGS) $(STATIC) $(if $(filter -g%,$(CXXFLAGS)),,-s) -o $@ $^

# The headers that nearly every file includes are compiled once, and then only loaded: that takes
# half of the time of a build away. No source relies on it, as lint-tidy shows.
PRECOMPILED := $(BUILD)/src/standard.h.gch $(BUILD)/tests/standard.h.gch
# These include so little that they are made meanwhile, instead of a processor waiting.
MEANWHILE := $(patsubst %,$(BUILD)/src/%.o,election/message words/words)
$(filter-out $(MEANWHILE),$(OBJECTS)): private COMPILE += -include $(BUILD)/src/standard.h
$(filter-out $(MEANWHILE),$(OBJECTS)): $(BUILD)/src/standard.h.gch
$(filter-out $(OPTIMIZED_TESTS),$(TEST_OBJECTS)): private COMPILE += -include $(BUILD)/tests/standard.h
$(filter-out $(OPTIMIZED_TESTS),$(TEST_OBJECTS)): $(BUILD)/tests/standard.h.gch
$(BUILD)/tests/standard.h.gch: COMPILE += -O0
$(PRECOMPILED): $(BUILD)/%.gch: %
	@mkdir -p $(@D)
	$(COMPILE) -x c++-header -o $@ $<

# Everything but main, so that the tests link the very code that runs.
$(LIBRARY): $(filter-out $(BUILD)/src/main.o,$(OBJECTS))
	@rm -f $@
	$(AR) rcs $@ $^

# The binary carries texts. $(call carry,HEADER,TYPE,FUNCTION,FILES) defines the function that has
# them all; each is named as its file, without the number that gives its place among them.
define carry
@mkdir -p $(@D)
@{ echo '#include "$(1)"'; \
  echo 'std::span<const bully::$(2)> bully::$(3)() {'; \
  echo '  static constexpr $(2) all[] = {'; \
  for file in $(4); do \
    basename "$$file" .txt | sed 's/^[0-9]*-//; s/\./", "/; s/.*/{"&", R"text(/' | tr -d '\n'; \
    cat "$$file"; echo ')text"},'; done; \
  echo '  }; return all; }'; } >$@
endef
# The lessons of a course; and the topics of `bully help`, a file for each language, such as
# 02-detectors.pt-BR.txt.
$(BUILD)/lessons.cc: $(LESSONS) src/lessons Makefile
	$(call carry,sim/scenario.h,Lesson,lessons,$(LESSONS))
$(BUILD)/help.cc: $(TOPICS) src/help Makefile
	$(call carry,commands/help.h,HelpTopic,help_topics,$(TOPICS))
$(BUILD)/lessons.o $(BUILD)/help.o: $(BUILD)/%.o: $(BUILD)/%.cc
	$(COMPILE) -c -o $@ $<

# The words are texts as well, a file for each language.
$(BUILD)/words/words.inc: src/words/words.awk $(WORDS) src/words
	@mkdir -p $(@D)
	@for words in $(WORDS); do awk -f $< "$$words" || exit 1; done >$@
# Their keys stand in a file of their own, which most of the source includes: it changes only when a
# key does. A rule would find it older than the words for ever, and nothing up to date; so it is made
# while this file is read, which several processes may do at once.
KEYS := $(BUILD)/words/keys.inc
$(shell mkdir -p $(dir $(KEYS)); new=$(KEYS).$$$$; \
  sed -n 's/^\([a-z][a-z0-9_]*\):.*/KEY(\1)/p' $(filter %/en.words,$(WORDS)) | LC_ALL=C sort >$$new; \
  if cmp -s $$new $(KEYS); then rm $$new; else mv $$new $(KEYS); fi)
$(BUILD)/src/words/words.o: $(BUILD)/words/words.inc

$(GROUPED:.o=.cc): Makefile
	@mkdir -p $(@D)
	@printf '#include "%s"\n' $(patsubst src/%,%,$(call members,$(@:$(BUILD)/src/%.cc=%))) >$@
$(GROUPED): $(BUILD)/%.o: $(BUILD)/%.cc
	$(COMPILE) -c -o $@ $<
$(BUILD)/%.o: %.cc
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

# Tests are compiled anew more often than they run long: what they test is optimized, they are not.
$(filter-out $(OPTIMIZED_TESTS),$(TEST_OBJECTS)): private COMPILE += -O0
$(ORACLE): private OPTIMIZED = -O2

$(BUILD)/tests/run: $(TEST_OBJECTS) $(LIBRARY)
	$(CXX) $(CXXFLAGS) -o $@ $^

-include $(OBJECTS:.o=.d) $(PRECOMPILED:.gch=.d) $(TEST_OBJECTS:.o=.d) $(TOOL_SOURCES:%.cc=$(BUILD)/%.d)

help:
	@echo 'make             build ./bully'
	@echo 'make test        build and run all tests (installs doctest as root where apt is there)'
	@echo 'make golden      draw again what the tests compare diagrams with; read the diff'
	@echo 'make samples     print again what the READMEs show of the program'
	@echo 'make verify      every interleaving of small elections: 3 nodes with faults, then 4'
	@echo 'make chaos       real nodes under random faults [ROUNDS= NODES= SEED= RECORD= …]'
	@echo 'make soak        the long repetitions: chaos, with a recorder too, and tests; six hours'
	@echo 'make bench       measure real nodes, the simulator and the explorer'
	@echo 'make lint        purity of the core, format, clang-tidy, shellcheck'
	@echo 'make analyze     the paths through each function, by clang-tidy; ten minutes'
	@echo 'make sanitize    all tests under the address and undefined-behaviour sanitizers'
	@echo 'make fuzz        invent hostile input for SECONDS (60) a target; needs clang++'
	@echo 'make format      lay out the source as .clang-format says'
	@echo 'make install     install bully, its manual pages and completions below $$PREFIX ($(PREFIX))'
	@echo 'make uninstall   remove them'
	@echo 'make clean       remove all that was built'
	@echo 'DEBUG=1 adds debugging symbols; CXX=clang++ CXXFLAGS=… BUILD=dir BINARY=file choose how, and'
	@echo 'where to'

# Programs that are tested as they are, not linked.
TESTED_TOOLS := $(BUILD)/tests/chaos/chaos $(BUILD)/tests/bench/real_bench $(BUILD)/tests/toy/toy \
  $(BUILD)/tests/mutants/mutants

# TESTS selects by name, as in: make test TESTS='*textbook*'; TEST_JOBS parts of them run at a time.
TESTS ?= *
TEST_JOBS ?= 2
test: doctest $(BINARY)
	@$(MAKE) --no-print-directory $(BUILD)/tests/run $(TESTED_TOOLS)
	CXX='$(CXX)' tests/words_test.sh
	BULLY_BINARY=$(abspath $(BINARY)) tests/samples.sh --check $(READMES)
	BULLY_BINARY=$(abspath $(BINARY)) tests/run.sh $(BUILD)/tests/run $(TEST_JOBS) --test-case='$(TESTS)'

# The pictures that tests/diagram_test.cc and tests/ring_picture_test.cc expect: one election of a
# recorded run, in each format.
GOLDEN := tests/golden/election
GOLDEN_RING := tests/golden/ring
golden: $(BINARY)
	@for format in text svg mermaid html shiviz; do \
	  ./$(BINARY) diagram $(GOLDEN).jsonl --election=6 --lang=en --format=$$format \
	    >$(GOLDEN).$$format || exit 1; \
	done
	@./$(BINARY) diagram $(GOLDEN).jsonl --election=6 --lang=pt-BR >$(GOLDEN).pt-BR.text
	@./$(BINARY) diagram $(GOLDEN).jsonl --election=6 --lang=pt-BR --format=svg \
	  >$(GOLDEN).pt-BR.svg
	@./$(BINARY) diagram $(GOLDEN).jsonl --election=6 --lang=en --format=svg --scale=time \
	  >$(GOLDEN).time.svg
	@for format in text svg mermaid html shiviz ring ring-svg; do \
	  ./$(BINARY) diagram $(GOLDEN_RING).jsonl --election=2 --lang=en --format=$$format \
	    >$(GOLDEN_RING).$$format || exit 1; \
	done
	@./$(BINARY) diagram $(GOLDEN_RING).jsonl --election=2 --lang=pt-BR --format=ring \
	  >$(GOLDEN_RING).pt-BR.ring
	@./$(BINARY) compare --lang=en --format=svg >tests/golden/compare.svg \
	  --algorithms=bully,ring,chang-roberts,hirschberg-sinclair,tanenbaum-ring
	@rm -f $(BUILD)/example.jsonl; ./$(BINARY) scenario ring --trace=$(BUILD)/example.jsonl >/dev/null
	@./$(BINARY) diagram $(BUILD)/example.jsonl --election=2 --lang=en --format=ring-svg \
	  >tests/golden/ring-example.svg

# What the program prints, in both READMEs.
READMES := README.md README.pt-BR.md $(wildcard src/*/README.md)
samples: $(BINARY)
	@BULLY_BINARY=./$(BINARY) tests/samples.sh $(READMES)

HAS_DOCTEST = echo '\#include <doctest/doctest.h>' | $(CXX) -x c++ -E - >/dev/null 2>&1
doctest:
	@$(HAS_DOCTEST) || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	  apt-get update -qq && \
	  apt-get install -y -qq --no-install-recommends doctest-dev >/dev/null; }; \
	$(HAS_DOCTEST) || { echo 'The tests need doctest. Install it with one of:'; \
	  echo '  sudo apt install doctest-dev      sudo dnf install doctest-devel'; \
	  echo '  sudo pacman -S doctest            sudo apk add doctest-dev'; \
	  echo '  brew install doctest'; exit 1; }

SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=all
# g++ takes its own instrumentation for uses of what is not initialized.
sanitize:
	@$(MAKE) --no-print-directory test BUILD=build/sanitize BINARY=build/sanitize/bully STATIC= \
	  CXXFLAGS='-O1 -g -fno-omit-frame-pointer $(SANITIZERS) -Wno-maybe-uninitialized'

# Exhausts what is feasible in minutes; `make soak` goes further.
verify: $(BINARY)
	@tests/verify.sh ./$(BINARY)

# Each file of tests/bench is a program; a script of its name, where there is one, runs it.
BENCHES := $(patsubst tests/bench/%.cc,%,$(wildcard tests/bench/*.cc))
bench: $(BENCHES:%=$(BUILD)/tests/bench/%)
	@status=0; for name in $(BENCHES); do echo "== $$name"; run=tests/bench/$$name.sh; \
	  if [ -x $$run ]; then $$run $(BUILD)/tests/bench/$$name; else $(BUILD)/tests/bench/$$name; fi \
	  || status=1; done; exit $$status

$(BUILD)/tests/bench/%: $(BUILD)/tests/bench/%.o $(ARENA) $(LIBRARY)
	$(CXX) $(CXXFLAGS) -o $@ $^

# Real nodes under random faults; see tests/chaos/chaos.cc. NODES=0 draws from 3 to 64; FAULTS names
# those to choose from, or is empty for all. MINUTES=10 goes on for so long, instead of for ROUNDS.
# RECORD=1 takes a recorder along, whose trace is judged as well, and leaves out those that lie.
ROUNDS ?= 100
NODES ?= 0
SEED ?= 1
ALGORITHM ?= bully
chaos: $(BINARY) $(BUILD)/tests/chaos/chaos
	@BULLY_BINARY=$(abspath $(BINARY)) $(BUILD)/tests/chaos/chaos --rounds=$(ROUNDS) \
	  --nodes=$(NODES) --seed=$(SEED) --algorithm=$(ALGORITHM) --faults=$(FAULTS) \
	  $(if $(MINUTES),--minutes=$(MINUTES)) $(if $(SESSION),--session=$(SESSION)) \
	  $(if $(RECORD),--record)

# The long repetitions, six hours: for each algorithm SOAK_ROUNDS of chaos, and, where a recorder
# can tell who has won, SOAK_MINUTES with one among twenty nodes; every order beyond the bounds of
# `make verify`; then the tests that repeat themselves, SOAK_REPEATS times.
SOAK_ROUNDS ?= 2000
SOAK_MINUTES ?= 10
SOAK_REPEATS ?= 200
soak: doctest $(BINARY)
	@for algorithm in bully ring chang-roberts tanenbaum-ring hirschberg-sinclair garcia-molina \
	  invitation; do \
	  $(MAKE) --no-print-directory chaos ALGORITHM=$$algorithm ROUNDS=$(SOAK_ROUNDS) || exit 1; done
	@for algorithm in bully ring chang-roberts tanenbaum-ring; do \
	  $(MAKE) --no-print-directory chaos ALGORITHM=$$algorithm NODES=20 RECORD=1 \
	    MINUTES=$(SOAK_MINUTES) || exit 1; done
	@tests/verify.sh ./$(BINARY) beyond
	@$(MAKE) --no-print-directory $(BUILD)/tests/run $(BUILD)/tests/mutants/mutants
	BULLY_BINARY=$(abspath $(BINARY)) BULLY_SOAK_ROUNDS=$(SOAK_REPEATS) $(BUILD)/tests/run \
	  --source-file='*/real_soak_test.cc,*/record_test.cc,*/tamper_test.cc,*/mutants_test.cc'

CHAOS_OBJECTS := $(patsubst %.cc,$(BUILD)/%.o,$(wildcard tests/chaos/*.cc))
$(BUILD)/tests/chaos/chaos: $(CHAOS_OBJECTS) $(ARENA) $(LIBRARY)
	$(CXX) $(CXXFLAGS) -o $@ $^

# The program with one more algorithm, which src/ knows nothing about; see tests/toy/lowest.h.
$(BUILD)/tests/toy/toy: $(patsubst %.cc,$(BUILD)/%.o,$(wildcard tests/toy/*.cc)) $(LIBRARY)
	$(CXX) $(CXXFLAGS) -o $@ $^

# The program with wrong protocols; see tests/mutants/table.h.
$(BUILD)/tests/mutants/mutants: $(BUILD)/tests/mutants/main.o $(LIBRARY)
	$(CXX) $(CXXFLAGS) -o $@ $^

# Invents hostile input for SECONDS a target, beginning with the corpus that is kept. Whatever it
# finds ends it, with the input in build/fuzz/found; as a file of the corpus it becomes a test.
FUZZ := build/fuzz
SECONDS ?= 60
FUZZ_TARGETS ?= $(notdir $(wildcard tests/corpus/*))
fuzz:
	@$(MAKE) --no-print-directory CXX=clang++ BUILD=$(FUZZ) BINARY=$(FUZZ)/bully \
	  CXXFLAGS='-O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link $(SANITIZERS)' \
	  $(FUZZ_TARGETS:%=$(FUZZ)/fuzz-%)
	@tests/fuzz.sh $(FUZZ) $(SECONDS) $(FUZZ_TARGETS)

$(FUZZ)/fuzz-%: $(FUZZED:%.cc=$(FUZZ)/%.o) $(FUZZ)/tests/support/markup.o $(FUZZ)/libbully.a \
  tests/fuzz/entry.cc
	$(COMPILE) -fsanitize=fuzzer -DFUZZ_TARGET='"$*"' -o $@ tests/fuzz/entry.cc \
	  $(filter %.o %.a,$^)

# What must never enter the core: the system, a clock, chance, threads, files, printing.
IMPURE := <(unistd|fcntl|signal|poll|dirent|time|pthread|sys/.*|netinet/.*|chrono|ctime|random
IMPURE := $(IMPURE)|thread|mutex|atomic|future|fstream|iostream|filesystem|cstdio|stdio|cstdlib)(\.h)?>
lint: lint-purity lint-names lint-format lint-tidy lint-shell

# All of the source but the algorithms. Its words and lessons are texts, and may name any.
ELSEWHERE := $(filter-out src/election/%,$(wildcard src/*.cc src/*/*.cc src/*/*.h))

lint-purity:
	@! grep -nE '#include $(IMPURE)' src/election/*.h src/election/*.cc || \
	  { echo 'src/election is pure: it includes no such header'; exit 1; }
	@! grep -nE '\b(rand|srand|time|clock|getenv|printf)\(' src/election/*.h src/election/*.cc || \
	  { echo 'src/election is pure: it calls no such function'; exit 1; }
	@! grep -nE '#include "(node|sim|trace|view|words|commands)/' src/election/*.h src/election/*.cc || \
	  { echo 'src/election knows no other room'; exit 1; }
	@! grep -nE '#include "(sim|view|words|commands)/' src/node/*.h src/node/*.cc || \
	  { echo 'src/node knows neither simulator nor views'; exit 1; }
	@! grep -nE '#include "(sim|trace|view|words|commands|stage)/' src/wire/*.h src/wire/*.cc || \
	  { echo 'src/wire knows only the core and what a node knows of the system'; exit 1; }
	@! grep -nE '#include "(view|words/words|commands)' src/sim/*.h src/sim/*.cc src/stage/*.h \
	  src/stage/*.cc || \
	  { echo 'src/sim and src/stage word nothing: what they find are values'; exit 1; }
	@! grep -nE '#include "(node|sim|view|commands|election)/' src/words/*.h src/words/*.cc || \
	  { echo 'src/words knows no other room, but for json.h'; exit 1; }
	@! grep -nE '#include "stage/' src/[enstvw]*/*.h src/[enstvw]*/*.cc | grep -v '^src/stage/' || \
	  { echo 'only commands know the stage of real processes'; exit 1; }
	@! grep -nE '#include "(node|sim|view|words|commands)/' src/trace/*.h src/trace/*.cc || \
	  { echo 'src/trace knows only the core'; exit 1; }
	@! grep -nE '#include "(node|sim|commands)/' src/view/*.h src/view/*.cc || \
	  { echo 'src/view knows only words, trace and core'; exit 1; }

# What src/election declares for a single algorithm: src/election/message.* is for all of them.
declared = $(shell sed -nE 's/$(1)/\1/p' $(filter-out %/message.h,$(wildcard src/election/*)))
one_of = ($(subst $() ,|,$(strip $(1))))
CLASSES = $(call declared,^class ([A-Za-z]+).* : public .*)
MESSAGES = $(call declared,.*constexpr MessageKind ([a-z_]+).*)
FIELDS = $(call declared,.*constexpr Field ([a-z_]+).*)
ALGORITHMS = $(call declared,.*\.name = "([a-z-]+)".*)
VARIANTS = $(call declared,.*Variant\{"([a-z-]+)".*)
# The program is called bully as well, and a picture and an order of processes a ring.
NAMES = $(filter-out bully ring,$(ALGORITHMS)) $(VARIANTS)
lint-names:
	@! grep -nE '\b$(call one_of,$(CLASSES))\b|messages::$(call one_of,$(MESSAGES))\b' $(ELSEWHERE) | \
	  grep -vE ':[0-9]+: *//' || \
	  { echo 'only src/election knows an algorithm by its protocol or its messages'; exit 1; }
	@! grep -nE 'fields::$(call one_of,$(FIELDS))\b|->(code|name) [!=]= "' $(ELSEWHERE) || \
	  { echo 'only src/election knows what the messages of an algorithm are'; exit 1; }
	@! grep -nE '"$(call one_of,$(NAMES))"|[Aa]lgorithm[^"]*"$(call one_of,$(ALGORITHMS))"' \
	  $(ELSEWHERE) || { echo 'only src/election knows an algorithm by its name'; exit 1; }

lint-format:
	@clang-format --dry-run -Werror $(SOURCES) $(TEST_SOURCES) $(TOOL_SOURCES) $(HEADERS)

# clang-tidy with the checks that $(1) asks for, on two files at a time. Not on the tests: with
# their macros they take as long again, and it finds little there.
define tidy
@printf '%s\n' $(SOURCES) $(TOOL_SOURCES) | xargs -P 2 -n 4 sh -c \
  'clang-tidy --quiet $(1) --warnings-as-errors="*" "$$@" -- -std=c++20 -Isrc -Itests -I$(BUILD)' tidy
endef
lint-tidy: $(BUILD)/words/words.inc
	$(call tidy,)

# Path by path through each function.
comma := ,
analyze: $(BUILD)/words/words.inc
	$(call tidy,--checks="-*$(comma)clang-analyzer-*")

lint-shell:
	@shellcheck $(SCRIPTS)

format:
	clang-format -i $(SOURCES) $(TEST_SOURCES) $(TOOL_SOURCES) $(HEADERS)

# The manual pages and completions come from the program itself.
SHARE := $(PREFIX)/share
INSTALLED := $(PREFIX)/bin/bully $(SHARE)/man/man1/bully.1 $(SHARE)/man/pt_BR/man1/bully.1 \
  $(SHARE)/bash-completion/completions/bully $(SHARE)/zsh/site-functions/_bully \
  $(SHARE)/fish/vendor_completions.d/bully.fish
install: $(BINARY)
	@for file in $(INSTALLED); do install -d "$(DESTDIR)$${file%/*}" || exit 1; done
	install -s -m 755 $(BINARY) '$(DESTDIR)$(PREFIX)/bin/bully'
	@set -- $(INSTALLED); shift; for made in man:en man:pt-BR bash:en zsh:en fish:en; do \
	  ./$(BINARY) help --format=$${made%:*} --lang=$${made#*:} >"$(DESTDIR)$$1" || exit 1; shift; done

uninstall:
	rm -f $(INSTALLED:%='$(DESTDIR)%')

clean:
	rm -rf build bully

.PHONY: all help test golden samples verify chaos soak bench fuzz doctest sanitize lint lint-purity lint-names \
  lint-format lint-tidy lint-shell analyze format install uninstall clean
