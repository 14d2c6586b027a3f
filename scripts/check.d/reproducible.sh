# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
about_reproducible() { echo "built again in another directory, fivebar is the same byte for byte"; }
tools_reproducible() { echo ""; }

check_reproducible() {
  build release
  local source=$records/reproducible.d/another/place
  mkdir -p "$source"
  git ls-files -z | xargs -0 cp --parents -t "$source"
  # The copy has no history to take its version from.
  local version
  version=$(build/release/cli/fivebar --version | sed -n '1s/^fivebar //p')
  # No compiler cache: it would prove nothing.
  cmake -S "$source" -B "$source/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF \
    -DFIVEBAR_BUILD_BENCHMARKS=OFF -DFIVEBAR_VERSION_STRING="$version" "${ros_options[@]}"
  CCACHE_DISABLE=1 cmake --build "$source/build" -j "$jobs" --target fivebar
  local here there
  here=$(sha256sum <build/release/cli/fivebar | cut -d' ' -f1)
  there=$(sha256sum <"$source/build/cli/fivebar" | cut -d' ' -f1)
  figure "sha256 ${here:0:16}... and ${there:0:16}..."
  [ "$here" = "$there" ]
}
