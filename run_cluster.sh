#!/bin/sh
# run_cluster.sh: several nodes of `bully` at once, as if each ran in a terminal of its own.
#
#   ./run_cluster.sh          5 nodes, their log in this terminal, until Ctrl-C
#   ./run_cluster.sh --demo   an election from start to end, without a hand on the keyboard
#   ./run_cluster.sh --help   the rest
#
# It runs `./bully` and nothing else: what it shows is what the nodes write, what `bully ps`
# answers, and what the trace says. Plain POSIX sh. Read next: kill_node.sh.
set -u

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 1
bully=$here/bully

default_count=5
max_count=200     # more than this is a slip of the finger
deadline_s=10     # in which each step of the demo has to happen
guard_s=20        # more than the guard needs to end all

mode=cluster
count=$default_count
count_given=
dir=${BULLY_DIR:-/tmp/bully}
dir_given=
trace=${BULLY_TRACE:-}
algorithm=bully
detector=ping
color=auto
quiet=
work=             # our private place for what is temporary

# --- Words ----------------------------------------------------------------------------------------

# The language is chosen as the nodes choose it: --lang, else the first of these variables.
lang=en
case ${LC_ALL:-${LC_MESSAGES:-${LANG:-}}} in
  pt | pt[-_.@]*) lang=pt ;;
esac
name_language() {
  case $1 in
    pt | pt[-_.@]*) lang=pt ;;
    en | en[-_.@]*) lang=en ;;
  esac
}

# say ENGLISH PORTUGUESE [VALUE…]: a line in the user's language; the first two are printf formats.
say() {
  format=$1
  [ "$lang" = pt ] && format=$2
  shift 2
  # shellcheck disable=SC2059  # the format is the point
  printf "$format\n" "$@"
}

# complain ENGLISH PORTUGUESE [VALUE…]: says what is wrong. What was typed may hold what a terminal
# would obey.
complain() {
  { printf 'run_cluster.sh: ' && say "$@"; } | LC_ALL=C tr '\001-\011\013-\037\177' '?' >&2
}

# fail STATUS ENGLISH PORTUGUESE [VALUE…]: says what is wrong, and ends.
fail() {
  status=$1
  shift
  complain "$@"
  exit "$status"
}

misused() {
  complain "$@"
  # shellcheck disable=SC2016  # a command to type, not to run
  fail 2 'try `%s --help`' 'tente `%s --help`' "$0"
}

help() {
  if [ "$lang" = pt ]; then
    cat <<'END'
Uso: ./run_cluster.sh [N] [opções]

Inicia N nós (5 se não for dito) no diretório padrão, cada um com seu PID como id, e
mostra o log de todos. Um `./bully` em outro terminal entra no mesmo grupo.
Compila o que falta. Ctrl-C encerra todos os nós que ele iniciou, sem deixar processo
nem socket. Quando todos eles acabam (`./kill_node.sh --all`), também termina.

  --demo       uma eleição do início ao fim, sem teclado, em um diretório só dela:
               os nós concordam; o coordenador recebe SIGKILL; os outros elegem o
               maior que resta; o antigo volta e reassume. Mostra quando, e com
               quantas mensagens, ao lado da contagem do livro-texto
  --watch      mostra os nós e a última eleição ao vivo, no lugar do log
               (`./bully watch`); q encerra tudo
  --tmux       cada nó em um painel do tmux, e mais um painel para comandos;
               sair dele (Ctrl-b d) encerra tudo
  --dir=DIR    onde ficam os sockets dos nós [$BULLY_DIR, ou /tmp/bully]
  --lang=en|pt-BR, --color=auto|always|never, --quiet
               valem aqui e nos nós (com --demo, --quiet omite o log dos nós)
  --version    mostra a versão e termina
  --help       mostra isto e termina

As outras opções vão para os nós, como --algorithm=ring, --detector=eof, --pace=300ms
ou --trace=ARQUIVO: veja `./bully --help`.

Código de saída: 0; 1 se algo falhou (com --demo: se algo daquilo não aconteceu);
2 para uso errado.
END
  else
    cat <<'END'
Usage: ./run_cluster.sh [N] [options]

Starts N nodes (5 unless told) in the default directory, each with its PID as id, and
shows the log of all of them. A `./bully` in another terminal joins the same cluster.
Builds what is missing. Ctrl-C ends all nodes that it started, and leaves no process
and no socket. When all of them have ended (`./kill_node.sh --all`), it ends, too.

  --demo       an election from start to end, without a keyboard, in a directory of
               its own: the nodes agree; the coordinator gets SIGKILL; the others
               elect the highest that is left; the old one comes back and takes over.
               Shows when, and with how many messages, beside the textbook's count
  --watch      shows the nodes and the last election live, in place of the log
               (`./bully watch`); q ends everything
  --tmux       each node in a pane of tmux, and one more pane for commands;
               leaving it (Ctrl-b d) ends everything
  --dir=DIR    where the nodes' sockets are [$BULLY_DIR, or /tmp/bully]
  --lang=en|pt-BR, --color=auto|always|never, --quiet
               hold for this and for the nodes (with --demo, --quiet omits their log)
  --version    show the version and exit
  --help       show this and exit

Other options are handed to the nodes, like --algorithm=ring, --detector=eof,
--pace=300ms or --trace=FILE: see `./bully --help`.

Exit status: 0; 1 if something failed (with --demo: if any of that did not happen);
2 for wrong usage.
END
  fi
}

