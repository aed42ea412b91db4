#!/bin/sh
# run.sh PROGRAM JOBS [OPTION…]: runs each of a program's tests by itself, since most of them wait
# for real processes: JOBS at a time, and beside them half as many of the suite "long". Those wait
# most of their time, and would leave the processors idle if they ran by themselves. Shows the output
# of each test that fails. At the end come the names of those tests, and one line: how many passed,
# failed and were skipped, and why.
set -eu
program=$1 jobs=$2
shift 2
# Where python3 is a script that looks for Python, that takes longer than to start Python itself.
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null) && PATH=${python%/*}:$PATH

# chosen OPTION…: the options that choose each of these tests by itself, a line for each. Tests of
# one file, which may burden the machine alike, begin far apart.
chosen() {
  count=$("$program" --count "$@" | sed -n 's/.*filters: //p')
  awk -v count="$count" -v suite="$1" 'BEGIN {
    for (start = 1; start <= 4; ++start) {
      for (i = start; i <= count; i += 4) print suite, "--first=" i, "--last=" i
    }
  }'
}

# run_chosen COUNT [OPTION…]: runs those on its input, COUNT at a time. A test's output is passed on
# as a whole, so that it does not mix with that of others.
# shellcheck disable=SC2016  # for the other shell to expand
run_chosen() {
  count=$1
  shift
  xargs -r -P "$count" -n 3 sh -c \
    'said=$("$@" 2>&1 </dev/null); printf "%s\nended %s\n" "$said" $?' sh "$program" "$@"
}

{
  chosen --test-suite=long "$@" | run_chosen $(((jobs + 1) / 2)) "$@" &
  chosen --test-suite-exclude=long "$@" | run_chosen "$jobs" "$@"
  wait
} |
  awk '
  { said = said $0 "\n" }
  /^TEST CASE:/ { name = $0 }
  /^[0-9]+ passed, [0-9]+ failed/ {
    counted = 1
    passed += $1
    failed += $3
    skipped += $5
    if (sub(/^[^:]*: /, "")) {
      count = split($0, given, "; ")
      for (i = 1; i <= count; ++i) {
        if (!(given[i] in known)) reasons = reasons (reasons == "" ? ": " : "; ") given[i]
        known[given[i]] = 1
      }
    }
  }
  /^ended / {
    if ($2 != 0) printf "%s", said >"/dev/stderr"
    if (!counted) ++failed
    if ($2 != 0 || !counted) names = names "\n" (name == "" ? "a test ended without a result" : name)
    said = name = ""
    counted = 0
  }
  END {
    if (names != "") print "Failed:" names
    printf "%d passed, %d failed", passed, failed
    if (skipped > 0) printf ", %d skipped%s", skipped, reasons
    print ""
    exit failed > 0 || passed == 0
  }'
