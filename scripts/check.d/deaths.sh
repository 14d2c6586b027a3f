# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
about_deaths() { echo "the daemon dies 100 times in every way and state on the emulated board: zero volts"; }
tools_deaths() { echo ""; }

check_deaths() {
  local code=0
  build release
  FIVEBAR_DEATHS=${FIVEBAR_DEATHS:-100} build/release/test/test_deaths || code=$?
  figure "$(awk -F'|' '/^\| / && $3 + 0 > 0 { kinds++; lives += $3; if ($5 > longest) longest = $5 }
    END { printf "%d kinds of death, %d lives, zero volts after at most %.0f ms of silence", kinds, lives, longest }' \
    "$records/deaths.log")"
  return $code
}