# --- Small tools ----------------------------------------------------------------------------------

# Waits for a moment: not every sleep knows fractions.
nap_s=0.05 naps_per_s=20
sleep 0.01 2>/dev/null || nap_s=1 naps_per_s=1
nap() { sleep "$nap_s"; }

# within SECONDS COMMAND…: tries the command until it succeeds; fails if it never does. It counts its
# naps, for the wall clock may be set in the meantime.
within() {
  naps_left=$(($1 * naps_per_s))
  shift
  until "$@"; do
    [ "$naps_left" -gt 0 ] || return 1
    naps_left=$((naps_left - 1))
    nap
  done
}

# quoted WORD: as a shell reads it back.
quoted() {
  case $1 in
    *[!A-Za-z0-9_./=,:+@%-]* | '') printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")" ;;
    *) printf '%s' "$1" ;;
  esac
}

# The trace and `bully ps --json` have one flat object a line. For awk: the value of one key.
# shellcheck disable=SC2016  # $0 is awk's
json='
  function value(key) {
    if (!match($0, "\"" key "\":\"?[^\",}]*")) return ""
    key_length = length(key) + 3
    found = substr($0, RSTART + key_length, RLENGTH - key_length)
    sub(/^"/, "", found)
    return found
  }
'

status_rows() { "$bully" ps --json --dir="$dir" 2>/dev/null; }

# is_up ID: whether this node answers, and has found its place.
is_up() {
  status_rows | awk -v id="$1" "$json"'
    value("id") == id && value("status") == "ok" && value("coordinator") != "null" { up = 1 }
    END { exit !up }'
}

# is_child PID: whether it is (still) a process that we started. A PID alone would prove nothing:
# that of a node which ended long ago may be somebody else's by now.
is_child() {
  parent=$(ps -o ppid= -p "$1" 2>/dev/null) ||
    parent=$(awk '/^PPid:/ { print $2 }' "/proc/$1/status" 2>/dev/null) || return 1
  [ "$((parent))" -eq "$$" ]
}

# --- Building -------------------------------------------------------------------------------------

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
  if command -v apt-get >/dev/null 2>&1; then
    advice="${as_root}apt-get update && ${as_root}apt-get install -y g++ make"
    if [ -z "$as_root" ]; then
      say 'A C++ compiler or make is missing: installing g++ and make with apt-get.' \
        'Falta um compilador C++ ou o make: instalando g++ e make com apt-get.' >&2
      apt-get update >&2 && DEBIAN_FRONTEND=noninteractive apt-get install -y g++ make >&2 &&
        find_tools && return
    fi
  elif command -v dnf >/dev/null 2>&1; then
    advice="${as_root}dnf install -y gcc-c++ make"
  elif command -v pacman >/dev/null 2>&1; then
    advice="${as_root}pacman -S --needed --noconfirm gcc make"
  elif command -v apk >/dev/null 2>&1; then
    advice="${as_root}apk add g++ make"
  elif command -v brew >/dev/null 2>&1; then
    advice='brew install gcc make'
  elif [ "$(uname)" = Darwin ]; then
    advice='xcode-select --install'
  else
    fail 1 'a C++ compiler (g++ or clang++) and GNU make are needed: install them, and try again' \
      'são necessários um compilador C++ (g++ ou clang++) e o GNU make: instale-os, e tente de novo'
  fi
  fail 1 'a C++ compiler and make are needed. This installs them:\n\n    %s\n' \
    'são necessários um compilador C++ e o make. Isto os instala:\n\n    %s\n' "$advice"
}

build() {
  if ! find_tools; then
    [ -x "$bully" ] && return
    get_tools
  fi
  # What an outer make (that of the tests, say) was told is not meant for this one.
  if [ -n "${MAKELEVEL-}" ]; then unset CXXFLAGS; fi
  unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
  CXX=$compiler "$make" -s -q -C "$here" BUILD=build BINARY=bully bully >/dev/null 2>&1 && return
  say 'Building ./bully; this takes a minute.' 'Compilando ./bully; isto leva um minuto.' >&2
  jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null) || jobs=1
  CXX=$compiler "$make" -s -j "$jobs" -C "$here" BUILD=build BINARY=bully bully >&2 ||
    fail 1 'the build failed: see above' 'a compilação falhou: veja acima'
}

# --- Starting and ending nodes --------------------------------------------------------------------

