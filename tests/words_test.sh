#!/bin/sh
# words_test.sh: each language has the same keys, or it does not compile: takes a key away from one
# file of words, adds one, and misspells one, and reads what the compiler says.
set -eu
unset MAKEFLAGS # the makes below have no part in the jobs of the one that calls this

cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Compiles the words in $work, and keeps what the compiler says.
compile() {
  # shellcheck disable=SC2086  # CXX may be two words, such as ccache g++.
  "${MAKE:-make}" -s BUILD="$work" WORDS="$work/en.words $work/pt-BR.words" \
    "$work/words/words.inc" "$work/words/keys.inc" &&
    LC_ALL=C ${CXX:-g++} -std=c++20 -Isrc -I"$work" -fsyntax-only src/words/words.cc \
      2>"$work/errors"
}

# The compiler must refuse a mistake, and say $2 of it.
refused() {
  if ! grep 'error: ' "$work/errors" | grep -q "$2"; then
    echo "words_test: the compiler does not say '$2': $1"
    cat "$work/errors"
    exit 1
  fi
  echo "words_test: refused: $1"
}

cp src/words/*.words "$work"
compile || {
  cat "$work/errors"
  exit 1
}
# All mistakes at once, each with a key of its own.
{ cat src/words/en.words && echo 'only_here: one'; } >"$work/en.words"
{
  sed '/^log_stop:/d; s/^log_resume:/log_resumee:/' src/words/pt-BR.words
  printf '%s\n' 'extra: um' 'log_crash: sai' 'no key, no indentation'
} >"$work/pt-BR.words"
if compile; then
  echo 'words_test: the mistakes compile'
  exit 1
fi
refused 'a missing key' 'log_stop.*not handled'
refused 'a key too many' 'pt-BR.words:[0-9]*:.*extra'
refused 'a key that only English has' 'only_here.*not handled'
refused 'a misspelt key' 'pt-BR.words:[0-9]*:.*log_resumee'
refused 'a key that is there twice' 'duplicate case'
refused 'a line that is no entry' 'pt-BR.words:[0-9]*:.*neither'

# Other words, and the same keys: what is built is up to date, and so is all that includes the keys.
cp src/words/*.words "$work"
up_to_date() {
  "${MAKE:-make}" "$@" -s BUILD="$work" WORDS="$work/en.words $work/pt-BR.words" \
    "$work/words/words.inc" "$work/words/keys.inc"
}
up_to_date
cp -p "$work/words/keys.inc" "$work/keys.before"
sleep 1 # A file's time may count in whole seconds.
sed 's/^log_stop: .*/log_stop: goes/' src/words/en.words >"$work/en.words"
up_to_date
if ! up_to_date -q || [ -n "$(find "$work/words/keys.inc" -newer "$work/keys.before")" ]; then
  echo 'words_test: other words with the same keys leave something to build'
  exit 1
fi
echo 'words_test: other words with the same keys: one file is compiled'

# Several makes at once, as where several terminals start run_cluster.sh: none disturbs the others.
cp -p "$work/words/keys.inc" "$work/keys.before"
for round in 1 2 3 4 5; do
  for terminal in 1 2 3 4 5 6; do
    up_to_date -q || echo "terminal $terminal in round $round" >>"$work/disturbed" &
  done
  wait
done
if [ -e "$work/disturbed" ] || [ -n "$(find "$work/words/keys.inc" -newer "$work/keys.before")" ]; then
  echo 'words_test: several makes at once find or leave something to build'
  exit 1
fi
echo 'words_test: several makes at once: nothing to build'

# What the rooms without words find is told by key.
grep -ohE '"(play|script|trace)_[a-z_0-9]+"' src/sim/*.cc src/sim/*.h src/stage/*.cc src/trace/*.cc |
  tr -d '"' | sort -u >"$work/told"
[ "$(wc -l <"$work/told")" -gt 40 ]
while read -r key; do
  grep -q "^$key:" src/words/en.words || {
    echo "words_test: there is no text for $key"
    exit 1
  }
done <"$work/told"
