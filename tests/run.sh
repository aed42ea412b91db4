#!/bin/sh
# run.sh PROGRAM JOBS [OPTION…]: runs a program's tests in small parts, JOBS of them at a time, since
# most of them wait for real processes. Shows what a failing part says; at the end, the names of the
# tests that failed, and one line for all.
program=$1 jobs=$2
shift 2
part=8
count=$("$program" --count "$@" | sed -n 's/.*filters: //p')

# A part's output is passed on as a whole, so that it does not mix with that of others.
# shellcheck disable=SC2016  # for the other shell to expand
seq 1 "$part" "$count" |
  awk -v part="$part" '{ print "--first=" $1, "--last=" $1 + part - 1 }' |
  xargs -P "$jobs" -n 2 sh -c 'said=$("$@" 2>&1); printf "%s\nended %s\n" "$said" $?' \
    sh "$program" "$@" |
  awk '
    { said = said $0 "\n" }
    /^TEST CASE:/ { name = $0 }
    / (ERROR|FATAL ERROR): / { names[name] = names[name] "\n    " $0 }
    /^[0-9]+ passed, [0-9]+ failed$/ { passed += $1; failed += $3 }
    /^ended / {
      if ($2 != 0) { printf "%s", said; bad = 1 }
      said = ""
    }
    END {
      for (one in names) print one names[one]
      printf "%d passed, %d failed\n", passed, failed
      exit bad || !passed
    }'