# make_work [COMMAND…]: our private place, and a guard over it that the shell cannot be: when we have
# ended, and were it by SIGKILL, it ends our nodes, runs the command, and removes the place.
make_work() {
  work=$("$bully" guard ${dir:+--sweep="$dir"} --lang="$lang" -- $$ "$@") && [ -n "$work" ] || exit 1
  exec 9>"$work/guard"
  printf '\0' >&9
}

# guarded COMMAND…: becomes the command, which the guard ends after us. The process itself says so:
# at no moment it runs and only we know.
# shellcheck disable=SC2016  # for the other shell to expand
guarded() { exec sh -c 'printf "%s\0" $$ >&9 && exec "$@" 9>&-' sh "$@"; }

# start_node [ID] OPTION…: its PID is then in $node. sh starts it with SIGINT ignored, as all that
# runs in the background; the node sets its own handlers.
start_node() {
  # Ours come first: the user's may contain the `--` that ends all options.
  guarded "$bully" --dir="$dir" --color="$color" ${trace:+--trace="$trace"} "$@" &
  node=$!
}

placed_or_ended() { is_up "$1" || ! is_child "$node"; }

# await_node ID: until it takes part. If it ended instead, it has said why; so we end, too.
await_node() {
  within "$deadline_s" placed_or_ended "$1" ||
    fail 1 'node %s does not take part after %s s' 'o nó %s não participa após %s s' \
      "$1" "$deadline_s"
  is_child "$node" && return
  wait "$node"
  status=$?
  [ "$status" -gt 0 ] && [ "$status" -le 2 ] && exit "$status"
  [ "$status" -gt 128 ] && return  # killed by a signal: it is what this cluster is for
  fail 1 'node %s ended (exit status %s)' 'o nó %s terminou (código de saída %s)' "$1" "$status"
}

work_is_removed() { [ ! -d "$work" ]; }

# However we end: no process, no socket, no temporary file. A guard that was killed needs another.
leave() {
  trap '' INT QUIT TERM HUP PIPE
  [ -n "$work" ] || return
  { printf '\0' >&9; } 2>/dev/null || { rm -rf -- "$work" && make_work; }
  exec 9>&-
  within "$guard_s" work_is_removed
  wait 2>/dev/null
}

# --- The cluster in this terminal -----------------------------------------------------------------

# How to call a command of ours beside this cluster.
beside() {
  printf '%s' "$1"
  [ "$dir" = /tmp/bully ] || printf ' --dir=%s' "$(quoted "$dir")"
}

banner() {
  say '\n%s nodes run in %s. Ctrl-C ends them all. In another terminal:\n' \
    '\n%s nós executam em %s. Ctrl-C encerra todos. Em outro terminal:\n' "$count" "$dir"
  say '  %s      kills the coordinator (so does kill -9 PID)' \
    '  %s      mata o coordenador (kill -9 PID também)' "$(beside ./kill_node.sh)"
  joining=./bully
  [ "$algorithm" = bully ] || joining="./bully --algorithm=$algorithm"
  say '  %s             joins as one more node' \
    '  %s             entra como mais um nó' "$(beside "$joining")"
  say '  %s          shows who follows whom\n' \
    '  %s          mostra quem segue quem\n' "$(beside './bully ps')"
}

# tell COMMAND…: lets it write in a process of its own. In a terminal that nobody reads that one
# waits, while we hear signals. As a shell it is guarded, but cannot name its own PID.
# shellcheck disable=SC2016
tell() {
  { sh -c 'printf "%s\0" $PPID >&9' && exec 9>&- && "$@"; } &
}

run_cluster() {
  make_work
  # One after the other, each when the last has found its place: so the log can be read from the
  # top, and what is wrong with the directory or the trace is said only once.
  started=0
  while [ "$started" -lt "$count" ]; do
    started=$((started + 1))
    start_node "$@"
    await_node "$node"
  done
  [ -n "$quiet" ] || tell banner
  wait 2>/dev/null  # here a shell that is bash would remark on each node that is killed
  [ -n "$quiet" ] ||
    tell say 'All nodes of this cluster have ended.' 'Todos os nós deste grupo terminaram.'
  wait
}

# --- The cluster, watched -------------------------------------------------------------------------

# The nodes are silent, and tell all to a trace; `bully watch` shows it. As it is guarded, it has left
# the terminal as it was before we go.
run_watch() {
  make_work
  [ -n "$trace" ] || trace=$work/trace
  started=0
  while [ "$started" -lt "$count" ]; do
    started=$((started + 1))
    start_node --quiet "$@"
    await_node "$node"
  done
  # In the background, so that a signal to us is heard at once; its input is the terminal still.
  exec 3<&0
  guarded "$bully" watch --dir="$dir" --trace="$trace" --color="$color" --lang="$lang" <&3 &
  wait $! 2>/dev/null
}

# --- The demonstration ----------------------------------------------------------------------------

