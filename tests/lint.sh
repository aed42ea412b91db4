#!/usr/bin/env bash
# lint.sh RULE [BUILD]: holds the source to one of the rules that no compiler checks.
#
#   purity    the core includes no system, and each room only those that it may know
#   names     no room but the core knows an algorithm
#   words     each text is found by some code; each rule, state and message has its text
#   readmes   the READMEs are short, and the same in both languages
#   format    all is laid out as .clang-format says
#   tidy      .clang-tidy's checks;  analyze: the paths through each function, ten minutes
#   shell     shellcheck
#   scripts   eslint on the pages' scripts, as a page has them; where it is there
#   habits    habits.sh: no habit of style takes over the English prose again
#
# BUILD is where the words' keys are, which nearly every file includes, and the rooms as the build
# compiles them.
set -euo pipefail
shopt -s nullglob
rule=$1
build=${2:-build}

# found PATTERN WHY FILE…: fails where a line matches; but a comment may name anything.
status=0
found() {
  local pattern=$1 why=$2
  shift 2
  if grep -nHE "$pattern" "$@" | grep -vE ':[0-9]+: *//'; then
    echo "$why"
    status=1
  fi
}

# What must never enter the core: the system, a clock, chance, threads, files, printing.
impure='<(unistd|fcntl|signal|poll|dirent|time|pthread|sys/.*|netinet/.*|chrono|ctime|random'
impure+='|thread|mutex|atomic|future|fstream|iostream|filesystem|cstdio|stdio|cstdlib)(\.h)?>'

