#!/bin/sh
# kill_node.sh: sends a signal to a node of `bully`, by its part in the election.
#
#   ./kill_node.sh             SIGKILL to the coordinator
#   ./kill_node.sh --lowest    to the lowest process
#   ./kill_node.sh --help      the rest
#
# A name in the directory proves nothing: its process may be long dead, and the PID somebody
# else's. So only that process is signalled which has just shown that it is a node: by its own
# reply to `bully ps`; or, when it is stopped and cannot reply, by what the kernel says of its
# socket. Plain POSIX sh. Read next: run_cluster.sh.
set -u

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 1
bully=$here/bully

dir=${BULLY_DIR:-/tmp/bully}
signal=KILL
whom=        # an id, or coordinator, lowest, random, all
force=
failed=      # whether somebody could not be signalled

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
    *) misused "%s: '%s' is none of en, pt-BR" "%s: '%s' não é nenhum de en, pt-BR" --lang "$1" ;;
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

complain() { { printf 'kill_node.sh: ' && say "$@"; } >&2; }

fail() {
  complain "$@"
  exit 1
}

misused() {
  complain "$@"
  # shellcheck disable=SC2016  # a command to type, not to run
  complain 'try `%s --help`' 'tente `%s --help`' "$0"
  exit 2
}

help() {
  if [ "$lang" = pt ]; then
    cat <<'END'
Uso: ./kill_node.sh [ID | --lowest | --random | --all] [opções]

Envia um sinal a um nó, e diz a qual e por quê. Sem argumento: SIGKILL ao coordenador.

  ID           este nó
  --lowest     o menor
  --random     um qualquer, por sorteio
  --all        todos
  --signal=KILL|TERM|STOP|CONT
               o sinal [KILL]. STOP para o processo sem matá-lo, CONT o continua;
               com TERM ele sai, e retira seu socket
  --dir=DIR    onde ficam os sockets dos nós [$BULLY_DIR, ou /tmp/bully]
  --force      também a um processo que não mostrou ser um nó do bully (veja abaixo)
  --lang=en|pt-BR
               o idioma
  --help       mostra isto e termina

Só recebe o sinal um processo que mostrou ser um nó deste diretório: respondeu, ou está
parado e é o bully que, segundo o kernel, escuta no socket. Um programa que só fala o
protocolo do exemplo não responde. Com --force, recebe o sinal o processo que segundo o
kernel escuta ali; se o sistema não o diz, aquele cujo PID é o id, a menos que se saiba
que não é ele. Um processo morto, do qual só resta o nome, nunca.

Código de saída: 0; 1 se não houve a quem enviar, ou não foi possível; 2 para uso errado.
END
  else
    cat <<'END'
Usage: ./kill_node.sh [ID | --lowest | --random | --all] [options]

Sends a signal to a node, and says to which and why. No argument: SIGKILL to the
coordinator.

  ID           this node
  --lowest     the lowest one
  --random     any one, drawn by lot
  --all        all of them
  --signal=KILL|TERM|STOP|CONT
               the signal [KILL]. STOP halts the process without killing it, CONT
               continues it; upon TERM it leaves, and removes its socket
  --dir=DIR    where the nodes' sockets are [$BULLY_DIR, or /tmp/bully]
  --force      also to a process that has not shown to be a node of bully (see below)
  --lang=en|pt-BR
               the language
  --help       show this and exit

Only a process that has shown that it is a node of this directory gets the signal: it
has replied; or it is stopped, and the kernel says that it is a bully which listens on
the socket. A program that speaks only the example's protocol does not reply. With
--force, the process gets the signal of which the kernel says that it listens there; if
the system does not tell, the one whose PID is the id, unless it is known that it is
another. A dead process of which only the name is left never does.

Exit status: 0; 1 if there was nobody to signal, or it was not possible; 2 for wrong usage.
END
  fi
}

# --- Who is there ---------------------------------------------------------------------------------

