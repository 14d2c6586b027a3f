# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
about_any_pc() { echo "curves A, B, C played by the emulated board while the host is loaded, stalled and stopped"; }
tools_any_pc() { echo "cyclictest"; }

check_any_pc() {
  local code=0
  build release
  test/hardware/any_pc.py build/release/cli/fivebar build/check/any_pc "${FIVEBAR_ANY_PC_RUNS:-20}" || code=$?
  figure "$(sed -n 's/^all: //p' "$records/any_pc.log" | tail -n 1)"
  return $code
}
