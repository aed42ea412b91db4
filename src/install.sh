#!/bin/sh
# install.sh PREFIX [BINARY]: installs the program below PREFIX, with the manual pages and completions
# that come from the program itself; or removes all of it.
set -eu
prefix=$1
binary=${2:-}
share=$prefix/share

# put FORMAT LANGUAGE FILE
put() {
  if [ -z "$binary" ]; then
    rm -f "$3"
    return
  fi
  install -d "${3%/*}"
  "$binary" help --format="$1" --lang="$2" >"$3"
}

if [ -z "$binary" ]; then
  rm -f "$prefix/bin/bully"
else
  install -d "$prefix/bin"
  install -s -m 755 "$binary" "$prefix/bin/bully"
fi
put man en "$share/man/man1/bully.1"
put man pt-BR "$share/man/pt_BR/man1/bully.1"
put bash en "$share/bash-completion/completions/bully"
put zsh en "$share/zsh/site-functions/_bully"
put fish en "$share/fish/vendor_completions.d/bully.fish"