# One line for each name in the directory: ID PID STATUS STATE COORDINATOR, with `null` for what is
# not known; STATUS is ok, silent (it listens, but does not answer) or stale.
list_nodes() {
  rows=$("$bully" ps --json --dir="$dir" --lang="$lang") || exit 1
  # shellcheck disable=SC2016  # $0 is awk's
  nodes=$(printf '%s\n' "$rows" | awk '
    function value(key) {
      if (!match($0, "\"" key "\":\"?[^\",}]*")) return ""
      key_length = length(key) + 3
      found = substr($0, RSTART + key_length, RLENGTH - key_length)
      sub(/^"/, "", found)
      return found
    }
    /"id":/ {
      status = value("status")
      if (status == "no answer") status = "silent"
      print value("id"), value("pid"), status, value("state"), value("coordinator")
    }')
}

# field_of ID N: the Nth field of that line; empty if there is none.
# shellcheck disable=SC2016  # as text: awk's numbers are not exact beyond 2^53
field_of() { printf '%s\n' "$nodes" | awk -v id="$1" -v n="$2" '$1 "" == id "" { print $n }'; }

# Who says that it is coordinator: the highest, if there are two for a while. If nobody says so, it
# may be stopped: then the one whom the others still follow. The lines are in the order of the ids.
coordinator_now() {
  # shellcheck disable=SC2016
  printf '%s\n' "$nodes" | awk '
    $3 == "ok" && $4 == "coordinator" { holds = $1 }
    $3 == "ok" && $5 != "null" && (followed == "" || $5 + 0 > followed + 0) { followed = $5 }
    END { print holds != "" ? holds : followed }'
}

# is_bully PID: whether the kernel knows this process by our name.
is_bully() {
  command=$(ps -o comm= -p "$1" 2>/dev/null) || command=$(cat "/proc/$1/comm" 2>/dev/null)
  [ "${command##*/}" = bully ]
}

# holds_name PID: whether this process holds a socket named like its PID. Only Linux tells; where
# nobody does, nothing speaks against it.
holds_name() {
  [ -r /proc/net/unix ] || return 0
  # shellcheck disable=SC2016
  inodes=$(awk -v end="/$1" '
    substr($0, length($0) - length(end) + 1) == end { printf "%s ", $7 }' /proc/net/unix)
  for descriptor in "/proc/$1/fd/"*; do
    inode=$(readlink "$descriptor" 2>/dev/null | sed -n 's/^socket:\[\(.*\)\]$/\1/p')
    [ -z "$inode" ] || case " $inodes" in *" $inode "*) return 0 ;; esac
  done
  return 1
}

# may_signal ID: whether it may be signalled; its PID is then in $pid, and in $doubt (or $doubt_pt)
# what its process has not shown itself. If not, $refusal says why.
may_signal() {
  pid=$(field_of "$1" 2)
  doubt=
  doubt_pt=
  refusal=
  case $(field_of "$1" 3) in
    ok) ;;
    silent)
      if [ "$pid" != null ] && is_bully "$pid"; then
        doubt='; it does not answer, but is a bully'
        doubt_pt='; não responde, mas é um bully'
      elif [ -z "$force" ]; then
        refusal=silent
      elif [ "$pid" = null ] && ! holds_name "$1"; then
        refusal=nameless
      else
        [ "$pid" = null ] && pid=$1
        doubt='; it has not shown to be a node (--force)'
        doubt_pt='; não mostrou ser um nó (--force)'
      fi
      ;;
    stale) refusal=stale ;;
    *) refusal=unknown ;;
  esac
  # No process of ours has such a PID; to kill(2), 0 and -1 mean a great many processes.
  case $pid in
    0 | 1 | null | *[!0-9]* | ???????????*) [ -n "$refusal" ] || refusal=silent ;;
  esac
  [ -z "$refusal" ]
}

explain_refusal() {
  case $refusal in
    stale)
      complain '%s is dead already: only its name is left in %s' \
        '%s já está morto: dele só resta o nome em %s' "$1" "$dir"
      ;;
    silent)
      complain '%s listens, but has not shown to be a node of bully: not signalled.
If it is a program that speaks only the protocol of the example, use --force' \
        '%s escuta, mas não mostrou ser um nó do bully: não recebeu o sinal.
Se é um programa que só fala o protocolo do exemplo, use --force' "$1"
      ;;
    nameless)
      complain '%s listens, but the system does not tell which process that is: it is not PID %s' \
        '%s escuta, mas o sistema não diz que processo é: não é o PID %s' "$1" "$1"
      ;;
    unknown)
      complain 'there is no node %s in %s' 'não há nó %s em %s' "$1" "$dir"
      # A process that came back under an old id has another PID.
      # shellcheck disable=SC2016
      owner=$(printf '%s\n' "$nodes" | awk -v pid="$1" '$2 == pid { print $1; exit }')
      [ -z "$owner" ] ||
        complain '%s is the PID of node %s' '%s é o PID do nó %s' "$1" "$owner"
      ;;
  esac
}

# --- Signalling -----------------------------------------------------------------------------------

# signal_node ID ENGLISH PORTUGUESE [VALUE…]: with the reason why it is this one.
signal_node() {
  id=$1
  shift
  if ! may_signal "$id"; then
    explain_refusal "$id"
    failed=yes
    return
  fi
  why=$(say "$@")
  if error=$(kill -s "$signal" "$pid" 2>&1); then
    say "SIG%s to ${bold}%s${plain} (PID %s): %s$doubt" \
      "SIG%s em ${bold}%s${plain} (PID %s): %s$doubt_pt" "$signal" "$id" "$pid" "$why"
  else
    complain 'kill %s (PID %s): %s' 'kill %s (PID %s): %s' "$id" "$pid" \
      "$(printf '%s' "$error" | sed -n '$s/.*[:-] //p')"
    failed=yes
  fi
}

