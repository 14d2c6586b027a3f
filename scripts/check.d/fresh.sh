# shellcheck shell=bash
about_fresh() { echo "both commands of the README on fresh Debian 12 and 13, as an ordinary user"; }
tools_fresh() { echo "debootstrap"; }

# Debian's suites to try; others by FIVEBAR_FRESH_SUITES.
fresh_suites() { echo "${FIVEBAR_FRESH_SUITES:-bookworm trixie}"; }

# measured LABEL COMMAND...: runs it as the user `lab` under a locale with decimal commas, and adds a row to the table.
measured() {
  local label=$1 log code=0
  log=$records/fresh.$suite.$(tr -c '[:alnum:]\n' _ <<<"$label").log
  shift
  CHROOT_LOCALE=de_DE.UTF-8 in_chroot "$root" lab bash -c '
    TIMEFORMAT="measured %U %S %R"
    time "$@"' command "$@" >"$log" 2>&1 </dev/null || code=$?
  tail -n 25 "$log"
  local tests skipped cpu_and_wall
  tests=$(sed -n 's/^\([0-9]*\)% tests passed, \([0-9]*\) tests failed out of \([0-9]*\)/\3 run, \2 failed/p' "$log")
  skipped=$(grep -c '(Skipped)$' "$log" || true)
  [ -z "$tests" ] || tests="$tests, $skipped skipped"
  cpu_and_wall=$(LC_ALL=C awk '/^measured / { gsub(",", "."); printf "%.1f min | %.1f min", ($2 + $3) / 60, $4 / 60 }' "$log")
  printf '| %s | %s | %d | %s | %s | %d MB |\n' "$suite" "$label" $code "${tests:--}" "$cpu_and_wall" \
    "$(as_root du -sxm "$root" | cut -f1)" >>"$records/fresh.table"
  [ $code -eq 0 ] || fresh_failures+=("$suite: $label")
}

# In the folder named, with its space.
in_folder() { printf 'cd "$HOME/%s" && %s' "$1" "$2"; }

try_suite() {
  local suite=$1 root=$records/fresh.$1.root home
  remove_chroot "$root"
  make_chroot "$suite" "$root"
  in_chroot "$root" root bash -euc '
    apt-get -q update
    apt-get -q -y install --no-install-recommends sudo locales ca-certificates
    echo "de_DE.UTF-8 UTF-8" >/etc/locale.gen
    locale-gen
    echo "lab ALL=(ALL) NOPASSWD: ALL" >/etc/sudoers.d/lab' >"$records/fresh.$suite.base.log" 2>&1
  printf '| %s | (minimal system) | | | | | %d MB |\n' "$suite" "$(as_root du -sxm "$root" | cut -f1)" \
    >>"$records/fresh.table"

  home=$root/home/lab
  as_root git clone -q --no-hardlinks "$PWD" "$home/five bar"
  in_chroot "$root" root chown -R lab:lab /home/lab
  measured "scripts/demo" bash -c "$(in_folder 'five bar' scripts/demo)"
  measured "scripts/test" bash -c "$(in_folder 'five bar' scripts/test)"

  in_chroot "$root" root rm /etc/sudoers.d/lab
  measured "demo, no sudo" bash -c "$(in_folder 'five bar' scripts/demo)"
  measured "test, no sudo" bash -c "$(in_folder 'five bar' 'scripts/test -R Planner')"

  # As somebody gets it who downloads an archive.
  as_root mkdir -p "$home/from tarball"
  git archive HEAD | as_root tar -x -C "$home/from tarball"
  in_chroot "$root" root chown -R lab:lab "/home/lab/from tarball"
  measured "demo, tarball" bash -c "$(in_folder 'from tarball' scripts/demo)"
  measured "cmake --install" bash -c "$(in_folder 'from tarball' \
    'cmake --install build/release --prefix "$HOME/installed here" && cd / && "$HOME/installed here/bin/fivebar" --version')"
  [ -n "${FIVEBAR_KEEP_CHROOTS:-}" ] || remove_chroot "$root"
}

check_fresh() {
  local suite fresh_failures=()
  {
    echo "| system | command | exit code | tests | CPU | wall | disk used |"
    echo "| --- | --- | ---: | --- | ---: | ---: | ---: |"
  } >"$records/fresh.table"
  for suite in $(fresh_suites); do
    try_suite "$suite"
  done
  cat "$records/fresh.table"
  left_out "Ubuntu: its archive is not among this machine's package sources"
  figure "$(fresh_suites): $(grep -c '| 0 |' "$records/fresh.table") commands passed, ${#fresh_failures[@]} failed"
  printf 'failed: %s\n' "${fresh_failures[@]:-none}"
  [ ${#fresh_failures[@]} -eq 0 ]
}