bold=
dim=
plain=
green=
use_colors() {
  case $color in
    never) return ;;
    auto) { [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; } || return ;;
  esac
  color=always
  escape=$(printf '\033')
  bold="${escape}[1m" dim="${escape}[2m" green="${escape}[32m" plain="${escape}[0m"
}

line_count() { if [ -f "$1" ]; then wc -l <"$1"; else echo 0; fi; }

# From here on, `phase_trace` and `phase_log` show what is new.
begin_phase() {
  trace_before=$(line_count "$trace")
  log_before=$(line_count "$log")
  printf '%s%s%s\n\n' "$bold" "$*" "$plain"
}
phase_trace() { tail -n "+$((trace_before + 1))" "$trace"; }
phase_log() {
  [ -n "$quiet" ] && return
  tail -n "+$((log_before + 1))" "$log" | sed "s/^/  $dim│$plain /"
  echo
}

# agree "ID…" COORDINATOR: whether all of these follow it, and it knows.
agree() {
  status_rows | awk -v ids="$1" -v coordinator="$2" "$json"'
    BEGIN { wanted = split(ids, list, " "); for (i in list) is_wanted[list[i]] = 1 }
    value("status") == "ok" && (value("id") in is_wanted) && value("coordinator") == coordinator {
      following++
      if (value("id") == coordinator && value("state") == "coordinator") knows = 1
    }
    END { exit !(following == wanted && knows) }'
}

# Whether every message of this phase has arrived, or was given up; but those to a dead process.
all_arrived() {
  phase_trace | awk -v dead="$1" "$json"'
    { event = value("event"); message = value("from") " " value("seq") }
    value("type") == 1 { next }
    event == "send" && value("to") != dead { open[message] = 1 }
    event == "receive" || event == "lost" { delete open[message] }
    END { for (message in open) exit 1 }'
}

# They may agree while an ELECTION is still on its way, which will then be answered.
settle() {
  within 2 all_arrived "$1" && nap && within 2 all_arrived "$1"
}

# agree_or_fail "ID…" COORDINATOR DEAD
agree_or_fail() {
  within "$deadline_s" agree "$1" "$2" && settle "$3" && return
  agree "$1" "$2" && return  # a message that nobody gave up is no failure
  phase_log
  "$bully" ps --dir="$dir" --lang="$lang"
  fail 1 'the demonstration failed: after %s s, not all of %s follow %s' \
    'a demonstração falhou: após %s s, nem todos de %s seguem %s' "$deadline_s" "$1" "$2"
}

# count_messages: from the verdict on the trace, the elections that began in this phase. Into
# $work/counts, a line for each type: TYPE SENT LOST TEXTBOOK, in the textbook's order, with - where
# it has no count. And $counted_nodes: how many it took for the textbook's n, in the last of them.
count_messages() {
  "$bully" check --json "$trace" >"$work/verdict" 2>/dev/null
  # shellcheck disable=SC2016  # $0 is awk's
  awk -v before="$trace_before" '
    # The object of this key; and a number in it.
    function object(text, key) {
      if (!match(text, "\"" key "\":\\{")) return ""
      return substr(text, RSTART + RLENGTH - 1)
    }
    function number(text, key) {
      if (!match(text, "\"" key "\":[0-9]+")) return 0
      return substr(text, RSTART + length(key) + 3, RLENGTH - length(key) - 3)
    }
    /"first_line":/ {
      match($0, /"first_line":"([^"\\]|\\.)*"/)
      line = substr($0, RSTART, RLENGTH - 1)
      sub(/.*:/, "", line)
      if (line + 0 <= before + 0) next
      textbook = object($0, "textbook")
      if (textbook == "") known = "no"
      else nodes = number(textbook, "nodes")
      sub(/,"(delivered|E_delivered)":\{.*/, "", textbook)
      rest = object($0, "messages")
      sub(/\}\}.*/, "", rest)
      while (match(rest, /"[A-Z0-9]+":\{/)) {
        type = substr(rest, RSTART + 1, RLENGTH - 4)
        rest = substr(rest, RSTART + RLENGTH)
        if (!(type in sent)) types[++count] = type
        sent[type] += number(rest, "sent")
        lost[type] += number(rest, "lost")
        expected[type] += number(textbook, type)
      }
    }
    END {
      for (i = 1; i <= count; i++) {
        print types[i], sent[types[i]], lost[types[i]], known == "no" ? "-" : expected[types[i]]
      }
      print "nodes", nodes + 0
    }' "$work/verdict" >"$work/counts"
  counted_nodes=$(awk '$1 == "nodes" { print $2 }' "$work/counts")
}

# sent TYPE: how many of them in this phase, as counted.
sent() { awk -v type="$1" '$1 == type { n = $2 } END { print n + 0 }' "$work/counts"; }

