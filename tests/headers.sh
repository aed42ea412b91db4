#!/bin/sh
# headers.sh DIRECTORY HEADER…: compiles each header alone, since each must include what it needs.
# COMPILE is the compiler's command; DIRECTORY is for what is precompiled.
#
# A header that includes another one, directly or not, may as well be compiled after that one: no
# name becomes visible that its own includes do not give it. So a few headers that many include are
# precompiled, and each of the others comes after the first of them that it includes.
set -eu
directory=$1
shift
common='sim/world.h trace/trace.h election/algorithm.h election/message.h'
mkdir -p "$directory"
for header in $common; do
  before=$directory/${header##*/}
  echo "#include \"$header\"" >"$before"
  $COMPILE -x c++-header -o "$before.gch" "$before"
done

# shellcheck disable=SC2016  # for the other shell to expand
awk -v common="$common" -v directory="$directory" '
  function includes(file, sought,    i) {
    for (i = 1; i <= count[file]; ++i) {
      if (included[file, i] == sought || includes(included[file, i], sought)) return 1
    }
    return 0
  }
  FNR == 1 { file = FILENAME; sub(/^(src|tests)\//, "", file); path[file] = FILENAME }
  /^#include "/ { split($0, part, "\""); included[file, ++count[file]] = part[2] }
  END {
    most = split(common, before, " ")
    for (file in path) {
      i = 1
      while (i <= most && !includes(file, before[i])) ++i
      first = i > most ? path[file] : before[i]
      if (i <= most) sub(/.*\//, directory "/", first)
      print first, path[file]
    }
  }' "$@" |
  xargs -P "$(getconf _NPROCESSORS_ONLN)" -n 2 sh -c \
    '$COMPILE -fsyntax-only -include "$0" -include "$1" -x c++ /dev/null'