purity() {
  local pure=(src/{election,detector}/*.{h,cc})
  found "#include $impure" 'these rooms are pure: they include no such header' "${pure[@]}"
  found '\b(rand|srand|time|clock|getenv|printf)\(' \
    'these rooms are pure: they call no such function' "${pure[@]}"
  local asking=()
  for file in src/*/*.{h,cc}; do
    [ "$file" = src/node/beyond_posix.cc ] || asking+=("$file")
  done
  found '^ *# *if|"/proc' 'only src/node/beyond_posix.cc asks which system this is' "${asking[@]}"
  # Each room, and the rooms that it may know besides itself; `commands` knows all.
  local rooms=' commands '
  while read -r room known; do
    rooms+="$room "
    if grep -nE '#include "[a-z]+/' "src/$room"/*.{h,cc} | grep -vE "\"(${known// /|}|$room)/"; then
      echo "src/$room may include itself and ${known:-nothing else}"
      status=1
    fi
  done <<'END'
base
election base
words base election
trace base election
detector base election trace
history base election trace
verdict base election history trace
values base election trace
node base detector election trace values
rules base election node trace values words
wire base election node trace
sim base detector election trace values
explorer base election sim values
stage base election node sim trace values wire
grade base election node stage trace values wire
pictures base election history trace values words
view base election history pictures trace values verdict words
terminal base election explorer grade history node pictures rules sim stage trace values verdict view wire words
END
  for file in src/*/*.{h,cc}; do
    room=$(basename "$(dirname "$file")")
    [[ $rooms = *" $room "* ]] && continue
    echo "$file: tests/lint.sh has no line for src/$room"
    status=1
  done
}

# Prints what sed finds by this pattern in all that src/election declares for a single algorithm:
# src/election/message.* is for all of them.
declared() {
  local files=()
  for file in src/election/*.{h,cc}; do
    [ "$file" = src/election/message.h ] || files+=("$file")
  done
  sed -nE "s/$1/\1/p" "${files[@]}" | sort -u
}
one_of() { printf '(%s)' "$(paste -sd '|')"; }

names() {
  # All of the source but the algorithms. Its words and lessons are texts, and may name any.
  local elsewhere=()
  for file in src/*.cc src/*/*.{h,cc}; do
    [[ $file == src/election/* ]] || elsewhere+=("$file")
  done
  local classes messages fields algorithms named
  classes=$(declared '^class ([A-Za-z]+).* : public (Protocol|RingMember).*' | one_of)
  messages=$(declared '.*constexpr MessageKind ([a-z_]+).*' | one_of)
  fields=$(declared '.*constexpr Field ([a-z_]+).*' | one_of)
  algorithms=$(declared '.*\.name = "([a-z-]+)".*' | one_of)
  # The program is called bully as well.
  named=$({
    declared '.*\.name = "([a-z-]+)".*' | grep -vx bully
    declared '.*Variant\{"([a-z-]+)".*'
  } | one_of)
  found "\b$classes\b|messages::$messages\b" \
    'only src/election knows an algorithm by its protocol or its messages' "${elsewhere[@]}"
  found "fields::$fields\b|->(code|name) [!=]= \"" \
    'only src/election knows what the messages of an algorithm are' "${elsewhere[@]}"
  # Pictures and traces show, and read, who sends to whom.
  found '\btopology\b|Topology::' \
    'what an election does is asked of its description by name, not by who sends to whom' \
    src/{node,sim,stage,wire}/*.{h,cc} src/terminal/exercises.cc
  found "\"$named\"|[Aa]lgorithm[^\"]*\"$algorithms\"" \
    'only src/election knows an algorithm by its name' "${elsewhere[@]}"
}

# kinds FILE: a mark for each heading, row, block, picture and item of it.
kinds() {
  sed -nE 's/^(#+) .*/\1/p; s/^\|.*/|/p; s/^(```[a-z]*).*/\1/p; s/^!\[.*/!/p; s/^- .*/-/p
    s/^[0-9]+\. .*/1/p' "$1"
}

# The READMEs are read in one sitting, say the same, and their class plan fits its minutes.
readmes() {
  local file sum
  for file in README.md README.pt-BR.md; do
    if [ "$(wc -c <$file)" -gt 16384 ] || [ "$(wc -w <$file)" -gt 2300 ]; then
      echo "$file: at most 16,384 bytes and 2,300 words"
      status=1
    fi
    if grep -nE '^.{101}' $file | grep -vE '^[0-9]+:(\||!\[|<!--)'; then
      echo "$file: at most 100 columns of prose"
      status=1
    fi
    if grep -nE '^\|' $file | grep -E '\| [^|]{101,} \|'; then
      echo "$file: at most 100 characters in a cell"
      status=1
    fi
    sum=$(awk -F '|' '/^\| 50 \| 100 /{in_plan = 1; next} !/^\|/{in_plan = 0}
      in_plan { a += $2; b += $3 } END { print a + 0, b + 0 }' $file)
    if [ "$sum" != '50 100' ]; then
      echo "$file: the plan takes $sum minutes, not 50 and 100"
      status=1
    fi
  done
  if ! diff <(kinds README.md) <(kinds README.pt-BR.md); then
    echo 'README.md and README.pt-BR.md differ in headings, rows, blocks, pictures or items'
    status=1
  fi
}

# Each key of the words is in the source, or is put together from names in it: after a prefix, one or
# two names, where a name's blanks and dashes are _; a key may be the prefix of another. Users type
# some names, and lessons have some.
words() {
  { cat src/*.cc src/*/*.{h,cc,html} && sed -n 's/^concept \(.*\)/"\1"/p' src/lessons/*.txt; } |
    grep -ohE '[a-z][a-z0-9_]*|"[a-z0-9][a-z0-9 _-]*"' | tr -d '"' | tr ' -' '__' | sort -u |
    awk 'NR == FNR { known[$0]; next }
      /^[a-z][a-z0-9_]*:/ {
        key = $0
        sub(/:.*/, "", key)
        is_key[key]
        count = split(key, part, "_")
        found = key in known || key ~ /^usage_(gone|former)_/
        for (i = 1; i < count && !found; ++i) {
          prefix = prefix_of(1, i)
          if (!(prefix "_" in known) && !(prefix in is_key)) continue
          found = prefix_of(i + 1, count) in known
          for (j = i + 1; j < count && !found; ++j) {
            found = prefix_of(i + 1, j) in known && prefix_of(j + 1, count) in known
          }
        }
        if (!found) { print FILENAME ":" FNR ": no code finds " key; failed = 1 }
      }
      function prefix_of(from, to,   i, all) {
        for (i = from; i <= to; ++i) all = all (i > from ? "_" : "") part[i]
        return all
      }
      END { exit failed }' - src/words/en.words || status=1
  # And the other way round: each rule, state and message of an election has its text.
  local described missing
  described=$(
    {
      sed -nE '/RuleTable [a-z_]+\{\{/,/\}\}/s/^ *\{"([a-z0-9-]+)".*/rule_\1/p' src/election/*.{h,cc}
      sed -nE 's/^ *constexpr Rule [a-z_]+\{"([a-z0-9-]+)".*/rule_\1/p' src/election/*.{h,cc}
      grep -ohE '\{"[a-z0-9-]+", StateRole::' src/election/*.{h,cc} |
        sed -E 's/.*"(.*)".*/state_\1/'
      # A kind may have its name on the next line.
      cat src/election/*.{h,cc} | tr '\n' ' ' |
        grep -oE 'constexpr MessageKind [a-z_]+\{ *"[A-Z0-9]+", *"[a-z0-9-]+"' |
        sed -E 's/.*"([^"]*)"/message_\1/'
    } | tr '-' '_' | sort -u
  )
  missing=$(comm -23 <(printf '%s\n' "$described") \
    <(sed -nE 's/^([a-z][a-z0-9_]*):.*/\1/p' src/words/en.words | sort -u))
  for kind in rule state message; do
    [[ $described == *"${kind}_"* ]] || missing+=" ${kind}_"
  done
  [ -z "$missing" ] && return
  echo "src/words/en.words: an election's description has no text: ${missing//$'\n'/ }"
  status=1
}

# clang-tidy on two rooms at a time, as the build compiles them: most of a file's time goes to the
# headers that nearly every other file needs as well. Not on the tests: with their macros they take as
# long again, and it finds little there. A name may hide another of its room, in another file.
# shellcheck disable=SC2016  # for the other shell to expand
check() {
  printf '%s\n' "$build"/src/*.cc "$build"/tests/{chaos,faults,mutants,toy}.cc src/*.cc tests/bench/*.cc |
    xargs -P 2 -n 1 sh -c 'checks=$1 build=$2 warnings=$3; shift 3
      clang-tidy --quiet --checks="$checks" --warnings-as-errors="*" "$@" -- \
        -std=c++20 $warnings -Wno-shadow -Isrc -Itests -I"$build"' \
    tidy "${1:--bugprone-suspicious-include}" "$build" "${WARNINGS-}"
}

scripts() {
  if ! eslint --version >/dev/null 2>&1; then
    echo 'lint.sh: skipped: there is no eslint here'
    return
  fi
  for page in run orders; do
    cat src/pictures/{frame,$page}.js | eslint --format unix --stdin --no-eslintrc \
      --env browser,es2020 --parser-options=ecmaVersion:2020 --global run:readonly,orders:readonly \
      --rule '{"no-undef":2,"no-unused-vars":2,"no-redeclare":2,"no-shadow":2,"eqeqeq":2,
        "prefer-const":2,"no-var":2,"no-unreachable":2,"no-implied-eval":2}' || status=1
  done
}

case $rule in
  purity) purity ;;
  names) names ;;
  words) words ;;
  readmes) LC_ALL=C.UTF-8 readmes ;;
  format) clang-format --dry-run -Werror src/*.cc src/*/*.{h,cc} tests/*.{h,cc} tests/*/*.{h,cc} ;;
  tidy) check ;;
  analyze) check '-*,clang-analyzer-*' ;;
  scripts) scripts ;;
  habits) tests/habits.sh ;;
  shell) shellcheck ./*.sh src/*.sh tests/*.sh tests/*/*.sh .ci/run .ci/bare ;;
  *)
    echo "lint.sh: there is no rule $rule" >&2
    exit 2
    ;;
esac
exit $status
