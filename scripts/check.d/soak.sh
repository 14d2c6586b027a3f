# shellcheck shell=bash
about_soak() { echo "a day of robot time with random plans and faults (fivebar soak)"; }
tools_soak() { echo ""; }

check_soak() {
  local hours=${FIVEBAR_SOAK_HOURS:-24}
  build release
  figure "$hours simulated hours"
  build/release/daemon/fivebar soak --hours "$hours" --fast
}