# Those among whom we may choose.
candidates() {
  # shellcheck disable=SC2016
  for id in $(printf '%s\n' "$nodes" | awk '{ print $1 }'); do
    may_signal "$id" && printf '%s ' "$id"
  done
}

# nth N WORD…
nth() {
  shift "$1"
  printf '%s' "$1"
}

nobody() {
  fail 'nobody in %s has shown to be a node of bully: see ./bully ps' \
    'ninguém em %s mostrou ser um nó do bully: veja ./bully ps' "$dir"
}

signal_some() {
  case $whom in
    all) set -- "$(printf '%s\n' "$nodes" | awk '$3 != "stale" { printf "%s ", $1 }')" ;;
    *) set -- "$(candidates)" ;;
  esac
  # shellcheck disable=SC2086  # a list of ids
  set -- $1
  [ $# -gt 0 ] || nobody
  case $whom in
    lowest) signal_node "$1" 'the lowest of %s' 'o menor de %s' $# ;;
    random)
      drawn=$(($(od -A n -N 2 -t u2 /dev/urandom) % $# + 1))
      signal_node "$(nth "$drawn" "$@")" 'drawn by lot from %s' 'sorteado entre %s' $#
      ;;
    all)
      of=$#
      for each; do signal_node "$each" 'all %s get it' 'todos os %s recebem' "$of"; done
      ;;
  esac
}

signal_coordinator() {
  [ -n "$(candidates)" ] || nobody
  coordinator=$(coordinator_now)
  [ -n "$coordinator" ] ||
    fail 'there is no coordinator right now: is an election going on? Try again' \
      'não há coordenador agora: há uma eleição em curso? Tente de novo'
  case $(field_of "$coordinator" 3) in
    '' | stale)
      fail 'coordinator %s is dead already; the others are about to notice' \
        'o coordenador %s já está morto; os outros estão para notar' "$coordinator"
      ;;
  esac
  signal_node "$coordinator" 'the coordinator' 'o coordenador'
}

# --- The command line -----------------------------------------------------------------------------

choose() {
  [ -z "$whom" ] || misused "only one: '%s' as well as '%s'?" \
    "só um: '%s' além de '%s'?" "$1" "$whom"
  whom=$1
}

# Errors, too, come in the user's language.
previous=
for argument; do
  case $previous$argument in --lang=?*) name_language "${argument#--lang=}" ;; esac
  previous=
  [ "$argument" = --lang ] && previous=--lang=
done

while [ $# -gt 0 ]; do
  argument=$1
  shift
  case $argument in
    --signal | --dir | --lang)
      { [ $# -gt 0 ] && [ -n "$1" ]; } ||
        misused 'option %s needs a value' 'a opção %s precisa de um valor' "$argument"
      argument=$argument=$1
      shift
      ;;
  esac
  case $argument in
    --help) help && exit ;;
    --lowest | --random | --all) choose "${argument#--}" ;;
    --force) force=yes ;;
    --lang=?*) ;;  # named already
    --dir=?*) dir=${argument#--dir=} ;;
    --signal=?*)
      signal=${argument#--signal=}
      signal=${signal#SIG}
      case $signal in
        KILL | TERM | STOP | CONT) ;;
        *) misused "%s: '%s' is none of KILL, TERM, STOP, CONT" \
          "%s: '%s' não é nenhum de KILL, TERM, STOP, CONT" --signal "$signal" ;;
      esac
      ;;
    --signal= | --dir= | --lang=)
      misused 'option %s needs a value' 'a opção %s precisa de um valor' "${argument%=}"
      ;;
    -*) misused 'unknown option %s' 'opção desconhecida %s' "$argument" ;;
    '' | *[!0-9]*) misused "'%s' is not the id of a node" "'%s' não é o id de um nó" "$argument" ;;
    *) choose "$(printf '%s' "$argument" | sed 's/^0*\(.\)/\1/')" ;;
  esac
done

[ -x "$bully" ] || fail 'there is no %s yet: build it with make' \
  'ainda não há %s: compile-o com make' "$bully"

bold=
plain=
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
  bold=$(printf '\033[1m')
  plain=$(printf '\033[0m')
fi

list_nodes
[ -n "$nodes" ] || fail 'there is no node in %s' 'não há nó em %s' "$dir"
case $whom in
  '') signal_coordinator ;;
  lowest | random | all) signal_some ;;
  *) signal_node "$whom" 'the one you named' 'o que você indicou' ;;
esac
[ -z "$failed" ]
