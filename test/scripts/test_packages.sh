#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the scripts install, and when they leave a user alone: with a dpkg and an apt of our own making.
# Argument: a folder to work in.
set -eu
cd "$(dirname "$0")/../.."
here=$PWD
folder=$1
rm -rf "$folder"
mkdir -p "$folder/scripts" "$folder/bin"
cp scripts/packages.sh "$folder/scripts/"
cat >"$folder/scripts/packages.txt" <<'TEXT'
# level  package  purpose
PROGRAM  compiler             everything
PROGRAM  finder|old-finder    libraries
program  engine               another opinion
test     nowhere              nothing
TEXT
cd "$folder"
say() { echo "== $*"; }
# shellcheck source=scripts/packages.sh
. "$here/scripts/packages.sh"

fail() { echo "$1"; echo "said: $(cat said)"; exit 1; }
expect() { grep -qF -- "$1" said || fail "expected: $1"; }

installed="" archive="" broken="" root=yes
is_installed() { [[ " $installed " == *" $1 "* ]]; }
is_in_archive() { [[ " $archive " == *" $1 "* ]]; }
can_install() { echo can_install >>asked; [ "$root" = yes ]; }
find() { echo lists; }
apt_size() { echo "$# packages"; }
apt() {
  echo "apt $*" >>asked
  local name
  for name in "$@"; do
    case $name in
      -o | APT::*) ;;
      update | install | --no-install-recommends) ;;
      *) [[ " $broken " != *" $name "* ]] || return 1; echo "$name" >>brought ;;
    esac
  done
}
attempt() { : >asked; : >brought; code=0; (install_packages "$@") >said 2>&1 || code=$?; }

# Everything there that the archive has: root is not even thought of.
installed="compiler old-finder engine" archive="compiler finder engine"
attempt program test
[ $code -eq 0 ] && [ ! -s asked ] || fail "asked for root with nothing to install"
expect "All packages are installed"

# One of two names is known.
installed="compiler" archive="compiler old-finder"
attempt program
[ "$(cat brought)" = old-finder ] || fail "did not take the name that the archive knows"

# Something needed is missing, and there is no way to get it.
root=no
attempt program
[ $code -eq 1 ] || fail "went on without what is needed"
expect "apt-get install old-finder"

# Something useful is missing, and there is no way to get it.
installed="compiler finder" archive="compiler finder engine"
attempt program
[ $code -eq 0 ] || fail "stopped for want of something optional"
expect "Going on without"

# Something useful cannot be installed: what is needed comes all the same, and it is not tried for ever.
root=yes installed="finder" broken="engine"
attempt program
[ $code -eq 0 ] && grep -qx compiler brought || fail "did not install what is needed"
expect "engine could not be installed; going on without: another opinion"
installed="compiler finder"
attempt program
[ ! -s asked ] || fail "tried again what had failed"

# Something needed cannot be installed.
installed="finder" broken="compiler"
attempt program
[ $code -ne 0 ] || fail "went on without what is needed"
