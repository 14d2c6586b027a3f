# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
about_cortex_m4() { echo "the firmware core on an emulated Cortex-M4F against the program; all boards/ compiled"; }
tools_cortex_m4() { echo "arm-none-eabi-gcc qemu-system-arm"; }

check_cortex_m4() {
  local code=0
  build release
  cmake --build --preset release --target qemu_world
  test/hardware/run_in_qemu.py build/release/cli/fivebar build/release/test/qemu_world build/check/cortex_m4 || code=$?
  figure "$(sed -n 's/^core: //p' "$records/cortex_m4.log" | tail -n 1)"
  return $code
}