# name_of TYPE: the textbook's word, padded to one width by hand: printf counts bytes, not letters.
name_of() {
  case $lang.$1 in
    en.E) printf 'ELECTION     ' ;; pt.E) printf 'ELEIÇÃO      ' ;;
    en.PE) printf 'ANSWER       ' ;; pt.PE) printf 'PARAR ELEIÇÃO' ;;
    en.C) printf 'COORDINATOR  ' ;; pt.C) printf 'COORDENADOR  ' ;;
    en.V) printf 'VALUE        ' ;; pt.V) printf 'VALOR        ' ;;
    en.V2) printf 'SECOND       ' ;; pt.V2) printf 'SEGUNDO      ' ;;
    en.L) printf 'LEADER       ' ;; pt.L) printf 'LÍDER        ' ;;
    en.J) printf 'JOIN         ' ;; pt.J) printf 'ENTRAR       ' ;;
    en.all | pt.all) printf 'total        ' ;;
    *) printf '%-13s' "$1" ;;
  esac
}

# formula_of PHASE TYPE: how the textbook writes its count, where it is one that fits on a line.
formula_of() {
  case $algorithm.$1.$2 in
    bully.start.C) echo "n(n-1)/2, n = $count" ;;
    bully.kill.E) echo '(n-k)(n-k+1)/2' ;;
    bully.kill.PE) echo '(n-k)(n-k-1)/2' ;;
    bully.kill.C) echo 'n-2' ;;
    bully.return.C) echo "n-1, n = $count" ;;
    ring.kill.V | ring.return.V) echo '2n' ;;
    ring.kill.V2 | ring.kill.L | ring.return.V2 | ring.return.L) echo 'n' ;;
    chang-roberts.kill.V | chang-roberts.return.V) echo '2n-1' ;;
    chang-roberts.kill.L | chang-roberts.return.L) echo 'n' ;;
    *.J) say 'beyond the textbook' 'além do livro-texto' ;;
  esac
}

# table PHASE: what was sent, beside what the textbook counts. Then $sent_all, $textbook_all (or -)
# and $lost_all are known.
table() {
  count_messages
  if [ "$lang" = pt ]; then
    heading='mensagem        enviadas   livro-texto'
  else
    heading='message             sent      textbook'
  fi
  printf '\n    %s%s%s\n' "$dim" "$heading" "$plain"
  sent_all=0 lost_all=0 textbook_all=0
  while read -r type_ sent_ lost_ textbook_; do
    [ "$type_" = nodes ] && continue
    formula=
    [ "$textbook_" = - ] || formula=$(formula_of "$1" "$type_")
    printf '    %s   %8s   %11s   %s\n' "$(name_of "$type_")" "$sent_" "$textbook_" "$formula" |
      sed 's/ *$//'
    sent_all=$((sent_all + sent_)) lost_all=$((lost_all + lost_))
    if [ "$textbook_" = - ]; then textbook_all=-; else textbook_all=$((textbook_all + textbook_)); fi
  done <"$work/counts"
  printf '    %s   %8s   %11s\n\n' "$(name_of all)" "$sent_all" "$textbook_all"
}

# milestone MS SENTENCE
milestone() { printf '  %9s ms   %s\n' "$1" "$2"; }

# since ORIGIN_NS NS [DECIMALS]: milliseconds, written as the language does. What precedes its own
# cause does so only by the error of the measurement.
since() {
  awk -v from="$1" -v to="$2" -v decimals="${3:-1}" -v lang="$lang" 'BEGIN {
    ms = (to - from) / 1e6
    shown = sprintf("%." decimals "f", ms < 0 ? 0 : ms)
    if (lang == "pt") sub(/\./, ",", shown)
    print shown
  }'
}

# when_last EVENT KEY VALUE [NODE]: the time of the last such line of this phase.
when_last() {
  phase_trace | awk -v event="$1" -v key="$2" -v wanted="$3" -v node="${4:-}" "$json"'
    value("event") == event && (key == "" || value(key) == wanted) &&
      (node == "" || value("node") == node) { t = value("t") }
    END { print t }'
}

outcome() {
  printf '  %s✓%s ' "$green" "$plain"
  say "$@"
  echo
}

# Ids are compared as numbers: 999 is lower than 1000.
highest_of() {
  highest=0
  for id in $1; do [ "$id" -gt "$highest" ] && highest=$id; done
  echo "$highest"
}
# rank_of ID "ID…": 1 for the lowest of all.
rank_of() {
  rank=1
  for id in $2; do [ "$id" -lt "$1" ] && rank=$((rank + 1)); done
  echo "$rank"
}

