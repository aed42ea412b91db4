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
        said=$(apt-get update -qq 2>&1 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
          --no-install-recommends g++ make 2>&1) && find_tools && return
        printf '%s\n' "$said" >&2
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
  CXX=$compiler "$make" -s -q -C "$here" BUILD=build BINARY=bully bully >/dev/null 2>&1 && return
  say 'Building ./bully; this takes a minute.' 'Compilando ./bully; isto leva um minuto.'
  jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null) || jobs=1
  CXX=$compiler "$make" -s -j "$jobs" -C "$here" BUILD=build BINARY=bully bully >&2 && return
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
