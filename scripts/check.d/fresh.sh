# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
about_fresh() { echo "both commands of the README on fresh Debian 12 and 13, as an ordinary user"; }
tools_fresh() { echo "debootstrap"; }

# measured LABEL SCRIPT: runs it in the fresh system as the user `lab`, under a locale with decimal commas, and adds a
# row to the table.
measured() {
  local label=$1 code=0 log tests="" times
  log=$records/fresh.$suite.$(tr -cs '[:alnum:]\n' _ <<<"$label").log
  local chroot_environment=(LC_ALL=de_DE.UTF-8 TERM=dumb PATH=/usr/bin:/bin)
  # shellcheck disable=SC2016
  in_chroot_as lab "$root" bash -c 'TIMEFORMAT="measured %U %S %R"; time bash -euc "$1"' bash "$2" >"$log" 2>&1 ||
    code=$?
  tail -n 25 "$log"
  if grep -q 'tests passed, ' "$log"; then
    tests=$(sed -n 's/^[0-9]*% tests passed, \([0-9]*\) tests failed out of \([0-9]*\)/\2 run, \1 failed/p' "$log")
    tests+=", $(grep -c '(Skipped)$' "$log" || true) skipped"
  fi
  times=$(LC_ALL=C awk '/^measured / { gsub(",", "."); printf "%.1f min | %.1f min", ($2 + $3) / 60, $4 / 60 }' "$log")
  echo "| $suite | $label | $code | $tests | $times | $(megabytes) |" >>"$records/fresh.table"
  [ $code -eq 0 ] || fresh_failures+=("$suite: $label")
}

megabytes() { as_root du -sxm "$root" | cut -f1; }

# A minimal system with an ordinary user who may use sudo, and with the sources in a folder whose name has a space.
prepare_suite() {
  remove_chroot "$root"
  make_chroot "$suite" "$root"
  in_chroot "$root" bash -euc '
    apt-get -q -y install --no-install-recommends sudo locales
    echo "127.0.0.1 localhost $(hostname)" >/etc/hosts
    echo "de_DE.UTF-8 UTF-8" >/etc/locale.gen
    locale-gen
    useradd --create-home --shell /bin/bash lab
    echo "lab ALL=(ALL) NOPASSWD: ALL" >/etc/sudoers.d/lab
    mkdir "/home/lab/five bar" "/home/lab/from tarball"'
  git clone -q --no-hardlinks . "$records/fresh.clone"
  as_root cp -a "$records/fresh.clone/." "$root/home/lab/five bar"
  rm -rf "$records/fresh.clone"
  # As somebody gets it who downloads an archive: without .git.
  git archive HEAD | as_root tar -x -C "$root/home/lab/from tarball"
  if [ -n "${FIVEBAR_FRESH_CACHE:-}" ]; then
    as_root mkdir -p "$root/home/lab/.cache"
    as_root cp -a "$FIVEBAR_FRESH_CACHE/$suite" "$root/home/lab/.cache/ccache"
  fi
  in_chroot "$root" chown -R lab:lab /home/lab
}

# shellcheck disable=SC2016
try_suite() {
  local suite=$1 root
  root=$(chroot_folder "fresh_$suite")
  # shellcheck disable=SC2064
  trap "remove_chroot '$root'" EXIT
  prepare_suite
  echo "| $suite | (minimal system) | | | | | $(megabytes) |" >>"$records/fresh.table"

  measured "scripts/demo" 'cd "$HOME/five bar"; scripts/demo'
  measured "scripts/test" 'cd "$HOME/five bar"; scripts/test'

  in_chroot "$root" rm /etc/sudoers.d/lab
  measured "scripts/demo again, without sudo" 'cd "$HOME/five bar"; scripts/demo'
  measured "scripts/test -R Planner again, without sudo" 'cd "$HOME/five bar"; scripts/test -R Planner'
  measured "scripts/demo in the tarball, without sudo" 'cd "$HOME/from tarball"; scripts/demo'
  measured "cmake --install of that, fivebar --version" 'cd "$HOME/from tarball"
    cmake --install build/release --prefix "$HOME/installed here"
    cd /
    "$HOME/installed here/bin/fivebar" --version'
  remove_chroot "$root"
}

check_fresh() {
  local suites=${FIVEBAR_FRESH_SUITES:-bookworm trixie} suite fresh_failures=()
  require_chroot
  {
    echo "| system | command | exit code | tests | CPU | wall | disk used [MB] |"
    echo "| --- | --- | ---: | --- | ---: | ---: | ---: |"
  } >"$records/fresh.table"
  for suite in $suites; do
    try_suite "$suite"
  done
  cat "$records/fresh.table"
  left_out "Ubuntu, whose archive is not among this machine's package sources"
  figure "$suites: $(grep -c '| 0 |' "$records/fresh.table") commands passed, ${#fresh_failures[@]} failed"
  printf 'failed: %s\n' "${fresh_failures[@]:-none}"
  [ ${#fresh_failures[@]} -eq 0 ]
}