phase_start() {
  begin_phase "$(say '1  %s processes start, one after the other' \
    '1  %s processos iniciam, um após o outro' "$count")"
  ids=
  ascending=yes
  started=0
  while [ "$started" -lt "$count" ]; do
    started=$((started + 1))
    start_node "$@" >>"$log"
    await_node "$node"
    # PIDs wrap round some day: then the newest is not the highest.
    [ -n "$ids" ] && [ "$node" -lt "$(highest_of "$ids")" ] && ascending=
    ids="${ids:+$ids }$node"
    agree_or_fail "$ids" "$(highest_of "$ids")" ''
  done
  old=$(highest_of "$ids")
  phase_log
  started=$(when_last start '' '')
  milestone 0 "$(say '%s starts, the last of %s' '%s inicia, o último de %s' "$node" "$count")"
  milestone "$(since "$started" "$(when_last coordinator coordinator "$old")")" \
    "$(say 'all follow %s' 'todos seguem %s' "$old")"
  table start
  if [ "$(sent J)" -gt 0 ]; then
    outcome 'Each one asked for an election in which it takes part, and the highest won.' \
      'Cada um pediu uma eleição de que participasse, e o maior venceu.'
  elif [ -n "$ascending" ]; then
    outcome 'Each one was the highest when it came: it had only to announce itself.' \
      'Cada um era o maior ao chegar: só precisou anunciar-se.'
  else
    outcome 'The PIDs have wrapped round: not every newcomer was the highest, so some had to ask.' \
      'Os PIDs deram a volta: nem todo recém-chegado era o maior, e alguns tiveram de perguntar.'
  fi
}

phase_kill() {
  begin_phase "$(say '2  SIGKILL to %s, the coordinator' '2  SIGKILL em %s, o coordenador' "$old")"
  left=
  for id in $ids; do [ "$id" = "$old" ] || left="${left:+$left }$id"; done
  new=$(highest_of "$left")
  # A shell cannot read the trace's clock. But each node says how long it has been running: the
  # time of its start in the trace, plus that, is the moment before the kill, to about 1 ms.
  is_child "$old" ||
    fail 1 'the demonstration failed: %s ended by itself' \
      'a demonstração falhou: %s terminou sozinho' "$old"
  status_rows >"$work/before"
  { kill -s KILL "$old" && wait "$old"; } 2>/dev/null
  killed=$(awk -v old="$old" "$json"'
    value("id") == old && value("uptime_ms") != "" { uptime = value("uptime_ms") }
    value("event") == "start" && value("node") == old { start = value("t") }
    END { printf "%.0f", start + uptime * 1e6 }' "$trace" "$work/before")
  agree_or_fail "$left" "$new" "$old"
  phase_log

  # Who noticed, in the order of noticing.
  phase_trace | awk -v old="$old" "$json"'
    value("event") == "suspect" && value("coordinator") == old { print value("t"), value("node") }
  ' >"$work/detectors"
  detectors=$(awk '{ print $2 }' "$work/detectors")
  # shellcheck disable=SC2086  # a list of numbers
  set -- $detectors
  [ $# -gt 0 ] || fail 1 'the demonstration failed: nobody noticed that %s is down' \
    'a demonstração falhou: ninguém notou que %s caiu' "$old"
  lowest=$1
  for id; do [ "$id" -lt "$lowest" ] && lowest=$id; done
  k=$(rank_of "$lowest" "$ids")

  milestone 0 "$(say 'SIGKILL to %s' 'SIGKILL em %s' "$old")"
  read -r noticed first <"$work/detectors"
  milestone "$(since "$killed" "$noticed" 0)" \
    "$(say '%s notices that %s is down' '%s nota que %s caiu' "$first" "$old")"
  if [ $# -gt 1 ]; then
    shift
    noticed=$(awk 'END { print $1 }' "$work/detectors")
    milestone "$(since "$killed" "$noticed" 0)" \
      "$(say 'noticed by %s, too' 'notado também por %s' "$(echo "$*" | sed 's/ /, /g')")"
  fi
  milestone "$(since "$killed" "$(when_last state state coordinator "$new")" 0)" \
    "$(say '%s has won' '%s venceu' "$new")"
  milestone "$(since "$killed" "$(when_last coordinator coordinator "$new")" 0)" \
    "$(say 'all that are left follow %s' 'todos os que restam seguem %s' "$new")"
  table kill
  # Some textbooks count the dead one in, and what is said to it; on a ring it is passed over.
  if [ "$counted_nodes" -eq "$count" ]; then
    counted_all=$sent_all
    say '    n = %s, the dead one counted in; k = %s: %s was the lowest that noticed' \
      '    n = %s, contando o morto; k = %s: %s foi o menor que notou' "$count" "$k" "$lowest"
  else
    counted_all=$((sent_all - lost_all))
    say '    n = %s: those that are left; %s of what was sent went to the dead one' \
      '    n = %s: os que restam; %s do que foi enviado ia para o morto' \
      "$((count - 1))" "$lost_all"
  fi
  if [ "$textbook_all" = - ]; then
    say '    The textbook has no count for this: the election was disturbed, and held again.' \
      '    O livro-texto não conta este caso: a eleição foi perturbada, e refeita.'
  elif [ "$counted_all" -lt "$textbook_all" ]; then
    say '    Fewer messages than the textbook has when only the lowest notices: others noticed,
    too, and whoever knows the new coordinator already holds no election when asked.' \
      '    Menos mensagens que no livro-texto quando só o menor nota: outros também notaram, e
    quem já conhece o novo coordenador não inicia eleição quando lhe perguntam.'
  elif [ "$counted_all" -gt "$textbook_all" ]; then
    say '    More messages than in the textbook: a process was so slow that others ran out of
    patience, and held an election once more.' \
      '    Mais mensagens que no livro-texto: um processo demorou tanto que outros perderam a
    paciência, e iniciaram outra eleição.'
  fi
  echo
  outcome '%s is the highest that is left, and the coordinator.' \
    '%s é o maior que resta, e o coordenador.' "$new"
}

phase_return() {
  begin_phase "$(say '3  %s comes back under its id' '3  %s volta com o mesmo id' "$old")"
  start_node "$old" "$@" >>"$log"
  await_node "$old"
  agree_or_fail "$ids" "$old" ''
  phase_log
  started=$(when_last start '' '')
  milestone 0 "$(say '%s is back, as PID %s' '%s está de volta, como PID %s' "$old" "$node")"
  milestone "$(since "$started" "$(when_last coordinator coordinator "$old")")" \
    "$(say 'all follow %s' 'todos seguem %s' "$old")"
  table return
  if [ "$(sent J)" -gt 0 ]; then
    outcome 'It asked for an election in which it takes part: the highest of all takes over.' \
      'Ele pediu uma eleição de que participasse: o maior de todos reassume.'
  else
    outcome 'The highest of all asks nobody: it announces itself, and takes over.' \
      'O maior de todos não pergunta a ninguém: anuncia-se, e reassume.'
  fi
}

# The whole run, judged; unless the trace has other runs before it.
phase_verdict() {
  [ "$began_at" -eq 0 ] || return 0
  case $(cat "$work/verdict") in
    *'"verdict":"violated"'*)
      "$bully" check --lang="$lang" "$trace"
      fail 1 'the demonstration failed: see the verdict above' \
        'a demonstração falhou: veja o veredito acima'
      ;;
    *'"verdict":"right"'*)
      outcome 'The verdict of ./bully check on the whole run: right.' \
        'O veredito de ./bully check sobre a execução inteira: certa.'
      ;;
  esac
}

run_demo() {
  [ -n "$dir_given" ] || dir=
  make_work
  dir=${dir:-$work/nodes}
  log=$work/log
  [ -n "$trace" ] || trace=$work/trace
  use_colors
  case $(status_rows) in
    *'"id"'*) fail 1 'there are nodes in %s already; the demonstration needs a directory to itself' \
      'já há nós em %s; a demonstração precisa de um diretório só para ela' "$dir" ;;
  esac
  began_at=$(line_count "$trace")
  title='The bully algorithm' title_pt='O algoritmo do valentão'
  [ "$algorithm" = bully ] || title="Algorithm $algorithm" title_pt="Algoritmo $algorithm"
  say "%s$title, with %s processes%s (detector: %s)\\n" \
    "%s$title_pt, com %s processos%s (detector: %s)\\n" \
    "$bold" "$count" "$plain" "$detector"
  phase_start "$@"
  phase_kill
  phase_return "$@"
  phase_verdict
  say 'Now with your own hands: ./run_cluster.sh, and in another terminal ./kill_node.sh' \
    'Agora com as próprias mãos: ./run_cluster.sh, e em outro terminal ./kill_node.sh'
}

