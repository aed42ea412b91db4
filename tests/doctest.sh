#!/bin/sh
# doctest.sh: sees to it that the tests' one library is there: installs it with apt, as root, or says
# how. CXX is the compiler.
has_doctest() {
  # shellcheck disable=SC2086  # CXX may be two words, such as ccache g++.
  echo '#include <doctest/doctest.h>' | ${CXX:-g++} -x c++ -E - >/dev/null 2>&1
}
install_doctest() {
  apt-get update -qq &&
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends doctest-dev
}

has_doctest && exit
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  said=$(install_doctest 2>&1) && has_doctest && exit
  printf '%s\n' "$said" >&2
fi
cat >&2 <<END
The tests need doctest. Install it with one of:
  sudo apt install doctest-dev      sudo dnf install doctest-devel
  sudo pacman -S doctest            sudo apk add doctest-dev
  brew install doctest
END
exit 1
