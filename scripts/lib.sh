# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Shared by the scripts here: messages, configure and build, ROS 2 or not; packages in packages.sh.
# Sourced, not run. Expects to stand in the repository's root.

# A heading with the time since the script began.
say() { printf '\n== [%d:%02d] %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$*"; }

. scripts/packages.sh

# A ROS 2 environment that is already sourced, or the newest under /opt/ros, is used; else none.
source_ros() {
  [ ${#ros_options[@]} -eq 0 ] || return 0
  if [ -n "${ROS_DISTRO:-}" ]; then
    say "ROS 2 ${ROS_DISTRO} is sourced."
  else
    local setup newest=""
    for setup in "$ros_folder"/*/setup.bash; do
      [ ! -e "$setup" ] || newest=$setup
    done
    [ -n "$newest" ] || return 1
    set +u
    # shellcheck disable=SC1090
    . "$newest"
    set -u
    say "ROS 2 ${ROS_DISTRO:-} found in ${newest%/setup.bash}."
  fi
  # ROS 2 is built for the distribution's Python; another one earlier on the path would be taken.
  export PATH="/usr/bin:$PATH"
  ros_options=(-DPython3_EXECUTABLE=/usr/bin/python3)
}
ros_options=()
ros_folder=/opt/ros

# ros_summary CONFIGURE_LOG COUNT: one sentence on whether the ROS tests ran, and why not.
ros_summary() {
  if [ -z "${ROS_DISTRO:-}" ]; then
    echo "ROS 2: not found (none sourced, none under $ros_folder); its tests did NOT run."
  elif grep -q 'nodes are built' "$1"; then
    echo "ROS 2: ${ROS_DISTRO} found; $2 ROS tests ran."
  else
    echo "ROS 2: ${ROS_DISTRO} found, but its tests did NOT run:"
  fi
  grep -o 'ROS 2: .*\(left out\|not used\).*' "$1" || true
}

# configure PRESET [OPTION...]: with ROS 2 where there is one, and with the compiler cache where there is one,
# so that all scripts share one build.
configure() {
  local preset=$1 options=("${@:2}")
  source_ros || true
  if command -v ccache >/dev/null; then
    options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_C_COMPILER_LAUNCHER=ccache)
  fi
  # The distribution's Python: another one earlier on the path does not see the distribution's packages.
  [ ! -x /usr/bin/python3 ] || options+=(-DPython3_EXECUTABLE=/usr/bin/python3)
  # Warnings are errors where we check ourselves (.ci/run, scripts/check), never on a user's machine.
  [ -z "${FIVEBAR_WARNINGS_AS_ERRORS:-}" ] ||
    options+=("-DFIVEBAR_WARNINGS_AS_ERRORS=$FIVEBAR_WARNINGS_AS_ERRORS")
  mkdir -p build
  cmake --preset "$preset" "${options[@]}" "${ros_options[@]}" >"build/$preset-configure.log" 2>&1 ||
    { cat "build/$preset-configure.log"; exit 1; }
}

# compile PRESET [TARGET...]: all targets if none is named.
compile() {
  local preset=$1 targets=()
  [ $# -eq 1 ] || targets=(--target "${@:2}")
  NINJA_STATUS='[%f/%t, %e s] ' cmake --build --preset "$preset" "${targets[@]}"
}

# build PRESET: everything, with tests and benchmarks.
build() {
  say "Building ($1)"
  configure "$1" -DBUILD_TESTING=ON
  compile "$1"
}

# build_program: `fivebar` alone, in the folder of the release build. A folder that has the tests keeps them.
build_program() {
  say "Building the program"
  local without_tests=(-DBUILD_TESTING=OFF)
  ! grep -qs '^BUILD_TESTING:BOOL=ON' build/release/CMakeCache.txt || without_tests=()
  configure release "${without_tests[@]}"
  compile release fivebar
}