# --- The cluster in tmux --------------------------------------------------------------------------

# A tmux server of our own: nothing that the user does in another is touched, nor his settings.
our_tmux() { TMUX='' tmux -u -f /dev/null -S "$work/tmux" "$@" 9>&-; }

# What runs in each pane: the node, and when it has ended a shell, to start it again from.
write_pane() {
  {
    echo 'trap : INT  # Ctrl-C is meant for the node'
    quoted "$bully"
    for option; do printf ' ' && quoted "$option"; done
    echo
    echo 'trap - INT'
    # shellcheck disable=SC2016  # for the pane to expand
    echo 'exec "${SHELL:-/bin/sh}"'
  } >"$work/pane"
  {
    printf 'cat <<END\n'
    say './kill_node.sh   kills the coordinator\n./bully ps       shows who follows whom' \
      './kill_node.sh   mata o coordenador\n./bully ps       mostra quem segue quem'
    say 'Ctrl-b d         leaves, and ends everything' 'Ctrl-b d         sai, e encerra tudo'
    # shellcheck disable=SC2016
    printf 'END\nexec "${SHELL:-/bin/sh}"\n'
  } >"$work/commands"
}

run_tmux() {
  command -v tmux >/dev/null 2>&1 ||
    fail 1 'there is no tmux here: install it (its package is called tmux), or start ./bully in
several terminals yourself' \
      'não há tmux aqui: instale-o (o pacote chama-se tmux), ou inicie ./bully em vários
terminais você mesmo'
  { [ -t 0 ] && [ -t 1 ]; } ||
    fail 1 '%s: standard input and output must be a terminal' \
      '%s: a entrada e a saída padrão devem ser um terminal' --tmux
  case $dir in /*) ;; *) dir=$PWD/$dir ;; esac
  # When the server ends, so do its panes: they get SIGHUP, upon which a node leaves.
  make_work tmux -S tmux kill-server
  export BULLY_DIR="$dir" BULLY_TRACE="$trace"  # for the commands typed there, too
  write_pane --color="$color" "$@"
  size=$(stty size 2>/dev/null) || size='24 80'
  our_tmux new-session -d -s bully -c "$here" -y "${size% *}" -x "${size#* }" \
    sh "$work/commands" || fail 1 'tmux did not start' 'o tmux não iniciou'
  our_tmux set-option -g mouse on
  our_tmux set-option -g status-right "$(say 'Ctrl-b d: end everything' 'Ctrl-b d: encerra tudo')"
  our_tmux set-option -g status-right-length 40
  while [ "$count" -gt 0 ]; do
    our_tmux split-window -t bully:0 -c "$here" sh "$work/pane" >/dev/null 2>&1 ||
      fail 1 'this terminal is too small for so many panes' \
        'este terminal é pequeno demais para tantos painéis'
    our_tmux select-layout -t bully:0 tiled >/dev/null
    count=$((count - 1))
  done
  our_tmux select-pane -t bully:0.0
  # In the background, so that a signal to us is heard at once; its input is the terminal still.
  exec 3<&0
  our_tmux attach-session -t bully <&3 &
  wait $!
}

# --- The command line -----------------------------------------------------------------------------

# Whether an option of the nodes wants a value, as in `--detector eof`.
takes_value() {
  case $1 in
    --*=*) return 1 ;;
    -*) "$bully" --help --lang=en | grep -q -F -e "  $1=" ;;
    *) return 1 ;;
  esac
}

take_count() {
  [ -z "$count_given" ] ||
    misused "unexpected argument '%s'" "argumento inesperado '%s'" "$1"
  count=$(printf '%s' "$1" | sed 's/^0*//')
  case $1 in *[!0-9]* | '') count= ;; esac
  { [ -n "$count" ] && [ ${#count} -le 3 ] && [ "$count" -le "$max_count" ]; } ||
    misused "'%s' is not a number of nodes: a whole number from 1 to %s" \
      "'%s' não é um número de nós: um número inteiro de 1 a %s" "$1" "$max_count"
  count_given=yes
}

# The help and the language do not need the binary; everything else may.
previous=
for argument; do
  case $previous$argument in --lang=?*) name_language "${argument#--lang=}" ;; esac
  previous=
  [ "$argument" = --lang ] && previous=--lang=
done
for argument; do
  [ "$argument" = --help ] && help && exit
done
build

# What is left of the arguments goes to the nodes.
left=$#
while [ "$left" -gt 0 ]; do
  argument=$1
  shift
  left=$((left - 1))
  if [ "$left" -gt 0 ] && takes_value "$argument"; then
    argument=$argument=$1
    shift
    left=$((left - 1))
  fi
  case $argument in
    --demo) mode=demo && continue ;;
    --tmux) mode=tmux && continue ;;
    --watch) mode=watch && continue ;;
    --version) exec "$bully" --version ;;
    --dir=?*) dir=${argument#--dir=} dir_given=yes && continue ;;
    --trace=?*) trace=${argument#--trace=} && continue ;;
    --algorithm=*) algorithm=${argument#*=} ;;
    --detector=*) detector=${argument#*=} ;;
    --color=?*) color=${argument#*=} && continue ;;
    --quiet) quiet=yes ;;
    -*) ;;
    *) take_count "$argument" && continue ;;
  esac
  set -- "$@" "$argument"
