# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
about_cortex_m4() { echo "the firmware core and its example board compiled for a Cortex-M4F; bytes"; }
tools_cortex_m4() { echo "arm-none-eabi-gcc"; }

check_cortex_m4() {
  local flags=(-std=gnu99 -O2 -ffp-contract=off -ffunction-sections -fdata-sections -mcpu=cortex-m4 -mthumb
    -mfloat-abi=hard -mfpu=fpv4-sp-d16 -Wall -Wextra -Wconversion -Wdouble-promotion -Werror -I hardware)
  local out=build/check/cortex_m4 source board flash=0 state
  mkdir -p "$out"
  for source in hardware/firmware/*.c; do
    arm-none-eabi-gcc "${flags[@]}" -c "$source" -o "$out/core.o"
    flash=$((flash + $(arm-none-eabi-size "$out/core.o" | awk 'NR == 2 { print $1 + $2 }')))
  done
  for board in hardware/firmware/boards/*/; do
    arm-none-eabi-gcc "${flags[@]}" -nostartfiles -specs=nano.specs -Wl,--gc-sections -T "$board/link.ld" \
      hardware/firmware/*.c "$board/main.c" -o "$out/$(basename "$board").elf"
  done
  printf '#include "firmware/board.h"\nchar state[sizeof(struct fivebar_board)];\n' >"$out/state.c"
  arm-none-eabi-gcc "${flags[@]}" -c "$out/state.c" -o "$out/state.o"
  state=$((16#$(arm-none-eabi-nm -S "$out/state.o" | cut -d' ' -f2)))
  figure "core: $flash bytes of flash, $state of state"
  [ "$state" -le 16384 ]
}
