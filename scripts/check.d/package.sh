# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
about_package() { echo "the Debian packages, installed, used and purged in a fresh system without build tools"; }
tools_package() { echo "debootstrap lintian"; }

# files_of CHROOT: every file of it but those of package management, of users, and caches and logs.
files_of() {
  in_chroot "$1" find / -xdev \( -path /proc -o -path /dev -o -path /run -o -path /tmp -o -path /root \
    -o -path /home -o -path /var/cache -o -path /var/log -o -path '/var/lib/apt' \
    -o -path '/var/lib/dpkg' -o -path /var/lib/systemd \) -prune -o -print | sort
}

# install_in CHROOT WHAT...: packages, by name or by file.
install_in() {
  local chroot=$1
  shift
  in_chroot "$chroot" apt-get -qq -y -o Dpkg::Use-Pty=0 --no-install-recommends install "$@"
}

# prepare_chroot CHROOT FOLDER: a user, what the checks need, and /packages with the packages of FOLDER.
prepare_chroot() {
  local chroot=$1 file name
  in_chroot "$chroot" useradd --create-home somebody
  install_in "$chroot" bash-completion man-db
  as_root mkdir -p "$chroot/packages"
  for file in "$2"/*.deb; do
    name=${file##*/}
    as_root cp "$file" "$chroot/packages/${name%%_*}.deb"
  done
  as_root cp -r config examples test/package/try_* "$chroot/packages"
}

try_program_package() {
  local chroot=$1
  install_in "$chroot" /packages/fivebar-control.deb
  if in_chroot "$chroot" sh -c 'command -v cc c++ gcc cmake'; then
    echo "there is a compiler, which proves too little"
    return 1
  fi
  in_chroot_as somebody "$chroot" /packages/try_program.sh
}

try_python_package() {
  install_in "$1" /packages/python3-fivebar.deb
  in_chroot_as somebody "$1" /usr/bin/python3 /packages/try_python.py
}

# The examples, a project of its own, are built with nothing but the package and a compiler.
try_development_package() {
  local chroot=$1 example
  install_in "$chroot" /packages/libfivebar-control-dev.deb g++ cmake make
  in_chroot_as somebody "$chroot" cmake -S /packages/examples -B examples
  in_chroot_as somebody "$chroot" cmake --build examples
  for example in 01_plan 02_play 03_own_backend 04_own_mechanism '05_own_loop b.plan.csv'; do
    # shellcheck disable=SC2086
    in_chroot_as somebody "$chroot" env FIVEBAR_CONFIG_DIR=/packages/config examples/$example
  done
  in_chroot_as somebody "$chroot" sh -c \
    'gcc -std=c99 -Wall -Werror -I /usr/share/fivebar_control -c /usr/share/fivebar_control/firmware/*.c'
}

# purge CHROOT BEFORE: removes what was installed; what is then there must be what was there BEFORE.
purge_and_compare() {
  local chroot=$1 installed
  # shellcheck disable=SC2016
  installed=$(in_chroot "$chroot" dpkg-query -W -f '${Package}\n' '*fivebar*')
  # shellcheck disable=SC2086
  in_chroot "$chroot" apt-get -qq -y --autoremove purge $installed
  files_of "$chroot" >"$2.after"
  if ! diff "$2" "$2.after"; then
    echo "purging leaves something behind, or takes something away"
    return 1
  fi
}

check_package() {
  require_chroot
  local folder=$records/package.d chroot
  scripts/package --out "$folder"
  figure "$(cd "$folder" && for file in *.deb; do
    echo "${file%%_*} $(($(stat -c %s "$file") / 1024)) kB"; done | paste -sd, | sed 's/,/, /g')"
  lintian --allow-root --fail-on error "$folder"/*.deb

  chroot=$(chroot_folder package)
  remove_chroot "$chroot"
  # shellcheck disable=SC2064
  trap "remove_chroot '$chroot'" EXIT
  make_chroot "$(suite_of_host)" "$chroot"
  prepare_chroot "$chroot" "$folder"
  files_of "$chroot" >"$folder/files"

  try_program_package "$chroot"
  try_python_package "$chroot"
  purge_and_compare "$chroot" "$folder/files"
  try_development_package "$chroot"
}