done

# To awk and tail, `run=1` or `-x` would be no file.
case $trace in '' | /*) ;; *) trace=$PWD/$trace ;; esac

# With --help a node only checks its options; so that a wrong one is reported once, and by it.
if ! wrong=$("$bully" --help --color="$color" "$@" 2>&1 >/dev/null); then
  printf '%s\n' "$wrong" >&2
  exit 2
fi
if [ "$mode" = demo ] && [ "$count" -lt 2 ]; then
  misused '%s needs at least 2 nodes: one is to die' \
    '%s precisa de pelo menos 2 nós: um vai morrer' --demo
fi
# Nor need each node say what is wrong with the directory.
{ [ "$mode" = demo ] && [ -z "$dir_given" ]; } || "$bully" ps --dir="$dir" --lang="$lang" >/dev/null ||
  exit 1

trap leave EXIT
trap 'exit 143' TERM
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 131' QUIT
trap 'exit 141' PIPE  # nobody reads us any more, as with `| head`
case $mode in
  cluster)
    trap 'exit 0' INT  # Ctrl-C is how it is meant to end
    run_cluster "$@"
    ;;
  demo) run_demo "$@" ;;
  watch)
    trap 'exit 0' INT
    run_watch "$@"
    ;;
  tmux) run_tmux "$@" ;;
esac
