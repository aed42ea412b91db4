#!/bin/sh
# run_cluster.sh: several nodes of `bully` at once, as if each ran in a terminal of its own.
#
#   ./run_cluster.sh          5 nodes, their log in this terminal, until Ctrl-C
#   ./run_cluster.sh --demo   an election from start to end, without a hand on the keyboard
#   ./run_cluster.sh --help   the rest
#
# It builds ./bully where that is missing or old, and becomes `./bully cluster`, which does all that
# and cleans up. Plain POSIX sh. Read next: src/commands/cluster.cc.
set -u

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 1

# The language is chosen as the nodes choose it: --lang, else the first of these variables.
lang=${LC_ALL:-${LC_MESSAGES:-${LANG:-}}}
previous=''
help=''
for argument; do
  case $argument in --help | -h) help=yes ;; esac
  case $previous$argument in --lang=?*) lang=${argument#--lang=} ;; esac
  previous=''
  [ "$argument" = --lang ] && previous=--lang=
done

# say ENGLISH PORTUGUESE: a line in the user's language.
say() {
  case $lang in
    pt | pt[-_.@]*) printf '%s\n' "$2" ;;
    *) printf '%s\n' "$1" ;;
  esac >&2
}

first_of() {
  for command; do
    command -v "$command" 2>/dev/null && return
  done
  return 1
}

# The Makefile wants GNU make, which the BSDs call gmake.
find_tools() {
  make=$(first_of gmake make) && compiler=$(first_of "${CXX:-g++}" g++ c++ clang++)
}

install() {
  apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    g++ make
}

# follow PROGRESS COMMAND: runs COMMAND, calls PROGRESS after each second with its output so far in
# $output, and shows what that prints if it is new, or after eight seconds of silence with the time.
follow() {
  progress=$1
  shift
  file=$(mktemp) || exit 1
  "$@" >"$file" 2>&1 &
  command=$!
  trap 'kill "$command" 2>/dev/null; rm -f "$file"; trap - INT; kill -INT $$' INT
  trap 'kill "$command" 2>/dev/null; rm -f "$file"; exit 129' HUP
  trap 'kill "$command" 2>/dev/null; rm -f "$file"; exit 143' TERM
  seconds=0
  silent=0
  previous=''
  while kill -0 "$command" 2>/dev/null; do
    sleep 1
    seconds=$((seconds + 1))
    silent=$((silent + 1))
    output=$(cat "$file")
    now=$($progress)
    if [ "$now" != "$previous" ]; then
      printf '  %s\n' "$now" >&2
    elif [ "$silent" -ge 8 ]; then
      printf '  %s (%s s)\n' "$now" "$seconds" >&2
    else
      continue
    fi
    previous=$now
    silent=0
  done
  wait "$command"
  status=$?
  output=$(cat "$file")
  rm -f "$file"
  trap - INT TERM HUP
  return "$status"
}

last_line() {
  printf '%s\n' "$output" | sed -n '$s/^\(.\{70\}\).*/\1…/;$p'
}

# Make prints a line for each unit that it compiles, and one for the linking.
compiled() {
  printf '%s\n' "$output" | awk -v units="$units" '
    $1 == "compile" { now = ++count " of " units ": " $2; sub(/src\//, "", now) }
    $1 == "link" { now = $2 }
    END { print now }'
}

# A fresh machine: install a compiler and make, or say how.
get_tools() {
  as_root='sudo '
  [ "$(id -u)" -eq 0 ] && as_root=
  case $(first_of apt-get dnf pacman apk brew || uname) in
    */apt-get)
      advice="${as_root}apt-get update && ${as_root}apt-get install -y g++ make"
      if [ -z "$as_root" ]; then
        say 'A C++ compiler or make is missing: installing g++ and make with apt-get.' \
          'Falta um compilador C++ ou o make: instalando g++ e make com apt-get.'
        follow last_line install && find_tools && return
        printf '%s\n' "$output" >&2
      fi
      ;;
    */dnf) advice="${as_root}dnf install -y gcc-c++ make" ;;
    */pacman) advice="${as_root}pacman -S --needed --noconfirm gcc make" ;;
    */apk) advice="${as_root}apk add g++ make" ;;
    */brew) advice='brew install gcc make' ;;
    Darwin) advice='xcode-select --install' ;;
    *)
      say 'run_cluster.sh: a C++ compiler (g++ or clang++) and GNU make are needed: install them, and
try again' 'run_cluster.sh: são necessários um compilador C++ (g++ ou clang++) e o GNU make:
instale-os, e tente de novo'
      exit 1
      ;;
  esac
  say 'run_cluster.sh: a C++ compiler and make are needed. This installs them:' \
    'run_cluster.sh: são necessários um compilador C++ e o make. Isto os instala:'
  printf '\n    %s\n\n' "$advice" >&2
  exit 1
}

build() {
  if ! find_tools; then
    [ -x "$here/bully" ] && return
    get_tools
  fi
  # What an outer make (that of the tests, say) was told is not meant for this one.
  if [ -n "${MAKELEVEL-}" ]; then unset CXXFLAGS; fi
  unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
  export CXX="$compiler"
  # Not in a function: a signal would end its shell alone, and not make.
  set -- "$make" -C "$here" BUILD=build BINARY=bully V= bully
  "$@" -s -q >/dev/null 2>&1 && return
  say 'Building ./bully; this takes a minute.' 'Compilando ./bully; isto leva um minuto.'
  jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null) || jobs=1
  units=$("$@" -n 2>/dev/null | awk '/^ *echo .*  compile / { count++ } END { print count + 0 }')
  follow compiled "$@" --no-print-directory -j "$jobs" && return
  printf '%s\n' "$output" >&2
  say 'run_cluster.sh: the build failed: see above' 'run_cluster.sh: a compilação falhou: veja acima'
  exit 1
}

if [ -z "$help" ]; then
  build
  exec "$here/bully" cluster "$@"
fi
# Help needs no compiler, and does not wait for one.
if [ ! -x "$here/bully" ]; then
  say 'Usage: ./run_cluster.sh [N] [options]: N nodes, 5 if you give none, until Ctrl-C.
The options are listed by ./run_cluster.sh --help once ./bully is built: run make.' \
    'Uso: ./run_cluster.sh [N] [opções]: N nós, 5 se você não der nenhum, até Ctrl-C.
As opções são listadas por ./run_cluster.sh --help depois de compilar ./bully: rode make.'
  exit
fi
words=$("$here/bully" cluster "$@") || exit
printf '%s\n' "$words" | sed '1s|bully cluster|./run_cluster.sh|'
