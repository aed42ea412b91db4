#!/usr/bin/env bash
# habits.sh: counts habits of style in the English prose of the project, and fails if one is back.
#
# The texts were once full of words such as "what", "who" and "those" for things that have names. A
# reader then had to guess which process or message a sentence was about. Each habit was counted at
# that time, and a tenth of that count is its limit. The limit is not zero: such a word is sometimes
# the right one.
#
# The prose: comments of the source, READMEs, help, lessons, and the words of the program.
set -euo pipefail
shopt -s nullglob
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# numbered PATTERN FILE…: the lines that match, each after the name of its file and its number.
numbered() { grep -nHE "$@" || true; }

comments() {
  numbered '(^ *|  )//' src/*.{h,cc} src/*/*.{h,cc} | sed -E 's|^([^:]*:[0-9]+:).*//|\1 //|'
}
texts() {
  numbered . README.md src/README.md src/*/README.md tests/README.md src/help/*.en.txt src/words/en.words
  numbered '^([a-z]+ )?en:' src/lessons/*.txt
}

# places holds where each line of the prose is, and prose the line itself: the name of a file is
# none of its words.
{ comments && texts; } >"$work/all"
cut -d : -f 1,2 "$work/all" >"$work/places"
cut -d : -f 3- "$work/all" >"$work/prose"

# limit NUMBER PATTERN ADVICE [OPTION]: fails if the prose has more than NUMBER matches, and shows
# where the first are. OPTION is for grep: -i unless another is given, since a habit may begin a
# sentence.
status=0
limit() {
  local most=$1 pattern=$2 advice=$3 option=${4--i} count
  count=$({ grep -oE ${option:+"$option"} -e "$pattern" "$work/prose" || true; } | wc -l)
  if [ "$count" -gt "$most" ]; then
    echo "habits.sh: $count times /$pattern/, at most $most: $advice"
    paste -d : "$work/places" "$work/prose" |
      awk 'NR == FNR { hit[$1]; next } FNR in hit && ++n <= 5 { print "  " $0 }' \
        <(grep -nE ${option:+"$option"} -e "$pattern" "$work/prose" | cut -d : -f 1) -
    status=1
  fi
}

limit 70 '\bwhat \w+' 'name the thing'
limit 24 '\bone that\b|\bones? (of|whose)' 'say node, message or state'
limit 27 '\bwhom?\b' 'say its, that or which process'
limit 24 '\b(tells?|told)\b' 'report, notify or record'
limit 21 '\b(no|some)body\b' 'say no process, or another process'
limit 16 '(is|are|was|were) (told|said|taken for|named|seen|asked)' 'let the subject act'
limit 16 '\bstands?\b' 'say is, or appears'
limit 11 '\bthose (that|of|which|who)\b' 'repeat the plural noun'
limit 7 'of (its|their) own|of ours' 'leave it out, or say private'
limit 4 'so (many|long|often)' 'give the number'
limit 4 'as (it is|stands)|as they (are|stand)' 'say unchanged'
limit 5 '\bfor ever\b|\banew\b|\bbesides\b|\bbut for\b' 'say forever, again, also or except'
limit 58 '^ *// (Of|What|Whether|Who|Those)\b' \
  'begin a comment with a noun, or with "True if"' ''
exit $status
