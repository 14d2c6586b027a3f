# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
about_soak() { echo "a day of robot time with random plans and faults (fivebar soak)"; }
tools_soak() { echo ""; }

check_soak() {
  local code=0
  build release
  build/release/cli/fivebar soak --hours "${FIVEBAR_SOAK_HOURS:-24}" --fast || code=$?
  figure "$(awk '/^Soak with seed/ { runs = $7; cycles = $9; hours = $12 }
    / starts with a latched fault / { faults = $NF }
    END { printf "%.1f h of robot time, %d cycles, %d runs, %d faults", hours, cycles, runs, faults }' \
    "$records/soak.log")"
  return $code
}
