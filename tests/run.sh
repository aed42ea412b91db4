#!/bin/sh
# run.sh PROGRAM JOBS [OPTION…]: runs each of a program's tests by itself, JOBS of them at a time,
# since most of them wait for real processes. Shows the output of one that fails. A test that failed
# beside others is repeated alone: on a busy machine it may only have waited too long, and the
# summary says so. At the end come the tests that failed, and one line for all.
program=$1 jobs=$2
shift 2
count=$("$program" --count "$@" | sed -n 's/.*filters: //p')
failed=$(mktemp)
trap 'rm -f "$failed"' EXIT

# Tests of one file, which may burden the machine alike, begin far apart. A test's output is passed
# on as a whole, so that it does not mix with that of others.
# shellcheck disable=SC2016  # for the other shell to expand
totals=$(
  awk -v count="$count" 'BEGIN {
      for (start = 1; start <= 4; ++start) {
        for (i = start; i <= count; i += 4) print "--first=" i, "--last=" i
      }
    }' |
    xargs -P "$jobs" -n 2 sh -c 'said=$("$@" 2>&1); printf "%s\nended %s\n" "$said" $?' \
      sh "$program" "$@" |
    awk -v failed="$failed" '
      { said = said $0 "\n" }
      /^TEST CASE:/ { name = $0 }
      / (ERROR|FATAL ERROR): / { names[name] = names[name] "\n    " $0; shown = 1 }
      /^[0-9]+ passed, [0-9]+ failed$/ { passed += $1; counted = 1 }
      /^ended / {
        if ($2 != 0) printf "%s", said >"/dev/stderr"
        if ($2 != 0 && !(shown && counted)) ++broken
        said = ""; shown = counted = 0
      }
      END {
        for (one in names) {
          print one names[one] >"/dev/stderr"
          print substr(one, length("TEST CASE:  ") + 1) >failed
        }
        print passed + 0, broken + 0
      }'
)
passed=${totals% *} broken=${totals#* } lost=0
while IFS= read -r name; do
  again=--test-case=$(printf '%s' "$name" | tr , '?')  # a comma would end the name
  # A test that another starts fails with that one.
  "$program" --count "$again" | grep -q 'filters: 0$' && continue
  if "$program" "$again" </dev/null; then
    passed=$((passed + 1))
    echo "failed beside others, and passed alone: $name"
  else
    lost=$((lost + 1))
    echo "failed twice: $name"
  fi
done <"$failed"
[ "$broken" = 0 ] || echo "$broken tests ended without a result"
printf '%s passed, %s failed\n' "$passed" $((lost + broken))
[ "$lost" = 0 ] && [ "$broken" = 0 ] && [ "$passed" != 0 ]
