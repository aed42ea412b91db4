#!/bin/sh
# samples.sh [--check] FILE...: what the program prints, in the READMEs. Below a line
#   <!-- sample: COMMAND -->
# stands a block of code. Its first line may begin with `$ `, and is kept; the rest is replaced by
# what COMMAND prints, in the language of the file. With --check nothing is changed: it fails where a
# block is no longer true. BULLY_BINARY is the program, or else ./bully.
set -eu

check=
if [ "$1" = --check ]; then check=1; shift; fi
export BULLY_BINARY="${BULLY_BINARY:-./bully}" NO_COLOR=1
made=$(mktemp)
trap 'rm -f "$made"' EXIT
status=0
for file in "$@"; do
  case $file in *pt-BR*) LC_ALL=pt_BR.UTF-8 ;; *) LC_ALL=C.UTF-8 ;; esac
  export LC_ALL
  # Within the old block nothing is copied; outside all is.
  awk '
    /^ *<!-- sample: .* -->$/ {
      print
      command = $0
      sub(/^ *<!-- sample: /, "", command)
      sub(/ -->$/, "", command)
      getline
      print
      margin = $0
      sub(/[^ ].*/, "", margin)
      getline
      while (substr($0, length(margin) + 1, 2) == "$ ") { print; getline }
      gsub(/\.\/bully/, "\"$BULLY_BINARY\"", command)
      while ((command | getline line) > 0) print (line == "" ? "" : margin line)
      if (close(command) != 0) exit 1
      while (substr($0, length(margin) + 1, 3) != "```") getline
    }
    { print }
  ' "$file" >"$made"
  if cmp -s "$file" "$made"; then continue; fi
  if [ "$check" ]; then
    echo "$file: the program prints something else now; \`make samples\` puts it in" >&2
    diff -u "$file" "$made" >&2 || true
    status=1
  else
    cat "$made" >"$file"
  fi
done
exit $status
