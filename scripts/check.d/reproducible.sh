# shellcheck shell=bash
about_reproducible() { echo "two builds in two directories give the same fivebar, byte for byte"; }
tools_reproducible() { echo ""; }

check_reproducible() {
  local folder sums=()
  for folder in one another/place; do
    local source=$records/reproducible/$folder
    rm -rf "$source"
    mkdir -p "$source"
    git ls-files -z | xargs -0 cp --parents -t "$source"
    # No compiler cache: it would prove nothing.
    cmake -S "$source" -B "$source/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF \
      -DFIVEBAR_WITH_ROS=OFF -DFIVEBAR_BUILD_BENCHMARKS=OFF
    CCACHE_DISABLE=1 cmake --build "$source/build" -j "$jobs" --target fivebar
    sums+=("$(sha256sum <"$source/build/daemon/fivebar" | cut -d' ' -f1)")
  done
  printf '%s\n' "${sums[@]}"
  figure "sha256 ${sums[0]:0:16}... and ${sums[1]:0:16}..."
  [ "${sums[0]}" = "${sums[1]}" ]
}
